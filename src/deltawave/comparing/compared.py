"""The comparison of two tables: which engine compares them, and what its figures make up."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from deltawave.comparing.columns import (
    Column,
    Names,
    Numbers,
    Options,
    compared,
    described,
    is_named,
    keys_of,
    renamed,
)
from deltawave.comparing.comparison import Comparison, KeyIs
from deltawave.comparing.distributions import distributions
from deltawave.comparing.engine import Engine, occurrence
from deltawave.comparing.equality import differs
from deltawave.comparing.figures import changes, concentrations, counts, nulls, samples_of
from deltawave.comparing.hints import moved_keys, renames
from deltawave.comparing.keys import Key, find_key, nearly_key
from deltawave.comparing.kinds import DOUBLE, VOID
from deltawave.sides import SIDES, Side

_LOG = logging.getLogger(__name__)


def compare(
    old: Any,
    new: Any,
    key: Names | None = None,
    *,
    ignore_columns: Names = (),
    tolerance: Numbers = None,
    relative_tolerance: Numbers = None,
    ignore_case: Names = (),
    ignore_blanks: Names = (),
    samples: int = 5,
    rename: Mapping[str, str] | None = None,
    numbers: bool = False,
) -> Comparison:
    """Return what differs between two tables: rows, columns and values, and where the differences concentrate.

    - ``old``, ``new``: DataFrames of Spark, which compares them; or tables of pandas, Polars, pyarrow, DuckDB or
      anything else with ``__arrow_c_stream__``, which DuckDB compares
    - ``key``: columns whose values together are unique in each table; a part may be null, and null matches null.
      Without it the key is found, and where there is none, rows are compared as a bag: equal rows are counted
    - ``ignore_columns``: not compared, but differences may concentrate in their values
    - ``tolerance``: the absolute difference of numbers that counts as equal: one for all columns of numbers, or one for
      each named column, where the name ``""`` stands for all others. The difference of doubles counts to 15 digits,
      that of floats to 6, that of others is exact
    - ``relative_tolerance``: the same as a share of the larger absolute value. Where both are given, one suffices
    - ``ignore_case``, ``ignore_blanks``: columns of text whose case does not count; in which white space at the ends
      does not count, and a run of it counts like one blank
    - ``samples``: how many changes are shown of each column, and how many rows that only one table has; 0 for none
    - ``rename``: new names of the old table's columns
    - ``numbers``: whether texts that are numbers are compared as numbers: 1.0 equals 1.00

    Columns are matched by name, whatever its case.
    Raises ``ValueError`` for options that do not fit the tables and for repeated keys, ``TypeError`` for what is no
    table.
    """
    options = Options(
        key,
        ignore_columns,
        tolerance,
        relative_tolerance,
        ignore_case,
        ignore_blanks,
        samples,
        rename or {},
        numbers,
    )
    options.check()
    are_sparks = [type(table).__module__.partition(".")[0] == "pyspark" for table in (old, new)]
    if all(are_sparks):
        from deltawave.comparing.sessions import compared_in_session

        return compared_in_session({"old": old, "new": new}, options)
    if any(are_sparks):
        raise TypeError("One table is of Spark, and the other one is not: give both as DataFrames of one session.")
    from deltawave.comparing.arrow import compared_in_memory

    return compared_in_memory({"old": old, "new": new}, options)


def compared_by(engine: Engine, options: Options) -> Comparison:
    """What differs between the tables of an engine."""
    columns = described(renamed(engine.fields, options.rename), options)
    found: Key | None = None
    key_is: KeyIs = "given"
    nearly: list[str] = []
    if options.key is None:
        found = find_key(engine, columns)
        key_is = "found" if found else "none"
        is_noted = found is None and options.are_files and not options.counts_only
        nearly = _nearly_key(engine, columns) if is_noted else []
        columns = _keyed(columns, found, options)
    if _is_read_several_times(columns):
        engine.read()
    _check_numbers(engine, columns, options)
    engine.pair(columns)
    counted = counts(engine, columns)
    keys = keys_of(columns)
    named_keys = [] if key_is == "none" else keys
    others = [column for column in columns if column.places and not column.is_ignored]
    changed = sorted(compared(columns), key=lambda column: -counted[differs(column)])
    with_changes = [column for column in changed if counted[differs(column)]]
    result = Comparison(
        key=tuple(column.name for column in named_keys),
        key_is=key_is,
        old_rows=counted["old_rows"],
        new_rows=counted["new_rows"],
        equal=counted["equal"],
        changed=counted["changed"],
        only_old=counted["only_old"],
        only_new=counted["only_new"],
        old_columns=tuple(column.name for column in others if "new" not in column.types),
        new_columns=tuple(column.name for column in others if "old" not in column.types),
        ignored_columns=tuple(column.name for column in columns if column.is_ignored),
        types={
            column.name: types
            for column in others
            if (types := column.two_types) and not (options.are_files and _is_of_files(column, options))
        },
        columns={column.name: counted[differs(column)] for column in changed},
        notes=(*nearly, *(_notes(columns) if options.are_files else ())),
    )
    if options.counts_only:
        return result
    samples: dict[Side, list[dict[str, str | None]]] = {
        side: samples_of(engine, columns, side, min(options.samples, counted[f"only_{side}"])) for side in SIDES
    }
    moved = key_is != "none" and counted["only_old"] and counted["only_new"]
    in_both = counted["equal"] + counted["changed"]
    return replace(
        result,
        nulls=nulls(engine, with_changes),
        changes=tuple(changes(engine, keys, with_changes, options.samples)),
        old_samples=tuple(samples["old"]),
        new_samples=tuple(samples["new"]),
        concentrations=tuple(concentrations(engine, columns, counted)),
        distributions=tuple(distributions(engine, with_changes)),
        renames=tuple(renames(engine, columns, in_both)) if key_is != "none" else (),
        moved_keys=moved_keys(engine, columns, options.samples) if moved else None,
    )


def _is_read_several_times(columns: Sequence[Column]) -> bool:
    """Whether more than the pairs is read: for tolerances of texts, and columns that were perhaps renamed."""
    alone = {side for column in columns for side in column.types if not column.is_shared}
    return len(alone) > 1 or any(column.reads_numbers for column in columns)


def _check_numbers(engine: Engine, columns: Sequence[Column], options: Options) -> None:
    """Raise ``ValueError`` for a tolerance of a column of texts of which none is a number."""
    for option, of_columns in options.by_column().items():
        for column in columns:
            if not column.reads_numbers or "tolerance" not in option or not is_named(column, columns, of_columns):
                continue
            numbers = {side: engine.dialect.try_cast(f"c{column.places[side]}", DOUBLE) for side in SIDES}
            counts = [f"(select count({number}) from {engine.table(side)})" for side, number in numbers.items()]
            ((found,),) = engine.rows(f"select {' + '.join(counts)}")
            if not found:
                raise ValueError(f"{option}: {column.name} is compared as string, and has to be a number.")


def _is_of_files(column: Column, options: Options) -> bool:
    """Whether the types of a column differ only as files have few types: texts, or the numbers of JSON."""
    kinds = column.types.values()
    is_text = any(kind.is_text or kind == VOID for kind in kinds)
    return is_text or (options.has_untyped and all(kind.is_number or kind.is_nested for kind in kinds))


def _keyed(columns: Sequence[Column], found: Key | None, options: Options) -> list[Column]:
    """The columns with the key that was found; without one, all that are compared are the key, with a number."""
    if found:
        own = {column.number: place for place, column in enumerate(found.columns)}
        for column in found.columns:
            for option, of_columns in options.by_column().items():
                if is_named(column, columns, of_columns):
                    raise ValueError(
                        f"{option}: {column.name} is part of the key, which was found. Give another --key."
                    )
        keyed = [
            replace(column, is_key=column.number in own, options={} if column.number in own else column.options)
            for column in columns
        ]
        return sorted(keyed, key=lambda column: own.get(column.number, len(own)))
    if not any(column.is_compared for column in columns):
        raise ValueError("The tables have no columns in common that could be compared.")
    if any("tolerance" in option for column in columns for option in column.options):
        raise ValueError("A tolerance needs a key, and no columns are a key of both tables. Give one.")
    return [
        *(replace(column, is_key=True) if column.is_compared else column for column in columns),
        occurrence(len(columns)),
    ]


def _nearly_key(engine: Engine, columns: Sequence[Column]) -> list[str]:
    if (found := nearly_key(engine, columns)) is None:
        return []
    name, repeated = found
    rows = " and ".join(f"{number:,} row(s) of {{{side}}}" for side, number in repeated.items() if number)
    return [f"{_unformatted(name)} would be the key, but {rows} repeat its values"]


def _notes(columns: Sequence[Column]) -> list[str]:
    """What was done to make values of files comparable; ``{old}`` and ``{new}`` stand for the tables' names."""
    read: dict[str, list[str]] = {}
    for column in sorted(columns, key=lambda column: column.name.lower()):
        texts = " and ".join(f"{{{side}}}" for side, kind in column.types.items() if kind.is_text)
        if column.reading is None or not texts:
            continue
        others = [kind.name for kind in column.types.values() if not kind.is_text]
        read.setdefault(f"text in {texts}, read as {others[0] if others else 'numbers'}", []).append(column.name)
    return [f"{_unformatted(', '.join(names))}: {how}" for how, names in read.items()]


def _unformatted(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")

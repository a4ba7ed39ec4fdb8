"""The figures of a comparison, counted by the engine that has paired the rows."""

from collections import Counter
from collections.abc import Mapping, Sequence

from deltawave.comparing.columns import Column, compared, keys_of
from deltawave.comparing.comparison import Change, Concentration, Kind
from deltawave.comparing.concentrations import LEAST_ROWS, MOST_VALUES, perhaps_measured, strongest, weighed
from deltawave.comparing.engine import Engine
from deltawave.comparing.equality import cell, differs
from deltawave.comparing.kinds import STRING
from deltawave.pages.texts import short
from deltawave.sides import SIDES, Side

# Sample changes are shown of so many columns: those with the most differences.
MOST_COLUMNS = 20
_KINDS: tuple[Kind, ...] = ("changed", "only_old", "only_new")
# For each kind of rows, the side whose values are counted.
_SIDES: Mapping[Kind, Side] = {"changed": "old", "only_old": "old", "only_new": "new"}
_DIFFERING: Sequence[tuple[Kind, Side]] = (
    ("changed", "old"), ("changed", "new"), ("only_old", "old"), ("only_new", "new"),
)  # fmt: skip
# How many rows have a value of a column, by its number.
Values = Counter[tuple[int, str | None]]


def counts(engine: Engine, columns: Sequence[Column]) -> dict[str, int]:
    """The rows of each table and of each kind, and in how many rows each column differs."""
    own = compared(columns)
    counted = [
        *(f"count_if(kind = '{kind}')" for kind in _KINDS),
        *(f"count_if({differs(column)})" for column in own),
    ]
    (found,) = engine.rows(f"select {', '.join(counted)} from {engine.pairs}")
    names = [*_KINDS, *map(differs, own)]
    # No rows have no counts, for DuckDB.
    counts: dict[str, int] = {name: number or 0 for name, number in zip(names, found, strict=True)}
    sides = engine.counted(columns)
    _check_keys(engine, columns, {side: repeated for side, (_, repeated) in sides.items()})
    counts |= {f"{side}_rows": number for side, (number, _) in sides.items()}
    return counts | {"equal": counts["old_rows"] - counts["changed"] - counts["only_old"]}


def _check_keys(engine: Engine, columns: Sequence[Column], repeated: Mapping[Side, int]) -> None:
    """Raise ``ValueError`` for keys of several rows: these have no counterpart."""
    keys = keys_of(columns)
    names = ", ".join(column.name for column in keys)
    wrong = []
    for side in (side for side in SIDES if repeated[side]):
        order = ", ".join(cell(column, side) for column in keys)
        select = f"select {texts_of(engine, keys, side)} from {engine.repeated(side, columns)} order by {order} limit 3"
        rows = [shown_texts(keys, texts) for (texts,) in engine.rows(select)]
        examples = ", ".join(f"({', '.join(map(short, texts))})" for texts in rows)
        number = f"{repeated[side]:,} key(s) ({names}) of the {side} table occur in several rows"
        wrong.append(f"{number}, for instance {examples}.")
    if wrong:
        raise ValueError(" ".join([*wrong, "Compare one row per key, or by another key."]))


def nulls(engine: Engine, changed: Sequence[Column]) -> dict[str, tuple[int, int]]:
    """In how many rows a value of a changed column has become null, and null a value."""
    if not changed:
        return {}
    counted = [f"count_if({differs(each)} and {cell(each, side)} is null)" for side in SIDES for each in changed]
    (found,) = engine.rows(f"select {', '.join(counted)} from {engine.pairs} where kind = 'changed'")
    from_null, to_null = found[: len(changed)], found[len(changed) :]
    counts = {each.name: pair for each, *pair in zip(changed, to_null, from_null, strict=True)}
    return {name: (to, from_) for name, (to, from_) in counts.items() if to or from_}


def changes(engine: Engine, keys: Sequence[Column], changed: Sequence[Column], samples: int) -> list[Change]:
    """Some changes of each column, by the order of the key; ``changed``: the columns, the most often changed first."""
    chosen = changed[:MOST_COLUMNS]
    if not samples or not chosen:
        return []
    order = ", ".join(cell(column, "old") for column in keys)

    def of_place(values: Sequence[str]) -> str:
        return f"case place {' '.join(f'when {place} then {value}' for place, value in enumerate(values))} end"

    # A row is listed once for each of its changed columns.
    places = f"(select * from (values {', '.join(f'({place})' for place in range(len(chosen)))}) as p(place))"
    listed = (
        f"select *, row_number() over (partition by place order by {order}) as rank from {engine.pairs} "
        f"cross join {places} where kind = 'changed' and {of_place(list(map(differs, chosen)))}"
    )
    values = [of_place([engine.dialect.shown(cell(each, side), each.kind) for each in chosen]) for side in SIDES]
    select = (
        f"select {texts_of(engine, keys, 'old')}, place, {', '.join(values)} from ({listed}) "
        f"where rank <= {samples} order by place, rank"
    )
    found = []
    for texts, place, *pair in engine.rows(select):
        column = chosen[place]
        old, new = (shown(text, column) for text in pair)
        found.append(Change(shown_texts(keys, texts), column.name, old, new))
    return found


def samples_of(engine: Engine, columns: Sequence[Column], side: Side, number: int) -> list[dict[str, str | None]]:
    """Some rows that only one table has, by the order of the key."""
    if not number:
        return []
    own = [column for column in columns if side in column.types]
    order = ", ".join(cell(column, side) for column in own if column.is_key)
    select = (
        f"select {texts_of(engine, own, side)} from {engine.pairs} where kind = 'only_{side}' "
        f"order by {order} limit {number}"
    )
    names = [column.name for column in _named(own)]
    return [dict(zip(names, shown_texts(own, texts), strict=True)) for (texts,) in engine.rows(select)]


def _named(columns: Sequence[Column]) -> list[Column]:
    """Without the number that tells equal rows apart."""
    return [column for column in columns if column.places]


def texts_of(engine: Engine, columns: Sequence[Column], side: Side) -> str:
    """Cells as one value: the texts that people see."""
    texts = [engine.dialect.shown(cell(column, side), column.kind) for column in _named(columns)]
    return engine.dialect.list_of(texts or [engine.dialect.cast("null", STRING)])


def shown_texts(columns: Sequence[Column], texts: Sequence[str | None]) -> tuple[str | None, ...]:
    """What :func:`texts_of` gave to Python."""
    return tuple(shown(text, column) for text, column in zip(texts, _named(columns), strict=True))


def shown(text: str | None, column: Column) -> str | None:
    """A value's text; that of a floating-point number as Python writes it, without the sign of zero."""
    return repr(float(text) + 0.0) if text is not None and column.kind.is_float else text


def concentrations(engine: Engine, columns: Sequence[Column], counts: Mapping[str, int]) -> list[Concentration]:
    """Where differences concentrate: what is worth reporting, the largest effect first."""
    categories = [column for column in columns if column.is_shared and column.kind.is_category and column.places]
    in_both = counts["changed"] + counts["equal"]
    populations = {kind: in_both if kind == "changed" else in_both + counts[kind] for kind in _KINDS}
    kinds = [kind for kind in _KINDS if LEAST_ROWS <= counts[kind] < populations[kind]]
    if not categories or not kinds:
        return []
    estimates = engine.estimated_values(categories)
    chosen = perhaps_measured(categories, lambda column: estimates.get(column.number, 0))
    if not chosen:
        return []
    old = _values_of(engine, engine.cells("old"), chosen, "old")
    chosen = [column for column in chosen if _values(old, column)]
    differing = {
        (kind, side): _values_of(engine, f"(select * from {engine.pairs} where kind = '{kind}')", chosen, side)
        for kind, side in _DIFFERING
    }
    chosen = [
        column
        for column in chosen
        if all(_values(values, column) for (kind, _), values in differing.items() if counts[kind])
    ]
    every: Mapping[Side, Values] = {"old": old, "new": _values_of_new(engine, chosen, old, differing)}
    found = []
    for column in chosen:
        values = {side: _values(every[side], column) for side in SIDES}
        numbers = [len(own) - own.count(None) for own in values.values()]
        if not 2 <= max(numbers) <= MOST_VALUES or not all(values.values()):
            continue
        for kind in kinds:
            side = _SIDES[kind]
            for value in values[side]:
                at = (column.number, value)
                # Rows of one table only have no partner that could have changed.
                others = differing["only_old", "old"][at] if kind == "changed" else 0
                rows, all_rows = differing[kind, side][at], every[side][at] - others
                text = shown(value, column)
                found.append(weighed(kind, column.name, text, rows, counts[kind], all_rows, populations[kind]))
    return strongest(found, kinds)


def _values_of_new(
    engine: Engine, columns: Sequence[Column], old: Values, differing: Mapping[tuple[Kind, Side], Values]
) -> Values:
    """How often all rows of the new table have the values of columns.

    That follows from the old table, where rows that are equal have the same values.
    """
    new = Counter(old)
    for (_, side), values in differing.items():
        (new.update if side == "new" else new.subtract)(values)
    unlike = [column for column in columns if not column.is_same_where_equal]
    same = {column.number for column in columns} - {column.number for column in unlike}
    following = Counter({at: rows for at, rows in new.items() if rows > 0 and at[0] in same})
    return following + _values_of(engine, engine.cells("new"), unlike, "new")


def _values(values: Values, column: Column) -> list[str | None]:
    """The values of a column; none if it has too many, since each row has one."""
    return [value for number, value in values if number == column.number]


def _values_of(engine: Engine, relation: str, columns: Sequence[Column], side: Side) -> Values:
    if not columns:
        return Counter()
    texts = {column.number: _category(engine, column, side) for column in columns}
    return value_counts(engine, relation, texts, MOST_VALUES)


def _category(engine: Engine, column: Column, side: Side) -> str:
    """A category's value as a text. -0.0 is 0.0."""
    name = cell(column, side)
    value = f"case when {name} = 0 then {engine.dialect.cast('0', column.kind)} else {name} end"
    return engine.dialect.shown(value if column.kind.is_float else name, column.kind)


def value_counts(engine: Engine, relation: str, values: Mapping[int, str], most: int | None = None) -> Values:
    """How many rows have each value of some columns, by the columns' numbers.

    ``values``: their expressions; ``most``: how many a column may have besides null, otherwise it is left out
    """
    cells = ", ".join(f"{value} as v{number}" for number, value in values.items())
    sets = ", ".join(f"(v{number})" for number in values)
    numbers = " ".join(f"when grouping(v{number}) = 0 then {number}" for number in values)
    texts = " ".join(f"when grouping(v{number}) = 0 then v{number}" for number in values)
    select = (
        f"select case {numbers} end as number, case {texts} end as value, count(*) as number_of_rows "
        f"from (select {cells} from {relation}) group by grouping sets ({sets})"
    )
    if most is not None:
        numbered = f"select *, count(value) over (partition by number) as number_of_values from ({select})"
        select = f"select number, value, number_of_rows from ({numbered}) where number_of_values <= {most}"
    return Counter({(number, value): rows for number, value, rows in engine.rows(select)})

"""The full outer join of two relations by the algorithms of snapshot differentials (LG95 6).

Only the output of each algorithm changes, as in the report: a row without a partner is returned with nulls, and a pair
whatever its values.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import and_

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.comparable import can_be_key, fields_of, refuse_repeated_keys
from deltawave.differencing.aligning import NotSegmentedError
from deltawave.differencing.contract import Contract
from deltawave.differencing.text_diff import TEXT_DIFF
from deltawave.differencing.window import WINDOW, Matching, cells, found_in_order, position
from deltawave.resources import holding, persisted
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

_HINTS = {"sort_merge": "merge", "partitioned_hash": "shuffle_hash"}
_ORDERED = {"window": replace(WINDOW, keeps_equal=True), "text_diff": replace(TEXT_DIFF, keeps_equal=True)}

JOIN_ALGORITHMS = (*_HINTS, *_ORDERED)


def outer_join(
    left: DataFrame,
    right: DataFrame,
    *,
    on: str | Sequence[str],
    algorithm: str = "sort_merge",
    memory_bytes: int = 1 << 30,
    check_keys: bool = True,
) -> DataFrame:
    """Return the full outer join.

    The columns of ``on``, then the others of ``left``, then those of ``right``; a row without a partner has nulls for
    those of the other relation. As in SQL, null matches nothing.

    - ``on``: columns of both
    - ``algorithm``: ``sort_merge``, ``partitioned_hash`` (LG96 3.1), ``window`` (LG96 4) and ``text_diff`` (LG95 3.5),
      which read relations in a similar order side by side, without an exchange
    - ``memory_bytes``: what a task may use, under ``window`` and ``text_diff``
    - ``check_keys``: whether to check first that keys are unique, as ``window`` and ``text_diff`` need it; without it,
      rows with a duplicate key are joined one by one

    Under ``window`` and ``text_diff`` relations that are no Parquet tables or files, or whose order differs much, are
    joined by Spark, and the log says so. Raises ``ValueError`` for columns that do not fit, for a key with several
    rows, and for an unknown algorithm.
    """
    if algorithm not in JOIN_ALGORITHMS:
        raise ValueError(f"There is no algorithm {algorithm!r}: it is one of {', '.join(JOIN_ALGORITHMS)}.")
    key = [on] if isinstance(on, str) else list(on)
    left_key, right_key = _checked_columns(left, right, key)
    if algorithm in _HINTS:
        return holding(_joined(left, right, left_key, right_key, _HINTS[algorithm]), left, right)
    if check_keys:
        # Null joins nothing, and may come several times.
        refuse_repeated_keys(
            {
                f"{side} relation": (frame.where(reduce(and_, (F.col(quoted(n)).isNotNull() for n in names))), names)
                for side, frame, names in (("left", left, left_key), ("right", right, right_key))
            }
        )
    try:
        found = _side_by_side(_ORDERED[algorithm], left, right, left_key, right_key, memory_bytes)
    except NotSegmentedError as reason:
        _LOG.info("no %s, Spark joins both relations: %s", _ORDERED[algorithm].name, reason)
        found = _joined(left, right, left_key, right_key, None)
    return holding(found, left, right)


def _checked_columns(left: DataFrame, right: DataFrame, key: Sequence[str]) -> tuple[list[str], list[str]]:
    """The key's columns as each relation spells them."""
    fields = [fields_of("left relation", left), fields_of("right relation", right)]
    if not key:
        raise ValueError("on names no column.")
    wanted = list(dict.fromkeys(name.lower() for name in key))
    for name in key:
        for side, own in zip(("left", "right"), fields, strict=True):
            if name.lower() not in own:
                raise ValueError(f"The {side} relation has no column {name}, which is in on.")
            if not can_be_key(own[name.lower()].dataType):
                kind = own[name.lower()].dataType.simpleString()
                raise ValueError(f"The column {name} is of type {kind}, which can't be a key.")
    both = [own.name for name, own in fields[0].items() if name in fields[1] and name not in wanted]
    if both:
        raise ValueError(f"Both relations have a column {', '.join(both)}: rename it in one, or name it in on.")
    return [fields[0][name].name for name in wanted], [fields[1][name].name for name in wanted]


def _joined(
    left: DataFrame, right: DataFrame, left_key: Sequence[str], right_key: Sequence[str], hint: str | None
) -> DataFrame:
    """Spark's join. The key is spelled as on the left."""
    renamed = right.withColumnsRenamed(dict(zip(right_key, left_key, strict=True)))
    return (left.hint(hint) if hint else left).join(renamed, list(left_key), "full")


def _side_by_side(
    matching: Matching,
    left: DataFrame,
    right: DataFrame,
    left_key: Sequence[str],
    right_key: Sequence[str],
    memory_bytes: int,
) -> DataFrame:
    """Both relations in their physical order. Raises ``NotSegmentedError`` if Spark has to join them."""
    left_others = [name for name in left.columns if name not in left_key]
    right_others = [name for name in right.columns if name not in right_key]
    types = [{field.name: field.dataType for field in frame.schema.fields} for frame in (left, right)]
    for one, other in zip(left_key, right_key, strict=True):
        if types[0][one] != types[1][other]:
            raise NotSegmentedError(f"the column {one} has another type in the right relation")
    columns = [
        {
            "name": name,
            "is_key": name in left_key,
            "in_old": name not in right_others,
            "in_new": name not in left_others,
            "is_compared": False,
        }
        for name in (*left_key, *left_others, *right_others)
    ]
    contract = Contract(left_key, columns, before_image=False)
    found = found_in_order(matching, left, right, contract, memory_bytes)
    left_cells, right_cells = cells(contract, "old"), cells(contract, "new")
    keys = len(left_key)
    in_left, in_right = F.col(position("old")).isNotNull(), F.col(position("new")).isNotNull()
    is_pair = reduce(and_, (cell.isNotNull() for cell in left_cells[:keys]), in_left & in_right)
    # The rows without a partner are few. Pairs are read once more instead of being kept.
    rest = persisted(found.where(~is_pair))
    joined = _joined(
        rest.where(in_left).select(*left_cells), rest.where(in_right).select(*right_cells), left_key, left_key, None
    )
    pairs = found.where(is_pair).select(*left_cells, *right_cells[keys:])
    return holding(pairs.unionAll(joined), rest)

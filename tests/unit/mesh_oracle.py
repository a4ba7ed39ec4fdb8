"""What a mesh join has to find, in plain Python."""

from collections import Counter
from typing import Any

import pyarrow as pa

Row = tuple[Any, ...]


def exact(stream: list[Row], relation: list[Row], how: str, matches: Any, carried: slice) -> Counter[Row]:
    """The join's rows; ``carried``: the relation's columns in them."""
    found: list[Row] = []
    for one in stream:
        partners = [other for other in relation if matches(one, other)]
        if how in ("inner", "left"):
            found += [(*one, *other[carried]) for other in partners]
            if how == "left" and not partners:
                found.append((*one, *[None] * (carried.stop - carried.start)))
        elif (how == "left_semi" and partners) or (how == "left_anti" and not partners):
            found.append(one)
    if how == "right_anti":
        found = [other for other in relation if not any(matches(one, other) for one in stream)]
    return Counter(found)


def rows_of(batch: pa.RecordBatch) -> list[Row]:
    """The rows as tuples."""
    return [tuple(row.values()) for row in batch.to_pylist()]

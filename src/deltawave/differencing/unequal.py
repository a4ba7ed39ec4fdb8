"""Which of two columns' values differ, by Arrow.

Spark decides in the end what a difference is. So values that may be equal, such as two maps, count as unequal here, and
equal means equal bytes or numbers, or NaN on both sides.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltawave.differencing.batches import Mask, plain


def unequal(left: pa.Array, right: pa.Array) -> Mask:
    """Tell the places at which two columns of the same type and length differ. Null equals null."""
    if isinstance(left, pa.DictionaryArray) and isinstance(right, pa.DictionaryArray):
        left, right = _indices(left, right)
    left, right = plain(left), plain(right)
    if pa.types.is_nested(left.type) or pa.types.is_null(left.type):
        return _unequal_nested(left, right)
    differ = pc.not_equal(left, right)
    if pa.types.is_floating(left.type):
        differ = pc.and_kleene(differ, pc.invert(pc.and_kleene(pc.is_nan(left), pc.is_nan(right))))
    if differ.null_count:
        # Unknown where one or both are null.
        differ = pc.coalesce(differ, pc.xor(left.is_null(), right.is_null()))
    found: Mask = differ.to_numpy(zero_copy_only=False)
    return found


def any_unequal(left: Iterable[pa.Array], right: Iterable[pa.Array], rows: int) -> Mask:
    """Tell the rows in which at least one of the columns differs."""
    found = np.zeros(rows, dtype=bool)
    for one, other in zip(left, right, strict=True):
        found |= unequal(one, other)
    return found


def _indices(left: pa.DictionaryArray, right: pa.DictionaryArray) -> tuple[pa.Array, pa.Array]:
    """Numbers that are equal where the values are; the columns themselves, if their dictionaries are large."""
    if len(left.dictionary) + len(right.dictionary) > len(left) or left.dictionary.null_count:
        return left, right
    if left.dictionary.equals(right.dictionary):
        return left.indices, right.indices
    # Values that the left side lacks get a number that it does not have. Values of a dictionary are distinct.
    places = pc.fill_null(pc.index_in(right.dictionary, value_set=left.dictionary), -1)
    return left.indices.cast(pa.int32()), places.take(right.indices)


def _unequal_nested(left: pa.Array, right: pa.Array) -> Mask:
    """Found by halving: Arrow compares nested values only for whole columns."""
    found = np.zeros(len(left), dtype=bool)
    waiting = [(0, len(left))]
    while waiting:
        begin, count = waiting.pop()
        if not count or left.slice(begin, count).equals(right.slice(begin, count)):
            continue
        if count == 1:
            found[begin] = True
            continue
        half = count // 2
        waiting += [(begin, half), (begin + half, count - half)]
    return found

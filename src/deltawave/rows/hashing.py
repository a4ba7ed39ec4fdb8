"""Hashes of rows in Arrow columns, computed over whole columns: 64 bits for each seed.

Kept hashes outlive the release that wrote them, so the function is specified here and does not come from a library
whose hashes change between versions.

Values are equal exactly as in the delta contract: null equals null and nothing else, NaN equals NaN, -0.0 equals 0.0.
Texts and binaries are compared by their bytes, decimals in the scale of their type; so both sides of a comparison need
the same types. A row in which one number or date differs, and nothing else, always has another hash; any other
difference is hidden with a probability of 2^-64 for each seed: two seeds make a hash of 128 bits.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Hashes = npt.NDArray[np.uint64]

# This many values of a column, and what is computed from them, stay in the cache of a core.
_ROWS_AT_A_TIME = 16_384
_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
_NULL = 0xA3B195354A39B70D
_NAN = np.float64(np.nan).view(np.uint64)
_ONE, _HALF, _ALL = np.uint64(1), np.uint64(32), np.uint64(_MASK)


def row_hashes(columns: Sequence[pa.Array], seed: int, rows: int | None = None) -> Hashes:
    """Return a hash per row of these columns. Their order matters, their names do not; seeds give independent hashes.

    ``rows`` is needed only without columns. Raises ``TypeError`` for a type that Spark does not hand over.
    """
    hashes: Hashes = hashes_by_seeds(columns, (seed,), rows)[0]
    return hashes


def hashes_by_seeds(columns: Sequence[pa.Array], seeds: tuple[int, ...], rows: int | None = None) -> Hashes:
    """Return the same for several seeds, one row of the result for each, at less than the cost of separate calls."""
    if not columns:
        return np.zeros((len(seeds), rows or 0), dtype=np.uint64)
    count = len(columns[0])
    if count <= _ROWS_AT_A_TIME:
        return _row_hashes(columns, seeds)
    hashes = np.empty((len(seeds), count), dtype=np.uint64)
    for begin in range(0, count, _ROWS_AT_A_TIME):
        part = [column.slice(begin, _ROWS_AT_A_TIME) for column in columns]
        hashes[:, begin : begin + _ROWS_AT_A_TIME] = _row_hashes(part, seeds)
    return hashes


def _row_hashes(columns: Sequence[pa.Array], seeds: tuple[int, ...]) -> Hashes:
    total: Hashes | None = None
    for number, column in enumerate(columns, start=1):
        own = tuple(_mixed_number(seed * 8191 + number) for seed in seeds)
        words = _value_hashes(column, own) + _per_seed(own)
        # Mixed first: sums of words that are only multiplied cancel out if values have few bits.
        mix(words)
        words *= _per_seed(_mixed_number(seed) | 1 for seed in own)
        total = words if total is None else np.add(total, words, out=total)
    assert total is not None
    return mix(total)


def _per_seed(numbers: Iterable[int]) -> Hashes:
    """A column of numbers, one for each seed."""
    return np.array(list(numbers), dtype=np.uint64)[:, np.newaxis]


def mix(words: Hashes) -> Hashes:
    """The finalizer of splitmix64 (Steele, Lea, Flood 2014), in place: a bijection."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def places_of(hashes: Hashes, table: Hashes) -> npt.NDArray[np.intp]:
    """The first place of each hash in a table, -1 where it is not there."""
    found = pc.index_in(pa.array(hashes), value_set=pa.array(table))
    places: npt.NDArray[np.intp] = found.fill_null(-1).to_numpy().astype(np.intp)
    return places


@cache
def _mixed_number(number: int) -> int:
    return int(mix(np.array([number * _GOLDEN & _MASK], dtype=np.uint64))[0])


def _value_hashes(column: pa.Array, seeds: tuple[int, ...]) -> Hashes:
    """A word per value for each seed, or for all. Numbers have distinct words, other values have hashes by the seed."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if isinstance(column, pa.DictionaryArray):
        values = _value_hashes(column.dictionary, seeds)
        codes = column.indices.fill_null(0).to_numpy(zero_copy_only=False)
        words = values[:, codes] if len(column.dictionary) else np.zeros((1, len(column)), dtype=np.uint64)
    else:
        words = np.atleast_2d(_words(column, seeds))
    if column.null_count:
        # A different number for each seed: hashes of several seeds do not confuse the same number with null.
        words = np.where(_is_null(column), _per_seed(_mixed_number(seed ^ _NULL) for seed in seeds), words)
    return words


def _is_null(column: pa.Array) -> npt.NDArray[np.bool_]:
    mask: npt.NDArray[np.bool_] = column.is_null().to_numpy(zero_copy_only=False)
    return mask


def _words(column: pa.Array, seeds: tuple[int, ...]) -> Hashes:
    kind = column.type
    types = pa.types
    if types.is_null(kind):
        return np.zeros(len(column), dtype=np.uint64)
    if types.is_boolean(kind):
        flags: Hashes = column.fill_null(False).to_numpy(zero_copy_only=False).astype(np.uint64)
        return flags
    if types.is_floating(kind):
        return _floating(column)
    if types.is_integer(kind):
        return _fixed(column, kind.to_pandas_dtype())
    if types.is_temporal(kind) and kind.bit_width in (32, 64):
        return _fixed(column, np.int64 if kind.bit_width == 64 else np.int32)
    if types.is_decimal128(kind):
        return _decimal(column, seeds)
    if types.is_string(kind) or types.is_binary(kind):
        return _texts(column, np.dtype(np.int32), seeds)
    if types.is_large_string(kind) or types.is_large_binary(kind):
        return _texts(column, np.dtype(np.int64), seeds)
    if types.is_struct(kind):
        # The fields of a null struct can have any value; the caller replaces its word.
        return hashes_by_seeds(column.flatten(), seeds, rows=len(column))
    if types.is_list(kind) or types.is_large_list(kind):
        return _lists(column, seeds)
    raise TypeError(f"Values of the Arrow type {kind} can't be hashed.")


def _fixed(column: pa.Array, kind: npt.DTypeLike) -> Hashes:
    """Numbers of up to 64 bits, widened: a number has the same word whatever its width."""
    return _stored(column, kind).astype(np.int64).view(np.uint64)


def _stored(column: pa.Array, kind: npt.DTypeLike, width: int = 1) -> npt.NDArray[Any]:
    """The numbers of ``width`` words, without a copy; anything where they are null."""
    buffer = column.buffers()[1]
    if buffer is None or not len(column):
        return np.zeros(len(column) * width, dtype=kind)
    return np.frombuffer(buffer, dtype=kind)[column.offset * width : (column.offset + len(column)) * width]


def _floating(column: pa.Array) -> Hashes:
    values = _stored(column, column.type.to_pandas_dtype()).astype(np.float64)
    # -0.0 + 0.0 is 0.0.
    values += 0.0
    words = values.view(np.uint64)
    words[np.isnan(values)] = _NAN
    return words


def _decimal(column: pa.Array, seeds: tuple[int, ...]) -> Hashes:
    halves = _stored(column, np.uint64, width=2).reshape(-1, 2)
    low, high = halves[:, 0], halves[:, 1]
    # A number of up to 64 bits has a sign and no other upper half.
    is_long = high != (low.view(np.int64) >> np.int64(63)).view(np.uint64)
    if not is_long.any():
        return low
    words = np.repeat(low[np.newaxis], len(seeds), axis=0)
    state = np.repeat(_per_seed(seeds), int(is_long.sum()), axis=1)
    words[:, is_long] = _step(_step(state, low[is_long]), high[is_long])
    return words


def _step(state: Hashes, words: Hashes) -> Hashes:
    """One more word of each value, in place, for each seed: a bijection for each word, and for each state."""
    # Mixed, so that a difference in one word is not undone by a similar one in the next.
    state ^= mix(words)
    state *= _MULTIPLIER
    state ^= state >> _HALF
    return state


def _texts(column: pa.Array, kind: np.dtype[np.generic], seeds: tuple[int, ...]) -> Hashes:
    """Bytes, eight at a time, after their count."""
    _, offset_buffer, data = column.buffers()
    if offset_buffer is None or not len(column):
        return np.zeros(len(column), dtype=np.uint64)
    offsets = np.frombuffer(offset_buffer, dtype=kind)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    begins, sizes = offsets[:-1], np.diff(offsets)
    if column.null_count:
        # Bytes under a null are ignored.
        sizes = np.where(_is_null(column), 0, sizes)
    words = _aligned(data, offsets[0], offsets[-1])
    # From the longest to the shortest: texts that are not at their end yet always come first.
    counts = (sizes + 7) >> 3
    # Numbers of 16 bits are sorted in one pass.
    order = np.argsort(counts.astype(np.uint16) if counts.max() < 1 << 16 else counts, kind="stable")[::-1]
    begins, sizes, counts = begins[order] - (offsets[0] & ~7), sizes[order], counts[order]
    ends = np.searchsorted(-counts, -np.arange(counts[0] + 1)).tolist()
    hashes = mix(sizes.astype(np.uint64) + _per_seed(seeds))
    place = begins >> 3
    shift = ((begins & 7) << 3).view(np.uint64)
    rest = np.uint64(63) - shift
    unused = ((-sizes & 7) << 3).view(np.uint64)
    low = words[place]
    for step, count in enumerate(ends[:-1]):
        # The number of texts with more than 8 * step bytes.
        high = words[step + 1 :][place[:count]]
        word = low[:count] >> shift[:count]
        # A shift by 64 is undefined, so that the bytes of the next word move in two steps.
        word |= (high << _ONE) << rest[:count]
        last = slice(ends[step + 1], count)
        word[last] &= _ALL >> unused[last]
        _step(hashes[:, :count], word)
        low = high
    result = np.empty_like(hashes)
    result[:, order] = hashes
    return result


def _aligned(data: pa.Buffer | None, begin: int, end: int) -> Hashes:
    """The words from the one of byte ``begin`` to the one after byte ``end``, padded."""
    size = 0 if data is None else data.size
    first = begin >> 3
    needed = (end >> 3) + 2 - first
    if data is not None and data.address % 8 == 0 and (first + needed) * 8 <= size:
        return np.frombuffer(data, dtype=np.uint64, count=needed, offset=first * 8)
    words = np.zeros(needed, dtype=np.uint64)
    if data is not None:
        chunk = np.frombuffer(data, dtype=np.uint8)[first * 8 : min(size, (first + needed) * 8)]
        words.view(np.uint8)[: len(chunk)] = chunk
    return words


def _lists(column: pa.ListArray, seeds: tuple[int, ...]) -> Hashes:
    """The elements in their order, after their count."""
    elements = _value_hashes(column.flatten(), seeds)
    sizes = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum(sizes)
    if elements.shape[1]:
        place = np.arange(elements.shape[1], dtype=np.int64) - np.repeat(ends - sizes, sizes)
        elements = mix(elements + mix(place.astype(np.uint64) * np.uint64(_GOLDEN) + _per_seed(seeds)))
    # Sums modulo 2^64: a list's sum is the difference of two running sums.
    sums = np.pad(np.cumsum(elements, axis=1, dtype=np.uint64), ((0, 0), (1, 0)))
    return mix(sums[:, ends] - sums[:, ends - sizes] + mix(sizes.astype(np.uint64) + _per_seed(seeds)))

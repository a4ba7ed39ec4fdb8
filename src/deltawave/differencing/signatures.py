"""Compressed rows of a snapshot: keys and hashes (LG96 3.1, the file f1 of SMC1 and PHC1), in segments, and compared.

Rows are placed by the hash of their key: segment i of n holds the i-th of n equal parts of all hashes. So equal keys of
two snapshots are in the same segment, and in sorted hashes the rows of a segment lie next to each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.rows.batches import Mask, Places, combined
from deltawave.rows.hashing import Hashes, hashes_by_seeds, places_of, row_hashes

Checks = npt.NDArray[np.uint32]

# Keys that are gathered, sorted and written at a time; several copies of them are in memory meanwhile.
_GATHERED_KEY_BYTES = 1 << 25
# The fields of a compressed row besides its key.
_HASHES = ("key_hash", "key_check", "row_hash", "row_check")

# Another hash is in deltawave.meshjoin.relation: seed 4.
_KEY_SEEDS, _ROW_SEEDS = (1, 2), (3, 5)


@dataclass(frozen=True, eq=False)
class Signatures:
    """The compressed rows of one segment.

    - ``key_hash``, ``key_check``: 64 and 32 bits of the key; keys are equal if both are, except for one pair of keys in
      2^96
    - ``row_hash``, ``row_check``: 128 bits of key and compared columns
    - ``keys``: the key's columns
    """

    key_hash: Hashes
    key_check: Checks
    row_hash: Hashes
    row_check: Hashes
    keys: pa.RecordBatch

    @classmethod
    def of(cls, keys: pa.RecordBatch, compared: Sequence[pa.Array]) -> Signatures:
        """Compress rows that have these keys and compared columns."""
        count = keys.num_rows
        key_hash, key_check = hashes_by_seeds(keys.columns, _KEY_SEEDS, count)
        row_hash, row_check = hashes_by_seeds([*keys.columns, *compared], _ROW_SEEDS, count)
        return cls(key_hash, key_check.astype(np.uint32), row_hash, row_check, keys)

    @classmethod
    def concat(cls, parts: Sequence[Signatures]) -> Signatures:
        """The rows of one or more parts."""
        if len(parts) == 1:
            return parts[0]
        message = (
            "The keys of one segment take more than 2 GB. A segment has about half a million rows, however wide their "
            "keys are: take a shorter unique_key, such as a hash of these columns, or a strategy or algorithm that "
            "joins (outer_join, sort_merge)."
        )
        hashes = zip(*(part._hashes() for part in parts), strict=True)
        return cls._made(map(np.concatenate, hashes), combined([part.keys for part in parts], message))

    @classmethod
    def from_bytes(cls, data: bytes | pa.Buffer) -> Signatures:
        """Read the result of ``to_bytes``."""
        batch = pa.ipc.open_stream(data).read_next_batch()
        hashes, keys = batch.columns[: len(_HASHES)], batch.columns[len(_HASHES) :]
        names = batch.schema.names[len(_HASHES) :]
        return cls._made((each.to_numpy() for each in hashes), pa.RecordBatch.from_arrays(keys, names))

    def to_bytes(self) -> bytes:
        """An Arrow stream of one record batch."""
        hashes = [pa.array(each) for each in self._hashes()]
        names = [*_HASHES, *self.keys.schema.names]
        batch = pa.RecordBatch.from_arrays([*hashes, *self.keys.columns], names)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.key_hash)

    @classmethod
    def _made(cls, hashes: Iterable[npt.NDArray[Any]], keys: pa.RecordBatch) -> Signatures:
        key_hash, key_check, row_hash, row_check = hashes
        return cls(key_hash, key_check, row_hash, row_check, keys)

    def _hashes(self) -> list[npt.NDArray[Any]]:
        return [getattr(self, name) for name in _HASHES]

    def row_digests(self) -> pa.Array:
        """The 128 bits of each row as a binary value."""
        words = np.stack([self.row_hash, self.row_check], axis=1)
        return pa.Array.from_buffers(pa.binary(16), len(self), [None, pa.py_buffer(words)]).cast(pa.binary())

    def is_same(self, places: Places, other: Signatures, other_places: Places) -> Mask:
        """Whether the rows at these places have the hashes of the other snapshot's rows at those places."""
        is_same: Mask = self.row_hash[places] == other.row_hash[other_places]
        is_same &= self.row_check[places] == other.row_check[other_places]
        return is_same

    def take(self, places: Places) -> Signatures:
        """The rows at these places, in this order."""
        return self._made((each[places] for each in self._hashes()), self.keys.take(pa.array(places)))

    def slice(self, begin: int, end: int) -> Signatures:
        """The rows from ``begin`` until ``end``, without a copy."""
        return self._made((each[begin:end] for each in self._hashes()), self.keys.slice(begin, end - begin))

    def sorted(self, are_runs: bool = False) -> Signatures:
        """The rows in the order of the key's hash. ``are_runs``: they are a few sorted parts, which are merged."""
        if np.all(self.key_hash[:-1] <= self.key_hash[1:]):
            return self
        return self.take(np.argsort(self.key_hash, kind="stable" if are_runs else "quicksort"))

    def segments(self, count: int) -> Iterator[tuple[int, Signatures]]:
        """These sorted rows, split into those of ``count`` segments that have any."""
        if len(self):
            bounds = np.searchsorted(segment_of(self.key_hash, count), np.arange(count + 1))
            for segment in np.flatnonzero(np.diff(bounds)).tolist():
                yield segment, self.slice(int(bounds[segment]), int(bounds[segment + 1]))


def key_hashes(keys: Sequence[pa.Array]) -> Hashes:
    """The first of the two hashes of keys with these columns."""
    return row_hashes(keys, _KEY_SEEDS[0])


def segment_of(hashes: Hashes, count: int) -> npt.NDArray[np.int64]:
    """In which of ``count`` segments these hashes lie."""
    return placed(hashes, count)[0]


def placed(hashes: Hashes, count: int) -> tuple[npt.NDArray[np.int64], Hashes]:
    """In which of ``count`` segments these hashes lie, and how far inside, as a fraction of 2^32."""
    scaled = (hashes >> np.uint64(32)) * np.uint64(count)
    return (scaled >> np.uint64(32)).astype(np.int64), scaled & np.uint64(0xFFFFFFFF)


def gathered(batches: Iterable[tuple[int, Signatures]], rows: int) -> Iterator[tuple[int, Signatures]]:
    """The same rows, sorted within each kind, in few parts of about ``rows`` rows; of fewer if their keys are wide."""
    waiting: defaultdict[int, list[Signatures]] = defaultdict(list)
    count = size = 0
    for kind, batch in batches:
        if len(batch):
            waiting[kind].append(batch)
            count, size = count + len(batch), size + batch.keys.nbytes
        if count >= rows or size >= _GATHERED_KEY_BYTES:
            yield from _joined(waiting)
            waiting.clear()
            count = size = 0
    yield from _joined(waiting)


def _joined(waiting: Mapping[int, Sequence[Signatures]]) -> Iterator[tuple[int, Signatures]]:
    for kind, parts in waiting.items():
        yield kind, Signatures.concat(parts).sorted()


@dataclass(frozen=True, eq=False)
class Differences:
    """Keys whose rows differ between two compressed snapshots, by the places of their rows.

    - ``deleted``: places of old rows whose key the new snapshot lacks
    - ``upserted``: places of new rows; for a duplicate key, which always differs, the first
    - ``previous``: the old row of each upserted key, -1 if there is none
    - ``is_repeated``: whether the new snapshot has several rows of the key
    """

    deleted: Places
    upserted: Places
    previous: Places
    is_repeated: Mask


def differences(old: Signatures, new: Signatures, are_sorted: bool = True) -> Differences:
    """Compare two segments by merging them if they ``are_sorted``, otherwise by a hash table. Old keys are unique."""
    previous = key_places(new.key_hash, new.key_check, old.key_hash, old.key_check, are_sorted)
    is_matched = previous >= 0
    is_deleted = np.ones(len(old), dtype=bool)
    is_deleted[previous[is_matched]] = False
    differs = ~is_matched
    differs[is_matched] = ~new.is_same(np.flatnonzero(is_matched), old, previous[is_matched])
    is_repeated = np.zeros(len(new), dtype=bool)
    for first, *others in _places_of_shared_hashes(new, are_sorted):
        if others:
            differs[[first, *others]] = [True, *(False for _ in others)]
            is_repeated[first] = True
    upserted = np.flatnonzero(differs)
    return Differences(np.flatnonzero(is_deleted), upserted, previous[upserted], is_repeated[upserted])


def key_places(
    hashes: Hashes, checks: Checks, table_hashes: Hashes, table_checks: Checks, is_sorted: bool = True
) -> Places:
    """The first place of each key in a table of keys, -1 where it is not there. ``is_sorted``: the table, by hash."""
    places = sorted_places(hashes, table_hashes) if is_sorted else places_of(hashes, table_hashes)
    found = np.flatnonzero(places >= 0)
    for at in found[table_checks[places[found]] != checks[found]].tolist():
        # Another key has the same hash.
        own = np.flatnonzero((table_hashes == hashes[at]) & (table_checks == checks[at]))
        places[at] = own[0] if len(own) else -1
    return places


def patched(kept: Signatures, upserted: Signatures | None, removed: Signatures | None) -> Signatures:
    """The compressed snapshot after later changes: inserted or updated rows, and deleted keys; sorted."""
    changed = [part for part in (upserted, removed) if part is not None and len(part)]
    if changed:
        others = Signatures.concat(changed).sorted(are_runs=True)
        is_changed = key_places(kept.key_hash, kept.key_check, others.key_hash, others.key_check) >= 0
        kept = kept.take(np.flatnonzero(~is_changed))
    parts = [part for part in (kept, upserted) if part is not None and len(part)]
    return Signatures.concat(parts).sorted(are_runs=True) if parts else kept


def sorted_places(hashes: Hashes, table: Hashes) -> Places:
    """The first place of each hash in a sorted table, -1 where it is not there."""
    if not len(table):
        return np.full(len(hashes), -1, dtype=np.intp)
    places = np.minimum(np.searchsorted(table, hashes), len(table) - 1)
    return np.where(table[places] == hashes, places, -1)


def _places_of_shared_hashes(rows: Signatures, are_sorted: bool) -> list[list[int]]:
    """The places of each key, for keys whose hash several rows have."""
    hashes = rows.key_hash if are_sorted else np.sort(rows.key_hash)
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for at in np.flatnonzero(np.isin(rows.key_hash, hashes[1:][hashes[1:] == hashes[:-1]])).tolist():
        places[int(rows.key_hash[at]), int(rows.key_check[at])].append(at)
    return list(places.values())

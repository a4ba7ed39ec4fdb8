"""The rows that differ, fetched from files by the hashes of their keys: the second reading of SMC1 (LG96 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.differencing.batches import plain
from deltawave.differencing.compression import signatures
from deltawave.differencing.hashing import Hashes
from deltawave.differencing.in_place import Batches, ChangedFileError
from deltawave.differencing.signatures import Checks, Places, Signatures, key_hashes

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Wanted:
    """Compressed rows that differ.

    - ``key_hash``, ``key_check``, ``row_hash``: as of :class:`~deltawave.differencing.signatures.Signatures`
    - ``was_kept``: whether the kept snapshot has the key
    - ``is_repeated``: whether several rows have the key; then all of them are wanted
    """

    key_hash: Hashes
    key_check: Checks
    row_hash: Hashes
    was_kept: Mask
    is_repeated: Mask

    @classmethod
    def of(cls, candidates: pa.Table) -> Wanted:
        """From the columns of the same names, which Spark holds as signed integers."""
        hashes = (candidates.column(name).to_numpy().view(np.uint64) for name in ("key_hash", "row_hash"))
        key_hash, row_hash = hashes
        flags = (np.asarray(candidates.column(name)) for name in ("was_kept", "is_repeated"))
        check = candidates.column("key_check").to_numpy().astype(np.uint32)
        order = np.argsort(key_hash)
        return cls(*(cells[order] for cells in (key_hash, check, row_hash, *flags)))

    def match(self, rows: Signatures) -> tuple[Places, Places]:
        """The places of wanted rows, and for each the place of its entry here.

        Raises ``ChangedFileError`` for a row of a wanted key that has another hash than before.
        """
        first = np.searchsorted(self.key_hash, rows.key_hash, "left")
        count = np.searchsorted(self.key_hash, rows.key_hash, "right") - first
        at, places = np.flatnonzero(count == 1), first[count == 1]
        for row in np.flatnonzero(count > 1).tolist():
            # Other keys with the same hash.
            own = np.arange(first[row], first[row] + count[row])
            own = own[self.key_check[own] == rows.key_check[row]][:1]
            at, places = np.append(at, np.full(len(own), row)), np.append(places, own)
        is_key = self.key_check[places] == rows.key_check[at]
        at, places = at[is_key], places[is_key]
        if bool(np.any(~self.is_repeated[places] & (self.row_hash[places] != rows.row_hash[at]))):
            raise ChangedFileError("A file was changed while it was compared. Run again when it is complete.")
        return at, places


class _Sieve:
    """Finds quickly which hashes occur in a sorted array of others."""

    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes
        bits = max(8, (8 * len(hashes)).bit_length())
        self._shift = np.uint64(64 - bits)
        self._is_near = np.zeros(1 << bits, dtype=bool)
        self._is_near[(hashes >> self._shift).view(np.int64)] = True

    def places(self, hashes: Hashes) -> Places:
        """The places of the hashes that occur there."""
        near = np.flatnonzero(self._is_near[(hashes >> self._shift).view(np.int64)])
        found = np.searchsorted(self._hashes, hashes[near])
        is_found = self._hashes[np.minimum(found, len(self._hashes) - 1)] == hashes[near]
        return near[is_found] if len(self._hashes) else near[:0]


class Fetch:
    """The work of a task: it passes on the wanted rows among those that it reads."""

    def __init__(self, wanted: Wanted, cells_at: Sequence[int], keys: int, fetched: pa.Schema) -> None:
        self._wanted, self._cells_at, self._keys, self._fetched = wanted, list(cells_at), keys, fetched

    def __call__(self, batches: Batches) -> Batches:
        width = len(self._fetched) - 2
        sieve = _Sieve(self._wanted.key_hash)
        for batch in batches:
            near = sieve.places(key_hashes([batch.column(at) for at in self._cells_at[: self._keys]]))
            if not len(near):
                continue
            rows = batch.take(pa.array(near))
            at, places = self._wanted.match(signatures([rows.column(cell) for cell in self._cells_at], self._keys))
            if len(at):
                cells = [plain(cell) for cell in rows.take(pa.array(at)).columns[:width]]
                flags = [pa.array(self._wanted.was_kept[places]), pa.array(np.ones(len(at), dtype=bool))]
                typed = [cell.cast(field.type) for cell, field in zip([*cells, *flags], self._fetched, strict=True)]
                yield pa.RecordBatch.from_arrays(typed, self._fetched.names)

"""The rows that differ, fetched from files by the hashes of their keys: the second reading of SMC1 (LG96 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltawave.differencing.batches import Batches, Mask, Places, flags, typed
from deltawave.differencing.compression import signatures
from deltawave.differencing.hashing import Hashes
from deltawave.differencing.in_place import ChangedFileError
from deltawave.differencing.merging import key_places
from deltawave.differencing.signatures import Checks, Signatures, key_hashes


@dataclass(frozen=True, eq=False)
class Wanted:
    """Compressed rows that differ.

    - ``key_hash``, ``key_check``, ``row_digest``: as of :class:`~deltawave.differencing.signatures.Signatures`
    - ``was_kept``: whether the kept snapshot has the key
    - ``is_repeated``: whether several rows have the key; then all of them are wanted
    """

    key_hash: Hashes
    key_check: Checks
    row_digest: pa.Array
    was_kept: Mask
    is_repeated: Mask

    @classmethod
    def of(cls, candidates: pa.Table) -> Wanted:
        """From the columns of the same names, which Spark holds as signed integers."""
        names = ("key_hash", "key_check", "was_kept", "is_repeated")
        key_hash, check, *marks = (np.asarray(candidates.column(name)) for name in names)
        key_hash = key_hash.view(np.uint64)
        order = np.argsort(key_hash)
        key_hash, check, *marks = (cells[order] for cells in (key_hash, check.astype(np.uint32), *marks))
        return cls(key_hash, check, candidates.column("row_digest").combine_chunks().take(pa.array(order)), *marks)

    def match(self, rows: Signatures) -> tuple[Places, Places]:
        """The places of wanted rows, and for each the place of its entry here.

        Raises ``ChangedFileError`` for a row of a wanted key that has another hash than before.
        """
        places = key_places(rows.key_hash, rows.key_check, self.key_hash, self.key_check)
        at = np.flatnonzero(places >= 0)
        places = places[at]
        is_other = pc.not_equal(self.row_digest.take(pa.array(places)), rows.row_digests().take(pa.array(at)))
        if bool(np.any(~self.is_repeated[places] & is_other.to_numpy(zero_copy_only=False))):
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


@dataclass(frozen=True)
class Fetch:
    """The work of a task: it passes on the wanted rows among those that it reads."""

    wanted: Wanted
    cells_at: Sequence[int]
    keys: int
    fetched: pa.Schema

    def __call__(self, batches: Batches) -> Batches:
        sieve = _Sieve(self.wanted.key_hash)
        for batch in batches:
            near = sieve.places(key_hashes([batch.column(at) for at in self.cells_at[: self.keys]]))
            if not len(near):
                continue
            rows = batch.take(pa.array(near))
            at, places = self.wanted.match(signatures([rows.column(cell) for cell in self.cells_at], self.keys))
            if len(at):
                cells = rows.take(pa.array(at)).columns[: len(self.fetched) - 2]
                yield typed([*cells, pa.array(self.wanted.was_kept[places]), flags(True, len(at))], self.fetched)

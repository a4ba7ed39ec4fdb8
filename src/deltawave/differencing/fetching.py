"""The rows that differ, fetched from files by the hashes of their keys: the second reading of SMC1 (LG96 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from deltawave.differencing.batches import Batches, Mask, Places, flags, typed
from deltawave.differencing.compression import signatures
from deltawave.differencing.hashing import Hashes
from deltawave.differencing.in_place import ChangedFileError
from deltawave.differencing.merging import key_places, sorted_places
from deltawave.differencing.signatures import Checks, Signatures, key_hashes


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
        names = ("key_hash", "key_check", "row_hash", "was_kept", "is_repeated")
        key_hash, check, row_hash, *marks = (np.asarray(candidates.column(name)) for name in names)
        key_hash, row_hash = key_hash.view(np.uint64), row_hash.view(np.uint64)
        order = np.argsort(key_hash)
        return cls(*(cells[order] for cells in (key_hash, check.astype(np.uint32), row_hash, *marks)))

    def match(self, rows: Signatures) -> tuple[Places, Places]:
        """The places of wanted rows, and for each the place of its entry here.

        Raises ``ChangedFileError`` for a row of a wanted key that has another hash than before.
        """
        places = key_places(rows.key_hash, rows.key_check, self.key_hash, self.key_check)
        at = np.flatnonzero(places >= 0)
        places = places[at]
        if bool(np.any(~self.is_repeated[places] & (self.row_hash[places] != rows.row_hash[at]))):
            raise ChangedFileError("A file was changed while it was compared. Run again when it is complete.")
        return at, places


def fetched(wanted: Wanted, cells_at: Sequence[int], keys: int, schema: pa.Schema, batches: Batches) -> Batches:
    """The wanted rows among those that a task reads.

    ``cells_at``: the columns of key and compared values, the first ``keys`` of which are the key.
    """
    for batch in batches:
        hashes = key_hashes([batch.column(at) for at in cells_at[:keys]])
        near = np.flatnonzero(sorted_places(hashes, wanted.key_hash) >= 0)
        if not len(near):
            continue
        rows = batch.take(pa.array(near))
        at, places = wanted.match(signatures([rows.column(cell) for cell in cells_at], keys))
        if len(at):
            cells = rows.take(pa.array(at)).columns[: len(schema) - 2]
            yield typed([*cells, pa.array(wanted.was_kept[places]), flags(True, len(at))], schema)

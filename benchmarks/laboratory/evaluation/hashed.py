"""Snapshots and messages as hashes, in the form (K, B) of LG96 1.1: 16 bytes per row, whatever its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltawave.differencing.signatures import key_hashes
from deltawave.rows.hashing import Hashes, row_hashes

Kinds = npt.NDArray[np.int8]

# As in the column change_type of a delta.
KINDS = ("delete", "insert", "update")
DELETE, INSERT, UPDATE = range(3)

_VALUES_SEED = 5


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The rows of a snapshot: a hash of each key, and one of its values.

    Raises ``ValueError`` if two rows have one key.
    """

    keys: Hashes
    values: Hashes

    def __post_init__(self) -> None:
        if len(np.unique(self.keys)) < len(self.keys):
            raise ValueError("Snapshot: several rows have the same key.")

    @classmethod
    def of(
        cls, batches: Iterable[pa.RecordBatch], unique_key: Sequence[str], columns: Sequence[str] | None = None
    ) -> Snapshot:
        """Hash the rows of record batches. ``columns``: the values; by default all columns outside the key.

        Two keys or values have the same hash with a probability of 2^-64. Null, NaN and -0.0 equal null, NaN and 0.0.
        Raises ``ValueError`` if a column is missing, or a key occurs twice.
        """
        parts = [_hashed(batch, unique_key, columns) for batch in batches]
        return cls(_joined([keys for keys, _ in parts]), _joined([values for _, values in parts]))

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, eq=False)
class Messages:
    """Modifications, in the order in which a warehouse gets them: kinds, keys, and the values of inserts and updates.

    ``kinds`` holds ``DELETE``, ``INSERT`` and ``UPDATE``. The value of a delete means nothing.
    """

    kinds: Kinds
    keys: Hashes
    values: Hashes

    @classmethod
    def of(
        cls, batches: Iterable[pa.RecordBatch], unique_key: Sequence[str], columns: Sequence[str] | None = None
    ) -> Messages:
        """Hash the rows of a delta: their kind is in ``change_type``, as in ``snapshot_differential``'s result.

        ``columns``: the values, as for the snapshots; by default all columns but the key and ``change_type``.
        Raises ``ValueError`` if a column is missing, or a row is of no kind.
        """
        kinds, parts = [], []
        for batch in batches:
            if "change_type" not in batch.schema.names:
                raise ValueError("Messages: the column change_type is missing.")
            places = pc.index_in(batch.column("change_type").cast(pa.string()), value_set=pa.array(KINDS))
            if places.null_count:
                raise ValueError(f"Messages: change_type has values other than {', '.join(KINDS)}.")
            kinds.append(places.to_numpy().astype(np.int8))
            own = [name for name in batch.schema.names if name not in (*unique_key, "change_type")]
            parts.append(_hashed(batch, unique_key, own if columns is None else columns))
        return cls(
            np.concatenate([np.empty(0, dtype=np.int8), *kinds]),
            _joined([keys for keys, _ in parts]),
            _joined([values for _, values in parts]),
        )

    def __len__(self) -> int:
        return len(self.kinds)

    def take(self, places: npt.NDArray[np.intp]) -> Messages:
        """The messages at these places, in this order."""
        return Messages(self.kinds[places], self.keys[places], self.values[places])

    def deletes_first(self) -> Messages:
        """The same messages, all deletes before the others: so no useless insert-delete pair is left (LG96 1.1)."""
        return self.take(np.argsort(self.kinds != DELETE, kind="stable"))


def _hashed(batch: pa.RecordBatch, unique_key: Sequence[str], columns: Sequence[str] | None) -> tuple[Hashes, Hashes]:
    names = batch.schema.names
    values = [name for name in names if name not in unique_key] if columns is None else columns
    if missing := [name for name in (*unique_key, *values) if name not in names]:
        raise ValueError(f"There is no column {', '.join(missing)}: they are {', '.join(names)}.")
    # By name: columns of messages need not be in the snapshots' order.
    cells = [batch.column(name) for name in sorted(values)]
    return (
        key_hashes([batch.column(name) for name in unique_key]),
        row_hashes(cells, _VALUES_SEED, rows=batch.num_rows),
    )


def _joined(parts: list[Hashes]) -> Hashes:
    return np.concatenate([np.empty(0, dtype=np.uint64), *parts])

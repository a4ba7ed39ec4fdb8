"""The parameters of two snapshots in the cost formulas of LG95 and LG96, and the sizes that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class SnapshotPair:
    """Two snapshots that are compared; the defaults are those of LG96 Figure 5, its smaller file.

    - ``old_bytes``, ``new_bytes``: |F1| and |F2|, bytes of the earlier and of the later snapshot
    - ``record_bytes``: R, bytes of a record
    - ``block_bytes``: B, bytes that one I/O moves
    - ``memory_bytes``: M, bytes of main memory
    - ``hash_factor``: u of the format (key, hash), how many times smaller than a record its compressed form is
    - ``pointer_factor``: u of the format (key, hash, pointer)
    - ``insert_fraction``, ``update_fraction``: I and U, records of the later snapshot that were inserted or updated,
      as shares, 0 to 1; the paper's 1 % is their sum

    LG95 has one factor u, that of the form which the scenario needs: set both to it. Raises ``ValueError`` for an
    impossible size or share.
    """

    old_bytes: float = 256 * 2**20
    new_bytes: float = 256 * 2**20
    record_bytes: float = 150
    block_bytes: float = 16 * 2**10
    memory_bytes: float = 32 * 2**20
    hash_factor: float = 15
    pointer_factor: float = 10
    insert_fraction: float = 0.005
    update_fraction: float = 0.005

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("_fraction"):
                if not 0 <= value <= 1:
                    raise ValueError(f"SnapshotPair: {field.name} can't be {value!r}; it takes a number from 0 to 1.")
            elif field.name.endswith("_factor"):
                if not value >= 1:
                    raise ValueError(f"SnapshotPair: {field.name} can't be {value!r}; it takes a number from 1.")
            elif field.name in ("old_bytes", "new_bytes"):
                if not value >= 0:
                    raise ValueError(f"SnapshotPair: {field.name} can't be {value!r}; it takes a number from 0.")
            elif not value > 0:
                raise ValueError(f"SnapshotPair: {field.name} can't be {value!r}; it takes a number above 0.")
        if self.insert_fraction + self.update_fraction > 1:
            raise ValueError("SnapshotPair: more records are inserted and updated than there are.")

    @property
    def old_blocks(self) -> float:
        """|F1|, or B(F1): blocks of the earlier snapshot."""
        return self.old_bytes / self.block_bytes

    @property
    def new_blocks(self) -> float:
        """|F2|, or B(F2): blocks of the later snapshot."""
        return self.new_bytes / self.block_bytes

    @property
    def memory_blocks(self) -> float:
        """|M|, or B(M): blocks of main memory."""
        return self.memory_bytes / self.block_bytes

    @property
    def old_records(self) -> float:
        """R(F1): records of the earlier snapshot."""
        return self.old_bytes / self.record_bytes

    @property
    def new_records(self) -> float:
        """R(F2): records of the later snapshot."""
        return self.new_bytes / self.record_bytes

    @property
    def inserts(self) -> float:
        """I: inserted records."""
        return self.insert_fraction * self.new_records

    @property
    def updates(self) -> float:
        """U: updated records."""
        return self.update_fraction * self.new_records

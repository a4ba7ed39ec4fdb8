"""The parameters of a table in CH98's cost formulas: its Table 2, and the sizes that follow from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class SourceTable:
    """A table whose changes are wanted; the defaults are those of CH98 Table 2.

    The table's own size is not given but follows: N is 1,000 pages, since 10 whole tuples of 200 bytes go on a page.

    - ``rows``: X, tuples in the base relation
    - ``row_bytes``: T, bytes of a tuple, including its key
    - ``key_bytes``: K, bytes of the key
    - ``compared_fraction``: share of a tuple's other bytes that is compared, 0 to 1, which gives F; .3 leads to
      Table 2's M of .3 N
    - ``page_bytes``: P, bytes of a page
    - ``flag_bytes``: A, bytes that timestamp and delete flag add to a tuple
    - ``applicable_fraction``: R, share of the rows that is compared, 0 to 1
    - ``change_fraction``: delta, share of the rows that change between two comparisons, 0 to 1; printed A too
    - ``relations``: Z, relations that the view of VBD joins
    - ``index_height``: pages from an index' root to its leaves; K, again

    The paper uses these without a line in Table 2:

    - ``tuple_id_bytes``: size(tid), bytes of an index' pointer to a tuple; 4 in INGRES
    - ``checksum_bytes``: bytes of a tuple's checksum (3.3)
    - ``pages_per_range``: pages that a key range spans (3.5)
    - ``has_flags``: the tuples hold timestamp and flag already, so that S is N. Ours: the paper always adds them

    Raises ``ValueError`` for an impossible size or share.
    """

    rows: int = 10_000
    row_bytes: float = 200
    key_bytes: float = 8
    compared_fraction: float = 0.3
    page_bytes: int = 2048
    flag_bytes: int = 13
    applicable_fraction: float = 1.0
    change_fraction: float = 0.01
    relations: int = 4
    index_height: int = 3
    tuple_id_bytes: int = 4
    checksum_bytes: int = 8
    pages_per_range: int = 10
    has_flags: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("_fraction"):
                if not 0 <= value <= 1:
                    raise ValueError(f"SourceTable: {field.name} can't be {value!r}; it takes a number from 0 to 1.")
            elif field.name == "rows":
                if value < 0:
                    raise ValueError(f"SourceTable: rows can't be {value!r}; it takes a number from 0.")
            elif field.name != "has_flags" and value <= 0:
                raise ValueError(f"SourceTable: {field.name} can't be {value!r}; it takes a number above 0.")
        if self.key_bytes > self.row_bytes:
            raise ValueError(f"SourceTable: key_bytes can't be {self.key_bytes!r}; a row has {self.row_bytes!r} bytes.")

    def pages_of(self, rows: float, row_bytes: float) -> int:
        """Pages for rows of a given size: whole rows on a page, or whole pages per row if it is longer than a page."""
        if row_bytes > self.page_bytes:
            return math.ceil(rows * -(-row_bytes // self.page_bytes))
        return int(-(-rows // (self.page_bytes // row_bytes)))

    @property
    def pages(self) -> int:
        """N: pages of the base relation (Table 2)."""
        return self.pages_of(self.rows, self.row_bytes)

    @property
    def compared_bytes(self) -> float:
        """F: bytes of a tuple's compared attributes, without its key (Table 2)."""
        return self.compared_fraction * (self.row_bytes - self.key_bytes)

    @property
    def applicable_rows(self) -> float:
        """Y: tuples of the projected copy (Table 1)."""
        return self.applicable_fraction * self.rows

    @property
    def augmented_pages(self) -> int:
        """S: pages of the base relation with timestamp and flag (Table 2), S = X / (P / (T + A))."""
        return self.pages_of(self.rows, self.row_bytes + (0 if self.has_flags else self.flag_bytes))

    @property
    def copy_pages(self) -> int:
        """M, or W: pages of the kept copy, restricted to key and compared attributes (Table 2), Y / (P / (K + F))."""
        return self.pages_of(self.applicable_rows, self.key_bytes + self.compared_bytes)

    @property
    def index_pages(self) -> int:
        """I: pages of the secondary index on timestamp and flag (Table 2), X / (P / (A + size(tid)))."""
        return self.pages_of(self.rows, self.flag_bytes + self.tuple_id_bytes)

    @property
    def covering_index_pages(self) -> int:
        """I of ATDI: pages of the index that holds the key and the compared attributes too (Figures 5 and 6)."""
        return 1 + self.pages_of(
            self.rows, self.flag_bytes + self.tuple_id_bytes + self.key_bytes + self.compared_bytes
        )

    @property
    def checksum_pages(self) -> int:
        """Pages of a table of keys and checksums, kept alongside the base relation (3.3)."""
        return self.pages_of(self.applicable_rows, self.key_bytes + self.checksum_bytes)

    @property
    def ranges(self) -> int:
        """Key ranges that the table falls into (3.5)."""
        return math.ceil(self.pages / self.pages_per_range)

    @property
    def auxiliary_pages(self) -> int:
        """Pages of the auxiliary table, two keys and a counter of 4 bytes per range (3.5)."""
        return self.pages_of(self.ranges, 2 * self.key_bytes + 4)

    @property
    def view_pages(self) -> float:
        """Pages of the view of VBD: the compared share of the attributes of all its relations (4)."""
        return self.compared_fraction * self.relations * self.pages

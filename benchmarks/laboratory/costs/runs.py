"""Pages that a run of a strategy reads and writes: CH98's formulas, and what they leave out.

Functions as in :mod:`~laboratory.costs.query_based`, but a run also writes its state and reads it again, and takes
before images from its log. docs/benchmarks.md has what was measured.
"""

from __future__ import annotations

from dataclasses import replace

from laboratory.costs import query_based
from laboratory.costs.source_table import SourceTable

# Bytes of a row's hashes, which come with its key: of the key and of the row, each with its check.
HASH_BYTES = 28
# Of the key's hash and the row's checksum.
CHECKSUM_BYTES = 24


def whole_dump(table: SourceTable) -> float:
    """The dump is copied, and the copy is compared with the last one. N + 3 M."""
    return table.pages + 3 * table.copy_pages


def union(table: SourceTable) -> float:
    """Figure 1, and the copy that is written. 3 (N + M) + M."""
    return query_based.qda(table) + table.copy_pages


def row_checksum(table: SourceTable) -> float:
    """The table twice, the log, keys and checksums. 2 N + M and these."""
    return 2 * table.pages + table.copy_pages + _kept_pages(table, CHECKSUM_BYTES)


def hashes_probed(table: SourceTable) -> float:
    """PHC1 of LG96 as a strategy of slices: the table once, the log, keys and hashes. N + M and these."""
    return table.pages + table.copy_pages + _kept_pages(table, HASH_BYTES)


def ranges(table: SourceTable, count: int) -> float:
    """One rotation through so many ranges: as a whole dump, and the auxiliary table."""
    return whole_dump(table) + _bounds_pages(table, count)


def range_checksum(table: SourceTable, count: int, clustered: bool = False) -> float:
    """The table for the sums, and those of so many ranges that hold a change as a whole dump of these."""
    changed = query_based.changed_ranges(table, clustered, count)
    return table.pages + _bounds_pages(table, count) + changed * whole_dump(table)


def _bounds_pages(table: SourceTable, count: int) -> int:
    """Pages of the auxiliary table: two keys and a counter of 4 bytes per range (CH98 3.5)."""
    return table.pages_of(count, 2 * table.key_bytes + 4)


def _kept_pages(table: SourceTable, row_bytes: int) -> int:
    return replace(table, checksum_bytes=row_bytes).checksum_pages

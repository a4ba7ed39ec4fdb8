"""CH98: the costs of finding the changes of a table by queries.

Each function takes a ``SourceTable`` and returns pages read (I/O) for one complete comparison, of
the relation and of its kept copy. docs/costs.md explains how the paper is read where it contradicts itself.
"""

from __future__ import annotations

from laboratory.costs.source_table import SourceTable


def rsbc(table: SourceTable) -> float:
    """Report before comparison: write a sorted file from the relation, then compare files. 6 N (Table 3, 5)."""
    return 6 * table.pages


def pswc(table: SourceTable) -> float:
    """Presorted files or a sliding window, the best of the older algorithms. 2 N (Table 3)."""
    return 2 * table.pages


def mds(table: SourceTable, restriction_indexed: bool = True) -> float:
    """Modified database schema: join the relation with its copy. R N + M (Table 3).

    Without an index on the attributes that restrict the rows, all of the relation is read: N + M (3.1).
    """
    share = table.applicable_fraction if restriction_indexed else 1
    return share * table.pages + table.copy_pages


def mds_by_index(table: SourceTable) -> float:
    """MDS with indexes on the key and on the restriction (3.1's departments). 3 R N + 2 M.

    Updates and deletes read R N + M by the key, inserts 2 R N + M by the index of the restriction.
    """
    return 3 * table.applicable_fraction * table.pages + 2 * table.copy_pages


def mds_by_hash(table: SourceTable, key_index_pages: float) -> float:
    """MDS by a hash join with N + 1 pages of memory, and an index of the keys on both sides. R N + M + 2 I (3.1)."""
    return mds(table) + 2 * key_index_pages


def mds_worst_case(table: SourceTable) -> float:
    """MDS without any order: the relation is sorted, then joined with a full copy. 4 N (3.1)."""
    return 4 * table.pages


def qda(table: SourceTable) -> float:
    """MDS as Figure 1 writes it, in three selects. 3 (R N + M).

    Ours: the paper gives no cost for Figure 1. An engine that shares no scans among the selects reads this much.
    """
    return 3 * mds(table)


def ts(table: SourceTable, deletes: bool = False) -> float:
    """Timestamps without an index: scan, then fetch the old tuples. S + delta N (Figure 3).

    If rows are deleted, the whole copy has to be joined to find them: S + M (3.2.1).
    """
    return table.augmented_pages + (table.copy_pages if deletes else table.change_fraction * table.pages)


def tdi_without_index(table: SourceTable) -> float:
    """Timestamps and delete flags without an index. S + delta N (Figure 3)."""
    return ts(table)


def tdi(table: SourceTable) -> float:
    """Timestamps and delete flags by a secondary index. delta (S + N + I) + height (Figure 4)."""
    return table.change_fraction * (table.augmented_pages + table.pages + table.index_pages) + table.index_height


def tdi_worst_case(table: SourceTable) -> float:
    """TDI where relation, copy and index are each searched from their root. delta (S + N + I) + 3 height (Figure 4)."""
    return tdi(table) + 2 * table.index_height


def atdi(table: SourceTable) -> float:
    """Timestamps and delete flags by an index with the compared attributes. delta (I + N) + height (Figure 5)."""
    return table.change_fraction * (table.covering_index_pages + table.pages) + table.index_height


def atdi_projected(table: SourceTable) -> float:
    """ATDI with a copy that is restricted like the index. delta (I + W) + height (Figure 6)."""
    return table.change_fraction * (table.covering_index_pages + table.copy_pages) + table.index_height


def tlcs(table: SourceTable) -> float:
    """Tuple level checksums, kept in the relation itself. N + delta W (3.3)."""
    return table.pages + table.change_fraction * table.copy_pages


def tlcs_beside(table: SourceTable) -> float:
    """Tuple level checksums in a table of keys and checksums, which is joined. N + delta W and that table (3.3)."""
    return tlcs(table) + table.checksum_pages


def incremental(table: SourceTable) -> float:
    """ID, local incremental differencing, one rotation through all ranges. R N + M and the auxiliary table (3.5)."""
    return table.applicable_fraction * table.pages + table.copy_pages + table.auxiliary_pages


def range_checksum(table: SourceTable) -> float:
    """ID/RCS, range checksums. R N + delta M and the auxiliary table (Table 3).

    Its delta M assumes that the changes fill the ranges that they hit; ``runs.range_checksum`` does not.
    """
    changed = table.change_fraction * table.copy_pages
    return table.applicable_fraction * table.pages + table.auxiliary_pages + changed


# Share of the table that takes all changes if keys grow with time: "alpha in this case will typically be 20%" (3.6).
ACTIVE_SHARE = 0.2


def changed_ranges(table: SourceTable, clustered: bool = False, ranges: int | None = None) -> float:
    """Share of the ranges that hold a change, 0 to 1; a remote table sends these (3.6). ``ranges``: else the table's.

    Random changes hit a range of n rows with probability 1 - (1 - delta)^n (3.6 cites Yao for it). Clustered changes
    fall anywhere within a fifth of the table, or within the share that changes, or within one range, if that is more.
    """
    count = ranges or max(table.ranges, 1)
    active = max(ACTIVE_SHARE, table.change_fraction, 1 / count) if clustered else 1.0
    return float(active * (1 - (1 - table.change_fraction / active) ** (table.rows / count)))

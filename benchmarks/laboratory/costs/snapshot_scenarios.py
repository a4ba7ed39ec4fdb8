"""LG95: the general algorithms of its Table 2, and its shortcuts for snapshots that grow, shrink or hardly change.

Each function takes a ``SnapshotPair`` and returns blocks read and written (I/O) as the report
counts them. u is its ``hash_factor``, or ``pointer_factor`` where records hold a pointer.
"""

from __future__ import annotations

import math

from laboratory.costs.snapshot_pair import SnapshotPair


def nested_loop(pair: SnapshotPair) -> float:
    """Nested-loop join, block by block. B(F1) + B(F1) B(F2) (3.1)."""
    return pair.old_blocks + pair.old_blocks * pair.new_blocks


def nested_loop_compressed(pair: SnapshotPair) -> float:
    """The same with a compressed F1. B(F1)/u + B(F2) B(F1)/u + B(F2)/u (4.1).

    Once f1 fits in memory, F2 is read once: B(F1)/u + B(F2) + B(F2)/u.
    """
    old, new = pair.old_blocks / pair.hash_factor, pair.new_blocks / pair.hash_factor
    return old + (1 if old <= pair.memory_blocks else max(1, old)) * pair.new_blocks + new


def merge_join(pair: SnapshotPair) -> float:
    """Merge join with a kept, sorted F1; F2 is sorted in two passes. B(F1) + 4 B(F2) (3.2).

    The text counts the sort alone, without the scan that merges; LG96 3.1 merges runs, at the same cost.
    """
    return pair.old_blocks + 4 * pair.new_blocks


def grace_hash(pair: SnapshotPair) -> float:
    """Grace hash join with kept buckets of F1. B(F1) + 3 B(F2) (3.3)."""
    return pair.old_blocks + 3 * pair.new_blocks


def merge_or_grace_compressed(pair: SnapshotPair) -> float:
    """Merge join or grace hash join with a compressed F1. B(F1)/u + 3 B(F2) + B(F2)/u (4.1)."""
    return (pair.old_blocks + pair.new_blocks) / pair.hash_factor + 3 * pair.new_blocks


def hybrid_hash(pair: SnapshotPair, reuses_buckets: bool = False) -> float:
    """Hybrid hash join, which keeps k of N buckets in memory (3.3, Table 2).

    (B(F1) - k B(F1)/N) + B(F2) + 2 (B(F2) - k B(F2)/N). With ``reuses_buckets`` the last term subtracts 2 k B(F2)/N,
    down to 0: in the best case, matched rows leave room for k further buckets.
    """
    share = buckets_in_memory(pair) / buckets(pair)
    return _hybrid(pair, share, reuses_buckets) + (1 - share) * pair.old_blocks


def hybrid_hash_compressed(pair: SnapshotPair) -> float:
    """Hybrid hash join with a compressed F1, which keeps K > k buckets in memory (4.1).

    (B(F1) - K B(F1)/N)/u + B(F2) + 2 (B(F2) - K B(F2)/N) + B(F2)/u. The report prints K B(F1) N for K B(F1)/N.
    """
    share = buckets_in_memory(pair, pair.hash_factor) / buckets(pair)
    kept = (1 - share) * pair.old_blocks / pair.hash_factor
    return kept + _hybrid(pair, share, reuses_buckets=False) + pair.new_blocks / pair.hash_factor


def buckets(pair: SnapshotPair) -> int:
    """N: buckets for partitioning in two passes, the square root of the larger file's blocks, rounded up (3.3)."""
    return max(1, math.ceil(math.sqrt(max(pair.old_blocks, pair.new_blocks))))


def buckets_in_memory(pair: SnapshotPair, factor: float = 1) -> float:
    """k, or K for rows that are ``factor`` times smaller: buckets that memory holds, 0 to N (3.3, 4.1).

    (B(M) - (N + 1)) / (B(F)/u/N - 1): the memory that is left when each bucket and the input have a block; a bucket
    that is kept gives back its own block.
    """
    count = buckets(pair)
    left = pair.memory_blocks - (count + 1)
    needed = math.ceil(max(pair.old_blocks, pair.new_blocks) / factor) / count - 1
    if needed <= 0:
        return float(count) if left >= 0 else 0.0
    return min(float(count), max(0.0, left / needed))


def _hybrid(pair: SnapshotPair, share: float, reuses_buckets: bool) -> float:
    """F2 is read, and its buckets that have no partner in memory are written and read again."""
    waits = max(0.0, 1 - (2 if reuses_buckets else 1) * share)
    return pair.new_blocks + 2 * waits * pair.new_blocks


def sql(pair: SnapshotPair) -> float:
    """Three selects with ``not exists``, in the worst case. B(F1) B(F2) (3.4, Table 2)."""
    return pair.old_blocks * pair.new_blocks


def text_diff(pair: SnapshotPair, result_blocks: float = 0) -> float:
    """UNIX diff by a longest common subsequence. 2 (B(F1) + B(F2)) log(B(F1) + B(F2)) + 3 B(FOUT) (3.5).

    The last term, ``result_blocks``, filters useless delete-insert pairs out of the result. It falls away for ordered
    dumps (4.5). Ours: the logarithm's base is 2, which the report does not say.
    """
    both = pair.old_blocks + pair.new_blocks
    return 2 * both * math.log2(max(both, 1)) + 3 * result_blocks


def growing(pair: SnapshotPair) -> float:
    """Rows are only inserted: records (key, pointer). B(F1)/u + B(F2) + 2 B(F2)/u + I (4.2)."""
    return _by_pointer(pair) + pair.inserts


def stagnant(pair: SnapshotPair) -> float:
    """Few rows change: records (key, hash, pointer). B(F1)/u + B(F2) + 2 B(F2)/u + I + U (4.3).

    Table 3 prints D + U; a delete needs no record of F2.
    """
    return _by_pointer(pair) + pair.inserts + pair.updates


def stagnant_by_blocks(pair: SnapshotPair, blocks_per_checksum: int = 1) -> float:
    """Few rows are updated, and none come or go: one checksum for ``blocks_per_checksum`` = k blocks (4.3).

    B(F1)^2/(u k R(F1)) + B(F2) + 2 B(F2)^2/(u k R(F2)) + U k.
    """
    scale = pair.pointer_factor * blocks_per_checksum
    old, new = (
        blocks**2 / (scale * rows) if rows else 0.0
        for blocks, rows in ((pair.old_blocks, pair.old_records), (pair.new_blocks, pair.new_records))
    )
    return old + pair.new_blocks + 2 * new + pair.updates * blocks_per_checksum


def shrinking(pair: SnapshotPair) -> float:
    """Rows are only deleted: records of keys alone. B(F1)/u + B(F2) + 2 B(F2)/u (4.4)."""
    return (pair.old_blocks + 2 * pair.new_blocks) / pair.hash_factor + pair.new_blocks


def similar(pair: SnapshotPair) -> float:
    """Rows stay near their places: the window over a compressed F1. B(f1) + B(F2) + B(f2) (4.5)."""
    return (pair.old_blocks + pair.new_blocks) / pair.hash_factor + pair.new_blocks


def _by_pointer(pair: SnapshotPair) -> float:
    return (pair.old_blocks + 2 * pair.new_blocks) / pair.pointer_factor + pair.new_blocks

"""LG96: the costs of finding the differences of two snapshots.

Each function takes a ``SnapshotPair`` and returns blocks read and written (I/O), without those of
the result, which is the same for all. The last comparison left the earlier snapshot as the algorithm needs it (sorted,
partitioned, compressed); writing what the next comparison needs counts. Sorting takes two passes, so memory has to hold
the square root of a snapshot's number of blocks (3.1). :data:`ALGORITHMS` names them as the paper does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from laboratory.costs.snapshot_pair import SnapshotPair


def sort_merge(pair: SnapshotPair) -> float:
    """SM, sort merge outer join; sorted runs are merged while they are matched. |F1| + 4 |F2| (3.1)."""
    return pair.old_blocks + 4 * pair.new_blocks


def sort_merge_hashed(pair: SnapshotPair) -> float:
    """SMC1, with records (key, hash). |f1| + 3 |F2| + |f2| (3.3)."""
    return _hashed(pair.old_blocks, pair) + 3 * pair.new_blocks + _hashed(pair.new_blocks, pair)


def sort_merge_pointed(pair: SnapshotPair) -> float:
    """SMC2, with records (key, hash, pointer); changed records are fetched. |f1| + |F2| + 3 |f2| + U + I (3.3)."""
    old, new = _pointed(pair.old_blocks, pair), _pointed(pair.new_blocks, pair)
    return old + pair.new_blocks + 3 * new + pair.updates + pair.inserts


def partitioned_hash(pair: SnapshotPair) -> float:
    """PH, partitioned hash outer join. |F1| + 3 |F2| (3.1)."""
    return pair.old_blocks + 3 * pair.new_blocks


def partitioned_hash_hashed(pair: SnapshotPair) -> float:
    """PHC1, with records (key, hash).

    |f1| + |F2| + |f2| if f1 fits in memory, otherwise |f1| + 3 |F2| + |f2| (3.3).
    """
    scans = 1 if fits_in_memory(pair, pair.hash_factor) else 3
    return _hashed(pair.old_blocks, pair) + scans * pair.new_blocks + _hashed(pair.new_blocks, pair)


def partitioned_hash_pointed(pair: SnapshotPair) -> float:
    """PHC2, with records (key, hash, pointer).

    |f1| + |F2| + |f2| if f1 fits in memory, otherwise |f1| + |F2| + 2 |f2| + I + U (3.3).
    """
    old, new = _pointed(pair.old_blocks, pair), _pointed(pair.new_blocks, pair)
    if fits_in_memory(pair, pair.pointer_factor):
        return old + pair.new_blocks + new
    return old + pair.new_blocks + 2 * new + pair.inserts + pair.updates


def window(pair: SnapshotPair) -> float:
    """W, the window algorithm. |F1| + |F2| (4)."""
    return pair.old_blocks + pair.new_blocks


def fits_in_memory(pair: SnapshotPair, factor: float) -> bool:
    """Does the earlier snapshot, ``factor`` times smaller, fit in main memory (3.3)?"""
    return pair.old_bytes / factor <= pair.memory_bytes


def uncompressed(pair: SnapshotPair) -> float:
    """Blocks of the later snapshot, which SM, PH, SMC1 and PHC1 write in between (Figure 6, X)."""
    return pair.new_blocks


def compressed(pair: SnapshotPair) -> float:
    """Blocks of the compressed later snapshot, which SMC2 and PHC2 write in between (Figure 6, X)."""
    return _pointed(pair.new_blocks, pair)


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of Figure 6: its cost, the blocks of its intermediate files, and whether it can miss a change."""

    cost: Callable[[SnapshotPair], float]
    intermediate: Callable[[SnapshotPair], float]
    is_lossy: bool


ALGORITHMS: dict[str, Algorithm] = {
    "SM": Algorithm(sort_merge, uncompressed, False),
    "SMC1": Algorithm(sort_merge_hashed, uncompressed, True),
    "SMC2": Algorithm(sort_merge_pointed, compressed, True),
    "PH": Algorithm(partitioned_hash, uncompressed, False),
    "PHC1": Algorithm(partitioned_hash_hashed, uncompressed, True),
    "PHC2": Algorithm(partitioned_hash_pointed, compressed, True),
    "W": Algorithm(window, lambda pair: 0.0, False),
}


def _hashed(blocks: float, pair: SnapshotPair) -> float:
    return blocks / pair.hash_factor


def _pointed(blocks: float, pair: SnapshotPair) -> float:
    return blocks / pair.pointer_factor

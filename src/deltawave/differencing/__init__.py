"""Snapshot differentials on Spark: the algorithms of LG96 and LG95."""

from deltawave.differencing.snapshot_differential import ALGORITHMS, snapshot_differential

__all__ = ["ALGORITHMS", "snapshot_differential"]

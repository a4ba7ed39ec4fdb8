"""Snapshot differentials on Spark: the algorithms of LG96 and LG95."""

from deltawave.differencing.quick_tasks import quicken_worker
from deltawave.differencing.snapshot_differential import ALGORITHMS, Algorithm, snapshot_differential

# A worker imports this when it gets its first task.
quicken_worker()

__all__ = ["ALGORITHMS", "Algorithm", "snapshot_differential"]

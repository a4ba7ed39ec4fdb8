"""Snapshot differentials on Spark: the algorithms of LG96 and LG95."""

from typing import TYPE_CHECKING

from deltawave.lazily import from_modules
from deltawave.quick_tasks import quicken_worker

if TYPE_CHECKING:
    from deltawave.differencing.algorithms import ALGORITHMS, Algorithm, snapshot_differential

__all__ = ["ALGORITHMS", "Algorithm", "snapshot_differential"]

if not TYPE_CHECKING:
    __getattr__ = from_modules(__name__, {"algorithms": __all__})
    # A worker imports this when it gets its first task.
    quicken_worker(lambda: __getattr__("snapshot_differential"))

"""Wave indices (WI): indexes of a sliding window of days, of several constituents. Planning needs no Spark."""

from typing import TYPE_CHECKING

from deltawave.lazily import from_modules

if TYPE_CHECKING:
    from deltawave.wave.operations import WaveState
    from deltawave.wave.planner import plans, start, transition
    from deltawave.wave.schemes import SCHEMES, WaveIndex

__all__ = ["SCHEMES", "WaveIndex", "WaveState", "plans", "start", "transition"]

if not TYPE_CHECKING:
    __getattr__ = from_modules(
        __name__,
        {
            "operations": ["WaveState"],
            "planner": ["plans", "start", "transition"],
            "schemes": ["SCHEMES", "WaveIndex"],
        },
    )

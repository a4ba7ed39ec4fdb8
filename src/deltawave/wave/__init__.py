"""Wave indices (WI): indexes of a sliding window of days, of several constituents. Planning needs no Spark."""

from deltawave.wave.operations import WaveState
from deltawave.wave.planner import plans, start, transition
from deltawave.wave.schemes import SCHEMES, WaveIndex

__all__ = ["SCHEMES", "WaveIndex", "WaveState", "plans", "start", "transition"]

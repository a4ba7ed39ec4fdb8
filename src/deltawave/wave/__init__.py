"""Wave indices (WI): indexes of a sliding window of days, of several constituents. Planning needs no Spark."""

from deltawave.wave.operations import (
    AddIndex,
    AddToIndex,
    BuildIndex,
    Copy,
    DeleteFromIndex,
    DropIndex,
    Operation,
    Rename,
    WaveState,
    days_indexed,
)
from deltawave.wave.planner import DayPlan, plans, start, transition
from deltawave.wave.schemes import SCHEMES, WaveIndex

__all__ = [
    "SCHEMES",
    "AddIndex",
    "AddToIndex",
    "BuildIndex",
    "Copy",
    "DayPlan",
    "DeleteFromIndex",
    "DropIndex",
    "Operation",
    "Rename",
    "WaveIndex",
    "WaveState",
    "days_indexed",
    "plans",
    "start",
    "transition",
]

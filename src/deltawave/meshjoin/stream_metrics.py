"""What joining a micro-batch took: counted by its tasks, added up by Spark, and reported by ``deltawave stream``."""

import json
import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from operator import add
from typing import Any

from pyspark.accumulators import Accumulator, AccumulatorParam

from deltawave.meshjoin.stream import Counts
from deltawave.spark_versions import SparkContext

# Figures of tasks, and how those of several tasks are combined.
_COMBINED: dict[str, Callable[[float, float], float]] = {
    # Tasks that had rows.
    "tasks": add,
    # Rows of all tasks, of the task that had most, and those that did not fit in memory.
    "rows": add,
    "most_rows": max,
    "shed_rows": add,
    # Seconds of all tasks that shedding spared; negative if joining all rows would have taken less.
    "spared_seconds": add,
    # How often the relation was read, by the task that did so most.
    "readings": max,
    # Most bytes of a task that count as its memory.
    "peak_bytes": max,
    # Most bytes of a Python worker since it was started, with all that it holds.
    "process_bytes": max,
}
Figures = Mapping[str, float]
NONE: Figures = dict.fromkeys(_COMBINED, 0)


def of_task(counts: Counts, pages: int) -> Figures:
    """The figures of a task whose part of the relation has so many pages."""
    rows = counts.tuples + counts.shed
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    readings = counts.pages / pages if pages else 0.0
    figures = (int(rows > 0), rows, rows, counts.shed, counts.spared_seconds, readings, counts.peak_bytes, resident)
    return dict(zip(_COMBINED, figures, strict=True))


class _Combined(AccumulatorParam[Figures]):
    def zero(self, value: Figures) -> Figures:
        return NONE

    def addInPlace(self, value1: Figures, value2: Figures) -> Figures:
        return {name: combined(value1[name], value2[name]) for name, combined in _COMBINED.items()}


Totals = Accumulator[Figures]


def totals(context: SparkContext) -> Totals:
    return context.accumulator(NONE, _Combined())


_MIB = 1 << 20


@dataclass
class Report:
    """Lines on micro-batches.

    - ``counted``: further figures of a micro-batch, printed if they are not 0
    - ``metrics``: what its tasks took (:meth:`deltawave.meshjoin.batch_folders.BatchFolders.metrics`)
    - ``is_json``: whether lines are JSON
    """

    counted: Mapping[str, Callable[[int], int]] = field(default_factory=dict)
    metrics: Callable[[int], Figures] = lambda batch: {}
    is_json: bool = False

    def line(self, progress: Any, previous: Any = None) -> str:
        """A micro-batch by Spark's progress, and the progress before it, if there is one."""
        batch, seconds = progress["batchId"], progress["batchDuration"] / 1000
        waited = None if previous is None else _seconds_between(previous, progress) + seconds
        behind = _rows_behind(progress["sources"])
        metrics, counts = self.metrics(batch), {name: count(batch) for name, count in self.counted.items()}
        # Spark counts the rows of a micro-batch again if it is read again, for the messages that are no rows.
        rows = int(metrics.get("rows", progress["numInputRows"]))
        if self.is_json:
            measured = {"rows": rows, "seconds": seconds, "lag_seconds": waited, "lag_rows": behind}
            return self._json(batch, {**metrics, **measured}, counts)
        parts = [f"batch {batch}: {rows:,} rows in {seconds:.1f} s", f"{rows / max(seconds, 0.001):,.0f} rows/s"]
        parts += _of_counts(counts)
        # Runs of earlier versions did not measure it.
        if metrics.get("shed_rows") and "spared_seconds" in metrics:
            parts.append(_spared(metrics["spared_seconds"]))
        if metrics:
            parts.append(f"{metrics['readings']:g} readings of the relation")
            parts.append(f"{metrics['peak_bytes'] / _MIB:,.1f} MiB of a task's memory")
        if waited is not None:
            parts.append(f"lag up to {waited:.1f} s")
        if behind:
            parts.append(f"{behind:,} rows behind the source")
        return ", ".join(parts)

    def of_previous_run(self, batch: int) -> str:
        """A micro-batch that a previous run had begun, of which Spark has no progress."""
        counts = {name: count(batch) for name, count in self.counted.items()}
        if self.is_json:
            return self._json(batch, self.metrics(batch), counts)
        return ", ".join([f"batch {batch}: begun by a previous run, now done", *_of_counts(counts)])

    def _json(self, batch: int, figures: Mapping[str, Any], counts: Mapping[str, int]) -> str:
        named = {name.replace(" ", "_"): count for name, count in counts.items()}
        return json.dumps({"micro_batch": batch, **figures, **named})


def _spared(seconds: float) -> str:
    if round(seconds, 1) > 0:
        return f"shedding spared {seconds:.1f} s of tasks"
    return f"shedding gained nothing: to join all rows would have taken {max(-seconds, 0.1):.1f} s of tasks less"


def _of_counts(counts: Mapping[str, int]) -> list[str]:
    return [f"{count:,} {name}" for name, count in counts.items() if count]


def _seconds_between(previous: Any, progress: Any) -> float:
    """The time between two triggers: a row of the second one's micro-batch came in since the first."""
    began, begins = (datetime.fromisoformat(each["timestamp"].replace("Z", "+00:00")) for each in (previous, progress))
    return (begins - began).total_seconds()


def _rows_behind(sources: Any) -> int | None:
    """How many rows the sources have that no micro-batch has read yet; none if they don't know, like files."""
    rows = None
    for source in sources:
        # Offsets that are not Kafka's, by topic and partition, are other JSON, or "None".
        with suppress(ValueError, TypeError, AttributeError):
            latest, end = (json.loads(source[name]) for name in ("latestOffset", "endOffset"))
            behind = (
                int(offset) - int(end.get(topic, {}).get(partition, 0))
                for topic, own in latest.items()
                for partition, offset in own.items()
            )
            rows = sum(behind, rows or 0)
    return rows

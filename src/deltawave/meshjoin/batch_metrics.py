"""What joining a micro-batch took: counted by its tasks, and added up by Spark (an accumulator)."""

from __future__ import annotations

import resource
import sys
from dataclasses import dataclass

from pyspark import SparkContext
from pyspark.accumulators import Accumulator, AccumulatorParam

from deltawave.meshjoin.one_pass import Counts


@dataclass(frozen=True)
class TaskTotals:
    """Figures of tasks.

    - ``tasks``: that had rows; ``rows``: of all tasks, ``most_rows``: of the task that had most
    - ``shed_rows``: that did not fit in memory
    - ``readings``: how often the relation was read, by the task that did so most
    - ``peak_bytes``: most bytes of a task that count as its memory
    - ``process_bytes``: most bytes of a Python worker since it was started, with all that it holds besides
    """

    tasks: int = 0
    rows: int = 0
    most_rows: int = 0
    shed_rows: int = 0
    readings: float = 0.0
    peak_bytes: int = 0
    process_bytes: int = 0

    @classmethod
    def of_task(cls, counts: Counts, pages: int) -> TaskTotals:
        """The figures of a task whose part of the relation has so many pages."""
        rows = counts.tuples + counts.shed
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        readings = counts.pages / pages if pages else 0.0
        return cls(int(rows > 0), rows, rows, counts.shed, readings, counts.peak_bytes, resident)

    def __add__(self, other: TaskTotals) -> TaskTotals:
        return TaskTotals(
            self.tasks + other.tasks,
            self.rows + other.rows,
            max(self.most_rows, other.most_rows),
            self.shed_rows + other.shed_rows,
            max(self.readings, other.readings),
            max(self.peak_bytes, other.peak_bytes),
            max(self.process_bytes, other.process_bytes),
        )


class _Sums(AccumulatorParam[TaskTotals]):
    def zero(self, value: TaskTotals) -> TaskTotals:
        return TaskTotals()

    def addInPlace(self, value1: TaskTotals, value2: TaskTotals) -> TaskTotals:
        return value1 + value2


Totals = Accumulator[TaskTotals]


def totals(context: SparkContext) -> Totals:
    """Totals to which tasks add theirs."""
    return context.accumulator(TaskTotals(), _Sums())

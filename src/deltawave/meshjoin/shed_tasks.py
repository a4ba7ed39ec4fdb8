"""The work of tasks that shed: if rows do not fit in memory, one window is joined, the others are returned (MJ08 4).

The rows of a micro-batch have all arrived when it begins. So each task looks at its whole share, keeps the rows of
highest priority that fit in its memory, and reads the relation once. More rows would need more memory, or more
readings.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.conditions import Condition, Equal
from deltawave.meshjoin.frequencies import SketchedFrequencies
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.shed_stream import Shed, shed_tuples
from deltawave.meshjoin.shedding import BY_FREQUENCY, PRIORITIES


def demand_priority(name: str, condition: Condition | None) -> None:
    """Raise ``ValueError`` if there is no such priority, or tuples can't be shed under this condition."""
    if name not in PRIORITIES:
        raise ValueError(f"There is no priority {name!r} to shed by: {', '.join(PRIORITIES)}.")
    if condition is not None:
        raise ValueError("A stream sheds by equal keys only (on): under another condition every task sees all rows.")


def shedding(
    join: MeshJoin, arrived: Iterator[pa.RecordBatch], priority: str, file: str | None, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Results and shed tuples, which the last column marks. ``file``: the file of the relation's pages."""
    frequencies, condition = None, join.condition
    if priority in BY_FREQUENCY and file is not None and isinstance(condition, Equal):
        frequencies = SketchedFrequencies.beside(file, join.relation, condition)
    with TemporaryDirectory(prefix="deltawave-shed-") as folder:
        chosen = PRIORITIES[priority](np.random.default_rng())
        shed = Shed(Path(folder) / "shed.arrows", chosen, frequencies, has_arrived=True)
        for found in join.run(arrived, shed=shed):
            yield _told(found, False, schema)
        for tuples in shed_tuples(shed.path):
            yield _told(tuples, True, schema)


def _told(rows: pa.RecordBatch, is_shed: bool, schema: pa.Schema) -> pa.RecordBatch:
    count = rows.num_rows
    nothing = [pa.nulls(count, field.type) for field in list(schema)[rows.num_columns : -1]]
    columns = [*rows.columns, *nothing, pa.repeat(pa.scalar(is_shed), count)]
    cells = [column.cast(field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema=schema)

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
from deltawave.meshjoin.one_pass import Counts
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.shed_stream import Shed, shed_tuples
from deltawave.meshjoin.shedding import BY_FREQUENCY, INCLUSION, PRIORITIES


def demand_priority(name: str, condition: Condition | None, probability: str | None = None) -> None:
    """Raise ``ValueError`` if there is no such priority, or tuples can't be shed under this condition.

    ``probability``: the column for the probability to keep a tuple, if it is wanted.
    """
    if name not in PRIORITIES:
        raise ValueError(f"There is no priority {name!r} to shed by: {', '.join(PRIORITIES)}.")
    if condition is not None:
        raise ValueError("A stream sheds by equal keys only (on): under another condition every task sees all rows.")
    if probability is not None and name not in INCLUSION:
        raise ValueError(
            f"{name} keeps rows by rule, not by chance, so that they have no probability ({probability}): "
            f"shed by {' or '.join(INCLUSION)}, or take it out."
        )


def shedding(
    join: MeshJoin,
    arrived: Iterator[pa.RecordBatch],
    priority: str,
    file: str | None,
    schema: pa.Schema,
    has_probability: bool,
    counts: Counts,
) -> Iterator[pa.RecordBatch]:
    """Results and shed tuples, which the last column marks.

    ``file``: the file of the relation's pages; ``has_probability``: whether the column before the last one has the
    probability with which a result's tuple was kept.
    """
    frequencies, condition = None, join.condition
    if priority in BY_FREQUENCY and file is not None and isinstance(condition, Equal):
        frequencies = SketchedFrequencies.beside(file, join.relation, condition)
    with TemporaryDirectory(prefix="deltawave-shed-") as folder:
        chosen = PRIORITIES[priority](np.random.default_rng())
        shed = Shed(Path(folder) / "shed.arrows", chosen, frequencies, has_arrived=True)
        for found in join.run(arrived, counts=counts, shed=shed):
            if has_probability:
                # All tuples were looked at before the first result.
                kept = _probability(found, priority, counts.shed_priority, frequencies)
                found = pa.RecordBatch.from_arrays([*found.columns, kept], [*found.schema.names, ""])
            yield _told(found, False, schema)
        for tuples in shed_tuples(shed.path):
            yield _told(tuples, True, schema)


def _probability(
    rows: pa.RecordBatch, priority: str, bound: float | None, frequencies: SketchedFrequencies | None
) -> pa.Array:
    if bound is None:
        return pa.repeat(pa.scalar(1.0), rows.num_rows)
    counts = np.zeros(rows.num_rows) if frequencies is None else frequencies(rows)
    with np.errstate(invalid="ignore"):
        found = INCLUSION[priority](bound, counts)
    # Tuples without a match have none in cluster sampling: they fill what room is left.
    return pa.array(found, pa.float64(), mask=~(found > 0))


def _told(rows: pa.RecordBatch, is_shed: bool, schema: pa.Schema) -> pa.RecordBatch:
    count = rows.num_rows
    nothing = [pa.nulls(count, field.type) for field in list(schema)[rows.num_columns : -1]]
    columns = [*rows.columns, *nothing, pa.repeat(pa.scalar(is_shed), count)]
    cells = [column.cast(field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema=schema)

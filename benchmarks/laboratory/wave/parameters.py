"""The parameters of WI 5, measured on the benchmark's data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame

from deltawave.wave.access import timed_index_probe, timed_segment_scan
from deltawave.wave.measuring import RUNS, Laboratory, Measured, Queries, measured
from deltawave.wave.tables import WaveRecord
from laboratory.wave.data import Batches
from laboratory.wave.layout import PartStore
from laboratory.wave.methods import WaveMethod


def measure(data: Batches, store: PartStore, packed: WaveMethod, batch: float) -> Measured:
    """Measure the parameters.

    - ``packed``: a wave index whose constituents are packed
    - ``batch``: seconds of a batch whose day has hardly any rows, and that writes once
    """
    index = packed.spec.index
    count = max(2, round(index.window / index.constituents))
    # A constituent that a range of days can read without any other.
    days = next(sorted(found) for found in packed.record.state.constituents if max(found) - min(found) < len(found))
    record = WaveRecord(store.spec, days=store.days)
    laboratory = Laboratory(store.session, record, store.source, f"`{store.schema}`.`laboratory")
    queries = _Queries(data, packed).seconds(days)
    share = queries.rows_found / sum(store.days[day].rows for day in days)
    return measured(laboratory, frozenset(list(data.days)[:count]), queries, share, index.window, batch)


class _Queries:
    def __init__(self, data: Batches, packed: WaveMethod) -> None:
        self.data, self.packed = data, packed

    def seconds(self, days: Sequence[int]) -> Queries:
        return Queries.of(
            self._probed, self._scanned, self.data.values(RUNS), days, self.packed.spec.index.constituents
        )

    def _probed(self, value: Any, low: Any, high: Any) -> int:
        return len(timed_index_probe(self.packed.session, self.packed.table.view, value, low, high).collect())

    def _scanned(self, low: Any, high: Any) -> None:
        rows: DataFrame = timed_segment_scan(self.packed.session, self.packed.table.view, low, high)
        self.data.scanned(rows).collect()

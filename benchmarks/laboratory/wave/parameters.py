"""The parameters of WI 5, measured on the benchmark's data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from deltawave.wave import statements as sql
from deltawave.wave.access import timed_index_probe, timed_segment_scan
from deltawave.wave.costs import FixedCosts, WaveParameters
from deltawave.wave.measuring import RUNS, Laboratory, Queries, measured
from deltawave.wave.tables import WaveRecord
from laboratory.wave.data import Batches
from laboratory.wave.layout import PartStore
from laboratory.wave.methods import WaveMethod


@dataclass(frozen=True)
class Measured:
    """The input of the cost model.

    - ``of_one_day``: as in the paper: each operation on a day's data, one query of one constituent
    - ``per_day``: for each day in an operation on many, for each constituent in a query of many, and fixed costs
    """

    of_one_day: WaveParameters
    per_day: WaveParameters


def measure(data: Batches, store: PartStore, packed: WaveMethod, batch: float) -> Measured:
    """Measure the parameters.

    - ``packed``: a wave index whose constituents are packed
    - ``batch``: seconds of a batch whose day has hardly any rows, and that writes once
    """
    session, view, index = packed.session, packed.table.view, packed.spec.index
    count = max(2, round(index.window / index.constituents))
    # A constituent that a range of days can read without any other.
    days = next(sorted(found) for found in packed.record.state.constituents if max(found) - min(found) < len(found))
    laboratory = Laboratory(
        store.session, WaveRecord(store.spec, days=store.days), store.source, f"`{store.schema}`.`laboratory"
    )

    def probe(*asked: Any) -> int:
        return len(timed_index_probe(session, view, *asked).collect())

    def scan(*ends: Any) -> None:
        data.scanned(timed_segment_scan(session, view, *ends)).collect()

    values = data.values(RUNS)
    queries = Queries.of(probe, scan, values, days, index.constituents)
    found = fmean(probe(value, days[0], days[-1]) for value in values)
    share = found / sum(store.days[day].rows for day in days)
    many = frozenset(list(data.days)[:count])
    per_day = measured(laboratory, many, queries, share, index.window, batch)
    return Measured(_of_one_day(laboratory, min(many), queries, per_day), per_day)


def _of_one_day(laboratory: Laboratory, day: int, queries: Queries, per_day: WaveParameters) -> WaveParameters:
    build, table, part = laboratory.build(frozenset({day}))
    add = laboratory.add(table, sql.source_rows(laboratory.record, laboratory.source, part.days))
    copy, smart_copy = (laboratory.copy(table, part) for _ in range(2))
    given = replace(per_day, build=build, add=add, copy=copy, smart_copy=smart_copy, fixed=FixedCosts())
    return queries.into(given, queries.probe.one, queries.scan.one)

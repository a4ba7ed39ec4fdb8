"""The parameters of WI 5, measured with the statements that maintain wave indexes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from deltawave.bench.wave_data import Batches
from deltawave.bench.wave_layout import PartStore
from deltawave.bench.wave_methods import WaveMethod
from deltawave.costs.wave_parameters import WaveParameters
from deltawave.wave import statements as sql
from deltawave.wave.access import timed_index_probe, timed_segment_scan
from deltawave.wave.operations import Days
from deltawave.wave.tables import Part, Table, WaveRecord

MB = 1e6
_RUNS = 3
# The least value for a difference of two times.
_LEAST_SECONDS = 1e-4


@dataclass(frozen=True)
class Measured:
    """The input of the cost model.

    - ``of_one_day``: as in the paper: each operation on a day's data, one query of one constituent
    - ``per_day``: for each day in an operation on many, for each constituent in a query of many; the rest is fixed
    - ``batch``, ``write``, ``probe``, ``scan``: fixed seconds of a batch, of an insert, of a query
    """

    of_one_day: WaveParameters
    per_day: WaveParameters
    batch: float
    write: float
    probe: float
    scan: float


def seconds(work: Callable[[], Any]) -> float:
    """How long some work takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


class Laboratory:
    """Measures operations on indexes of the days of ``record``, medians of three."""

    def __init__(self, store: PartStore) -> None:
        self.store, self.session = store, store.session
        self.record = WaveRecord(store.spec, days=store.days)
        self._tables = 0

    def build(self, days: Days) -> tuple[float, str, Part]:
        """Build: seconds, and the table and part that it made."""
        rows = sql.source_rows(self.record, self.store.source, days)
        took = statistics.median(seconds(lambda: self.insert(self._new_table(), "built", rows)) for _ in range(_RUNS))
        return took, self._last_table, Part("built", days)

    def add(self, table: str, rows: str) -> float:
        """Seconds to add rows to a table as a part."""
        names = [f"added{number}" for number in range(_RUNS)]
        return statistics.median(seconds(partial(self.insert, table, name, rows)) for name in names)

    def copy(self, table: str, part: Part) -> float:
        """Seconds for CP of a part, or, if the part has several days, for SMCP without the oldest day."""
        kept = part.days - {min(part.days)} if len(part.days) > 1 else part.days
        return self.add(self._new_table(), sql.part_rows(self.record, table, part, kept))

    def delete(self, table: str) -> float:
        """Seconds for Del, with one part per day."""
        names = [f"added{number}" for number in range(_RUNS)]
        drops = [partial(self.session.sql, sql.drop_part(table, name)) for name in names]
        return statistics.median(map(seconds, drops))

    def size(self, table: str, part: Part) -> float:
        """MB of a part."""
        return self.store.size([Table(table, (part,))]) / MB

    def insert(self, table: str, name: str, rows: str) -> None:
        """Write a part."""
        self.session.sql(sql.reserve_part(table, name))
        self.session.sql(sql.insert_part(self.store.spec, table, name, rows))

    @property
    def _last_table(self) -> str:
        return f"`{self.store.schema}`.`laboratory{self._tables}`"

    def _new_table(self) -> str:
        self._tables += 1
        self.session.sql(sql.create_table(self.store.spec, self._last_table))
        return self._last_table


def measure(data: Batches, store: PartStore, packed: WaveMethod, batch: float) -> Measured:
    """Measure the parameters.

    - ``packed``: a wave index whose constituents are packed
    - ``batch``: seconds of a batch whose day has hardly any rows, and that writes once
    """
    index = packed.spec.index
    count = max(2, round(index.window / index.constituents))
    # A constituent that a range of days can read without any other.
    days = next(sorted(found) for found in packed.record.state.constituents if max(found) - min(found) < len(found))
    many = frozenset(list(data.days)[:count])
    one = frozenset(list(many)[:1])
    laboratory = Laboratory(store)
    build_one, table, part = laboratory.build(one)
    build_many, table_of_many, part_of_many = laboratory.build(many)
    add = laboratory.add(table, sql.source_rows(laboratory.record, store.source, one))
    copy = laboratory.add(table_of_many, sql.part_rows(laboratory.record, table, part, one))
    delete = laboratory.delete(table_of_many)
    smart, smart_many = laboratory.copy(table, part), laboratory.copy(table_of_many, part_of_many)

    def per_day(one_day: float, of_many: float) -> float:
        return max(_LEAST_SECONDS, (of_many - one_day) / (count - 1))

    built, copied = per_day(build_one, build_many), per_day(smart, smart_many * count / (count - 1))
    queries = Queries(data, packed, days)
    share = queries.rows_found / sum(store.days[day].rows for day in days)
    unpacked = laboratory.size(table, part)
    given = WaveParameters(
        window=index.window,
        packed=laboratory.size(table_of_many, part_of_many) / count,
        unpacked=unpacked,
        build=build_one,
        add=add,
        delete=delete,
        bucket=unpacked * share,
        copy=copy,
        smart_copy=smart,
    )
    marginal = replace(given, build=built, add=built, copy=copied, smart_copy=copied)
    return Measured(
        of_one_day=queries.into(given, queries.probe_one, queries.scan_one, len(days)),
        per_day=queries.into(marginal, queries.probe_each, queries.scan_each, len(days)),
        batch=max(0.0, batch - (build_one - built)),
        write=max(0.0, build_one - built),
        probe=max(0.0, queries.probe_one - queries.probe_each),
        scan=max(0.0, queries.scan_one - queries.scan_each),
    )


class Queries:
    """Seconds of a probe and a scan that read one constituent, and of each further one that they read."""

    def __init__(self, data: Batches, packed: WaveMethod, days: Sequence[int]) -> None:
        values = data.values(_RUNS)
        indexes = packed.spec.index.constituents
        counts = []

        def probed(value: Any, low: int | None, high: int | None) -> None:
            counts.append(len(timed_index_probe(packed.session, packed.table.view, value, low, high).collect()))

        def scanned(low: int | None, high: int | None) -> None:
            data.scanned(timed_segment_scan(packed.session, packed.table.view, low, high)).collect()

        def median_of(work: Callable[[], None]) -> float:
            return statistics.median(seconds(work) for _ in range(_RUNS))

        one, every = (days[0], days[-1]), (None, None)
        self.probe_one = statistics.median(median_of(partial(probed, value, *one)) for value in values)
        # Rows per search value in one constituent.
        self.rows_found = statistics.fmean(counts)
        probe_all = statistics.median(median_of(partial(probed, value, *every)) for value in values)
        self.scan_one, scan_all = median_of(partial(scanned, *one)), median_of(partial(scanned, *every))
        self.probe_each, self.scan_each = self.probe_one, self.scan_one
        if indexes > 1:
            self.probe_each = max(_LEAST_SECONDS, (probe_all - self.probe_one) / (indexes - 1))
            self.scan_each = max(_LEAST_SECONDS, (scan_all - self.scan_one) / (indexes - 1))

    def into(self, given: WaveParameters, probe: float, scan: float, days: int) -> WaveParameters:
        """The parameters with a disk that explains these times for a constituent of ``days`` days."""
        transfer = days * given.packed / max(_LEAST_SECONDS, scan - probe)
        return replace(given, transfer=transfer, seek=max(0.0, probe - days * given.bucket / transfer))

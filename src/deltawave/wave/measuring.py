"""The parameters of WI 5, measured with the statements that maintain wave indexes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.wave import statements as sql
from deltawave.wave.cost_parameters import FixedCosts, WaveParameters
from deltawave.wave.operations import Days
from deltawave.wave.tables import Part, WaveRecord

MB = 1e6
RUNS = 3
# A measurement is repeated up to RUNS times, but not once it has taken that long.
_ENOUGH_SECONDS = 10
# The least value for a difference of two times.
_LEAST_SECONDS = 1e-4


def seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def median_seconds(works: Sequence[Callable[[], Any]]) -> float:
    """The median of some works, of fewer if they take long."""
    found: list[float] = []
    for work in works:
        found.append(seconds(work))
        if sum(found) > _ENOUGH_SECONDS:
            break
    return statistics.median(found)


def per_further(one: float, many: float, count: int) -> float:
    """Seconds for each but the first of ``count``."""
    return max(_LEAST_SECONDS, (many - one) / (count - 1)) if count > 1 else one


@dataclass
class Laboratory:
    """Measures operations on indexes of the days of ``record``.

    - ``source``: the relation that has the rows of these days
    - ``name``: how names of tables begin, up to the quote that ends them
    """

    session: SparkSession
    record: WaveRecord
    source: str
    name: str
    tables: list[str] = field(default_factory=list)

    def build(self, days: Days) -> tuple[float, str, Part]:
        """Build: seconds, and the table and part that it made."""
        rows = sql.source_rows(self.record, self.source, days)
        took = median_seconds([lambda: self.insert(self._new_table(), "built", rows)] * RUNS)
        return took, self.tables[-1], Part("built", days)

    def copy(self, table: str, part: Part) -> float:
        """Seconds for CP of a part, or, if the part has several days, for SMCP without the oldest day."""
        days = part.days - {min(part.days)} if len(part.days) > 1 else part.days
        return self.add(self._new_table(), sql.part_rows(self.record, table, part, days))

    def add(self, table: str, rows: str) -> float:
        """Seconds to add rows to a table as a part."""
        return median_seconds([partial(self.insert, table, f"added{number}", rows) for number in range(RUNS)])

    def delete(self, table: str) -> float:
        """Seconds for Del of a part that ``add`` wrote."""
        return median_seconds([partial(self.session.sql, sql.drop_part(table, f"added{n}")) for n in range(RUNS)])

    def size(self, table: str, part: Part) -> float:
        """MB of a part."""
        return megabytes(self.session.table(table).where(sql.part_filter([part])))

    def insert(self, table: str, name: str, rows: str) -> None:
        self.session.sql(sql.reserve_part(table, name))
        self.session.sql(sql.insert_part(self.record.spec, table, name, rows))

    def _new_table(self) -> str:
        self.tables.append(f"{self.name}{len(self.tables)}`")
        self.session.sql(sql.create_table(self.record.spec, self.tables[-1]))
        return self.tables[-1]


def megabytes(rows: DataFrame) -> float:
    """The size of the files that have rows of a table."""
    files = rows.select("_metadata.file_path", "_metadata.file_size").distinct()
    return float(files.agg(F.sum("file_size")).collect()[0][0] or 0) / MB


@dataclass(frozen=True)
class Queries:
    """Seconds of a probe and a scan: of one constituent of ``days`` days, and for each further constituent."""

    probe_one: float
    probe_each: float
    scan_one: float
    scan_each: float
    days: int

    @staticmethod
    def of(
        probe: Callable[[Any, Any, Any], Any],
        scan: Callable[[Any, Any], Any],
        values: Sequence[Any],
        days: Sequence[Any],
        constituents: int,
    ) -> Queries:
        """Measure a wave index.

        - ``probe``: reads the rows of a value from one day to another; ``scan`` reads all
        - ``days``: those of one constituent, which a range from the first to the last reads without any other
        """
        ranges = ((days[0], days[-1]), (None, None))
        probe_one, probe_all = (
            statistics.median(median_seconds([partial(probe, value, *ends)] * RUNS) for value in values)
            for ends in ranges
        )
        scan_one, scan_all = (median_seconds([partial(scan, *ends)] * RUNS) for ends in ranges)
        return Queries(
            probe_one,
            per_further(probe_one, probe_all, constituents),
            scan_one,
            per_further(scan_one, scan_all, constituents),
            len(days),
        )

    def into(self, given: WaveParameters, probe: float, scan: float) -> WaveParameters:
        """The parameters with a disk that explains these times for a constituent."""
        transfer = self.days * given.packed / max(_LEAST_SECONDS, scan - probe)
        return replace(given, transfer=transfer, seek=max(0.0, probe - self.days * given.bucket / transfer))


def measured(
    laboratory: Laboratory, many: Days, queries: Queries, share: float, window: int, batch: float
) -> WaveParameters:
    """The parameters of a day among many: for each further day of an operation, each further constituent of a query.

    - ``many``: days of which an index of several days is built, two or more
    - ``share``: the share of a day's rows that a search value finds
    - ``batch``: seconds of a batch that writes one day, with hardly any rows
    """
    count, one = len(many), frozenset({min(many)})
    build_one, table, part = laboratory.build(one)
    build_many, table_of_many, part_of_many = laboratory.build(many)
    copy_one, copy_fewer = laboratory.copy(table, part), laboratory.copy(table_of_many, part_of_many)
    laboratory.add(table_of_many, sql.part_rows(laboratory.record, table, part, one))
    built = per_further(build_one, build_many, count)
    copied = per_further(copy_one, copy_fewer * count / (count - 1), count)
    unpacked = laboratory.size(table, part)
    fixed = FixedCosts(
        batch=max(0.0, batch - (build_one - built)),
        write=max(0.0, build_one - built),
        probe=max(0.0, queries.probe_one - queries.probe_each),
        scan=max(0.0, queries.scan_one - queries.scan_each),
    )
    given = WaveParameters(
        window=window,
        packed=laboratory.size(table_of_many, part_of_many) / count,
        unpacked=unpacked,
        build=built,
        add=built,
        delete=laboratory.delete(table_of_many),
        bucket=unpacked * share,
        copy=copied,
        smart_copy=copied,
        fixed=fixed,
    )
    return queries.into(given, queries.probe_each, queries.scan_each)

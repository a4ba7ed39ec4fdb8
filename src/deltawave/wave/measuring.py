"""The parameters of WI 5, measured on the newest days of a table with the statements that maintain wave indexes."""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.sql_text import literal, quoted
from deltawave.wave import statements as sql
from deltawave.wave.access import timed_index_probe, timed_segment_scan
from deltawave.wave.costs import FixedCosts, TableParameters, WaveParameters
from deltawave.wave.operations import Days
from deltawave.wave.schemes import WaveIndex
from deltawave.wave.tables import Day, Part, WaveRecord, WaveSpec
from deltawave.wave.wave_table import WaveTable, check_catalog, columns_of, spelt

MB = 1e6
# A measurement is repeated up to RUNS times, but not once it has taken _ENOUGH_SECONDS.
RUNS, _ENOUGH_SECONDS = 3, 10
# The least value for a difference of two times.
_LEAST_SECONDS = 1e-4
# How many of the newest days are measured, and how many are needed.
_DAYS, _LEAST_DAYS = 4, 3


def seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def median_seconds(works: Sequence[Callable[[], Any]]) -> float:
    """The median seconds of some calls; the last ones are left out if the others take long."""
    found: list[float] = []
    for work in works:
        found.append(seconds(work))
        if sum(found) > _ENOUGH_SECONDS:
            break
    return statistics.median(found)


class Timing(NamedTuple):
    """Seconds of an operation on one day or constituent (``one``), and of each further one (``each``)."""

    one: float
    each: float

    @staticmethod
    def of(one: float, many: float, count: int) -> "Timing":
        return Timing(one, max(_LEAST_SECONDS, (many - one) / (count - 1)) if count > 1 else one)

    @property
    def fixed(self) -> float:
        """Seconds that an operation takes once, however many days or constituents it has."""
        return max(0.0, self.one - self.each)


@dataclass
class Laboratory:
    """Measures operations on indexes of the days of ``record``, whose rows the relation ``source`` has.

    - ``name``: the quoted prefix of its tables' names, without the closing quote
    """

    session: SparkSession
    record: WaveRecord
    source: str
    name: str
    tables: list[str] = field(default_factory=list)

    def build(self, days: Days) -> tuple[float, str, Part]:
        """Build: seconds, and the table and part that it made."""
        rows = sql.source_rows(self.record, self.source, days)
        took = median_seconds([lambda: self._insert(self._new_table(), "built", rows)] * RUNS)
        return took, self.tables[-1], Part("built", days)

    def copy(self, table: str, part: Part) -> float:
        """Seconds for CP of a part, or, if the part has several days, for SMCP without the oldest day."""
        days = part.days - {min(part.days)} if len(part.days) > 1 else part.days
        return self.add(self._new_table(), sql.part_rows(self.record, table, part, days))

    def add(self, table: str, rows: str) -> float:
        """Seconds to add rows to a table as a part."""
        return median_seconds([partial(self._insert, table, f"added{number}", rows) for number in range(RUNS)])

    def delete(self, table: str) -> float:
        """Seconds for Del of a part that ``add`` wrote."""
        return median_seconds([partial(self.session.sql, sql.drop_part(table, f"added{n}")) for n in range(RUNS)])

    def size(self, table: str, part: Part) -> float:
        """MB of a part."""
        return megabytes(self.session.table(table).where(sql.part_filter([part])))

    def _insert(self, table: str, name: str, rows: str) -> None:
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
    """Seconds of a probe and a scan of constituents of ``days`` days."""

    probe: Timing
    scan: Timing
    days: int

    @staticmethod
    def of(
        probe: Callable[[Any, Any, Any], Any],
        scan: Callable[[Any, Any], Any],
        values: Sequence[Any],
        days: Sequence[Any],
        constituents: int,
    ) -> "Queries":
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
        probed, scanned = Timing.of(probe_one, probe_all, constituents), Timing.of(scan_one, scan_all, constituents)
        return Queries(probed, scanned, len(days))

    def into(self, given: WaveParameters, probe: float, scan: float) -> WaveParameters:
        """The parameters with the seek time and transfer rate by which a constituent takes these seconds."""
        transfer = self.days * given.packed / max(_LEAST_SECONDS, scan - probe)
        return replace(given, transfer=transfer, seek=max(0.0, probe - self.days * given.bucket / transfer))


def measured(
    laboratory: Laboratory, many: Days, queries: Queries, share: float, window: int, batch: float
) -> WaveParameters:
    """The parameters of a day: what each further day adds to an operation, each further constituent to a query.

    - ``many``: days of which an index of several days is built, two or more
    - ``share``: the share of a day's rows that a search value finds
    - ``batch``: seconds of a batch that writes one day, with hardly any rows
    """
    count, one = len(many), frozenset({min(many)})
    build_one, table, part = laboratory.build(one)
    build_many, table_of_many, part_of_many = laboratory.build(many)
    build = Timing.of(build_one, build_many, count)
    copy_one, copy_fewer = laboratory.copy(table, part), laboratory.copy(table_of_many, part_of_many)
    laboratory.add(table_of_many, sql.part_rows(laboratory.record, table, part, one))
    copied = Timing.of(copy_one, copy_fewer * count / (count - 1), count).each
    unpacked = laboratory.size(table, part)
    given = WaveParameters(
        window=window,
        packed=laboratory.size(table_of_many, part_of_many) / count,
        unpacked=unpacked,
        build=build.each,
        add=build.each,
        delete=laboratory.delete(table_of_many),
        bucket=unpacked * share,
        copy=copied,
        smart_copy=copied,
        fixed=FixedCosts(
            batch=max(0.0, batch - (build.one - build.each)),
            write=build.fixed,
            probe=queries.probe.fixed,
            scan=queries.scan.fixed,
        ),
    )
    return queries.into(given, queries.probe.each, queries.scan.each)


def measure_days(
    rows: DataFrame, day_column: str, search_field: str, window: int, schema: str
) -> tuple[WaveParameters, TableParameters]:
    """Index the newest days of a table, search them, and keep them as a partitioned table, all in relations of
    ``schema`` that are dropped in the end.

    The seconds are what a further day adds; what Spark takes even for hardly any rows is in ``fixed``. Raises
    ``ValueError`` for columns that are missing or of another type, and for fewer than three days with search values.
    """
    session = rows.sparkSession
    check_catalog(session)
    columns = columns_of(rows)
    day, searched = spelt(columns, day_column, search_field)
    spec = WaveSpec(WaveIndex("reindex", 1, 1), "packed_shadow", day, searched, columns)
    of_day = F.col(quoted(day))
    newest = rows.where(of_day.isNotNull()).select(of_day).distinct().orderBy(of_day.desc()).limit(_DAYS)
    values = [row[0] for row in newest.select(of_day.cast("string")).collect()][::-1]
    if len(values) < _LEAST_DAYS:
        raise ValueError(f"{len(values)} days to measure: the table needs {_LEAST_DAYS} days or more.")
    record = WaveRecord(spec, days=dict(enumerate(map(Day, values), 1)))
    trial = _Trial(session, rows, record, schema, f"deltawave_advice_{uuid4().hex[:12]}")
    try:
        return trial.index(window), trial.table()
    finally:
        trial.drop()


@dataclass
class _Trial:
    session: SparkSession
    rows: DataFrame
    record: WaveRecord
    schema: str
    name: str

    def index(self, window: int) -> WaveParameters:
        """A wave index with one day in each constituent, all days but the last; then the last is loaded."""
        *first, last = self.record.days
        constituents = len(first)
        spec = replace(self.record.spec, index=WaveIndex("reindex", constituents, constituents))
        table = WaveTable(self.session, self.schema, self.name)
        table.update(self._of(first), spec, gaps="skip", accept=True)
        loading = seconds(lambda: table.update(self._of([last]), spec, gaps="skip", accept=True))

        found = self._found(last)
        queries = Queries.of(
            lambda *asked: _read(timed_index_probe(self.session, table.view, *asked)),
            lambda *days: _read(timed_segment_scan(self.session, table.view, *days)),
            list(found),
            [self.record.days[last].value],
            constituents,
        )
        self._of(self.record.days).createOrReplaceTempView(self.name + "_rows")
        laboratory = Laboratory(self.session, self.record, f"{self.name}_rows", self._named("__laboratory")[:-1])
        share = statistics.fmean(found.values()) / self._of([last]).count()
        result = measured(laboratory, frozenset(first), queries, share, window, loading)
        # ``fixed.batch`` is that of a batch with hardly any rows, so the time of building the day is subtracted.
        return replace(result, fixed=replace(result.fixed, batch=max(0.0, result.fixed.batch - result.build)))

    def table(self) -> TableParameters:
        """A table with a partition for each day."""
        *first, last = self.record.days
        name, day = self._named("__table"), self.record.spec.day_column
        self._of(first).write.format("parquet").partitionBy(day).saveAsTable(name)
        table = self.session.table(name)
        size = megabytes(table) / len(first)
        value = next(iter(self._found(first[-1])))

        def of_days(condition: Column) -> Timing:
            one, every = (
                median_seconds([partial(_read, table.where(condition & F.expr(sql.of_days(self.record, days))))] * RUNS)
                for days in (first[-1:], first)
            )
            return Timing.of(one, every, len(first))

        find, scan = of_days(self._has(value)), of_days(F.lit(True))
        new = self._of([last])
        drop = f"alter table {name} drop partition ({quoted(day)} = {literal(self.record.days[last].value)})"

        def load() -> None:
            new.select(*table.columns).write.insertInto(name)
            self.session.sql(drop)

        return TableParameters(size, median_seconds([load] * RUNS), find.each, scan.each, find.fixed, scan.fixed)

    def drop(self) -> None:
        self.session.catalog.dropTempView(self.name + "_rows")
        self.session.sql(f"drop view if exists {self._named('')}")
        tables = f"show tables in {quoted(self.schema)} like {literal(self.name + '__*')}"
        for row in self.session.sql(tables).collect():
            self.session.sql(f"drop table if exists {quoted(self.schema, row['tableName'])}")

    def _named(self, suffix: str) -> str:
        return quoted(self.schema, self.name + suffix)

    def _of(self, days: Iterable[int]) -> DataFrame:
        return self.rows.where(sql.of_days(self.record, days))

    def _found(self, day: int) -> dict[str, int]:
        """Some search values of a day, and the rows that each finds."""
        spec = self.record.spec
        searched = F.col(quoted(spec.search_field))
        values = F.explode(F.array_distinct(searched)) if spec.is_multiple else searched
        named = self._of([day]).select(values.alias("value")).where("value is not null")
        counted = named.groupBy(F.col("value").cast("string")).count()
        found = {row[0]: row[1] for row in counted.limit(RUNS).collect()}
        if not found:
            value = self.record.days[day].value
            raise ValueError(f"search_field {spec.search_field!r}: {value} has no value to search for.")
        return found

    def _has(self, value: str) -> Column:
        spec = self.record.spec
        searched = F.col(quoted(spec.search_field))
        wanted = F.lit(value).cast(dict(spec.entry_columns)[spec.bucketed_by])
        return F.array_contains(searched, wanted) if spec.is_multiple else searched == wanted


def _read(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()

"""The input of the cost model, measured on the newest days of a user's own table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Any
from uuid import uuid4

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.sql_text import literal, quoted
from deltawave.wave.access import timed_index_probe, timed_segment_scan
from deltawave.wave.cost_parameters import TableParameters, WaveParameters
from deltawave.wave.measuring import (
    RUNS,
    Laboratory,
    Queries,
    measured,
    median_seconds,
    megabytes,
    per_further,
    seconds,
)
from deltawave.wave.schemes import WaveIndex
from deltawave.wave.statements import day_literal
from deltawave.wave.tables import Day, WaveRecord, WaveSpec
from deltawave.wave.wave_table import WaveTable, check_catalog, columns_of, spelt

# How many of the newest days are measured, and how many are needed.
_DAYS, _LEAST_DAYS = 4, 3


def measure_days(
    rows: DataFrame, day_column: str, search_field: str, window: int, schema: str
) -> tuple[WaveParameters, TableParameters]:
    """Index the newest days of a table, search them, and keep them as a partitioned table, all in relations of
    ``schema`` that are dropped in the end.

    The seconds are those of a day among many; what Spark takes however few rows there are is in ``fixed``. Raises
    ``ValueError`` for columns that are missing or of another type, and for fewer than three days with search values.
    """
    session = rows.sparkSession
    check_catalog(session)
    columns = columns_of(rows)
    day, field = spelt(columns, day_column, search_field)
    spec = WaveSpec(WaveIndex("reindex", 1, 1), "packed_shadow", day, field, columns)
    of_day = F.col(quoted(day))
    newest = rows.where(of_day.isNotNull()).select(of_day).distinct().orderBy(of_day.desc()).limit(_DAYS)
    values = [row[0] for row in newest.select(of_day.cast("string")).collect()][::-1]
    if len(values) < _LEAST_DAYS:
        raise ValueError(f"{len(values)} days to measure: the table needs {_LEAST_DAYS} days or more.")
    trial = _Trial(session, rows, spec, values, schema, f"deltawave_advice_{uuid4().hex[:12]}")
    try:
        return trial.index(window), trial.table()
    finally:
        trial.drop()


@dataclass
class _Trial:
    session: SparkSession
    rows: DataFrame
    spec: WaveSpec
    values: Sequence[str]
    schema: str
    name: str

    def index(self, window: int) -> WaveParameters:
        """A wave index with one day in each constituent, all days but the last; then the last is loaded."""
        *first, last = self.values
        constituents = len(first)
        spec = replace(self.spec, index=WaveIndex("reindex", constituents, constituents))
        table = WaveTable(self.session, self.schema, self.name)
        table.update(self._of(first), spec, gaps="skip", accept=True)
        loading = seconds(lambda: table.update(self._of([last]), spec, gaps="skip", accept=True))

        def probe(*asked: Any) -> None:
            _read(timed_index_probe(self.session, table.view, *asked))

        def scan(*days: Any) -> None:
            _read(timed_segment_scan(self.session, table.view, *days))

        found = self._found(last)
        queries = Queries.of(probe, scan, list(found), [last], constituents)
        self._of(self.values).createOrReplaceTempView(self.name + "_rows")
        record = WaveRecord(self.spec, days=dict(enumerate(map(Day, self.values), 1)))
        laboratory = Laboratory(self.session, record, f"{self.name}_rows", self._named("__laboratory")[:-1])
        share = fmean(found.values()) / self._of([last]).count()
        result = measured(laboratory, frozenset(range(1, constituents + 1)), queries, share, window, loading)
        # A batch that hardly has rows: without building the day.
        return replace(result, fixed=replace(result.fixed, batch=max(0.0, result.fixed.batch - result.build)))

    def table(self) -> TableParameters:
        """A table with a partition for each day."""
        *first, last = self.values
        name, day = self._named("__table"), self.spec.day_column
        self._of(first).write.format("parquet").partitionBy(day).saveAsTable(name)
        table = self.session.table(name)
        size = megabytes(table) / len(first)
        (value,) = list(self._found(first[-1]))[:1]

        def of_days(condition: Column) -> tuple[float, float]:
            one, every = (
                median_seconds([partial(_read, table.where(condition & self._is_of(days)))] * RUNS)
                for days in (first[-1:], first)
            )
            further = per_further(one, every, len(first))
            return further, max(0.0, one - further)

        find, find_fixed = of_days(self._has(value))
        scan, scan_fixed = of_days(F.lit(True))
        new = self._of([last])
        drop = f"alter table {name} drop partition ({quoted(day)} = {literal(last)})"

        def load() -> None:
            new.select(*table.columns).write.insertInto(name)
            self.session.sql(drop)

        return TableParameters(size, median_seconds([load] * RUNS), find, scan, find_fixed, scan_fixed)

    def drop(self) -> None:
        self.session.catalog.dropTempView(self.name + "_rows")
        self.session.sql(f"drop view if exists {self._named('')}")
        like = literal(self.name + "__*")
        for row in self.session.sql(f"show tables in {quoted(self.schema)} like {like}").collect():
            self.session.sql(f"drop table if exists {quoted(self.schema, row['tableName'])}")

    def _named(self, suffix: str) -> str:
        return quoted(self.schema, self.name + suffix)

    def _is_of(self, days: Sequence[str]) -> Column:
        literals = ", ".join(day_literal(self.spec, value) for value in days)
        return F.expr(f"{quoted(self.spec.day_column)} in ({literals})")

    def _of(self, days: Sequence[str]) -> DataFrame:
        return self.rows.where(self._is_of(days))

    def _found(self, day: str) -> dict[str, int]:
        """Some search values of a day, and the rows that each finds."""
        field = F.col(quoted(self.spec.search_field))
        values = F.explode(F.array_distinct(field)) if self.spec.is_multiple else field
        named = self._of([day]).select(values.alias("value")).where("value is not null")
        counted = named.groupBy(F.col("value").cast("string")).count()
        found = {row[0]: row[1] for row in counted.limit(RUNS).collect()}
        if not found:
            raise ValueError(f"search_field {self.spec.search_field!r}: {day} has no value to search for.")
        return found

    def _has(self, value: str) -> Column:
        field, kinds = F.col(quoted(self.spec.search_field)), dict(self.spec.entry_columns)
        wanted = F.lit(value).cast(kinds[self.spec.bucketed_by])
        return F.array_contains(field, wanted) if self.spec.is_multiple else field == wanted


def _read(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()

"""A wave index that a program maintains: a view, and the tables behind it."""

import json
import logging
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import uuid4

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from deltawave.source_state import reads_iceberg
from deltawave.spark_versions import condition_of
from deltawave.sql_text import literal, quoted
from deltawave.wave.guards import Clock
from deltawave.wave.run_plan import plan_run
from deltawave.wave.statements import day_checksum
from deltawave.wave.steps import Naming, Step, leftover_parts, leftover_tables, step, written_days
from deltawave.wave.tables import Day, WaveRecord, WaveSpec

_LOG = logging.getLogger(__name__)
# Even if Delta or Iceberg extends it.
_CATALOG = "spark_catalog"
_MARK = re.compile(r"/\* deltawave (\{.*?\}) \*/", re.DOTALL)


@dataclass(frozen=True)
class WaveTable:
    """The wave index ``schema.name``.

    Only one program at a time may update it; the materialization ``wave_index`` is safe with two. Readers see each
    transition at once, and a stopped program continues where it was.
    """

    session: SparkSession
    schema: str
    name: str

    @property
    def view(self) -> str:
        return quoted(self.schema, self.name)

    def update(
        self,
        rows: DataFrame,
        spec: WaveSpec,
        gaps: str | None = None,
        rebuild: bool = False,
        accept: bool = False,
        drop: Collection[str] | str = (),
        lead_days: int = 1,
    ) -> list[Day]:
        """Load the days of ``rows`` that are new, in order, and replace those that differ; or ``rebuild`` it from them.

        ``gaps``, ``drop`` and ``accept``: see :func:`deltawave.wave.run_plan.plan_run`; ``lead_days``: how many days
        after the current date of the session a day may be. Returns the days that come too late. Raises ``ValueError``
        where that function and :func:`check_catalog` do, for rows with other columns than ``spec``, for a wave index of
        a dbt model, for a source that changes while it is read, and, after the other days were loaded, for days that
        look wrong.
        """
        check_catalog(self.session)
        if sorted(columns := columns_of(rows)) != sorted(spec.columns):
            raise ValueError(f"columns: the rows have {columns!r}, and the specification {spec.columns!r}.")
        drop = [drop] if isinstance(drop, str) else drop
        source = f"wave_{uuid4().hex}"
        mark = marked(self.session, self.view) if self.session.catalog.tableExists(self.view) else None
        shown = WaveRecord.from_json(mark["wave"]) if mark else None
        self._refuse_models(shown)
        record = None if rebuild else shown
        batch, attempt = mark["batch_id"] if mark else 0, uuid4().hex[:12]
        days = delivered(rows, spec)
        plan = plan_run(record, spec, days, gaps, drop, Clock(date_at(self.session), lead_days), accept)
        if plan.unknown:
            unknown = ", ".join(plan.unknown)
            _LOG.warning("%s has no day %s to drop: was it dropped before, or is it misspelt?", self.view, unknown)
        if rebuild and not plan.works and not plan.refused:
            raise ValueError(f"{self.view}: the source has no days to build the wave index from. Nothing was changed.")
        rows.createOrReplaceTempView(source)
        try:
            for each in plan.works:
                if each.kind == "prepare" and (record is None or not record.pending):
                    continue
                batch += 1
                naming = Naming(self.schema, self.name, batch, attempt)
                made = step(record, spec, each, source, naming, shown)
                if changed := self._write(made):
                    _LOG.warning(
                        "%s: the values of day(s) %s differ each time they are read. The days are indexed, and indexed "
                        "again by each run whose select returns them.",
                        self.view,
                        ", ".join(changed),
                    )
                    # The written rows stay; the record gets their checksums.
                    made = step(record, spec, each.as_written(changed), source, naming, shown)
                for statement in (f"{'alter' if shown else 'create'} view {self.view} as {made.select}", *made.drops):
                    self.session.sql(statement)
                record = shown = made.record
        finally:
            self.session.catalog.dropTempView(source)
        if record is not None:
            self._sweep(record, batch)
        if plan.refused:
            done = "The other days were loaded." if plan.loads_days else "Nothing was changed."
            late = f" Too late came {', '.join(day.value for day in plan.late)}." if plan.late else ""
            raise ValueError(
                f"{self.view}: {' '.join(plan.refused)} {done}{late} Correct the days at the source, or leave them "
                "out; if they are right, set accept."
            )
        return plan.late

    def _write(self, made: Step) -> dict[str, str]:
        """The checksums of new days whose written values differ from the counted ones."""
        for statement in made.statements:
            self.session.sql(statement)
        found = written_days(self.session.sql(made.changed_days).collect() if made.changed_days else [])
        if changed := found["changed"]:
            raise ValueError(
                f"{self.view}: the source's rows of {', '.join(changed)} changed while they were read, or differ "
                "each time they are read. Nothing was changed. Run again; which rows a day has must not depend on when "
                "it is read."
            )
        if damaged := found["damaged"]:
            raise ValueError(
                f"{self.view}: the rows of {', '.join(damaged)} in the index are not those that were recorded: "
                "files were changed or lost. Nothing was changed. Restore them, or rebuild the index from a source "
                "that has the days."
            )
        checksums: dict[str, str] = found["checksums"]
        return checksums

    def _sweep(self, record: WaveRecord, batch: int) -> None:
        like = literal(f"{self.name}__index*")
        tables = self.session.sql(f"show tables in {quoted(self.schema)} like {like}").collect()
        for statement in (
            *leftover_tables(record, self.schema, self.name, [row["tableName"] for row in tables], batch),
            *leftover_parts(record, partitions(self.session, record), batch),
        ):
            self.session.sql(statement)

    def _refuse_models(self, record: WaveRecord | None) -> None:
        """Refuse a wave index of a dbt model, whose next run would not know of changes made here."""
        # With state_schema, decisions and tables are in another schema than the view.
        schemas = {quoted(self.schema), *(table.rpartition(".")[0] for table in (record.table_names if record else ()))}
        pattern = literal(f"{self.name}__commit_*")
        decision = re.compile(rf"{re.escape(self.name)}__commit_[0-9]+", re.IGNORECASE)
        for schema in schemas:
            views = self.session.sql(f"show tables in {schema} like {pattern}").collect()
            if any(decision.fullmatch(view["tableName"]) for view in views):
                raise ValueError(f"{self.view} is kept by a dbt model: let dbt update it, or take another name.")


def check_catalog(session: SparkSession) -> None:
    """Raise ``ValueError`` if the current catalog can't hold the tables of a wave index."""
    # In another thread, session.catalog would not know the session's settings.
    name = session.sql("select current_catalog()").collect()[0][0]
    if name != _CATALOG:
        raise ValueError(
            f"The session's catalog is {name!r}. The tables of a wave index are bucketed Parquet tables, which only "
            f"{_CATALOG} holds: take that as spark.sql.defaultCatalog. The source may lie in {name!r}."
        )


def delivered(rows: DataFrame, spec: WaveSpec, known: Sequence[Day] = ()) -> list[Day]:
    """The days of a source, each with its number of rows and its checksum. Of ``known`` ones no row is read."""
    day = F.col(quoted(spec.day_column)).cast("string")
    # In this form, which keeps rows without a day, Spark alone chooses the partitions: a metastore limits the length of
    # conditions, and may compare texts without case.
    is_known = F.coalesce(day.isin([each.value for each in known]), F.lit(False))
    if known and reads_iceberg(rows):
        # Iceberg chooses files itself, by conditions on columns alone.
        column = F.col(quoted(spec.day_column))
        values = [F.lit(each.value).cast(rows.schema[spec.day_column].dataType) for each in known]
        is_known = column.isNotNull() & column.isin(values)
    others = rows.where(~is_known) if known else rows
    grouped = others.groupBy(day).agg(F.count(F.lit(1)), F.expr(day_checksum(spec)))
    days = [Day(*row) for row in grouped.collect()]
    if any(found.value is None for found in days):
        raise ValueError(f"day_column {spec.day_column!r}: some rows have no day. Filter them, or give them one.")
    return [*known, *days]


def date_at(session: SparkSession, instant: str | None = None) -> date:
    """The date of an instant (ISO 8601) in the session's time zone; of now, if there is none."""
    moment = f"timestamp {literal(instant)}" if instant else "current_timestamp()"
    found: date = session.sql(f"select cast({moment} as date)").collect()[0][0]
    return found


def partitions(session: SparkSession, record: WaveRecord) -> dict[str, list[str]]:
    """The partitions of each table that the record needs, as the catalog names them."""
    found: dict[str, list[str]] = {}
    for table in record.table_names:
        try:
            found[table] = [row[0] for row in session.sql(f"show partitions {table}").collect()]
        except AnalysisException as error:
            if condition_of(error) != "TABLE_OR_VIEW_NOT_FOUND":
                raise
            # Another run has continued meanwhile, and dropped it.
    return found


def columns_of(rows: DataFrame) -> tuple[tuple[str, str], ...]:
    """Names and types of columns, for :class:`WaveSpec`."""
    return tuple((field.name, type_text(field.dataType)) for field in rows.schema.fields)


def spelt(columns: tuple[tuple[str, str], ...], *names: str) -> list[str]:
    """Names of columns, in any case, as the columns spell them; others as they are."""
    known = {name.lower(): name for name, _ in columns}
    return [known.get(name.lower(), name) for name in names]


def type_text(kind: DataType) -> str:
    """A type as SQL reads it. The names of a struct's fields are quoted: they may contain any character."""
    if isinstance(kind, StructType):
        fields = (f"{quoted(field.name)}:{type_text(field.dataType)}" for field in kind.fields)
        return f"struct<{','.join(fields)}>"
    if isinstance(kind, ArrayType):
        return f"array<{type_text(kind.elementType)}>"
    if isinstance(kind, MapType):
        return f"map<{type_text(kind.keyType)},{type_text(kind.valueType)}>"
    return kind.simpleString()


def marked(session: SparkSession, relation: str) -> dict[str, Any]:
    """The mark in the text of a wave index's view: ``batch_id``, ``attempt``, and ``wave``, its record.

    Raises ``ValueError`` for another relation.
    """
    facts = session.sql(f"describe extended {relation}").collect()
    texts = [row["data_type"] or "" for row in facts if row["col_name"] == "View Text"]
    # Columns are listed first, and one of them may have that name.
    found = _MARK.search(texts[-1]) if texts else None
    mark: dict[str, Any] = json.loads(found.group(1)) if found else {}
    if "wave" not in mark:
        raise ValueError(f"{relation} is not a wave index.")
    return mark

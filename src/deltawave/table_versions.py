"""The rows that a select of one table of Delta or Iceberg may have lost and gained since a version of the table.

Delta's change data feed has them, where it is on. Otherwise: a row of a file that both versions have is as it was, so
only files that one version has and the other has not are read, by the format itself: without their deleted rows, and
with renamed columns.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from functools import cached_property, reduce
from hashlib import md5
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.resources import holding
from deltawave.source_state import (
    States,
    bytes_of,
    file_index_class,
    is_iceberg,
    items,
    java_class,
    nodes_of,
    plan_now,
    plan_state,
    refresh,
    wary_states,
)
from deltawave.spark_errors import message_of
from deltawave.spark_versions import ClassicFrame, dataset_class, with_inlined_ctes
from deltawave.versioned_tables import DeltaTable, IcebergTable, WholeTableError

# Nodes of a plan that make rows of each row alone, whatever the others are.
_OF_EACH_ROW = {"Filter", "Project", "SubqueryAlias", "View"}
# Spark reads what has changed twice. From this share of the table on, one reading of all is as quick.
_MOST = 0.25
# Spark compares the path of each file with each of these.
_MOST_FILES = 10_000
# A session in which one of these is true leaves out files that it can't read, without a word.
_LENIENT = ("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles")
_LOG = logging.getLogger(__name__)


def source_state(select: DataFrame) -> dict[str, Any]:
    """The ``fingerprint``, ``bytes`` and ``version`` of a select; each is none if it is not known without reading.

    The version is that of the fingerprint: of the one Delta or Iceberg table that the select reads row by row. It is a
    text for ``changed_rows``, which also knows by it whether the select and its settings are the same.
    """
    states = wary_states(select)
    version = _version(select, states) if states and isinstance(select, ClassicFrame) else None
    return {"fingerprint": states.whole if states else None, "bytes": bytes_of(select), "version": version}


def _version(select: ClassicFrame, states: States) -> str | None:
    try:
        source = _Source(select, states.without_tables)
        (table,) = states.tables
        return source.text(source.table.version_in(table))
    except WholeTableError as error:
        _LOG.debug("the source has no version: %s", error)
    except Exception as error:
        # Other releases of the formats may have other methods.
        _LOG.debug("the source's version is not known: %s", error)
    return None


def changed_rows(select: DataFrame, since: str, feed_rows: int = 0) -> tuple[DataFrame, dict[str, Any]]:
    """Rows that a select has gained (``is_there``) or lost since a version of its table.

    Among them may be rows that were lost and gained again. ``feed_rows``: up to how many rows Delta's change data feed
    is read. Figures: ``version``, that of the gained rows; ``commits`` of the feed, or ``files``, how many are read, of
    ``all_files``, and their ``bytes``. Or ``whole``: why the select has to be read whole; then there are no rows.
    """
    try:
        return _changed_rows(select, since, feed_rows)
    except WholeTableError as error:
        reason = str(error)
    except Exception as error:
        reason = next(iter(message_of(error).splitlines()), type(error).__name__)
    return _flagged(select.limit(0), True), {"whole": [reason]}


def _changed_rows(select: DataFrame, since: str, feed_rows: int) -> tuple[DataFrame, dict[str, Any]]:
    if not isinstance(select, ClassicFrame):
        raise WholeTableError("Spark Connect shows no plans")
    for setting in _LENIENT:
        if str(select.sparkSession.conf.get(setting)).lower() == "true":
            raise WholeTableError(f"{setting} is true")
    refresh(select)
    source = _Source(select)
    table, version = source.table, source.version_in(since)
    figures: dict[str, Any] = {"version": [source.text(table.version)]}
    if feed_rows and (feed := table.feed(version)) and feed.rows.count() <= feed_rows:
        parts = [_flagged(source.rows_over(feed.part(is_there)), is_there) for is_there in (False, True)]
        return parts[0].unionAll(parts[1]), figures | {"commits": feed.commits, "bytes": None}
    span = table.span(version)
    count = len(span.lost) + len(span.gained)
    if count > _MOST_FILES or span.bytes > _MOST * span.all_bytes:
        raise WholeTableError(f"{count} files have changed, and the table has {span.all_files}")
    rows = [
        _flagged(source.rows_over(table.rows_of(each, files)), is_there)
        for each, files, is_there in ((version, span.lost, False), (table.version, span.gained, True))
        if files
    ]
    figures |= {"files": count, "all_files": span.all_files, "bytes": span.bytes}
    if not rows:
        return _flagged(select.limit(0), True), figures
    return holding(reduce(DataFrame.unionAll, rows), *rows), figures


def _flagged(rows: DataFrame, is_there: bool) -> DataFrame:
    return rows.withColumn("is_there", F.lit(is_there))


@dataclass
class _Source:
    """A select that makes rows of each row of one table of Delta or Iceberg."""

    select: ClassicFrame
    plan_state: str | None = None

    def text(self, version: str) -> str:
        """A version of the table as a text."""
        return f"{self.table.kind}:{self._state}:{version}"

    def version_in(self, text: str) -> str:
        """The table's version in a text. Raises ``WholeTableError`` if it is of another select."""
        kind, state, version = text.split(":")
        if kind != self.table.kind or state != self._state:
            raise WholeTableError("the table, its columns, the select or the session's settings have changed")
        return version

    def rows_over(self, rows: DataFrame) -> DataFrame:
        """The select's rows over other rows of its table."""
        dataset = dataset_class(self._session).ofRows(self.select._jdf.sparkSession(), self._with(self._plan, rows))
        return holding(DataFrame(dataset, self._session), rows)

    @property
    def _session(self) -> SparkSession:
        return self.select.sparkSession

    @cached_property
    def _plan(self) -> Any:
        return with_inlined_ctes(self._session, plan_now(self.select))

    @cached_property
    def _leaf(self) -> Any:
        *above, leaf = nodes_of(self._plan)
        kinds = {node.getClass().getSimpleName() for node in above}
        if not kinds <= _OF_EACH_ROW or self._plan.subqueriesAll().size():
            raise WholeTableError("the select is more than rows of one table")
        return leaf

    @cached_property
    def table(self) -> DeltaTable | IcebergTable:
        if is_iceberg(self._leaf):
            return IcebergTable(self._session, self._leaf)
        if file_index_class(self._leaf) == "TahoeLogFileIndex":
            return DeltaTable(self._session, self._leaf)
        raise WholeTableError("the table is neither of Delta nor of Iceberg")

    @cached_property
    def _state(self) -> str:
        """What has to be the same for both versions: the select with its settings, and the table's columns."""
        columns = self.table.columns
        plan = self.plan_state or plan_state(self.select, with_tables=False)
        if plan is None:
            raise WholeTableError("only reading it shows what the select gives")
        return md5(json.dumps([plan, columns]).encode(), usedforsecurity=False).hexdigest()

    def _with(self, node: Any, rows: DataFrame) -> Any:
        """The plan with other rows in place of its leaf's, by the numbers under which nodes above know the columns."""
        if node.children().size():
            return node.withNewChildren(self._sequence([self._with(child, rows) for child in items(node.children())]))
        plan: Any = rows._jdf.queryExecution().analyzed()
        found = {str(column.name()): column for column in items(plan.output())}
        alias = java_class(self._session, "org.apache.spark.sql.catalyst.expressions.Alias")
        none = java_class(self._session, "scala.Option").empty()
        cells = []
        for column in items(node.output()):
            name = str(column.name())
            if name not in found:
                raise WholeTableError(f"the select takes {name}, which is no column of the table")
            cells.append(alias(found[name], name, column.exprId(), column.qualifier(), none, self._sequence([])))
        project = java_class(self._session, "org.apache.spark.sql.catalyst.plans.logical.Project")
        return project(self._sequence(cells), plan)

    def _sequence(self, values: list[Any]) -> Any:
        """A sequence of Scala."""
        listed = java_class(self._session, "java.util.ArrayList")()
        for value in values:
            listed.add(value)
        return java_class(self._session, "org.apache.spark.api.python.PythonUtils").toSeq(listed)

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
    bytes_of,
    file_index_class,
    is_iceberg,
    items,
    java_class,
    nodes_of,
    plan_state,
    refresh,
    wary_states,
)
from deltawave.spark_versions import ClassicFrame, dataset_class, with_inlined_ctes
from deltawave.versioned_tables import DeltaTable, IcebergTable, WholeTableError

# Nodes of a plan that make rows of each row alone, whatever the others are.
_OF_EACH_ROW = {"Filter", "Project", "SubqueryAlias", "View"}
# What is read is read twice, and by Spark. From this share of the table's bytes on, one reading of all is as quick.
_MOST = 0.25
_LOG = logging.getLogger(__name__)


def source_state(select: DataFrame) -> dict[str, Any]:
    """The ``fingerprint``, ``bytes`` and ``version`` of a select; each is none if it is not known without reading."""
    whole, plan = wary_states(select) or (None, None)
    return {"fingerprint": whole, "bytes": bytes_of(select), "version": version_of(select, plan) if plan else None}


def version_of(select: DataFrame, plan: str | None = None) -> str | None:
    """The version of the one table that a select reads row by row; None if it does something else.

    A text for ``changed_rows``, which also knows by it whether the select, its columns and settings are the same.
    ``plan``: the state of the select's plan without its tables, if that is known.
    """
    if not isinstance(select, ClassicFrame):
        return None
    try:
        return _Source(select, plan).version
    except WholeTableError as error:
        _LOG.debug("the source has no version: %s", error)
    except Exception as error:
        # Other releases of the formats may have other methods.
        _LOG.debug("the source's version is not known: %s", error)
    return None


def changed_rows(select: DataFrame, since: str, takes_feed: bool = True) -> tuple[DataFrame, dict[str, Any]]:
    """Rows that a select has gained (``is_there``) or lost since a version of its table, and others once in each way.

    ``takes_feed``: from Delta's change data feed, if the table has one. Figures: ``version``, as of ``version_of``;
    ``commits`` of the feed, or ``files``, how many are read, of ``all_files``, and their ``bytes``. Or ``whole``: why
    the select has to be read whole; then there are no rows.
    """
    try:
        return _changed_rows(select, since, takes_feed)
    except WholeTableError as error:
        reason = str(error)
    except Exception as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
    return _flagged(select.limit(0), True), {"whole": [reason]}


def _changed_rows(select: DataFrame, since: str, takes_feed: bool) -> tuple[DataFrame, dict[str, Any]]:
    if not isinstance(select, ClassicFrame):
        raise WholeTableError("Spark Connect shows no plans")
    refresh(select)
    source = _Source(select)
    table, version = source.table, source.version_before(since)
    if takes_feed and (feed := table.feed(version)):
        rows = [
            _flagged(source.rows_over(part), is_there) for part, is_there in ((feed.lost, False), (feed.gained, True))
        ]
        return rows[0].unionAll(rows[1]), {"version": [source.version], "commits": feed.commits, "bytes": None}
    old, new = table.files(version), table.files(table.version)
    lost = {key: file for key, file in old.items() if key not in new}
    gained = {key: file for key, file in new.items() if key not in old}
    size = sum(file.bytes for file in (*lost.values(), *gained.values()))
    if size > _MOST * sum(file.bytes for file in new.values()):
        raise WholeTableError(f"{len(gained)} of the table's {len(new)} files are new")
    rows = [
        _flagged(source.rows_over(table.rows_of(each, files)), is_there)
        for each, files, is_there in ((version, lost, False), (table.version, gained, True))
        if files
    ]
    figures = {"version": [source.version], "files": len(lost) + len(gained), "all_files": len(new), "bytes": size}
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

    @property
    def version(self) -> str:
        return f"{self.table.kind}:{self._state}:{self.table.version}"

    def version_before(self, since: str) -> str:
        """The table's version in a text of ``version_of``. Raises ``WholeTableError`` if it is of another select."""
        kind, state, version = since.split(":")
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
        return with_inlined_ctes(self._session, self.select._jdf.queryExecution().analyzed())

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

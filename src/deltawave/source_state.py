"""What identifies the content of tables and selects without reading it: versions of tables, and files."""

import json
import logging
import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import md5
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from deltawave.redaction import is_secret
from deltawave.spark_versions import FUNCTIONS_OF_USERS, ClassicFrame, JavaClass, settings_of, tree_of

_FILES = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
# A file's status, as Hadoop prints it, but for when it was last read.
_ACCESS_TIME = re.compile(r"access_time=\d+; ")
_MODIFIED = re.compile(r"modification_time=(\d+)")
# A file that was written so recently may be written again with the same size within what its file system calls the
# same time.
_SETTLED_SECONDS = 3
# Nodes of a plan that do nothing but what their text says.
_NODES = {
    *("Aggregate", "CTERelationDef", "CTERelationRef", "Deduplicate", "Distinct", "Except", "Expand", "Filter"),
    *("Generate", "GlobalLimit", "Intersect", "Join", "LateralJoin", "LocalLimit", "LogicalRelation", "Offset"),
    *("OneRowRelation", "Pivot", "Project", "Range", "RebalancePartitions", "Repartition", "RepartitionByExpression"),
    *("ResolvedHint", "Sort", "SubqueryAlias", "Tail", "Union", "Unpivot", "View", "Window", "WithCTE"),
    "DataSourceV2Relation",
}
_CONSTANT = {"CTERelationRef", "OneRowRelation", "Range"}
# From so many on, it is the number that Spark takes for a table of unknown size.
_UNKNOWN_BYTES = 1 << 62
# Functions of users, session variables, and the clock may give something else each time.
_PATTERNS = ("CURRENT_LIKE", *FUNCTIONS_OF_USERS)
_UNKNOWN = re.compile(
    # Spark reads a text such as 'today' by the clock where it becomes a date.
    r"(?:udf|udaf|udtf|aggregator)\w*[#(]|variablereference\(|'\s*(?:now|today|tomorrow|yesterday)\b",
    re.IGNORECASE,
)
# Settings whose defaults come from the machine, and prefixes of those that decide what is read.
_SETTINGS = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled", "spark.sql.caseSensitive")
_PREFIXES = ("spark.sql.", "spark.wap.", "spark.databricks.")
# What Delta notes of the session's last commit, to any table.
_NOTES = {"spark.databricks.delta.lastCommitVersionInSession"}
# Catalogs that Iceberg adds to a session when a table is loaded by its path, or chosen files are.
_ADDED = re.compile(r"spark\.sql\.catalog\.default_(?:iceberg|rewrite_catalog|cache_catalog)(?:\.|$)")
_LOG = logging.getLogger(__name__)


def fingerprint(select: DataFrame) -> str | None:
    """Return a value that changes when the select's rows may have changed; None if only reading the rows can show it.

    It covers the select's plan, with views in it, the session's settings but secrets, and the tables: the version of
    Delta and Iceberg, the path, size and time of other files. It is none if the plan depends on the clock, chance or
    code of users, or reads anything else, a file of the last seconds, or a part of a partitioned table, whose other
    partitions would have to be listed; and under Spark Connect, which shows no plans.
    """
    states = wary_states(select)
    return states.whole if states else None


def wary_states(select: DataFrame) -> "States | None":
    """As :func:`fingerprint`, with what it consists of."""
    if not isinstance(select, ClassicFrame):
        return None
    try:
        refresh(select)
        return _states(select, is_wary=True)
    except Exception as error:
        # Reading the select may well work, or fails with a better message.
        _LOG.debug("the source has to be read, since its state is not known: %s", error)
        return None


def plan_state(select: ClassicFrame, with_tables: bool = True) -> str | None:
    """As :func:`fingerprint`, by Spark's own lists, and of new files and of all partitions, too.

    ``with_tables`` false leaves out the states of the tables.
    """
    states = _states(select, with_tables=with_tables)
    return states.whole if states else None


@dataclass(frozen=True)
class States:
    """The state of a select as a value: ``whole``, and without its tables; and those of each of its ``tables``."""

    whole: str
    without_tables: str
    tables: list[list[Any]]


def plan_now(select: ClassicFrame) -> Any:
    """A select's plan with the tables' versions of now, and what Spark has cached: the frame's own plan has neither."""
    return select.select("*")._jdf.queryExecution().withCachedData()


def _states(select: ClassicFrame, is_wary: bool = False, with_tables: bool = True) -> States | None:
    session = select.sparkSession
    whole = plan_now(select)
    state: list[Any] = []
    tables: list[Any] = []
    for plan in (whole, *items(whole.subqueriesAll())):
        if (text := plan_text(session, plan)) is None:
            return None
        state.append(text)
        nodes = [(node, node.getClass().getSimpleName().removesuffix("$")) for node in nodes_of(plan)]
        kinds = {kind for _, kind in nodes}
        if not kinds <= _NODES:
            return None
        for node, kind in nodes:
            if kind == "View":
                view = node.desc()
                settings = (setting.toString() for setting in items(view.viewSQLConfigs().toSeq()))
                state.append([str(view.viewText()), *sorted(settings)])
            elif with_tables and not node.children().size() and kind not in _CONSTANT:
                # Of a table of the catalog with partitions, the filter may leave some unread.
                if is_wary and "Filter" in kinds and "Catalog" in (file_index_class(node) or ""):
                    return None
                table = table_state(node)
                if table is None or (is_wary and is_recent(table)):
                    return None
                tables.append(table)
    whole_state = [session.version, session_settings(session), select.schema.json(), state]
    without = _digest(whole_state)
    return States(_digest([*whole_state, tables]) if with_tables else without, without, tables)


def _digest(state: list[Any]) -> str:
    return md5(json.dumps(state).encode(), usedforsecurity=False).hexdigest()


def bytes_of(select: DataFrame) -> int | None:
    """Return the size of the files that a select or a table reads; none if they are not listed without reading.

    Partitions that the select leaves out are not counted. Within files, Spark may skip columns and groups of rows.
    """
    if not isinstance(select, ClassicFrame):
        return None
    try:
        sizes = [_bytes_of_leaf(leaf) for leaf in leaves_of(select)]
    except Exception as error:
        # A figure alone must not fail a batch.
        _LOG.debug("the size of what was read is not known: %s", error)
        return None
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def plan_text(session: SparkSession, plan: Any) -> str | None:
    """A plan as text, without the states of its tables; none if it depends on the clock, chance or code of users."""
    tree_pattern = java_class(session, "org.apache.spark.sql.catalyst.trees.TreePattern")
    patterns = [getattr(tree_pattern, name)() for name in _PATTERNS]
    canonicalized = plan.canonicalized()
    text = tree_of(canonicalized)
    # The tree shows texts without quotes.
    inner = (node for node in nodes_of(canonicalized) if node.children().size())
    text += "".join(f"\n{each.sql()}" for node in inner for each in items(node.expressions()))
    is_known = plan.deterministic() and not any(map(plan.containsPattern, patterns)) and not _UNKNOWN.search(text)
    return text if is_known else None


def session_settings(session: SparkSession) -> list[tuple[str, str]]:
    """The settings of a session that decide what a plan gives. Secrets do not, and may be new each time."""
    known = settings_of(session).items()
    settings = [
        (key, value)
        for key, value in known
        if key.startswith(_PREFIXES) and key not in _NOTES and not _ADDED.match(key) and not is_secret(key)
    ]
    return sorted(settings + [(name, str(session.conf.get(name))) for name in _SETTINGS])


def refresh(frame: DataFrame) -> None:
    """Forget cached lists of the frame's files and snapshots, which hide what other processes have written."""
    # A server of Spark Connect keeps its lists to itself.
    if not isinstance(frame, ClassicFrame):
        return
    plan: Any = frame._jdf.queryExecution().analyzed()
    for part in (plan, *items(plan.subqueriesAll())):
        part.refresh()
        for leaf in filter(is_iceberg, items(part.collectLeaves())):
            leaf.table().table().refresh()


def table_state(leaf: Any) -> list[Any] | None:
    """The state of a table in a plan: its version or files, and its columns; none if it has neither."""
    columns = [f"{column.sql()} {column.dataType().catalogString()}" for column in items(leaf.output())]
    if is_iceberg(leaf):
        table = leaf.table().table()
        # When its snapshot became the current one: the same one may come back by a rollback.
        history = table.history()
        since = int(history[len(history) - 1].timestampMillis()) if len(history) else 0
        # With the numbers of columns: one that is dropped and added again is another one in the same version.
        # The mapping says which columns of files without numbers are its own, and belongs to no snapshot.
        schema = [table.schema().toString(), table.properties().get("schema.name-mapping.default")]
        # Iterating a map of Java ends by an exception, which takes a twentieth of a second.
        options = [] if leaf.options().isEmpty() else sorted(dict(leaf.options()).items())
        return ["iceberg", table.uuid().toString(), leaf.table().version(), since, options, schema, columns]
    files = file_index(leaf)
    kind = files and files.getClass().getSimpleName()
    if kind == "TahoeLogFileIndex" and not files.partitionFilters().size():
        snapshot = files.getSnapshot()
        # A version that was restored from a backup may be followed by others of the same numbers.
        return ["delta", snapshot.metadata().id(), [snapshot.version(), snapshot.timestamp()], columns]
    if kind != "InMemoryFileIndex":
        return None
    # The values of partitions are in no file, and the catalog may give a folder others.
    partitions = sorted(files.partitionSpec().partitions().mkString("\n").splitlines())
    status = sorted(_ACCESS_TIME.sub("", files.allFiles().mkString("\n")).split("\n"))
    form = leaf.relation().fileFormat().getClass().getName()
    # With the default values of columns that files lack.
    schema = leaf.schema().json()
    return ["files", status, partitions, form, sorted(str(leaf.relation().options()).split(", ")), schema, columns]


def is_recent(table: list[Any]) -> bool:
    """Whether a file of a table of this state may still be written again without a trace."""
    kind, status, *_ = table
    found = [_MODIFIED.search(each) for each in status if each] if kind == "files" else []
    newest = max((int(each[1]) / 1000 if each else math.inf for each in found), default=0)
    return newest > time.time() - _SETTLED_SECONDS


def file_index(leaf: Any) -> Any:
    """What lists the files that a plan's leaf reads; none if it reads anything else than files."""
    kind = file_index_class(leaf)
    files: Any = leaf.relation().location() if kind else None
    # A leaf has no children: all partitions, as the catalog has them.
    return files.filterPartitions(leaf.children()) if kind == "CatalogFileIndex" else files


def leaves_of(frame: ClassicFrame) -> Iterator[Any]:
    """The leaves of a frame's optimized plan, with those of its subqueries."""
    plan: Any = frame._jdf.queryExecution().optimizedPlan()
    for each in (plan, *items(plan.subqueriesAll())):
        yield from items(each.collectLeaves())


def is_iceberg(leaf: Any) -> bool:
    """Whether a plan's leaf is a table of Iceberg."""
    is_v2 = leaf.getClass().getSimpleName() == "DataSourceV2Relation"
    return is_v2 and str(leaf.table().getClass().getName()) == "org.apache.iceberg.spark.source.SparkTable"


def reads_iceberg(frame: DataFrame) -> bool:
    """Whether a frame reads a table of Iceberg. Under Spark Connect, which shows no plans, it seems not to."""
    if not isinstance(frame, ClassicFrame):
        return False
    plan: Any = frame._jdf.queryExecution().analyzed()
    return any(map(is_iceberg, items(plan.collectLeaves())))


def java_class(session: SparkSession, name: str) -> Any:
    """A class of Java by its full name. By way of its packages, Java would search all of Spark's jars for each."""
    gateway: Any = session.sparkContext._gateway
    return JavaClass(name, gateway._gateway_client)


def items(sequence: Any) -> list[Any]:
    """The items of a sequence of Scala."""
    return [sequence.apply(at) for at in range(sequence.size())]


def nodes_of(plan: Any) -> Iterator[Any]:
    """The nodes of a plan, each before those below it."""
    yield plan
    for child in items(plan.children()):
        yield from nodes_of(child)


def _bytes_of_leaf(leaf: Any) -> int | None:
    """The size of the files of a leaf of an optimized plan; none if it is not known."""
    if leaf.getClass().getSimpleName().removesuffix("$") in _CONSTANT | {"LocalRelation"}:
        return 0
    files = file_index(leaf)
    if files is None:
        return None
    if files.getClass().getSimpleName() == "InMemoryFileIndex" and files.partitionSpec().partitions().size():
        table = leaf.catalogTable()
        if not (table.isDefined() and table.get().tracksPartitionsInCatalog()):
            # Spark leaves out partitions of such folders later.
            return None
    size = int(files.sizeInBytes())
    return size if size < _UNKNOWN_BYTES else None


def file_index_class(leaf: Any) -> str | None:
    """The class of what lists the files that a plan's leaf reads; none if it reads anything else than files."""
    if leaf.nodeName() != "LogicalRelation":
        return None
    kind = leaf.relation().getClass()
    is_of_files = _FILES in (kind.getName(), kind.getSuperclass().getName())
    return str(leaf.relation().location().getClass().getSimpleName()) if is_of_files else None

"""Sources of streams: the files of a folder or a table, and messages of Kafka. No row is skipped in silence."""

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import reduce
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.dataset import dataset
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from deltawave.meshjoin.batches import map_in_arrow
from deltawave.rows.batches import Batches
from deltawave.rows.parquet_files import NotInPlaceError, located
from deltawave.source_state import items
from deltawave.sql_text import quoted, unused_prefix

# By default Spark silently skips a file that is a week older than the newest one.
ANY_AGE = {"maxFileAge": "36500d"}


def with_key(stream: DataFrame, kind: str, key: Sequence[str]) -> DataFrame:
    """Return the stream; the query fails with ``ValueError`` at a file without a column of the key.

    Parquet and ORC files are checked, and JSON files that have a row with a null key; not files that only Hadoop
    reaches, and JSON objects that span several lines.
    """
    if kind not in ("parquet", "orc", "json"):
        return stream
    path = unused_prefix("file_", stream.columns)
    own = [name for name in key if name in stream.columns]

    def look(batches: Batches) -> Batches:
        known = set[str]()
        for batch in batches:
            files = batch.column(path)
            if kind == "json" and own:
                files = files.filter(reduce(pc.or_, (pc.is_null(batch.column(name)) for name in own)))
            for file in set(pc.unique(files).to_pylist()) - known:
                _look(file, kind, own)
                known.add(file)
            yield batch.drop_columns([path])

    return map_in_arrow(stream.select("*", F.col("_metadata.file_path").alias(path)), look, stream.schema)


def _look(file: str, kind: str, key: Sequence[str]) -> None:
    # Spark takes the values of partitions from the names of folders.
    in_folders = {unquote(part.partition("=")[0]).lower() for part in file.split("/")}
    # Spark matches fields of JSON by exact case.
    written = str if kind == "json" else str.lower
    for names in _columns(file, kind):
        has = set(map(written, names))
        missing = [name for name in key if written(name) not in has and name.lower() not in in_folders]
        if missing and (names or kind == "json"):
            raise ValueError(
                f"The stream's file {file} has no column {missing[0]}; it has {', '.join(names)}. "
                "Write it again, or take it out of the stream's folder."
            )


def _columns(file: str, kind: str) -> Iterator[list[str]]:
    """The columns of a file, or of each object in it; nothing for a file that can't be read here."""
    with suppress(OSError, pa.ArrowException, NotInPlaceError, NotImplementedError):
        system, path = located(file)
        if kind != "json":
            yield dataset(path, format=kind, filesystem=system).schema.names
            return
        # Lines after one that is no JSON, or in another encoding, may be parts of objects.
        with system.open_input_stream(path) as opened, suppress(ValueError):
            for line in io.BufferedReader(opened):
                found = json.loads(line) if line.strip() else []
                rows = found if isinstance(found, list) else [found]
                yield from (list(row) for row in rows if isinstance(row, dict))


def stream_of(table: DataFrame, **options: str) -> DataFrame:
    """Return the stream of a table's rows: the present ones, and those of files that are added later.

    - ``table``: all rows of a table, as ``dbt.source``, ``dbt.ref`` and ``session.table`` give them
    - ``options``: of Spark's source, such as ``maxFilesPerTrigger="100"``

    A file is loaded once, by its name: a file that is replaced under its name is not read again, while a table that is
    rewritten into other files is read again as a whole. A view may select columns of one table, as that of an external
    source does; ``ValueError`` is raised for other views and for frames that are not simply a table. A frame that
    ``dbt run --empty`` has emptied is returned as it is, and is no stream.
    """
    jtable: Any = table._jdf
    plan = jtable.queryExecution().analyzed()
    if plan.nodeName() == "GlobalLimit" and table.isEmpty():
        return table
    name = _table_of(plan).identifier()
    parts = [*items(name.qualifier()), name.name()]
    stream = table.sparkSession.readStream.options(**{**ANY_AGE, **options}).table(".".join(map(quoted, parts)))
    return stream.select([quoted(column) for column in table.columns])


def _table_of(plan: Any) -> Any:
    """Return the plan of the table itself, also under a view that only selects columns of it under their names."""
    while plan.nodeName() == "SubqueryAlias" and plan.child().nodeName() == "View":
        plan = plan.child().child()
        while plan.nodeName() == "Project" and all(map(_is_column, items(plan.projectList()))):
            plan = plan.child()
    if plan.nodeName() != "SubqueryAlias":
        raise ValueError(
            "stream_of takes all rows of a table, or of a view that only selects columns of one table: select from the "
            "stream that it returns. An external source with files of several headers has a table for each of them: "
            "stream these tables."
        )
    return plan


def _is_column(named: Any) -> bool:
    """Is this item of a select list a column under its own name and of its own type?"""
    column = named
    while column.nodeName() in ("Alias", "Cast", "UpCast"):
        column = column.child()
    is_reference = column.nodeName() == "AttributeReference"
    return is_reference and named.name() == column.name() and bool(named.dataType().equals(column.dataType()))


_OBJECT = "map<string, string>"


def json_rows(messages: DataFrame, schema: str, key: Sequence[str] = (), malformed: str | None = None) -> DataFrame:
    """Return the rows of messages whose ``value`` is one JSON object of this schema.

    The fields of ``key`` have to be there, though they may be null; others may be missing. Messages without a value are
    skipped. If a value is not such an object, or has only other fields, the query fails and names topic, partition and
    offset. With ``malformed``, a column of that name has topic, partition, offset and value of such a message instead,
    and is null for rows: :func:`deltawave.meshjoin.stream_join` sets these messages aside.
    """
    wanted = messages.sparkSession.createDataFrame([], schema).schema
    names = wanted.names
    wrong = unused_prefix("wrong_", names)
    text = F.col("value").cast("string")
    with_wrong = StructType([*wanted, StructField(wrong, StringType())])
    read = messages.where("value is not null").select(
        "topic",
        "partition",
        "offset",
        text.alias("value"),
        F.from_json(text, with_wrong, {"columnNameOfCorruptRecord": wrong}).alias("row"),
        _fields(text).alias("fields"),
    )
    is_wrong = F.col("fields").isNull() | F.col("row").isNull() | F.col(f"row.{quoted(wrong)}").isNotNull()
    is_other = (F.size("fields") > 0) & ~F.arrays_overlap("fields", F.array(*map(F.lit, names)))
    is_malformed = is_wrong | is_other
    for name in key:
        is_malformed = is_malformed | ~F.array_contains("fields", name)
    cells = [F.col(f"row.{quoted(name)}").alias(name) for name in names]
    if malformed is not None:
        aside = F.when(is_malformed, F.struct("topic", "partition", "offset", "value")).alias(malformed)
        return read.select(*cells, aside)
    message = F.format_string(
        "The message at offset %s of partition %s of topic %s is no JSON of the schema %s: %s. "
        "Correct the schema, or keep such messages aside (--keep-malformed, in Python malformed).",
        *(F.col(name).cast("string") for name in ("offset", "partition", "topic")),
        F.lit(f"{schema}, with {', '.join(key)}" if key else schema),
        F.substring("value", 1, 200),
    )
    checked = F.when(is_malformed, F.raise_error(message)).otherwise(F.col("row")).alias("row")
    return read.select(checked).select(*cells)


def _fields(text: Column) -> Column:
    """The names of an object's fields; null if the text is anything but one object.

    Of several objects, or an object followed by something else, Spark would read only the first. Wrapped in an array
    and in an object, such a text is more than one value, or no JSON: a text can close only one of the two early.
    """
    in_array = F.from_json(F.concat(F.lit("["), text, F.lit("]")), f"array<{_OBJECT}>")
    in_object = F.from_json(F.concat(F.lit('{"value":'), text, F.lit("}")), f"map<string, {_OBJECT}>")
    is_alone = (F.size(in_array) == 1) & (F.size(in_object) == 1)
    return F.when(is_alone, F.map_keys(F.element_at(in_array, 1)))

"""What catalogs lose: the folders of some managed tables, and the case of a view's columns.

A killed ``create table ... as select`` leaves a folder without a table: every further attempt at that
name fails with LOCATION_ALREADY_EXISTS, and ``drop table`` finds nothing to drop.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dbt_common.exceptions import DbtRuntimeError
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from deltawave.sql_text import literal, quoted

SCHEMA = "spark.sql.sources.schema"
# Spark splits the text in the same way, since a metastore limits the length of a value.
PART_LENGTH = 4000


def remove_leftovers(session: SparkSession, schema: str, identifier: str) -> bool:
    """Delete the folder of the managed table ``schema.identifier``; return whether there was one.

    Raises ``DbtRuntimeError`` when the catalog has the table, or another one in that folder. A
    Spark Connect client has no file system to look at: it removes nothing.
    """
    if not identifier or identifier in (".", "..") or "/" in identifier:
        raise DbtRuntimeError(f"remove_leftover_folder: {identifier!r} is no name of a table.")
    if not hasattr(session, "_jsparkSession"):
        return False
    if session.catalog.tableExists(quoted(schema, identifier)):
        raise DbtRuntimeError(f"remove_leftover_folder: {schema}.{identifier} exists in the catalog; drop it instead.")
    database = session.catalog.getDatabase(quoted(schema)).locationUri
    # Spark names the folder like the table in the statement, or in lower case.
    folders = [f"{database.rstrip('/')}/{name}" for name in {identifier, identifier.lower()}]
    removed = [_delete(session, schema, folder) for folder in folders]
    return any(removed)


def _delete(session: Any, schema: str, folder: str) -> bool:
    path = session._jvm.org.apache.hadoop.fs.Path(folder)
    files = path.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
    if not files.exists(path):
        return False
    owner = _table_at(session, schema, files.makeQualified(path).toString())
    if owner is not None:
        raise DbtRuntimeError(f"remove_leftover_folder: {folder} belongs to the table {schema}.{owner}.")
    return bool(files.delete(path, True))


def _table_at(session: SparkSession, schema: str, folder: str) -> str | None:
    """Return the table of ``schema`` in ``folder``: a renamed Iceberg table keeps its old one."""
    for table in session.catalog.listTables(quoted(schema)):
        if table.isTemporary or table.tableType == "VIEW":
            continue
        rows = session.sql(f"describe table extended {quoted(schema, table.name)}").collect()
        locations = [row["data_type"] for row in rows if row["col_name"] == "Location"]
        if any(location.rstrip("/") == folder.rstrip("/") for location in locations):
            return table.name
    return None


def names_clause(schema: StructType, comments: Mapping[str, str]) -> str:
    """Return the ``tblproperties (...)`` of a view with this schema, in which Spark finds its names and comments.

    Iceberg's session catalog writes a view's columns in lower case; Spark reads them from these
    properties first, where it also stores the schemas of its own views. The keys of ``comments`` are
    column names in lower case.
    """
    described = schema.jsonValue()
    for field in described["fields"]:
        if comment := comments.get(field["name"].lower()):
            field["metadata"] = {**field["metadata"], "comment": comment}
    text = json.dumps(described)
    parts = [text[start : start + PART_LENGTH] for start in range(0, len(text), PART_LENGTH)]
    properties = {f"{SCHEMA}.numParts": str(len(parts))}
    properties |= {f"{SCHEMA}.part.{number}": part for number, part in enumerate(parts)}
    return f"tblproperties ({', '.join(f'{literal(name)} = {literal(value)}' for name, value in properties.items())})"

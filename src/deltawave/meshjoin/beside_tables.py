"""Where what belongs to a session's tables, and is none, lies."""

from __future__ import annotations

from pyspark.sql import SparkSession


def beside_tables(session: SparkSession, kind: str, name: str) -> str:
    """A folder for something of this kind and name, next to the session's warehouse: a path or a URI."""
    warehouse = (session.conf.get("spark.sql.warehouse.dir") or "").rstrip("/")
    return f"{warehouse.rpartition('/')[0]}/{kind}/{name.replace('`', '')}"

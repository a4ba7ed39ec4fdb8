"""Where what belongs to a session's tables, and is none, lies."""

from __future__ import annotations

from urllib.parse import urlsplit

from pyspark.sql import SparkSession


def beside_tables(session: SparkSession, kind: str, name: str) -> str:
    """A folder for something of this kind and name, next to the session's warehouse: a path or a URI.

    It has the warehouse's name in its own, as there may be others next to it.
    """
    warehouse = (session.conf.get("spark.sql.warehouse.dir") or "").rstrip("/")
    # Beside the root of a file system, or a bucket, there is nothing.
    beside = f"{warehouse}_{kind}" if urlsplit(warehouse).path.strip("/") else f"{warehouse}/_{kind}"
    return f"{beside}/{name.replace('`', '')}"

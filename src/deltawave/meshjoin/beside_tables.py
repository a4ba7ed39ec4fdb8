"""Folders for data that belongs to a session's tables, but is no table."""

from __future__ import annotations

from urllib.parse import urlsplit

from pyspark.sql import SparkSession


def beside_tables(session: SparkSession, kind: str, name: str) -> str:
    """A folder for something of this kind and name, next to the session's warehouse: a path or a URI.

    Its name contains the warehouse's name, as there may be other warehouses next to it.
    """
    warehouse = (session.conf.get("spark.sql.warehouse.dir") or "").rstrip("/")
    # There is no folder beside the root of a file system or a bucket.
    beside = f"{warehouse}_{kind}" if urlsplit(warehouse).path.strip("/") else f"{warehouse}/_{kind}"
    return f"{beside}/{name.replace('`', '')}"

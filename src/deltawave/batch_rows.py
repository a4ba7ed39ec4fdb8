"""The row of a decided batch in x__batches, written without a statement, which would take a tenth of a second."""

import logging
import math
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark

_LOG = logging.getLogger(__name__)
_TYPES = {
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
_INSTANT = "%Y-%m-%dT%H:%M:%S.%fZ"


def comparisons_before_error(checksums: int) -> float | None:
    """How many comparisons are expected before a checksum of 128 bits hides a change (LG96 3.2); as that macro."""
    return -1 / math.expm1(checksums * math.log1p(-(2.0**-128))) if checksums else None


def write_row(table: str, types: Mapping[str, str], row: Mapping[str, Any], checksums: int = 0) -> bool:
    """Write the row of an ``attempt`` as a Parquet file into its partition of the folder of a ``table``.

    Return false if it cannot be written there, and Spark has to do it. ``types``: Spark's types of the columns.
    Instants are texts in UTC. If the row is written once more, it is the same file.
    """
    if not table.startswith("file:"):
        return False
    path = Path("/" + table.removeprefix("file:").lstrip("/"), f"batch_id={row['batch_id']}")
    row = {**row, "comparisons_before_error": comparisons_before_error(checksums)}
    cells = {name: pa.array([_value(row[name], kind)], _TYPES[kind]) for name, kind in types.items()}
    rows = pa.table(cells)
    name = f"part-00000-{row['attempt']}.snappy.parquet"
    # Spark skips hidden files: a reader never finds half of one.
    hidden = path / f".{uuid4()}-{name}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(hidden, rows.schema, compression="snappy", store_schema=False) as writer:
            writer.write_table(rows)
            # By it Spark knows which calendar the times follow.
            writer.add_key_value_metadata({"org.apache.spark.version": pyspark.__version__})
        hidden.rename(path / name)
    except OSError as error:
        # Such as a folder of another user.
        _LOG.info("Spark writes the row of the batch: %s", error)
        with suppress(OSError):
            hidden.unlink()
        return False
    return True


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "timestamp":
        return datetime.strptime(value, _INSTANT).replace(tzinfo=timezone.utc)
    if kind == "bigint":
        return int(value)
    return float(value) if kind == "double" else str(value)

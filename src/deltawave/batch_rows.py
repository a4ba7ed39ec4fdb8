"""The row of a decided batch in x__batches, written without a statement, which would take a tenth of a second."""

import math
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

_TYPES = {
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
_INSTANT = "%Y-%m-%dT%H:%M:%S.%fZ"


def comparisons_before_error(checksums: int, bits: int) -> float | None:
    """How many comparisons are expected before a checksum hides a change (LG96 3.2); as the macro of that name."""
    return -1 / math.expm1(checksums * math.log1p(-(2.0**-bits))) if checksums else None


def write_row(folder: str, types: Mapping[str, str], row: Mapping[str, Any]) -> bool:
    """Write a row as a Parquet file into a folder, which is made if need be; false if it is not on this machine.

    ``types``: Spark's types of the columns. Instants are texts in UTC.
    """
    if not folder.startswith("file:"):
        return False
    path = Path("/" + folder.removeprefix("file:").lstrip("/"))
    cells = {name: pa.array([_value(row[name], kind)], _TYPES[kind]) for name, kind in types.items()}
    path.mkdir(parents=True, exist_ok=True)
    name = f"part-00000-{uuid4()}.snappy.parquet"
    # Spark skips hidden files: a reader never finds half of one.
    hidden = path / f".{name}"
    pq.write_table(pa.table(cells), hidden, compression="snappy", store_schema=False)
    hidden.rename(path / name)
    return True


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "timestamp":
        return datetime.strptime(value, _INSTANT).replace(tzinfo=timezone.utc)
    return {"bigint": int, "double": float, "string": str}[kind](value)

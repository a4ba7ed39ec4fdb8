"""Files to compare, and what ``deltawave compare`` finds."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

Found = Callable[..., dict[str, Any]]


def written(folder: Path, name: str, text: str | bytes) -> str:
    file = folder / name
    data = text if isinstance(text, bytes) else text.encode()
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return str(file)


def parquet(tmp_path: Path, name: str, select: str) -> str:
    path = tmp_path / name
    duckdb.execute(f"copy ({select}) to '{path}' (format parquet)")
    return str(path)


def changed(result: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(*each["key"], each["column"], each["old"], each["new"]) for each in result["changes"]]

"""A person in dumps, and whether any file of the workbench's schema still has something of them."""

import re
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from workbench import Workbench

PERSON = "person-4711"
# Users have them, and erase there themselves.
SOURCES = ("dump", "landed")
SECRETS = (PERSON, "Zoe Quist", "Zoe Quince")
DUMPS = [
    {PERSON: SECRETS[1], "a": "ann", "b": "bob", "d": "dan"},
    {PERSON: SECRETS[2], "a": "ann", "b": "bobby", "c": "cid"},
    {PERSON: SECRETS[1], "a": "anna", "c": "cid", "d": "dan"},
]


def select(rows: dict[str, str], *others: tuple[str, str]) -> str:
    """A dump of these rows, and of others whose keys may be among them."""
    values = ", ".join(f'("{key}", "{name}")' for key, name in [*rows.items(), *others])
    return f"select * from values {values} as t(account_id, name)"


def files(bench: Workbench, *others: Path) -> Iterator[tuple[Path, bytes]]:
    """What lies in the schema's relations but for the sources, and in other folders."""
    for name, content in contents_of(bench):
        yield Path(name), content
    for folder in others:
        yield from decoded(folder)


def contents_of(bench: Workbench) -> Iterator[tuple[str, bytes]]:
    """Each relation of the schema but for the sources, with what a file of it has, or its text as a view.

    On S3 also what lies beside the tables.
    """
    for table, path, content in bench.files():
        if table not in SOURCES:
            yield table, unpacked(path, content)
    for row in bench.spark.sql(f"show views in {bench.schema}").where("not isTemporary").collect():
        yield row.viewName, bench.view_text(row.viewName).encode()


def decoded(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """The files below a folder, unpacked."""
    for path in filter(Path.is_file, folder.rglob("*")):
        yield path, unpacked(path.name, path.read_bytes())


def unpacked(name: str, content: bytes) -> bytes:
    """Of a Parquet file values and statistics, of Avro the blocks."""
    if name.endswith(".parquet"):
        file = pq.ParquetFile(pa.BufferReader(content))
        return f"{file.read().to_pylist()} {file.metadata.to_dict()}".encode()
    return blocks(content) if name.endswith(".avro") else content


def blocks(content: bytes) -> bytes:
    """The data of an Avro file, unpacked; its header as it is."""
    sync = content[-16:]
    head, *packed = content.split(sync)
    if b"deflate" not in head:
        return content
    found = head
    for block in filter(None, packed):
        for start in range(1, 12):
            try:
                found += zlib.decompress(block[start:], -15)
                break
            except zlib.error:
                continue
        else:
            raise AssertionError("a block of an Avro file can't be unpacked")
    return found


def hashes(bench: Workbench) -> set[str]:
    """What tables keep of the person alone: numbers and texts so long that they are hashes, but for their ids."""
    found = set()
    for row in bench.spark.sql(f"show tables in {bench.schema}").where("not isTemporary").collect():
        table = bench.spark.table(f"{bench.schema}.{row.tableName}")
        if "account_id" in table.columns:
            cells = [cell for row in table.where(f"account_id = '{PERSON}'").collect() for cell in row]
            found |= {str(cell) for cell in cells if isinstance(cell, int) and abs(cell) > 1 << 40}
            found |= {cell for cell in cells if isinstance(cell, str) and re.fullmatch("[0-9a-f]{16,}", cell)}
    return found


def assert_forgotten(bench: Workbench, *others: Path, but: Collection[str] = (), hashed: Collection[str] = ()) -> None:
    """Nothing has a secret or one of these hashes, except for some tables."""
    left = [
        (path.name, secret)
        for path, content in files(bench, *others)
        for secret in (*SECRETS, *hashed)
        if path.name not in but and secret.encode() in content
    ]
    assert not left

"""What is hashed of a row group that is not decoded: the bytes of its columns, and what tells how to decode them."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltawave.differencing.row_group_checksums import StoredFile
from deltawave.rows.parquet_files import NotInPlaceError

PLAIN: dict[str, Any] = {"use_dictionary": False, "compression": "none", "write_statistics": False}


def chunks(file: Path, *names: str) -> list[tuple[str, bytes]]:
    return [(description, b"".join(parts)) for description, parts in StoredFile(file.as_uri(), names).chunks(0)]


def varint(number: int) -> bytes:
    """A positive number as Thrift's compact protocol writes it."""
    number *= 2
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def with_footer(file: Path, replaced: dict[bytes, bytes]) -> None:
    """Write the file with another footer, in which each of these bytes is there once."""
    data = file.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - size : -8]
    for before, after in replaced.items():
        assert footer.count(before) == 1
        footer = footer.replace(before, after)
    file.write_bytes(data[: -8 - size] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def say_dictionary_at_0(file: Path) -> None:
    """Add the field dictionary_page_offset to columns without a dictionary, as some writers do."""
    group = pq.ParquetFile(file).metadata.row_group(0)
    offsets = [varint(group.column(place).data_page_offset) for place in range(group.num_columns)]
    # A field's first byte: how far its number is from that of the field before (9, 11, 13), and its type.
    with_footer(file, {b"\x26" + offset + b"\x49": b"\x26" + offset + b"\x26\x00\x29" for offset in offsets})
    patched = pq.ParquetFile(file).metadata.row_group(0).column(0)
    assert (patched.has_dictionary_page, patched.dictionary_page_offset) == (True, 0)


def test_a_dictionary_at_0_is_none(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("old.parquet", "new.parquet")]
    for value, file in enumerate(files):
        rows = {"id": range(100), "value": [value if number == 50 else number for number in range(100)]}
        pq.write_table(pa.table({name: list(cells) for name, cells in rows.items()}), file, **PLAIN)
        say_dictionary_at_0(file)
    (old_id, old_value), (new_id, new_value) = (chunks(file, "id", "value") for file in files)
    assert old_id == new_id
    assert old_value != new_value


def test_chunks_that_overlap_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "overlapping.parquet"
    pq.write_table(pa.table({"id": [*range(100)], "value": [*range(100)]}), file, **PLAIN)
    second = varint(pq.ParquetFile(file).metadata.row_group(0).column(1).data_page_offset)
    with_footer(file, {b"\x26" + second + b"\x49": b"\x26" + varint(200) + b"\x49"})
    with pytest.raises(NotInPlaceError, match="column chunks that overlap"):
        chunks(file, "id")


def test_a_chunk_that_reaches_into_the_footer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "beyond.parquet"
    pq.write_table(pa.table({"id": [*range(100)]}), file, **PLAIN)
    with_footer(file, {b"\x26\x08\x49": b"\x26" + varint(100) + b"\x49"})
    with pytest.raises(NotInPlaceError, match="outside of its data"):
        chunks(file, "id")


@pytest.mark.parametrize(
    ("writer", "is_refused"),
    [
        ("parquet-mr version 1.2.8 (build x)", True),
        ("parquet-mr", True),
        ("parquet-mr version 1.13.1 (build x)", False),
    ],
)
def test_writers_that_state_sizes_too_small_are_refused(tmp_path: Path, writer: str, is_refused: bool) -> None:
    file = tmp_path / "old.parquet"
    pq.write_table(pa.table({"id": [1]}), file)
    own = pq.ParquetFile(file).metadata.created_by.encode()
    with_footer(file, {bytes([len(own)]) + own: bytes([len(writer)]) + writer.encode()})
    if is_refused:
        with pytest.raises(NotInPlaceError, match="parquet-mr"):
            chunks(file, "id")
    else:
        assert len(chunks(file, "id")) == 1


@pytest.mark.parametrize("kind", ["list", "map"])
def test_where_a_null_may_be_belongs_to_the_description(tmp_path: Path, kind: str) -> None:
    def nested(may_be_null: bool) -> pa.DataType:
        if kind == "map":
            return pa.map_(pa.int64(), pa.field("value", pa.int64(), nullable=may_be_null))
        return pa.list_(pa.field("element", pa.int64(), nullable=may_be_null))

    # The same levels and values, which say null and empty in one file, empty and null within in the other.
    one, null = ([], [None]) if kind == "list" else ([], [(1, None)])
    outer = pa.field("a", nested(may_be_null=False), nullable=True)
    inner = pa.field("a", nested(may_be_null=True), nullable=False)
    files = [tmp_path / name for name in ("outer.parquet", "inner.parquet")]
    for file, field, cells in ((files[0], outer, [None, one]), (files[1], inner, [one, null])):
        column = pa.array(cells, field.type)
        pq.write_table(pa.table([column], pa.schema([field])), file, **PLAIN, store_schema=False)
    old, new = (chunks(file, "a")[-1] for file in files)
    if kind == "list":
        assert old[1] == new[1]
    assert old[0] != new[0]

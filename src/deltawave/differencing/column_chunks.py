"""The column chunks of a Parquet row group as bytes, which show without decoding that two hold the same values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import pyarrow.parquet as pq

from deltawave.differencing.in_place import NotInPlaceError, RowGroups, located, open_file

# Bytes of a file that are read at a time.
_READ_BYTES = 1 << 23
# A file begins with its magic number; no page lies before that.
_MAGIC_BYTES = 4
# Before this version, sizes of chunks leave out the header of the dictionary page (PARQUET-816).
_WHOLE_SIZES = (1, 2, 9)


def column_chunks(groups: RowGroups, number: int) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The column chunks of a row group: the metadata that a reader needs to decode each, and its stored bytes.

    Chunks with both in common hold the same values. Equal values may also be stored as different bytes. Raises
    ``NotInPlaceError`` if the file does not say for certain where the bytes of a chunk are.
    """
    uri, group = groups.groups[number]
    file = open_file(uri)
    footer, row_group = file.metadata, file.metadata.row_group(group)
    _check_writer(uri, footer.created_by or "")
    ranges = [_Range.of(row_group.column(place)) for place in range(footer.num_columns)]
    _check_ranges(uri, ranges, footer.serialized_size)
    wanted = {name.lower() for name in groups.schema.names}
    fields = {field.name.lower(): field for field in file.schema_arrow if field.name.lower() in wanted}
    for place, stored in enumerate(ranges):
        chunk, column = row_group.column(place), footer.schema.column(place)
        path = chunk.path_in_schema.lower()
        # The values of a nested column are in chunks whose paths begin with its name.
        owners = [field for name, field in fields.items() if path == name or path.startswith(f"{name}.")]
        if not owners:
            continue
        # Levels count what may be null or repeated; the field shows where in the path that is.
        nullable = [str(field.with_name("").remove_metadata()) for field in owners]
        levels = (column.max_definition_level, column.max_repetition_level, column.length, chunk.num_values)
        kinds = (column.physical_type, str(column.logical_type), chunk.compression)
        yield str((path, nullable, *levels, *kinds, stored.size)), _stored_bytes(uri, stored)


@dataclass(frozen=True, order=True)
class _Range:
    """The place of a chunk in its file, in bytes."""

    begin: int
    size: int

    @classmethod
    def of(cls, chunk: pq.ColumnChunkMetaData) -> _Range:
        begin, dictionary = chunk.data_page_offset, chunk.dictionary_page_offset
        # Some writers say 0 where there is no dictionary.
        if dictionary is not None and dictionary >= _MAGIC_BYTES:
            begin = min(begin, dictionary)
        return cls(begin, chunk.total_compressed_size)

    @property
    def end(self) -> int:
        return self.begin + self.size


def _check_writer(uri: str, created_by: str) -> None:
    if created_by.startswith("parquet-mr"):
        version = re.match(r"parquet-mr version (\d+)\.(\d+)\.(\d+)", created_by)
        if version is None or tuple(map(int, version.groups())) < _WHOLE_SIZES:
            raise NotInPlaceError(f"{uri} was written by {created_by}, which states wrong sizes of column chunks")


def _check_ranges(uri: str, ranges: list[_Range], footer_bytes: int) -> None:
    """Refuse chunks that share bytes with each other, with the beginning of the file or with the footer."""
    system, path = located(uri)
    # The footer's size and a magic number follow it.
    end = system.get_file_info(path).size - footer_bytes - 4 - _MAGIC_BYTES
    chunks = sorted(each for each in ranges if each.size)
    bounded = [_Range(0, _MAGIC_BYTES), *chunks, _Range(end, 0)]
    if any(one.end > other.begin for one, other in pairwise(bounded)):
        raise NotInPlaceError(f"{uri} has column chunks that overlap, or are outside of its data")


def _stored_bytes(uri: str, stored: _Range) -> Iterator[bytes]:
    system, path = located(uri)
    with system.open_input_file(path) as file:
        for at in range(stored.begin, stored.end, _READ_BYTES):
            yield file.read_at(min(_READ_BYTES, stored.end - at), at)

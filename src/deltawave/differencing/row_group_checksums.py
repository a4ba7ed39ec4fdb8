"""Checksums of row groups (LG95 4.3): of the bytes as they are stored, so that nothing is decoded for them."""

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise

import pyarrow.parquet as pq

from deltawave.differencing.in_place import RowGroups
from deltawave.differencing.parquet_files import NotInPlaceError, located, open_file

# Bytes of a file that are read at a time.
_READ_BYTES = 1 << 23
# A file begins with its magic number; no page lies before that.
_MAGIC_BYTES = 4
# Before this version, sizes of chunks leave out the header of the dictionary page (PARQUET-816).
_WHOLE_SIZES = (1, 2, 9)


def checksum(groups: RowGroups, number: int) -> bytes:
    """The checksum of a row group's columns: of their bytes, and of what a reader needs to decode them.

    Raises ``NotInPlaceError`` if the file does not say for certain where its bytes are.
    """
    # Processors compute it faster than shorter checksums.
    summed = sha256()
    for description, parts in column_chunks(groups, number):
        summed.update(f"{len(description)} {description}".encode())
        for part in parts:
            summed.update(part)
    return summed.digest()


def column_chunks(groups: RowGroups, number: int) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The column chunks of a row group: the metadata that a reader needs to decode each, and its stored bytes.

    Chunks with both in common hold the same values. Equal values may also be stored as different bytes. Raises
    ``NotInPlaceError`` if the file does not say for certain where the bytes of a chunk are.
    """
    uri, group = groups.groups[number]
    file = open_file(uri)
    footer, row_group = file.metadata, file.metadata.row_group(group)
    _check_writer(uri, footer.created_by or "")
    places = [_place(row_group.column(at)) for at in range(footer.num_columns)]
    _check_places(uri, places, footer.serialized_size)
    wanted = {name.lower() for name in groups.schema.names}
    fields = {field.name.lower(): field for field in file.schema_arrow if field.name.lower() in wanted}
    for at, place in enumerate(places):
        chunk, column = row_group.column(at), footer.schema.column(at)
        path = chunk.path_in_schema.lower()
        # The values of a nested column are in chunks whose paths begin with its name.
        owners = [field for name, field in fields.items() if path == name or path.startswith(f"{name}.")]
        if not owners:
            continue
        # Levels count what may be null or repeated; the field shows where in the path that is.
        nullable = [str(field.with_name("").remove_metadata()) for field in owners]
        levels = (column.max_definition_level, column.max_repetition_level, column.length, chunk.num_values)
        kinds = (column.physical_type, str(column.logical_type), chunk.compression)
        yield str((path, nullable, *levels, *kinds, len(place))), _stored_bytes(uri, place)


def _place(chunk: pq.ColumnChunkMetaData) -> range:
    """The place of a chunk in its file, in bytes."""
    begin, dictionary = chunk.data_page_offset, chunk.dictionary_page_offset
    # Some writers say 0 where there is no dictionary.
    if dictionary is not None and dictionary >= _MAGIC_BYTES:
        begin = min(begin, dictionary)
    return range(begin, begin + chunk.total_compressed_size)


def _check_writer(uri: str, created_by: str) -> None:
    if created_by.startswith("parquet-mr"):
        version = re.match(r"parquet-mr version (\d+)\.(\d+)\.(\d+)", created_by)
        if version is None or tuple(map(int, version.groups())) < _WHOLE_SIZES:
            raise NotInPlaceError(f"{uri} was written by {created_by}, which states wrong sizes of column chunks")


def _check_places(uri: str, places: list[range], footer_bytes: int) -> None:
    """Refuse chunks that share bytes with each other, with the beginning of the file or with the footer."""
    system, path = located(uri)
    # The footer's size and a magic number follow it.
    end = system.get_file_info(path).size - footer_bytes - 4 - _MAGIC_BYTES
    chunks = sorted(filter(len, places), key=lambda place: place.start)
    bounded = [range(_MAGIC_BYTES), *chunks, range(end, end)]
    if any(one.stop > other.start for one, other in pairwise(bounded)):
        raise NotInPlaceError(f"{uri} has column chunks that overlap, or are outside of its data")


def _stored_bytes(uri: str, place: range) -> Iterator[bytes]:
    system, path = located(uri)
    with system.open_input_file(path) as file:
        for at in range(place.start, place.stop, _READ_BYTES):
            yield file.read_at(min(_READ_BYTES, place.stop - at), at)

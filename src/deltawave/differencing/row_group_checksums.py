"""Checksums of row groups (LG95 4.3): of the bytes as they are stored, so that nothing is decoded for them."""

import re
from collections.abc import Collection, Iterator
from hashlib import sha256
from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq

from deltawave.rows.parquet_files import NotInPlaceError, located, open_file

# Bytes of a file that are read at a time.
_READ_BYTES = 1 << 23
# A file begins with its magic number; no page lies before that.
_MAGIC_BYTES = 4
# Before this version, sizes of chunks leave out the header of the dictionary page (PARQUET-816).
_WHOLE_SIZES = (1, 2, 9)


class StoredFile:
    """Some columns of a Parquet file, as they are stored. Its footer is read once.

    Raises ``NotInPlaceError`` if the file does not say for certain where its bytes are.
    """

    def __init__(self, uri: str, names: Collection[str]) -> None:
        self._uri = uri
        self._system, self._path = located(uri)
        file = open_file(uri)
        self.footer = file.metadata
        _check_writer(uri, self.footer.created_by or "")
        # The footer's size and a magic number follow it.
        self._end = self._system.get_file_info(self._path).size - self.footer.serialized_size - 4 - _MAGIC_BYTES
        wanted = {name.lower() for name in names}
        fields = {field.name.lower(): field for field in file.schema_arrow if field.name.lower() in wanted}
        self._columns: dict[int, str] = {}
        for at in range(self.footer.num_columns):
            column = self.footer.schema.column(at)
            path = column.path.lower()
            # The values of a nested column are in chunks whose paths begin with its name.
            owners = [field for name, field in fields.items() if path == name or path.startswith(f"{name}.")]
            if owners:
                # Levels count what may be null or repeated; the field shows where in the path that is.
                nullable = [str(field.with_name("").remove_metadata()) for field in owners]
                levels = (column.max_definition_level, column.max_repetition_level, column.length)
                kinds = (column.physical_type, str(column.logical_type))
                self._columns[at] = str((path, nullable, *levels, *kinds))

    def size(self, group: int) -> tuple[int, int]:
        """How many rows a row group has, and how many bytes they take in these columns."""
        row_group = self.footer.row_group(group)
        return row_group.num_rows, sum(row_group.column(at).total_compressed_size for at in self._columns)

    def checksum(self, group: int) -> bytes:
        """The checksum of a row group: of its bytes, and of what a reader needs to decode them."""
        # Processors compute it faster than shorter checksums.
        summed = sha256()
        for description, parts in self.chunks(group):
            summed.update(f"{len(description)} {description}".encode())
            for part in parts:
                summed.update(part)
        return summed.digest()

    def chunks(self, group: int) -> Iterator[tuple[str, Iterator[bytes]]]:
        """The column chunks of a row group: the metadata that a reader needs to decode each, and its stored bytes.

        Chunks with both in common hold the same values. Equal values may also be stored as different bytes.
        """
        row_group = self.footer.row_group(group)
        places = [_place(row_group.column(at)) for at in range(self.footer.num_columns)]
        self._check_places(places)
        with self._system.open_input_file(self._path) as file:
            for at, description in self._columns.items():
                chunk, place = row_group.column(at), places[at]
                yield str((description, chunk.num_values, chunk.compression, len(place))), _bytes_at(file, place)

    def _check_places(self, places: list[range]) -> None:
        """Refuse chunks that share bytes with each other, with the beginning of the file or with the footer."""
        chunks = sorted(filter(len, places), key=lambda place: place.start)
        bounded = [range(_MAGIC_BYTES), *chunks, range(self._end, self._end)]
        if any(one.stop > other.start for one, other in pairwise(bounded)):
            raise NotInPlaceError(f"{self._uri} has column chunks that overlap, or are outside of its data")


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


def _bytes_at(file: pa.NativeFile, place: range) -> Iterator[bytes]:
    for at in range(place.start, place.stop, _READ_BYTES):
        yield file.read_at(min(_READ_BYTES, place.stop - at), at)

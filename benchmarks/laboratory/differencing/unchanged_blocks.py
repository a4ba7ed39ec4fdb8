"""Stagnant snapshots by blocks (LG95 4.3): a checksum for each block, and only blocks that differ are read.

A block is a row group of a Parquet file (in the report, k blocks of a disk); its checksum covers the bytes as they are
stored, so that nothing is decoded for it. Equal blocks of the old and the new snapshot hold the same rows, wherever
they lie. Since keys are unique, no other row has one of their keys: both are left out. The report assumes that no row
comes or goes; here the other blocks are joined, so the result is exact whatever has changed.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice, pairwise

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing.aligning import NotSegmentedError
from deltawave.differencing.contract import Contract
from deltawave.differencing.in_place import RowGroups, computed
from deltawave.differencing.parquet_files import NotInPlaceError, located, open_file
from deltawave.differencing.window import WINDOW, changes_found, found_in_order
from laboratory.differencing.stored_rows import StoredRows, subset

_LOG = logging.getLogger(__name__)


def changes(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    The checksum covers a block's key and compared columns. The remaining blocks are compared by a window, or joined if
    their rows lie too far apart. Raises ``NotInPlaceError`` if a snapshot is not just all rows of Parquet files, or a
    file does not say for certain where its bytes are.
    """
    names = [*contract.unique_key, *contract.compared]
    old_rows = StoredRows.of(old, contract.names("old"))
    new_rows = StoredRows.of(new, contract.names("new"))
    if old_rows.groups.stored or new_rows.groups.stored:
        # Equal bytes of differently named columns are no equal rows.
        raise NotInPlaceError("columns are renamed or cast")
    session = new.sparkSession
    old_sums, new_sums = _checksums(session, old_rows.groups.only(names), new_rows.groups.only(names))
    old_rest, new_rest = _without(old_sums, new_sums), _without(new_sums, old_sums)
    _LOG.info(
        "%d of %d row groups of the old snapshot and %d of %d of the new one differ from all of the other",
        *(len(each) for each in (old_rest, old_sums, new_rest, new_sums)),
    )
    if old_rest and new_rest:
        rest = subset(old_rows.groups, old_rest), subset(new_rows.groups, new_rest)
        try:
            found, _ = found_in_order(WINDOW, old, new, contract, memory_bytes, rest)
            return changes_found(found, contract)
        except NotSegmentedError as reason:
            _LOG.info("no window, Spark joins these row groups: %s", reason)
    return contract.outer_join(old_rows.of_groups(old_rest), new_rows.of_groups(new_rest))


def _checksums(session: SparkSession, *sides: RowGroups) -> list[list[str]]:
    """The checksum of each row group, for each side.

    Raises ``NotInPlaceError`` if a file does not say where its bytes are.
    """
    groups = [(side, number) for side in sides for number in range(len(side.groups))]
    sums = iter(computed(session, len(groups), lambda place: _checksum(*groups[place])))
    return [list(islice(sums, len(side.groups))) for side in sides]


def _checksum(groups: RowGroups, number: int) -> str:
    # Processors compute it faster than shorter checksums.
    checksum = sha256()
    for description, parts in column_chunks(groups, number):
        checksum.update(f"{len(description)} {description}".encode())
        for part in parts:
            checksum.update(part)
    return checksum.hexdigest()


def _without(own: list[str], others: list[str]) -> list[int]:
    """The places of checksums without an equal on the other side; each of the others matches once."""
    left = Counter(others)
    rest = []
    for place, checksum in enumerate(own):
        if left[checksum]:
            left[checksum] -= 1
        else:
            rest.append(place)
    return rest


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

"""Stagnant snapshots by blocks (LG95 4.3): a checksum for each block, and only blocks that differ are read.

A block is a row group of a Parquet file (in the report, k blocks of a disk); its checksum covers the bytes as they are
stored, so that nothing is decoded for it. Equal blocks of the old and the new snapshot hold the same rows, wherever
they lie. Since keys are unique, no other row has one of their keys: both are left out. The report assumes that no row
comes or goes; here the other blocks are joined, so the result is exact whatever has changed.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing import outer_join
from deltawave.differencing.column_chunks import column_chunks
from deltawave.differencing.contract import Columns, Contract
from deltawave.differencing.in_place import Batches, NotInPlaceError, RowGroups
from deltawave.differencing.stored_rows import StoredRows
from deltawave.differencing.window import WINDOW, SegmentedPair, UnfitError, changes_found, found_schema

_LOG = logging.getLogger(__name__)


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    memory_bytes: int,
) -> DataFrame:
    """Return the rows that differ, as docs/python_strategies.md has it.

    The checksum covers a block's key and compared columns. The remaining blocks are compared by a window, or joined if
    their rows lie too far apart. Raises ``NotInPlaceError`` if a snapshot is not just all rows of Parquet files, or a
    file does not say for certain where its bytes are.
    """
    contract = Contract(columns, before_image)
    names = [column["name"] for column in columns if column["is_key"] or column["is_compared"]]
    old_rows = StoredRows.of(old, contract.names("old"))
    new_rows = StoredRows.of(new, contract.names("new"))
    session = new.sparkSession
    old_sums, new_sums = _checksums(session, old_rows.groups.only(names), new_rows.groups.only(names))
    old_rest, new_rest = _without(old_sums, new_sums), _without(new_sums, old_sums)
    _LOG.info(
        "%d of %d row groups of the old snapshot and %d of %d of the new one differ from all of the other",
        *(len(each) for each in (old_rest, old_sums, new_rest, new_sums)),
    )
    if old_rest and new_rest:
        of_old, of_new = old_rows.groups.subset(old_rest), new_rows.groups.subset(new_rest)
        schema = found_schema(contract, old, new)
        try:
            pair = SegmentedPair.of_row_groups(
                WINDOW, session, of_old, of_new, schema, unique_key, contract, memory_bytes
            )
            return changes_found(pair.found(), contract, unique_key)
        except UnfitError as unfit:
            _LOG.info("no window, Spark joins these row groups: %s", unfit)
    return outer_join.changes(
        old_rows.of_groups(old_rest),
        new_rows.of_groups(new_rest),
        unique_key=unique_key,
        columns=columns,
        before_image=before_image,
    )


def _checksums(session: SparkSession, *sides: RowGroups) -> list[list[bytes]]:
    """The checksum of each row group, for each side.

    Raises ``NotInPlaceError`` if a file does not say where its bytes are.
    """
    all_groups = [(side, number) for side, groups in enumerate(sides) for number in range(len(groups.groups))]

    def compute(batches: Batches) -> Batches:
        for place in (place for batch in batches for place in batch.column(0).to_pylist()):
            side, number = all_groups[place]
            problem, checksum = None, b""
            try:
                checksum = _checksum(sides[side], number)
            except NotInPlaceError as error:
                problem = str(error)
            cells = [pa.array([place]), pa.array([checksum], pa.binary()), pa.array([problem], pa.string())]
            yield pa.RecordBatch.from_arrays(cells, ["place", "checksum", "problem"])

    count = len(all_groups)
    told = "place bigint, checksum binary, problem string"
    found = session.range(0, count, 1, max(1, count)).mapInArrow(compute, told).collect()
    sums: list[list[bytes]] = [[] for _ in sides]
    for row in sorted(found, key=lambda row: int(row.place)):
        if row.problem:
            raise NotInPlaceError(row.problem)
        sums[all_groups[row.place][0]].append(bytes(row.checksum))
    return sums


def _checksum(groups: RowGroups, number: int) -> bytes:
    # Processors compute it faster than shorter checksums.
    checksum = sha256()
    for description, parts in column_chunks(groups, number):
        checksum.update(f"{len(description)} {description}".encode())
        for part in parts:
            checksum.update(part)
    return checksum.digest()


def _without(own: list[bytes], others: list[bytes]) -> list[int]:
    """The places of checksums without an equal on the other side; each of the others matches once."""
    left = Counter(others)
    rest = []
    for place, checksum in enumerate(own):
        if left[checksum]:
            left[checksum] -= 1
        else:
            rest.append(place)
    return rest

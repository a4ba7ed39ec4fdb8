"""Stagnant snapshots by blocks (LG95 4.3): a checksum for each block, and only blocks that differ are read.

A block is a row group of a Parquet file, the report's k blocks of a disk; its checksum covers the bytes as they are
stored, so that nothing is decoded for it. A block of the old snapshot and one of the new that are equal hold the same
rows, wherever they lie. Since a key is there once, no other row has one of their keys: both are left out. The report
assumes that no row comes or goes; here the other blocks are joined, so the result is exact whatever has changed.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing import outer_join
from deltawave.differencing.column_chunks import column_chunks
from deltawave.differencing.contract import Columns, Contract
from deltawave.differencing.in_place import Batches, NotInPlaceError, RowGroups
from deltawave.differencing.stored_rows import StoredRows

_LOG = logging.getLogger(__name__)

_CHECKSUM_BYTES = 16


def changes(
    old: DataFrame, new: DataFrame, *, unique_key: Sequence[str], columns: Columns, before_image: bool
) -> DataFrame:
    """Return the rows that differ, as docs/python_strategies.md has it.

    Key and compared columns of a block count. Raises ``NotInPlaceError`` if a snapshot is more than all rows of
    Parquet files, or a file does not tell for certain where its bytes are.
    """
    contract = Contract(columns, before_image)
    names = [column["name"] for column in columns if column["is_key"] or column["is_compared"]]
    old_rows = StoredRows.of(old, contract.names("old"))
    new_rows = StoredRows.of(new, contract.names("new"))
    old_sums, new_sums = (_checksums(new.sparkSession, rows.groups.only(names)) for rows in (old_rows, new_rows))
    old_rest, new_rest = _without(old_sums, new_sums), _without(new_sums, old_sums)
    _LOG.info(
        "%d of %d row groups of the old snapshot and %d of %d of the new one differ from all of the other",
        *(len(each) for each in (old_rest, old_sums, new_rest, new_sums)),
    )
    return outer_join.changes(
        old_rows.of_groups(old_rest),
        new_rows.of_groups(new_rest),
        unique_key=unique_key,
        columns=columns,
        before_image=before_image,
    )


def _checksums(session: SparkSession, groups: RowGroups) -> list[bytes]:
    """The checksum of each row group. Raises ``NotInPlaceError`` if a file does not tell where its bytes are."""

    def compute(batches: Batches) -> Batches:
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            problem, checksum = None, b""
            try:
                checksum = _checksum(groups, number)
            except NotInPlaceError as error:
                problem = str(error)
            cells = [pa.array([number]), pa.array([checksum], pa.binary()), pa.array([problem], pa.string())]
            yield pa.RecordBatch.from_arrays(cells, ["number", "checksum", "problem"])

    count = len(groups.groups)
    told = "number bigint, checksum binary, problem string"
    found = session.range(0, count, 1, groups.tasks).mapInArrow(compute, told).collect()
    for row in found:
        if row.problem:
            raise NotInPlaceError(row.problem)
    return [bytes(row.checksum) for row in sorted(found, key=lambda row: int(row.number))]


def _checksum(groups: RowGroups, number: int) -> bytes:
    checksum = blake2b(digest_size=_CHECKSUM_BYTES)
    for description, parts in column_chunks(groups, number):
        checksum.update(f"{len(description)} {description}".encode())
        for part in parts:
            checksum.update(part)
    return checksum.digest()


def _without(own: list[bytes], others: list[bytes]) -> list[int]:
    """The places of checksums to which the other side has no equal; each of those serves once."""
    left = Counter(others)
    rest = []
    for place, checksum in enumerate(own):
        if left[checksum]:
            left[checksum] -= 1
        else:
            rest.append(place)
    return rest

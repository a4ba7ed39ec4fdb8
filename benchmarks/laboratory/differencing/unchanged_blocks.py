"""Stagnant snapshots by blocks (LG95 4.3): a checksum for each block, and only blocks that differ are read.

A block is a row group of a Parquet file (in the report, k blocks of a disk); its checksum covers the bytes as they are
stored, so that nothing is decoded for it. Equal blocks of the old and the new snapshot hold the same rows, wherever
they lie. Since keys are unique, no other row has one of their keys: both are left out. The report assumes that no row
comes or goes; here the other blocks are joined, so the result is exact whatever has changed.
"""

import logging
from collections import Counter
from itertools import islice

from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing.aligning import NotSegmentedError
from deltawave.differencing.contract import Contract
from deltawave.differencing.row_group_checksums import StoredFile
from deltawave.differencing.window import WINDOW, changes_found, found_in_order
from deltawave.rows.in_place import RowGroups, computed
from deltawave.rows.parquet_files import NotInPlaceError
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
            found = found_in_order(WINDOW, old, new, contract, memory_bytes, rest)
            return changes_found(found, contract)
        except NotSegmentedError as reason:
            _LOG.info("no window, Spark joins these row groups: %s", reason)
    return contract.outer_join(old_rows.of_groups(old_rest), new_rows.of_groups(new_rest))


def _checksums(session: SparkSession, *sides: RowGroups) -> list[list[str]]:
    """The checksum of each row group, for each side.

    Raises ``NotInPlaceError`` if a file does not say where its bytes are.
    """
    groups = [(side, number) for side in sides for number in range(len(side.groups))]
    sums = iter(computed(session, len(groups), lambda place: checksum(*groups[place])))
    return [list(islice(sums, len(side.groups))) for side in sides]


def checksum(groups: RowGroups, number: int) -> str:
    """The checksum of a row group's columns."""
    uri, group = groups.groups[number]
    return StoredFile(uri, groups.schema.names).checksum(group).hex()


def _without(own: list[str], others: list[str]) -> list[int]:
    """The places of checksums without an equal on the other side; each of the others matches once."""
    left = Counter(others)
    rest = []
    for place, each in enumerate(own):
        if left[each]:
            left[each] -= 1
        else:
            rest.append(place)
    return rest

"""All algorithms of LG95 and LG96: those of the library, and those that only a checkout has.

``snapshot_differential(old, new, unique_key="id", algorithm=BY_NAME["similar"])``
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pyspark.sql import DataFrame

from deltawave.differencing import window
from deltawave.differencing.algorithms import BY_NAME as LIBRARY
from deltawave.differencing.algorithms import Algorithm
from deltawave.differencing.contract import Contract
from deltawave.rows.parquet_files import NotInPlaceError
from laboratory.differencing import hybrid_hash, multiset, nested_loop, parts, pointed, unchanged_blocks

_LOG = logging.getLogger(__name__)

Changes = Callable[[DataFrame, DataFrame, Contract, int], DataFrame]


def _from_files(what: str, changes: Changes, otherwise: Changes, compares_hashes: bool = True) -> Algorithm:
    """An algorithm that reads files, and another one for snapshots that are no files."""

    def find(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
        try:
            return changes(old, new, contract, memory_bytes)
        except NotInPlaceError as error:
            _LOG.info("no %s: %s", what, error)
            return otherwise(old, new, contract, memory_bytes)

    return Algorithm(find, compares_hashes)


def _without_reconciling(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """The window as published: a row that it does not match, because it moved too far, is a delete and an insert.

    Apply a result's deletes before its inserts.
    """
    found = window.found_in_order(window.WINDOW, old, new, contract, memory_bytes)
    return contract.changes(window.paired(contract, found), *window.in_both())


def of_multisets(algorithm: Algorithm, reads_files: bool = False) -> Algorithm:
    """An algorithm that matches the rows of repeated keys as multisets; without ``check_keys``, and for whole rows.

    ``reads_files``: whether it reads snapshots that are all rows of Parquet files without Spark.
    """

    def changes(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
        def find(old: DataFrame, new: DataFrame) -> DataFrame:
            return algorithm.changes(old, new, contract, memory_bytes)

        return multiset.changes(old, new, find, contract, reads_files=reads_files)

    return replace(algorithm, changes=changes)


_merged = LIBRARY["sort_merge_compressed"].changes
_hashed = LIBRARY["hash_compressed"].changes
_BY_KEYS = "rows are found by their keys"

BY_NAME = {
    **LIBRARY,
    "nested_loop": Algorithm(nested_loop.changes),
    "hybrid_hash": Algorithm(hybrid_hash.changes),
    "nested_loop_compressed": Algorithm(parts.nested_loop, compares_hashes=True),
    "hybrid_hash_compressed": Algorithm(parts.hybrid_hash, compares_hashes=True),
    "sort_merge_pointed": _from_files(f"pointers, {_BY_KEYS}", partial(pointed.changes, matching="merge"), _merged),
    "partitioned_hash_pointed": _from_files(
        f"pointers, {_BY_KEYS}", partial(pointed.changes, matching="hash"), _hashed
    ),
    "similar": _from_files(f"window of hashes, {_BY_KEYS}", partial(pointed.changes, matching="window"), _merged),
    "stagnant_by_blocks": _from_files(
        "blocks, Spark joins both snapshots", unchanged_blocks.changes, LIBRARY["sort_merge"].changes, False
    ),
}
# Those that read snapshots that are all rows of Parquet files without Spark.
READING_FILES = (
    "window",
    "text_diff",
    "sort_merge_pointed",
    "partitioned_hash_pointed",
    "similar",
    "stagnant_by_blocks",
)
WINDOW_AS_PUBLISHED = _from_files(
    "window, Spark joins both snapshots", _without_reconciling, LIBRARY["sort_merge"].changes, False
)

"""The algorithms of LG96 and LG95 by the names that they have in the papers."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame

from deltawave.differencing import (
    by_hashes,
    hash_compressed,
    hybrid_hash,
    outer_join,
    pointed,
    sort_merge_compressed,
    text_diff,
    unchanged_blocks,
    window,
)
from deltawave.differencing.contract import Contract
from deltawave.differencing.in_place import NotInPlaceError

_LOG = logging.getLogger(__name__)

Changes = Callable[..., DataFrame]


@dataclass(frozen=True)
class Algorithm:
    """A way to find differences.

    - ``changes``: the function: both snapshots, the contract, and ``memory_bytes``
    - ``compares_hashes``: whether it finds differing rows by their hashes. It then misses a difference with a
      probability of 2^-128, and cannot apply a tolerance
    - ``reads_files``: whether it reads files without Spark, if the snapshots are all rows of Parquet files
    """

    changes: Changes
    compares_hashes: bool = False
    reads_files: bool = False


def _without_memory(changes: Changes, **options: Any) -> Changes:
    """An algorithm whose memory Spark grants."""

    def find(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
        return changes(old, new, contract, **options)

    return find


def _in_order(matching: window.Matching) -> Changes:
    """An algorithm that reads both snapshots in their order."""

    def find(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int, **options: Any) -> DataFrame:
        return window.changes_by(matching, old, new, contract, memory_bytes, **options)[0]

    return find


def _from_files(what: str, changes: Changes, otherwise: Changes, compares_hashes: bool = True) -> Algorithm:
    """An algorithm that reads files, and another one for snapshots that are no files."""

    def find(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
        try:
            return changes(old, new, contract, memory_bytes)
        except NotInPlaceError as error:
            _LOG.info("no %s: %s", what, error)
            return otherwise(old, new, contract, memory_bytes)

    return Algorithm(find, compares_hashes, reads_files=True)


_merged = partial(by_hashes.changes, library=sort_merge_compressed)
_hashed = partial(by_hashes.changes, library=hash_compressed)
_BY_KEYS = "rows are found by their keys"

ALGORITHMS: dict[str, Algorithm] = {
    "sort_merge": Algorithm(_without_memory(outer_join.changes, hint="merge")),
    "partitioned_hash": Algorithm(_without_memory(outer_join.changes, hint="shuffle_hash")),
    "nested_loop": Algorithm(outer_join.nested_loop),
    "hybrid_hash": Algorithm(hybrid_hash.changes),
    "sort_merge_compressed": Algorithm(_merged, compares_hashes=True),
    "hash_compressed": Algorithm(_hashed, compares_hashes=True),
    "nested_loop_compressed": Algorithm(by_hashes.nested_loop, compares_hashes=True),
    "hybrid_hash_compressed": Algorithm(by_hashes.hybrid_hash, compares_hashes=True),
    "sort_merge_pointed": _from_files(f"pointers, {_BY_KEYS}", partial(pointed.changes, matching="merge"), _merged),
    "partitioned_hash_pointed": _from_files(
        f"pointers, {_BY_KEYS}", partial(pointed.changes, matching="hash"), _hashed
    ),
    "window": Algorithm(_in_order(window.WINDOW), reads_files=True),
    "text_diff": Algorithm(_in_order(text_diff.TEXT_DIFF), reads_files=True),
    "similar": _from_files(f"window of hashes, {_BY_KEYS}", partial(pointed.changes, matching="window"), _merged),
    "stagnant_by_blocks": _from_files(
        "blocks, Spark joins both snapshots", unchanged_blocks.changes, _without_memory(outer_join.changes), False
    ),
}

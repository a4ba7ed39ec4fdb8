"""The algorithms of LG96 and LG95 by the names that they have in the papers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from deltawave.differencing import (
    by_hashes,
    hash_compressed,
    hybrid_hash,
    outer_join,
    pointed,
    similar,
    sort_merge_compressed,
    text_diff,
    unchanged_blocks,
    window,
)
from deltawave.differencing.in_place import NotInPlaceError

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Algorithm:
    """A way to find differences.

    - ``changes``: the function: both snapshots, what docs/python_strategies.md describes, and ``memory_bytes``
    - ``compares_hashes``: whether it finds differing rows by their hashes. It then misses a difference with a
      probability of 2^-64, and cannot apply a tolerance
    - ``reads_files``: whether it reads files without Spark, if the snapshots are all rows of Parquet files
    """

    changes: Callable[..., DataFrame]
    compares_hashes: bool = False
    reads_files: bool = False


def _sort_merge(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    return outer_join.changes(old, new, hint="merge", **common)


def _partitioned_hash(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    return outer_join.changes(old, new, hint="shuffle_hash", **common)


def _nested_loop(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    return outer_join.nested_loop(old, new, memory_bytes=memory_bytes, **common)


def _sort_merge_compressed(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    return by_hashes.changes(old, new, library=sort_merge_compressed, **common)


def _hash_compressed(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    return by_hashes.changes(old, new, library=hash_compressed, memory_bytes=memory_bytes, **common)


def _sort_merge_pointed(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    try:
        return pointed.changes(old, new, matching="merge", **common)
    except NotInPlaceError as error:
        _LOG.info("no pointers, rows are found by their keys: %s", error)
        return _sort_merge_compressed(old, new, memory_bytes, **common)


def _partitioned_hash_pointed(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    try:
        return pointed.changes(old, new, matching="hash", **common)
    except NotInPlaceError as error:
        _LOG.info("no pointers, rows are found by their keys: %s", error)
        return _hash_compressed(old, new, memory_bytes, **common)


def _similar(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    try:
        return similar.changes(old, new, memory_bytes=memory_bytes, **common)
    except NotInPlaceError as error:
        _LOG.info("no window of hashes, rows are found by their keys: %s", error)
        return _sort_merge_compressed(old, new, memory_bytes, **common)


def _window(old: DataFrame, new: DataFrame, **common: Any) -> DataFrame:
    return window.changes(old, new, **common)[0]


def _text_diff(old: DataFrame, new: DataFrame, **common: Any) -> DataFrame:
    return text_diff.changes(old, new, **common)[0]


def _stagnant_by_blocks(old: DataFrame, new: DataFrame, memory_bytes: int, **common: Any) -> DataFrame:
    try:
        return unchanged_blocks.changes(old, new, memory_bytes=memory_bytes, **common)
    except NotInPlaceError as error:
        _LOG.info("no blocks, Spark joins both snapshots: %s", error)
        return outer_join.changes(old, new, **common)


ALGORITHMS: dict[str, Algorithm] = {
    "sort_merge": Algorithm(_sort_merge),
    "partitioned_hash": Algorithm(_partitioned_hash),
    "nested_loop": Algorithm(_nested_loop),
    "hybrid_hash": Algorithm(hybrid_hash.changes),
    "sort_merge_compressed": Algorithm(_sort_merge_compressed, compares_hashes=True),
    "hash_compressed": Algorithm(_hash_compressed, compares_hashes=True),
    "nested_loop_compressed": Algorithm(by_hashes.nested_loop, compares_hashes=True),
    "hybrid_hash_compressed": Algorithm(by_hashes.hybrid_hash, compares_hashes=True),
    "sort_merge_pointed": Algorithm(_sort_merge_pointed, compares_hashes=True, reads_files=True),
    "partitioned_hash_pointed": Algorithm(_partitioned_hash_pointed, compares_hashes=True, reads_files=True),
    "window": Algorithm(_window, reads_files=True),
    "text_diff": Algorithm(_text_diff, reads_files=True),
    "similar": Algorithm(_similar, compares_hashes=True, reads_files=True),
    "stagnant_by_blocks": Algorithm(_stagnant_by_blocks, reads_files=True),
}

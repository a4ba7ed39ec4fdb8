"""One function for all algorithms of LG96 and LG95: two snapshots in, their differences out (LG96 1.1)."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from deltawave.comparable import described_columns, refuse_repeated_keys
from deltawave.differencing import (
    by_hashes,
    hash_compressed,
    hybrid_hash,
    multiset,
    outer_join,
    pointed,
    sort_merge_compressed,
    text_diff,
    unchanged_blocks,
    window,
)
from deltawave.differencing.contract import Contract
from deltawave.differencing.parquet_files import NotInPlaceError
from deltawave.resources import holding

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

BY_NAME: dict[str, Algorithm] = {
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
ALGORITHMS = tuple(BY_NAME)


def snapshot_differential(
    old: DataFrame | str,
    new: DataFrame | str,
    *,
    unique_key: str | Sequence[str],
    algorithm: str = "sort_merge",
    before_image: bool = True,
    ignore_columns: str | Collection[str] = (),
    tolerance: Mapping[str, float] | None = None,
    memory_bytes: int = 1 << 30,
    check_keys: bool = True,
    duplicate_keys: str = "fail",
    reconcile: bool = True,
) -> DataFrame:
    """Return the rows that differ.

    The columns of ``new`` and those that only ``old`` has; ``before__<column>`` of all but the key; ``change_type``:
    insert, update or delete; ``changed_columns``: the names of the columns that make an update.

    - ``old``, ``new``: frames, or paths of Parquet files, which the active session reads
    - ``unique_key``: columns whose values together are unique in each snapshot; null matches null
    - ``algorithm``: one of :data:`ALGORITHMS`, which docs/algorithms.md describes; those that compare hashes
      (``..._compressed``, ``..._pointed``, ``similar``) miss a difference with a probability of 2^-128
    - ``before_image``: whether the result has the columns ``before__...``
    - ``ignore_columns``: carried, not compared, like columns that only one side has
    - ``tolerance``: absolute differences of numeric columns, computed in doubles, that count as equal; not with an
      algorithm that compares hashes
    - ``memory_bytes``: what a task may use
    - ``check_keys``: whether to check first that keys are unique. Without that, a key with several rows gives different
      rows in each algorithm
    - ``duplicate_keys``: ``fail`` refuses a key with several rows; with ``multiset``, identical rows of a key cancel
      out, and the others pair up (LG95 4.6). Whole rows are then compared
    - ``reconcile``: with ``window``, whether to join the rows that no window matches. Otherwise a row that moved too
      far is reported as a delete and an insert, as in the paper: apply deletes before inserts

    The snapshots are read several times, and have to hold the same rows each time. Cached rows and temporary files that
    the result needs are released when it is garbage (:mod:`deltawave.resources`). Raises ``ValueError`` for columns
    that do not fit, for a key with several rows, for options that exclude each other, and for an unknown algorithm.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"There is no algorithm {algorithm!r}: it is one of {', '.join(ALGORITHMS)}.")
    chosen = BY_NAME[algorithm]
    if tolerance and chosen.compares_hashes:
        raise ValueError(f"A tolerance can't be applied to hashes: choose another algorithm than {algorithm}.")
    if not reconcile and algorithm != "window":
        raise ValueError(f"reconcile=False is for the algorithm window, not for {algorithm}.")
    if duplicate_keys not in ("fail", "multiset"):
        raise ValueError(f"duplicate_keys is 'fail' or 'multiset', not {duplicate_keys!r}.")
    if duplicate_keys == "multiset" and (tolerance or ignore_columns or not (check_keys and reconcile)):
        raise ValueError(
            "duplicate_keys='multiset' compares whole rows, and reads both keys: it takes no tolerance, "
            "ignore_columns, check_keys=False or reconcile=False."
        )
    if memory_bytes <= 0:
        raise ValueError(f"memory_bytes is {memory_bytes:,}, and has to be more than 0.")
    old, new = (SparkSession.active().read.parquet(side) if isinstance(side, str) else side for side in (old, new))
    columns = described_columns(old, new, _names(unique_key), _names(ignore_columns), tolerance or {})
    key = [column["name"] for column in columns if column["is_key"]]
    if check_keys and duplicate_keys == "fail":
        refuse_repeated_keys({"old snapshot": (old, key), "new snapshot": (new, key)})
    contract = Contract(key, columns, before_image)
    options = {} if reconcile else {"reconcile": False}

    def find(old: DataFrame, new: DataFrame) -> DataFrame:
        return chosen.changes(old, new, contract, memory_bytes, **options)

    if duplicate_keys == "multiset":
        found = multiset.changes(old, new, find, contract, reads_files=chosen.reads_files)
    else:
        found = find(old, new)
    return holding(found, old, new)


def _names(given: str | Collection[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)

"""One function for the algorithms of LG96 and LG95: two snapshots in, their differences out (LG96 1.1)."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType

from pyspark.sql import DataFrame, SparkSession

from deltawave.comparable import described_columns, refuse_repeated_keys
from deltawave.differencing import hash_compressed, sort_merge_compressed, text_diff, window
from deltawave.differencing.compression import month_key, with_keys
from deltawave.differencing.contract import MEMORY_BYTES, Contract
from deltawave.differencing.local_engine import reaches
from deltawave.resources import holding, persisted
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Algorithm:
    """A way to find differences.

    - ``changes``: the function: both snapshots, the contract, and ``memory_bytes``
    - ``compares_hashes``: whether it finds differing rows by their hashes. It then misses a difference with a
      probability of 2^-128, and cannot apply a tolerance
    """

    changes: Callable[[DataFrame, DataFrame, Contract, int], DataFrame]
    compares_hashes: bool = False


def _joined(hint: str, old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    return contract.outer_join(old, new, hint)


def by_hashes(library: ModuleType, old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Compress both snapshots and find by hashes the keys whose rows differ, then join the whole rows of these keys.

    ``library``: :mod:`~deltawave.differencing.sort_merge_compressed` or :mod:`~deltawave.differencing.hash_compressed`.
    Where DuckDB does not reach both snapshots, the first one compares instead of the second. Spark joins snapshots
    whose keys it cannot hand to Python.
    """
    unique_key = contract.unique_key
    if library is hash_compressed and not (reaches(old) and reaches(new)):
        library = sort_merge_compressed
    if months := month_key(old, unique_key):
        _LOG.info("no hashes, Spark joins both snapshots: the key column %s is an interval of months", months)
        return contract.outer_join(old, new)
    compared = [column for column in contract.columns if column["in_old"] and column["in_new"]]
    names = [quoted(column["name"]) for column in compared]
    rows = old.count()
    # They are read several times, and computed from the whole old snapshot.
    kept = persisted(library.kept_hashes(old.select(*names), unique_key=unique_key, columns=compared, count=rows))
    options = {"memory_bytes": memory_bytes} if library is hash_compressed else {}
    differing = library.differing_rows(
        kept, new.select(*names), unique_key=unique_key, columns=compared, rows=rows, **options
    )
    keys = persisted(differing.select(*map(quoted, unique_key)))
    old, new = (with_keys(frame, keys, unique_key, "left_semi") for frame in (old, new))
    return holding(contract.outer_join(old, new), kept, keys)


BY_NAME = {
    "sort_merge": Algorithm(partial(_joined, "merge")),
    "partitioned_hash": Algorithm(partial(_joined, "shuffle_hash")),
    "sort_merge_compressed": Algorithm(partial(by_hashes, sort_merge_compressed), compares_hashes=True),
    "hash_compressed": Algorithm(partial(by_hashes, hash_compressed), compares_hashes=True),
    "window": Algorithm(partial(window.changes, window.WINDOW)),
    "text_diff": Algorithm(partial(window.changes, text_diff.TEXT_DIFF)),
}
ALGORITHMS = tuple(BY_NAME)


def snapshot_differential(
    old: DataFrame | str,
    new: DataFrame | str,
    *,
    unique_key: str | Sequence[str],
    algorithm: str | Algorithm = "sort_merge",
    before_image: bool = True,
    ignore_columns: str | Collection[str] = (),
    tolerance: Mapping[str, float] | None = None,
    memory_bytes: int = MEMORY_BYTES,
    check_keys: bool = True,
) -> DataFrame:
    """Return the rows that differ.

    The columns of ``new`` and those that only ``old`` has; ``before__<column>`` of all but the key; ``change_type``:
    insert, update or delete; ``changed_columns``: the names of the columns that make an update.

    - ``old``, ``new``: frames, or paths of Parquet files, which the active session reads
    - ``unique_key``: columns whose values together are unique in each snapshot; null matches null
    - ``algorithm``: one of :data:`ALGORITHMS`, which docs/algorithms.md describes, or another :class:`Algorithm`; those
      that compare hashes (``..._compressed``) miss a difference with a probability of 2^-128
    - ``before_image``: whether the result has the columns ``before__...``
    - ``ignore_columns``: carried, not compared, like columns that only one side has
    - ``tolerance``: absolute differences of numeric columns, computed in doubles, that count as equal; not with an
      algorithm that compares hashes
    - ``memory_bytes``: what a task may use
    - ``check_keys``: whether to check first that keys are unique. Without that, a key with several rows gives different
      rows in each algorithm

    The snapshots are read several times, and have to hold the same rows each time. Cached rows and temporary files that
    the result needs are released when it is garbage (:mod:`deltawave.resources`). Raises ``ValueError`` for columns
    that do not fit, for a key with several rows, for options that exclude each other, and for an unknown algorithm.
    """
    chosen = algorithm if isinstance(algorithm, Algorithm) else BY_NAME.get(algorithm)
    if chosen is None:
        raise ValueError(f"There is no algorithm {algorithm!r}: it is one of {', '.join(ALGORITHMS)}.")
    if tolerance and chosen.compares_hashes:
        raise ValueError(f"A tolerance can't be applied to hashes: choose another algorithm than {algorithm}.")
    if memory_bytes <= 0:
        raise ValueError(f"memory_bytes is {memory_bytes:,}, and has to be more than 0.")
    old, new = (SparkSession.active().read.parquet(side) if isinstance(side, str) else side for side in (old, new))
    columns = described_columns(old, new, _names(unique_key), _names(ignore_columns), tolerance or {})
    key = [column["name"] for column in columns if column["is_key"]]
    if check_keys:
        refuse_repeated_keys({"old snapshot": (old, key), "new snapshot": (new, key)})
    return holding(chosen.changes(old, new, Contract(key, columns, before_image), memory_bytes), old, new)


def _names(given: str | Collection[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)

"""One function for all algorithms: two snapshots in, their differences out (LG96 1.1)."""

from collections.abc import Collection, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing import algorithms, multiset
from deltawave.differencing.contract import Contract
from deltawave.differencing.described import described_columns, refuse_repeated_keys
from deltawave.resources import holding

ALGORITHMS = tuple(algorithms.ALGORITHMS)


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
    chosen = algorithms.ALGORITHMS[algorithm]
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

"""The table of hashes does not fit in memory (LG95 4.1): snapshots are split by a hash of the key.

Each part of the old snapshot becomes a table in memory, which the rows of the new one probe.
"""

import logging
from collections.abc import Sequence
from functools import reduce
from types import ModuleType

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing import hash_compressed, sort_merge_compressed
from deltawave.differencing.algorithms import by_hashes
from deltawave.differencing.contract import Contract
from deltawave.resources import holding
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

# The most parts; so a nested loop reads the new snapshot at most this often.
_PARTS = 64
# Bytes of a hash table for each row, without its key columns.
_TABLE_BYTES = 42
# Parts differ in size.
_ROOM = 1.2


def nested_loop(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    The old snapshot is split into parts that fit in ``memory_bytes``, and the new one is read once for each; nothing is
    exchanged, unless 64 parts are not enough.
    """
    parts = min(_PARTS, max(1, -int(-_table_bytes(old) // memory_bytes)))
    tables = [(hash_compressed, part, part + 1) for part in range(parts)]
    return _united(old, new, contract, parts, tables, memory_bytes)


def hybrid_hash(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Return the same. As many parts of the old snapshot as fit (K of N) stay in memory; the others are exchanged."""
    kept = min(_PARTS, int(_PARTS * memory_bytes / max(1, _table_bytes(old))))
    parts = [(hash_compressed, 0, kept), (sort_merge_compressed, kept, _PARTS)]
    return _united(old, new, contract, _PARTS, [part for part in parts if part[1] < part[2]], memory_bytes)


def _united(
    old: DataFrame,
    new: DataFrame,
    contract: Contract,
    count: int,
    parts: Sequence[tuple[ModuleType, int, int]],
    memory_bytes: int,
) -> DataFrame:
    """The differences of ranges of parts, each range by its library; the end of a range is not part of it.

    Spark joins snapshots whose keys it does not compare by their bytes: equal keys would be hashed into several parts.
    """
    if any(column["is_key"] and "collate" in column["data_type"].simpleString() for column in contract.columns):
        _LOG.info("no parts, Spark joins both snapshots: the key is a text with a collation")
        return contract.outer_join(old, new, "shuffle_hash")
    found = []
    for library, begin, end in parts:
        one, other = (_part(frame, contract.unique_key, count, begin, end) for frame in (old, new))
        found.append(by_hashes(library, one, other, contract, memory_bytes))
    return holding(reduce(DataFrame.unionByName, found), *found)


def _part(frame: DataFrame, key: Sequence[str], count: int, begin: int, end: int) -> DataFrame:
    """The rows whose keys are in the parts from ``begin`` to before ``end``, out of ``count``."""
    if end - begin == count:
        return frame
    # Spark's hash leaves nulls out, which does not matter here: equal keys have equal hashes.
    part = F.pmod(F.xxhash64(*(F.col(quoted(name)) for name in key)), F.lit(count))
    return frame.where((part >= begin) & (part < end))


def _table_bytes(old: DataFrame) -> float:
    return old.count() * _TABLE_BYTES * _ROOM

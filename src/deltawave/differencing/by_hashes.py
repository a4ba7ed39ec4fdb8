"""Snapshots compared by hashes (SMC1, PHC1) without kept hashes: both are compressed, then rows are read by key."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from types import ModuleType

from pyspark.sql import DataFrame

from deltawave.differencing import outer_join
from deltawave.differencing.compression import month_key, with_keys
from deltawave.differencing.contract import Columns
from deltawave.differencing.in_place import quoted
from deltawave.resources import holding, persisted

_LOG = logging.getLogger(__name__)


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    library: ModuleType,
    **options: int,
) -> DataFrame:
    """Find by hashes the keys whose rows differ, then join the whole rows of these keys.

    - ``library``: :mod:`~deltawave.differencing.sort_merge_compressed` or
      :mod:`~deltawave.differencing.hash_compressed`
    - ``options``: further arguments of its ``differing_rows``

    Spark joins snapshots whose keys it cannot hand to Python.
    """
    if months := month_key(old, unique_key):
        _LOG.info("no hashes, Spark joins both snapshots: the key column %s is an interval of months", months)
        return outer_join.changes(old, new, unique_key=unique_key, columns=columns, before_image=before_image)
    compared = [column for column in columns if column["in_old"] and column["in_new"]]
    names = [quoted(column["name"]) for column in compared]
    rows = old.count()
    # They are read several times, and computed from the whole old snapshot.
    kept = persisted(library.kept_hashes(old.select(*names), unique_key=unique_key, columns=compared, count=rows))
    differing = library.differing_rows(
        kept, new.select(*names), unique_key=unique_key, columns=compared, rows=rows, **options
    )
    keys = persisted(differing.select(*map(quoted, unique_key)))
    sides = (with_keys(frame, keys, unique_key, "left_semi") for frame in (old, new))
    changed = outer_join.changes(*sides, unique_key=unique_key, columns=columns, before_image=before_image)
    return holding(changed, kept, keys)

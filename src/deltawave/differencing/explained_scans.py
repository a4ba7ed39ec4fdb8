"""Selects that only take columns of Parquet files, by the text of Spark's plans: Spark Connect shows nothing else."""

import re
from collections.abc import Sequence
from urllib.parse import unquote
from uuid import uuid4

from pyspark.sql import DataFrame

from deltawave.differencing.in_place import NotInPlaceError, has_rows
from deltawave.sql_text import quoted

# The nodes of a plan that takes columns of files. Other expressions, a filter, a join and a cache look different.
# Formats on top of Parquet have their own lists of files, with deleted rows and renamed columns.
_COLUMNS = re.compile(r"ColumnarToRow|Project \[(?:[^\s,()\[\]]+#\d+L?(?:, )?)*\]")
_SCAN = re.compile(
    r"FileScan parquet .*DataFilters: \[\], Format: Parquet, Location: (?P<index>InMemory|Catalog)FileIndex\(.*"
    r"PartitionFilters: \[(?P<partitions>.*)\], PushedFilters: \[\], .*"
)
# The partition of one value, such as the dump of a date.
_ONE_VALUE = re.compile(r"isnotnull\((?P<name>\S+)(?P<id>#\d+)L?\), \((?P=name)(?P=id)L? = (?P<value>[^()%]*)\)")
# Columns of a plan that Spark shows in full.
_FEW = 20
_INDENT = re.compile(r"^[ :+-]*(?:\*\(\d+\) )?")


def explained_files(frame: DataFrame) -> list[str]:
    """The files whose rows the frame has, in columns of the same names.

    By the physical plans of some columns at a time: Spark shortens longer ones. Raises ``NotInPlaceError`` if it is
    more than that.
    """
    session = frame.sparkSession
    view = f"deltawave_explained_{uuid4().hex}"
    names = [quoted(name) for name in frame.columns]
    # The frame is not cached: dropping a view of it would remove it from the cache.
    frame.createOrReplaceTempView(view)
    try:
        plans = [
            str(session.sql(f"explain select {', '.join(names[at : at + _FEW])} from {view}").collect()[0][0])
            for at in range(0, len(names), _FEW)
        ]
    finally:
        session.catalog.dropTempView(view)
    scans = [_scan(plan) for plan in plans]
    if (scan := scans[0]) is None or not all(scans):
        raise NotInPlaceError("it is more than all rows of Parquet files")
    paths = frame.inputFiles()
    folders = [unquote(path).split("/")[:-1] for path in paths]
    if scan["partitions"]:
        chosen = _ONE_VALUE.fullmatch(scan["partitions"])
        is_listed = chosen is not None and all(_is_partition(path, chosen["name"], chosen["value"]) for path in folders)
    else:
        # Spark does not read what lies in folders below a partition.
        is_listed = scan["index"] == "InMemory" or all("=" in path[-1] for path in folders)
    if not is_listed:
        raise NotInPlaceError("its partitions have other folders")
    return list(filter(has_rows, paths))


def _scan(plan: str) -> re.Match[str] | None:
    """The scan of a plan that only takes columns of files."""
    # Spark does not explain a select with a name such as ${x}, which stands for a variable in SQL.
    nodes = plan.partition("\n")[2]
    *above, last = (_INDENT.sub("", line) for line in nodes.strip().split("\n"))
    return _SCAN.fullmatch(last) if all(map(_COLUMNS.fullmatch, above)) else None


def _is_partition(folders: Sequence[str], name: str, value: str) -> bool:
    """Whether a path leads to the partition of this value, or to partitions within it."""
    at = [number for number, folder in enumerate(folders) if folder.lower().startswith(f"{name}=".lower())]
    return len(at) == 1 and folders[at[0]] == f"{name}={value}" and all("=" in folder for folder in folders[at[0] :])

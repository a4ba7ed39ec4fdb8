"""Selects that only take columns of Parquet files, by the text of Spark's plans: Spark Connect shows nothing else."""

import re
from collections.abc import Sequence
from urllib.parse import unquote
from uuid import uuid4

from pyspark.sql import DataFrame

from deltawave.differencing.parquet_files import NotInPlaceError, has_rows
from deltawave.sql_text import quoted

# The only nodes of an accepted plan: a scan, and projections of columns. Anything else, such as a filter, is refused.
# Formats on top of Parquet have their own lists of files, with deleted rows and renamed columns.
_COLUMNS = re.compile(r"ColumnarToRow|Project \[(?:[^\s,()\[\]]+#\d+L?(?:, )?)*\]")
_SCAN = re.compile(
    r"FileScan parquet .*DataFilters: \[\], Format: Parquet, Location: (?P<index>InMemory|Catalog)FileIndex\(.*"
    r"PartitionFilters: \[(?P<partitions>.*)\], PushedFilters: \[\], .*"
)
# The partition of one value, such as the dump of a date.
_ONE_VALUE = re.compile(r"isnotnull\((?P<name>\S+)(?P<id>#\d+)L?\), \((?P=name)(?P=id)L? = (?P<value>[^()%]*)\)")
# Spark writes out up to 25 columns of a plan's node (spark.sql.debug.maxToStringFields), and shortens longer lists.
_FEW = 20
_INDENT = re.compile(r"^[ :+-]*(?:\*\(\d+\) )?")


def explained_files(frame: DataFrame) -> list[str]:
    """The files whose rows the frame has, in columns of the same names.

    Explains a few columns at a time, since Spark shortens longer plans. Raises ``NotInPlaceError`` if the frame is
    anything else than such columns.
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
    # Without its heading. Of a select that Spark cannot explain, such as one with a column ${x}, the rest is no plan.
    nodes = plan.partition("\n")[2]
    *above, last = (_INDENT.sub("", line) for line in nodes.strip().split("\n"))
    return _SCAN.fullmatch(last) if all(map(_COLUMNS.fullmatch, above)) else None


def _is_partition(folders: Sequence[str], name: str, value: str) -> bool:
    """Whether a path leads to the partition of this value, or to partitions within it."""
    at = [number for number, folder in enumerate(folders) if folder.lower().startswith(f"{name}=".lower())]
    return len(at) == 1 and folders[at[0]] == f"{name}={value}" and all("=" in folder for folder in folders[at[0] :])

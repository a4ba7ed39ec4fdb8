"""Two snapshots in files, and where methods write."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.comparable import comparable
from deltawave.differencing import hash_compressed, sort_merge_compressed
from laboratory.snapshots.generator import GeneratorOptions, SnapshotGenerator

KEY = "account_id"
# The kept hashes are rewritten when patches are a fifth of the rows: on average, every tenth row is a patch.
PATCHED = 10


# ``stagnant``: almost all row groups are the same bytes in both snapshots. They have as many rows as those that DuckDB
# writes: of ten row groups of a million rows, three would have a change.
_STAGNANT_GROUP = 122_880
ORDERS = ("same", "local", "full", "stagnant")


def options(rows: int, order: str) -> GeneratorOptions:
    """The pair of snapshots that :class:`Snapshots` has."""
    if order == "stagnant":
        return GeneratorOptions(rows=rows, record_bytes=150, update_fraction=0.001, clusters=3, order="same")
    return GeneratorOptions(
        rows=rows, record_bytes=150, update_fraction=0.01, insert_fraction=0.005, delete_fraction=0.005, order=order
    )


class Snapshots:
    """About 150 bytes per row; 1% of the rows updated, 0.5% deleted, 0.5% inserted.

    ``stagnant``: only 0.1% are updated, in three places of the file.
    """

    def __init__(self, folder: Path, rows: int, order: str, session: SparkSession) -> None:
        self.folder, self.rows, self.order, self.session = folder, rows, order, session
        generator = SnapshotGenerator(options(rows, order))
        generator.write(folder, rows_per_group=_STAGNANT_GROUP if order == "stagnant" else 1_000_000)
        self.updates, self.inserts, self.deletes = map(len, (generator.updated, generator.inserted, generator.deleted))
        self.columns: list[dict[str, Any]] = [
            {
                "name": field.name,
                "data_type": field.dataType.simpleString(),
                "is_key": field.name == KEY,
                "in_old": True,
                "in_new": True,
                "is_compared": field.name != KEY,
                "tolerance": None,
                "comparable": comparable(field.name, field.dataType),
            }
            for field in self.new.schema.fields
        ]
        is_later = F.col(KEY) % PATCHED == 0
        self.write(self.old.where(is_later).withColumn("_change_type", F.lit("insert")), "patches")
        # Each keeps them in a form of its own.
        for library in (hash_compressed, sort_merge_compressed):
            kept = library.kept_hashes(self.old.where(~is_later), unique_key=[KEY], columns=self.columns, count=rows)
            self.write(kept, library.__name__)

    @property
    def old(self) -> DataFrame:
        return self.session.read.parquet(str(self.folder / "old"))

    @property
    def new(self) -> DataFrame:
        return self.session.read.parquet(str(self.folder / "new"))

    def kept(self, library: ModuleType) -> DataFrame:
        """Keys and hashes of most of the old snapshot, as a library keeps them."""
        return self.session.read.parquet(str(self.folder / library.__name__))

    @property
    def patches(self) -> DataFrame:
        """The other rows of the old snapshot, which came after these were kept."""
        return self.session.read.parquet(str(self.folder / "patches"))

    def write(self, frame: DataFrame, name: str = "found") -> None:
        """Write a result."""
        frame.write.mode("overwrite").parquet(str(self.folder / name))

    def found(self) -> DataFrame:
        """The last written result."""
        return self.session.read.parquet(str(self.folder / "found"))

    def bytes_of(self, *names: str, columns: list[str] | None = None) -> int:
        """Bytes of these columns in the files of snapshots, as Parquet stores them."""
        import pyarrow.parquet as pq

        total = 0
        for file in (file for name in names for file in (self.folder / name).glob("*.parquet")):
            footer = pq.ParquetFile(file).metadata
            for number in range(footer.num_row_groups):
                group = footer.row_group(number)
                chunks = [group.column(at) for at in range(group.num_columns)]
                total += sum(
                    chunk.total_compressed_size
                    for chunk in chunks
                    if columns is None or chunk.path_in_schema in columns
                )
        return total

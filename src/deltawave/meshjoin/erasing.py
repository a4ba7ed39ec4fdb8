"""Rows that leave a model's results for good: its table, the folders of its stream, and the pages of its relation.

No run of the model may be under way.
"""

from collections.abc import Sequence
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.meshjoin.batch_folders import BATCH, SHED, STAGING, BatchFolders, HadoopFiles
from deltawave.meshjoin.stored_relation import alongside_tables, forget, local_path

# Readers of Parquet folders skip it.
_ERASING = "_erasing"


def folders(dump: DataFrame, *, name: str) -> list[str]:
    """The folders of the model's stream, those that were set aside included, and of its pages, that are there.

    ``name``: of the model's table; of ``dump`` only the session is taken.
    """
    session = dump.sparkSession
    kept = BatchFolders(session, alongside_tables(session, "stream_join", name))
    pages = alongside_tables(session, "mesh_join", name)
    found = HadoopFiles(session, pages)
    return [*kept.every_folder(), *([pages] if found.exists(found.folder) else [])]


def erase(dump: DataFrame, *, name: str, condition: str, keys: Sequence[str], location: str | None) -> None:
    """Remove the rows for which ``condition``, over the columns ``keys``, is true, and the pages.

    - ``dump``, ``name``: the model's table
    - ``location``: its folder, if it has Parquet files; of these only those with such rows are written again, and each
      is replaced in one step

    The stream's folders come first: a run in between would return what only they have. Repeating it does no harm.
    """
    session = dump.sparkSession
    kept = BatchFolders(session, alongside_tables(session, "stream_join", name))
    for folder in kept.every_folder():
        files = HadoopFiles(session, folder)
        files.delete(f"{folder}/{STAGING}")
        # Shed rows have the columns of the stream alone.
        for inside in ("", f"/{SHED}"):
            paths = files.found(f"{folder}/{BATCH}=*{inside}/*.parquet")
            _erase_from_files(session, files, folder, paths, condition, keys)
    if location is None:
        session.sql(f"delete from {name} where {condition}")
    else:
        files = HadoopFiles(session, location)
        paths = [unquote(row[0]) for row in dump.select("_metadata.file_path").distinct().collect()]
        _erase_from_files(session, files, location, paths, condition, keys)
        session.catalog.refreshTable(name)
    if (place := local_path(alongside_tables(session, "mesh_join", name))) is not None:
        forget(place)


def _erase_from_files(
    session: SparkSession, files: HadoopFiles, folder: str, paths: Sequence[str], condition: str, keys: Sequence[str]
) -> None:
    """Write those of some Parquet files below ``folder`` that have such rows again, without them."""
    staged = f"{folder}/{_ERASING}"
    files.delete(staged)
    rows = session.read.parquet(*paths) if paths else None
    if rows is None or not {key.lower() for key in keys} <= {column.lower() for column in rows.columns}:
        return
    for found in rows.where(condition).select(F.col("_metadata.file_path")).distinct().collect():
        path = unquote(found[0])
        # One task, so that it is one file, also without rows.
        session.read.parquet(path).where(f"not {condition}").coalesce(1).write.parquet(staged)
        (written,) = files.found(f"{staged}/*.parquet")
        files.replace(written, path)
        files.delete(staged)

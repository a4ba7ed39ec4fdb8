"""Rows that leave a model's results for good: its table, the folders of its stream, and the pages of its relation.

No run of the model may be under way.
"""

from collections.abc import Sequence
from urllib.parse import unquote
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from deltawave.meshjoin.batch_folders import BATCH, SHED, STAGING, BatchFolders
from deltawave.meshjoin.hadoop_files import HadoopFiles
from deltawave.meshjoin.stored_relation import alongside_tables, forget, pages_alongside_tables
from deltawave.spark_versions import ClassicFrame
from deltawave.sql_text import quoted

# Readers of Parquet folders skip it.
_ERASING = "_erasing"


def folders(dump: DataFrame, *, name: str) -> list[str]:
    """The folders of the model's stream, those that were set aside included, and of its pages, that are there.

    ``name``: of the model's table; of ``dump`` only the session is taken. None through Spark Connect, where files can't
    be replaced.
    """
    if not isinstance(dump, ClassicFrame):
        return []
    session = dump.sparkSession
    pages = pages_alongside_tables(session, name)
    return [*_streams(session, name).every_folder(), *([str(pages)] if pages and pages.is_dir() else [])]


def erase(dump: DataFrame, *, name: str, condition: str, keys: Sequence[str]) -> None:
    """Remove the rows for which ``condition``, over the columns ``keys``, is true, and the pages.

    ``name``: of the model's table; of ``dump`` only the session is taken. The stream's folders come first: a run in
    between would return what only they have. Repeating it does no harm.
    """
    session = dump.sparkSession
    for folder in _streams(session, name).every_folder():
        files = HadoopFiles(session, folder)
        files.delete(f"{folder}/{STAGING}")
        # Shed rows have the columns of the stream alone.
        for inside in ("", f"/{SHED}"):
            if paths := files.found(f"{folder}/{BATCH}=*{inside}/*.parquet"):
                _erase_from_files(session.read.parquet(*paths), files, condition, keys)
    delete_rows(session, name, condition, keys)
    if (pages := pages_alongside_tables(session, name)) is not None:
        forget(pages)


def delete_rows(session: SparkSession, name: str, condition: str, keys: Sequence[str]) -> None:
    """Delete the rows of a table for which ``condition``, over the columns ``keys``, is true.

    Of Parquet files only those with such rows are written again, and each is replaced in one step.
    """
    facts = _facts(session, name)
    if facts["Provider"].lower() == "parquet":
        _erase_from_files(session.table(name), HadoopFiles(session, facts["Location"]), condition, keys)
        session.catalog.refreshTable(name)
    else:
        session.sql(f"delete from {name} where {condition}")


def provider_of(session: SparkSession, name: str) -> str:
    """The format of a table, in lower case."""
    return _facts(session, name)["Provider"].lower()


def _facts(session: SparkSession, name: str) -> dict[str, str]:
    return {row.col_name: row.data_type for row in session.sql(f"describe table extended {name}").collect()}


def _streams(session: SparkSession, name: str) -> BatchFolders:
    return BatchFolders(session, alongside_tables(session, "stream_join", name))


def _erase_from_files(rows: DataFrame, files: HadoopFiles, condition: str, keys: Sequence[str]) -> None:
    """Write those of the Parquet files of ``rows``, which lie below the folder of ``files``, again that have such rows.

    Without them, each as one file; one that has no others goes.
    """
    if not {key.lower() for key in keys} <= {column.lower() for column in rows.columns}:
        return
    session = rows.sparkSession
    for left_behind in files.found(f"{files.folder}/{_ERASING}*"):
        files.delete(left_behind)
    for (found,) in rows.where(condition).select("_metadata.file_path").distinct().collect():
        path = unquote(found)
        # The condition may be about a column that only the folders have.
        whole = session.read.option("basePath", files.folder).parquet(path)
        left = whole.where(f"not coalesce(({condition}), false)")
        if left.isEmpty():
            files.delete(path)
            continue
        # Two at a time must not take each other's files.
        staged = f"{files.folder}/{_ERASING}_{uuid4().hex}"
        try:
            own = session.read.parquet(path).columns
            left.select(*map(quoted, own)).coalesce(1).write.parquet(staged)
            (written,) = files.found(f"{staged}/*.parquet")
            files.replace(written, path)
        finally:
            files.delete(staged)

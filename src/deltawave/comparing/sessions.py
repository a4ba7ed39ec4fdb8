"""Two DataFrames of Spark, compared by DuckDB where it reaches their files and these are large, else by Spark."""

import logging
import os
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

import duckdb
from pyspark.sql import DataFrame

from deltawave.comparing.columns import Options
from deltawave.comparing.compared import compared_by
from deltawave.comparing.comparison import Comparison
from deltawave.comparing.connection import connected
from deltawave.comparing.dialects import quoted
from deltawave.comparing.duck_engine import DuckEngine
from deltawave.comparing.spark_engine import SparkEngine
from deltawave.differencing.local_engine import LocalEngine, reaches
from deltawave.rows.parquet_files import ChangedFileError
from deltawave.sides import SIDES, Side

_LOG = logging.getLogger(__name__)

_MEMORY = 1 << 30
# Smaller tables are left to Spark alone.
_LEAST_BYTES = 32 << 20


def compared_in_session(frames: Mapping[Side, DataFrame], options: Options) -> Comparison:
    """What differs between two tables."""
    engine = SparkEngine(frames)
    with engine:
        if _file_bytes(frames) >= _LEAST_BYTES and all(map(reaches, frames.values())) and not _mixes(engine):
            try:
                return _by_duckdb(frames, engine, options)
            except (duckdb.Error, ChangedFileError) as error:
                _LOG.info("Spark compares the tables: %s", error)
        return compared_by(engine, options)


def _mixes(engine: SparkEngine) -> bool:
    """Whether a column is text in one table only: Spark reads other texts as numbers and times than DuckDB."""
    texts = {side: {name.lower() for name, kind in engine.fields[side].items() if kind.is_text} for side in SIDES}
    names = {side: {name.lower() for name in engine.fields[side]} for side in SIDES}
    return bool((texts["old"] ^ texts["new"]) & names["old"] & names["new"])


def _file_bytes(frames: Mapping[Side, DataFrame]) -> int:
    """The size of the files of this machine that both tables are read from."""
    paths = (unquote(urlsplit(uri).path) for frame in frames.values() for uri in frame.inputFiles())
    return sum(map(os.path.getsize, filter(os.path.isfile, paths)))


def _by_duckdb(frames: Mapping[Side, DataFrame], spark: SparkEngine, options: Options) -> Comparison:
    """Compare the files of the tables, or a copy that Spark writes."""
    session = frames["old"].sparkSession
    zone = session.conf.get("spark.sql.session.timeZone") or "UTC"
    with LocalEngine(session, _MEMORY) as local:
        settings: dict[str, str | int] = {"memory_limit": f"{_MEMORY}B", "threads": local.threads}
        with connected(settings, zone=zone) as connection:
            engine = DuckEngine(connection)
            for side in SIDES:
                # Texts come as bytes.
                cells = [
                    f"decode({quoted(name)}) as {quoted(name)}" if kind.is_text else quoted(name)
                    for name, kind in spark.fields[side].items()
                ]
                engine.load(side, f"select {', '.join(cells)} from ({local.rows(frames[side])})")
            local.check_files()
            local.remove()
            return compared_by(engine, options)

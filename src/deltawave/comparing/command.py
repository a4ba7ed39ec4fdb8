"""The command ``deltawave compare``: two files or folders, compared on a Spark of this machine."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from deltawave import jars
from deltawave.comparing.columns import Numbers
from deltawave.comparing.compare import compare
from deltawave.comparing.comparison import Comparison
from deltawave.comparing.files import aligned, kind_of, read
from deltawave.differencing.contract import Side
from deltawave.spark_errors import readable

_SETTINGS = {
    "spark.master": "local[*]",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
}
_DELTA = {
    "spark.jars.packages": jars.TESTED[0],
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def run(options: argparse.Namespace) -> int:
    """Compare, and print or write what differs; return 0 if nothing does, 1 if something does, and 2 for an error."""
    try:
        found = _compared(options)
        text = found.formatted(options.format)
        if options.output:
            Path(options.output).write_text(text, encoding="utf-8")
        else:
            print(text)
    except (ValueError, OSError, RuntimeError, PySparkException, Py4JError) as error:
        print(f"deltawave compare: {' '.join(readable(error).split())}", file=sys.stderr)
        return 2
    return int(not found.is_equal)


def _compared(options: argparse.Namespace) -> Comparison:
    paths: dict[Side, str] = {"old": options.old, "new": options.new}
    given: dict[Side, str | None] = {"old": options.old_format, "new": options.new_format}
    kinds = {side: given[side] or kind_of(path) for side, path in paths.items()}
    key = [name.strip() for name in options.key.split(",")]
    tolerance = _tolerance("--tolerance", options.tolerance)
    relative = _tolerance("--relative-tolerance", options.relative_tolerance)
    is_number = partial(_is_number, key=[name.lower() for name in key], measures=[tolerance, relative])
    chosen = _DELTA if "delta" in kinds.values() else {}
    with local_session({**_SETTINGS, **chosen, **dict(options.set)}) as session:
        read_frames = {side: read(session, path, kinds[side], options.separator) for side, path in paths.items()}
        frames, notes = aligned(read_frames, paths, is_number)
        found = compare(
            frames["old"],
            frames["new"],
            key,
            ignore_columns=options.ignore,
            tolerance=tolerance,
            relative_tolerance=relative,
            ignore_case=options.ignore_case,
            ignore_blanks=options.ignore_blanks,
            samples=options.samples,
        )
    return replace(found, old_name=options.old, new_name=options.new, notes=tuple(notes))


@contextmanager
def local_session(settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """The Spark session of this process, or else a new one with these settings, which is stopped at the end."""
    if SparkContext._active_spark_context is not None:
        yield SparkSession.builder.getOrCreate()
        return
    with TemporaryDirectory(prefix="deltawave-") as folder:
        session = _started({"spark.sql.warehouse.dir": folder, **settings})
        try:
            yield session
        finally:
            session.stop()


def _started(settings: Mapping[str, str]) -> SparkSession:
    """A session whose JVM writes nothing to the terminal. Raises ``RuntimeError`` if it does not start."""
    # They write every error of a query with its stack to stderr, before it is raised.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
    with TemporaryFile() as transcript:
        terminal = os.dup(2)
        os.dup2(transcript.fileno(), 2)
        try:
            return SparkSession.builder.appName("deltawave compare").config(map=dict(settings)).getOrCreate()
        except Exception as error:
            transcript.seek(0)
            lines = transcript.read().decode(errors="replace").splitlines()
            # Those of a stack are indented.
            reason = next((line for line in reversed(lines) if line and not line[0].isspace()), str(error))
            raise RuntimeError(f"Spark did not start: {reason} (`deltawave doctor` checks this machine)") from error
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)


def _tolerance(option: str, given: Sequence[tuple[str, float]]) -> Numbers:
    """A number for all columns, or one for each named column."""
    numbers = dict(given)
    if "" in numbers and len(given) > 1:
        raise ValueError(f"{option}: give one number for all columns, or numbers of columns.")
    return numbers.get("", numbers or None)


def _is_number(name: str, key: Sequence[str], measures: Sequence[Numbers]) -> bool:
    """Whether a tolerance applies to a column, by its name in lower case."""
    return any(
        name in map(str.lower, measure) if isinstance(measure, Mapping) else measure is not None and name not in key
        for measure in measures
    )

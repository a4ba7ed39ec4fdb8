"""The command ``deltawave compare``: two files or folders, compared on a Spark of this machine; and dbt's operation."""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import pyspark
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from deltawave import jars
from deltawave.comparing.compare import compare
from deltawave.comparing.comparison import FORMATS, Comparison
from deltawave.comparing.files import aligned, kind_of, read
from deltawave.differencing.contract import Side
from deltawave.pages.texts import plain, print_any_text, require_writable
from deltawave.spark_errors import message_of, silence_query_errors

_SETTINGS = {
    "spark.master": "local[*]",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    # --encoding is any that Java knows, such as windows-1252.
    "spark.sql.legacy.javaCharsets": "true",
    # Each task prepares aggregates over all columns, which takes longer than its rows: by default there are 200.
    "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
}
_DELTA = {
    "spark.jars.packages": jars.JARS[jars.minor(pyspark.__version__)].get("delta", ""),
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def run(options: argparse.Namespace) -> int:
    """Compare, and print or write what differs; return 0 if nothing does, 1 if something does, and 2 for an error."""
    print_any_text()
    try:
        if options.output:
            require_writable(options.output)
        found = _compared(options)
        text = found.formatted(options.format)
        if options.output:
            Path(options.output).write_text(text, encoding="utf-8")
        else:
            print(text)
    except (ValueError, OSError, RuntimeError, PySparkException, Py4JError) as error:
        # A message may quote a row.
        print(f"deltawave compare: {plain(' '.join(message_of(error).split()))}", file=sys.stderr)
        return 2
    return int(not found.is_equal)


def operation(
    old: DataFrame, new: DataFrame, *, names: Sequence[str], format: str, output: str | None, **options: Any
) -> dict[str, Any]:
    """Compare two relations of dbt; return the ``text`` to print and ``is_equal``, or why that is ``refused``.

    - ``output``: a file for the result, which is then not part of the text
    - ``options``: those of :func:`deltawave.compare`; a value of ``None`` is not given
    """
    if format not in FORMATS:
        return {"refused": f"There is no format {format!r}: it is one of {', '.join(FORMATS)}."}
    given = {name: value for name, value in options.items() if value is not None}
    try:
        if output:
            require_writable(output)
        found = replace(compare(old, new, **given), old_name=names[0], new_name=names[1])
        text = found.formatted(format)
        if output:
            Path(output).write_text(text, encoding="utf-8")
            text = f"The {'equal tables' if found.is_equal else 'differences'} are described in {output}."
    except (ValueError, OSError) as error:
        return {"refused": str(error)}
    return {"text": text, "is_equal": found.is_equal}


def _compared(options: argparse.Namespace) -> Comparison:
    paths: dict[Side, str] = {"old": options.old, "new": options.new}
    given: dict[Side, str | None] = {"old": options.old_format, "new": options.new_format}
    kinds = {side: kind_of(path, given[side]) for side, path in paths.items()}
    key = [name.strip() for name in options.key.split(",")]
    keys = {name.lower() for name in key}
    measured = {name.lower() for name, _ in (*options.tolerance, *options.relative_tolerance)}

    def is_measured(name: str) -> bool:
        return name in measured or ("" in measured and name not in keys)

    with local_session({**_SETTINGS, **(_DELTA if "delta" in kinds.values() else {})}) as session:
        rows = {
            side: read(session, path, kinds[side], options.separator, options.encoding) for side, path in paths.items()
        }
        frames, notes = aligned(rows, paths, is_measured)
        found = compare(
            frames["old"],
            frames["new"],
            key,
            ignore_columns=options.ignore,
            tolerance=dict(options.tolerance),
            relative_tolerance=dict(options.relative_tolerance),
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
        # As Spark's own programs do, but with more than their 1g.
        memory = os.environ.get("SPARK_DRIVER_MEMORY", "2g")
        session = _started({**settings, "spark.sql.warehouse.dir": folder, "spark.driver.memory": memory})
        try:
            yield session
        finally:
            session.stop()


def _started(settings: Mapping[str, str]) -> SparkSession:
    """A session whose JVM writes nothing to stdout and stderr. Raises ``RuntimeError`` if it does not start."""
    silence_query_errors()
    # Otherwise workers are of the first Python on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with TemporaryFile() as transcript:
        saved = {number: os.dup(number) for number in (1, 2)}
        for number in saved:
            os.dup2(transcript.fileno(), number)
        try:
            return SparkSession.builder.appName("deltawave compare").config(map=dict(settings)).getOrCreate()
        except Exception as error:
            reason = message_of(error)
            if "JAVA_GATEWAY_EXITED" in reason:
                transcript.seek(0)
                lines = transcript.read().decode(errors="replace").splitlines()
                # Those of a stack are indented.
                reason = next((line for line in reversed(lines) if line and not line[0].isspace()), reason)
            raise RuntimeError(f"Spark did not start: {reason} (`deltawave doctor` checks this machine)") from error
        finally:
            for number, terminal in saved.items():
                os.dup2(terminal, number)
                os.close(terminal)

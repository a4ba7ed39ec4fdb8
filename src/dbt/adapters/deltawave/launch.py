"""Starting the JVM quietly, and reporting why it did not start."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from dbt_common.exceptions import DbtRuntimeError
from pyspark import SparkConf, SparkContext, java_gateway
from pyspark.errors import PySparkRuntimeError

from dbt.adapters.deltawave import jars
from dbt.adapters.deltawave.errors import readable, redact, secret_values, without_stack
from dbt.adapters.deltawave.settings import PYTHON

_INSTALL = "Install Java 17 or 21 and let JAVA_HOME point at it."
_HINTS = (
    (
        re.compile(r"UnsupportedClassVersionError|Unrecognized option: --add-"),
        f"This Java is too old for Spark. {_INSTALL}",
    ),
    (
        re.compile(r"JAVA_HOME is not set|java: (?:No such file|(?:command )?not found)"),
        f"No Java was found. {_INSTALL}",
    ),
    (
        re.compile(r"unresolved dependency|Failed to collect dependencies|download failed"),
        "A package of spark.jars.packages could not be fetched: check its name and the network.",
    ),
)
_NOISE = re.compile(r"^\s*$|^\s*::|^WARNING: |bad array subscript")


class Transcript:
    """The JVM's output to stderr: kept while it starts, passed on afterwards."""

    def __init__(self, keep: int = 200) -> None:
        self._lines: deque[str] = deque(maxlen=keep)
        self._passing = False
        read, self._write = os.pipe()
        self._thread = threading.Thread(target=self._pump, args=(read,), daemon=True)
        self._thread.start()

    def _pump(self, read: int) -> None:
        with os.fdopen(read, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if self._passing:
                    print(line, end="", file=sys.stderr)
                else:
                    self._lines.append(line.rstrip())

    def __enter__(self) -> int:
        """Return the file descriptor to write to."""
        return self._write

    def __exit__(self, *error: object) -> None:
        # From now on the JVM is the only writer: the pipe ends when the JVM does.
        os.close(self._write)

    def pass_on(self) -> None:
        """Pass on whatever comes from now on."""
        self._passing = True

    def text(self) -> str:
        """Return what was kept, once the JVM has ended."""
        self._thread.join(timeout=2)
        return "\n".join(self._lines)


def launch(settings: Mapping[str, str]) -> SparkContext:
    """Start a JVM and a Spark context with ``settings``.

    Raises ``DbtRuntimeError`` with a remedy if there is no fitting Java, a jar is not available or
    made for another Spark, or Spark refuses a setting.
    """
    jars.check(settings)
    # PySpark looks for the executors' Python here, and takes any python3 of the PATH otherwise.
    os.environ["PYSPARK_PYTHON"] = settings.get(PYTHON) or os.environ.get("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    secrets = secret_values(settings)
    transcript = Transcript()
    try:
        with transcript as stderr:
            start: Any = java_gateway.launch_gateway
            gateway = start(conf, popen_kwargs={"stderr": stderr})
    except (PySparkRuntimeError, OSError) as error:
        raise DbtRuntimeError(_last_words(transcript.text(), secrets)) from error
    try:
        return SparkContext(gateway=gateway, conf=conf)
    except Exception as error:
        _forget(gateway)
        message = readable(error, secrets)
        raise DbtRuntimeError(f"Spark's JVM runs, but Spark did not start: {message}") from error
    finally:
        transcript.pass_on()


def _forget(gateway: Any) -> None:
    # The next attempt would reuse the gateway, with the settings of this one.
    gateway.shutdown()
    SparkContext._gateway = None
    SparkContext._jvm = None


def _last_words(transcript: str, secrets: list[str]) -> str:
    said = [line for line in without_stack(transcript).splitlines() if not _NOISE.search(line)]
    hint = next(
        (hint for pattern, hint in _HINTS if pattern.search(transcript)),
        "Check JAVA_HOME and the server_side_parameters of the profile.",
    )
    tail = redact("\n".join(said[-15:]), secrets) or "(nothing)"
    return f"Spark's JVM did not start. {hint}\nIt said:\n{tail}"

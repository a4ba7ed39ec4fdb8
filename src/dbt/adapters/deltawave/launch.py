"""Starting the JVM quietly, and telling why it would not start."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway

from dbt.adapters.deltawave.errors import readable, redact, secret_values
from dbt_common.exceptions import DbtRuntimeError

_WRONG_JAVA = re.compile(r"UnsupportedClassVersionError|Unsupported major\.minor|Unrecognized option: --add-opens")
_NO_JAVA = re.compile(r"JAVA_HOME is not set|java: (?:command )?not found|No such file or directory.*java")
_NO_JAR = re.compile(r"unresolved dependency|UNRESOLVED DEPENDENCIES|Failed to collect dependencies|download failed")


class Transcript:
    """What the JVM writes to stderr: kept while it starts, passed on afterwards."""

    def __init__(self, keep: int = 200) -> None:
        self._lines: deque[str] = deque(maxlen=keep)
        self._passing = False
        read, self.write_end = os.pipe()
        self._thread = threading.Thread(target=self._pump, args=(read,), name="spark-stderr", daemon=True)
        self._thread.start()

    def _pump(self, read: int) -> None:
        with os.fdopen(read, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if self._passing:
                    print(line, end="", file=sys.stderr)
                else:
                    self._lines.append(line.rstrip())

    def started(self) -> None:
        """Pass on whatever comes from now on."""
        self._passing = True

    def text(self) -> str:
        """Return what was kept, once the JVM has had its say."""
        self._thread.join(timeout=2)
        return "\n".join(self._lines)

    def close_write_end(self) -> None:
        """Leave the JVM as the only writer, so that its end is the end of the pipe."""
        os.close(self.write_end)


def launch(settings: Mapping[str, str]) -> SparkContext:
    """Start a JVM and a Spark context with ``settings``.

    Raises ``DbtRuntimeError`` that says what to do when there is no (fitting) Java, or a jar cannot be had.
    """
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    transcript = Transcript()
    try:
        gateway: Any = launch_gateway(conf, popen_kwargs={"stderr": transcript.write_end})
    except (PySparkRuntimeError, OSError) as error:
        transcript.close_write_end()
        raise DbtRuntimeError(_launch_failure(transcript.text(), error, secret_values(settings))) from error
    transcript.close_write_end()
    try:
        return SparkContext(gateway=gateway, conf=conf)
    except Exception as error:
        # A gateway without a context would be taken for a running Spark by the next attempt.
        _forget(gateway)
        message = readable(error, secret_values(settings))
        raise DbtRuntimeError(f"Spark's JVM runs, but its context did not start: {message}") from error
    finally:
        transcript.started()


def _forget(gateway: Any) -> None:
    gateway.shutdown()
    SparkContext._gateway = None
    SparkContext._jvm = None


def _launch_failure(transcript: str, error: Exception, secrets: list[str]) -> str:
    said = redact(transcript, secrets).strip()
    if _NO_JAVA.search(said) or isinstance(error, FileNotFoundError):
        hint = "No Java was found. Install Java 17 (or 21) and let JAVA_HOME point at it."
    elif _WRONG_JAVA.search(said):
        hint = (
            f"Java is too old for this Spark (JAVA_HOME={os.environ.get('JAVA_HOME', 'unset')}). "
            "Install Java 17 (or 21) and let JAVA_HOME point at it."
        )
    elif _NO_JAR.search(said):
        hint = "A package of spark.jars.packages could not be fetched. Check its coordinates and the network."
    else:
        hint = "Check JAVA_HOME and the server_side_parameters of the profile."
    tail = "\n".join(said.splitlines()[-15:]) or "(it wrote nothing)"
    return f"Spark's JVM did not start. {hint}\nIts last words:\n{tail}"

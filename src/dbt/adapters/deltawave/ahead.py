"""Opening the session while dbt parses: Java starts on another core, and only statements wait for it."""

from __future__ import annotations

import sys
import threading
from typing import Any

from dbt.adapters.deltawave.credentials import DeltawaveCredentials

# The commands that always run statements.
COMMANDS = frozenset(
    ["build", "clone", "freshness", "generate", "retry", "run", "run-operation", "seed", "show", "snapshot", "test"]
)


class _Opening(threading.Thread):
    """Opens the session of ``credentials``. A daemon, so that a command that fails before its first statement ends at
    once: the JVM ends when nothing holds its standard input any more."""

    def __init__(self, credentials: DeltawaveCredentials) -> None:
        super().__init__(name="opens Spark", daemon=True)
        self.credentials = credentials
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            from dbt.adapters.deltawave.session import open_session

            open_session(self.credentials)
        except Exception as error:
            self.error = error


_opening: _Opening | None = None


def begin(credentials: DeltawaveCredentials, arguments: Any) -> None:
    """Begin to open the session of ``credentials``, if the command with dbt's ``arguments`` will need it."""
    global _opening
    if credentials.in_session and getattr(arguments, "which", None) in COMMANDS and not _is_running():
        _opening = _Opening(credentials)
        _opening.start()


def _is_running() -> bool:
    """Whether this process has a Spark already. Importing PySpark to ask takes a second."""
    context = sys.modules.get("pyspark.core.context")
    return context is not None and context.SparkContext._active_spark_context is not None


def finish(credentials: DeltawaveCredentials) -> None:
    """Wait until the session of ``credentials`` is open, if that has begun; raise the error if it failed."""
    global _opening
    opening = _opening
    if opening is not None and opening.credentials is credentials:
        opening.join()
        _opening = None
        if opening.error is not None:
            raise opening.error

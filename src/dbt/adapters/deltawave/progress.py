"""One line on the terminal about what takes long: the model, its step, Spark's tasks, and the seconds.

It stands where the cursor is, below what dbt has written, and is erased at the end. Nothing is written where the error
stream is no terminal that can erase a line, in CI, with ``--quiet`` or with logs as JSON. Nothing that goes wrong here
may fail or hold up a statement.
"""

import logging
import os
import select
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

# A statement that ends sooner gets no line.
PATIENCE_SECONDS = 2.0
PAUSE_SECONDS = 0.5
# How long a statement waits for a line that is just being written.
WAIT_SECONDS = 0.1
# Where the terminal does not say how wide it is.
WIDTH = 80
# The logger through which dbt writes to its terminal.
_DBTS_LINES = "stdout_log"

# What a batch does in its steps; after the last one there are only hooks.
STEPS = {
    "land": "reading the source",
    "check": "checking keys",
    "prepare": "preparing the log",
    "stage": "writing rows",
    "count": "counting changes",
    "guard": "checking how much has changed",
    "merge": "merging small partitions of the log",
    "decide": "committing the batch",
    "place": "placing rows",
    "record": "recording the batch",
    "publish": "updating the view",
    "clean": "dropping what is no longer needed",
    "end": "",
}


class Progress:
    """The line of one dbt command; without a terminal it does nothing."""

    def __init__(self, terminal: TextIO | None) -> None:
        self._terminal: Any = terminal
        self._running: dict[object, tuple[float, str]] = {}
        # What is running, and what the terminal shows: a terminal that takes no text must not hold up statements.
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._is_watched = False
        self._is_shown = False
        if terminal is not None:
            # dbt's lines would leave the end of a longer one.
            for handler in logging.getLogger(_DBTS_LINES).handlers:
                handler.addFilter(self._is_erased)

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Show ``what`` while the block runs, if it takes long; of several blocks, the one that began first."""
        if self._terminal is None:
            yield
            return
        block = object()
        with self._lock:
            self._running[block] = time.monotonic(), what
            # A process that can start no thread goes without.
            with suppress(RuntimeError):
                if not self._is_watched:
                    threading.Thread(target=self._watch, name="shows progress", daemon=True).start()
                    self._is_watched = True
        try:
            yield
        finally:
            with self._lock:
                del self._running[block]
            self._erase()

    def _watch(self) -> None:
        while True:
            time.sleep(PAUSE_SECONDS)
            with self._lock:
                if not self._running:
                    self._is_watched = False
                    return
                begun, what = min(self._running.values())
            seconds = time.monotonic() - begun
            if seconds < PATIENCE_SECONDS:
                continue
            text = f"{what}: {seconds:.0f} s{_tasks()}"
            with self._writing:
                # Asking Spark takes a moment, in which it may have ended.
                if self._running and self._write(f"\r{text[: self._width() - 1]}\x1b[K\r"):
                    self._is_shown = True

    def _is_erased(self, record: logging.LogRecord) -> bool:
        """Erase the line before dbt writes one; as a filter it lets every record pass."""
        self._erase()
        return True

    def _erase(self) -> None:
        if self._writing.acquire(timeout=WAIT_SECONDS):
            try:
                self._is_shown = self._is_shown and not self._write("\r\x1b[K")
            finally:
                self._writing.release()

    def _write(self, text: str) -> bool:
        """Write to the terminal, if it takes text now; return whether it did."""
        # If the terminal was closed, the run continues.
        with suppress(OSError, ValueError):
            if _takes_text(self._terminal):
                self._terminal.write(text)
                self._terminal.flush()
                return True
        return False

    def _width(self) -> int:
        with suppress(OSError, ValueError):
            return int(os.get_terminal_size(self._terminal.fileno()).columns) or WIDTH
        return WIDTH


def _takes_text(terminal: TextIO) -> bool:
    """Whether this process is in the terminal's foreground, and the terminal was not stopped by Ctrl-S."""
    try:
        number = terminal.fileno()
    except OSError:
        return True
    # A terminal that does not control this process has no foreground.
    with suppress(OSError, AttributeError):
        if os.tcgetpgrp(number) != os.getpgrp():
            return False
    # Other systems select among sockets only.
    return os.name != "posix" or bool(select.select([], [number], [], 0)[1])


def progress(arguments: Any) -> Progress:
    """The progress of the command with dbt's ``arguments``."""
    is_quiet = getattr(arguments, "QUIET", False) or getattr(arguments, "LOG_FORMAT", "") == "json"
    # Another program may have replaced or closed the stream, and a dumb terminal erases no line.
    with suppress(AttributeError, OSError, ValueError):
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI") and not is_quiet:
            return Progress(sys.stderr)
    return Progress(None)


def name_of(connection: str) -> str:
    """What a connection of dbt runs, for people, from its name: mostly the identifier of a node."""
    if connection.startswith("macro_"):
        return connection.removeprefix("macro_")
    kind, *parts = connection.split(".", 2)
    if len(parts) < 2:
        return connection
    # A test's name is followed by a hash.
    return parts[1].partition(".")[0] if kind == "test" else parts[1]


def _tasks() -> str:
    """How many tasks of the running stages have ended; empty where this process is not the one that runs them."""
    context = getattr(sys.modules.get("pyspark.core.context"), "SparkContext", None)
    ended = in_all = 0
    with suppress(Exception):
        tracker = context._active_spark_context.statusTracker()  # type: ignore[union-attr]
        for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
            if stage is not None:
                ended += stage.numCompletedTasks
                in_all += stage.numTasks
    return f", {ended:,} of {in_all:,} tasks" if in_all else ""

"""One line on the terminal about what takes long: the model, its step, Spark's tasks, and the seconds.

It stands where the cursor is, below what dbt has written, and is erased at the end. Nothing is written where the error
stream is no terminal, in CI, with ``--quiet`` or with logs as JSON.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

# What is over by then needs no line.
PATIENCE_SECONDS = 2.0
PAUSE_SECONDS = 0.5
# dbt's own lines are longer, so that they replace all of it.
WIDTH = 78

# What a batch does in its steps, for those that may take long; after the last one there are only hooks.
STEPS = {
    "land": "reading the source",
    "check": "checking keys",
    "stage": "writing rows",
    "count": "counting changes",
    "place": "placing rows",
    "record": "recording the batch",
    "clean": "dropping what is no longer needed",
    "end": "",
}


class Progress:
    """The line of one dbt command; without a terminal it does nothing."""

    def __init__(self, terminal: TextIO | None) -> None:
        self._terminal = terminal
        self._lock = threading.Lock()
        self._running: dict[object, tuple[float, str]] = {}
        self._is_watched = False
        self._is_shown = False

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Show ``what`` while the block runs, if it takes long; of several blocks, the one that began first."""
        if self._terminal is None:
            yield
            return
        block = object()
        with self._lock:
            self._running[block] = time.monotonic(), what
            if not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, name="shows progress", daemon=True).start()
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
            with self._lock:
                # Asking Spark takes a moment, in which it may have ended.
                if self._running:
                    self._write(f"\r{text[: min(WIDTH, shutil.get_terminal_size().columns - 1)]}\x1b[K\r")
                    self._is_shown = True

    def _erase(self) -> None:
        if self._is_shown:
            self._write("\r\x1b[K")
            self._is_shown = False

    def _write(self, text: str) -> None:
        # A terminal that is gone ends no run.
        with suppress(OSError, ValueError):
            assert self._terminal
            self._terminal.write(text)
            self._terminal.flush()


def progress(arguments: Any) -> Progress:
    """The progress of the command with dbt's ``arguments``."""
    is_quiet = getattr(arguments, "QUIET", False) or getattr(arguments, "LOG_FORMAT", "") == "json"
    is_seen = sys.stderr is not None and sys.stderr.isatty() and not os.environ.get("CI")
    return Progress(sys.stderr if is_seen and not is_quiet else None)


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

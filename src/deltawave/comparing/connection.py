"""A DuckDB of this process, for files and tables in memory."""

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import duckdb

# Nothing is said of what takes less.
_QUIET_SECONDS = 2.0
_EVERY_SECONDS = 0.5


@contextmanager
def connected(
    settings: Mapping[str, str | int] | None = None, *, zone: str = "UTC", has_progress: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that uses up to the memory that DuckDB finds on this machine, and beyond that temporary files.

    - ``settings``: of DuckDB, in place of the usual ones
    - ``zone``: the time zone of timestamps without one, where they are compared with others
    - ``has_progress``: whether a terminal shows how far a long statement is
    """
    with TemporaryDirectory(prefix="deltawave-") as folder:
        config: dict[str, str | int | bool] = {
            "allow_unsigned_extensions": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "default_null_order": "nulls_first",
            "preserve_insertion_order": False,
            "temp_directory": folder,
        }
        # Otherwise four fifths of what this machine, or its container, has.
        if memory := os.environ.get("DELTAWAVE_MEMORY"):
            config["memory_limit"] = memory
        try:
            connection = duckdb.connect(config={**config, **(settings or {})})
        except duckdb.Error as error:
            raise ValueError(f"DELTAWAVE_MEMORY={memory} is no size such as 4GB: {error}") from error
        try:
            connection.execute("set TimeZone = ?", [zone])
            # DuckDB's own bar goes to standard output.
            connection.execute("set enable_progress_bar = false")
            with _progress(connection) if has_progress else _silent():
                yield connection
        finally:
            connection.close()


@contextmanager
def _silent() -> Iterator[None]:
    yield


@contextmanager
def _progress(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Write how far the running statement is to the terminal, where one takes long."""
    connection.execute("set enable_progress_bar = true")
    connection.execute("set enable_progress_bar_print = false")
    ended = threading.Event()
    shown = False

    def report() -> None:
        nonlocal shown
        if ended.wait(_QUIET_SECONDS):
            return
        while not ended.wait(_EVERY_SECONDS):
            done = connection.query_progress()
            step = f" {done:.0f}% of this step" if done >= 0 else ""
            sys.stderr.write(f"\r\x1b[Kcomparing ...{step}")
            sys.stderr.flush()
            shown = True

    thread = threading.Thread(target=report, name="deltawave-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

"""The resources that a method uses: bytes read by Spark's tasks, processor time, memory of Python workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

_SECONDS_BETWEEN_LOOKS = 0.02


@dataclass
class Used:
    """``peak_worker_bytes``: of the largest Python worker, without files that it maps; none without workers.

    ``cpu_seconds``: of this process, Spark's and the workers', together.
    """

    bytes_read: int = 0
    cpu_seconds: float = 0.0
    peak_worker_bytes: int | None = None


@contextmanager
def watched(session: SparkSession) -> Iterator[Used]:
    """Fill in what is used until the end of the block."""
    used = Used()
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_SECONDS_BETWEEN_LOOKS):
            peak = max(map(_own_memory, _workers()), default=0)
            if peak > (used.peak_worker_bytes or 0):
                used.peak_worker_bytes = peak

    thread = threading.Thread(target=look, daemon=True)
    before, cpu_before = _input_bytes(session), _cpu_seconds()
    thread.start()
    try:
        yield used
    finally:
        used.cpu_seconds = _cpu_seconds() - cpu_before
        ended.set()
        thread.join()
        used.bytes_read = _input_bytes(session) - before


def _input_bytes(session: SparkSession) -> int:
    """Bytes that tasks have read from files so far, without files that Python reads."""
    store = session.sparkContext._jsc.sc().statusStore()
    executors = store.executorList(False)
    return sum(int(executors.apply(number).totalInputBytes()) for number in range(executors.size()))


def _workers() -> list[Path]:
    """The processes that Spark's daemon of Python workers has forked."""
    daemons = {process.name for process in _processes() if b"pyspark.daemon" in _read(process / "cmdline")}
    return [process for process in _processes() if _parent(process) in daemons]


def memory_of(processes: Iterable[str]) -> int:
    """The memory of processes, without files that they map."""
    return sum(_own_memory(Path("/proc", name)) for name in processes)


def _cpu_seconds() -> float:
    """Processor seconds of this process and all its descendants so far."""
    return sum(map(_ticks, tree_of(os.getpid()))) / os.sysconf("SC_CLK_TCK")


def tree_of(process: int) -> set[str]:
    """A process and all its descendants."""
    parents = {other.name: _parent(other) for other in _processes()}
    tree = {str(process)}
    while begun := {name for name, parent in parents.items() if parent in tree} - tree:
        tree |= begun
    return tree


def _ticks(process: str) -> int:
    """User and system time, also of children that have ended."""
    reported = _read(Path("/proc", process, "stat")).rpartition(b")")[2].split()
    return sum(map(int, reported[11:15]))


def _processes() -> list[Path]:
    return [path for path in Path("/proc").iterdir() if path.name.isdigit()]


def _parent(process: Path) -> str:
    return _field(process, b"PPid:")


def _own_memory(process: Path) -> int:
    # Buffers of direct reads are shared memory.
    return sum(int(_field(process, name).removesuffix(" kB") or 0) for name in (b"RssAnon:", b"RssShmem:")) * 1024


def _field(process: Path, name: bytes) -> str:
    for line in _read(process / "status").splitlines():
        if line.startswith(name):
            return line[len(name) :].decode().strip()
    return ""


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        # The process has ended.
        return b""

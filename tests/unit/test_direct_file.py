"""A file read past the operating system's cache: each part is the wanted one, whatever went wrong before."""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pyarrow as pa
import pytest

from deltawave.meshjoin.relation import SECTOR, DirectFile

PARTS = [(number * 2 * SECTOR, (number * 2 + 2) * SECTOR - 100) for number in range(40)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "parts"
    path.write_bytes(b"".join(bytes([number]) * 2 * SECTOR for number in range(len(PARTS))))
    return path


@pytest.fixture
def file(path: Path) -> Iterator[DirectFile]:
    file = DirectFile(path)
    yield file
    file.close()


def number_of(file: DirectFile, number: int) -> int:
    """What a part has in all of its bytes."""
    shown = file.read(PARTS[number], PARTS[(number + 1) % len(PARTS)])
    (value,) = set(bytes(shown[: PARTS[number][1] - PARTS[number][0]]))
    return value


class StoppedError(Exception):
    """Raised by a signal's handler."""


def test_an_interrupt_at_any_time_leaves_no_wrong_part(file: DirectFile) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise StoppedError

    previous = signal.signal(signal.SIGALRM, interrupt)
    interrupts = turn = 0
    try:
        while interrupts < 200:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0002 + turn % 7 * 0.00003)
                for _ in range(1000):
                    turn += 1
                    assert number_of(file, turn % 40) == turn % 40
            except StoppedError:
                interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert [number_of(file, number) for number in range(40)] == list(range(40))


def test_parts_in_another_order_than_expected(file: DirectFile) -> None:
    order = [3, 4, 9, 9, 0, 39, 0, 7]
    assert [number_of(file, number) for number in order] == order
    file.release()
    assert number_of(file, 5) == 5


def test_an_error_belongs_to_its_part(file: DirectFile) -> None:
    beyond = (100 * SECTOR, 101 * SECTOR)
    file.read(PARTS[0], beyond)
    assert number_of(file, 1) == 1
    for _ in range(2):
        with pytest.raises(OSError, match="ends before its last page"):
            file.read(beyond, PARTS[0])
    assert number_of(file, 2) == 2


def test_memory_that_is_held_stays_as_it_was(file: DirectFile) -> None:
    held = [pa.py_buffer(file.read(PARTS[number], PARTS[number + 1])) for number in range(5)]
    assert [buffer[0] for buffer in held] == list(range(5))


def test_a_closed_file(path: Path) -> None:
    file = DirectFile(path)
    file.read(PARTS[0], PARTS[1])
    file.close()
    file.close()
    for number in (1, 2):
        with pytest.raises(ValueError, match="is closed"):
            file.read(PARTS[number], PARTS[number + 1])


def test_files_that_nobody_closes(path: Path) -> None:
    threads = []
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        file = DirectFile(path)
        file.read(PARTS[0], PARTS[1])
        threads.append(file._thread)
        del file
    gc.collect()
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before

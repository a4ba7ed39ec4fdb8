"""A file that is read past the operating system's cache, the next part while one is looked at."""

from __future__ import annotations

import mmap
import os
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event

# Disks read whole sectors where nothing is cached, into memory that begins at one.
SECTOR = 4096

Part = tuple[int, int]


def in_sectors(size: int) -> int:
    """So many bytes, rounded up to whole sectors."""
    return -(-size // SECTOR) * SECTOR


class DirectFile:
    """Parts of a file, each from a sector's beginning. Two of them lie in memory."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDONLY | os.O_DIRECT)
        self._rooms = [mmap.mmap(-1, SECTOR) for _ in range(2)]
        self._shown = [memoryview(room) for room in self._rooms]
        self._has_begun = Event()
        self._thread = ThreadPoolExecutor(1)
        self._ahead: tuple[Part, Future[None]] | None = None

    def read(self, part: Part, following: Part) -> memoryview:
        """Read from begin to end, and begin to read the part that follows.

        As long as somebody holds what was shown, such as a join that waits, the next part is read into another room.
        """
        if self._ahead is not None:
            ahead, read = self._ahead
            read.result()
        if self._ahead is None or ahead != part:
            self._fill(1, part)
        self._rooms.reverse()
        self._shown.reverse()
        self._leave_what_is_held()
        self._has_begun.clear()
        self._ahead = following, self._thread.submit(self._fill, 1, following)
        # Otherwise the thread would have to wait until this one lets go of the interpreter.
        self._has_begun.wait()
        self._shown[0] = memoryview(self._rooms[0])
        return self._shown[0]

    def _leave_what_is_held(self) -> None:
        try:
            self._shown[1].release()
        except BufferError:
            self._rooms[1] = mmap.mmap(-1, len(self._rooms[1]))

    def _fill(self, number: int, part: Part) -> None:
        begin, end = part
        wanted = in_sectors(end - begin)
        try:
            if len(self._rooms[number]) < wanted:
                self._rooms[number] = mmap.mmap(-1, wanted)
        finally:
            self._has_begun.set()
        room = memoryview(self._rooms[number])[:wanted]
        done = 0
        while begin + done < end:
            read = os.preadv(self._file, [room[done:]], begin + done)
            if not read:
                raise OSError(f"{self._path} ends before its last page.")
            done += read

    def close(self) -> None:
        """Close the file."""
        self._thread.shutdown()
        os.close(self._file)

"""A file that is read past the operating system's cache, the next part while the current one is processed."""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

# Without a cache, disks read whole sectors, into memory that is aligned to them.
SECTOR = 4096

Part = tuple[int, int]


def in_sectors(size: int) -> int:
    """The size in bytes, rounded up to whole sectors."""
    return -(-size // SECTOR) * SECTOR


class DirectFile:
    """Parts of a file, each of which begins at a sector. Two of them are in memory."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDONLY | os.O_DIRECT)
        self._rooms, self._shown = _empty_rooms()
        # Futures would take a tenth of the time of small parts.
        self._orders: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._outcomes: SimpleQueue[Exception | None] = SimpleQueue()
        self._thread = Thread(target=_serve, args=(self._orders, self._outcomes), daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, self._orders.put, None)
        self._ahead: Part | None = None

    def read(self, part: Part, following: Part) -> memoryview:
        """Read a part from its begin to its end, and start reading the following part.

        As long as somebody holds the returned memory, such as a waiting join, the next part is read into other memory.
        """
        ahead, error = self._ahead, self._wait()
        if error is not None:
            raise error
        if ahead != part:
            self._fill(1, part)
        self._rooms.reverse()
        self._shown.reverse()
        self._leave_what_is_held()
        self._ahead = following
        self._orders.put(partial(self._fill, 1, following))
        self._shown[0] = memoryview(self._rooms[0])
        return self._shown[0]

    def release(self) -> None:
        """Give up the memory of what was read, and of what was read ahead."""
        self._wait()
        self._rooms, self._shown = _empty_rooms()

    def _wait(self) -> Exception | None:
        """Wait until nothing is read ahead any more; return the error of that reading."""
        if self._ahead is None:
            return None
        self._ahead = None
        return self._outcomes.get()

    def _leave_what_is_held(self) -> None:
        try:
            self._shown[1].release()
        except BufferError:
            self._rooms[1] = mmap.mmap(-1, len(self._rooms[1]))

    def _fill(self, number: int, part: Part) -> None:
        begin, end = part
        wanted = in_sectors(end - begin)
        # Where fewer pages are read at a time, the window has the memory of the others.
        if len(self._rooms[number]) != wanted:
            self._rooms[number] = mmap.mmap(-1, wanted)
        room = memoryview(self._rooms[number])[:wanted]
        done = 0
        while begin + done < end:
            read = os.preadv(self._file, [room[done:]], begin + done)
            if not read:
                raise OSError(f"{self._path} ends before its last page.")
            done += read

    def close(self) -> None:
        """Close the file."""
        self._end()
        self._thread.join()
        os.close(self._file)


def _serve(orders: SimpleQueue[Callable[[], None] | None], outcomes: SimpleQueue[Exception | None]) -> None:
    """Read what is ordered, until nothing more will be."""
    while (read := orders.get()) is not None:
        try:
            read()
        except Exception as error:
            outcomes.put(error)
        else:
            outcomes.put(None)
        # It holds the file, which nobody else may hold any more.
        del read


def _empty_rooms() -> tuple[list[mmap.mmap], list[memoryview]]:
    """The memory of two parts, and a view of each, before anything is read."""
    rooms = [mmap.mmap(-1, SECTOR) for _ in range(2)]
    return rooms, [memoryview(room) for room in rooms]

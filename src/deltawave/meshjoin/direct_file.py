"""A file that is read past the operating system's cache, the next part while the current one is processed."""

from __future__ import annotations

import mmap
import os
import weakref
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

# Without a cache, disks read whole sectors, into memory that is aligned to them.
SECTOR = 4096

Part = tuple[int, int]


def in_sectors(size: int) -> int:
    """The size in bytes, rounded up to whole sectors."""
    return -(-size // SECTOR) * SECTOR


class DirectFile:
    """Parts of a file, each of which begins at a sector. Two of them are in memory.

    Another thread reads them, which a forked process does not have. Closed files can't be read: ``ValueError``.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._orders: SimpleQueue[_Reading | None] = SimpleQueue()
        file = os.open(path, os.O_RDONLY | os.O_DIRECT)
        self._thread = Thread(target=_serve, args=(path, file, self._orders), daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, self._orders.put, None)
        self._ahead: _Reading | None = None
        self._room: mmap.mmap | None = None
        self._shown = memoryview(b"")

    @property
    def nbytes(self) -> int:
        ahead = None if self._ahead is None else self._ahead.room
        return sum(len(room) for room in (self._room, ahead) if room is not None)

    def read(self, part: Part, following: Part) -> memoryview:
        """Read a part from its begin to its end, and start reading the following part.

        As long as somebody holds the returned memory, such as a waiting join, the next part is read into other memory.
        """
        if not self._end.alive:
            raise ValueError(f"{self._path} is closed.")
        ahead = self._ahead
        if ahead is None or ahead.part != part:
            self._ahead = ahead = self._begin(part, None if ahead is None else ahead.ended().room)
        if error := ahead.ended().error:
            self._ahead = None
            raise error
        # An interrupt may come between any two of these lines: then both rooms are given up.
        self._ahead = None
        unused, self._room = self._unused_room(), ahead.room
        self._shown = memoryview(ahead.room)
        self._ahead = self._begin(following, unused)
        return self._shown

    def release(self) -> None:
        """Give up the memory of what was read, and of what was read ahead."""
        if self._ahead is not None:
            self._ahead.ended()
        self._ahead = self._room = None
        self._shown = memoryview(b"")

    def _unused_room(self) -> mmap.mmap | None:
        """The memory of the part that was shown last, if nobody holds it."""
        room, self._room = self._room, None
        try:
            self._shown.release()
        except BufferError:
            return None
        return room

    def _begin(self, part: Part, room: mmap.mmap | None) -> _Reading:
        """Start reading a part, into this memory if it has the right size."""
        wanted = in_sectors(part[1] - part[0])
        # Where fewer pages are read at a time, the window has the memory of the others.
        if room is None or len(room) != wanted:
            room = mmap.mmap(-1, wanted)
        reading = _Reading(part, room)
        self._orders.put(reading)
        return reading

    def close(self) -> None:
        self._end()
        self._thread.join()


def _locked() -> Lock:
    lock = Lock()
    lock.acquire()
    return lock


@dataclass(eq=False)
class _Reading:
    """A part that is read into ``room``. Futures would take a tenth of the time of small parts."""

    part: Part
    room: mmap.mmap
    error: Exception | None = None
    _is_read: Lock = field(default_factory=_locked)

    def ended(self) -> _Reading:
        """The same, as soon as it is read, or failed."""
        with self._is_read:
            return self

    def read(self, path: str | Path, file: int) -> None:
        begin, end = self.part
        done = 0
        try:
            while begin + done < end:
                read = os.preadv(file, [memoryview(self.room)[done:]], begin + done)
                if not read:
                    raise OSError(f"{path} ends before its last page.")
                done += read
        except Exception as error:
            self.error = error
        finally:
            self._is_read.release()


def _serve(path: str | Path, file: int, orders: SimpleQueue[_Reading | None]) -> None:
    """Read what is ordered, until nothing more will be; close the file."""
    try:
        while (reading := orders.get()) is not None:
            reading.read(path, file)
            # Nobody else may need its memory any more.
            del reading
    finally:
        with suppress(OSError):
            os.close(file)

"""A file that is read past the operating system's cache, the next part while the current one is processed."""

import os
import weakref
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

import numpy as np
import numpy.typing as npt

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

    def read(self, part: Part, following: Part) -> npt.NDArray[np.uint8]:
        """Read a part from its begin to its end, and start reading the following part."""
        if not self._end.alive:
            raise ValueError(f"{self._path} is closed.")
        if self._ahead is None or self._ahead.part != part:
            self.release()
            self._ahead = self._begin(part)
        # An interrupt may come between any two of these lines: then what was read ahead may be given up.
        ahead, self._ahead = self._ahead.ended(), None
        if ahead.error is not None:
            raise ahead.error
        self._ahead = self._begin(following)
        return ahead.room

    def _begin(self, part: Part) -> "_Reading":
        reading = _Reading(part)
        self._orders.put(reading)
        return reading

    def release(self) -> None:
        """Give up the memory of what was read ahead."""
        if self._ahead is not None:
            self._ahead.ended()
        self._ahead = None

    def close(self) -> None:
        self._end()
        self._thread.join()


class _Reading:
    """A part that is read into ``room``. Futures would take a tenth of the time of small parts."""

    def __init__(self, part: Part) -> None:
        self.part = part
        size = in_sectors(part[1] - part[0])
        memory = np.empty(size + SECTOR, dtype=np.uint8)
        begin = -memory.ctypes.data % SECTOR
        self.room = memory[begin : begin + size]
        self.error: Exception | None = None
        self._is_read = Lock()
        self._is_read.acquire()

    def ended(self) -> "_Reading":
        """The same, as soon as it is read, or failed."""
        with self._is_read:
            return self

    def read(self, path: str | Path, file: int) -> None:
        begin, end = self.part
        done = 0
        try:
            while begin + done < end:
                read = os.preadv(file, [self.room.data[done:]], begin + done)
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

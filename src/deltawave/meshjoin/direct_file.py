"""A file that is read past the operating system's cache, the next part while the current one is processed."""

import os
import weakref
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import numpy as np
import numpy.typing as npt

# Without a cache, disks read whole sectors, into memory that is aligned to them.
SECTOR = 4096

Part = tuple[int, int]
Room = npt.NDArray[np.uint8]
# A part, and where it comes when it is read. Unlike futures, these queues stand an interrupt at any time.
_Order = tuple[Part, "SimpleQueue[Room | Exception]"]


def in_sectors(size: int) -> int:
    """The size in bytes, rounded up to whole sectors."""
    return -(-size // SECTOR) * SECTOR


class DirectFile:
    """Parts of a file, each of which begins at a sector. Two of them are in memory.

    Another thread reads them, which a forked process does not have. Closed files can't be read: ``ValueError``.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        file = os.open(path, os.O_RDONLY | os.O_DIRECT)
        self._thread = Thread(target=_serve, args=(path, file, self._orders), daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, self._orders.put, None)
        self._ahead: _Order | None = None

    def read(self, part: Part, following: Part) -> Room:
        """Read a part from its begin to its end, and start reading the following part."""
        if not self._end.alive:
            raise ValueError(f"{self._path} is closed.")
        if self._ahead is None or self._ahead[0] != part:
            self.release()
            self._ahead = self._begin(part)
        # An interrupt may come between any two of these lines: then what was read ahead may be given up.
        (_, answer), self._ahead = self._ahead, None
        found = answer.get()
        if isinstance(found, Exception):
            raise found
        self._ahead = self._begin(following)
        return found

    def _begin(self, part: Part) -> _Order:
        order: _Order = part, SimpleQueue()
        self._orders.put(order)
        return order

    def release(self) -> None:
        """Give up the memory of what was read ahead."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead[1].get()

    def close(self) -> None:
        self._end()
        self._thread.join()


def _serve(path: str | Path, file: int, orders: SimpleQueue[_Order | None]) -> None:
    """Read what is ordered, until nothing more will be; close the file."""
    try:
        while (order := orders.get()) is not None:
            order[1].put(_read(path, file, order[0]))
            # Nobody else may need its memory any more.
            del order
    finally:
        with suppress(OSError):
            os.close(file)


def _read(path: str | Path, file: int, part: Part) -> Room | Exception:
    begin, end = part
    done = 0
    try:
        room = _aligned(in_sectors(end - begin))
        while begin + done < end:
            read = os.preadv(file, [room.data[done:]], begin + done)
            if not read:
                raise OSError(f"{path} ends before its last page.")
            done += read
    except Exception as error:
        return error
    return room


def _aligned(size: int) -> Room:
    memory = np.empty(size + SECTOR, dtype=np.uint8)
    return memory[-memory.ctypes.data % SECTOR :][:size]

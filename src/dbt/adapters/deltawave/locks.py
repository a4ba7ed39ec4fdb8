"""Locks of files between processes, which the operating system releases however a process ends."""

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError

try:
    import fcntl
except ImportError:  # Windows
    HAS_LOCKS = False
else:
    HAS_LOCKS = True


def is_locked(file: Path) -> bool:
    """Whether another process has locked a file, by a lock of POSIX, as Java takes them."""
    if not HAS_LOCKS:
        return False
    try:
        lock = file.open()
    except OSError:
        return False
    with lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            # Otherwise its file system has no locks.
            return error.errno in (errno.EAGAIN, errno.EACCES)
    return False


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold a lock as long as this process lives; raise ``DbtRuntimeError`` where another one holds it."""
    with file.open("w") as lock:
        for _ in range(20):
            # A process that only checks the lock holds it for a moment.
            with suppress(BlockingIOError):
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(0.1)
        else:
            raise DbtRuntimeError(f"Another server runs: its process has locked {file}.")
        yield

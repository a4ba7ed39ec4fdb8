"""What a DataFrame needs until it has been read (cached rows, temporary files), released when nobody can read it."""

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from queue import SimpleQueue
from typing import Any

from pyspark.sql import DataFrame

Release = Callable[[], object]

_ATTRIBUTE = "_deltawave_resources"
# A garbage collection may interrupt any statement, also one that talks to Spark: another thread releases.
_garbage: SimpleQueue[Release] = SimpleQueue()


class _Resource:
    """What a frame needs. ``release`` is called once: on request, or when no frame refers to this any more."""

    def __init__(self, release: Release) -> None:
        self._finalizer = weakref.finalize(self, _garbage.put, release)
        # Spark removes caches and temporary files when it stops.
        self._finalizer.atexit = False  # type: ignore[misc]

    def release(self) -> None:
        if detached := self._finalizer.detach():
            detached[2][0]()


# The resources that this thread keeps, within ``keeping``.
_scope = threading.local()


@contextmanager
def keeping() -> Iterator[Release]:
    """Keep the resources of all frames that this thread makes. Yield the function that releases them."""
    kept: list[_Resource] = []
    outer, _scope.kept = getattr(_scope, "kept", None), kept

    def release_kept() -> None:
        while kept:
            with suppress(Exception):
                kept.pop().release()

    try:
        yield release_kept
    except BaseException:
        release_kept()
        raise
    finally:
        _scope.kept = outer


def attach(frame: DataFrame, release: Release, *, needs: Sequence[DataFrame] = ()) -> DataFrame:
    """Return the frame, bound to a function that releases what it needs until it has been read.

    ``release`` is called, in another thread, when the frame and all frames made by its methods are garbage. A frame
    that takes it as an argument (``other.join(frame)``), a temporary view and a SQL statement do not keep it: hold the
    frame until they have been read, or use :func:`releasing`.

    - ``needs``: frames whose resources this one needs, too
    """
    _start_thread()
    resource = _Resource(release)
    if (kept := getattr(_scope, "kept", None)) is not None:
        kept.append(resource)
    return _bound(frame, [*_resources(frame, *needs), resource])


def holding(frame: DataFrame, *needs: DataFrame) -> DataFrame:
    """Return the frame, bound to what other frames need: it was made from them, but not by their methods."""
    resources = _resources(frame, *needs)
    return frame if resources == _resources(frame) else _bound(frame, resources)


def persisted(frame: DataFrame) -> DataFrame:
    """Return the frame, cached until it is garbage."""
    return attach(frame.persist(), frame.unpersist)


def release(frame: DataFrame) -> None:
    """Release what the frame needs, now: it must not be read any more."""
    with ExitStack() as stack:  # one that fails does not keep the others
        for resource in _resources(frame):
            stack.callback(resource.release)


@contextmanager
def releasing(frame: DataFrame) -> Iterator[DataFrame]:
    """Release what the frame needs at the end of the ``with`` block."""
    try:
        yield frame
    finally:
        release(frame)


def _resources(*frames: DataFrame) -> list[_Resource]:
    return list(dict.fromkeys(each for frame in frames for each in getattr(frame.sparkSession, _ATTRIBUTE, ())))


def _bound(frame: DataFrame, resources: Sequence[_Resource]) -> DataFrame:
    # Spark passes a frame's session on to the frames that its methods return.
    original: Any = frame.sparkSession
    session: Any = object.__new__(_holder(type(original)))  # type: ignore[arg-type]
    session.__dict__.update(original.__dict__, **{_ATTRIBUTE: tuple(resources)})
    # A new object: a function that releases resources may refer to the frame, which must not keep itself alive.
    bound: Any = object.__new__(type(frame))
    bound.__dict__.update(frame.__dict__, _session=session)
    return bound  # type: ignore[no-any-return]


@cache
def _holder(session: type) -> type:
    """A session that is a copy: under Spark Connect, a session that is garbage would close the connection."""
    return session if hasattr(session, _ATTRIBUTE) else type(session.__name__, (session,), _COPY)


_COPY: dict[str, Any] = {_ATTRIBUTE: (), "__del__": lambda _session: None, "__module__": __name__}


@cache
def _start_thread() -> None:
    def release_garbage() -> None:
        while True:
            # Spark may have stopped meanwhile.
            with suppress(Exception):
                _garbage.get()()

    threading.Thread(target=release_garbage, name="deltawave-release", daemon=True).start()

"""What a library's functions in a Python model and the adapter that runs the model report to each other.

A model returns a frame that is read when its rows are appended: only the adapter knows when that is done.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Run(threading.local):
    """The model that this thread runs."""

    is_empty = False

    def __init__(self) -> None:
        self.actions: list[Callable[[], None]] = []


_run = _Run()


@contextmanager
def model_run(is_empty: bool = False) -> Iterator[None]:
    """Let a model run in this thread. ``is_empty``: as under ``dbt run --empty``, it takes no rows."""
    # A previous model may have failed.
    _run.actions.clear()
    _run.is_empty = is_empty
    try:
        yield
    finally:
        _run.is_empty = False


def is_empty_run() -> bool:
    """Whether this thread's model takes no rows."""
    return _run.is_empty


def after_append(action: Callable[[], None]) -> None:
    """Let ``results_appended`` call this action."""
    _run.actions.append(action)


def results_appended() -> None:
    """Report that the table has all rows of the model that this thread has run."""
    while _run.actions:
        _run.actions.pop(0)()

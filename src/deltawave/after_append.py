"""What a library does once the rows that it returned to a model are in the model's table.

A model returns a frame that is read when its rows are appended, so that only who appends them knows when that is done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class _Waiting(threading.local):
    """The actions of this thread's model."""

    def __init__(self) -> None:
        self.actions: list[Callable[[], None]] = []


_waiting = _Waiting()


def after_append(action: Callable[[], None]) -> None:
    """Let ``results_appended`` call this action."""
    _waiting.actions.append(action)


def results_appended() -> None:
    """Report that the table has all rows of the model that this thread has run."""
    while _waiting.actions:
        _waiting.actions.pop(0)()


def forget_results() -> None:
    """Forget the actions of a model that did not end."""
    _waiting.actions.clear()

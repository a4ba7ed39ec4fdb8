"""A library's messages by Python's logging while dbt calls it."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()
# How many threads listen to a package whose level was changed, and its level before.
_listeners: Counter[str] = Counter()
_levels: dict[str, int] = {}


@contextmanager
def captured(package: str) -> Iterator[list[str]]:
    """Gather what the package logs in this thread, from level INFO on."""
    messages: list[str] = []
    thread = threading.get_ident()

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread != thread:
                return
            try:
                messages.append(record.getMessage())
            except Exception:
                self.handleError(record)

    logger = logging.getLogger(package)
    collector = Collector(logging.INFO)
    with _LOCK:
        if not _listeners[package]:
            _levels[package] = logger.level
        _listeners[package] += 1
        logger.setLevel(min(logger.getEffectiveLevel(), logging.INFO))
        logger.addHandler(collector)
    try:
        yield messages
    finally:
        with _LOCK:
            logger.removeHandler(collector)
            _listeners[package] -= 1
            if not _listeners[package]:
                logger.setLevel(_levels.pop(package))

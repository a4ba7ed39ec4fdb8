"""What a library says by Python's logging while dbt calls it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heard(package: str) -> Iterator[list[str]]:
    """Gather what the package logs in this thread, from level INFO on."""
    messages: list[str] = []
    thread = threading.get_ident()

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread == thread:
                messages.append(record.getMessage())

    logger = logging.getLogger(package)
    ear = Ear(logging.INFO)
    if logger.getEffectiveLevel() > logging.INFO:
        logger.setLevel(logging.INFO)
    logger.addHandler(ear)
    try:
        yield messages
    finally:
        logger.removeHandler(ear)

"""Batches and changes of a log that nobody has written."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from deltawave.reporting.batches import Batch
from deltawave.reporting.changes import Change

BEGIN = datetime(2026, 1, 31, tzinfo=timezone.utc)


def batch(number: int, **others: Any) -> Batch:
    """A batch of a few updates, each a day after the one before."""
    values: dict[str, Any] = {
        "at": BEGIN + timedelta(days=number - 1),
        "strategy": "outer_join",
        "reason": "configured",
        "rows_old": 0 if number == 1 else 4,
        "rows_read": 4,
        "rows_new": 4,
        "inserts": 4 if number == 1 else 0,
        "updates": 0 if number == 1 else 3,
        "deletes": 0,
        "backfilled": 0,
        "quarantined": 0,
        "seconds": 1.25,
    }
    return Batch(number=number, **{**values, **others})


def insert(number: int, **row: str | None) -> Change:
    return Change(number, batch(number).at, "insert", row)


def delete(number: int, **row: str | None) -> Change:
    return Change(number, batch(number).at, "delete", row)


def update(number: int, before: dict[str, str | None] | None, changed: tuple[str, ...] | None, **row: Any) -> Change:
    return Change(number, batch(number).at, "update", row, changed, before)

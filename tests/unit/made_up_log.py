"""Batches and changes of a log that nobody has written."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from deltawave.comparing.comparison import Concentration
from deltawave.reporting.batches import Batch
from deltawave.reporting.changes import Change
from deltawave.reporting.log_report import LogReport

MADE_AT = datetime(2026, 5, 1, 12, 30, tzinfo=timezone.utc)
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


def report(**others: Any) -> LogReport:
    """A log of three batches, in which each type of change occurs."""
    before = {"name": "ann", "amount": "1.50"}
    values: dict[str, Any] = {
        "name": "dev.accounts",
        "key": ("id",),
        "batches": (
            batch(1),
            batch(2, deletes=1, inserts=2, seconds=None, strategy="hash_compressed", reason="the dump is large"),
            batch(3, quarantined=2, backfilled=1),
        ),
        "first_batch": 1,
        "updates": 6,
        "columns": {"amount": 4, "name": 2},
        "concentrations": (Concentration("update", "region", "north", 50, 1.0, 50, 0.25, 4.0, 2.1),),
        "samples": (
            update(3, before, ("amount",), id="1", name="ann", amount="1.75"),
            insert(2, id="7", name="eve", amount=None),
            delete(2, id="3", name="cid", amount="3.00"),
        ),
        "quarantined": ({"id": "9", "name": "twice"},),
        "made_at": MADE_AT,
    }
    return LogReport(**{**values, **others})

"""A small history of dated dumps, and the change log that a plain comparison of them gives."""

import random
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

Key = tuple[str | None, int]
Row = tuple[float | None, str | None]
Dump = dict[Key, Row]

COLUMNS = "region string, account_id bigint, balance double, note string, dump_date date"


@dataclass(frozen=True)
class Change:
    """One row of a change log, as the model shows it."""

    batch_id: int
    key: Key
    kind: str
    after: Row
    before: Row | None


def dates(count: int) -> list[date]:
    """The days on which the dumps came."""
    return [date(2026, 1, 1) + timedelta(days=3 * number) for number in range(count)]


def dumps(count: int, rows: int = 60) -> list[Dump]:
    """Dumps in which rows are inserted, changed, deleted and inserted again; parts of keys and values may be null."""
    chance = random.Random(20260101)
    dump: Dump = {}
    history = []
    for number in range(count):
        dump = dict(dump)
        for account in range(rows):
            key = (chance.choice(["north", "south", None]), account)
            if number == 0 or chance.random() < 0.1:
                dump[key] = (round(chance.uniform(-9, 9), 2), chance.choice(["", "it's", "a\\b", None, "é"]))
            elif chance.random() < 0.05:
                dump.pop(key, None)
        history.append(dump)
    return history


def rows(history: list[Dump]) -> list[tuple[Any, ...]]:
    """The dumps as rows of one table, with the day of each."""
    return [
        (*key, *row, day) for day, dump in zip(dates(len(history)), history, strict=True) for key, row in dump.items()
    ]


def log(history: list[Dump]) -> set[Change]:
    """The changes between neighbouring dumps, by comparing dictionaries."""
    changes: set[Change] = set()
    old: Dump = {}
    for batch_id, new in enumerate(history, start=1):
        for key in old.keys() | new.keys():
            if key not in old:
                changes.add(Change(batch_id, key, "insert", new[key], None))
            elif key not in new:
                changes.add(Change(batch_id, key, "delete", old[key], None))
            elif old[key] != new[key]:
                changes.add(Change(batch_id, key, "update", new[key], old[key]))
        old = new
    return changes


def sizes(changes: set[Change]) -> dict[str, int]:
    """The number of changes of each batch, by its number."""
    return dict(Counter(str(change.batch_id) for change in changes))

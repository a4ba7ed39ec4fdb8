"""A model with its source, the days that are to come, and what is seen of its log."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from events import Day
from oracle import Change, Knowledge, Prediction, key_of
from source import Source

from models import USUAL, Edit, Model

ORDER = ["delete", "update", "insert"]
BEGIN = dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc)


@dataclass
class Log:
    """What is seen of a model."""

    changes: list[tuple[int, Change]] = field(default_factory=list)
    batches: list[dict[str, Any]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)

    @property
    def last_batch(self) -> int:
        return max((int(batch["batch_id"]) for batch in self.batches), default=0)

    @property
    def text_and_batches(self) -> tuple[list[str], list[str]]:
        """All that a reader sees, to tell whether it is as before."""
        return list(self.text), sorted(map(str, self.batches))


@dataclass
class History:
    """A model with its source, its days to come, and what its log must hold."""

    model: Model
    source: Source
    days: list[Day] = field(default_factory=list)
    known: Knowledge = field(default_factory=Knowledge)
    # What batches that stand, and that no reader has seen yet, must hold.
    pending: list[Prediction] = field(default_factory=list)
    # The states that batches of the log left, by batch.
    states: dict[int, Knowledge] = field(default_factory=dict)
    log: Log = field(default_factory=Log)
    edit: Edit = USUAL
    # Under which edit the last batch was compared.
    compared: Edit = USUAL
    # What batches have deleted; the log of an expired one is deleted.
    deletes: dict[int, int] = field(default_factory=dict)
    # The last batch that was compared, and what was seen with it.
    last_seen: int = 0
    seen: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    names: set[str] = field(default_factory=set)
    # For how many runs something may lie there that a stopped run has left.
    leftovers: int = 0
    # A refused run of a view's logs has taken what was undone since: a batch notes how far they are read.
    has_moved_logs: bool = False
    # Until a cycle shows what happened to the source: the source before it, and how many runs it took.
    previous: Source | None = None
    runs: int = 0

    def observe(self, log: Log) -> None:
        """Take in what is seen of the log."""
        self.log = log
        self.deletes |= {int(batch["batch_id"]): int(batch["deletes"]) for batch in log.batches}

    def next_day(self) -> Day:
        """The next of its days; an operation that goes back to a batch waits until there are two."""
        if len(self.states) < 2 and {"rewind", "expire"} & set(self.days[0].operations):
            return Day("ordinary")
        following = self.days[0]
        is_forgotten = following.flag or following.refused or "rewind" in following.operations
        # An ordinary day that was refused may be accepted now.
        if self.pending and following.event != "ordinary" and (self.model.is_bounded or is_forgotten):
            # What a stopped run has decided, the log has to show first.
            return Day("ordinary")
        return self.days.pop(0)

    def may_be_refused(self, prediction: Prediction, message: str) -> bool:
        """Do the deletes of a cycle add up to what the guard refuses?"""
        assert prediction.dump is not None
        deletes = sum(self.deletes[batch] for batch in sorted(self.deletes)[-6:])
        deletes += len(self.known.state.keys() - prediction.dump.keys())
        return "would be deleted" in message and 2 * deletes > self.known.rows


def log_of(
    model: Model, rows: list[Mapping[str, Any]], batches: list[dict[str, Any]], names: set[str], text: list[str]
) -> Log:
    """What is seen, with the changes in an order in which they can be replayed."""
    changes = [(int(row["_batch_id"]), change_of(model, row)) for row in rows]
    changes.sort(key=lambda each: (each[0], ORDER.index(each[1].kind)))
    return Log(changes, batches, names, sorted(text))


def change_of(model: Model, row: Mapping[str, Any]) -> Change:
    """A row of the log."""
    record = {name: _value(name, row.get(name)) for name in model.columns}
    if model.strategy == "view" and "name" not in row:
        record["name"] = None
    given = row["_before"]
    before = None
    if given is not None:
        before = record | {name: _value(name, value) for name, value in given.items()}
    columns = row["_changed_columns"]
    return Change(
        row["_change_type"], key_of(model, record), record, before, None if columns is None else tuple(columns)
    )


def _value(name: str, value: Any) -> Any:
    if name == "version" and isinstance(value, str):
        hours = dt.datetime.fromisoformat(value.replace("Z", "+00:00")) - BEGIN
        return int(hours.total_seconds() // 3600)
    if name == "num" and isinstance(value, str):
        return float(value.replace("Infinity", "inf"))
    return value

"""What may befall a change log between its runs, each as one or more days in the history of a model."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from declarations import Declaration
from source import LIMIT, Source

from models import USUAL, Edit, Model

BEFORE_DECISION = ["land", "check", "prepare", "stage", "count", "guard", "decide"]
AFTER_DECISION = ["place", "record", "publish", "clean", "end"]


@dataclass(frozen=True)
class Day:
    """A run of a model, and what happens before it."""

    event: str
    # What happens to the source.
    change: Callable[[Source], None] = Source.change
    # Operations on the log: their names.
    operations: tuple[str, ...] = ()
    flag: str | None = None
    edit: Edit = USUAL
    accepts: bool = False
    stops_at: str | None = None
    # What a refusal says, as a regular expression; no refusal otherwise.
    refused: str | None = None
    # Is the source put back afterwards?
    is_undone: bool = False
    # Does the source have nothing new?
    is_idle: bool = False
    # Is it refused in one of the runs of a cycle?
    is_seen_in_cycle: bool = False
    # Is it repeated until a cycle has found all that the source has?
    is_repeated: bool = False

    @property
    def is_refused_by_columns(self) -> bool:
        return self.refused in (NEW_COLUMN, DROPPED_COLUMN)

    @property
    def surely_decides(self) -> bool:
        """Does its run decide a batch, whatever the model?"""
        waits = self.refused or self.stops_at or self.is_undone or self.is_seen_in_cycle or self.is_repeated
        return not (waits or self.flag or self.is_idle or self.change is same)


@dataclass(frozen=True)
class Event:
    """Its days, and why it can't happen to a model."""

    name: str
    days: Callable[[Model], list[Day]]
    unless: Callable[[Model, Declaration], str | None] = field(default=lambda model, declared: None)


def error_at(step: str) -> str:
    return f"error at {step}"


def same(source: Source) -> None:
    """Nothing happens."""


def empty(source: Source) -> None:
    source.rows = []


def lose(source: Source) -> None:
    source.lose(0.7)


def twice(source: Source) -> None:
    source.change()
    source.twice()


def late(source: Source) -> None:
    source.change()
    source.come_late(2)


def too_late(source: Source) -> None:
    source.change()
    source.come_late(5)


def back(source: Source) -> None:
    source.set_clock_back()


def back_and_change(source: Source) -> None:
    source.set_clock_back()
    source.clock -= 8
    source.change()


def other_strategy(model: Model) -> Edit:
    return Edit(strategy="union" if model.strategy == "outer_join" else "outer_join")


def day(name: str, **rest: Any) -> Callable[[Model], list[Day]]:
    return lambda model: [Day(name, **rest)]


def _bag(model: Model, declared: Declaration) -> str | None:
    return "a bag has one strategy" if model.duplicate_keys == "multiset" else None


def _baseline(model: Model, declared: Declaration) -> str | None:
    return "the log does not hold the first rows" if model.options.get("initial_load") == "baseline" else None


def _untimed(model: Model, declared: Declaration) -> str | None:
    return None if "updated_at" in model.options else "the strategy asks no timestamp"


def _sees_no_deletes(model: Model, declared: Declaration) -> str | None:
    return "the strategy sees no deletes" if declared.sees_deletes == "none" else None


def _bounded(model: Model, declared: Declaration) -> str | None:
    return "a run reads a part; the guard is that of a cycle" if model.is_bounded else None


def _unbounded(model: Model, declared: Declaration) -> str | None:
    return None if model.is_bounded else "a run reads all that it may"


def _only(kind: str) -> Callable[[Model, Declaration], str | None]:
    return lambda model, declared: None if model.duplicate_keys == kind else f"duplicate_keys is not {kind}"


def _strict(model: Model, declared: Declaration) -> str | None:
    if model.duplicate_keys != "fail":
        return "duplicate keys are taken"
    if model.strategy == "view":
        return "the select of a view gives one row per key"
    return _bounded(model, declared)


def _schema_change(*values: str) -> Callable[[Model, Declaration], str | None]:
    def unless(model: Model, declared: Declaration) -> str | None:
        value = model.options.get("on_schema_change", "ignore")
        return None if value in values else f"on_schema_change is {value}"

    return unless


def _both(*reasons: Callable[[Model, Declaration], str | None]) -> Callable[[Model, Declaration], str | None]:
    return lambda model, declared: next(filter(None, (reason(model, declared) for reason in reasons)), None)


# By time, the newest row is missed first; for a view only the share of its deletes counts.
EMPTY = "the dump is empty|no row is that recent|would be deleted"
NEW_COLUMN = r"columns of the dump have changed \(added: note"
DROPPED_COLUMN = r"columns of the dump have changed \(added: none; dropped: name|select has no column 'name'"


def events() -> list[Event]:
    """All that happens by a day of its own. An error after the decision happens to days of other events."""
    return [
        Event("full refresh", day("full refresh", flag="--full-refresh")),
        Event("rewind", day("rewind", change=same, operations=("rewind",)), _baseline),
        Event("expire", day("expire", operations=("expire",)), _baseline),
        Event("compact and purge", day("compact and purge", operations=("compact", "purge"))),
        Event(
            "another strategy",
            lambda model: [
                Day("another strategy", edit=other_strategy(model)),
                Day("back from another strategy"),
            ],
            _bag,
        ),
        Event("edited select", lambda model: [Day("edited select", edit=Edit(limit=LIMIT - 1)), Day("edit undone")]),
        Event("late rows", day("late rows", change=late), _untimed),
        Event("rows too late", day("rows too late", change=too_late), _untimed),
        Event(
            "clock back",
            lambda model: [
                # So that the log has a high-water mark.
                Day("ordinary"),
                Day("clock back", change=back, refused="no row is that recent", is_undone=True),
                Day("clock back accepted", change=back_and_change, accepts=True),
            ],
            _untimed,
        ),
        Event("empty source", day("empty source", change=empty, refused=EMPTY, is_undone=True)),
        Event(
            "empty source accepted",
            lambda model: [
                Day("empty source accepted", change=empty, accepts=True, is_undone=True),
                # The rows come back.
                Day("ordinary"),
            ],
        ),
        Event(
            "half the source",
            lambda model: [
                Day("half the source", change=lose, refused="would be deleted", is_undone=True),
                Day("half the source accepted", change=lose, accepts=True),
            ],
            _both(_bounded, _sees_no_deletes),
        ),
        Event("--empty", day("--empty", change=same, flag="--empty", is_idle=True)),
        Event("idle", day("idle", change=same, is_idle=True)),
        Event("duplicate keys refused", day("duplicate keys refused", change=twice, refused="occur more than once",
                                            is_undone=True), _strict),
        Event("duplicate keys refused", day("duplicate keys refused", change=twice, refused="occur more than once",
                                            is_seen_in_cycle=True), _unbounded),
        Event("slowly emptied", day("slowly emptied", change=lose, refused="would be deleted",
                                    is_seen_in_cycle=True), _unbounded),
        Event("a cycle at rest", day("a cycle at rest", change=same, is_idle=True, is_repeated=True), _unbounded),
        Event("duplicate keys set aside", day("duplicate keys set aside", change=twice), _only("quarantine")),
        Event("duplicate keys counted", day("duplicate keys counted", change=twice), _only("multiset")),
        Event(
            "new column left out",
            lambda model: [Day("new column left out", edit=Edit(has_note=True))],
            _schema_change("ignore"),
        ),
        Event(
            "new column refused",
            lambda model: [Day("new column refused", edit=Edit(has_note=True), refused=NEW_COLUMN, is_undone=True)],
            _schema_change("fail"),
        ),
        Event(
            "new column added",
            lambda model: [Day("new column added", edit=Edit(has_note=True)), Day("new column dropped")],
            _schema_change("append_new_columns", "sync_all_columns"),
        ),
        Event(
            "dropped column",
            lambda model: [Day("dropped column", edit=Edit(lacks_name=True), refused=DROPPED_COLUMN, is_undone=True)],
            _schema_change("ignore", "fail"),
        ),
        Event(
            "two writers",
            # One stops before its decision, another one decides the same batch; crash tests race whole processes.
            lambda model: [Day("a writer too slow", stops_at="decide"), Day("two writers", change=same)],
        ),
        *(Event(error_at(step), day(error_at(step), stops_at=step)) for step in BEFORE_DECISION),
    ]  # fmt: skip


# What one model of each strategy begins with.
BEGIN = "--empty before the first batch"
# All that has to be covered beside what ordinary days bring.
NAMES = list(dict.fromkeys([BEGIN, *(event.name for event in events()), *map(error_at, AFTER_DECISION)]))
# What an ordinary day brings, see Source.change.
ORDINARY = ["update", "insert", "delete", "restriction", "revival", "changed key"]
# What happens in a short history after the batch that follows an error.
SHORT = ["rewind", "empty source", "idle", "new column left out", "new column added"]
# A rewind makes the state anew: a strategy for each kind of state is enough.
REWOUND = ("outer_join", "row_checksum", "hash_compressed", "ranges", "timestamp", "view")


def first_events(step: str) -> list[Event]:
    """The first batches of a log, with an error at one step of the second."""
    error = error_at(step)
    return [
        Event("first load", day("first load")),
        Event(error, day(error, stops_at=step)),
        Event("ordinary", day("ordinary")),
    ]


def short_events(variant: str, step: str) -> list[Event]:
    """The main events, with an error at one step."""
    names = [name for name in SHORT if name != "rewind" or variant in REWOUND]
    return [*first_events(step), *(event for name in names for event in events() if event.name == name)]

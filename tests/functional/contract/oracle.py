"""What a strategy must have logged, in plain Python: no Spark, no SQL, no macro."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from source import Source

from models import USUAL, Edit, Model, Record

Key = tuple[Any, ...]
State = dict[Key, list[Record]]
# A guard refuses a batch that would delete a larger share: the default.
FRACTION = 0.5


def plain(value: Any) -> Any:
    """A value that is equal where the contract says equal, and hashable."""
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def same(one: Record, other: Record, columns: Iterable[str]) -> bool:
    return all(plain(one.get(name)) == plain(other.get(name)) for name in columns)


@dataclass(frozen=True)
class Change:
    """A row of the log."""

    kind: str
    key: Key
    after: Record
    before: Record | None = None
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Knowledge:
    """What a strategy knows of its source after a batch: what its log replays to, and its high-water mark."""

    state: State = field(default_factory=dict)
    mark: int | None = None
    newest: int | None = None
    # Under which edit and strategy the mark was taken; none if it says nothing any more.
    marked_as: tuple[str, Edit] | None = None
    is_first: bool = True

    @property
    def rows(self) -> int:
        return sum(map(len, self.state.values()))


@dataclass(frozen=True)
class Prediction:
    """How a run must end: refused for a reason, or with these changes and this knowledge."""

    changes: list[Change]
    after: Knowledge
    refused: str | None = None
    set_aside: int = 0
    # Where a run reads a part, all that it could read. Then the changes are not predicted.
    dump: State | None = None


GROWING = ("append_new_columns", "sync_all_columns")
EMPTY = "the dump is empty"
TOO_MANY = "would be deleted"
TWICE = "occur more than once"
BACK = "no row is that recent"


def predict(
    model: Model, known: Knowledge, source: Source, edit: Edit = USUAL, *, accepts: bool = False, begins: bool = False
) -> Prediction:
    """The outcome of a run."""
    predicted = _predict(model, known, source, edit, accepts=accepts, begins=begins)
    if not model.is_bounded or edit.strategy or begins or known.is_first or predicted.refused == EMPTY:
        return predicted
    dump = grouped(model, [record for record, _ in model.read(source, edit)])
    return replace(predicted, refused=None, changes=[], after=known, dump=dump)


def _predict(model: Model, known: Knowledge, source: Source, edit: Edit, *, accepts: bool, begins: bool) -> Prediction:
    if begins:
        known = Knowledge()
    strategy = edit.strategy or model.strategy
    read = model.read(source, edit)
    by_time = strategy == model.strategy and "updated_at" in model.options
    mark: dict[str, Any] = {"mark": None, "newest": None, "marked_as": None}
    low = None
    if by_time:
        is_known = known.marked_as == (strategy, edit) and not accepts
        overlap = int(str(model.options.get("overlap", 0)).split()[0])
        low = known.mark - overlap if is_known and known.mark is not None else None
        read = [(record, flag) for record, flag in read if low is None or record["version"] >= low]
        last = max((record["version"] for record, _ in read), default=None)
        if is_known and known.newest is not None and (last is None or last < known.newest):
            return Prediction([], known, BACK)
        seen = [version for version in (last, known.mark if is_known else None) if version is not None]
        stays = [record["version"] for record, flag in read if not flag]
        high = max(seen, default=None)
        newest = high if high is not None and high in stays else None
        mark = {"mark": high, "newest": newest, "marked_as": (strategy, edit)}
        incoming = [record for record, flag in read if not flag]
    else:
        incoming = [record for record, _ in read]
    # A view of logs learns from their deletes what is missing.
    if not model.read(source, edit) and not accepts and strategy != "view":
        return Prediction([], known, EMPTY)
    if by_time and known.is_first and not incoming and not accepts:
        return Prediction([], known, EMPTY)

    rows = grouped(model, incoming)
    aside = 0
    twice = {key for key, group in rows.items() if len(group) > 1}
    if twice and model.duplicate_keys == "fail":
        return Prediction([], known, TWICE)
    if model.duplicate_keys == "quarantine":
        aside = sum(len(rows.pop(key)) for key in twice)
        rows |= {key: known.state[key] for key in twice if key in known.state}
    if by_time:
        after = known.state | rows
        if strategy == "timestamp_delete_flag":
            live = grouped(model, [record for record, flag in model.read(source, edit) if not flag])
            deleted = {key_of(model, record) for record, flag in read if flag} - set(live)
            after = {key: group for key, group in after.items() if key not in deleted}
        if "row_id" in model.options:
            ids = {record["oid"] for record in incoming}
            after = {key: group for key, group in after.items() if key in rows or group[0]["oid"] not in ids}
    else:
        after = rows
    changes = compared(model, known.state, after)
    deletes = sum(change.kind == "delete" for change in changes)
    if deletes > FRACTION * known.rows and not accepts:
        return Prediction([], known, TOO_MANY if after else f"{EMPTY}|{TOO_MANY}")
    if edit.has_note and model.options.get("on_schema_change") in GROWING and not known.is_first:
        # A row that is held has no value in the new column.
        changes += [change for change in backfills(model, known.state, after) if change.key not in twice]
    if known.is_first and model.options.get("initial_load") == "baseline":
        changes = []
    return Prediction(changes, Knowledge(after, **mark, is_first=False), set_aside=aside)


def forgotten(known: Knowledge, state: State) -> Knowledge:
    """What is known after a rewind: the rows of then, and no mark."""
    return Knowledge(state, is_first=False)


def key_of(model: Model, record: Record) -> Key:
    return tuple(record[name] for name in model.key)


def grouped(model: Model, records: Iterable[Record]) -> State:
    """Rows by key."""
    found: State = {}
    for record in records:
        found.setdefault(key_of(model, record), []).append(record)
    return found


def compared(model: Model, old: State, new: State) -> list[Change]:
    """The changes from one state to another."""
    changes = []
    for key in old.keys() | new.keys():
        befores, afters = unlike(model, old.get(key, []), new.get(key, []))
        for before, after in zip(befores, afters, strict=False):
            columns = tuple(name for name in model.compared if not same(before, after, [name]))
            changes.append(Change("update", key, after, before, columns))
        pairs = min(len(befores), len(afters))
        changes += [Change("delete", key, record) for record in befores[pairs:]]
        changes += [Change("insert", key, record) for record in afters[pairs:]]
    return changes


def backfills(model: Model, old: State, new: State) -> list[Change]:
    """What a new column, which is null without the key's first part, adds to rows that are as they were."""
    equal = [key for key in old.keys() & new.keys() if not any(unlike(model, old[key], new[key]))]
    return [Change("update", key, new[key][0], old[key][0], ()) for key in equal if key[0] is not None]


def unlike(model: Model, befores: list[Record], afters: list[Record]) -> tuple[list[Record], list[Record]]:
    """The rows of a key that are left when identical ones have cancelled each other."""
    afters = list(afters)
    left = []
    for before in befores:
        equal = next((after for after in afters if same(before, after, model.compared)), None)
        if equal is None:
            left.append(before)
        else:
            afters = [after for after in afters if after is not equal]
    return left, afters


def content(model: Model, record: Mapping[str, Any] | None, columns: Iterable[str]) -> tuple[Any, ...] | None:
    """A row as a tuple; a carried column is left out, since the log has it as of the last change."""
    return None if record is None else tuple(plain(record.get(name)) for name in columns)


def summary(model: Model, changes: Iterable[Change]) -> Counter[Any]:
    """Changes as they are compared: of a bag only how many there are and what went and came, as pairs are free."""
    found: Counter[Any] = Counter()
    no_before = model.options.get("before_image") == "none"
    for change in changes:
        carried = [name for name in model.columns if name != "version" or change.kind != "delete"]
        after = content(model, change.after, carried)
        before = content(model, change.before, [*model.key, *model.compared])
        if model.duplicate_keys == "multiset":
            found["kind", change.kind, change.key] += 1
            if change.kind != "delete":
                found["came", content(model, change.after, model.columns)] += 1
            if change.kind != "insert":
                found["went", content(model, change.before or change.after, model.columns)] += 1
        else:
            columns = None if change.columns is None else tuple(sorted(change.columns))
            found[change.kind, change.key, after, None if no_before else before, columns] += 1
    return found


def replay(model: Model, changes: Iterable[Change]) -> State:
    """The rows that a log leaves, in the order in which its batches came."""
    state: dict[Key, list[Record]] = {}
    columns = [*model.key, *model.compared]
    for change in changes:
        rows = state.setdefault(change.key, [])
        if change.kind != "insert":
            went = change.before if change.before is not None else change.after
            if model.duplicate_keys == "multiset":
                equal = [number for number, row in enumerate(rows) if same(row, went, columns)]
                assert equal, f"a {change.kind} of {went}, which does not stand"
                rows.pop(equal[0])
            else:
                assert rows, f"a {change.kind} of {change.key}, which does not stand"
                rows.pop()
        if change.kind != "delete":
            rows.append(change.after)
    return {key: rows for key, rows in state.items() if rows}


def counted(model: Model, state: State) -> Counter[Any]:
    """The rows of a state, without carried columns."""
    columns = [*model.key, *model.compared]
    return Counter(content(model, record, columns) for records in state.values() for record in records)


def key_order(key: Key) -> tuple[Any, ...]:
    """Keys as ranges order them: a null part before every value, text by code point."""
    return tuple((part is not None, part if part is not None else 0) for part in key)


def check_partial(model: Model, known: Knowledge, dump: State, found: list[Change]) -> Knowledge:
    """A run that reads some ranges: each change is a step to the dump, and between two of them nothing is left over."""
    after = dict(known.state)
    columns = [*model.key, *model.compared]
    for change in found:
        old, new = known.state.get(change.key), dump.get(change.key)
        kind = "insert" if old is None else "delete" if new is None else "update"
        assert change.kind == kind, (change, old, new)
        row = (new or old or [{}])[0]
        assert same(change.after, row, columns), (change, row)
        if kind == "update":
            assert old is not None
            assert change.before is not None
            assert same(change.before, old[0], columns), (change, old)
        if new is None:
            after.pop(change.key)
        else:
            after[change.key] = new
    stale = [
        key for key in after.keys() | dump.keys()
        if key not in after or key not in dump or not same(after[key][0], dump[key][0], columns)
    ]  # fmt: skip
    if found:
        order = sorted(map(key_order, {change.key for change in found}))
        between = [key for key in stale if order[0] < key_order(key) < order[-1]]
        assert not between, f"not logged, between keys that are: {between}"
    return replace(known, state=after, is_first=False, mark=None, newest=None, marked_as=None)

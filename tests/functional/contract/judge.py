"""Compares what a run did with what the oracle says that it had to do; an AssertionError says what is wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import oracle
from declarations import declarations
from events import BEFORE_DECISION, Day, error_at, same
from life import Life
from oracle import Change, Prediction

COUNTS = {"insert": "inserts", "delete": "deletes", "update": "updates", "backfill": "backfilled"}
# Runs that read a part get through the table in fewer.
LONGEST_TURN = 9


def judge(life: Life, day: Day, prediction: Prediction, said: str | None) -> set[str]:
    """Compare what a run did, and said in an error, with what it had to do; the events that were met by it."""
    refused = day.refused if day.is_refused_by_columns else prediction.refused
    is_partial = prediction.dump is not None
    if day.flag == "--empty":
        assert said is None, said
        if life.states:
            _check_unchanged(life)
        assert life.states or not (life.log.text or life.log.batches)
    elif is_partial and (day.is_seen_in_turn or (said is not None and life.may_be_refused(prediction, said))):
        return _judge_turn(life, day, prediction, said)
    elif refused:
        assert said is not None, f"not refused, but expected: {refused}"
        assert re.search(refused, said) or (day.stops_at in BEFORE_DECISION and "stopped at" in said), said
        if day.stops_at:
            life.leftovers = 2
        _check_unchanged(life)
        if not day.refused:
            # Ordinary days may add up to a loss.
            assert not day.accepts, refused
            life.days.insert(0, replace(day, accepts=True))
            return set()
        assert re.search(day.refused, said), said
    elif day.stops_at:
        assert not day.refused, "the oracle expects no refusal"
        assert said is not None, "not stopped"
        assert f"stopped at {day.stops_at}" in said, said
        life.leftovers = 2
        if day.stops_at in BEFORE_DECISION:
            _check_unchanged(life)
        else:
            # The next run shows it.
            life.owed.append(prediction)
            life.known = prediction.after
            life.compared = day.edit
        return {day.event, error_at(day.stops_at)}
    else:
        assert not day.refused, "the oracle expects no refusal"
        assert said is None, said
        check_batches(life, day, prediction)
        if day.is_repeated and not _is_at_rest(life, day):
            return set()
        if day.is_idle and prediction.changes:
            # The day before it had brought the source out of step with the log.
            life.days.insert(0, day)
            return set()
        life.runs = 0
        if not day.is_idle:
            return {day.event} | life.world.did
    return {day.event}


def _judge_turn(life: Life, day: Day, prediction: Prediction, said: str | None) -> set[str]:
    """A run that reads a part is refused when it comes to what is wrong, and for a whole turn's deletes."""
    if said is None:
        check_batches(life, day, prediction)
        life.runs += 1
        assert life.runs < LONGEST_TURN, "never refused"
        life.days.insert(0, replace(day, source=same, accepts=False))
        return set()
    _check_unchanged(life)
    life.runs = 0
    if not (day.is_seen_in_turn and re.search(day.refused or "", said)):
        # Ordinary days may add up to a loss, also before a run comes to what this day is about.
        assert not day.accepts, said
        assert life.may_be_refused(prediction, said), said
        source = same if day.is_seen_in_turn else day.source
        life.days.insert(0, replace(day, source=source, accepts=True))
        return set()
    assert life.former is not None
    life.world, life.former = life.former, None
    return {day.event}


def _is_at_rest(life: Life, day: Day) -> bool:
    """Has the turn come to all that the source has? If not, another day like this one follows."""
    dump = oracle.grouped(life.model, [record for record, _ in life.model.read(life.world, day.edit)])
    if oracle.counted(life.model, dump) == oracle.counted(life.model, life.known.state):
        return True
    life.runs += 1
    assert life.runs < LONGEST_TURN, "a whole turn has not found all changes"
    life.days.insert(0, day)
    return False


def _keeps_more(life: Life, batch: dict[str, Any]) -> bool:
    """Does ``auto`` no longer take the window, which keeps a list of files, but a strategy that keeps more?"""
    by = {each["batch_id"]: each["strategy"] for each in life.log.batches}
    return life.model.strategy == "auto" and by.get(batch["batch_id"] - 1) == "window" != batch["strategy"]


def _check_unchanged(life: Life) -> None:
    """A run that was refused, or stopped before its decision, has changed nothing that a reader sees."""
    if life.owed:
        # It has brought to their end the batches that others had decided.
        return
    assert life.seen == life.log.text_and_batches, "a run that was refused or stopped changed the log"
    assert life.leftovers or life.names == life.log.names, f"{sorted(life.names)} became {sorted(life.log.names)}"


def check_batches(life: Life, day: Day, prediction: Prediction) -> None:
    """The log holds what it must after a good run."""
    if day.flag == "--full-refresh":
        # The log of the former generation is out of sight.
        life.owed = []
        life.last_seen = life.log.last_batch - 1
    owed = len(life.owed)
    set_aside = [each.set_aside for each in life.owed if each.set_aside]
    told = check_owed(life, [*life.owed, prediction])
    for count in set_aside:
        assert count in [batch["quarantined"] for batch in told], told
    is_as_before = day.edit == life.compared and not prediction.set_aside
    if day.is_idle and prediction.dump is None and not prediction.changes and is_as_before:
        may_note = life.has_moved_logs or (told and _keeps_more(life, told[-1]))
        assert len(told) <= owed or may_note, f"a batch without a change: {told}"
    life.has_moved_logs = False
    if prediction.set_aside:
        assert told[-1]["quarantined"] == prediction.set_aside, told
    if day.flag == "--full-refresh":
        life.states = {}
    life.states[life.log.last_batch] = life.known
    life.compared = day.edit
    check_state(life)
    # A later run takes away what a stopped one has left, when the batch that it was for is decided.
    life.leftovers = max(0, life.leftovers - 1)
    if told and not life.leftovers:
        _check_helpers(life, day)


def check_owed(life: Life, predictions: list[Prediction]) -> list[dict[str, Any]]:
    """The batches since the last look hold what was foretold of them; their rows of x__batches."""
    found: dict[int, list[Change]] = {}
    for batch, change in life.log.changes:
        found.setdefault(batch, []).append(change)
    told = [batch for batch in life.log.batches if batch["batch_id"] > life.last_seen]
    numbers = sorted(int(batch["batch_id"]) for batch in told if batch["strategy"] in declarations())
    assert {batch for batch in found if batch > life.last_seen} <= set(numbers), (sorted(found), numbers)
    for row in told:
        changes = found.get(int(row["batch_id"]), [])
        counts = Counter("backfill" if change.columns == () else change.kind for change in changes)
        for kind, name in COUNTS.items():
            assert row[name] == counts[kind], f"{name} in x__batches: {row}"
    for each in predictions:
        if each.dump is not None:
            assert numbers, "a run that reads a part makes a batch"
            life.known = oracle.check_partial(life.model, life.known, each.dump, found.get(numbers.pop(0), []))
            continue
        life.known = each.after
        while numbers and numbers[0] not in found and each.changes:
            numbers.pop(0)
        if each.changes:
            assert numbers, f"no batch; missing: {_told(each.changes)}"
            changes = found[numbers.pop(0)]
            one, other = oracle.summary(life.model, changes), oracle.summary(life.model, each.changes)
            assert one == other, f"too many: {one - other}, missing: {other - one}"
    left = [number for number in numbers if number in found]
    assert not left, f"too many batches: {[_told(found[number]) for number in left]}"
    life.owed = []
    return sorted(told, key=lambda batch: int(batch["batch_id"]))


def check_state(life: Life) -> None:
    """The whole log replays to what is known."""
    model = life.model
    life.last_seen = life.log.last_batch
    life.seen = life.log.text_and_batches
    life.names = life.log.names
    if model.options.get("initial_load") == "baseline":
        return
    state = oracle.replay(model, [change for _, change in life.log.changes])
    one, other = oracle.counted(model, state), oracle.counted(model, life.known.state)
    assert one == other, f"the log replays to another state: too many: {one - other}, missing: {other - one}"


def _check_helpers(life: Life, day: Day) -> None:
    """No relation stays that neither the log nor the next run needs."""
    strategy = day.edit.strategy or life.model.strategy
    if strategy == "auto":
        strategy = max(life.log.batches, key=lambda batch: int(batch["batch_id"]))["strategy"]
    declared = declarations()[strategy]
    kinds = Counter(re.sub(r"_\d.*", "", name) for name in life.log.names)
    keeps = declared.kept(life.model.is_in_place and not day.edit.strategy)
    kept = kinds["accepted"] + kinds[keeps]
    assert kept == 1, sorted(life.log.names)
    assert kinds["commit"] == 1, sorted(life.log.names)
    wanted = {"log", "batches", "commit", "accepted", "quarantine", keeps}
    if declared.ranges:
        wanted |= {"ranges", "ranges_after"}
        assert kinds["ranges"] + kinds["ranges_after"] == 1, sorted(life.log.names)
    assert set(kinds) <= wanted, sorted(life.log.names)


def _told(changes: Iterable[Change]) -> list[tuple[str, Any]]:
    return [(change.kind, change.key) for change in changes]

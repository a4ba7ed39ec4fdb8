"""Compares what a run did with what the oracle says that it had to do; an AssertionError says what is wrong."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import oracle
from declarations import declarations
from events import BEFORE_DECISION, Day, error_at, same
from histories import History
from oracle import Change, Prediction

COUNTS = {"insert": "inserts", "delete": "deletes", "update": "updates", "backfill": "backfilled"}
# Runs that read a part get through the table in fewer.
LONGEST_CYCLE = 9


def check_run(history: History, day: Day, prediction: Prediction, message: str | None) -> set[str]:
    """Compare what a run did, and message in an error, with what it had to do; the events that were covered by it."""
    refused = day.refused if day.is_refused_by_columns else prediction.refused
    is_partial = prediction.dump is not None
    if day.flag == "--empty":
        assert message is None, message
        if history.states:
            _check_unchanged(history)
        assert history.states or not (history.log.text or history.log.batches)
    elif is_partial and (day.is_seen_in_cycle or (message is not None and history.may_be_refused(prediction, message))):
        return _check_cycle(history, day, prediction, message)
    elif refused:
        assert message is not None, f"not refused, but expected: {refused}"
        assert re.search(refused, message) or (day.stops_at in BEFORE_DECISION and "stopped at" in message), message
        if day.stops_at:
            history.leftovers = 2
        _check_unchanged(history)
        if not day.refused:
            # Ordinary days may add up to a loss.
            assert not day.accepts, refused
            history.days.insert(0, replace(day, accepts=True))
            return set()
        assert re.search(day.refused, message), message
    elif day.stops_at:
        assert not day.refused, "the oracle expects no refusal"
        assert message is not None, "not stopped"
        assert f"stopped at {day.stops_at}" in message, message
        history.leftovers = 2
        if day.stops_at in BEFORE_DECISION:
            _check_unchanged(history)
        else:
            # The next run shows it.
            history.pending.append(prediction)
            history.known = prediction.after
            history.compared = day.edit
        return {day.event, error_at(day.stops_at)}
    else:
        assert not day.refused, "the oracle expects no refusal"
        assert message is None, message
        check_batches(history, day, prediction)
        if day.is_repeated and not _is_at_rest(history, day):
            return set()
        if day.is_idle and prediction.changes:
            # The day before it had brought the source out of step with the log.
            history.days.insert(0, day)
            return set()
        history.runs = 0
        if not day.is_idle:
            return {day.event} | history.source.did
    return {day.event}


def _check_cycle(history: History, day: Day, prediction: Prediction, message: str | None) -> set[str]:
    """A run that reads a part is refused when it comes to what is wrong, and for a whole cycle's deletes."""
    if message is None:
        check_batches(history, day, prediction)
        history.runs += 1
        assert history.runs < LONGEST_CYCLE, "never refused"
        history.days.insert(0, replace(day, change=same, accepts=False))
        return set()
    _check_unchanged(history)
    history.runs = 0
    if not (day.is_seen_in_cycle and re.search(day.refused or "", message)):
        # Ordinary days may add up to a loss, also before a run comes to what this day is about.
        assert not day.accepts, message
        assert history.may_be_refused(prediction, message), message
        source = same if day.is_seen_in_cycle else day.change
        history.days.insert(0, replace(day, change=source, accepts=True))
        return set()
    assert history.previous is not None
    history.source, history.previous = history.previous, None
    return {day.event}


def _is_at_rest(history: History, day: Day) -> bool:
    """Has the cycle come to all that the source has? If not, another day like this one follows."""
    dump = oracle.grouped(history.model, [record for record, _ in history.model.read(history.source, day.edit)])
    if oracle.counted(history.model, dump) == oracle.counted(history.model, history.known.state):
        return True
    history.runs += 1
    assert history.runs < LONGEST_CYCLE, "a whole cycle has not found all changes"
    history.days.insert(0, day)
    return False


def _keeps_otherwise(history: History, batch: dict[str, Any]) -> bool:
    """Does ``auto`` take a strategy by hashes after one that keeps something else, or after a rewind?"""
    declared = declarations()
    own = declared[batch["strategy"]]
    if history.model.strategy != "auto" or own.reads != "differences":
        return False
    names = {int(each["batch_id"]): each["strategy"] for each in history.log.batches}
    before = [names[number] for number in sorted(names) if number < int(batch["batch_id"])]
    kept = [declared[name].keeps if name in declared else None for name in before if name in {*declared, "rewind"}]
    return kept[-1:] != [own.keeps]


def _check_unchanged(history: History) -> None:
    """A run that was refused, or stopped before its decision, has changed nothing that a reader sees."""
    if history.pending:
        # It has brought to their end the batches that others had decided.
        return
    assert history.seen == history.log.text_and_batches, "a run that was refused or stopped changed the log"
    assert history.leftovers or history.names == history.log.names, (
        f"{sorted(history.names)} became {sorted(history.log.names)}"
    )


def check_batches(history: History, day: Day, prediction: Prediction) -> None:
    """The log holds what it must after a good run."""
    if day.flag == "--full-refresh":
        # The log of the previous generation is out of sight.
        history.pending = []
        history.last_seen = history.log.last_batch - 1
    pending = len(history.pending)
    set_aside = [each.set_aside for each in history.pending if each.set_aside]
    reported = check_pending(history, [*history.pending, prediction])
    for count in set_aside:
        assert count in [batch["quarantined"] for batch in reported], reported
    is_as_before = day.edit == history.compared and not prediction.set_aside
    if day.is_idle and prediction.dump is None and not prediction.changes and is_as_before:
        may_note = history.has_moved_logs or (bool(reported) and _keeps_otherwise(history, reported[-1]))
        assert len(reported) <= pending + may_note, f"a batch without a change: {reported}"
    history.has_moved_logs = False
    if prediction.set_aside:
        assert reported[-1]["quarantined"] == prediction.set_aside, reported
    if day.flag == "--full-refresh":
        history.states = {}
    history.states[history.log.last_batch] = history.known
    history.compared = day.edit
    check_state(history)
    # A later run takes away what a stopped one has left, when the batch that it was for is decided.
    history.leftovers = max(0, history.leftovers - 1)
    if reported and not history.leftovers:
        _check_helpers(history, day)


def check_pending(history: History, predictions: list[Prediction]) -> list[dict[str, Any]]:
    """The batches since the last look hold what was predicted of them; their rows of x__batches."""
    found: dict[int, list[Change]] = {}
    for batch, change in history.log.changes:
        found.setdefault(batch, []).append(change)
    reported = [batch for batch in history.log.batches if batch["batch_id"] > history.last_seen]
    numbers = sorted(int(batch["batch_id"]) for batch in reported if batch["strategy"] in declarations())
    assert {batch for batch in found if batch > history.last_seen} <= set(numbers), (sorted(found), numbers)
    for row in reported:
        changes = found.get(int(row["batch_id"]), [])
        counts = Counter("backfill" if change.columns == () else change.kind for change in changes)
        for kind, name in COUNTS.items():
            assert row[name] == counts[kind], f"{name} in x__batches: {row}"
    for each in predictions:
        if each.dump is not None:
            assert numbers, "a run that reads a part makes a batch"
            history.known = oracle.check_partial(history.model, history.known, each.dump, found.get(numbers.pop(0), []))
            continue
        history.known = each.after
        while numbers and numbers[0] not in found and each.changes:
            numbers.pop(0)
        if each.changes:
            assert numbers, f"no batch; missing: {_kinds_and_keys(each.changes)}"
            changes = found[numbers.pop(0)]
            one, other = oracle.summary(history.model, changes), oracle.summary(history.model, each.changes)
            assert one == other, f"too many: {one - other}, missing: {other - one}"
    left = [number for number in numbers if number in found]
    assert not left, f"too many batches: {[_kinds_and_keys(found[number]) for number in left]}"
    history.pending = []
    return sorted(reported, key=lambda batch: int(batch["batch_id"]))


def check_state(history: History) -> None:
    """The whole log replays to what is known."""
    model = history.model
    history.last_seen = history.log.last_batch
    history.seen = history.log.text_and_batches
    history.names = history.log.names
    if model.options.get("initial_load") == "baseline":
        return
    state = oracle.replay(model, [change for _, change in history.log.changes])
    one, other = oracle.counted(model, state), oracle.counted(model, history.known.state)
    assert one == other, f"the log replays to another state: too many: {one - other}, missing: {other - one}"


def _check_helpers(history: History, day: Day) -> None:
    """No relation stays that neither the log nor the next run needs."""
    strategy = day.edit.strategy or history.model.strategy
    if strategy == "auto":
        strategy = max(history.log.batches, key=lambda batch: int(batch["batch_id"]))["strategy"]
    declared = declarations()[strategy]
    kinds = Counter(re.sub(r"_\d.*", "", name) for name in history.log.names)
    kept = kinds["accepted"] + kinds[declared.keeps]
    assert kept == 1, sorted(history.log.names)
    assert kinds["commit"] == 1, sorted(history.log.names)
    assert kinds["history"] <= 2, sorted(history.log.names)
    wanted = {"log", "batches", "commit", "history", "quarantine", declared.keeps}
    if declared.reads != "differences":
        wanted.add("accepted")
    if declared.ranges:
        wanted |= {"ranges", "ranges_after"}
        assert kinds["ranges"] + kinds["ranges_after"] == 1, sorted(history.log.names)
    if history.model.has_files:
        # What is remembered of row groups.
        wanted.add("seen")
        assert kinds["seen"] <= 1, sorted(history.log.names)
    assert set(kinds) <= wanted, sorted(history.log.names)


def _kinds_and_keys(changes: Iterable[Change]) -> list[tuple[str, Any]]:
    return [(change.kind, change.key) for change in changes]

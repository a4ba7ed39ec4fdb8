"""The oracle tells every wrong log from a right one: one that never fails would hold nothing."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import oracle
import pytest
from checks import check_pending, check_run, check_state
from declarations import declarations
from events import Day, events
from histories import History, Log
from oracle import Change
from source import Source

from models import MODELS

Changes = list[tuple[int, Change]]


def first_loaded(name: str, seed: int = 5) -> History:
    """A model that has logged a first load, as it should."""
    model = MODELS[name]
    source = Source(Random(seed), model.size, copies=2 if model.duplicate_keys == "multiset" else 1)
    source.fill()
    history = History(model, source)
    run_once(history, 1, [])
    history.source.change()
    return history


def run_once(history: History, batch: int, wrong: list[Callable[[Changes], None]], left: tuple[str, ...] = ()) -> None:
    """A run logs what it should, but for what is wrong; it is judged."""
    day = Day("ordinary")
    prediction = oracle.predict(history.model, history.known, history.source)
    assert prediction.refused is None
    changes = [(batch, change) for change in prediction.changes]
    for mistake in wrong:
        mistake(changes)
    kinds = [change.kind for _, change in changes]
    counts = {f"{kind}s": kinds.count(kind) for kind in ("insert", "delete", "update")}
    row = {"batch_id": batch, "strategy": history.model.strategy, "backfilled": 0, "quarantined": 0} | counts
    declared = declarations()[history.model.strategy]
    names = {*left, "log", "batches", f"commit_{batch}", f"{declared.keeps}_{batch}_x"}
    if declared.ranges:
        names.add(f"ranges_{batch}_x")
    order = ["delete", "update", "insert"]
    changes = sorted([*history.log.changes, *changes], key=lambda each: (each[0], order.index(each[1].kind)))
    history.log = Log(changes, [*history.log.batches, row], names, sorted(map(str, changes)))
    check_run(history, day, prediction, None)


def lost(changes: Changes) -> None:
    changes.pop()


def doubled(changes: Changes) -> None:
    changes.append(changes[0])


def at(changes: Changes, among: str, **values: Any) -> None:
    """Another value in the first change of a kind."""
    place = next(number for number, (_, change) in enumerate(changes) if change.kind == among)
    batch, change = changes[place]
    changes[place] = batch, replace(change, **values)


def other_row(changes: Changes) -> None:
    update = next(change for _, change in changes if change.kind == "update")
    at(changes, "update", after={**update.after, "name": "other"})


def other_before(changes: Changes) -> None:
    update = next(change for _, change in changes if change.kind == "update")
    at(changes, "update", before={**(update.before or {}), "dep": 77})


def other_columns(changes: Changes) -> None:
    at(changes, "update", columns=("num", "oid"))


def other_kind(changes: Changes) -> None:
    at(changes, "update", kind="insert", before=None, columns=None)


WHOLE = [name for name, model in MODELS.items() if not model.is_bounded and model.options.get("before_image") != "none"]


class TestALogIsJudged:
    @pytest.mark.parametrize("name", WHOLE)
    def test_right(self, name: str) -> None:
        history = first_loaded(name)
        run_once(history, 2, [])
        history.source.change()
        run_once(history, 3, [])

    @pytest.mark.parametrize("mistake", [lost, doubled, other_row, other_before, other_columns, other_kind])
    @pytest.mark.parametrize("name", ["joined", "summed", "timed", "flagged", "lines"])
    def test_wrong(self, name: str, mistake: Callable[[Changes], None]) -> None:
        with pytest.raises(AssertionError, match="too many"):
            run_once(first_loaded(name), 2, [mistake])

    @pytest.mark.parametrize("mistake", [lost, doubled, other_row])
    def test_wrong_bag(self, mistake: Callable[[Changes], None]) -> None:
        with pytest.raises(AssertionError, match="too many"):
            run_once(first_loaded("joined_bags"), 2, [mistake])

    def test_counts_of_another_batch(self) -> None:
        history = first_loaded("joined")
        history.log.batches.append({"batch_id": 2, "strategy": "outer_join", "inserts": 1, "deletes": 0, "updates": 0})
        with pytest.raises(AssertionError, match="inserts in x__batches"):
            check_pending(history, [])

    def test_a_batch_that_nothing_called_for(self) -> None:
        history = first_loaded("joined")
        before = history.known
        run_once(history, 2, [])
        history.known, history.last_seen = before, 1
        with pytest.raises(AssertionError, match="too many batches"):
            check_pending(history, [])

    def test_a_log_that_lost_a_row_since(self) -> None:
        history = first_loaded("joined")
        history.log.changes.pop()
        with pytest.raises(AssertionError, match="replays to another state"):
            check_state(history)

    def test_a_refusal_that_changed_the_log(self) -> None:
        history = first_loaded("joined")
        history.source.rows = []
        history.log.text.append("another row")
        refusal = oracle.predict(history.model, history.known, history.source)
        with pytest.raises(AssertionError, match="changed the log"):
            check_run(history, Day("empty source", refused=oracle.EMPTY), refusal, oracle.EMPTY)

    def test_what_should_have_been_refused(self) -> None:
        history = first_loaded("joined")
        history.source.rows = []
        refusal = oracle.predict(history.model, history.known, history.source)
        with pytest.raises(AssertionError, match="not refused"):
            check_run(history, Day("empty source", refused=oracle.EMPTY), refusal, None)

    def test_a_helper_that_stayed(self) -> None:
        history = first_loaded("joined")
        history.source.change()
        with pytest.raises(AssertionError, match="slice_2_x"):
            run_once(history, 2, [], left=("slice_2_x",))


class TestPartsOfATurn:
    def test_a_change_that_was_passed_over(self) -> None:
        history = first_loaded("ranged_some")
        prediction = oracle.predict(history.model, history.known, history.source)
        assert prediction.dump is not None
        changes = oracle.compared(history.model, history.known.state, prediction.dump)
        changes.sort(key=lambda change: oracle.key_order(change.key))
        assert len(changes) > 3
        oracle.check_partial(history.model, history.known, prediction.dump, changes[:-1])
        with pytest.raises(AssertionError, match="between keys"):
            oracle.check_partial(history.model, history.known, prediction.dump, [changes[0], *changes[2:]])

    def test_a_row_that_never_was(self) -> None:
        history = first_loaded("ranged_some")
        prediction = oracle.predict(history.model, history.known, history.source)
        assert prediction.dump is not None
        made_up = Change("insert", (99, "x"), {"k1": 99})
        with pytest.raises(AssertionError):
            oracle.check_partial(history.model, history.known, prediction.dump, [made_up])


def test_every_strategy_has_a_model() -> None:
    assert {model.strategy for model in MODELS.values()} == set(declarations())


def test_events_have_names_of_their_own() -> None:
    names = [(event.name, event.unless.__name__) for event in events()]
    assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
    assert all(re.fullmatch(r"[-a-z ]+", name) for name, _ in names)

"""The oracle tells every wrong log from a right one: one that never fails would hold nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import oracle
import pytest
from declarations import declarations
from events import Day, events
from judge import check_owed, check_state, judge
from life import Life, Log
from lineup import ELSEWHERE, MODELS
from oracle import Change
from world import World

Changes = list[tuple[int, Change]]


def lived(name: str, seed: int = 5) -> Life:
    """A model that has logged a first load, as it should."""
    model = MODELS[name]
    world = World(Random(seed), model.size, copies=2 if model.duplicate_keys == "multiset" else 1)
    world.fill()
    life = Life(model, world)
    told(life, 1, [])
    life.world.change()
    return life


def told(life: Life, batch: int, wrong: list[Callable[[Changes], None]], left: tuple[str, ...] = ()) -> None:
    """A run logs what it should, but for what is wrong; it is judged."""
    day = Day("ordinary")
    prediction = oracle.predict(life.model, life.known, life.world)
    assert prediction.refused is None
    changes = [(batch, change) for change in prediction.changes]
    for mistake in wrong:
        mistake(changes)
    kinds = [change.kind for _, change in changes]
    counts = {f"{kind}s": kinds.count(kind) for kind in ("insert", "delete", "update")}
    row = {"batch_id": batch, "strategy": life.model.strategy, "backfilled": 0, "quarantined": 0} | counts
    declared = declarations()[life.model.strategy]
    names = {*left, "log", "batches", f"commit_{batch}", f"{declared.kept(life.model.is_in_place)}_{batch}_x"}
    if declared.ranges:
        names.add(f"ranges_{batch}_x")
    order = ["delete", "update", "insert"]
    changes = sorted([*life.log.changes, *changes], key=lambda each: (each[0], order.index(each[1].kind)))
    life.log = Log(changes, [*life.log.batches, row], names, sorted(map(str, changes)))
    judge(life, day, prediction, None)


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
        life = lived(name)
        told(life, 2, [])
        life.world.change()
        told(life, 3, [])

    @pytest.mark.parametrize("mistake", [lost, doubled, other_row, other_before, other_columns, other_kind])
    @pytest.mark.parametrize("name", ["joined", "summed", "timed", "flagged", "lines"])
    def test_wrong(self, name: str, mistake: Callable[[Changes], None]) -> None:
        with pytest.raises(AssertionError, match="too many"):
            told(lived(name), 2, [mistake])

    @pytest.mark.parametrize("mistake", [lost, doubled, other_row])
    def test_wrong_bag(self, mistake: Callable[[Changes], None]) -> None:
        with pytest.raises(AssertionError, match="too many"):
            told(lived("joined_bags"), 2, [mistake])

    def test_counts_of_another_batch(self) -> None:
        life = lived("joined")
        life.log.batches.append({"batch_id": 2, "strategy": "outer_join", "inserts": 1, "deletes": 0, "updates": 0})
        with pytest.raises(AssertionError, match="inserts in x__batches"):
            check_owed(life, [])

    def test_a_batch_that_nothing_called_for(self) -> None:
        life = lived("joined")
        before = life.known
        told(life, 2, [])
        life.known, life.last_seen = before, 1
        with pytest.raises(AssertionError, match="too many batches"):
            check_owed(life, [])

    def test_a_log_that_lost_a_row_since(self) -> None:
        life = lived("joined")
        life.log.changes.pop()
        with pytest.raises(AssertionError, match="replays to another state"):
            check_state(life)

    def test_a_refusal_that_changed_the_log(self) -> None:
        life = lived("joined")
        life.world.rows = []
        life.log.text.append("another row")
        refusal = oracle.predict(life.model, life.known, life.world)
        with pytest.raises(AssertionError, match="changed the log"):
            judge(life, Day("empty source", refused=oracle.EMPTY), refusal, oracle.EMPTY)

    def test_what_should_have_been_refused(self) -> None:
        life = lived("joined")
        life.world.rows = []
        refusal = oracle.predict(life.model, life.known, life.world)
        with pytest.raises(AssertionError, match="not refused"):
            judge(life, Day("empty source", refused=oracle.EMPTY), refusal, None)

    def test_a_helper_that_stayed(self) -> None:
        life = lived("joined")
        life.world.change()
        with pytest.raises(AssertionError, match="slice_2_x"):
            told(life, 2, [], left=("slice_2_x",))


class TestPartsOfATurn:
    def test_a_change_that_was_passed_over(self) -> None:
        life = lived("ranged_some")
        prediction = oracle.predict(life.model, life.known, life.world)
        assert prediction.dump is not None
        changes = oracle.compared(life.model, life.known.state, prediction.dump)
        changes.sort(key=lambda change: oracle.key_order(change.key))
        assert len(changes) > 3
        oracle.check_partial(life.model, life.known, prediction.dump, changes[:-1])
        with pytest.raises(AssertionError, match="between keys"):
            oracle.check_partial(life.model, life.known, prediction.dump, [changes[0], *changes[2:]])

    def test_a_row_that_never_was(self) -> None:
        life = lived("ranged_some")
        prediction = oracle.predict(life.model, life.known, life.world)
        assert prediction.dump is not None
        made_up = Change("insert", (99, "x"), {"k1": 99})
        with pytest.raises(AssertionError):
            oracle.check_partial(life.model, life.known, prediction.dump, [made_up])


class TestWhatStrategiesSee:
    """Where strategies differ, by the pages of docs/strategies."""

    def kinds(self, name: str, source: Callable[[World], None]) -> list[str]:
        life = lived(name)
        told(life, 2, [])
        source(life.world)
        return sorted(change.kind for change in oracle.predict(life.model, life.known, life.world).changes)

    @pytest.mark.parametrize(
        ("name", "kinds"),
        [("joined", ["delete"]), ("timed", []), ("flagged", ["delete"]), ("flagged_remote", ["delete"])],
    )
    def test_deletes(self, name: str, kinds: list[str]) -> None:
        def delete(world: World) -> None:
            world.put(
                next(row for row in world.visible() if row.version < world.clock), is_gone=True, version=world.clock
            )

        assert self.kinds(name, delete) == kinds

    @pytest.mark.parametrize(
        ("name", "kinds"), [("joined", ["delete"]), ("timed", []), ("flagged", []), ("flagged_remote", ["delete"])]
    )
    def test_rows_that_leave_the_restriction(self, name: str, kinds: list[str]) -> None:
        def leave(world: World) -> None:
            world.put(next(row for row in world.visible() if row.version < world.clock), dep=8, version=world.clock)

        assert self.kinds(name, leave) == kinds

    @pytest.mark.parametrize(("behind", "kinds"), [(2, ["update"]), (5, [])])
    def test_late_rows(self, behind: int, kinds: list[str]) -> None:
        def late(world: World) -> None:
            old = next(row for row in world.visible() if row.version < world.clock)
            world.put(old, name="late", version=world.clock - behind)

        assert self.kinds("timed", late) == kinds

    def test_a_changed_key(self) -> None:
        def rekey(world: World) -> None:
            world._rekey_one()

        assert self.kinds("timed", rekey) == ["insert"]
        assert self.kinds("timed_by_row", rekey) == ["delete", "insert"]


def test_every_strategy_has_a_model() -> None:
    assert {model.strategy for model in MODELS.values()} == set(declarations()) - ELSEWHERE


def test_events_have_names_of_their_own() -> None:
    names = [(event.name, event.unless.__name__) for event in events()]
    assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
    assert all(re.fullmatch(r"[-a-z ]+", name) for name, _ in names)

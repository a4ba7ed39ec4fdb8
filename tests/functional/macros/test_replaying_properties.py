"""Whatever two states of a table hold: their difference, applied to the first, gives the second.

All generated tables are compared in one query, kept apart by ``case_id``, a part of the key.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise

import pytest
from generated import DATA, KEYS, State, by_case, collect, content, frame, histories
from pyspark.sql import DataFrame
from unit.macro_harness import Relation

CASES = 300
KEY = ["case_id", *KEYS]
WIDTH = len(KEY) + len(DATA)


@dataclass(frozen=True)
class World:
    """Generated histories of three states; the states as tables, and their change log of three batches."""

    histories: list[list[State]]
    states: list[Relation]
    log: Relation


@pytest.fixture(scope="module")
def world(spark, deltawave):
    def keep(name: str, rows: DataFrame) -> Relation:
        rows.localCheckpoint().createOrReplaceTempView(name)
        return Relation(name)

    generated = collect(histories(states=3), CASES)
    states = [keep("state_0", frame(spark, []))]
    for number in (1, 2, 3):
        states.append(keep(f"state_{number}", frame(spark, [history[number - 1] for history in generated])))
    batches = [
        f"({deltawave.diff(old, new, KEY, batch_id=number)})"
        for number, (old, new) in enumerate(pairwise(states), start=1)
    ]
    log = keep("generated_log", spark.sql(" union all ".join(batches)))
    yield World(generated, states, log)
    for relation in [*states, log]:
        spark.catalog.dropTempView(str(relation))


def assert_states(found: dict[int, Counter], histories: list[list[State]], number: int) -> None:
    """Every case holds the rows of its state; else the smallest history that does not is shown."""
    wrong = [
        history for case, history in enumerate(histories) if found[case] != Counter(map(content, history[number - 1]))
    ]
    assert min(wrong, key=lambda history: sum(map(len, history)), default=None) is None


def test_the_generated_tables_have_changes_of_every_kind(spark, world):
    kinds = spark.table(str(world.log)).where("_batch_id > 1").groupBy("_change_type").count().collect()
    assert {row[0]: row[1] > 100 for row in kinds} == {"insert": True, "update": True, "delete": True}


def test_a_difference_applied_to_the_old_state_gives_the_new(spark, deltawave, world):
    for number in (1, 2, 3):
        old, new = world.states[number - 1], world.states[number]
        difference = f"({deltawave.diff(old, new, KEY)})"
        columns = [column["name"] for column in deltawave._columns_of(old)]
        applied = spark.sql(deltawave.apply_changes(difference, old, KEY, columns=columns)).collect()
        assert_states(by_case(applied), world.histories, number)


def test_strategies_agree(spark, deltawave, world):
    columns = "case_id, " + ", ".join(KEYS) + ", _change_type, _changed_columns, _before"
    for old, new in zip(world.states, world.states[1:], strict=False):
        joined, united = (
            Counter(map(str, spark.sql(f"select {columns} from ({sql})").collect()))
            for sql in (deltawave.diff(old, new, KEY), deltawave.diff(old, new, KEY, strategy="union"))
        )
        assert joined == united


def test_a_log_leaves_the_state_of_each_batch(spark, deltawave, world):
    for number in (1, 2, 3):
        state = spark.sql(deltawave.current_state(world.log, KEY, to_batch=number)).collect()
        assert_states(by_case(state), world.histories, number)


def test_a_log_applies_from_any_batch_on(spark, deltawave, world):
    for first in (1, 2, 3):
        base = world.states[first - 1]
        applied = spark.sql(deltawave.apply_changes(world.log, base, KEY, from_batch=first)).collect()
        assert_states(by_case(applied), world.histories, 3)


def test_applying_twice_changes_nothing(spark, deltawave, world):
    applied = spark.sql(deltawave.apply_changes(world.log, world.states[3], KEY)).collect()
    assert_states(by_case(applied), world.histories, 3)


def test_a_log_holds_the_changes_and_no_others(spark, world):
    """Against the definition: keys of one side only, and rows of one key that differ."""
    found = defaultdict(dict)
    for row in spark.table(str(world.log)).collect():
        key = tuple(row)[: len(KEY)]
        change = (row._change_type, set(row._changed_columns or []), content(row._before))
        found[row._batch_id][key] = (content(tuple(row)[:WIDTH]), *change)
    for number in (2, 3):
        assert found[number] == {
            key: change
            for case, history in enumerate(world.histories)
            for key, change in changes(case, history[number - 2], history[number - 1])
        }


def changes(case: int, old: State, new: State):
    """Key, and row, kind, changed columns and former values of each change."""
    before = {row[: len(KEYS)]: row for row in old}
    after = {row[: len(KEYS)]: row for row in new}
    for key in before.keys() | after.keys():
        was, now = before.get(key), after.get(key)
        if was is None:
            yield (case, *key), (content((case, *now)), "insert", set(), None)
        elif now is None:
            yield (case, *key), (content((case, *was)), "delete", set(), None)
        elif content(was) != content(now):
            differ = {
                name for name, left, right in zip(KEYS + DATA, was, now, strict=True) if content(left) != content(right)
            }
            former = content(was[len(KEYS) :])
            yield (case, *key), (content((case, *now)), "update", differ, former)


def test_replays_to_finds_exactly_the_rows_that_differ(spark, deltawave, world):
    assert spark.sql(deltawave.test_replays_to(world.log, world.states[3], KEY)).collect() == []
    found = spark.sql(deltawave.test_replays_to(world.log, world.states[2], KEY)).collect()
    last, other = (
        sum(
            (
                Counter((case, content(row)) for row in history[number - 1])
                for case, history in enumerate(world.histories)
            ),
            Counter(),
        )
        for number in (3, 2)
    )
    expected = Counter(
        {("only in the log", row): count for row, count in (last - other).items()}
        | {("only in state_2", row): count for row, count in (other - last).items()}
    )
    assert Counter({(row[0], (row[2], content(tuple(row)[3:]))): row[1] for row in found}) == expected


def test_a_key_changes_once_a_batch(spark, deltawave, world):
    assert spark.sql(deltawave.test_unique_change(world.log, KEY)).collect() == []

"""For any two bags of rows, their difference applied to the first gives the second, and no difference is smaller."""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import pytest
from cases import KEY, assert_states, open_cases
from generated import DATA, KEYS, TYPES, State, bags, by_case, collect, content
from unit.macro_harness import Relation

CASES = 300
COLUMNS = [{"name": "case_id", "data_type": "int"}] + [
    {"name": name, "data_type": data_type} for name, data_type in TYPES.items()
]


@pytest.fixture(scope="module")
def cases(spark, deltawave):
    """Generated bags of two states."""
    with open_cases(spark, deltawave, collect(bags(states=2), CASES), "bag", duplicate_keys="multiset") as cases:
        yield cases


def counted(state: State) -> Counter[Any]:
    return Counter(map(content, state))


def test_the_generated_bags_hold_rows_more_than_once_and_change_in_every_way(spark, cases):
    states = [counted(state) for history in cases.histories for state in history]
    assert sum(state.total() > len(state) for state in states) > 100
    kinds = spark.table(str(cases.log)).where("_batch_id > 1").groupBy("_change_type").count().collect()
    assert {row[0]: row[1] > 20 for row in kinds} == {"insert": True, "update": True, "delete": True}


def test_a_difference_applied_to_the_old_bag_gives_the_new(spark, deltawave, cases):
    difference = f"({deltawave.diff(cases.states[1], cases.states[2], KEY, duplicate_keys='multiset')})"
    applied = deltawave.apply_changes(difference, cases.states[1], KEY, columns=COLUMNS, duplicate_keys="multiset")
    assert_states(by_case(spark.sql(applied).collect()), cases.histories, 2)
    later = deltawave.apply_changes(cases.log, cases.states[1], KEY, from_batch=2, duplicate_keys="multiset")
    assert_states(by_case(spark.sql(later).collect()), cases.histories, 2)


def test_a_log_leaves_the_bag_of_each_batch(spark, deltawave, cases):
    for number in (1, 2):
        state = deltawave.current_state(cases.log, KEY, to_batch=number, duplicate_keys="multiset")
        assert_states(by_case(spark.sql(state).collect()), cases.histories, number)


def test_no_smaller_difference_would_do(spark, cases):
    """Per key, the rows that the bags do not share pair up: as many changes as the larger rest has rows (LG95 4.6)."""
    found = defaultdict(Counter)
    for row in spark.table(str(cases.log)).collect():
        found[row._batch_id, content(tuple(row)[: len(KEY)])][row._change_type] += 1
    expected = {
        (number, (case, *key)): changes
        for case, history in enumerate(cases.histories)
        for number, (old, new) in enumerate(pairwise([[], *history]), start=1)
        for key, changes in least_changes(counted(old), counted(new))
    }
    assert found == expected


def least_changes(old: Counter[Any], new: Counter[Any]):
    """Key and number of changes of each kind."""
    for key in {row[: len(KEYS)] for row in (old - new) | (new - old)}:
        gone, come = (
            sum(count for row, count in rest.items() if row[: len(KEYS)] == key) for rest in (old - new, new - old)
        )
        pairs = min(gone, come)
        yield key, +Counter(update=pairs, delete=gone - pairs, insert=come - pairs)


def test_an_update_names_what_differs(spark, cases):
    for row in spark.table(str(cases.log)).where("_change_type = 'update'").collect():
        differ = [name for name in DATA if content(row[name]) != content(row._before[name])]
        assert row._changed_columns == differ != []


def test_replays_to_counts_rows(spark, deltawave, cases):
    def difference(state: Relation) -> list[Any]:
        return spark.sql(deltawave.test_replays_to(cases.log, state, KEY, duplicate_keys="multiset")).collect()

    assert difference(cases.states[2]) == []
    missing = sum((counted(last) - counted(other)).total() for other, last in cases.histories)
    surplus = sum((counted(other) - counted(last)).total() for other, last in cases.histories)
    found = Counter()
    for row in difference(cases.states[1]):
        found[row._side] += row._copies
    assert found == {"only in the log": missing, "only in bag_1": surplus}

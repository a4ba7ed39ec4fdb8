"""For any states of a table, their differences applied one after the other give each of them.

All generated tables are compared in one query, kept apart by ``case_id``, a part of the key.
"""

from collections import Counter, defaultdict
from itertools import pairwise

from cases import KEY, STATES, assert_states
from generated import DATA, KEYS, State, by_case, content

WIDTH = len(KEY) + len(DATA)


def test_the_generated_tables_have_changes_of_every_kind(spark, cases):
    kinds = spark.table(str(cases.log)).where("_batch_id > 1").groupBy("_change_type").count().collect()
    assert {row[0]: row[1] > 20 for row in kinds} == {"insert": True, "update": True, "delete": True}


def test_a_difference_applied_to_the_old_state_gives_the_new(spark, deltawave, cases):
    for number in range(1, STATES + 1):
        old, new = cases.states[number - 1], cases.states[number]
        difference = f"({deltawave.diff(old, new, KEY)})"
        columns = [column["name"] for column in deltawave._columns_of(old)]
        applied = spark.sql(deltawave.apply_changes(difference, old, KEY, columns=columns)).collect()
        assert_states(by_case(applied), cases.histories, number)


def test_strategies_agree(spark, deltawave, cases):
    columns = "case_id, " + ", ".join(KEYS) + ", _change_type, _changed_columns, _before"
    for old, new in pairwise(cases.states):
        joined, united = (
            Counter(map(str, spark.sql(f"select {columns} from ({sql})").collect()))
            for sql in (deltawave.diff(old, new, KEY), deltawave.diff(old, new, KEY, strategy="union"))
        )
        assert joined == united


def test_a_log_leaves_the_state_of_each_batch(spark, deltawave, cases):
    for number in range(1, STATES + 1):
        state = spark.sql(deltawave.current_state(cases.log, KEY, to_batch=number)).collect()
        assert_states(by_case(state), cases.histories, number)


def test_a_log_applies_from_any_batch_on(spark, deltawave, cases):
    for first in range(1, STATES + 1):
        base = cases.states[first - 1]
        applied = spark.sql(deltawave.apply_changes(cases.log, base, KEY, from_batch=first)).collect()
        assert_states(by_case(applied), cases.histories, STATES)


def test_applying_twice_changes_nothing(spark, deltawave, cases):
    applied = spark.sql(deltawave.apply_changes(cases.log, cases.states[STATES], KEY)).collect()
    assert_states(by_case(applied), cases.histories, STATES)


def test_a_log_holds_the_changes_and_no_others(spark, cases):
    """Against the definition: keys of one side only, and rows of one key that differ."""
    found = defaultdict(dict)
    for row in spark.table(str(cases.log)).collect():
        key = tuple(row)[: len(KEY)]
        change = (row._change_type, set(row._changed_columns or []), content(row._before))
        found[row._batch_id][key] = (content(tuple(row)[:WIDTH]), *change)
    for number in range(2, STATES + 1):
        assert found[number] == {
            key: change
            for case, history in enumerate(cases.histories)
            for key, change in changes(case, history[number - 2], history[number - 1])
        }


def changes(case: int, old: State, new: State):
    """Key, and row, kind, changed columns and previous values of each change."""
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
            previous = content(was[len(KEYS) :])
            yield (case, *key), (content((case, *now)), "update", differ, previous)


def test_replays_to_finds_exactly_the_rows_that_differ(spark, deltawave, cases):
    assert spark.sql(deltawave.test_replays_to(cases.log, cases.states[STATES], KEY)).collect() == []
    found = spark.sql(deltawave.test_replays_to(cases.log, cases.states[STATES - 1], KEY)).collect()
    last, other = (
        sum(
            (
                Counter((case, content(row)) for row in history[number - 1])
                for case, history in enumerate(cases.histories)
            ),
            Counter(),
        )
        for number in (STATES, STATES - 1)
    )
    expected = Counter(
        {("only in the log", row): count for row, count in (last - other).items()}
        | {(f"only in {cases.states[STATES - 1]}", row): count for row, count in (other - last).items()}
    )
    assert Counter({(row[0], (row[2], content(tuple(row)[3:]))): row[1] for row in found}) == expected


def test_a_key_changes_once_a_batch(spark, deltawave, cases):
    assert spark.sql(deltawave.test_unique_change(cases.log, KEY)).collect() == []

"""For any history of a table, its log can be read as versions, as images and without useless pairs."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from cases import DAY, KEY, STATES, assert_states
from generated import DATA, KEYS, Row, State, by_case, content

WIDTH = len(KEY) + len(DATA)
CONTRACT = ["_change_type", "_changed_columns", "_before", "_batch_id"]


def versions(history: list[State], tracked: list[str]) -> Iterator[tuple[Row, int, int | None]]:
    """Each version's row, its first batch and the batch that ended it, by the definition."""
    places = [DATA.index(name) for name in tracked]
    opened: dict[Row, tuple[Row, int]] = {}
    for batch, state in enumerate(history, start=1):
        rows = {row[: len(KEYS)]: row for row in map(content, state)}
        for key in list(opened):
            previous, since = opened[key]
            data = rows[key][len(KEYS) :] if key in rows else None
            if data is not None and all(data[place] == previous[len(KEYS) + place] for place in places):
                opened[key] = rows[key], since
            else:
                yield previous, since, batch
                del opened[key]
        for key in rows.keys() - opened.keys():
            opened[key] = rows[key], batch
    for row, since in opened.values():
        yield row, since, None


def day(moment: Any) -> int | None:
    return None if moment is None else int(moment.timestamp() // DAY)


@pytest.mark.parametrize("track_columns", [None, ["num"], ["TXT", "deep"]])
def test_versions_are_those_of_the_history(spark, deltawave, cases, track_columns):
    found = defaultdict(Counter)
    for row in spark.sql(deltawave.scd2(cases.log, KEY, track_columns=track_columns)).collect():
        since, until = day(row.valid_from), day(row.valid_to)
        assert row.is_current == (until is None)
        found[row.case_id][content(tuple(row)[1:WIDTH]), since, until] += 1
    tracked = [name.lower() for name in track_columns or DATA]
    wrong = [
        history for case, history in enumerate(cases.histories) if found[case] != Counter(versions(history, tracked))
    ]
    assert min(wrong, key=lambda history: sum(map(len, history)), default=None) is None


def test_images_lead_from_each_state_to_the_next(spark, deltawave, cases):
    removed, added = defaultdict(list), defaultdict(list)
    for row in spark.sql(deltawave.changes(cases.log, KEY)).collect():
        assert day(row._commit_timestamp) == row._commit_version
        side = removed if row._change_type in ("delete", "update_preimage") else added
        side[row._commit_version].append(tuple(row)[:WIDTH])
    states = by_case([])
    for number in range(1, STATES + 1):
        for case, rows in by_case(removed[number]).items():
            assert rows <= states[case]
            states[case] -= rows
        for case, rows in by_case(added[number]).items():
            states[case] += rows
        assert_states(states, cases.histories, number)


def test_deleting_and_inserting_every_row_is_the_log_but_for_useless_pairs(spark, deltawave, cases, view):
    """The worst case of a window: each batch deletes the whole previous state and inserts the new one."""
    sides = [
        f"select *, '{kind}' as _change_type, {number}L as _batch_id from {cases.states[number - offset]}"
        for number in range(1, STATES + 1)
        for kind, offset in (("delete", 1), ("insert", 0))
    ]
    sides = spark.sql(f"""
        select
            {", ".join([*KEY, *DATA])},
            sides._change_type, log._changed_columns, log._before, sides._batch_id,
            timestamp_seconds(sides._batch_id * {DAY}) as _batch_at
        from ({" union all ".join(sides)}) as sides
        left join (select _changed_columns, _before from {cases.log} limit 0) as log on true
    """)
    useless = view("useless_log", sides.localCheckpoint())
    columns = ", ".join([*KEY, *DATA, *CONTRACT])
    filtered, log = (
        Counter(content(tuple(row)) for row in spark.sql(f"select {columns} from {rows}").collect())
        for rows in (f"({deltawave.filter_useless_pairs(useless, KEY)})", cases.log)
    )
    assert filtered == log
    assert spark.table(str(useless)).count() > sum(log.values())

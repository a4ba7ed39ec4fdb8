"""Key ranges, rendered: intervals in key order, and few of them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.macro_harness import Macros, make_job

MACROS = Macros()
RANGES: list[dict[str, Any]] = [
    {"range_id": number, "low": [str(number)] if number else None, "high": [str(number + 1)] if number < 999 else None}
    for number in range(1000)
]


@given(st.sets(st.integers(0, 999), min_size=1), st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_many_places_become_few_that_hold_them_all(ids: set[int], limit: int) -> None:
    chosen = [RANGES[number] for number in sorted(ids)]
    some = MACROS._in_few_places(RANGES, chosen, limit)
    found = [each["range_id"] for each in some]
    assert found == sorted(set(found))
    assert ids <= set(found)
    intervals = MACROS._intervals(some)
    assert len(intervals) <= limit
    if len(MACROS._intervals(chosen)) <= limit:
        assert some == chosen


def test_neighbours_are_one_interval() -> None:
    chosen = [RANGES[number] for number in (0, 1, 5, 998, 999)]
    assert MACROS._intervals(chosen) == [
        {"low": None, "high": ["2"]},
        {"low": ["5"], "high": ["6"]},
        {"low": ["998"], "high": None},
    ]


@pytest.mark.parametrize(
    ("count", "steps"), [(1, []), (2, [1]), (3, [2, 1]), (4, [2, 1]), (5, [4, 2, 1]), (9, [8, 4, 2, 1])]
)
def test_a_binary_search_reaches_every_range(count: int, steps: list[int]) -> None:
    assert MACROS._search_steps(count) == steps
    assert sum(steps) >= count - 1


def test_no_column_of_a_dump_takes_the_name_of_a_step() -> None:
    steps = len(MACROS._search_steps(2**31))
    assert {f"_step_{number}" for number in range(1, steps + 1)} <= set(MACROS._reserved_columns())


@pytest.mark.parametrize(("before", "is_told"), [("range_checksum", True), ("row_checksum", False)])
def test_checksums_that_cannot_be_compared_are_told_where_ranges_have_some(before: str, *, is_told: bool) -> None:
    """After another strategy the ranges are new."""
    macros = Macros(run_query=lambda sql: [("0", "5", "7:7")])
    macros.replace(_range_checksums="select")
    job = make_job(strategy=macros._strategy_named("x", "range_checksum"))
    ranges = [{**RANGES[0], "row_count": 5, "checksum": "7:7"}]
    last = {"checksum_fingerprint": "older", "progress_strategy": before}
    found = macros._moved_ranges(job, {"checksum_fingerprint": "newer"}, last, ranges, ranges)
    assert found == {"moved": ranges, "rows": 5}
    assert any("computed in another way" in line for line in macros.logged) is is_told

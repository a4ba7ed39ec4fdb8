"""Which transitions a run has to make, and what speaks against them, without Spark."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest
from bad_input import messages
from unit.wave_records import SPEC, after, days

from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.execution import Naming
from deltawave.wave.guards import Clock
from deltawave.wave.pending import Work, day_in_the_way, pending, unknown_days
from deltawave.wave.run_plan import plan_run
from deltawave.wave.steps import step
from deltawave.wave.tables import TECHNIQUES, Day, WaveRecord, WaveSpec


def test_works_of_a_run() -> None:
    record, _ = after(SPEC, 5, first_load=4)
    assert pending(record, SPEC, days(1, 5)) == ([], [])
    works, late = pending(record, SPEC, [*days(4, 4, "other"), *days(7, 7), *days(6, 6)])
    assert (works, late) == (
        [Work("replace", tuple(days(4, 4, "other"))), *(Work("load", (day,)) for day in days(6, 7))],
        [],
    )
    assert [Work.from_json(work.to_json()) for work in works] == works
    record, _ = after(SPEC, 4, first_load=3)
    gap = [*days(6, 6)]
    assert [work.days[0].rows for work in pending(record, SPEC, gap, "empty")[0]] == [0, 1_000_000]
    assert plan_run(record, SPEC, gap, "empty").refused == []
    # What comes before the gap is taken.
    plan = plan_run(record, SPEC, [*days(4, 5), *days(7, 9)], "fail")
    assert plan.refused == [
        "there is no batch of 2026-01-06, which comes before 2026-01-07 (and 2026-01-08, 2026-01-09); "
        "gaps: fail asks for all."
    ]
    assert plan.works == [Work("load", tuple(days(5, 5)))]
    assert plan_run(None, SPEC, gap, "fail").refused == []
    assert plan_run(None, SPEC, [*days(1, 2), *gap], "fail").works == []
    with pytest.raises(ValueError, match="gaps: empty needs a day_column of dates or whole numbers; day is a text"):
        pending(None, replace(SPEC, columns=(("day", "string"), ("supplier", "int"))), gap, "empty")


def test_whole_numbers_are_ordered_as_numbers() -> None:
    spec = replace(SPEC, columns=(("day", "int"), ("supplier", "int")))
    works, _ = pending(None, spec, [Day("10", 1), Day("9", 1)])
    assert [day.value for day in works[0].days] == ["9", "10"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_first_days_are_one_transition(scheme: str) -> None:
    spec = replace(SPEC, index=WaveIndex(scheme, 4, 2, spread=True))
    for count in range(1, 5):
        works, _ = pending(None, spec, days(1, count))
        assert works[0] == Work("start", tuple(days(1, count)))
        at_once, _ = after(spec, count, first_load=count)
        one_by_one, _ = after(spec, count)
        told = [[table.days for table in record.constituents] for record in (at_once, one_by_one)]
        assert told[0] == told[1]
        after(spec, 9, first_load=count)


def test_a_day_before_a_growing_window_comes_too_late() -> None:
    record, _ = after(SPEC, 3, first_load=3)
    before = Day("2025-12-31", 1)
    assert pending(record, SPEC, [before]) == ([], [before])
    # It would have left the window by now.
    record, _ = after(SPEC, 4, first_load=3)
    assert pending(record, SPEC, [before]) == ([], [])


@pytest.mark.parametrize("gaps", ["skip", "empty", "fail"])
@pytest.mark.parametrize("wrong", ["2206-01-04", "9999-12-31"])
def test_a_date_far_ahead_is_refused(gaps: str, wrong: str) -> None:
    ahead = (date.fromisoformat(wrong) - date(2026, 1, 3)).days
    limit = "10 windows" if gaps == "skip" else "a week"
    far = f"{wrong} comes {ahead:,} days after 2026-01-03, more than {limit}: a wrong date?"
    assert gaps != "empty" or wrong != "2206-01-04" or far == messages("Wave indices")["a date far ahead"]
    record, _ = after(SPEC, 3, first_load=3)
    # Of first days that lie far apart none shows which is wrong; later on, the others are taken.
    for before, delivered, taken in ((None, days(1, 3), []), (record, days(4, 5), days(4, 5))):
        source = [*delivered, Day(wrong, 1, "a")]
        if before:
            ahead -= 2
            far = f"{wrong} comes {ahead:,} days after 2026-01-05, more than {limit}: a wrong date?"
        plan = plan_run(before, SPEC, source, gaps)
        assert plan.refused == [far]
        assert [day for work in plan.works for day in work.days] == taken
        # Who accepts it gets no more days without rows than the window holds.
        accepted = plan_run(before, SPEC, source, gaps, accept=True)
        assert accepted.refused == []
        assert sum(len(work.days) for work in accepted.works) <= len(taken) + 5


@pytest.mark.parametrize("value", ["+20206-01-04", "0000-01-01"])
def test_a_year_that_is_none(value: str) -> None:
    for accept in (False, True):
        plan = plan_run(None, SPEC, [*days(1, 2), Day(value, 1, "a")], "skip", accept=accept)
        assert plan.refused == [
            f"day_column 'day': {value} can't be read as a date of the years 1 to 9999, and can't be accepted."
        ]
        assert plan.works == [Work("start", tuple(days(1, 2)))]


def test_a_source_that_changes_its_columns_during_a_run() -> None:
    """The days that were to be taken would come with values of other columns."""
    record, _ = after(SPEC, 3)
    works, _ = pending(record, SPEC, days(4, 4))
    other = replace(SPEC, columns=(SPEC.columns[0], SPEC.columns[2], SPEC.columns[1]))
    with pytest.raises(ValueError, match=r"columns: was .* and is .*: rebuild the wave index"):
        step(record, other, works[0], "(source)", Naming("shop", "sales", 9, "0123456789ab"))


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", ["wata", "rata"])
def test_a_window_that_is_clipped_without_a_new_day(scheme: str, technique: str) -> None:
    spec = replace(SPEC, index=WaveIndex(scheme, 4, 2), technique=technique)
    record, _ = after(replace(spec, clip=False), 9)
    works, _ = pending(record, spec, days(9, 9))
    # RATA* never shows an expired day.
    assert [work.kind for work in works] == (["show"] if scheme == "wata" else [])
    made = step(record, spec, Work("show"), "(source)", Naming("shop", "sales", 99, "9" * 12))
    assert made.statements == ()
    assert made.record.tables == record.tables
    assert made.record.pending == record.pending
    assert made.record.first_shown == made.record.state_day - 3
    follows, _ = pending(made.record, made.record.spec, days(9, 9))
    assert [work.kind for work in follows] == [work.kind for work in pending(record, record.spec, days(9, 9))[0]]


def refused(spec: WaveSpec, first: int, gaps: str, *values: str) -> list[str]:
    """Those of days, taken one by one after the ``first``, that are refused until they are accepted."""
    record, found = None, []
    for delivered in (
        [Day(value, 1, "a") for value in values[:first]],
        *([Day(each, 1, "a")] for each in values[first:]),
    ):
        found += [each.partition(" comes")[0] for each in plan_run(record, spec, delivered, gaps).refused]
        works = plan_run(record, spec, delivered, gaps, accept=True).works
        for batch, work in enumerate(works, (record.state_day if record else 0) + 1):
            record = step(record, spec, work, "(source)", Naming("shop", "sales", batch, "0123456789ab")).record
    return found


def test_days_of_months_and_a_long_pause() -> None:
    spec = replace(SPEC, index=WaveIndex("del", 3, 2))
    months = ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01"]
    # One distance tells how far apart they are.
    assert refused(spec, 2, "skip", *months, "2027-01-01", "2206-02-01") == ["2206-02-01"]
    for window in (1, 2):
        few = replace(SPEC, index=WaveIndex("del", window, 1))
        assert refused(few, 1, "skip", *months) == []
        # Years are not taken for months.
        assert refused(few, 1, "skip", "2026-01-01", "2027-01-01", "2027-01-02") == ["2027-01-01"]
        assert refused(few, 1, "skip", "2026-01-01", "2206-01-01") == ["2206-01-01"]
    week = replace(SPEC, index=WaveIndex("del", 7, 2))
    assert refused(week, 1, "skip", "2026-01-01", "2026-08-06") == []
    assert refused(week, 1, "skip", "2026-01-01", "2026-08-07") == ["2026-08-07"]
    assert refused(week, 2, "skip", "2026-01-01", "2027-01-02") == ["2027-01-02"]
    numbers = replace(spec, columns=(("day", "int"), ("supplier", "int")))
    assert refused(numbers, 1, "empty", "20260131", "20260201") == []
    # Days without rows would push out all others.
    assert refused(numbers, 1, "empty", "1", "4", "8") == ["8"]
    assert refused(numbers, 1, "skip", "202612", "202701") == []
    # What is accepted is taken, and so are the days that follow it.
    daily = replace(SPEC, index=WaveIndex("del", 1, 1))
    assert refused(daily, 1, "empty", "2026-01-01", "2026-01-13", "2026-01-14") == ["2026-01-13"]
    daily = replace(SPEC, index=WaveIndex("del", 2, 1))
    assert refused(daily, 2, "skip", "2026-01-01", "2026-01-02", "2026-01-23", "2026-01-24") == ["2026-01-23"]


@pytest.mark.parametrize(
    ("window", "kind", "last", "next_one", "wild"),
    [
        (7, "int", "20260110", "20260111", "99991231"),
        (7, "date", "2026-01-10", "2026-01-11", "2026-03-11"),
        (90, "date", "2026-01-10", "2026-01-11", "2027-01-10"),
    ],
)
@pytest.mark.parametrize("gaps", [None, "skip"])
def test_a_day_ahead_of_the_clock_does_not_freeze_the_index(
    window: int, kind: str, last: str, next_one: str, wild: str, gaps: str | None
) -> None:
    spec = replace(SPEC, index=WaveIndex("del", window, 2), columns=(("day", kind), ("supplier", "int")))
    clock = Clock(date(2026, 1, 11))
    # The first days do not fail for it, either.
    begun = plan_run(None, spec, [Day(last, 1, "a"), Day(wild, 1, "a")], gaps, clock=clock)
    record, _ = carried_out(None, spec, begun.works, 1)
    assert record.days[record.state_day].value == last
    source = [Day(next_one, 1, "b"), Day(wild, 1, "a")]
    plan = plan_run(record, spec, source, gaps, clock=clock)
    assert plan.works == [Work("load", (source[0],))]
    sentence = "later than 2026-01-12, the last date that a run on 2026-01-11 takes (lead_days: 1); a wrong date?"
    assert plan.refused == begun.refused == [f"{wild}: {sentence}"]
    assert kind == "date" or plan.refused == [messages("Wave indices")["a date that has not come"]]
    accepted = plan_run(record, spec, source, gaps, clock=clock, accept=True)
    assert accepted.works[-1] == Work("load", (source[1],))
    if kind == "date":
        assert plan_run(record, spec, source, "skip", clock=replace(clock, lead_days=365)).refused == []
    # A day that was accepted is not refused again. As long as it lies ahead, no day is passed over in silence.
    frozen, _ = carried_out(record, spec, accepted.works, 10)
    later = Day(f"{last[:-2]}12", 1, "a")
    plan = plan_run(frozen, spec, [*source, later], gaps, clock=clock)
    assert plan.late[-1] == later
    assert plan.refused == []
    assert (plan.wrong, plan.late_because) == ((wild, "skip") if gaps else (None, "before"))


def test_whole_numbers_that_read_as_dates() -> None:
    spec = replace(SPEC, columns=(("day", "int"), ("supplier", "int")))
    record, _ = carried_out(None, spec, plan_run(None, spec, [Day("20260227", 1, "a")]).works, 1)
    record, _ = carried_out(record, spec, plan_run(record, spec, [Day("20260302", 1, "a")]).works, 10)
    assert [day.value for _, day in sorted(record.days.items())] == ["20260227", "20260228", "20260301", "20260302"]
    plan = plan_run(record, spec, [Day("20260230", 1, "a"), Day("20260303", 1, "a")])
    assert plan.refused == [messages("Wave indices")["a whole number that is no date"]]
    assert plan.works == [Work("load", (Day("20260303", 1, "a"),))]
    # Others stay as they are.
    for values in (["1", "2", "5"], ["202612", "202701"], ["99999998", "99999999"]):
        found = plan_run(None, spec, [Day(value, 1, "a") for value in values], clock=Clock(date(2026, 1, 1)))
        assert [day.value for day in found.works[0].days] == values
        assert found.refused == []


def test_a_day_that_comes_late_is_taken_within_the_window() -> None:
    record, _ = carried_out(None, SPEC, plan_run(None, SPEC, [*days(5, 5), *days(7, 7)]).works, 1)
    # Also one before the first.
    plan = plan_run(record, SPEC, [*days(3, 4), *days(6, 6)])
    assert plan.late == []
    assert [work.days for work in plan.works] == [tuple(days(4, 4)), tuple(days(6, 6))]
    record, _ = carried_out(record, SPEC, plan.works, 10)
    assert told_days(record) == [4, 5, 6, 7]
    record, _ = carried_out(record, SPEC, plan_run(record, SPEC, days(9, 9)).works, 20)
    # Not the last four days that have rows.
    assert told_days(record) == [6, 7, 9]
    assert plan_run(None, SPEC, [Day("0001-01-02", 1, "a")]).works[0].days[0] == Day("0001-01-01")


@pytest.mark.parametrize("first", [1, 2])
def test_months_ask_whether_days_between_count(first: int) -> None:
    """Days without rows would push out the months before, in an index that was built without them, too."""
    months = [Day(f"2026-{month}", 10, month) for month in ("01-01", "02-01", "03-01")]
    record, _ = carried_out(None, SPEC, pending(None, SPEC, months[:first])[0], 1)
    for before in (None, record):
        with pytest.raises(ValueError, match=re.escape(messages("Wave indices")["months without `gaps`"])):
            plan_run(before, SPEC, months, clock=Clock(date(2026, 3, 1)))
        assert plan_run(before, SPEC, months, "skip").refused == []
    # The first one alone does not show what the next ones are.
    wide = replace(SPEC, index=WaveIndex("del", 40, 2))
    alone, _ = carried_out(None, wide, plan_run(None, wide, months[:1]).works, 1)
    with pytest.raises(ValueError, match="all days are 31 or more dates apart"):
        plan_run(alone, wide, months[1:2])
    # One of two days that are further apart may be wrong.
    assert "2026-07-19 comes 199 days after 2026-01-01" in plan_run(alone, wide, [Day("2026-07-19", 1, "d")]).refused[0]
    # Days that were counted all along do not ask.
    sparse, _ = carried_out(None, wide, plan_run(None, wide, months[:2], "empty").works, 1)
    assert plan_run(sparse, wide, months[2:]).refused == []


def test_why_a_day_comes_too_late() -> None:
    clock = Clock(date(2026, 2, 1))
    record, _ = after(SPEC, 4, first_load=3)
    record, _ = carried_out(record, SPEC, pending(record, SPEC, days(7, 7))[0], 10)
    texts = replace(SPEC, columns=(("day", "string"), ("supplier", "int")))
    growing, _ = carried_out(None, SPEC, pending(None, SPEC, days(5, 7))[0], 1)
    named, _ = carried_out(*_begun(texts, "a", "c"))
    for before, gaps, late, because in (
        (record, "skip", days(5, 5), "skip"),
        (record, None, days(5, 5), "passed"),
        (growing, "skip", days(3, 3), "before"),
        (named, None, [Day("b", 1, "a")], "text"),
    ):
        plan = plan_run(before, before.spec, late, gaps, clock=clock)
        assert (plan.late, plan.late_because) == (late, because)
        # A good day is not named as one to drop.
        assert plan.wrong is None


def test_days_that_lose_most_of_their_rows() -> None:
    record, _ = after(SPEC, 3)
    half, less = (replace(days(3, 3, "other")[0], rows=rows) for rows in (500_000, 499_999))
    assert plan_run(record, SPEC, [half], "skip").refused == []
    plan = plan_run(record, SPEC, [less, *days(4, 4)], "skip")
    assert plan.refused == [
        "day(s) that would lose more than half their rows: 2026-01-03 (1000000 rows, now 499999): parts of days?"
    ]
    assert plan.works == [Work("load", tuple(days(4, 4)))]


def carried_out(
    record: WaveRecord | None, spec: WaveSpec, works: list[Work], first: int
) -> tuple[WaveRecord, list[str]]:
    """The record after these transitions, and their statements."""
    statements: list[str] = []
    for batch, work in enumerate(works, first):
        if work.kind != "prepare" or (record is not None and record.pending):
            made = step(record, spec, work, "(source)", Naming("shop", "sales", batch, "0123456789ab"))
            record, statements = made.record, [*statements, *made.statements]
    assert record is not None
    return record, statements


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_wrong_days_are_dropped(scheme: str, technique: str) -> None:
    spec = replace(SPEC, index=WaveIndex(scheme, 4, 2), technique=technique)
    record, _ = after(spec, 5, first_load=4)
    wrong = [Day("2026-05-01", 7, "a"), Day("2026-05-02", 7, "b")]
    record, _ = carried_out(record, spec, pending(record, spec, wrong)[0], 100)
    assert pending(record, spec, days(6, 6))[1] == days(6, 6)
    works, late = pending(record, spec, days(4, 9), drop=["2026-05-02", "2026-05-01"])
    assert [(work.kind, work.days[0].value) for work in works if work.kind != "prepare"] == [
        ("drop", "2026-05-01"),
        ("drop", "2026-05-02"),
        ("replace", "2026-01-06"),
        ("replace", "2026-01-07"),
        ("load", "2026-01-08"),
        ("load", "2026-01-09"),
    ]
    assert late == []
    assert plan_run(record, spec, days(4, 9), "skip", ["2026-05-02", "2026-05-01"]).refused == []
    dropped, statements = carried_out(record, spec, [work for work in works if work.kind == "drop"], 200)
    # Nothing is read for them, even if the source has the days whose values they get.
    assert all("limit 0)" in each for each in statements if "(source)" in each)
    assert dropped.rows == record.rows - 14
    after_all, _ = carried_out(record, spec, works, 300)
    straight, _ = after(spec, 9, first_load=4)
    assert after_all.days == straight.days
    assert after_all.state == straight.state


def test_days_that_cannot_be_dropped() -> None:
    record, _ = after(SPEC, 4, first_load=4)
    # A run that is repeated may have dropped it.
    assert pending(record, SPEC, [], drop=["2026-01-09"]) == ([], [])
    assert unknown_days(record, ["2026-01-09", "2026-01-04"]) == ["2026-01-09"]
    with pytest.raises(
        ValueError, match=re.escape(messages("Wave indices")["a day to drop that the source still has"])
    ):
        pending(record, SPEC, days(4, 4), drop=["2026-01-04"])
    with pytest.raises(ValueError, match="2026-01-01 is the oldest day of the index"):
        pending(record, SPEC, [], drop=["2026-01-01"])
    # One that the source has would be taken.
    for before, day in ((record, 9), (None, 1)):
        with pytest.raises(ValueError, match="can't be dropped: the source still has it"):
            pending(before, SPEC, days(day, day), drop=[days(day, day)[0].value])
    assert pending(None, SPEC, days(2, 2), drop=["2026-01-01"]) == pending(None, SPEC, days(2, 2))
    assert unknown_days(None, ["2026-01-01"]) == ["2026-01-01"]
    texts = replace(SPEC, columns=(("day", "string"), ("supplier", "int")))
    record, _ = carried_out(*_begun(texts, "a", "b", "z"))
    works, late = pending(record, texts, [Day("c", 1, "a")], drop=["z"])
    assert [work.days[0].value for work in works] == ["z", "c"]
    assert late == []


def test_a_drop_may_be_repeated_in_every_run() -> None:
    """As a scheduled command does that keeps the day: the day is dropped once, and later days are taken."""
    record, _ = after(SPEC, 4, first_load=4)
    drop, count = ["2026-01-04"], 10
    record, _ = carried_out(record, SPEC, pending(record, SPEC, [], drop=drop)[0], count)
    for day in range(5, 9):
        assert unknown_days(record, drop) == drop
        works, _ = pending(record, SPEC, days(day, day), drop=drop)
        assert [work.kind for work in works] == ["load"]
        count += 10
        record, _ = carried_out(record, SPEC, works, count)


@pytest.mark.parametrize("together", [True, False])
def test_wrong_days_are_dropped_until_the_right_ones_can_come(together: bool) -> None:
    record, _ = after(SPEC, 4, first_load=4)
    count = 10
    for work in pending(record, SPEC, days(8, 9))[0]:
        record, _ = carried_out(record, SPEC, [work], count := count + 10)
    delivered = days(5, 6)
    for drop in [["2026-01-09", "2026-01-08"]] if together else [["2026-01-09"], ["2026-01-08"]]:
        _, late = pending(record, SPEC, delivered)
        assert late == delivered
        # Never a right day: following the advice for it would lose its rows.
        assert day_in_the_way(record, [], late) == drop[0]
        works, late = pending(record, SPEC, delivered, drop=drop)
        assert bool(late) == (drop == ["2026-01-09"])
        record, _ = carried_out(record, SPEC, works, count := count + 10)
    straight, _ = after(SPEC, 6, first_load=4)
    assert record.days == straight.days
    assert pending(record, SPEC, days(6, 7))[1] == []


def test_a_day_that_is_in_the_way_without_rows() -> None:
    """Before, such days stayed where a wrong day had been."""
    record, _ = after(SPEC, 6, first_load=4)
    record = replace(record, days=record.days | {record.state_day: Day("2026-01-09")})
    _, late = pending(record, SPEC, days(6, 7))
    assert day_in_the_way(record, [], late) == "2026-01-09"
    works, late = pending(record, SPEC, days(6, 7), drop=["2026-01-09"])
    assert late == []
    assert [(work.kind, work.days[0].value) for work in works if work.kind != "prepare"] == [
        ("drop", "2026-01-09"),
        ("replace", "2026-01-06"),
        ("load", "2026-01-07"),
    ]


def test_days_without_rows_before_a_wrong_one_are_no_repeated_drop() -> None:
    """They are as far ahead as it is. Passed over, they would let no day come for years."""
    record, _ = after(SPEC, 4, first_load=4)
    works, _ = pending(record, SPEC, [Day("2206-01-10", 1, "a")], gaps="empty")
    record, _ = carried_out(record, SPEC, works, 10)
    drop = [record.days[number].value for number in record.indexed]
    assert min(drop) > "2200"
    with pytest.raises(ValueError, match="is the oldest day of the index, and can't be dropped"):
        pending(record, SPEC, days(5, 5), drop=drop)


def _begun(spec: WaveSpec, *values: str) -> tuple[WaveRecord, WaveSpec, list[Work], int]:
    works, _ = pending(None, spec, [Day(value, 1, "a") for value in values])
    return WaveRecord(spec), spec, works, 1


def test_spread_may_change() -> None:
    record, _ = after(SPEC, 3)
    assert pending(record, replace(SPEC, index=WaveIndex("del", 4, 2, spread=True)), days(3, 3)) == ([], [])


def told_days(record: WaveRecord) -> list[int]:
    """The days with rows, as numbers in January 2026."""
    first = date(2026, 1, 1)
    return [(date.fromisoformat(day.value) - first).days + 1 for _, day in sorted(record.days.items()) if day.rows]


def test_a_whole_wrong_stretch_is_dropped_at_once() -> None:
    """A day without rows in it moves with the first one that is dropped."""
    spec = replace(SPEC, index=WaveIndex("del", 7, 2))
    record, _ = after(spec, 2, first_load=2)
    for number, (day, gaps) in enumerate([(10, "skip"), (12, "empty")]):
        record, _ = carried_out(record, spec, pending(record, spec, days(day, day), gaps)[0], 10 * number + 10)
    drop = [day.value for day in days(10, 12)]
    record, _ = carried_out(record, spec, pending(record, spec, [], "empty", drop)[0], 50)
    assert told_days(record) == [1, 2]
    works, late = pending(record, spec, days(3, 5), "empty", drop)
    assert late == []
    record, _ = carried_out(record, spec, works, 60)
    assert told_days(record) == [1, 2, 3, 4, 5]


def test_following_the_advice_takes_the_day_that_came_too_late() -> None:
    """After a wrong date ahead, under ``gaps: empty``: the places before it have no rows."""
    spec = replace(SPEC, index=WaveIndex("wata", 7, 2))
    record, _ = after(spec, 8, first_load=1)
    record, _ = carried_out(record, spec, pending(record, spec, days(34, 34), "empty")[0], 100)
    right, drop, count = days(9, 9), [], 200
    for _ in range(3):
        works, late = pending(record, spec, right, "empty", drop)
        record, _ = carried_out(record, spec, works, count := count + 100)
        if not late:
            break
        drop = [str(day_in_the_way(record, [], late))]
    assert told_days(record) == [7, 8, 9]


def test_days_before_the_index_are_not_advised_to_displace_others() -> None:
    record, _ = after(SPEC, 3, first_load=3)
    record = replace(record, days={number: days(number + 4, number + 4)[0] for number in record.days})
    _, late = pending(record, SPEC, days(4, 4))
    assert late == days(4, 4)
    assert day_in_the_way(record, [], late) is None
    # Only one of these could still be taken.
    record = replace(record, days=record.days | {3: days(9, 9)[0]})
    _, late = pending(record, SPEC, [*days(4, 4), *days(7, 7)])
    assert day_in_the_way(record, [], late) == "2026-01-09"


def test_the_month_after_a_dropped_one() -> None:
    """The place of the dropped one is a day after the month before."""
    spec = replace(SPEC, index=WaveIndex("del", 3, 1))
    months = [Day(f"2026-{month}", 10, month) for month in ("01-31", "02-28", "03-31")]
    record: WaveRecord | None = None
    for number, month in enumerate(months[:2]):
        record, _ = carried_out(record, spec, pending(record, spec, [month])[0], 10 * number + 10)
    record, _ = carried_out(record, spec, pending(record, spec, [], drop=["2026-02-28"])[0], 50)
    assert plan_run(record, spec, months[2:], "skip").refused == []

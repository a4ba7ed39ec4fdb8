"""Which transitions a run has to make, and what speaks against them, without Spark."""

from dataclasses import replace
from datetime import date

import pytest
from bad_input import messages, refused
from unit.wave_records import SPEC, after, carried_out, days, loaded, naming, pending

from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.guards import Clock
from deltawave.wave.run_plan import Work, day_in_the_way, plan_run
from deltawave.wave.steps import step
from deltawave.wave.tables import TECHNIQUES, Day, WaveRecord, WaveSpec

MESSAGES = messages("Wave indices")
SKIP = "If only days that have a batch should count, set gaps: skip."
NUMBERS = replace(SPEC, columns=(("day", "int"), ("supplier", "int")))
TEXTS = replace(SPEC, columns=(("day", "string"), ("supplier", "int")))


def of_window(window: int, constituents: int = 2, scheme: str = "del") -> WaveSpec:
    return replace(SPEC, index=WaveIndex(scheme, window, constituents))


def named(*values: str) -> list[Day]:
    return [Day(value, 1, "a") for value in values]


def with_rows(record: WaveRecord) -> list[int]:
    """The days with rows, as numbers in January 2026."""
    first = date(2026, 1, 1)
    return [(date.fromisoformat(day.value) - first).days + 1 for _, day in sorted(record.days.items()) if day.rows]


def seen_by_readers(record: WaveRecord) -> list[int]:
    return with_rows(replace(record, days={n: day for n, day in record.days.items() if n >= record.first_shown}))


def kinds(works: list[Work]) -> list[tuple[str, str]]:
    return [(work.kind, work.days[0].value) for work in works if work.kind != "prepare"]


def test_works_of_a_run() -> None:
    record, _ = after(SPEC, 5, first_load=4)
    assert pending(record, SPEC, days(1, 5)) == ([], [])
    # Spreading may begin on any day.
    assert pending(record, replace(SPEC, index=replace(SPEC.index, spread=True)), days(1, 5)) == ([], [])
    works, late = pending(record, SPEC, [*days(4, 4, "other"), *days(7, 7), *days(6, 6)])
    assert works == [Work("replace", tuple(days(4, 4, "other"))), *(Work("load", (day,)) for day in days(6, 7))]
    assert late == []
    assert [Work.from_json(work.to_json()) for work in works] == works
    # Whole numbers are ordered as numbers.
    assert [day.value for day in pending(None, NUMBERS, named("10", "9"))[0][0].days] == ["9", "10"]


def test_gaps() -> None:
    record, _ = after(SPEC, 4, first_load=3)
    gap = days(6, 6)
    assert [work.days[0].rows for work in pending(record, SPEC, gap, "empty")[0]] == [0, 1_000_000]
    assert plan_run(record, SPEC, gap, "empty").refused == []
    # What comes before the gap is loaded.
    plan = plan_run(record, SPEC, [*days(4, 5), *days(7, 9)], "fail")
    assert plan.refused == [
        "there is no batch of 2026-01-06, which comes before 2026-01-07 (and 2026-01-08, 2026-01-09); "
        "gaps: fail asks for all."
    ]
    assert plan.works == [Work("load", tuple(days(5, 5)))]
    assert plan_run(None, SPEC, gap, "fail").refused == []
    assert plan_run(None, SPEC, [*days(1, 2), *gap], "fail").works == []
    with pytest.raises(ValueError, match="gaps: empty needs a day_column of dates or whole numbers; day is a text"):
        pending(None, TEXTS, gap, "empty")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_first_days_are_one_transition(scheme: str) -> None:
    spec = replace(SPEC, index=WaveIndex(scheme, 4, 2, spread=True))
    for count in range(1, 5):
        works, _ = pending(None, spec, days(1, count))
        assert works[0] == Work("start", tuple(days(1, count)))
        at_once, one_by_one = (after(spec, count, first)[0].state.constituents for first in (count, 1))
        assert at_once == one_by_one
        after(spec, 9, first_load=count)


def test_a_day_before_a_growing_window_comes_too_late() -> None:
    before = named("2025-12-31")
    assert pending(after(SPEC, 3, first_load=3)[0], SPEC, before) == ([], before)
    # It would have left the window by now.
    assert pending(after(SPEC, 4, first_load=3)[0], SPEC, before) == ([], [])


@pytest.mark.parametrize("gaps", ["skip", "empty", "fail"])
@pytest.mark.parametrize("wrong", ["2206-01-04", "9999-12-31"])
def test_a_date_far_ahead_is_refused(gaps: str, wrong: str) -> None:
    no_other = "and no other of the window's 4 days would have rows: a wrong date?"
    limit = "more than 10 windows: a wrong date?" if gaps == "skip" else f"{no_other} {SKIP}"
    record, _ = after(SPEC, 3, first_load=3)
    # Of first days that lie far apart none shows which is wrong; later on, the others are loaded.
    for before, delivered, loads in ((None, days(1, 3), []), (record, days(4, 5), days(4, 5))):
        source, last = [*delivered, Day(wrong, 1, "a")], delivered[-1].value
        ahead = (date.fromisoformat(wrong) - date.fromisoformat(last)).days
        far = f"{wrong} comes {ahead:,} days after {last}, {limit}"
        assert before or gaps != "empty" or wrong != "2206-01-04" or far == MESSAGES["a date far ahead"]
        plan = plan_run(before, SPEC, source, gaps)
        assert plan.refused == [far]
        assert [day for work in plan.works for day in work.days] == loads
        # Who accepts it gets no more days without rows than the window holds.
        accepted = plan_run(before, SPEC, source, gaps, accept=True)
        assert accepted.refused == []
        assert sum(len(work.days) for work in accepted.works) <= len(loads) + 5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("window", range(2, 11))
def test_no_pause_empties_an_index_unasked(scheme: str, window: int) -> None:
    spec = of_window(window, scheme=scheme)
    begun = loaded(None, spec, days(1, window))
    later = loaded(begun, spec, days(window + 1, 2 * window - 1))
    clock = Clock(date(2026, 12, 31))
    for record, newest in ((begun, window), (later, 2 * window - 1)):
        for gap in range(1, 2 * window + 1):
            delivered = days(newest + gap, newest + gap)
            plan = plan_run(record, spec, delivered, "empty", clock=clock)
            left = [day for day in range(newest + gap - window + 1, newest + 1) if day <= newest]
            assert bool(left) == (gap < window)
            if left:
                assert plan.refused == []
            else:
                assert not plan.loads_days
                assert f"comes {gap} days after" in plan.refused[0]
                assert (
                    f"no other of the window's {window} days would have rows: a wrong date? {SKIP}" in plan.refused[0]
                )
                plan = plan_run(record, spec, delivered, "empty", clock=clock, accept=True)
            assert seen_by_readers(carried_out(record, spec, plan.works)[0]) == [*left, newest + gap]
            assert plan_run(record, spec, delivered, "fail", clock=clock).loads_days == (gap == 1)
            assert plan_run(record, spec, delivered, "skip", clock=clock).works[-1].kind in ("load", "prepare")
    # Nor does an index begin with a pause that leaves one day.
    for gap in range(1, 2 * window + 1):
        plan = plan_run(None, spec, [*days(1, window), *days(window + gap, window + gap)], "empty", clock=clock)
        assert plan.loads_days == (gap < window)


def test_a_pause_is_counted_from_the_newest_day_with_rows() -> None:
    """The place of a dropped day is no day that stays."""
    spec = of_window(7)
    record = loaded(loaded(after(spec, 7, first_load=7)[0], spec, days(8, 8)), spec, [], "empty", ["2026-01-08"])
    assert plan_run(record, spec, days(13, 13), "empty").refused == []
    assert (
        "2026-01-14 comes 7 days after 2026-01-07, and no other"
        in plan_run(record, spec, days(14, 14), "empty").refused[0]
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_expired_day_that_comes_again_is_not_replaced(scheme: str) -> None:
    spec = of_window(7, 2, scheme)
    record, _ = after(spec, 10, first_load=7)
    again = days(3, 3, "other")
    assert plan_run(record, spec, again).works == []
    # Days that readers see are; and those that wait in a soft window, where readers see them.
    assert kinds(plan_run(record, spec, days(4, 4, "other")).works) == [("replace", "2026-01-04")]
    shown = kinds(plan_run(record, replace(spec, clip=False), again).works)
    assert shown == ([("replace", "2026-01-03")] if scheme == "wata" else [])


@pytest.mark.parametrize("value", ["+20206-01-04", "0000-01-01"])
@pytest.mark.parametrize("accept", [False, True])
def test_a_year_that_is_none(value: str, accept: bool) -> None:
    plan = plan_run(None, SPEC, [*days(1, 2), *named(value)], "skip", accept=accept)
    assert plan.refused == [
        f"day_column 'day': {value} can't be read as a date of the years 1 to 9999, and can't be accepted."
    ]
    assert plan.works == [Work("start", tuple(days(1, 2)))]


def test_a_source_that_changes_its_columns_during_a_run() -> None:
    """The days that were to be loaded would come with values of other columns."""
    other = replace(SPEC, columns=(SPEC.columns[0], SPEC.columns[2], SPEC.columns[1]))
    with pytest.raises(ValueError, match=r"columns: was .* and is .*: rebuild the wave index"):
        step(after(SPEC, 3)[0], other, Work("load", tuple(days(4, 4))), "(source)", naming())


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", ["wata", "rata"])
def test_a_window_that_is_clipped_without_a_new_day(scheme: str, technique: str) -> None:
    spec = replace(of_window(4, 2, scheme), technique=technique)
    record, _ = after(replace(spec, clip=False), 9)
    # RATA* never shows an expired day.
    assert pending(record, spec, days(9, 9))[0] == ([Work("show")] if scheme == "wata" else [])
    made = step(record, spec, Work("show"), "(source)", naming())
    assert made.statements == ()
    assert (made.record.tables, made.record.pending) == (record.tables, record.pending)
    assert made.record.first_shown == made.record.state_day - 3
    assert pending(made.record, spec, days(9, 9))[0] == []


def refused_days(spec: WaveSpec, first: int, gaps: str, *values: str) -> list[str]:
    """Those of days, loaded one by one after the ``first``, that are refused until they are accepted."""
    record, found = None, []
    for delivered in (named(*values[:first]), *(named(each) for each in values[first:])):
        found += [each.partition(" comes")[0] for each in plan_run(record, spec, delivered, gaps).refused]
        record = loaded(record, spec, delivered, gaps)
    return found


MONTHS = ("2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01")
DAILY = ("2026-01-01", "2026-01-02", "2026-01-23", "2026-01-24")


@pytest.mark.parametrize(
    ("spec", "first", "gaps", "values", "wrong"),
    [
        # One distance tells how far apart they are.
        (of_window(3), 2, "skip", (*MONTHS, "2027-01-01", "2206-02-01"), ["2206-02-01"]),
        *((of_window(window, 1), 1, "skip", MONTHS, []) for window in (1, 2)),
        # Years are not taken for months.
        *((of_window(n, 1), 1, "skip", ("2026-01-01", "2027-01-01", "2027-01-02"), ["2027-01-01"]) for n in (1, 2)),
        *((of_window(window, 1), 1, "skip", ("2026-01-01", "2206-01-01"), ["2206-01-01"]) for window in (1, 2)),
        (of_window(7), 1, "skip", ("2026-01-01", "2026-08-06"), []),
        (of_window(7), 1, "skip", ("2026-01-01", "2026-08-07"), ["2026-08-07"]),
        (of_window(7), 2, "skip", ("2026-01-01", "2027-01-02"), ["2027-01-02"]),
        (replace(NUMBERS, index=WaveIndex("del", 3, 2)), 1, "empty", ("20260131", "20260201"), []),
        # Days without rows would push out all others.
        (replace(NUMBERS, index=WaveIndex("del", 3, 2)), 1, "empty", ("1", "3", "6"), ["6"]),
        (replace(NUMBERS, index=WaveIndex("del", 3, 2)), 1, "skip", ("202612", "202701"), []),
        # What is accepted is loaded, and so are the days that follow it.
        (of_window(1, 1), 1, "empty", ("2026-01-01", "2026-01-13", "2026-01-14"), ["2026-01-13"]),
        (of_window(2, 1), 2, "skip", DAILY, ["2026-01-23"]),
    ],
)
def test_days_of_months_and_a_long_pause(
    spec: WaveSpec, first: int, gaps: str, values: tuple[str, ...], wrong: list[str]
) -> None:
    assert refused_days(spec, first, gaps, *values) == wrong


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
    spec = replace(of_window(window), columns=(("day", kind), ("supplier", "int")))
    clock = Clock(date(2026, 1, 11))
    # The first days do not fail for it, either.
    begun = plan_run(None, spec, named(last, wild), gaps, clock=clock)
    record, _ = carried_out(None, spec, begun.works)
    assert record.days[record.state_day].value == last
    source = [Day(next_one, 1, "b"), Day(wild, 1, "a")]
    plan = plan_run(record, spec, source, gaps, clock=clock)
    assert plan.works == [Work("load", (source[0],))]
    sentence = "later than 2026-01-12, the last date that a run on 2026-01-11 takes (lead_days: 1); a wrong date?"
    assert plan.refused == begun.refused == [f"{wild}: {sentence}"]
    assert kind == "date" or plan.refused == [MESSAGES["a date that has not come"]]
    accepted = plan_run(record, spec, source, gaps, clock=clock, accept=True)
    assert accepted.works[-1] == Work("load", (source[1],))
    if kind == "date":
        assert plan_run(record, spec, source, "skip", clock=replace(clock, lead_days=365)).refused == []
    # A day that was accepted is not refused again. As long as it lies ahead, no day is passed over in silence.
    frozen, _ = carried_out(record, spec, accepted.works)
    later = Day(f"{last[:-2]}12", 1, "a")
    plan = plan_run(frozen, spec, [*source, later], gaps, clock=clock)
    assert plan.late[-1] == later
    assert plan.refused == []
    assert (plan.wrong, plan.late_because) == ((wild, "skip") if gaps else (None, "before"))


def test_whole_numbers_that_read_as_dates() -> None:
    record = loaded(loaded(None, NUMBERS, named("20260227"), "empty"), NUMBERS, named("20260302"), "empty")
    assert [day.value for _, day in sorted(record.days.items())] == ["20260227", "20260228", "20260301", "20260302"]
    plan = plan_run(record, NUMBERS, named("20260230", "20260303"))
    assert plan.refused == [MESSAGES["a whole number that is no date"]]
    assert plan.works == [Work("load", tuple(named("20260303")))]
    # Others stay as they are.
    for values in (["1", "2", "5"], ["202612", "202701"], ["99999998", "99999999"]):
        found = plan_run(None, NUMBERS, named(*values), clock=Clock(date(2026, 1, 1)))
        assert [day.value for day in found.works[0].days] == values
        assert found.refused == []


def test_a_day_that_comes_late_is_loaded_within_the_window() -> None:
    record, _ = carried_out(None, SPEC, plan_run(None, SPEC, [*days(5, 5), *days(7, 7)]).works)
    # Also one before the first.
    plan = plan_run(record, SPEC, [*days(3, 4), *days(6, 6)])
    assert plan.late == []
    assert [work.days for work in plan.works] == [tuple(days(4, 4)), tuple(days(6, 6))]
    record, _ = carried_out(record, SPEC, plan.works)
    assert with_rows(record) == [4, 5, 6, 7]
    # Not the last four days that have rows.
    assert with_rows(carried_out(record, SPEC, plan_run(record, SPEC, days(9, 9)).works)[0]) == [6, 7, 9]
    assert plan_run(None, SPEC, named("0001-01-02")).works[0].days[0] == Day("0001-01-01")


@pytest.mark.parametrize("first", [1, 2])
def test_months_ask_whether_days_between_count(first: int) -> None:
    """Days without rows would push out the months before, in an index that was built without them, too."""
    months = named("2026-01-01", "2026-02-01", "2026-03-01")
    for before in (None, loaded(None, SPEC, months[:first])):
        with refused("Wave indices", "months without `gaps`", ValueError):
            plan_run(before, SPEC, months, clock=Clock(date(2026, 3, 1)))
        assert plan_run(before, SPEC, months, "skip").refused == []
    # The first one alone does not show what the next ones are.
    wide = of_window(40)
    alone = loaded(None, wide, months[:1], "empty")
    with pytest.raises(ValueError, match="all days are 31 or more dates apart"):
        plan_run(alone, wide, months[1:2])
    # One of two days that are further apart may be wrong.
    assert "2026-07-19 comes 199 days after 2026-01-01" in plan_run(alone, wide, named("2026-07-19")).refused[0]
    # Days that were counted all along do not ask.
    sparse = loaded(None, wide, months[:2], "empty")
    assert plan_run(sparse, wide, months[2:]).refused == []


def test_why_a_day_comes_too_late() -> None:
    record = loaded(after(SPEC, 4, first_load=3)[0], SPEC, days(7, 7))
    for before, gaps, late, because in (
        (record, "skip", days(5, 5), "skip"),
        (record, None, days(5, 5), "passed"),
        (loaded(None, SPEC, days(5, 7)), "skip", days(3, 3), "before"),
        (loaded(None, TEXTS, named("a", "c")), None, named("b"), "text"),
    ):
        plan = plan_run(before, before.spec, late, gaps, clock=Clock(date(2026, 2, 1)))
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


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_wrong_days_are_dropped(scheme: str, technique: str) -> None:
    spec = replace(of_window(4, 2, scheme), technique=technique)
    record = loaded(after(spec, 5, first_load=4)[0], spec, [Day("2026-05-01", 7, "a"), Day("2026-05-02", 7, "b")])
    assert pending(record, spec, days(6, 6))[1] == days(6, 6)
    plan = plan_run(record, spec, days(4, 9), "skip", ["2026-05-02", "2026-05-01"])
    assert kinds(plan.works) == [
        ("drop", "2026-05-01"),
        ("drop", "2026-05-02"),
        ("replace", "2026-01-06"),
        ("replace", "2026-01-07"),
        ("load", "2026-01-08"),
        ("load", "2026-01-09"),
    ]
    assert plan.late == plan.refused == []
    dropped, statements = carried_out(record, spec, [work for work in plan.works if work.kind == "drop"])
    # Nothing is read for them, even if the source has the days whose values they get.
    assert all("limit 0)" in each for each in statements if "(source)" in each)
    assert dropped.rows == record.rows - 14
    after_all, _ = carried_out(record, spec, plan.works)
    straight, _ = after(spec, 9, first_load=4)
    assert after_all.days == straight.days
    assert after_all.state == straight.state


def test_days_that_cannot_be_dropped() -> None:
    record, _ = after(SPEC, 4, first_load=4)
    # A run that is repeated may have dropped it.
    plan = plan_run(record, SPEC, [], "skip", ["2026-01-09"])
    assert (plan.works, plan.late, plan.unknown) == ([], [], ["2026-01-09"])
    assert plan_run(record, SPEC, [], "skip", ["2026-01-09", "2026-01-04"]).unknown == ["2026-01-09"]
    with refused("Wave indices", "a day to drop that the source still has", ValueError):
        pending(record, SPEC, days(4, 4), drop=["2026-01-04"])
    with pytest.raises(ValueError, match="2026-01-01 is the oldest day of the index"):
        pending(record, SPEC, [], drop=["2026-01-01"])
    # One that the source has would be loaded.
    for before, day in ((record, 9), (None, 1)):
        with pytest.raises(ValueError, match="can't be dropped: the source still has it"):
            pending(before, SPEC, days(day, day), drop=[days(day, day)[0].value])
    plan = plan_run(None, SPEC, days(2, 2), "skip", ["2026-01-01"])
    assert (plan.works, plan.unknown) == (pending(None, SPEC, days(2, 2))[0], ["2026-01-01"])
    works, late = pending(loaded(None, TEXTS, named("a", "b", "z")), TEXTS, named("c"), drop=["z"])
    assert (kinds(works), late) == ([("drop", "z"), ("load", "c")], [])


def test_a_drop_may_be_repeated_in_every_run() -> None:
    """As a scheduled command does that keeps the day: the day is dropped once, and later days are loaded."""
    drop = ["2026-01-04"]
    record = loaded(after(SPEC, 4, first_load=4)[0], SPEC, [], drop=drop)
    for day in range(5, 9):
        plan = plan_run(record, SPEC, days(day, day), "skip", drop)
        assert (plan.unknown, [work.kind for work in plan.works]) == (drop, ["load"])
        record, _ = carried_out(record, SPEC, plan.works)


@pytest.mark.parametrize("together", [True, False])
def test_wrong_days_are_dropped_until_the_right_ones_can_come(together: bool) -> None:
    record = loaded(after(SPEC, 4, first_load=4)[0], SPEC, days(8, 9))
    delivered = days(5, 6)
    for drop in [["2026-01-09", "2026-01-08"]] if together else [["2026-01-09"], ["2026-01-08"]]:
        _, late = pending(record, SPEC, delivered)
        assert late == delivered
        # Never a right day: following the advice for it would lose its rows.
        assert day_in_the_way(record, late) == drop[0]
        works, late = pending(record, SPEC, delivered, drop=drop)
        assert bool(late) == (drop == ["2026-01-09"])
        record, _ = carried_out(record, SPEC, works)
    assert record.days == after(SPEC, 6, first_load=4)[0].days
    assert pending(record, SPEC, days(6, 7))[1] == []


def test_a_day_that_is_in_the_way_without_rows() -> None:
    """Before, such days stayed where a wrong day had been."""
    record, _ = after(SPEC, 6, first_load=4)
    record = replace(record, days=record.days | {record.state_day: Day("2026-01-09")})
    assert day_in_the_way(record, pending(record, SPEC, days(6, 7))[1]) == "2026-01-09"
    works, late = pending(record, SPEC, days(6, 7), drop=["2026-01-09"])
    assert late == []
    assert kinds(works) == [("drop", "2026-01-09"), ("replace", "2026-01-06"), ("load", "2026-01-07")]


def test_days_without_rows_before_a_wrong_one_are_no_repeated_drop() -> None:
    """They are as far ahead as it is. Passed over, they would let no day come for years."""
    record = loaded(after(SPEC, 4, first_load=4)[0], SPEC, named("2206-01-10"), "empty")
    drop = [day.value for day in record.days.values()]
    assert min(drop) > "2200"
    with pytest.raises(ValueError, match="is the oldest day of the index, and can't be dropped"):
        pending(record, SPEC, days(5, 5), drop=drop)


def test_a_whole_wrong_stretch_is_dropped_at_once() -> None:
    """A day without rows in it moves with the first one that is dropped."""
    spec = of_window(7)
    record = loaded(loaded(after(spec, 2, first_load=2)[0], spec, days(10, 10)), spec, days(12, 12), "empty")
    drop = [day.value for day in days(10, 12)]
    record = loaded(record, spec, [], "empty", drop)
    assert with_rows(record) == [1, 2]
    works, late = pending(record, spec, days(3, 5), "empty", drop)
    assert late == []
    assert with_rows(carried_out(record, spec, works)[0]) == [1, 2, 3, 4, 5]


def test_following_the_advice_loads_the_day_that_came_too_late() -> None:
    """After a wrong date ahead, under ``gaps: empty``: the places before it have no rows."""
    spec = of_window(7, 2, "wata")
    record = loaded(after(spec, 8, first_load=1)[0], spec, days(34, 34), "empty")
    drop: list[str] = []
    for _ in range(3):
        works, late = pending(record, spec, days(9, 9), "empty", drop)
        record, _ = carried_out(record, spec, works) if works else (record, [])
        if not late:
            break
        drop = [str(day_in_the_way(record, late))]
    assert seen_by_readers(record) == [9]


def test_days_before_the_index_are_not_advised_to_displace_others() -> None:
    record = loaded(None, SPEC, days(5, 7))
    _, late = pending(record, SPEC, days(4, 4))
    assert late == days(4, 4)
    assert day_in_the_way(record, late) is None
    # Only one of these could still be loaded.
    record = replace(record, days=record.days | {3: days(9, 9)[0]})
    _, late = pending(record, SPEC, [*days(4, 4), *days(7, 7)])
    assert day_in_the_way(record, late) == "2026-01-09"


def test_the_month_after_a_dropped_one() -> None:
    """The place of the dropped one is a day after the month before."""
    spec = of_window(3, 1)
    months = named("2026-01-31", "2026-02-28", "2026-03-31")
    record = loaded(loaded(loaded(None, spec, months[:1]), spec, months[1:2]), spec, [], drop=["2026-02-28"])
    assert plan_run(record, spec, months[2:], "skip").refused == []

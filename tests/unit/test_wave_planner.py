"""The planner of wave indexes: the paper's tables, Appendix A for every W and n, and the theorems of Appendix B."""

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
from unit.wave_oracle import history
from unit.wave_records import days_indexed

from deltawave.wave import SCHEMES, WaveIndex, WaveState, plans, start, transition
from deltawave.wave.operations import AddToIndex, BuildIndex, Copy, DropIndex, applied

WINDOWS = range(1, 61)
# Schemes that spread preparation, from how many constituents on.
SPREAD = {"rata": 3, "reindex_plus_plus": 2}


def of(*numbers: int) -> set[int]:
    return set(numbers)


def up_to(low: int, high: int) -> set[int]:
    return set(range(low, high + 1))


def indexes(scheme: str, windows: range = WINDOWS) -> Iterator[WaveIndex]:
    """A scheme for every W and n."""
    for window in windows:
        for n in range(SCHEMES[scheme].least, window + 1):
            yield WaveIndex(scheme, window, n)


def known(scheme: str, window: int, n: int, last_day: int) -> dict[int, WaveState]:
    return {plan.day: plan.state for plan in plans(WaveIndex(scheme, window, n), last_day)}


def operations(scheme: str, n: int, day: int) -> list[str]:
    """The operations of a day with W = 10, as the paper writes them."""
    plan = next(plan for plan in plans(WaveIndex(scheme, 10, n), day) if plan.day == day)
    return [str(operation) for operation in plan.operations]


# The tables: day, then the constituents, then the temporary indexes, all with W = 10.
TABLE_1 = {
    10: ([up_to(1, 5), up_to(6, 10)], []),
    11: ([of(11, 2, 3, 4, 5), up_to(6, 10)], []),
    12: ([of(11, 12, 3, 4, 5), up_to(6, 10)], []),
    13: ([of(11, 12, 13, 4, 5), up_to(6, 10)], []),
}
TABLE_2 = {
    **TABLE_1,
    14: ([of(5, 11, 12, 13, 14), up_to(6, 10)], []),
    15: ([up_to(11, 15), up_to(6, 10)], []),
    16: ([up_to(11, 15), of(7, 8, 9, 10, 16)], []),
}
TABLE_3 = {
    10: ([of(1, 2, 3), of(4, 5, 6), of(7, 8, 9), of(10)], []),
    11: ([of(1, 2, 3), of(4, 5, 6), of(7, 8, 9), of(10, 11)], []),
    12: ([of(1, 2, 3), of(4, 5, 6), of(7, 8, 9), of(10, 11, 12)], []),
    13: ([of(13), of(4, 5, 6), of(7, 8, 9), of(10, 11, 12)], []),
    14: ([of(13, 14), of(4, 5, 6), of(7, 8, 9), of(10, 11, 12)], []),
}
TABLE_5 = {
    10: ([up_to(1, 5), up_to(6, 10)], [set()]),
    11: ([of(11, 2, 3, 4, 5), up_to(6, 10)], [of(11)]),
    12: ([of(11, 12, 3, 4, 5), up_to(6, 10)], [of(11, 12)]),
    13: ([of(11, 12, 13, 4, 5), up_to(6, 10)], [of(11, 12, 13)]),
    14: ([of(11, 12, 13, 14, 5), up_to(6, 10)], [of(11, 12, 13, 14)]),
    15: ([up_to(11, 15), up_to(6, 10)], [set()]),
    16: ([up_to(11, 15), of(16, 7, 8, 9, 10)], [of(16)]),
}
TABLE_6 = {
    10: ([up_to(1, 5), up_to(6, 10)], [set(), of(5), of(4, 5), of(3, 4, 5), of(2, 3, 4, 5)]),
    11: ([of(5, 4, 3, 2, 11), up_to(6, 10)], [set(), of(5), of(4, 5), of(5, 4, 3, 11)]),
    12: ([of(5, 4, 3, 11, 12), up_to(6, 10)], [set(), of(5), of(5, 4, 11, 12)]),
    13: ([of(5, 4, 11, 12, 13), up_to(6, 10)], [set(), of(5, 11, 12, 13)]),
    14: ([of(5, 11, 12, 13, 14), up_to(6, 10)], [of(11, 12, 13, 14)]),
    15: ([up_to(11, 15), up_to(6, 10)], [set(), of(10), of(9, 10), of(8, 9, 10), of(7, 8, 9, 10)]),
    16: ([up_to(11, 15), of(10, 9, 8, 7, 16)], [set(), of(10), of(9, 10), of(10, 9, 8, 16)]),
}
TABLE_7 = {
    10: ([of(1, 2, 3), of(4, 5, 6), of(7, 8, 9), of(10)], [of(3), of(2, 3)]),
    11: ([of(2, 3), of(4, 5, 6), of(7, 8, 9), of(10, 11)], [of(3)]),
    12: ([of(3), of(4, 5, 6), of(7, 8, 9), of(10, 11, 12)], []),
    13: ([of(13), of(4, 5, 6), of(7, 8, 9), of(10, 11, 12)], [of(6), of(5, 6)]),
    14: ([of(13, 14), of(5, 6), of(7, 8, 9), of(10, 11, 12)], [of(6)]),
}
TABLES = {
    "Table 1": ("del", 2, TABLE_1),
    "Table 2": ("reindex", 2, TABLE_2),
    "Table 3": ("wata", 4, TABLE_3),
    "Table 5": ("reindex_plus", 2, TABLE_5),
    "Table 6": ("reindex_plus_plus", 2, TABLE_6),
    "Table 7": ("rata", 4, TABLE_7),
}


@pytest.mark.parametrize("name", TABLES)
def test_time_sets_of_the_papers_tables(name: str) -> None:
    scheme, n, table = TABLES[name]
    states = known(scheme, 10, n, max(table))
    seen = {day: (state.constituents, state.temporaries) for day, state in states.items()}
    assert seen == table


def test_operations_of_the_papers_tables() -> None:
    assert operations("del", 2, 11) == ["DeleteFromIndex({1}, I1)", "AddToIndex({11}, I1)"]
    assert operations("reindex", 2, 16) == ["I2 <- BuildIndex({7, 8, 9, 10, 16})"]
    assert operations("wata", 4, 11) == ["AddToIndex({11}, I4)"]
    assert operations("wata", 4, 13) == ["DropIndex(I1)", "I1 <- BuildIndex({13})", "AddIndex(I1)"]
    assert operations("wata", 4, 14) == ["AddToIndex({14}, I1)"]
    # Table 5: Temp, I1 <- BuildIndex({11}).
    assert operations("reindex_plus", 2, 11) == [
        "Temp <- BuildIndex({11})",
        "I1 <- Temp",
        "AddToIndex({2, 3, 4, 5}, I1)",
    ]
    assert operations("reindex_plus", 2, 12) == ["AddToIndex({12}, Temp)", "I1 <- Temp", "AddToIndex({3, 4, 5}, I1)"]
    assert operations("reindex_plus", 2, 15) == ["I1 <- Temp", "AddToIndex({15}, I1)", "Temp <- BuildIndex({})"]
    assert operations("reindex_plus_plus", 2, 12) == [
        "AddToIndex({12}, T3)",
        "Rename T3 as I1",
        "AddToIndex({11, 12}, T2)",
    ]
    assert operations("reindex_plus_plus", 2, 15) == [
        "AddToIndex({15}, T0)",
        "Rename T0 as I1",
        "T0 <- BuildIndex({})",
        "T1 <- BuildIndex({10})",
        "T2 <- T1",
        "AddToIndex({9}, T2)",
        "T3 <- T2",
        "AddToIndex({8}, T3)",
        "T4 <- T3",
        "AddToIndex({7}, T4)",
    ]
    assert operations("rata", 4, 11) == ["AddToIndex({11}, I4)", "DropIndex(I1)", "Rename T2 as I1", "AddIndex(I1)"]
    assert operations("rata", 4, 13) == [
        "DropIndex(I1)",
        "I1 <- BuildIndex({13})",
        "AddIndex(I1)",
        "T1 <- BuildIndex({6})",
        "T2 <- T1",
        "AddToIndex({5}, T2)",
    ]


def test_table_4_is_longer_than_wata() -> None:
    # Table 4's clusters of 4, 3 and 3 days, and the last constituent empty: another WATA algorithm, by its operations.
    built = [up_to(1, 4), up_to(5, 7), up_to(8, 10), set()]
    sets = applied([BuildIndex(f"I{number}", frozenset(days)) for number, days in enumerate(built, 1)], {})
    states = []
    for new in range(11, 41):
        state = WaveState(new - 1, sets)
        fresh = frozenset({new})
        expired = [number for number, days in enumerate(state.constituents, 1) if days and max(days) == new - 10]
        name = f"I{expired[0]}" if expired else f"I{state.holding(new - 1) if new > 11 else 4}"
        sets = applied([DropIndex(name), BuildIndex(name, fresh)] if expired else [AddToIndex(name, fresh)], sets)
        states.append(WaveState(new, sets))
    assert [state.length for state in states[:4]] == [11, 12, 13, 10]
    assert max(state.length for state in states) == 13
    assert max(state.length for state in known("wata", 10, 4, 40).values()) == 12


@pytest.mark.parametrize("scheme", SCHEMES)
def test_days_are_those_of_appendix_a(scheme: str) -> None:
    for index in indexes(scheme, range(1, 16)):
        last_day = 3 * index.window + 3
        expected = history(scheme, index.window, index.constituents, last_day)
        for plan, (constituents, temporaries, done) in zip(plans(index, last_day), expected, strict=True):
            assert plan.state.constituents == constituents
            assert plan.state.temporaries == temporaries
            # Of day W, the paper's figures share all but what begins temporary indexes.
            operations = plan.preparation if plan.day == index.window else plan.operations
            assert [str(operation) for operation in operations] == done, (index, plan.day)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_window_is_indexed_once(scheme: str) -> None:
    """A hard window exactly; a soft one with expired days, up to the length of Theorem 2."""
    for index in indexes(scheme, range(1, 31)):
        window, n = index.window, index.constituents
        lengths = set()
        for plan in plans(index, 3 * window):
            constituents = plan.state.constituents
            assert all(constituents), index
            assert len(constituents) == n
            held = sorted(day for days in constituents for day in days)
            assert held == list(range(min(held[0], plan.day - window + 1), plan.day + 1)), index
            lengths.add(len(held))
        longest = window if index.rules.is_hard else window + math.ceil((window - 1) / (n - 1)) - 1
        assert max(lengths) == longest, index


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_day_follows_from_the_day_before(scheme: str, spread: bool) -> None:
    for index in indexes(scheme, range(1, 13)):
        state = WaveState()
        for day in range(1, 4 * index.window + 1):
            plan = transition(replace(index, spread=spread), state)
            # The new day can be queried before anything is prepared.
            at_once = WaveState(day, applied(plan.transition, state.indexes))
            state = plan.state
            assert at_once.constituents == state.constituents
            if day > index.window:
                assert scheme not in ("reindex_plus_plus", "wata", "rata") or days_indexed(plan.transition) == 1
                continue
            # A window that grows ends as one that is indexed at once, and prepares one index a day.
            assert frozenset().union(*state.constituents) == up_to(1, day)
            is_spread = spread and index.constituents >= SPREAD.get(scheme, math.inf)
            assert not is_spread or days_indexed(plan.operations) <= 2
            assert day < index.window or state == start(index).state


def test_a_growing_window_of_reindex_stays_packed() -> None:
    state = WaveState()
    done = []
    for _ in range(5):
        plan = transition(WaveIndex("reindex", 5, 2), state)
        done += [str(operation) for operation in plan.operations if not str(operation).startswith("AddIndex")]
        state = plan.state
    assert done == [
        "I1 <- BuildIndex({1})",
        "I1 <- BuildIndex({1, 2})",
        "I1 <- BuildIndex({1, 2, 3})",
        "I2 <- BuildIndex({4})",
        "I2 <- BuildIndex({4, 5})",
    ]


def most_indexed(index: WaveIndex) -> int:
    """The most days that a day after W indexes."""
    planned = plans(index, 2 * index.window + 2)
    next(planned)
    return max(days_indexed(plan.operations) for plan in planned)


@pytest.mark.parametrize(("scheme", "least"), SPREAD.items())
def test_spread_preparation_changes_when_temporaries_are_built_only(scheme: str, least: int) -> None:
    for index in indexes(scheme, range(1, 25)):
        spread = replace(index, spread=True)
        last_day = 2 * index.window + 2
        pairs = list(zip(plans(index, last_day), plans(spread, last_day), strict=True))[1:]
        for at_once, ahead in pairs:
            assert ahead.state.constituents == at_once.state.constituents
            assert ahead.transition == at_once.transition
            needed = [name for name in at_once.state.indexes if name[0] == "T"]
            assert all(ahead.state.indexes[name] >= at_once.state.indexes[name] for name in needed)
        most = [max(days_indexed(plan.operations) for plan in each) for each in zip(*pairs, strict=True)]
        assert most[1] <= most[0]
        if index.constituents < least:
            assert [one.operations for one, _ in pairs] == [other.operations for _, other in pairs]


def test_rata_with_spread_preparation_never_indexes_more_than_two_days() -> None:
    for window in WINDOWS:
        for n in {*range(3, min(window, 12) + 1), *range(3, window + 1, 7)}:
            assert most_indexed(WaveIndex("rata", window, n, spread=True)) <= 2


def test_rata_with_two_constituents_indexes_more() -> None:
    assert [most_indexed(WaveIndex("rata", window, 2, spread=True)) for window in (2, 3, 4, 5)] == [1, 2, 3, 4]


def test_reindex_plus_plus_with_spread_preparation_indexes_as_much_every_day() -> None:
    for window in range(2, 41):
        for n in {2, 3, 4, window // 2, window} - {1}:
            if n <= window:
                longest = math.ceil(window / n)
                further = (longest * (longest - 1) // 2 + longest - 1) / longest
                assert most_indexed(WaveIndex("reindex_plus_plus", window, n, spread=True)) <= 1 + math.ceil(further)
    # With clusters of up to two days, never more than two; at once as many as there are in a cluster.
    assert [most_indexed(WaveIndex("reindex_plus_plus", 2 * size, 2, True)) for size in (2, 7, 20)] == [2, 5, 12]
    assert [most_indexed(WaveIndex("reindex_plus_plus", 2 * size, 2)) for size in (2, 7, 20)] == [2, 7, 20]


@pytest.mark.parametrize("scheme", SPREAD)
def test_spreading_can_begin_and_end_on_any_day(scheme: str) -> None:
    for first in (False, True):
        for switched in range(1, 25):
            index = WaveIndex(scheme, 10, 3, first)
            state = WaveState()
            for day in range(1, 45):
                plan = transition(index if day < switched else replace(index, spread=not first), state)
                state = plan.state
                if day >= 10:
                    assert frozenset().union(*state.constituents) == up_to(day - 9, day)
            # What the other way left behind is gone: all is as if it had been so from the beginning.
            always = list(plans(replace(index, spread=not first), 44))[-1].state
            assert state == always


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("delete", 7, 2), "scheme 'delete': take one of del, reindex"),
        (("del", 0, 1), "window 0: del takes 1 or more"),
        (("del", 7, 0), "constituents 0: del takes 1 to 7"),
        (("del", 7, 8), "constituents 8: del takes 1 to 7"),
        (("wata", 7, 1), "constituents 1: wata takes 2 to 7"),
        (("rata", 1, 1), "window 1: rata takes 2 or more"),
    ],
)
def test_there_is_no_such_index(arguments: tuple[str, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WaveIndex(*arguments)


def begun(scheme: str, window: int, n: int) -> WaveState:
    return start(WaveIndex(scheme, window, n)).state


@pytest.mark.parametrize(
    ("index", "state", "message"),
    [
        (("del", 10, 2), WaveState(12), "its constituents are none"),
        (("wata", 10, 2), begun("wata", 20, 2), "it has the days from 1 on"),
        (("del", 20, 2), begun("del", 10, 2), r"I1 has \{1, 2, 3, 4, 5\}, not \{1, 2, 3, 4, 5, 6, 7, 8, 9, 10\}"),
        (("del", 10, 3), begun("del", 10, 2), "its constituents are I1, I2"),
        (("del", 3, 1), WaveState(3, {"I1": frozenset({1, 3})}), "its constituents do not have each day up to 3 once"),
        (("reindex_plus", 10, 2), begun("del", 10, 2), "it has no index Temp"),
        (("reindex_plus_plus", 10, 2), begun("del", 10, 2), "it has no index T0"),
        (("rata", 10, 4), begun("wata", 10, 4), "it has no index T1"),
        (("del", 10, 2), begun("reindex_plus_plus", 10, 2), "it has an index T0"),
        (
            ("rata", 4, 2),
            WaveState(4, {**begun("rata", 4, 2).indexes, "T1": frozenset({2})}),
            r"T1 has \{2\}, not \{3\}",
        ),
    ],
)
def test_a_state_of_another_wave_index_is_refused(index: tuple[str, int, int], state: WaveState, message: str) -> None:
    with pytest.raises(ValueError, match=rf"not one of {index[0]} with .*: {message}\. Rebuild the wave index"):
        transition(WaveIndex(*index), state)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (AddToIndex("I1", frozenset({2})), r"I1 has \{2\} already"),
        (AddToIndex("I2", frozenset({2})), "there is no index I2"),
        (Copy("T1", "I1"), "there is no index T1"),
    ],
)
def test_operations_that_do_not_fit(operation: AddToIndex | Copy, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        applied([operation], {"I1": frozenset({1, 2})})

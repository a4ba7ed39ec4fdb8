"""The size of wave indexes on days of uneven volumes (WI Theorem 3), and the least size that is possible."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.wave import WaveIndex
from laboratory.costs.index_size import least_wata_size, size_ratio, sizes, window_size

VOLUMES = st.lists(st.integers(0, 100), min_size=1, max_size=60)


def by_trying(window: int, n: int, volumes: list[int]) -> int:
    """The least size by trying every constituent for every day, also for days that do not follow each other."""
    best = None
    for chosen in product(range(n), repeat=len(volumes)):
        held: list[list[int]] = [[] for _ in range(n)]
        largest = 0
        for day, number in enumerate(chosen):
            for index, days in enumerate(held):
                if days and max(days) <= day - window:
                    held[index] = []
            held[number].append(day)
            largest = max(largest, sum(volumes[each] for days in held for each in days))
            if best is not None and largest >= best:
                break
        else:
            best = largest
    assert best is not None
    return best


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(2, 3), st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_the_least_size_is_that_found_by_trying(window: int, n: int, volumes: list[int]) -> None:
    assert least_wata_size(window, min(n, window), volumes) == by_trying(window, min(n, window), volumes)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 20), st.data(), VOLUMES)
def test_theorem_3(window: int, data: st.DataObject, volumes: list[int]) -> None:
    n = data.draw(st.integers(2, window))
    volumes = [0] * max(0, window - len(volumes)) + volumes
    best = least_wata_size(window, n, volumes)
    wata = max(sizes(WaveIndex("wata", window, n), volumes))
    assert window_size(window, volumes) <= best <= wata <= 2 * best


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.data(), st.lists(st.floats(0, 1), min_size=8, max_size=20))
def test_fractions_compare_as_they_are(window: int, data: st.DataObject, volumes: list[float]) -> None:
    n = data.draw(st.integers(2, window))
    best = least_wata_size(window, n, volumes)
    assert window_size(window, volumes) <= best <= max(sizes(WaveIndex("wata", window, n), volumes))
    assert size_ratio(WaveIndex("del", window, n), volumes) == 1 if any(volumes) else best == 0


def test_a_size_of_fractions_is_reached() -> None:
    volumes = [0.2, 0.3, 0.4, 0.3, 0.3, 0.3]
    assert least_wata_size(2, 2, volumes) == max(sizes(WaveIndex("wata", 2, 2), volumes)) == 0.7


def test_theorem_3_can_be_reached() -> None:
    # WATA* keeps the great days 1 and 5 together; clusters that end with the great days do not.
    volumes = [1.0 if day in (1, 5, 13) else 0.0 for day in range(1, 21)]
    assert max(sizes(WaveIndex("wata", 4, 3), volumes)) == 2 * least_wata_size(4, 3, volumes) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 1, [1.0]), "constituents 1: wata takes 2 to 5"),
        ((0, 2, [1.0]), "window 0"),
        ((5, 2, []), "There are no volumes"),
        ((5, 2, [1.0, -1.0]), "volume -1.0 of day 2: take 0 or more"),
        ((5, 2, [float("nan")]), "volume nan of day 1"),
    ],
)
def test_sizes_that_there_are_not(arguments: tuple[int, int, list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        least_wata_size(*arguments)


def test_a_window_of_more_days_than_there_are() -> None:
    with pytest.raises(ValueError, match=r"window 5: take 1 to 2, the days that have volumes"):
        window_size(5, [1, 2])


def test_on_even_days_wata_is_best() -> None:
    for window in range(2, 13):
        for n in range(2, window + 1):
            volumes = [1.0] * (3 * window)
            assert max(sizes(WaveIndex("wata", window, n), volumes)) == least_wata_size(window, n, volumes)


def test_knowing_the_future_helps() -> None:
    # Clusters that end with the great days 5 and 10 are gone when the next great day comes.
    volumes = [1, 1, 1, 1, 9, 1, 1, 1, 1, 9, 1, 1, 1, 1]
    assert max(sizes(WaveIndex("wata", 5, 3), volumes)) == 22
    assert least_wata_size(5, 3, volumes) == 14


@pytest.mark.parametrize("scheme", ["del", "reindex", "reindex_plus", "reindex_plus_plus", "rata"])
def test_hard_windows_have_the_size_of_the_window(scheme: str) -> None:
    assert size_ratio(WaveIndex(scheme, 7, 3), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]) == 1

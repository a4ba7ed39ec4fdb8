"""The cost model of MESHJOIN (MJ08 3.2, equations 1 to 5) and its tuning (3.3)."""

from itertools import pairwise

import pytest

from laboratory.meshjoin.cost_model import CostFactors, MeshJoinModel, best_rate, least_memory

# A disk of 10 ms for each access and 50 MB in a second, and a table that leaves the processor's caches.
FACTORS = CostFactors(
    read=lambda b: 0.01 + b * 8192 / 50e6,
    expire=2e-7,
    take=1e-7,
    add=3e-7,
    probe=lambda tuples: 1e-7 + 5e-13 * tuples,
    output=2e-7,
)
MODEL = MeshJoinModel(20, 120, 8192, 51_270, FACTORS, selectivity=0.05)
MEGABYTE = 1 << 20


def test_equation_1() -> None:
    window = 100 * 51_270 / 10
    assert MODEL.window(100, 10) == window
    assert MODEL.memory(100, 10) == 10 * 8192 + 100 * 20 + window * 8 + window * 20


def test_equations_2_to_5() -> None:
    rows = 10 * 8192 / 120
    probe = 1e-7 + 5e-13 * MODEL.window(100, 10)
    seconds = 0.01 + 10 * 8192 / 50e6 + 100 * 6e-7 + rows * probe + 0.05 * rows * 2e-7
    assert MODEL.loop_seconds(100, 10) == pytest.approx(seconds)
    assert MODEL.service_rate(100, 10) == pytest.approx(100 / seconds)
    assert MODEL.reads_per_tuple(100, 10) == 0.1
    assert MODEL.reads_per_second(100, 10) == pytest.approx(10 / seconds)
    assert MODEL.keeps_up(100, 10, 99 / seconds)
    assert not MODEL.keeps_up(100, 10, 101 / seconds)


@pytest.mark.parametrize("megabytes", [0.5, 2, 4, 21, 40])
def test_the_best_rate_fills_the_memory(megabytes: float) -> None:
    memory = megabytes * MEGABYTE
    tuned = best_rate(MODEL, memory)
    assert tuned is not None
    assert tuned.memory == pytest.approx(memory)
    for b in (1, 10, 40, 60):
        assert MODEL.service_rate(MODEL.largest_w(memory, b), b) <= tuned.service_rate


def test_both_ways_of_tuning_agree() -> None:
    """What serves a rate in the least memory is also the best rate in that memory."""
    for rate in (500.0, 2_000.0, 20_000.0):
        least = least_memory(MODEL, rate)
        assert least is not None
        assert least.service_rate == pytest.approx(rate, rel=1e-3)
        best = best_rate(MODEL, least.memory)
        assert best is not None
        assert best.service_rate == pytest.approx(rate, rel=1e-3)


def test_more_memory_serves_more_with_less_and_less_gain() -> None:
    rates = [best_rate(MODEL, megabytes * MEGABYTE).service_rate for megabytes in (2, 4, 8, 16)]  # type: ignore[union-attr]
    gains = [later / earlier for earlier, later in pairwise(rates)]
    assert all(gain > 1 for gain in gains)
    assert gains[0] > gains[-1]


def test_what_no_parameters_serve() -> None:
    assert best_rate(MODEL, 8000) is None
    assert least_memory(MODEL, 1e7) is None
    with pytest.raises(ValueError, match="pages must be more than 0"):
        MeshJoinModel(20, 120, 8192, 0, FACTORS)

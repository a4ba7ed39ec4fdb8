"""How near rows lie: what a sample estimates, beside the exact figures of all rows."""

import numpy as np
import pytest

from deltawave.differencing import aligning
from deltawave.differencing.aligning import nearness
from laboratory.evaluation.displacement import MatchedPositions

ROWS = 100_000
ORDERS = {
    "the same": np.arange(ROWS),
    "the opposite": np.arange(ROWS)[::-1],
    "grown in front": np.concatenate([np.arange(ROWS, ROWS + 5_000), np.arange(ROWS)]),
    "a tenth is gone": np.flatnonzero(np.arange(ROWS) % 10),
    "halves exchanged": np.roll(np.arange(ROWS), ROWS // 2),
    "near": np.argsort(np.arange(ROWS) + np.random.default_rng(1).normal(0, 2_000, ROWS)),
    "shuffled": np.random.default_rng(1).permutation(ROWS),
}


@pytest.mark.parametrize("places", [1, 7])
@pytest.mark.parametrize("order", ORDERS)
def test_the_estimate_is_close_to_the_exact_figures(order: str, places: int) -> None:
    keys = ORDERS[order]
    bounds = np.linspace(0, len(keys), places + 1).astype(int).tolist()
    sampled = np.flatnonzero(aligning._stands_for(np.arange(len(keys)), bounds))
    assert len(sampled) < 400 * places
    at_old = np.where(keys[sampled] < ROWS, keys[sampled], -1)
    stands_for = aligning._stands_for(sampled, bounds)
    found = nearness(at_old, sampled, stands_for, ROWS, len(keys), window_rows=3_000)
    exact = MatchedPositions.of(np.arange(ROWS), keys)
    assert found["distance"] == pytest.approx(exact.distance, abs=0.03)
    assert found["divergence"] == pytest.approx(exact.divergence(3_000), abs=0.05)


def test_rows_that_stand_for_no_others_show_if_no_others_match() -> None:
    """As where a table has grown from a few rows at its head."""
    at_old, at_new = np.array([0, 3, -1, -1]), np.array([0, 1, 2, 3])
    found = nearness(at_old, at_new, np.array([0, 0, 8, 8]), 4, 16, window_rows=1)
    assert (found["distance"], found["divergence"]) == (2 / 128, 0.5)


def test_no_row_lies_apart_where_none_matches() -> None:
    nowhere = np.full(5, -1)
    found = nearness(nowhere, np.arange(5), np.ones(5, int), 5, 5, window_rows=1)
    assert found == {"distance": 0.0, "divergence": 0.0, "window_rows": 1}


def test_the_first_keys_of_a_place_stand_for_no_rows_but_their_own() -> None:
    positions = np.arange(1_000)
    counts = aligning._stands_for(positions, [0, 300, 1_000])
    assert counts[:300].sum() == 300
    assert counts[300:].sum() == pytest.approx(700, abs=2)

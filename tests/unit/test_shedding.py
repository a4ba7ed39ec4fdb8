"""Which tuples are kept where more arrive than can be served (MJ08 4)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deltawave.meshjoin.shedding import cluster_sampling, keep_w, sample_w, top_w
from laboratory.meshjoin.offline_shedding import kept

FREQUENCIES = st.lists(st.integers(0, 6), max_size=12)


@given(FREQUENCIES, st.integers(0, 14))
def test_each_strategy_keeps_w_of_them(stream: list[int], w: int) -> None:
    found = np.array(stream, dtype=np.int64)
    random = np.random.default_rng(1)
    for priority in (keep_w, sample_w(random), top_w, cluster_sampling(random)):
        places = kept(priority(found, 0), w)
        assert len(places) == min(w, len(stream))
        assert sorted(set(places.tolist())) == places.tolist()
    assert kept(keep_w(found, 0), w).tolist() == list(range(min(w, len(stream))))
    best = sorted(stream, reverse=True)[:w]
    assert sorted(found[kept(top_w(found, 0), w)].tolist(), reverse=True) == best


def test_the_first_ones_give_the_most_results_where_each_matches_exactly_one() -> None:
    """As docs/mesh_join.md has it: where some match none, others give more."""
    for stream, keeps_most in (([1, 1, 1, 1], True), ([0, 1, 0, 1], False), ([1, 2, 1, 3], False)):
        found = np.array(stream)
        first, best = (found[kept(priority(found, 0), 2)].sum() for priority in (keep_w, top_w))
        assert (first == best) == keeps_most


def test_cluster_sampling_prefers_tuples_that_match_much() -> None:
    found = np.array([1, 9] * 500 + [0] * 100)
    places = kept(cluster_sampling(np.random.default_rng(7))(found, 0), 200)
    shares = np.bincount(found[places], minlength=10)
    assert shares[0] == 0
    assert 5 * shares[1] < shares[9] < 200

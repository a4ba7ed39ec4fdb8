"""What shedding loses on a whole stream, and the least that any strategy loses (MJ08 4.2)."""

from collections.abc import Sequence
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from laboratory.meshjoin.offline_shedding import optimal_loss, top_w_loss

FREQUENCIES = st.lists(st.integers(0, 6), max_size=12)


def recurrence(stream: Sequence[int], w: int, loop: int) -> int:
    """The loss as the equations of MJ08 4.2 have it."""

    @cache
    def optloss(i: int, request: int, held: int) -> int:
        if i >= len(stream):
            return 0
        if held < w:
            return min(optloss(i + 1, request, held + 1), optloss(i + 1, request, held) + stream[i])
        if i < request:
            return optloss(i + 1, request, w) + stream[i]
        return optloss(i, i + loop, 0)

    return optloss(0, 0, 0)


@settings(deadline=None)
@given(FREQUENCIES, st.integers(1, 4), st.integers(1, 5))
def test_the_optimum_is_that_of_the_paper(stream: list[int], w: int, loop: int) -> None:
    assert optimal_loss(stream, w, loop) == recurrence(stream, w, loop)


def test_to_stall_pays_where_the_best_tuples_come_together() -> None:
    """Figure 8, whose text gives 10 and 4: TOPW hands over what it has when asked, the optimum waits for the last."""
    stream = [0, 2, 2, 2, 4, 4, 4, 4]
    assert top_w_loss(stream, 2, 4) == 10
    assert optimal_loss(stream, 2, 4) == recurrence(stream, 2, 4) == 4

"""The note of the micro-batches that a table has for good."""

import json
from dataclasses import asdict

import pytest

from deltawave.meshjoin.table_results import LoadedBatches

NOTE = LoadedBatches(0, 4, (3,), "run", {5: 0, 6: 2}, "a > 0", is_appended=True, expired=(-1, 2))


@pytest.mark.parametrize("text", ["", "{", "null", "[]", json.dumps({**asdict(NOTE), "of_another_version": 1})])
def test_a_note_that_nobody_understands_counts_as_none(text: str) -> None:
    assert LoadedBatches.of(text) == LoadedBatches()
    assert LoadedBatches.of(NOTE.text()) == NOTE


def test_only_micro_batches_without_a_gap_are_loaded() -> None:
    """Later passes have negative numbers."""
    some = LoadedBatches().grown([-1, 0, 1, 2], {-1, 0, 2}, {0: 1, 2: 1})
    assert (some.first, some.last, some.present) == (-1, 0, (0,))
    all_of_them = some.grown([-2, 1, 2], {-2, 1, 2}, {-2: 1, 1: 3})
    assert (all_of_them.first, all_of_them.last, all_of_them.present) == (-2, 2, (-2, 1))


def test_expired_micro_batches_are_not_compared() -> None:
    """Also after the table was restored, and may have them again."""
    gone = LoadedBatches(0, 4, (0, 4)).without([0, 1])
    assert (gone.present, gone.expired) == ((4,), (0, 1))
    restored = LoadedBatches(expired=gone.expired)
    assert [batch for batch in range(-1, 4) if batch in restored] == [0, 1]
    assert gone.without([-1]).expired == (-1, 1)


@pytest.mark.parametrize(
    ("had", "where", "is_loaded"), [({5: 1}, "a > 0", True), ({6: 2}, "a > 0", False), ({5: 1}, None, False)]
)
def test_what_was_returned_is_loaded_if_the_table_has_grown_since(
    had: dict[int, int], where: str | None, is_loaded: bool
) -> None:
    assert set(NOTE.returned(had, where)) == ({5, 6} if is_loaded else set())

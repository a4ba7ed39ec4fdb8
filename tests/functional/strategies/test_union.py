"""Strategy union: its plan."""

from __future__ import annotations

import pytest
from plans import EXPLAINING, assert_compared_in_place
from workbench import Workbench


@pytest.mark.usefixtures("settings_as_before")
class TestUnion:
    macros = EXPLAINING

    @pytest.mark.parametrize(
        ("hint", "joins"),
        [(None, {"SortMergeJoin": 3}), ("shuffle_hash", {"ShuffledHashJoin": 2, "SortMergeJoin": 1})],
    )
    def test_comparison_neither_exchanges_nor_sorts(
        self, bench: Workbench, hint: str | None, joins: dict[str, int]
    ) -> None:
        assert_compared_in_place(bench, "union", hint, joins)

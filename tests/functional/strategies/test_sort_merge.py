"""Strategy sort_merge: a merge, whatever the session prefers."""

from __future__ import annotations

import pytest
from plans import EXPLAINING, PREFERENCE, assert_compared_in_place
from workbench import Workbench

FIRST = "select 1 as account_id, 'ann' as name"


@pytest.mark.usefixtures("settings_as_before")
class TestSortMerge:
    macros = EXPLAINING

    def test_comparison_neither_exchanges_nor_sorts(self, bench: Workbench) -> None:
        assert_compared_in_place(bench, "sort_merge", None, {"SortMergeJoin": 1})

    @pytest.mark.parametrize(
        ("strategy", "join"), [("outer_join", "ShuffledHashJoin"), ("sort_merge", "SortMergeJoin")]
    )
    def test_a_session_that_prefers_hash_joins(self, bench: Workbench, strategy: str, join: str) -> None:
        # Spark takes a hash join where one side is much the smaller.
        bench.configure(strategy=strategy, pre_hook=f"set {PREFERENCE}=false")
        rows = "select id as account_id, sha2(cast(id as string), 512) as name from range({})"
        bench.build(rows.format(9))
        plan = bench.build(rows.format(20_000)).text
        assert f"{join} [" in plan

    def test_another_hint_is_refused(self, bench: Workbench) -> None:
        bench.configure(strategy="sort_merge", hint="shuffle_hash")
        assert "'hint' can't be 'shuffle_hash' with strategy: sort_merge; it takes merge" in bench.refused(FIRST)

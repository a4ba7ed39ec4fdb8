"""Strategy outer_join: the previous state is compared where it lies and as it is sorted."""

from __future__ import annotations

import pytest
from plans import CO_PARTITION, EXPLAINING, ORDERING, assert_compared_in_place
from workbench import Workbench


@pytest.mark.usefixtures("settings_as_before")
class TestPlan:
    macros = EXPLAINING

    @pytest.mark.parametrize(
        ("hint", "joins"),
        [(None, {"SortMergeJoin": 1}), ("merge", {"SortMergeJoin": 1}), ("shuffle_hash", {"ShuffledHashJoin": 1})],
    )
    def test_comparison_neither_exchanges_nor_sorts(
        self, bench: Workbench, hint: str | None, joins: dict[str, int]
    ) -> None:
        assert_compared_in_place(bench, "outer_join", hint, joins)

    def test_comparison_of_bags_exchanges_neither_side(self, bench: Workbench) -> None:
        bench.configure(unique_key=["account_id", "region"], duplicate_keys="multiset", hint="merge")
        select = "select id % 300 as account_id, if(id % 3 = 0, null, 'n') as region, {} as name from range(1000)"
        bench.build(select.format("id % 7"))
        plan = bench.build(select.format("id % 8")).text
        assert plan.count("Bucketed: true") == 4
        assert "Exchange" not in plan

    def test_right_without_the_settings_that_spare_the_sort(self, bench: Workbench) -> None:
        bench.build("select id as account_id, 'a' as name from range(100)")
        bench.dump("select id as account_id, if(id < 3, 'b', 'a') as name from range(99)")
        # dbt gives the session its settings anew each run; only the model itself can take one back.
        bench.configure(pre_hook=[f"set {ORDERING}=false", f"set {CO_PARTITION}=true"])
        done = bench.run()
        assert done.ok
        assert "Sort [" in done.text
        assert bench.batches() == [(1, 100, 0, 0), (2, 0, 1, 3)]

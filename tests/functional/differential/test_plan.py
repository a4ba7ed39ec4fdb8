"""The kept side is compared where it lies and as it is sorted: no exchange and no sort in the plan (LG96 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from workbench import Workbench

ORDERING = "spark.sql.legacy.bucketedTableScan.outputOrdering"
CO_PARTITION = "spark.sql.requireAllClusterKeysForCoPartition"
# Spark broadcasts a small side by itself where it may.
BROADCAST = "spark.sql.autoBroadcastJoinThreshold"

EXPLAIN_BEFORE_STAGE = """
{% macro default___step(job, batch, name) %}
  {% if name == 'stage' and not batch.is_first %}
    {% do log(run_query('explain ' ~ deltawave._staged_changes(job, batch)).rows[0][0], info=true) %}
  {% endif %}
{% endmacro %}
"""


class TestPlan:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return {"step.sql": EXPLAIN_BEFORE_STAGE}

    @pytest.fixture(autouse=True)
    def settings_as_before(self, spark: SparkSession) -> Iterator[None]:
        before = {name: spark.conf.get(name) for name in (ORDERING, CO_PARTITION, BROADCAST)}
        yield
        for name, value in before.items():
            spark.conf.set(name, value)

    @pytest.mark.parametrize(
        ("strategy", "hint", "joins"),
        [
            ("outer_join", None, {"SortMergeJoin": 1}),
            ("outer_join", "merge", {"SortMergeJoin": 1}),
            ("outer_join", "shuffle_hash", {"ShuffledHashJoin": 1}),
            ("union", None, {"SortMergeJoin": 3}),
            ("union", "shuffle_hash", {"ShuffledHashJoin": 2, "SortMergeJoin": 1}),
        ],
    )
    def test_comparison_neither_exchanges_nor_sorts(
        self, bench: Workbench, strategy: str, hint: str | None, joins: dict[str, int]
    ) -> None:
        bench.configure(
            unique_key=["account_id", "region"],
            strategy=strategy,
            pre_hook=f"set {BROADCAST}=-1",
            **({"hint": hint} if hint else {}),
        )
        select = "select id as account_id, if(id % 3 = 0, null, 'n') as region, {} as name from range(1000)"
        bench.build(select.format("id % 7"))
        plan = bench.build(select.format("id % 8")).text
        assert plan.count("Bucketed: true") == 2 * sum(joins.values())
        assert {join: plan.count(f"{join} [") for join in joins} == joins
        assert "Exchange" not in plan
        assert "Sort [" not in plan

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

"""Strategies that Spark joins by: the previous state is compared where it lies and as it is sorted (LG96 3.1)."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession
from workbench import DUMP, Workbench

# A batch that is not the first says how Spark is going to compare.
EXPLAINING = """
{% macro default___step(job, batch, name) %}
  {% if name == 'stage' and not batch.is_first %}
    {% set plan = run_query('explain ' ~ deltawave._staged_changes(job, batch)).rows[0][0] %}
    {% do log('The plan of ' ~ job.name ~ ':' ~ plan, info=true) %}
  {% endif %}
{% endmacro %}
"""
ORDERING = "spark.sql.legacy.bucketedTableScan.outputOrdering"
CO_PARTITION = "spark.sql.requireAllClusterKeysForCoPartition"
# Spark broadcasts a small side by itself where it may.
BROADCAST = "spark.sql.autoBroadcastJoinThreshold"
# Whether Spark sorts and merges where it could build a hash table as well.
PREFERENCE = "spark.sql.join.preferSortMergeJoin"
KEY = ["account_id", "region"]
# Without before images DuckDB does not join.
BY_SPARK = {"strategy": "outer_join", "before_image": "none"}
SELECT = "select id as account_id, if(id % 3 = 0, null, 'n') as region, {} as name from range(1000)"
# The options of each model, and its joins.
MODELS: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "joined": (BY_SPARK, {"SortMergeJoin": 1}),
    "merged": ({"strategy": "sort_merge"}, {"SortMergeJoin": 1}),
    "united": ({"strategy": "union"}, {"SortMergeJoin": 3}),
}


@pytest.fixture(autouse=True)
def settings_as_before(spark: SparkSession) -> Iterator[None]:
    """Settings of joins are those of before again."""
    before = {name: spark.conf.get(name) for name in (ORDERING, CO_PARTITION, BROADCAST, PREFERENCE)}
    yield
    for name, value in before.items():
        spark.conf.set(name, value)


def plans(bench: Workbench, first: str, second: str, *models: str) -> dict[str, str]:
    """How the second dump is compared, by model."""
    bench.build(first, "--select", *models)
    _, *parts = bench.build(second, "--select", *models).text.split("The plan of ")
    return dict(part.split(":", 1) for part in parts)


class TestPlans:
    macros = {
        "step.sql": EXPLAINING,
        "small.sql": "{% macro default___small_table() %}{{ return({'rows': -1, 'bytes': 0}) }}{% endmacro %}",
    }

    def test_comparison_neither_exchanges_nor_sorts(self, bench: Workbench) -> None:
        hook = f"set {BROADCAST}=-1"
        for name, (options, _) in MODELS.items():
            bench.add_differential(name, unique_key=KEY, pre_hook=hook, **options)
        bags = DUMP.replace("*", "account_id % 300 as account_id, region, name")
        bench.add_differential("bags", bags, unique_key=KEY, duplicate_keys="multiset")
        found = plans(bench, SELECT.format("id % 7"), SELECT.format("id % 8"), *MODELS, "bags")
        assert found.keys() == {*MODELS, "bags"}
        for name, (_, joins) in MODELS.items():
            plan = found[name]
            assert plan.count("Bucketed: true") == 2 * sum(joins.values()), name
            assert {join: plan.count(f"{join} [") for join in joins} == joins, name
            assert "Exchange" not in plan, name
            assert "Sort [" not in plan, name
        assert found["bags"].count("Bucketed: true") == 4
        assert "Exchange" not in found["bags"]

    def test_right_without_the_settings_that_spare_the_sort(self, bench: Workbench) -> None:
        bench.configure(**BY_SPARK)
        bench.build("select id as account_id, 'a' as name from range(100)")
        bench.dump("select id as account_id, if(id < 3, 'b', 'a') as name from range(99)")
        # dbt gives the session its settings anew each run; only the model itself can take one back.
        bench.configure(**BY_SPARK, pre_hook=[f"set {ORDERING}=false", f"set {CO_PARTITION}=true"])
        done = bench.run()
        assert done.ok
        assert "Sort [" in done.text
        assert bench.batches() == [(1, 100, 0, 0), (2, 0, 1, 3)]

    def test_sort_merge_merges_whatever_the_session_prefers(self, bench: Workbench) -> None:
        # Spark takes a hash join where one side is much the smaller.
        joins = {"outer_join": "ShuffledHashJoin", "sort_merge": "SortMergeJoin"}
        for strategy in joins:
            bench.add_differential(strategy, **(BY_SPARK | {"strategy": strategy}), pre_hook=f"set {PREFERENCE}=false")
        rows = "select id as account_id, sha2(cast(id as string), 512) as name from range({})"
        found = plans(bench, rows.format(9), rows.format(20_000), *joins)
        for strategy, join in joins.items():
            assert f"{join} [" in found[strategy]

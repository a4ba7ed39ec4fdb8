"""The plan of the comparison that a batch stages."""

from __future__ import annotations

from workbench import Workbench

# A project's macros with which a batch that is not the first says how Spark is going to compare.
EXPLAINING = {
    "step.sql": """
{% macro default___step(job, batch, name) %}
  {% if name == 'stage' and not batch.is_first %}
    {% do log(run_query('explain ' ~ deltawave._staged_changes(job, batch)).rows[0][0], info=true) %}
  {% endif %}
{% endmacro %}
"""
}
ORDERING = "spark.sql.legacy.bucketedTableScan.outputOrdering"
CO_PARTITION = "spark.sql.requireAllClusterKeysForCoPartition"
# Spark broadcasts a small side by itself where it may.
BROADCAST = "spark.sql.autoBroadcastJoinThreshold"
# Whether Spark sorts and merges where it could build a hash table as well.
PREFERENCE = "spark.sql.join.preferSortMergeJoin"
SELECT = "select id as account_id, if(id % 3 = 0, null, 'n') as region, {} as name from range(1000)"


def assert_compared_in_place(bench: Workbench, strategy: str, hint: str | None, joins: dict[str, int]) -> None:
    """The previous state is compared where it lies and as sorted: no exchange and no sort in the plan (LG96 3.1)."""
    options = {"hint": hint} if hint else {}
    key = ["account_id", "region"]
    bench.configure(unique_key=key, strategy=strategy, pre_hook=f"set {BROADCAST}=-1", **options)
    bench.build(SELECT.format("id % 7"))
    plan = bench.build(SELECT.format("id % 8")).text
    assert plan.count("Bucketed: true") == 2 * sum(joins.values())
    assert {join: plan.count(f"{join} [") for join in joins} == joins
    assert "Exchange" not in plan
    assert "Sort [" not in plan

"""The kept side is compared where it lies: no exchange in the plan (LG96 3.1)."""

from __future__ import annotations

import pytest
from workbench import Workbench

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

    def test_comparison_exchanges_neither_side(self, bench: Workbench) -> None:
        bench.configure(unique_key=["account_id", "region"])
        select = "select id as account_id, if(id % 3 = 0, null, 'n') as region, {} as name from range(1000)"
        bench.build(select.format("id % 7"))
        plan = bench.build(select.format("id % 8")).text
        assert "Physical Plan" in plan
        assert "FullOuter" in plan
        assert plan.count("Bucketed: true") == 2
        assert "Exchange" not in plan

    def test_comparison_of_bags_exchanges_neither_side(self, bench: Workbench) -> None:
        bench.configure(unique_key=["account_id", "region"], duplicate_keys="multiset", hint="merge")
        select = "select id % 300 as account_id, if(id % 3 = 0, null, 'n') as region, {} as name from range(1000)"
        bench.build(select.format("id % 7"))
        plan = bench.build(select.format("id % 8")).text
        assert plan.count("Bucketed: true") == 4
        assert "Exchange" not in plan

    def test_right_without_the_setting_that_spares_the_exchange(self, bench: Workbench) -> None:
        setting = "spark.sql.requireAllClusterKeysForCoPartition"
        bench.build("select id as account_id, 'a' as name from range(100)")
        bench.dump("select id as account_id, if(id < 3, 'b', 'a') as name from range(99)")
        # dbt gives the session its settings anew each run; only the model itself can take one back.
        bench.configure(pre_hook=f"set {setting}=true")
        done = bench.run()
        assert done.ok
        assert "Exchange" in done.text
        assert bench.batches() == [(1, 100, 0, 0), (2, 0, 1, 3)]
        bench.spark.conf.set(setting, "false")

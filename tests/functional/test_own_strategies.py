"""A project's own strategies: a declaration and one file make one, by SQL or by a function of a Python library."""

from __future__ import annotations

from typing import Any

import own_strategies
import pytest
from dbt.tests.util import run_dbt
from pyspark.sql import SparkSession
from workbench import temporary_views

CONFIG = "materialized='differential', unique_key=['id'], on_schema_change='sync_all_columns', max_delete_fraction=1"
STRATEGIES = ("outer_join", "not_in", "by_function")
DUMPS = (
    "select id, concat('n', id) as name, id / 2 as share from range(6)",
    "select id, if(id = 2, null, concat('n', id)) as name, id / if(id = 3, 4, 2) as share from range(1, 8)",
    "select id, concat('n', id) as name, id / 2 as share, if(id > 4, 'x', null) as added from range(7)",
)


@pytest.mark.usefixtures("deltawave_package")
class TestOwnStrategies:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        select = "select * from global_temp.own_strategies"
        return {f"{name}.sql": f"{{{{ config({CONFIG}, strategy='{name}') }}}} {select}" for name in STRATEGIES}

    macros = own_strategies.MACROS

    def test_they_give_the_log_of_ours(self, project: Any, spark: SparkSession) -> None:
        for dump in DUMPS:
            spark.sql(dump).createOrReplaceGlobalTempView("own_strategies")
            run_dbt(["run"])
        logs = {
            name: sorted(
                str(row.asDict(True) | {"_batch_at": None})
                for row in spark.table(f"{project.test_schema}.{name}").collect()
            )
            for name in STRATEGIES
        }
        assert logs["not_in"] == logs["outer_join"]
        assert logs["by_function"] == logs["outer_join"]
        batches = f"{project.test_schema}.by_function__batches"
        counts = [
            tuple(row) for row in spark.table(batches).select("strategy", "backfilled").orderBy("batch_id").collect()
        ]
        assert counts == [("by_function", 0), ("by_function", 0), ("by_function", 2)]
        kept = {
            row.tableName
            for row in spark.sql(f"show tables in {project.test_schema} like 'by_function__ordered_*'").collect()
        }
        assert len(kept) == 1, "the copy in the dump's own order is what the next batch compares with"
        assert not [name for name in temporary_views(spark) if "changes" in name]

"""A project's own strategies: a declaration and one file make one, by SQL or by a function of a Python library."""

from typing import Any

import own_strategies
import pytest
from dbt.tests.util import run_dbt
from pyspark.sql import SparkSession
from workbench import temporary_views

pytestmark = pytest.mark.core

CONFIG = (
    "materialized='differential', unique_key=['ID', 'part'], on_schema_change='sync_all_columns', "
    "max_delete_fraction=1, ignore_columns=['SEEN']"
)
MODELS = {
    "joined": "strategy='outer_join'",
    "not_in": "strategy='not_in'",
    "by_function": "strategy='by_function'",
    "without_images": "strategy='by_function', before_image='none'",
}
# A part of the key may be null, a column grows wider, one is carried, and maps are equal in any order.
KEY = "id, if(id % 3 = 0, null, 'p') as part"
DUMPS = (
    f"select {KEY}, concat('n', id) as name, id / 2 as share, 1 as size, map('a', 0.0D, 'b', null) as tags, 1 as seen "
    "from range(6)",
    f"select {KEY}, if(id = 2, null, concat('n', id)) as name, id / if(id = 3, 4, 2) as share, 1L as size, "
    "map('b', null, 'a', if(id = 4, 4.0D, -0.0D)) as tags, 2 as seen from range(1, 8)",
    f"select {KEY}, concat('n', id) as name, id / 2 as share, map('a', 0.0D, 'b', null) as tags, 3 as seen, "
    "if(id > 4, 'x', null) as added from range(7)",
)


@pytest.mark.usefixtures("deltawave_package")
class TestOwnStrategies:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        select = "select * from global_temp.own_strategies"
        return {f"{name}.sql": f"{{{{ config({CONFIG}, {options}) }}}} {select}" for name, options in MODELS.items()}

    macros = own_strategies.MACROS

    def test_they_give_the_log_of_ours(self, project: Any, spark: SparkSession) -> None:
        for dump in DUMPS:
            spark.sql(dump).createOrReplaceGlobalTempView("own_strategies")
            run_dbt(["run"])

        def log(name: str, **hidden: Any) -> list[str]:
            rows = spark.table(f"{project.test_schema}.{name}").collect()
            return sorted(str(row.asDict(True) | {"_batch_at": None} | hidden) for row in rows)

        assert log("not_in") == log("joined")
        assert log("by_function") == log("joined")
        assert log("without_images") == log("joined", _before=None)
        batches = f"{project.test_schema}.by_function__batches"
        counts = [
            tuple(row) for row in spark.table(batches).select("strategy", "backfilled").orderBy("batch_id").collect()
        ]
        assert counts == [("by_function", 0), ("by_function", 0), ("by_function", 2)]
        kept = {
            row.tableName
            for row in spark.sql(f"show tables in {project.test_schema} like 'by_function__copy_*'").collect()
        }
        assert len(kept) == 1, "a copy is what the next batch compares with"
        assert not [name for name in temporary_views(spark) if "changes" in name]

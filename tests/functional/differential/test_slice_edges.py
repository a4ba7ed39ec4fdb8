"""Nulls, duplicate keys and empty sides under every strategy that reads slices, a model for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from dbt.tests.util import run_dbt
from pyspark.sql import SparkSession
from workbench import SEVERAL, SPARING

TIME = {"updated_at": "version"}
STRATEGIES: dict[str, dict[str, Any]] = {
    "timestamp": TIME,
    "timestamp_delete_flag": {**TIME, "delete_flag": "is_gone"},
    "row_checksum": {},
    "ranges": {"range_rows": 2},
    "range_checksum": {"range_rows": 2},
}
FLAGGED = "timestamp_delete_flag"
# These read every row of the source, so that its deletes are seen.
WHOLE = ("row_checksum", "ranges", "range_checksum")
# Those that read all rows of a range again until its duplicate keys are gone.
QUARANTINING = ("ranges", "range_checksum")
BEGUN_EMPTY = (FLAGGED, "row_checksum", "range_checksum")
Row = tuple[Any, ...]
SCHEMA = "region string, id int, name string, version int, is_gone boolean"
RUN = ("run", *SPARING, *SEVERAL, "--select")
START: list[Row] = [
    (None, 1, "ann", 1, False),
    ("n", 1, None, 1, False),
    ("n", None, "bob", 1, False),
    ("s", 1, "cid", 1, False),
    ("s", 3, "dan", 1, None),
]
LOG = ("region", "id", "name", "_change_type", "_changed_columns", "_before.name")
Publish = Callable[[list[Row]], None]


def model(strategy: str, **config: Any) -> str:
    """A model by a strategy; of the source's rows it reads those that the strategy can make use of."""
    given = {"materialized": "differential", "unique_key": ["region", "id"], "strategy": strategy}
    columns = "region, id, name" if strategy in WHOLE else "region, id, name, version"
    head = f"{{{{ config(**fromjson({json.dumps(given | STRATEGIES[strategy] | config)!r})) }}}}"
    if strategy == FLAGGED:
        return f"{head} select {columns}, is_gone from global_temp.edges"
    return f"{head} select {columns} from global_temp.edges where not coalesce(is_gone, false)"


def models_by(prefix: str, strategies: tuple[str, ...] = tuple(STRATEGIES), **config: Any) -> dict[str, str]:
    return {f"{prefix}_{name}.sql": model(name, **config) for name in strategies}


@pytest.mark.usefixtures("deltawave_package")
class TestSliceEdges:
    models = {
        **models_by("aside", QUARANTINING, duplicate_keys="quarantine"),
        **models_by("begun_empty", BEGUN_EMPTY, allow_empty=True),
    }

    @pytest.fixture(scope="class")
    def publish(self, spark: SparkSession) -> Publish:
        return lambda rows: spark.createDataFrame(rows, SCHEMA).createOrReplaceGlobalTempView("edges")

    def log(self, project: Any, spark: SparkSession, name: str, from_batch: int = 2) -> list[Row]:
        rows = spark.table(f"{project.test_schema}.{name}").where(f"_batch_id >= {from_batch}")
        return sorted((tuple(row) for row in rows.selectExpr(*LOG).collect()), key=str)

    def test_duplicate_keys_are_set_aside(self, project: Any, spark: SparkSession, publish: Publish) -> None:
        publish(START)
        run_dbt([*RUN, "aside_*"])
        publish([*START[1:], (None, 1, "eve", 2, False), (None, 1, "eva", 2, False), ("z", 1, "fay", 2, False)])
        run_dbt([*RUN, "aside_*"])
        for name in QUARANTINING:
            log = self.log(project, spark, f"aside_{name}")
            assert log == [("z", 1, "fay", "insert", None, None)], name
            assert spark.table(f"{project.test_schema}.aside_{name}__quarantine").count() == 2
        assert spark.sql(f"show tables in {project.test_schema} like 'aside*__accepted_*'").count() == 0
        publish([*START[1:], (None, 1, "eve", 3, False), ("z", 1, "fay", 2, False)])
        run_dbt([*RUN, "aside_*"])
        for name in QUARANTINING:
            log = self.log(project, spark, f"aside_{name}", from_batch=3)
            assert log == [(None, 1, "eve", "update", ["name"], "ann")], name

    def test_a_source_that_begins_empty(self, project: Any, spark: SparkSession, publish: Publish) -> None:
        publish([])
        run_dbt([*RUN, "begun_empty_*"])
        publish(START)
        run_dbt([*RUN, "begun_empty_*"])
        for name in BEGUN_EMPTY:
            log = self.log(project, spark, f"begun_empty_{name}", from_batch=1)
            inserts: list[Row] = [(*row[:3], "insert", None, None) for row in START]
            assert log == sorted(inserts, key=str), name

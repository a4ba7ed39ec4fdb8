"""Nulls, duplicate keys and empty sides under every strategy that reads slices, a model for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture
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
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            **models_by("null"),
            **models_by("aside", QUARANTINING, duplicate_keys="quarantine"),
            **models_by("emptied"),
            **models_by("begun_empty", BEGUN_EMPTY, allow_empty=True),
        }

    @pytest.fixture(scope="class")
    def publish(self, spark: SparkSession) -> Publish:
        return lambda rows: spark.createDataFrame(rows, SCHEMA).createOrReplaceGlobalTempView("edges")

    def log(self, project: Any, spark: SparkSession, name: str, from_batch: int = 2) -> list[Row]:
        rows = spark.table(f"{project.test_schema}.{name}").where(f"_batch_id >= {from_batch}")
        return sorted((tuple(row) for row in rows.selectExpr(*LOG).collect()), key=str)

    def counts(self, project: Any, spark: SparkSession, name: str) -> list[int]:
        """Rows of the log and of x__batches."""
        return [spark.table(f"{project.test_schema}.{each}").count() for each in (name, f"{name}__batches")]

    def test_null_keys_and_values(self, project: Any, spark: SparkSession, publish: Publish) -> None:
        publish(START)
        run_dbt([*RUN, "null_*"])
        publish(
            [
                (None, 1, None, 2, False),
                ("n", 1, "eve", 2, False),
                ("n", None, "bob", 2, False),
                ("s", 1, "cid", 2, True),
                ("s", 3, "dan", 1, None),
                ("s", None, None, 2, False),
            ]
        )
        run_dbt([*RUN, "null_*"])
        expected: list[Row] = [
            (None, 1, None, "update", ["name"], "ann"),
            ("n", 1, "eve", "update", ["name"], None),
            ("s", None, None, "insert", None, None),
        ]
        gone = ("s", 1, "cid", "delete", None, None)
        for name in STRATEGIES:
            found = [gone, *expected] if name != "timestamp" else expected
            assert self.log(project, spark, f"null_{name}") == sorted(found, key=str), name

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

    def test_duplicate_keys_and_an_emptied_source_are_refused(
        self, project: Any, spark: SparkSession, publish: Publish
    ) -> None:
        publish(START)
        run_dbt([*RUN, "emptied_*"])
        publish([*START, (None, 1, "eve", 2, False)])
        # TS and TDI read the row before as well, since it is as new as the mark.
        results, text = run_dbt_and_capture([*RUN, "emptied_*"], expect_pass=False)
        assert [result.status for result in results] == ["error"] * len(STRATEGIES)
        said = "1 key(s) (region, id) occur more than once, for instance (null, 1)."
        for name in STRATEGIES:
            assert f"emptied_{name}, batch 2: {said}" in " ".join(text.split()), name
            assert self.counts(project, spark, f"emptied_{name}") == [5, 1], name
        publish([])
        results, text = run_dbt_and_capture([*RUN, "emptied_*"], expect_pass=False)
        assert [result.status for result in results] == ["error"] * len(STRATEGIES)
        said = " ".join(text.split())
        for name in WHOLE:
            assert f"emptied_{name}, batch 2: the dump is empty (the last one had 5 rows)" in said
        for name in ("timestamp", FLAGGED):
            assert f"emptied_{name}, batch 2: the newest row that was read before had version 1" in said
        for name in STRATEGIES:
            assert self.counts(project, spark, f"emptied_{name}") == [5, 1], name
        accept = ", ".join(f"emptied_{name}" for name in STRATEGIES)
        run_dbt([*RUN, "emptied_*", "--vars", f"deltawave_accept: [{accept}]"])
        for name in STRATEGIES:
            deletes = [row[3] for row in self.log(project, spark, f"emptied_{name}")]
            # A timestamp tells nothing of rows that are not there.
            assert deletes == ["delete"] * (5 if name in WHOLE else 0), name

    def test_a_source_that_begins_empty(self, project: Any, spark: SparkSession, publish: Publish) -> None:
        publish([])
        run_dbt([*RUN, "begun_empty_*"])
        publish(START)
        run_dbt([*RUN, "begun_empty_*"])
        for name in BEGUN_EMPTY:
            log = self.log(project, spark, f"begun_empty_{name}", from_batch=1)
            inserts: list[Row] = [(*row[:3], "insert", None, None) for row in START]
            assert log == sorted(inserts, key=str), name

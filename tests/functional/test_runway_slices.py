"""Dumps of a real table, one after another: strategies that read slices find what comparing whole dumps finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.tests.util import run_dbt
from functional.runway_dumps import HEADER, dumps
from functional.test_runways import CHANGES, SOURCE
from pyspark.sql import SparkSession

DAY = "date '{{ var('day', '1970-01-01') }}'"
# Runways vanish from these dumps when they are closed.
IS_CLOSED = "coalesce(cast(closed as string), '') = '1'"
OF_A_DAY = f"""
select {", ".join(HEADER)} from {{{{ source('ourairports', 'runway_dumps') }}}}
where dump_date = {DAY} and not {IS_CLOSED}
"""
# The table on that day in an application that flags deleted rows; a view, since a select with the day in it would be an
# edited one every day.
FLAGGED = f"""
select {", ".join(HEADER)}, _batch_at as changed_at, _change_type = 'delete' or {IS_CLOSED} as is_gone
from (
    select *, row_number() over (partition by id order by _batch_id desc) as recency
    from {{{{ ref('runway_changes') }}}}
    where cast(_batch_at as date) <= {DAY}
)
where recency = 1
"""
STRATEGIES = {
    "whole": ("strategy='outer_join'", OF_A_DAY),
    "by_three_selects": ("strategy='union'", OF_A_DAY),
    "by_ranges": ("strategy='ranges', range_rows=8000", OF_A_DAY),
    "by_range_checksum": ("strategy='range_checksum', range_rows=100", OF_A_DAY),
    "by_row_checksum": ("strategy='row_checksum'", OF_A_DAY),
    "by_flag": (
        "strategy='timestamp_delete_flag', updated_at='changed_at', delete_flag='is_gone', range_rows=100",
        "select * from {{ ref('stamped') }}",
    ),
}


@pytest.mark.usefixtures("deltawave_package")
class TestRunwaySlices:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        logs = {
            f"{name}.sql": f"{{{{ config(materialized='differential', unique_key='id', {config}) }}}}\n{select}"
            for name, (config, select) in STRATEGIES.items()
        }
        return logs | {
            "sources.yml": yaml.safe_dump({"version": 2, "sources": [SOURCE]}),
            "runway_changes.sql": CHANGES,
            "stamped.sql": FLAGGED,
        }

    def test_all_strategies_find_the_same(self, project: Any, spark: SparkSession) -> None:
        dates = []
        for date, text in dumps():
            folder = Path(project.project_root, "dumps", f"dump_date={date}")
            folder.mkdir(parents=True)
            (folder / "runways.csv").write_text(text, encoding="utf-8", newline="")
            dates.append(date)
        run_dbt(["run-operation", "create_external_sources"])
        run_dbt(["run", "--select", "runway_changes"])
        for day in (dates[0], dates[-1]):
            run_dbt(["run", "--threads", "2", "--exclude", "runway_changes", "--vars", f"day: '{day}'"])
        logs = {name: self.log(project, spark, name) for name in STRATEGIES}
        whole = logs.pop("whole")
        assert {row[-2] for row in whole} == {"insert", "update", "delete"}
        for name, log in logs.items():
            assert log == whole, name

    def log(self, project: Any, spark: SparkSession, name: str) -> list[tuple[Any, ...]]:
        """Rows of all batches; for updates with the values before."""
        rows = spark.table(f"{project.test_schema}.{name}")
        control = ["_batch_id", "_change_type", "_changed_columns"]
        before = [f"_before.{column} as before__{column}" for column in HEADER if column != "id"]
        found = [tuple(row) for row in rows.selectExpr(*before, *HEADER, *control).collect()]
        return sorted(found, key=str)

"""Fifteen dumps of a real table through dbt, compared with a plain comparison of their lines and by other strategies.

DELTAWAVE_RUNWAYS names a folder of the dumps, runways_<date>.csv.gz, as OurAirports publishes them;
without it similar dumps are generated.
"""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.tests.util import run_dbt
from functional.runway_dumps import HEADER, dumps, line
from pyspark.sql import SparkSession

SOURCE = {
    "name": "ourairports",
    "schema": "{{ target.schema }}",
    "tables": [
        {
            "name": "runway_dumps",
            "external": {
                "location": "dumps",
                "file_format": "csv",
                "options": {"header": True, "enforceSchema": False, "escape": '"', "nullValue": "\\N"},
                "partitions": [{"name": "dump_date", "data_type": "date"}],
            },
            "columns": [{"name": name, "data_type": "string"} for name in HEADER],
        }
    ],
}
CHANGES = """
{{ config(materialized='differential', unique_key='id', snapshot_date='dump_date') }}
select * from {{ source('ourairports', 'runway_dumps') }}
"""

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

Lines = dict[str, str]


def by_key(text: str) -> Lines:
    """The lines of a dump by their key, the first column."""
    found = {row.partition(",")[0]: row for row in text.splitlines()[1:]}
    assert len(found) == text.count("\n") - 1
    return found


def counts(old: Lines, new: Lines) -> tuple[int, int, int]:
    """Inserts, deletes and updates between two dumps."""
    updates = sum(old[key] != new[key] for key in old.keys() & new.keys())
    return len(new.keys() - old.keys()), len(old.keys() - new.keys()), updates


def cells(row: str) -> list[str]:
    return next(csv.reader([row]))


@pytest.mark.usefixtures("deltawave_package")
class TestRunways:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        logs = {
            f"{name}.sql": f"{{{{ config(materialized='differential', unique_key='id', {config}) }}}}\n{select}"
            for name, (config, select) in STRATEGIES.items()
        }
        return logs | {
            "sources.yml": yaml.safe_dump({"version": 2, "sources": [SOURCE]}),
            "runway_changes.sql": CHANGES,
            "runways.sql": "{{ deltawave.current_state(ref('runway_changes'), 'id') }}",
            "stamped.sql": FLAGGED,
        }

    @pytest.fixture(scope="class")
    def dated(self) -> dict[str, Lines]:
        return {date: by_key(text) for date, text in dumps()}

    @pytest.fixture(scope="class")
    def schema(self, project) -> str:
        for date, text in dumps():
            folder = Path(project.project_root, "dumps", f"dump_date={date}")
            folder.mkdir(parents=True)
            (folder / "runways.csv").write_text(text, encoding="utf-8", newline="")
        run_dbt(["run-operation", "create_external_sources"])
        run_dbt(["run", "--select", "runway_changes", "runways"])
        return project.test_schema

    def test_each_batch_has_the_changes_of_a_comparison_of_lines(self, schema, spark, dated):
        expected = [counts(old, new) for old, new in pairwise([{}, *dated.values()])]
        rows = spark.sql(f"""
            select
                batches.snapshot_date,
                count_if(changes._change_type = 'insert'),
                count_if(changes._change_type = 'delete'),
                count_if(changes._change_type = 'update')
            from {schema}.runway_changes__batches as batches
            left join {schema}.runway_changes as changes on batches.batch_id = changes._batch_id
            group by batches.batch_id, batches.snapshot_date
            order by batches.batch_id
        """).collect()
        assert {row[0]: tuple(row[1:]) for row in rows} == dict(zip(dated, expected, strict=True))

    def test_replayed_log_is_the_last_dump_line_by_line(self, schema, spark, dated):
        *_, last = dated.values()
        rows = spark.table(f"{schema}.runways").select(*HEADER).collect()
        assert len(rows) == len(last)
        wrong = {row.id: (line(row), last.get(row.id)) for row in rows if line(row) != last.get(row.id)}
        assert wrong == {}

    def test_updates_hold_the_row_before_and_name_what_changed(self, schema, spark, dated):
        states = list(dated.values())
        updates = spark.table(f"{schema}.runway_changes").where("_change_type = 'update'").collect()
        assert updates
        for row in updates:
            old, new = states[row._batch_id - 2][row.id], states[row._batch_id - 1][row.id]
            assert line((row.id, *row._before)) == old
            assert line(tuple(row[name] for name in HEADER)) == new
            changed = [name for name, a, b in zip(HEADER, cells(old), cells(new), strict=True) if a != b]
            assert sorted(row._changed_columns) == sorted(changed)

    def test_all_strategies_find_the_same(self, schema: str, spark: SparkSession, dated: dict[str, Lines]) -> None:
        first, *_, last = dated
        for day in (first, last):
            run_dbt(["run", "--threads", "2", "--select", "stamped", *STRATEGIES, "--vars", f"day: '{day}'"])
        logs = {name: self.log(schema, spark, name) for name in STRATEGIES}
        whole = logs.pop("whole")
        assert {row[-2] for row in whole} == {"insert", "update", "delete"}
        for name, log in logs.items():
            assert log == whole, name

    def log(self, schema: str, spark: SparkSession, name: str) -> list[tuple[Any, ...]]:
        """Rows of all batches; for updates with the values before."""
        rows = spark.table(f"{schema}.{name}")
        control = ["_batch_id", "_change_type", "_changed_columns"]
        before = [f"_before.{column} as before__{column}" for column in HEADER if column != "id"]
        found = [tuple(row) for row in rows.selectExpr(*before, *HEADER, *control).collect()]
        return sorted(found, key=str)

"""Dumps of a real table through dbt, compared with a plain comparison of their lines.

DELTAWAVE_RUNWAYS names a folder of the dumps, runways_<date>.csv.gz, as OurAirports publishes them;
without it similar dumps are generated.
"""

import csv
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from dbt.tests.util import run_dbt
from functional.runway_dumps import HEADER, dumps, line

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
        return {
            "sources.yml": yaml.safe_dump({"version": 2, "sources": [SOURCE]}),
            "runway_changes.sql": CHANGES,
            "runways.sql": "{{ deltawave.current_state(ref('runway_changes'), 'id') }}",
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
        run_dbt(["run"])
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

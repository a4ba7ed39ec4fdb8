"""Ten days of a table that arrives as CSV files: what goes wrong is reported once, and nothing is lost."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession
from workbench import Run, Workbench

pytestmark = [pytest.mark.core, pytest.mark.delta]

# An account's number, with its name, its balance and perhaps its town.
Accounts = dict[int, tuple[Any, ...]]

COLUMNS = {"account_id": "bigint", "name": "string", "balance": "bigint"}
LOG = "accounts_changes"


def sources(columns: dict[str, str]) -> str:
    """The yml of the project's sources, whose table of accounts has these columns."""
    dated = {"file_format": "csv", "partitions": [{"name": "dump_date", "data_type": "date"}]}
    tables = [
        {
            "name": table,
            "external": {"location": f"dumps/{table}", **dated},
            "columns": [{"name": name, "data_type": data_type} for name, data_type in listed.items()],
        }
        for table, listed in (("accounts", columns), ("accounts_counts", {"row_count": "bigint"}))
    ]
    return yaml.safe_dump({"sources": [{"name": "legacy", "schema": "{{ target.schema }}", "tables": tables}]})


MODELS = {
    "sources.yml": sources(COLUMNS),
    f"{LOG}.sql": """
-- depends_on: {{ source('legacy', 'accounts_counts') }}
{{ config(
    materialized='differential', unique_key='account_id', on_schema_change='append_new_columns',
    meta={
        'snapshot_date': 'dump_date',
        'every': 'day',
        'duplicate_keys': 'quarantine',
        'expected_rows': "select row_count from {{ source('legacy', 'accounts_counts') }}
                          where dump_date = {snapshot_date}",
    },
) }}

select * from {{ source('legacy', 'accounts') }}
""",
    "accounts_now.sql": """
{{ config(materialized='table') }}

{{ deltawave.current_state(ref('accounts_changes'), 'account_id') }}
""",
}
WARNINGS = {
    "missing": "no dump has come between those of 2026-03-02 and 2026-03-04 (every: day)",
    "duplicates": "occur more than once, for instance (6). Their 2 rows were quarantined",
    "corrected": "skipped dump(s) of 2026-03-06: they were compared before, and were delivered again with other rows",
    "late": "they were delivered after the dump of",
    "unread": "of which the select returns no row",
}


@dataclass
class Project:
    """A user's project, and the folder in which another system puts its dumps."""

    bench: Workbench

    def deliver(self, day: int, *rows: tuple[Any, ...], counted: int | None = None) -> None:
        """Write the dump of a day of March, and the count of rows that comes with it."""
        header = [*COLUMNS, "town"][: len(rows[0])]
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in (header, *rows)]
        for name, text in (("accounts", lines), ("accounts_counts", ["row_count", str(counted or len(rows))])):
            folder = self.bench.root / "dumps" / name / f"dump_date=2026-03-{day:02}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.csv").write_text("\n".join([*text, ""]))

    def create_sources(self) -> None:
        done = self.bench.operate("create_external_sources")
        assert done.ok, done.text

    def run(self) -> tuple[list[str], list[str]]:
        """What a run says of its batches, and its warnings, each as often as it comes."""
        return outcome(self.bench.build())

    def refused(self) -> str:
        """The error of a run, which changes nothing."""
        before = self.bench.batches(model=LOG), self.bench.log("account_id, _change_type", LOG)
        done = self.bench.run()
        assert not done.ok
        assert (self.bench.batches(model=LOG), self.bench.log("account_id, _change_type", LOG)) == before
        return done.messages[LOG]

    def now(self) -> Accounts:
        """The log applied from its start."""
        return {row[0]: tuple(row[1:]) for row in self.bench.spark.table(f"{self.bench.schema}.accounts_now").collect()}


def outcome(done: Run) -> tuple[list[str], list[str]]:
    batches = re.findall(rf"deltawave: {LOG}: batch (.+), [\d.]+ s, \w+$", done.text, re.MULTILINE)
    return batches, [kind for kind, text in WARNINGS.items() for _ in range(done.text.count(text))]


def rows(accounts: Accounts) -> list[tuple[Any, ...]]:
    return [(account_id, *row) for account_id, row in accounts.items()]


class TestTenDays:
    models = MODELS

    @pytest.fixture(scope="class")
    def project_config_update(self, request: pytest.FixtureRequest) -> dict[str, Any]:
        return {"models": {"+file_format": request.config.option.table_format}}

    def test_nothing_is_lost(
        self, project: Any, deltawave_package: Path, interpreted: None, spark: SparkSession
    ) -> None:
        bench = Workbench(spark, Path(project.project_root), project.test_schema)
        spark.sql(f"create schema if not exists {bench.schema}")
        shop = Project(bench)
        accounts: Accounts = {number: (f"name {number}", 10 * number) for number in range(1, 13)}

        shop.deliver(1, *rows(accounts))
        shop.create_sources()
        assert shop.run() == (["1 (2026-03-01): +12 -0 ~0 of 12"], [])
        assert shop.now() == accounts

        accounts[1] = ("ann", 11)
        del accounts[2]
        accounts[13] = ("new", 130)
        shop.deliver(2, *rows(accounts))
        assert shop.run() == (["2 (2026-03-02): +1 -1 ~1 of 12"], [])
        assert shop.now() == accounts

        # No dump comes on the third.
        assert shop.run() == ([], [])

        accounts[3] = ("name 3", 33)
        shop.deliver(4, *rows(accounts))
        assert shop.run() == (["3 (2026-03-04): +0 -0 ~1 of 12"], ["missing"])
        assert shop.now() == accounts

        # A file that was cut at the end of a line.
        accounts[4] = ("name 4", 44)
        accounts[14] = ("newer", 140)
        shop.deliver(5, *rows(accounts)[:-4], counted=13)
        assert "batch 4 (2026-03-05): the dump has 9 row(s), and expected_rows gives 13." in shop.refused()

        # The whole file comes with that of the sixth.
        shop.deliver(5, *rows(accounts))
        accounts[5] = ("name 5", 55)
        shop.deliver(6, *rows(accounts))
        assert shop.run() == (["4 (2026-03-05): +1 -0 ~1 of 13", "5 (2026-03-06): +0 -0 ~1 of 13"], [])
        assert shop.now() == accounts
        corrected = accounts | {8: ("name 8", 88)}

        # A key that occurs twice is held.
        accounts[7] = ("name 7", 77)
        shop.deliver(7, *rows(accounts), (6, "name 6", 61))
        assert shop.run() == (["6 (2026-03-07): +0 -0 ~1 of 13, 2 quarantined"], ["duplicates"])
        assert shop.now() == accounts

        # A new column, which the project does not know yet.
        accounts[6] = ("name 6", 62)
        accounts = {number: (*row, {1: "ulm", 3: "bonn"}.get(number)) for number, row in accounts.items()}
        shop.deliver(8, *rows(accounts))
        assert "has column(s) that its yml does not list: town." in shop.refused()
        (bench.root / "models" / "sources.yml").write_text(sources(COLUMNS | {"town": "string"}))
        shop.create_sources()
        assert shop.run() == (["7 (2026-03-08): +0 -0 ~1 of 13, 2 backfilled"], [])
        assert shop.now() == accounts

        # The sixth is delivered again, corrected. The user does what the warning says.
        shop.deliver(6, *rows(corrected))
        accounts[8] = ("name 8", 88, None)
        accounts[9] = ("name 9", 99, None)
        shop.deliver(9, *rows(accounts))
        done = bench.build()
        assert outcome(done) == (["8 (2026-03-09): +0 -0 ~2 of 13"], ["corrected"])
        (command,) = re.findall(r"dbt run-operation deltawave\.rewind --args '(.+?)'", done.text)
        done = bench.operate("rewind", **yaml.safe_load(command))
        assert done.ok, done.text
        assert shop.run() == (
            [
                "10 (2026-03-06): +0 -0 ~2 of 13",
                "11 (2026-03-07): +0 -0 ~2 of 13, 2 quarantined",
                # The undone rows of the log had towns, so that all rows are written anew.
                "12 (2026-03-08): +0 -0 ~1 of 13, 12 backfilled",
                "13 (2026-03-09): +0 -0 ~2 of 13",
            ],
            ["duplicates"],
        )
        assert shop.now() == accounts

        accounts[10] = ("name 10", 101, "kiel")
        del accounts[11]
        accounts[15] = ("newest", 150, None)
        shop.deliver(10, *rows(accounts))
        assert shop.run() == (["14 (2026-03-10): +1 -1 ~1 of 13"], [])
        assert shop.now() == accounts

"""create_external_sources: tables over files, brought up to what yml and folder say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.tests.util import run_dbt, run_dbt_and_capture
from pyspark.sql import SparkSession

COLUMNS = [{"name": "id", "data_type": "int"}, {"name": "name", "data_type": "string"}]
CSV = {"file_format": "csv", "options": {"header": True}}
DATED = {**CSV, "partitions": [{"name": "dump_date", "data_type": "date"}]}


@dataclass
class Landing:
    """A project with one source table, `legacy.accounts`, and a folder `dumps`."""

    spark: SparkSession
    root: Path
    schema: str

    @property
    def table(self) -> str:
        return f"{self.schema}.accounts"

    def write(self, path: str, text: str) -> None:
        file = self.root / "dumps" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def declare(self, columns: list[dict[str, str]] | None = None, **external: Any) -> None:
        table = {
            "name": "accounts",
            "external": {"location": "dumps", **CSV, **external},
            "columns": COLUMNS if columns is None else columns,
        }
        source = {"name": "legacy", "schema": "{{ target.schema }}", "tables": [table]}
        file = self.root / "models" / "sources.yml"
        file.write_text(yaml.safe_dump({"version": 2, "sources": [source]}))

    def create(self, **args: Any) -> None:
        run_dbt(["run-operation", "create_external_sources", "--args", yaml.safe_dump(args)])

    def refused(self, **args: Any) -> str:
        command = ["run-operation", "create_external_sources", "--args", yaml.safe_dump(args)]
        _, text = run_dbt_and_capture(command, expect_pass=False)
        return " ".join(text.split())

    def rows(self, columns: str = "*") -> list[tuple[Any, ...]]:
        return sorted(tuple(row) for row in self.spark.table(self.table).selectExpr(columns).collect())

    def exists(self) -> bool:
        return self.spark.catalog.tableExists(self.table)


@pytest.mark.usefixtures("deltawave_package")
class TestExternalSources:
    @pytest.fixture(scope="class")
    def models(self):
        return {"sources.yml": "version: 2"}

    @pytest.fixture
    def landing(self, project, spark):
        root = Path(project.project_root)
        landing = Landing(spark, root, project.test_schema)
        spark.sql(f"drop table if exists {landing.table}")
        for file in sorted((root / "dumps").rglob("*"), reverse=True):
            file.unlink() if file.is_file() else file.rmdir()
        return landing

    def test_files_in_the_project_s_folder_are_a_table(self, landing):
        landing.write("part.csv", "id,name\n1,ann\n2,\n")
        landing.declare()
        landing.create()
        assert landing.rows() == [(1, "ann"), (2, None)]

    def test_absolute_locations(self, landing, tmp_path):
        (tmp_path / "it's here").mkdir()
        (tmp_path / "it's here" / "part.csv").write_text("id,name\n1,ann\n")
        for location in (str(tmp_path / "it's here"), f"file:{tmp_path}/it's here"):
            landing.declare(location=location)
            landing.create()
            assert landing.rows() == [(1, "ann")]

    def test_new_files_are_seen(self, landing):
        landing.write("a.csv", "id,name\n1,ann\n")
        landing.declare()
        landing.create()
        assert landing.rows("id") == [(1,)]
        landing.write("b.csv", "id,name\n2,bob\n")
        landing.create()
        assert landing.rows("id") == [(1,), (2,)]

    def test_partitions_come_and_go_with_their_folders(self, landing):
        landing.write("dump_date=2026-01-01/a.csv", "id,name\n1,ann\n")
        landing.declare(**DATED)
        landing.create()
        assert landing.rows("cast(dump_date as string)") == [("2026-01-01",)]
        landing.write("dump_date=2026-01-02/a.csv", "id,name\n1,ann\n")
        landing.create()
        assert landing.rows("cast(dump_date as string)") == [("2026-01-01",), ("2026-01-02",)]
        (landing.root / "dumps/dump_date=2026-01-01/a.csv").unlink()
        (landing.root / "dumps/dump_date=2026-01-01").rmdir()
        landing.create()
        assert landing.rows("cast(dump_date as string)") == [("2026-01-02",)]

    def test_partition_named_alone_takes_its_column_s_type(self, landing):
        landing.write("batch=7/a.csv", "id,name\n1,ann\n")
        landing.declare(columns=[*COLUMNS, {"name": "batch", "data_type": "bigint"}], partitions=["batch"])
        landing.create()
        assert landing.spark.table(landing.table).dtypes == [
            ("id", "int"),
            ("name", "string"),
            ("batch", "bigint"),
        ]

    def test_names_and_options_may_hold_any_text(self, landing):
        landing.write("a.csv", "the 'key'|`select`|end\n1|it's|a\\b\n2|say \"\"|nil'\\\n")
        names = ["the 'key'", "`select`", "end"]
        landing.declare(
            columns=[{"name": name, "data_type": "string"} for name in names],
            options={
                "header": True,
                "sep": "|",
                "escape": '"',
                "nullValue": "nil'\\",
                "enforceSchema": False,
            },
        )
        landing.create()
        assert landing.spark.table(landing.table).columns == names
        assert landing.rows() == [("1", "it's", "a\\b"), ("2", 'say ""', None)]

    @pytest.mark.parametrize("file_format", ["parquet", "json", "orc"])
    def test_other_formats(self, landing, file_format):
        rows = landing.spark.createDataFrame([(1, "ann")], "id int, name string")
        rows.write.format(file_format).save(str(landing.root / "dumps" / "of_spark"))
        landing.declare(file_format=file_format, options={}, location="dumps/of_spark")
        landing.create()
        assert landing.rows() == [(1, "ann")]

    def test_changed_definition_is_made_anew_and_leaves_the_files(self, landing):
        landing.write("a.csv", "id,name\n1,ann\n")
        landing.declare()
        landing.create()
        landing.declare(columns=[{"name": "id", "data_type": "bigint"}, COLUMNS[1]], options={})
        landing.create()
        assert landing.rows("name") == [("ann",), ("name",)]
        assert dict(landing.spark.table(landing.table).dtypes)["id"] == "bigint"
        assert (landing.root / "dumps/a.csv").read_text() == "id,name\n1,ann\n"

    def test_relation_of_another_maker_is_not_touched(self, landing):
        landing.write("a.csv", "id,name\n1,ann\n")
        landing.declare()
        landing.spark.sql(f"create table {landing.table} using parquet as select 42 as answer")
        assert "create_external_sources did not make it" in landing.refused()
        assert landing.rows() == [(42,)]

    def test_missing_folder(self, landing):
        landing.declare(location="dumps/of_last_year")
        text = landing.refused()
        assert "Path does not exist" in text
        assert "dumps/of_last_year" in text
        assert not landing.exists()
        assert not (landing.root / "dumps/of_last_year").exists()

    def test_folder_without_partitions(self, landing):
        landing.write("a.csv", "id,name\n1,ann\n")
        landing.declare(**DATED)
        assert "dumps holds no folder dump_date=<date>" in landing.refused()

    def test_bad_block_makes_no_table(self, landing):
        landing.write("a.csv", "id,name\n1,ann\n")
        landing.declare(columns=[{"name": "id"}])
        assert "source legacy.accounts: the column 'id' has no data_type" in landing.refused()
        assert not landing.exists()

    def test_select(self, landing):
        landing.write("a.csv", "id,name\n1,ann\n")
        landing.declare()
        assert "is called 'legcay'; known are: legacy.accounts" in landing.refused(select="legcay")
        assert not landing.exists()
        landing.create(select=["legacy.accounts"])
        assert landing.rows() == [(1, "ann")]

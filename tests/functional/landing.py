"""A project with one source table over a folder of files."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from dbt.tests.util import run_dbt, run_dbt_and_capture
from pyspark.sql import SparkSession


@dataclass
class Landing:
    """A project with one source table, `legacy.accounts`, and a folder `dumps`."""

    spark: SparkSession
    root: Path
    schema: str
    name: str = "accounts"

    @property
    def table(self) -> str:
        return f"{self.schema}.{self.name}"

    def clear(self) -> None:
        """Nothing made, nothing landed."""
        self.spark.sql(f"drop schema if exists {self.schema} cascade")
        shutil.rmtree(self.root / "dumps", ignore_errors=True)

    def write(self, path: str, text: str | bytes, encoding: str = "utf-8") -> None:
        file = self.root / "dumps" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))

    def declare(self, external: dict[str, Any], columns: list[dict[str, str]] | None = None, **changed: Any) -> None:
        table: dict[str, Any] = {"name": "accounts", "external": {"location": "dumps", **external, **changed}}
        self.declare_tables(table | ({} if columns is None else {"columns": columns}))

    def declare_tables(self, *tables: dict[str, Any]) -> None:
        source = {"name": "legacy", "schema": "{{ target.schema }}", "tables": list(tables)}
        (self.root / "models" / "sources.yml").write_text(yaml.safe_dump({"version": 2, "sources": [source]}))

    def create(self, **args: Any) -> None:
        run_dbt(["run-operation", "create_external_sources", "--args", yaml.safe_dump(args)])

    def refused(self, **args: Any) -> str:
        command = ["run-operation", "create_external_sources", "--args", yaml.safe_dump(args)]
        _, text = run_dbt_and_capture(command, expect_pass=False)
        return " ".join(text.split())

    def run(self, *args: str, expect_pass: bool = True) -> str:
        _, text = run_dbt_and_capture(["run", *args], expect_pass=expect_pass)
        return " ".join(text.split())

    def rows(self, columns: str = "*", where: str = "true") -> list[tuple[Any, ...]]:
        found = self.spark.sql(f"select {columns} from {self.table} where {where}").collect()
        return [tuple(row) for row in found]

    def exists(self) -> bool:
        return self.spark.catalog.tableExists(self.table)

"""A project with one source table over a folder of files."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pyspark.sql import SparkSession
from workbench import Run, Workbench


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

    @property
    def bench(self) -> Workbench:
        return Workbench(self.spark, self.root, self.schema)

    def create(self) -> None:
        self._output(self.bench.operate("create_external_sources"))

    def refused(self) -> str:
        return self._output(self.bench.operate("create_external_sources"), expect_pass=False)

    def run(self, *args: str, expect_pass: bool = True) -> str:
        return self._output(self.bench.run(*args), expect_pass)

    def _output(self, done: Run, expect_pass: bool = True) -> str:
        assert done.ok is expect_pass, done.text
        return " ".join(done.text.split())

    def rows(self, columns: str = "*", where: str = "true") -> list[tuple[Any, ...]]:
        found = self.spark.sql(f"select {columns} from {self.table} where {where}").collect()
        return [tuple(row) for row in found]

    def exists(self) -> bool:
        return self.spark.catalog.tableExists(self.table)

"""One differential model over a table that a test rewrites."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pyarrow.parquet as pq
from dbt.cli.main import dbtRunner
from dbt.contracts.graph.manifest import Manifest
from model_options import placed
from object_store import TABLES, ObjectStore
from pyspark.sql import SparkSession

MODEL = "accounts"
CONFIG = {"unique_key": ["account_id"]}
DUMP = "select * from {{ target.schema }}.dump"
# What no test here reads costs a sixth of a run.
SPARING = ("--no-write-json", "--log-level-file", "none")
# What dbt parses of a project, besides its packages.
PARSED = ("macros", "models", "seeds", "snapshots", "tests")
# Parsing takes two thirds of dbt's own time: the last project's files, and what they were parsed to.
_parsed: dict[str, Any] = {}
# Several models are built two at a time.
SEVERAL = ("--threads", "2")

# A project's macros with which ``--vars 'stop_at: decide'`` stops a batch at that step, by an error, and
# ``'stop_at: accounts.decide'`` one of that model.
STOPPING = {
    "step.sql": """
{% macro default___step(job, batch, name) %}
  {% if var('stop_at', none) in [name, job.name ~ '.' ~ name] %}
    {% do exceptions.raise_compiler_error('stopped at ' ~ var('stop_at')) %}
  {% endif %}
{% endmacro %}
"""
}

# A project's macro with which a state is rewritten as soon as a fifth of it has changed.
REWRITING = {"few.sql": "{% macro default___few_patches() %}{{ return({'patches': 0, 'batches': 0}) }}{% endmacro %}"}


def temporary_views(spark: SparkSession) -> set[str]:
    """Names of the session's temporary views, whatever else its current schema holds."""
    return {row.viewName for row in spark.sql("show views").collect() if row.isTemporary}


@dataclass
class Run:
    """How a dbt command ended: whether well, all of its messages, and what it says of each model."""

    ok: bool
    text: str
    messages: dict[str, str]


@dataclass
class Workbench:
    """Writes the dump, configures the model, runs dbt and looks at the result."""

    spark: SparkSession
    root: Path
    schema: str
    file_format: str = "parquet"
    store: ObjectStore | None = None

    def dump(self, query: str) -> None:
        """Replace the dump by the rows of a query."""
        # Iceberg's catalog leaves the files where it is not reported to purge.
        self.spark.sql(f"drop table if exists {self.schema}.dump purge")
        self.spark.sql(f"create table {self.schema}.dump using parquet as {query}")

    def configure(self, select: str = DUMP, **config: Any) -> None:
        """Write the model's file."""
        (self.root / "models" / f"{MODEL}.sql").write_text(self._differential(select, config))

    def add_differential(self, name: str, select: str = DUMP, **config: Any) -> None:
        """Write the file of another model of this kind."""
        self.add_model(name, self._differential(select, config))

    def _differential(self, select: str, config: dict[str, Any]) -> str:
        given = {"materialized": "differential", "file_format": self.file_format, **CONFIG, **config}
        options = json.dumps(placed(given))
        return f"{{{{ config(**fromjson({options!r})) }}}}\n{select}\n"

    def add_model(self, name: str, text: str) -> None:
        """Write another model's file."""
        self._add(f"models/added/{name}.sql", text)

    def add_yml(self, text: str) -> None:
        """Write a file that describes models."""
        self._add("models/added/models.yml", text)

    def add_test(self, name: str, text: str) -> None:
        """Write a data test's file."""
        self._add(f"tests/added/{name}.sql", text)

    def _add(self, path: str, text: str) -> None:
        """Write a file that goes with ``clear``."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def aim(self, models: Iterable[str], at: str = MODEL) -> None:
        """Let these models have the relation of one model until a file changes: each is another edit of its file."""
        manifest = self._parse(lambda event: None)
        assert manifest is not None
        nodes = {node.name: node for node in manifest.nodes.values()}
        for name in models:
            nodes[name].alias, nodes[name].relation_name = nodes[at].alias, nodes[at].relation_name

    def run(self, *args: str, command: str = "run") -> Run:
        """``dbt run``, or another command, with more arguments; its outcome and all of its messages."""
        return self._invoke(command, *args)

    def operate(self, macro: str, *options: str, **args: Any) -> Run:
        """``dbt run-operation`` of a macro of the package."""
        return self._invoke("run-operation", f"deltawave.{macro}", "--args", json.dumps(args), *options)

    def _invoke(self, *command: str) -> Run:
        lines: list[str] = []

        def note(event: Any) -> None:
            if event.info.level != "debug":
                lines.append(event.info.msg)

        # Variables are read where macros run, not where the project is parsed.
        result = dbtRunner(self._parse(note), callbacks=[note]).invoke([*command, *self._options])
        if result.exception is not None:
            lines.append(str(result.exception))
        results = getattr(result.result, "results", [])
        messages = {each.node.name: str(each.message) for each in results if hasattr(each, "node")}
        return Run(result.success, "\n".join(lines), messages)

    @property
    def _options(self) -> list[str]:
        # dbt-tests-adapter writes profiles.yml where DBT_PROFILES_DIR points.
        return ["--project-dir", str(self.root), *SPARING]

    def _parse(self, note: Callable[[Any], None]) -> Manifest | None:
        """The parsed project: that of the last command, unless a file has changed. None where it cannot be parsed."""
        found = (path for folder in PARSED for path in self.root.glob(f"{folder}/**/*.*") if path.is_file())
        files = {path: path.read_bytes() for path in found}
        if _parsed.get("files") != files:
            manifest = dbtRunner(callbacks=[note]).invoke(["parse", *self._options]).result
            _parsed.update(files=files, manifest=manifest)
        return _parsed["manifest"]

    def build(self, query: str | None = None, *args: str) -> Run:
        """A run, with a new dump if there is a query; fails where dbt does."""
        if query is not None:
            self.dump(query)
        done = self.run(*args)
        assert done.ok, done.text
        return done

    def failed(self, *args: str) -> str:
        """The text of a run that has to fail."""
        done = self.run(*args)
        assert not done.ok, done.text
        return done.text

    def refused(self, query: str | None = None, *args: str, models: Sequence[str] = (MODEL,)) -> str:
        """Run, expect an error, and see that it changed none of these models; the error's text."""
        before = self.state(*models)
        if query is not None:
            self.dump(query)
        text = self.failed(*args)
        assert self.state(*models) == before
        return text

    def log(
        self, columns: str = "account_id, name, _change_type, _batch_id", model: str = MODEL
    ) -> list[tuple[Any, ...]]:
        """The model's rows as tuples, in order of batch and key."""
        rows = self.spark.sql(f"select {columns} from {self.schema}.{model} order by _batch_id, account_id")
        return [tuple(row) for row in rows.collect()]

    def batches(
        self, columns: str = "batch_id, inserts, deletes, updates", model: str = MODEL
    ) -> list[tuple[Any, ...]]:
        """The rows of x__batches."""
        rows = self.spark.sql(f"select {columns} from {self.schema}.{model}__batches order by batch_id")
        return [tuple(row) for row in rows.collect()]

    def statements(self, model: str = MODEL) -> list[str]:
        """What the model's last run executed, as target/run shows it; the select's columns are no statement."""
        found = next((self.root / "target" / "run").glob(f"**/{model}.sql"))
        return [each for each in found.read_text().split(";\n\n") if each and not each.startswith("describe query")]

    def files(self) -> Iterator[tuple[str, str, bytes]]:
        """Table, path and content of each file of the tables; on S3 also of those that no table has."""
        if self.store:
            folder = f"{TABLES}/{self.schema}.db/"
            for key in self.store.objects(folder):
                yield key.removeprefix(folder).partition("/")[0], key, self.store.content(key)
            return
        for row in self.spark.sql(f"show tables in {self.schema}").where("not isTemporary").collect():
            facts = self.spark.sql(f"describe extended {self.schema}.{row.tableName}").collect()
            for folder in (Path(urlparse(fact[1]).path) for fact in facts if fact[0] == "Location"):
                for path in filter(Path.is_file, folder.rglob("*")):
                    yield row.tableName, str(path), path.read_bytes()

    def writers(self, model: str = MODEL) -> list[str]:
        """What wrote the first file of each batch in the log: DuckDB, or Spark's parquet-mr."""
        logged = f"select * from {self.schema}.{model}__log where batch_id = "
        files = [
            self.spark.sql(f"{logged}{number + 1}").inputFiles() for number in range(len(self.batches(model=model)))
        ]
        return [pq.ParquetFile(file.removeprefix("file://")).metadata.created_by.split()[0] for (file, *_) in files]

    def names(self, model: str = MODEL) -> set[str]:
        """Tables and views of the model."""
        found = self.spark.sql(f"show tables in {self.schema} like '{model}*'").collect()
        return {row.tableName for row in found}

    def view_text(self, name: str = MODEL) -> str:
        """The statement that would create the model's view, or another relation."""
        return str(self.spark.sql(f"show create table {self.schema}.{name}").collect()[0][0])

    def state(self, *models: str) -> dict[str, list[str]]:
        """What a reader could see of models, or of MODEL: names of relations, rows, and the text of each view.

        Not the view that records a source as read: whether it is there depends on how long ago the source was written.
        """
        models = models or (MODEL,)
        names = [name for model in models for name in self.names(model) if "__seen_" not in name]
        return self._contents(names, views=[name for name in names if name in models])

    def contents(self) -> dict[str, list[str]]:
        """What a reader could see of all models: each relation's name, with its rows and, of a view, its text."""
        tables = self.spark.sql(f"show tables in {self.schema}").where("not isTemporary").collect()
        views = self.spark.sql(f"show views in {self.schema}").where("not isTemporary").collect()
        return self._contents([row.tableName for row in tables], [row.viewName for row in views])

    def _contents(self, names: Iterable[str], views: Iterable[str]) -> dict[str, list[str]]:
        """Of relations with __ in their names, which are helpers, only logs and their batches are read."""
        contents: dict[str, list[str]] = {name: [] for name in names}
        read = [name for name in contents if "__" not in name or name.endswith(("__log", "__batches"))]
        selects = [f"select '{name}', to_json(struct(*)) from {self.schema}.{name}" for name in read]
        for name, row in self.spark.sql(" union all ".join(selects)).collect() if selects else []:
            contents[name].append(row)
        for name in views:
            contents[name].append(self.view_text(name))
        return {name: sorted(rows) for name, rows in contents.items()}

    def clear(self) -> None:
        """Drop the model, its helpers and the dump; added models and tests go."""
        for folder in ("models", "tests"):
            shutil.rmtree(self.root / folder / "added", ignore_errors=True)
        self.spark.sql(f"drop schema if exists {self.schema} cascade")
        self.spark.sql(f"create schema {self.schema}")

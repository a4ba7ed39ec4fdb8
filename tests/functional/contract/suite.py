"""Runs the days of all models together, and compares each log with what the oracle says."""

import json
import os
import time
from collections.abc import Callable
from copy import deepcopy
from hashlib import md5
from pathlib import Path
from typing import Any

import oracle
import own_strategies
from checks import check_pending, check_run, check_state
from dbt.cli.main import dbtRunner
from draws import Draw
from events import Day
from histories import log_of
from oracle import Prediction
from postgres import PostgresServer
from pyspark.sql import SparkSession

from models import MODELS, logs_below

# What stops, and at which step: {model: step}.
STOPS = "CONTRACT_STOPS"
MACROS = own_strategies.MACROS | {
    "step.sql": """
{% macro default___step(job, batch, name) %}
  {% if fromjson(env_var('CONTRACT_STOPS', '{}')).get(job.name) == name %}
    {% do exceptions.raise_compiler_error('stopped at ' ~ name) %}
  {% endif %}
{% endmacro %}
""",
    # Otherwise no history would be long enough for another state to be written.
    "few.sql": "{% macro default___few_patches() %}{{ return({'patches': 0, 'batches': 1}) }}{% endmacro %}",
    "small.sql": "{% macro default___small_table() %}{{ return({'rows': 25, 'bytes': 1000000}) }}{% endmacro %}",
    "many.sql": "{% macro default___many_rows() %}{{ return(0) }}{% endmacro %}",
    # As do the partitions of a long log.
    "merging.sql": "{% macro default___merging() %}{{ return({'partitions': 2, 'days': 0}) }}{% endmacro %}",
    # All strategies that auto chooses from.
    "quick_bytes.sql": "{% macro default___quick_bytes() %}{{ return(1200) }}{% endmacro %}",
    "operate.sql": """
{% macro operate(operations) %}
  {% for each in operations %}{% do deltawave[each.name](**each.arguments) %}{% endfor %}
{% endmacro %}
""",
}
COLUMNS = "k1 int, k2 string, oid int, name string, num double, dep int, version int, is_deleted boolean"
SPARING = ("--no-write-json", "--log-level-file", "none", "--log-level", "none")


class Suite:
    """The models of some draws in one project: it is dbt's and Spark's starts that cost."""

    def __init__(
        self, draws: list[Draw], spark: SparkSession, root: Path, schema: str, server: PostgresServer | None = None
    ) -> None:
        self.draws = {draw.variant: draw for draw in draws}
        self.histories = {name: history for draw in draws for name, history in draw.histories.items()}
        self.spark = spark
        self.root = root
        self.schema = schema
        self.server = server
        self.runs: dict[str, list[float]] = {}
        self.files: dict[str, str] = {}
        self.manifest: Any = None

    def run(self) -> None:
        """All days of all models."""
        self._create_remote()
        while left := sum(bool(history.days) for history in self.histories.values()):
            begun = time.monotonic()
            self._round()
            print(f"{left} models: {time.monotonic() - begun:.1f} s")
        print("\n".join(f"{name:22} {len(runs):4} runs {sum(runs):6.0f} s" for name, runs in sorted(self.runs.items())))

    def draw_of(self, name: str) -> Draw:
        """The draw of a model."""
        return self.draws[self.histories[name].model.variant]

    # A round: a day of every model.

    def _round(self) -> None:
        """The next day of all models that have one."""
        todays = {history.model.name: history.next_day() for history in self.histories.values() if history.days}
        before = {name: deepcopy(self.histories[name].source) for name in todays}
        predictions: dict[str, Prediction] = {}
        self._operate(todays)
        todays = {name: day for name, day in todays.items() if not self.draw_of(name).has_failed(name)}
        for name, day in todays.items():
            history = self.histories[name]
            if day.is_seen_in_cycle and history.previous is None:
                history.previous = before[name]
            if day.event == "first load":
                history.source.fill()
            else:
                day.change(history.source)
            history.edit = day.edit
        self._publish(list(todays))
        for flag in sorted({day.flag or "" for day in todays.values()}):
            group = {name: day for name, day in todays.items() if (day.flag or "") == flag}
            for name, day in group.items():
                history = self.histories[name]
                predictions[name] = oracle.predict(
                    history.model,
                    history.known,
                    history.source,
                    day.edit,
                    accepts=day.accepts,
                    begins=flag == "--full-refresh",
                )
            results = self._run(group, flag)
            self._observe(list(group))
            for name, day in group.items():
                try:
                    for event in check_run(self.histories[name], day, predictions[name], results[name]):
                        self.draw_of(name).covered.setdefault(event, name)
                except AssertionError as error:
                    self.draw_of(name).fail(name, day, str(error))
        for name, day in todays.items():
            if day.is_undone:
                self.histories[name].has_moved_logs = self.histories[name].model.strategy == "view"
                clock = self.histories[name].source.clock
                self.histories[name].source = before[name]
                self.histories[name].source.clock = clock

    def _run(self, group: dict[str, Day], flag: str) -> dict[str, str | None]:
        """Run them; what each message in an error, or none."""
        accepted = [name for name, day in group.items() if day.accepts]
        names = [*group, *(log for name in group for log in logs_below(MODELS[name]))]
        arguments = ["run", "--select", *names, *([flag] if flag else []), "--threads", "2"]
        os.environ[STOPS] = json.dumps({name: day.stops_at for name, day in group.items() if day.stops_at})
        if accepted:
            arguments += ["--vars", json.dumps({"deltawave_accept": accepted})]
        done = self._dbt(*arguments)
        found: dict[str, str | None] = {}
        for result in done.result.results if done.result is not None else []:
            failed = str(result.status) not in ("success", "pass")
            found[result.node.name] = " ".join(str(result.message).split()) if failed else None
            self.runs.setdefault(result.node.name, []).append(result.execution_time)
        missing = set(group) - set(found)
        assert not missing, f"{sorted(missing)} did not run: {done.exception}"
        for name in set(found) - set(group):
            assert found[name] is None, f"{name}: {found[name]}"
        return found

    def _operate(self, todays: dict[str, Day]) -> None:
        """The operations of the day, all by one command."""
        calls = []
        for name, day in todays.items():
            history = self.histories[name]
            for operation in day.operations:
                arguments: dict[str, Any] = {"model": name}
                if operation in ("rewind", "expire"):
                    batch = sorted(history.states)[-2]
                    arguments["to_batch"] = batch
                    if operation == "rewind":
                        history.known = oracle.forgotten(history.known, history.states[batch].state)
                        history.states = {at: state for at, state in history.states.items() if at <= batch}
                    else:
                        history.states = {at: state for at, state in history.states.items() if at >= batch}
                calls.append({"name": operation, "arguments": arguments})
        if calls:
            os.environ[STOPS] = "{}"
            done = self._dbt("run-operation", "operate", "--args", json.dumps({"operations": calls}))
            assert done.success, (calls, done.exception, done.result)
            self._observe(list(todays))
            for name, day in todays.items():
                if day.operations:
                    history = self.histories[name]
                    try:
                        if "rewind" in day.operations:
                            # What has not been seen yet is undone.
                            history.pending = []
                            history.last_seen = history.log.last_batch
                        check_pending(history, history.pending)
                        check_state(history)
                    except AssertionError as error:
                        self.draw_of(name).fail(name, day, str(error))

    def _dbt(self, *command: str) -> Any:
        """A command of dbt, which parses the project where files have changed: other vars do not matter to it."""
        if self._write_files():
            parsed = dbtRunner().invoke(["parse", "--project-dir", str(self.root), *SPARING])
            assert parsed.success, parsed.exception
            self.manifest = parsed.result
        return dbtRunner(manifest=self.manifest).invoke([*command, "--project-dir", str(self.root), *SPARING])

    def _write_files(self) -> bool:
        """The models' files, where they have changed; have any?"""
        previous = dict(self.files)
        texts = {name: history.model.text(history.edit) for name, history in self.histories.items()}
        for history in self.histories.values():
            texts |= logs_below(history.model)
        for name, text in texts.items():
            if self.files.get(name) != text:
                self.files[name] = text
                (self.root / "models" / f"{name}.sql").write_text(text)
        for name in set(self.files) - set(texts):
            del self.files[name]
            (self.root / "models" / f"{name}.sql").unlink()
        return self.files != previous

    # The sources.

    def _publish(self, names: list[str]) -> None:
        """Put the rows where the models read them."""
        statements = []
        for name in names:
            history = self.histories[name]
            rows = history.source.rows
            if history.model.is_remote:
                values = ", ".join(
                    f"({', '.join(map(_quoted, (row.k1, row.k2, row.oid, row.name, row.num, row.dep, row.version)))}, "
                    f"{row.is_deleted})"
                    for row in rows
                )
                statements.append(f"delete from contract.{name};")
                statements += [f"insert into contract.{name} values {values};"] if rows else []
                continue
            flat = [
                (row.k1, row.k2, row.oid, row.name, row.num, row.dep, row.version, row.is_deleted) for row in rows
            ]  # fmt: skip
            self.spark.createDataFrame(flat, COLUMNS).createOrReplaceGlobalTempView(f"contract_{name}")
            if history.model.has_files:
                self._deliver(name, history.model.select(history.edit))
            if history.model.strategy == "view":
                titles = self.spark.createDataFrame(sorted(history.source.titles.items()), "dep int, title string")
                titles.createOrReplaceGlobalTempView(f"contract_{name}_titles")
        if statements:
            assert self.server is not None
            self.server.sql("\n".join(statements))

    def _deliver(self, name: str, select: str) -> None:
        """Files with these rows: those of other rows stay as they are."""
        rows = self.spark.sql(select)
        content = sorted(map(repr, [rows.columns, *rows.collect()]))
        folder = self.root / "delivered" / name / md5("\n".join(content).encode()).hexdigest()
        if not folder.exists():
            rows.repartition(3, "k1").sortWithinPartitions(*rows.columns).write.parquet(str(folder))
        self.spark.sql(f"create schema if not exists {self.schema}")
        self.spark.sql(f"drop table if exists {self.schema}.delivered_{name}")
        self.spark.sql(f"create table {self.schema}.delivered_{name} using parquet location '{folder}'")

    def _create_remote(self) -> None:
        """Tables in the database."""
        columns = COLUMNS.replace("string", "text").replace("double", "double precision")
        tables = [
            f"create table contract.{name} ({columns});"
            for name, history in self.histories.items()
            if history.model.is_remote
        ]
        if self.server is not None:
            self.server.sql("\n".join(["drop schema if exists contract cascade; create schema contract;", *tables]))

    # What is there.

    def _observe(self, names: list[str]) -> None:
        """Read the logs, their batches and the names of all relations."""
        present = {row.tableName for row in self.spark.sql(f"show tables in {self.schema}").collect()}
        views = [name for name in names if name in present]
        logs = self._rows(views)
        batches = self._rows([f"{name}__batches" for name in views])
        for name in names:
            text = logs.get(name, [])
            reported = [json.loads(row) for row in batches.get(f"{name}__batches", [])]
            helpers = {each.removeprefix(f"{name}__") for each in present if each.startswith(f"{name}__")}
            history = self.histories[name]
            history.observe(log_of(history.model, [json.loads(row) for row in text], reported, helpers, text))

    def _rows(self, names: list[str]) -> dict[str, list[str]]:
        if not names:
            return {}
        selects = [
            f"select '{name}' as name, to_json(struct(*), map('ignoreNullFields', 'false')) as text "
            f"from {self.schema}.{name}"
            for name in names
        ]
        found: dict[str, list[str]] = {}
        for name, text in self.spark.sql("\nunion all\n".join(selects)).collect():
            found.setdefault(name, []).append(text)
        return found


def _quoted(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"'{value}'::float8" if isinstance(value, float) else str(value)


# Runs what a function draws from a seed for each variant; see conftest.py.
Run = Callable[..., Suite]

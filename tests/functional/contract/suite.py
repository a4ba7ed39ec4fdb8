"""Runs the days of all models together, and compares each log with what the oracle says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from hashlib import md5
from pathlib import Path
from random import Random
from typing import Any

import oracle
import own_strategies
from dbt.cli.main import dbtRunner
from declarations import declarations
from events import AFTER_DECISION, BEFORE_DECISION, BEGIN, NAMES, ORDINARY, Day, Event, error_at, events, same
from judge import check_owed, check_state, judge
from life import Life, log_of
from lineup import MODELS, logs_below
from oracle import Prediction
from postgres import PostgresServer
from pyspark.sql import SparkSession
from world import World

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
    # Otherwise no life would be long enough for another kept side.
    "few.sql": "{% macro default___few_patches() %}{{ return({'patches': 0, 'batches': 1}) }}{% endmacro %}",
    # All strategies that auto chooses from.
    "few_rows.sql": "{% macro default___few_rows() %}{{ return(12) }}{% endmacro %}",
    "operate.sql": """
{% macro operate(operations) %}
  {% for each in operations %}{% do deltawave[each.name](**each.arguments) %}{% endfor %}
{% endmacro %}
""",
}
COLUMNS = "k1 int, k2 string, oid int, name string, num double, dep int, version int, is_gone boolean"
SPARING = ("--no-write-json", "--log-level-file", "none", "--log-level", "none")


class Suite:
    """All models of the line-up in one project."""

    def __init__(
        self, seed: int, spark: SparkSession, root: Path, schema: str, server: PostgresServer, names: list[str]
    ) -> None:
        self.seed = seed
        self.spark = spark
        self.root = root
        self.schema = schema
        self.server = server
        self.met: dict[tuple[str, str], str] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        self.failures: list[str] = []
        self.runs: dict[str, list[float]] = {}
        self.lives = {}
        for name in names:
            model = MODELS[name]
            copies = 2 if model.duplicate_keys == "multiset" else 1
            world = World(Random(f"{seed} {name}"), model.size, copies=copies, renumbers=model.strategy == "view")
            self.lives[name] = Life(model, world)
        self.files: dict[str, str] = {}
        self.manifest: Any = None

    # The deck.

    def deal(self) -> None:
        """Deal every event to one model of each way of comparing to which it can happen, in an order of chance."""
        chance = Random(f"{self.seed} deck")
        begin = chance.randrange(len(BEFORE_DECISION))
        for number, way in enumerate(self._ways()):
            lives = [life for life in self.lives.values() if life.model.way == way]
            declared = declarations()[lives[0].model.strategy]
            decks: dict[str, list[list[Day]]] = {life.model.name: [] for life in lives}
            # An error costs a day: a draw has three of the steps for each way, and each step for several ways.
            steps = {BEFORE_DECISION[(begin + number + 2 * place) % len(BEFORE_DECISION)] for place in range(3)}
            for step in BEFORE_DECISION:
                if step not in steps:
                    self.reasons[way, error_at(step)] = "in another draw"
            dealt = [event for event in events() if (way, event.name) not in self.reasons]
            chance.shuffle(dealt)
            # Those that fit few models first.
            dealt.sort(key=lambda event: sum(event.unless(life.model, declared) is None for life in lives))
            for event in dealt:
                self._deal_one(event, decks, lives)
            self._deal_errors([days for deck in decks.values() for days in deck], chance)
            for life in lives:
                deck = decks[life.model.name]
                chance.shuffle(deck)
                life.days = [Day("first load"), *(day for days in deck for day in days)]
                if life is lives[0]:
                    life.days.insert(0, Day(BEGIN, source=same, flag="--empty", is_idle=True))
                if life.days[-1].stops_at:
                    # It shows what the stopped run has left.
                    life.days.append(Day("ordinary"))

    def _ways(self) -> list[str]:
        ways = {life.model.way for life in self.lives.values()}
        order = [*declarations()]
        return sorted(ways, key=lambda way: (", " in way, order.index(way.partition(",")[0])))

    def _deal_one(self, event: Event, decks: dict[str, list[list[Day]]], lives: list[Life]) -> None:
        way = lives[0].model.way
        declared = declarations()[lives[0].model.strategy]
        fitting = [life.model for life in lives if event.unless(life.model, declared) is None]
        if not fitting:
            reasons = {event.unless(life.model, declared) for life in lives}
            self.reasons[way, event.name] = "; ".join(sorted(filter(None, reasons)))
            return
        model = min(fitting, key=lambda each: sum(map(len, decks[each.name])))
        decks[model.name].append(event.days(model))

    def _deal_errors(self, dealt: list[list[Day]], chance: Random) -> None:
        """An error after the decision for some of those whose last day decides: the next run brings it to its end."""
        able = [days for days in dealt if days[-1].surely_decides]
        for step, days in zip(AFTER_DECISION, chance.sample(able, len(AFTER_DECISION)), strict=True):
            days[-1] = replace(days[-1], stops_at=step)

    # A round: a day of every model.

    def round(self) -> None:
        """The next day of all models that have one."""
        todays = {life.model.name: life.next_day() for life in self.lives.values() if life.days}
        before = {name: deepcopy(self.lives[name].world) for name in todays}
        predictions: dict[str, Prediction] = {}
        self._operate(todays)
        todays = {name: day for name, day in todays.items() if not self._has_failed(name)}
        for name, day in todays.items():
            life = self.lives[name]
            if day.is_seen_in_turn and life.former is None:
                life.former = before[name]
            if day.event == "first load":
                life.world.fill()
            else:
                day.source(life.world)
            life.edit = day.edit
        self.publish(list(todays))
        for flag in sorted({day.flag or "" for day in todays.values()}):
            group = {name: day for name, day in todays.items() if (day.flag or "") == flag}
            for name, day in group.items():
                life = self.lives[name]
                predictions[name] = oracle.predict(
                    life.model, life.known, life.world, day.edit, accepts=day.accepts, begins=flag == "--full-refresh"
                )
            results = self._run(group, flag)
            self.look(list(group))
            for name, day in group.items():
                try:
                    met = judge(self.lives[name], day, predictions[name], results[name])
                    self._meet(name, met)
                except AssertionError as error:
                    self._fail(name, day, str(error))
        for name, day in todays.items():
            if day.is_undone:
                self.lives[name].has_moved_logs = self.lives[name].model.strategy == "view"
                clock = self.lives[name].world.clock
                self.lives[name].world = before[name]
                self.lives[name].world.clock = clock

    def _meet(self, name: str, events: Iterable[str]) -> None:
        for event in events:
            self.met.setdefault((self.lives[name].model.way, event), name)

    def _fail(self, name: str, day: Day, why: str) -> None:
        """The model lives no further; the others do."""
        self.lives[name].days = []
        self.failures.append(f"{name}, {day.event}: {why}")
        print(self.failures[-1])

    def _has_failed(self, name: str) -> bool:
        return any(failure.startswith(f"{name}, ") for failure in self.failures)

    def unmet(self) -> list[tuple[str, str]]:
        """Pairs of a way of comparing and an event that were not met, and for which there is no reason."""
        pairs = [(way, name) for way in self._ways() for name in (*NAMES, *ORDINARY)]
        return [pair for pair in pairs if pair not in self.met and pair not in self.reasons]

    def times(self) -> str:
        """How many runs each model had, and how many seconds they took."""
        return "\n".join(f"{name:22} {len(runs):4} runs {sum(runs):6.0f} s" for name, runs in sorted(self.runs.items()))

    def table(self) -> str:
        """What was met by which model, or why it was not."""
        lines = [
            f"{way:22} {name:28} {self.met.get((way, name)) or self.reasons.get((way, name), 'unmet')}"
            for way in self._ways()
            for name in (*NAMES, *ORDINARY)
        ]
        return "\n".join(lines)

    def _run(self, group: dict[str, Day], flag: str) -> dict[str, str | None]:
        """Run them; what each said in an error, or none."""
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
            life = self.lives[name]
            for operation in day.operations:
                arguments: dict[str, Any] = {"model": name}
                if operation in ("rewind", "expire"):
                    batch = sorted(life.states)[-2]
                    arguments["to_batch"] = batch
                    if operation == "rewind":
                        life.known = oracle.forgotten(life.known, life.states[batch].state)
                        life.states = {at: state for at, state in life.states.items() if at <= batch}
                    else:
                        life.states = {at: state for at, state in life.states.items() if at >= batch}
                calls.append({"name": operation, "arguments": arguments})
        if calls:
            os.environ[STOPS] = "{}"
            done = self._dbt("run-operation", "operate", "--args", json.dumps({"operations": calls}))
            assert done.success, (calls, done.exception, done.result)
            self.look(list(todays))
            for name, day in todays.items():
                if day.operations:
                    life = self.lives[name]
                    try:
                        if "rewind" in day.operations:
                            # What has not been seen yet is undone.
                            life.owed = []
                            life.last_seen = life.log.last_batch
                        check_owed(life, life.owed)
                        check_state(life)
                    except AssertionError as error:
                        self._fail(name, day, str(error))

    def _dbt(self, *command: str) -> Any:
        """A command of dbt, which parses the project where files have changed: other vars do not matter to it."""
        if self._write_files():
            parsed = dbtRunner().invoke(["parse", "--project-dir", str(self.root), *SPARING])
            assert parsed.success, parsed.exception
            self.manifest = parsed.result
        return dbtRunner(manifest=self.manifest).invoke([*command, "--project-dir", str(self.root), *SPARING])

    def _write_files(self) -> bool:
        """The models' files, where they have changed; have any?"""
        former = dict(self.files)
        texts = {name: life.model.text(life.edit) for name, life in self.lives.items()}
        for life in self.lives.values():
            texts |= logs_below(life.model)
        for name, text in texts.items():
            if self.files.get(name) != text:
                self.files[name] = text
                (self.root / "models" / f"{name}.sql").write_text(text)
        for name in set(self.files) - set(texts):
            del self.files[name]
            (self.root / "models" / f"{name}.sql").unlink()
        return self.files != former

    # The sources.

    def publish(self, names: list[str]) -> None:
        """Put the rows where the models read them."""
        statements = []
        for name in names:
            life = self.lives[name]
            rows = life.world.rows
            if life.model.is_remote:
                values = ", ".join(
                    f"({', '.join(map(_quoted, (row.k1, row.k2, row.oid, row.name, row.num, row.dep, row.version)))}, "
                    f"{row.is_gone})"
                    for row in rows
                )
                statements.append(f"delete from contract.{name};")
                statements += [f"insert into contract.{name} values {values};"] if rows else []
                continue
            flat = [
                (row.k1, row.k2, row.oid, row.name, row.num, row.dep, row.version, row.is_gone) for row in rows
            ]  # fmt: skip
            self.spark.createDataFrame(flat, COLUMNS).createOrReplaceGlobalTempView(f"contract_{name}")
            if life.model.is_in_place:
                self._deliver(name, life.model.select(life.edit))
            if life.model.strategy == "view":
                titles = self.spark.createDataFrame(sorted(life.world.titles.items()), "dep int, title string")
                titles.createOrReplaceGlobalTempView(f"contract_{name}_titles")
        if statements:
            self.server.sql("\n".join(statements))

    def _deliver(self, name: str, select: str) -> None:
        """Files with these rows: those of other rows stay as they are."""
        rows = self.spark.sql(select)
        content = sorted(map(repr, [rows.columns, *rows.collect()]))
        folder = self.root / "delivered" / name / md5("\n".join(content).encode()).hexdigest()
        if not folder.exists():
            rows.coalesce(1).write.parquet(str(folder))
        self.spark.sql(f"create schema if not exists {self.schema}")
        self.spark.sql(f"drop table if exists {self.schema}.delivered_{name}")
        self.spark.sql(f"create table {self.schema}.delivered_{name} using parquet location '{folder}'")

    def create_remote(self) -> None:
        """Tables in the database."""
        columns = COLUMNS.replace("string", "text").replace("double", "double precision")
        tables = [
            f"create table contract.{name} ({columns});" for name, life in self.lives.items() if life.model.is_remote
        ]
        self.server.sql("\n".join(["drop schema if exists contract cascade; create schema contract;", *tables]))

    # What is there.

    def look(self, names: list[str]) -> None:
        """Read the logs, their batches and the names of all relations."""
        present = {row.tableName for row in self.spark.sql(f"show tables in {self.schema}").collect()}
        views = [name for name in names if name in present]
        logs = self._rows(views)
        batches = self._rows([f"{name}__batches" for name in views])
        for name in names:
            text = logs.get(name, [])
            told = [json.loads(row) for row in batches.get(f"{name}__batches", [])]
            helpers = {each.removeprefix(f"{name}__") for each in present if each.startswith(f"{name}__")}
            life = self.lives[name]
            life.look(log_of(life.model, [json.loads(row) for row in text], told, helpers, text))

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

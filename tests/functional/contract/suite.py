"""Runs the days of all models together, and compares each log with what the oracle says."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import oracle
from dbt.cli.main import dbtRunner
from declarations import declarations
from events import BEFORE_DECISION, ORDINARY, Day, Event, events, same
from lineup import MODELS, USUAL, Edit, Model, logs_below
from oracle import Change, Knowledge, Prediction
from postgres import PostgresServer
from pyspark.sql import SparkSession
from world import World

STOPS = "CONTRACT_STOPS"
MACROS = {
    "step.sql": """
{% macro default___step(job, batch, name) %}
  {% if fromjson(env_var('CONTRACT_STOPS', '{}')).get(job.name) == name %}
    {% do exceptions.raise_compiler_error('stopped at ' ~ name) %}
  {% endif %}
{% endmacro %}
""",
    "operate.sql": """
{% macro operate(operations) %}
  {% for each in operations %}{% do deltawave[each.name](**each.arguments) %}{% endfor %}
{% endmacro %}
""",
}
COLUMNS = "k1 int, k2 string, oid int, name string, num double, dep int, version int, is_gone boolean"
SPARING = ("--no-write-json", "--log-level-file", "none", "--log-level", "none", "--threads", "2")


@dataclass
class Log:
    """What is seen of a model."""

    changes: list[tuple[int, Change]] = field(default_factory=list)
    batches: list[dict[str, Any]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)

    @property
    def last_batch(self) -> int:
        return max((int(batch["batch_id"]) for batch in self.batches), default=0)

    @property
    def text_and_batches(self) -> tuple[list[str], list[str]]:
        """All that a reader sees, to tell whether it is as before."""
        return self.text, sorted(map(str, self.batches))


@dataclass
class Life:
    """A model with its source, its days to come, and what its log must hold."""

    model: Model
    world: World
    days: list[Day] = field(default_factory=list)
    known: Knowledge = field(default_factory=Knowledge)
    # What batches that stand, and that no reader has seen yet, must hold.
    owed: list[Prediction] = field(default_factory=list)
    # The states that batches of the log left, by batch.
    states: dict[int, Knowledge] = field(default_factory=dict)
    log: Log = field(default_factory=Log)
    edit: Edit = USUAL
    # The last batch that was compared, and what was seen with it.
    last_seen: int = 0
    seen: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    # Until a turn shows what happened to the source: the source before it, and how many runs it took.
    former: World | None = None
    runs: int = 0


    def next_day(self) -> Day:
        """The next of its days; an operation that goes back to a batch waits until there are two."""
        if len(self.states) < 2 and {"rewind", "expire"} & set(self.days[0].operations):
            return Day("ordinary")
        return self.days.pop(0)

    def may_be_refused(self, prediction: Prediction, said: str) -> bool:
        """Do the deletes of a turn add up to what the guard refuses?"""
        assert prediction.dump is not None
        last = sorted({batch for batch, _ in self.log.changes})[-6:]
        deletes = sum(change.kind == "delete" and batch in last for batch, change in self.log.changes)
        deletes += len(self.known.state.keys() - prediction.dump.keys())
        return "would be deleted" in said and 2 * deletes > self.known.rows


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
        self.lives = {}
        for name in names:
            model = MODELS[name]
            copies = 2 if model.duplicate_keys == "multiset" else 1
            world = World(Random(f"{seed} {name}"), model.size, copies=copies, renumbers=model.strategy == "view")
            self.lives[name] = Life(model, world)
        self.files: dict[str, str] = {}

    # The deck.

    def deal(self) -> None:
        """Deal every event to one model of each strategy to which it can happen, in an order of chance."""
        chance = Random(f"{self.seed} deck")
        for strategy, declared in declarations().items():
            lives = [life for life in self.lives.values() if life.model.strategy == strategy]
            decks: dict[str, list[list[Day]]] = {life.model.name: [] for life in lives}
            if not lives:
                continue
            dealt = events()
            chance.shuffle(dealt)
            # Those that fit few models first.
            dealt.sort(key=lambda event: sum(event.unless(life.model, declared) is None for life in lives))
            for event in dealt:
                self._deal_one(event, decks, lives)
            for life in lives:
                deck = decks[life.model.name]
                chance.shuffle(deck)
                life.days = [Day("first load"), Day("ordinary"), *(day for days in deck for day in days)]
                life.days.append(Day("ordinary"))

    def _deal_one(self, event: Event, decks: dict[str, list[list[Day]]], lives: list[Life]) -> None:
        strategy = lives[0].model.strategy
        declared = declarations()[strategy]
        fitting = [life.model for life in lives if event.unless(life.model, declared) is None]
        if not fitting:
            reasons = {event.unless(life.model, declared) for life in lives}
            self.reasons[strategy, event.name] = "; ".join(sorted(filter(None, reasons)))
            return
        model = min(fitting, key=lambda each: sum(map(len, decks[each.name])))
        decks[model.name].append(event.days(model))

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
                    self._judge(self.lives[name], day, predictions[name], results[name])
                except AssertionError as error:
                    self._fail(name, day, str(error))
        for name, day in todays.items():
            if day.is_undone:
                clock = self.lives[name].world.clock
                self.lives[name].world = before[name]
                self.lives[name].world.clock = clock

    def _fail(self, name: str, day: Day, why: str) -> None:
        """The model lives no further; the others do."""
        self.lives[name].days = []
        self.failures.append(f"{name}, {day.event}: {why}")

    def _has_failed(self, name: str) -> bool:
        return any(failure.startswith(f"{name}, ") for failure in self.failures)

    def unmet(self) -> list[tuple[str, str]]:
        """Pairs of a strategy and an event that were not met, and for which there is no reason."""
        strategies = {life.model.strategy for life in self.lives.values()}
        names = [*(event.name for event in events()), *ORDINARY]
        pairs = [(strategy, name) for strategy in sorted(strategies) for name in names]
        return [pair for pair in pairs if pair not in self.met and pair not in self.reasons]

    def table(self) -> str:
        """What was met by which model, or why it was not."""
        names = dict.fromkeys([*(event.name for event in events()), *ORDINARY])
        lines = [
            f"{strategy:22} {name:28} {self.met.get((strategy, name)) or self.reasons.get((strategy, name), 'unmet')}"
            for strategy in dict.fromkeys(life.model.strategy for life in self.lives.values())
            for name in names
        ]
        return "\n".join(lines)

    def _run(self, group: dict[str, Day], flag: str) -> dict[str, str | None]:
        """Run them; what each said in an error, or none."""
        stops = {name: day.stops_at for name, day in group.items() if day.stops_at}
        accepted = [name for name, day in group.items() if day.accepts]
        os.environ[STOPS] = json.dumps(stops)
        names = [*group, *(log for name in group for log in logs_below(MODELS[name]))]
        arguments = ["run", "--select", *names, *([flag] if flag else [])]
        if accepted:
            arguments += ["--vars", json.dumps({"deltawave_accept": accepted})]
        done = self._dbt(*arguments)
        found: dict[str, str | None] = {}
        for result in done.result.results if done.result is not None else []:
            failed = str(result.status) not in ("success", "pass")
            found[result.node.name] = " ".join(str(result.message).split()) if failed else None
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
                            life.owed = []
                        self._check_owed(life, life.owed)
                        self._check_state(life)
                    except AssertionError as error:
                        self._fail(name, day, str(error))

    def _dbt(self, *command: str) -> Any:
        self._write_files()
        return dbtRunner().invoke([*command, "--project-dir", str(self.root), *SPARING])

    def _write_files(self) -> None:
        """The models' files, where they have changed."""
        texts = {name: life.model.text(life.edit) for name, life in self.lives.items()}
        for life in self.lives.values():
            texts |= logs_below(life.model)
        for name, text in texts.items():
            if self.files.get(name) != text:
                self.files[name] = text
                (self.root / "models" / f"{name}.sql").write_text(text)

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
            if life.model.strategy == "view":
                titles = self.spark.createDataFrame(sorted(life.world.titles.items()), "dep int, title string")
                titles.createOrReplaceGlobalTempView(f"contract_{name}_titles")
        if statements:
            self.server.sql("\n".join(statements))

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
            found = [json.loads(row) for row in text]
            life = self.lives[name]
            changes = sorted(
                ((row["_batch_id"], _change(life.model, row)) for row in found),
                key=lambda each: (each[0], ["delete", "update", "insert"].index(each[1].kind)),
            )
            told = [json.loads(row) for row in batches.get(f"{name}__batches", [])]
            helpers = {each.removeprefix(f"{name}__") for each in present if each.startswith(f"{name}__")}
            life.log = Log(changes, told, helpers, sorted(text))

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

    # The judgement.

    def _judge(self, life: Life, day: Day, prediction: Prediction, said: str | None) -> None:
        """Compare what a run did with what it had to do."""
        refused = day.refused if day.is_refused_by_columns else prediction.refused
        is_partial = prediction.dump is not None
        if day.flag == "--empty":
            assert said is None, said
            self._check_unchanged(life)
        elif is_partial and (day.is_seen_in_turn or said is not None and life.may_be_refused(prediction, said)):
            self._judge_turn(life, day, prediction, said)
            return
        elif refused:
            assert said is not None, f"not refused, but expected: {refused}"
            assert re.search(refused, said) or day.stops_at in BEFORE_DECISION and "stopped at" in said, said
            self._check_unchanged(life)
            if not day.refused:
                # Ordinary days may add up to a loss.
                assert not day.accepts, refused
                life.days.insert(0, replace(day, accepts=True))
                return
            assert re.search(day.refused, said), said
        elif day.stops_at:
            assert not day.refused, "the oracle expects no refusal"
            assert said is not None, "not stopped"
            assert f"stopped at {day.stops_at}" in said, said
            if day.stops_at in BEFORE_DECISION:
                self._check_unchanged(life)
            else:
                life.owed.append(prediction)
                life.known = prediction.after
        else:
            assert not day.refused, "the oracle expects no refusal"
            assert said is None, said
            self._check_batches(life, day, prediction)
            if not day.is_idle:
                self._meet(life, life.world.did)
        self._meet(life, [day.event])

    def _judge_turn(self, life: Life, day: Day, prediction: Prediction, said: str | None) -> None:
        """A run that reads a part is refused when it comes to what is wrong, and for a whole turn's deletes."""
        if said is None:
            self._check_batches(life, day, prediction)
            life.runs += 1
            assert life.runs < 8, "never refused"
            life.days.insert(0, replace(day, source=same))
            return
        self._check_unchanged(life)
        life.runs = 0
        if day.is_seen_in_turn:
            assert re.search(day.refused or "", said), said
            assert life.former is not None
            life.world = life.former
            life.former = None
            self._meet(life, [day.event])
        else:
            # Ordinary days may add up to a loss.
            life.days.insert(0, replace(day, accepts=True))

    def _meet(self, life: Life, names: Iterable[str]) -> None:
        for name in names:
            self.met.setdefault((life.model.strategy, name), life.model.name)

    def _check_unchanged(self, life: Life) -> None:
        # Batches that were owed are brought to their end by whichever run comes next.
        assert life.owed or life.seen == life.log.text_and_batches, "a run that was refused or stopped changed the log"

    def _check_batches(self, life: Life, day: Day, prediction: Prediction) -> None:
        """The log holds what it must after a good run."""
        told = self._check_owed(life, [*life.owed, prediction])
        if day.is_idle and prediction.dump is None:
            assert not told, told
        if prediction.set_aside:
            assert told[-1]["quarantined"] == prediction.set_aside, told
        if day.flag == "--full-refresh":
            life.states = {}
        life.states[life.log.last_batch] = life.known
        self._check_state(life)
        if told:
            self._check_helpers(life, day)

    def _check_owed(self, life: Life, predictions: list[Prediction]) -> list[dict[str, Any]]:
        """The batches since the last look hold what was foretold of them; their rows of x__batches."""
        found: dict[int, list[Change]] = {}
        for batch, change in life.log.changes:
            found.setdefault(batch, []).append(change)
        told = [batch for batch in life.log.batches if batch["batch_id"] > life.last_seen]
        numbers = sorted(int(batch["batch_id"]) for batch in told if batch["strategy"] in declarations())
        assert {batch for batch in found if batch > life.last_seen} <= set(numbers), (sorted(found), numbers)
        for batch in told:
            changes = found.get(int(batch["batch_id"]), [])
            counts = Counter("backfill" if change.columns == () else change.kind for change in changes)
            for kind, name in (("insert", "inserts"), ("delete", "deletes"), ("update", "updates"), ("backfill", "backfilled")):
                assert batch[name] == counts[kind], (name, batch)
        for each in predictions:
            if each.dump is not None:
                assert numbers, "a run that reads a part makes a batch"
                life.known = oracle.check_partial(life.model, each.before, each.dump, found.get(numbers.pop(0), []))
                continue
            life.known = each.after
            while numbers and numbers[0] not in found and each.changes:
                numbers.pop(0)
            if each.changes:
                assert numbers, f"no batch; missing: {_told(each.changes)}"
                changes = found[numbers.pop(0)]
                one, other = oracle.summary(life.model, changes), oracle.summary(life.model, each.changes)
                assert one == other, f"too many: {one - other}, missing: {other - one}"
        left = [number for number in numbers if number in found]
        assert not left, f"too many batches: {[_told(found[number]) for number in left]}"
        life.owed = []
        return sorted(told, key=lambda batch: int(batch["batch_id"]))

    def _check_state(self, life: Life) -> None:
        """The whole log replays to what is known."""
        model = life.model
        life.last_seen = life.log.last_batch
        life.seen = life.log.text_and_batches
        if model.options.get("initial_load") == "baseline":
            return
        state = oracle.replay(model, [change for _, change in life.log.changes])
        one, other = oracle.counted(model, state), oracle.counted(model, life.known.state)
        assert one == other, f"the log replays to another state: too many: {one - other}, missing: {other - one}"

    def _check_helpers(self, life: Life, day: Day) -> None:
        """No relation stays that neither the log nor the next run needs."""
        declared = declarations()[day.edit.strategy or life.model.strategy]
        kinds = Counter(re.sub(r"_\d.*", "", name) for name in life.log.names)
        kept = kinds["held"] + kinds["copy"] if declared.keeps in ("copy", "ordered") else kinds[declared.keeps]
        assert kept == 1, sorted(life.log.names)
        assert kinds["commit"] == 1, sorted(life.log.names)
        wanted = {"log", "batches", "commit", "copy", "held", "quarantine", declared.keeps}
        if declared.ranges != "none":
            wanted |= {"ranges", "cuts"}
            assert kinds["ranges"] + kinds["cuts"] == 1, sorted(life.log.names)
        assert set(kinds) <= wanted, sorted(life.log.names)


def _told(changes: Iterable[Change]) -> list[tuple[str, Any]]:
    return [(change.kind, change.key) for change in changes]


def _change(model: Model, row: dict[str, Any]) -> Change:
    """A row of the log."""
    record = {name: _value(name, row.get(name)) for name in model.columns}
    if model.strategy == "view" and "name" not in row:
        record["name"] = None
    given = row["_before"]
    before = None
    if given is not None:
        before = record | {name: _value(name, value) for name, value in given.items()}
    columns = row["_changed_columns"]
    return Change(
        row["_change_type"], oracle.key_of(model, record), record, before, None if columns is None else tuple(columns)
    )


def _value(name: str, value: Any) -> Any:
    if name == "version" and isinstance(value, str):
        hours = dt.datetime.fromisoformat(value.replace("Z", "+00:00")) - dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc)
        return int(hours.total_seconds() // 3600)
    if name == "num" and isinstance(value, str):
        return float(value.replace("Infinity", "inf"))
    return value


def _quoted(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"'{value}'::float8" if isinstance(value, float) else str(value)

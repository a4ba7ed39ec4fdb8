"""Runs dbt as processes that can be killed, on a metastore server, beside a reader that never stops looking."""

from __future__ import annotations

import fnmatch
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import history
import pyarrow as pa
import yaml
from metastore import MetastoreServer
from object_store import CREDENTIALS, TABLES, ObjectStore, joined
from pyarrow import parquet

PROJECT = Path(__file__).with_name("project")
ROOT = Path(__file__).resolve().parents[2]
# As it is before other tests change it.
ENVIRONMENT = dict(os.environ)
READER = Path(__file__).with_name("reader.py")
SCHEMA = "crash"
# Longer than any run takes, the other tests beside. A model that never gets where it has to wait would hold up all.
_SECONDS = 1200

_COMMON = {
    # Models that wait for a kill may each keep a task.
    "spark.master": "local[28]",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.memory": "1g",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


OUTPUTS = yaml.safe_load((ROOT / "profiles" / "profiles.yml").read_text())["deltawave_demo"]["outputs"]
FORMATS = {
    "parquet": {},
    "delta": OUTPUTS["delta"]["server_side_parameters"],
    "iceberg": OUTPUTS["iceberg"]["server_side_parameters"],
}
# The reader lives long, and with Iceberg's cache it would look at the tables as it first saw them.
UNCACHED = {"spark.sql.catalog.spark_catalog.cache-enabled": "false"}


# How names begin of what a statement writes first.
_WRITTEN = ("_temporary", ".spark-staging-", "part-")


@dataclass(frozen=True)
class Model:
    """The text of a model's file, and the column by which a reader counts its rows."""

    text: str
    counted_by: str = "_batch_id"


@contextmanager
def open_project(
    file_format: str, models: Mapping[str, Model], folder: Path, jvm_options: str, store: ObjectStore | None = None
) -> Iterator[KilledProject]:
    """A warehouse of that file format, on a metastore server of its own, and a project of these models."""
    folder.mkdir()
    if store:
        # Of an earlier test, whose metastore knew the tables.
        store.empty()
    with MetastoreServer(folder / "metastore", store) as server:
        project = KilledProject(folder, models, server, file_format, FORMATS[file_format], jvm_options)
        try:
            yield project
        finally:
            project.close()


class KilledProject:
    """One warehouse with dated dumps in it, and the dbt project that compares them."""

    def __init__(
        self,
        folder: Path,
        models: Mapping[str, Model],
        server: MetastoreServer,
        file_format: str,
        extra: dict[str, str],
        jvm_options: str,
    ) -> None:
        self.folder = folder
        self.models = models
        self.file_format = file_format
        scratch = folder / "scratch"
        scratch.mkdir()
        # Killed processes can't tidy up, so what they leave has to lie in the test's own folder.
        local = {
            "spark.local.dir": str(scratch),
            "spark.driver.extraJavaOptions": f"{jvm_options} -Djava.io.tmpdir={scratch}",
        }
        self.settings = _COMMON | local | joined(server.settings, extra)
        self.store = server.store
        self.environment = ENVIRONMENT | (CREDENTIALS if self.store else {})
        self._started: list[Process] = []
        self.project = folder / "project"
        shutil.copytree(PROJECT, self.project)
        (self.project / "models").mkdir()
        for name, model in models.items():
            (self.project / "models" / f"{name}.sql").write_text(model.text)
        package = self.project / "dbt_packages" / "deltawave"
        package.mkdir(parents=True)
        config = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
        kept = {key: config[key] for key in ("name", "version", "config-version")}
        (package / "dbt_project.yml").write_text(yaml.safe_dump(kept | {"macro-paths": ["macros"]}))
        (package / "macros").symlink_to(ROOT / "macros", target_is_directory=True)
        (self.project / "packages.yml").write_text(f"packages: [{{local: {ROOT}}}]\n")
        target = {
            "type": "deltawave",
            "schema": SCHEMA,
            "threads": len(models),
            "data_dir": str(folder / "spark"),
            "server_side_parameters": self.settings,
        }
        profile = {"crash": {"target": "test", "outputs": {"test": target}}}
        (self.project / "profiles.yml").write_text(yaml.safe_dump(profile))

    def dbt(self, last: int, *args: str, stops: Mapping[str, str] | None = None, command: str = "run") -> DbtProcess:
        """Start a command of dbt on the dumps up to number ``last`` (from 1); ``stops`` says where models wait."""
        self.gate.write_text("")
        process = DbtProcess(
            [str(Path(sys.executable).with_name("dbt")), command, "--profiles-dir", ".", *args],
            self.project,
            self.folder / f"dbt_{len(self._started)}.txt",
            self.environment
            | {
                "STOPS": json.dumps(stops or {}),
                "GATE": str(self.gate),
                "LAST_DUMP": str(history.dates(last)[-1]),
                "FILE_FORMAT": self.file_format,
            },
        )
        self._started.append(process)
        return process

    @property
    def gate(self) -> Path:
        """The file whose text lets models pass that wait for it."""
        return self.folder / "gate"

    def reader(self, dumps: list[history.Dump]) -> Reader:
        """Start a reader of the model's view, which first puts the dumps where the model finds them."""
        (self.folder / "settings.json").write_text(json.dumps(self.settings | UNCACHED))
        views = {f"{SCHEMA}.{name}": model.counted_by for name, model in self.models.items()}
        (self.folder / "models.json").write_text(json.dumps(views))
        (self.folder / "dumps.json").write_text(json.dumps(history.rows(dumps), default=str))
        reader = Reader(self.folder, self.environment)
        self._started.append(reader)
        reader.wait_for_dumps()
        return reader

    @property
    def tables(self) -> Path:
        """The folder of the models' tables."""
        return self.folder / "metastore" / "warehouse" / f"{SCHEMA}.db"

    def written(self, model: str) -> set[Path]:
        """What statements have begun to write, or written, into tables of the model's."""
        if self.store:
            keys = map(Path, self.store.objects(f"{TABLES}/{SCHEMA}.db/{model}__"))
            return {key for key in keys if any(part.startswith(_WRITTEN) for part in key.parts)}
        found = set()
        # Folders may vanish while they are listed.
        for table in self.tables.glob(f"{model}__*"):
            for folder, folders, files in os.walk(table):
                found |= {Path(folder, name) for name in (*folders, *files) if name.startswith(_WRITTEN)}
        return found

    def writers(self, table: str) -> set[str]:
        """The libraries that wrote the Parquet files of tables, whose names are a pattern."""
        if self.store:
            keys = fnmatch.filter(self.store.objects(f"{TABLES}/{SCHEMA}.db/"), f"*/{table}/*.parquet")
            files = (pa.BufferReader(self.store.content(key)) for key in keys)
            return {parquet.read_metadata(file).created_by.split()[0] for file in files}
        return {parquet.read_metadata(file).created_by.split()[0] for file in self.tables.glob(f"{table}/*.parquet")}

    def close(self) -> None:
        """End what a failed test left running."""
        for process in self._started:
            process.kill()


class Process:
    """A process group of its own, JVM included, whose output goes to a file."""

    def __init__(self, command: list[str], folder: Path, output: Path, env: Mapping[str, str]) -> None:
        self._output = output
        with output.open("w") as stream:
            self._process = subprocess.Popen(
                command, cwd=folder, env=env, stdout=stream, stderr=subprocess.STDOUT, start_new_session=True
            )

    @property
    def output(self) -> str:
        """What it has written until now."""
        return self._output.read_text()

    def wait_until(self, is_done: Callable[[], bool], what: str) -> None:
        """Return when that is done; fails when the process ends without, or takes too long."""
        deadline = time.monotonic() + _SECONDS
        while not is_done():
            assert self._process.poll() is None, f"ended before {what}:\n{self.output}"
            assert time.monotonic() < deadline, f"still runs before {what}:\n{self.output}"
            time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL the whole group, if it still runs."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def finish(self) -> int:
        """Wait for its end and return the exit code; fails when it takes too long."""
        try:
            return self._process.wait(timeout=_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"does not end:\n{self.output}") from error


class DbtProcess(Process):
    """A dbt command."""

    def wait_for(self, *texts: str) -> None:
        """Return when it has written all of these lines."""
        self.wait_until(lambda: all(f"{text}\n" in self.output for text in texts), " and ".join(texts))


class Reader(Process):
    """The reader's process and what it saw."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        super().__init__([sys.executable, str(READER), str(folder)], folder, folder / "reader.txt", environment)

    def wait_for_dumps(self) -> None:
        """Return when the dumps are in their table."""
        self.wait_until((self._folder / "delivered").exists, "the dumps are there")

    def stop(self) -> None:
        """Let it read the whole log, and end."""
        (self._folder / "stop").touch()
        assert self.finish() == 0, self.output

    def polls(self, model: str) -> list[dict[str, Any]]:
        """What each poll of a model saw."""
        seen = [json.loads(line) for line in (self._folder / "seen.jsonl").read_text().splitlines()]
        return [poll for poll in seen if poll["view"] == f"{SCHEMA}.{model}"]

    @property
    def tables(self) -> set[str]:
        """The names of the models' tables and views at the end."""
        return set(json.loads((self._folder / "tables.json").read_text()))

    def wave(self, model: str) -> dict[str, Any]:
        """What a wave index had at the end."""
        found: dict[str, Any] = json.loads((self._folder / "waves.json").read_text())[f"{SCHEMA}.{model}"]
        return found

    def log(self, model: str) -> set[history.Change]:
        """A model's rows at the end."""
        logs = json.loads((self._folder / "logs.json").read_text())
        changes = [_change(row) for row in logs[f"{SCHEMA}.{model}"]]
        assert len(set(changes)) == len(changes), f"a change stands in the log of {model} twice"
        return set(changes)


def kill_at(project: KilledProject, last: int, stops: Mapping[str, str]) -> None:
    """Run the models of ``stops`` on the dumps up to ``last`` until all wait there, and SIGKILL the process."""
    run = project.dbt(last, "--select", *stops, stops=stops)
    run.wait_for(*(f"STOPPED {model} AT {stop}" for model, stop in stops.items()))
    for model, stop in stops.items():
        if stop.endswith("-passing"):
            before = project.written(model)
            project.gate.write_text("go\n")
            deadline = time.monotonic() + _SECONDS
            while project.written(model) <= before and f"STOPPED {model} AT {stop}, PASSED" not in run.output:
                assert time.monotonic() < deadline, run.output
                time.sleep(0.002)
    run.kill()


def run(project: KilledProject, last: int) -> str:
    """Run undisturbed on the dumps up to ``last``; what dbt says."""
    process = project.dbt(last)
    assert process.finish() == 0, process.output
    return process.output


def _change(row: dict[str, Any]) -> history.Change:
    before = row["_before"]
    return history.Change(
        row["_batch_id"],
        (row["region"], row["account_id"]),
        row["_change_type"],
        (row["balance"], row["note"]),
        (before["balance"], before["note"]) if before else None,
    )

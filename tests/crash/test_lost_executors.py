"""Executors that are killed while a batch runs on a cluster, with speculative tasks, change nothing in the log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml
from killed_project import ENVIRONMENT, ROOT
from pyarrow import parquet

ROWS = 60_000
_EXECUTORS, _KILLS = 2, 3
MODEL = """
{{{{ config(materialized='differential', unique_key='account_id', meta={{'strategy': '{name}'}}) }}}}
select * from parquet.`{source}`
"""
# Both logs are those of one source.
SAME = """
{% set columns = 'account_id, name, amount, _change_type, _batch_id, _before.amount as before' %}
(select {{ columns }} from {{ ref('row_checksum') }} except all select {{ columns }} from {{ ref('outer_join') }})
union all
(select {{ columns }} from {{ ref('outer_join') }} except all select {{ columns }} from {{ ref('row_checksum') }})
"""
# Replayed, the log is the source.
REPLAYED = """
(
    select account_id, name, amount
    from ({{{{ deltawave.current_state(ref('{name}'), 'account_id') }}}})
    except all
    select * from parquet.`{source}`
)
union all
(
    select * from parquet.`{source}`
    except all
    select account_id, name, amount
    from ({{{{ deltawave.current_state(ref('{name}'), 'account_id') }}}})
)
"""
SETTINGS = {
    "spark.master": "local-cluster[2,1,1024]",
    "spark.executor.memory": "768m",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "8",
    # Small tables, and a task of its own for each part of a join.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # A slow task runs a second time beside the first.
    "spark.speculation": "true",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.interval": "50ms",
    # Each executor that is killed counts as a failure of its task.
    "spark.task.maxFailures": "20",
    "spark.stage.maxConsecutiveAttempts": "20",
    "spark.deploy.maxExecutorRetries": "-1",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def test_a_batch_survives_lost_executors(tmp_path: Path) -> None:
    source = tmp_path / "source"
    write_project(tmp_path / "project", source, tmp_path / "spark")
    for number in range(3):
        write_dump(source, number)
        text, killed = build(tmp_path / "project")
        assert killed, text


def write_dump(folder: Path, number: int) -> None:
    """Keys come and go, and amounts change; in four files."""
    folder.mkdir(exist_ok=True)
    keys = [key for key in range(number * 500, ROWS + number * 700) if key % 97 != number]
    amounts = [key * 7 + (number if key % 11 == 0 else 0) for key in keys]
    table = pa.table({"account_id": keys, "name": [f"name {key % 5000}" for key in keys], "amount": amounts})
    for part in range(4):
        parquet.write_table(table.filter(pa.array([key % 4 == part for key in keys])), folder / f"part-{part}.parquet")


def write_project(folder: Path, source: Path, data: Path) -> None:
    config = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    package = folder / "dbt_packages" / "deltawave"
    files: dict[str, Any] = {
        "dbt_project.yml": {"name": "lost", "profile": "lost", "flags": {"send_anonymous_usage_stats": False}},
        "packages.yml": {"packages": [{"local": str(ROOT)}]},
        "profiles.yml": {
            "lost": {
                "target": "cluster",
                "outputs": {
                    "cluster": {
                        "type": "deltawave",
                        "schema": "lost",
                        "threads": 2,
                        "data_dir": str(data),
                        "server_side_parameters": SETTINGS,
                    }
                },
            }
        },
        "dbt_packages/deltawave/dbt_project.yml": {
            **{key: config[key] for key in ("name", "version", "config-version")},
            "macro-paths": ["macros"],
        },
    }
    for name in ("row_checksum", "outer_join"):
        files[f"models/{name}.sql"] = MODEL.format(name=name, source=source)
        files[f"tests/{name}_replayed.sql"] = REPLAYED.format(name=name, source=source)
    files["tests/same.sql"] = SAME
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    (package / "macros").symlink_to(ROOT / "macros", target_is_directory=True)


def build(folder: Path) -> tuple[str, int]:
    """``dbt build``, while executors are killed: its output, and how many were."""
    command = [sys.executable, "-m", "dbt.cli.main", "build", "--project-dir", ".", "--profiles-dir", "."]
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    ended = threading.Event()
    killer = Killer(process.pid, ended.wait)
    killer.start()
    text, _ = process.communicate(timeout=900)
    ended.set()
    killer.join()
    assert process.returncode == 0, text
    return text, killer.killed


class Killer(threading.Thread):
    """Kills the oldest executor of a driver, a few times. ``wait``: for so many seconds; true if it is over.

    The next one dies only after the cluster has replaced it, so that work goes on.
    """

    def __init__(self, driver: int, wait: Callable[[float], bool]) -> None:
        super().__init__(daemon=True)
        self.driver, self.wait, self.killed = driver, wait, 0

    def run(self) -> None:
        while self.killed < _KILLS and not self.wait(10):
            if len(executors := sorted(executors_of(self.driver))) == _EXECUTORS:
                os.kill(executors[0], signal.SIGKILL)
                self.killed += 1


def executors_of(driver: int) -> list[int]:
    """Processes of executors whose driver is below the process ``driver``."""
    parents, executors = {}, []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
                executors.append(int(folder.name))
        except OSError:
            # It has ended meanwhile.
            continue

    def is_below(process: int) -> bool:
        while process > 1 and process != driver:
            process = parents.get(process, 0)
        return process == driver

    return [process for process in executors if is_below(process)]

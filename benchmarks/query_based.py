"""Measure what each strategy of CH98 reads, and its time, compared with the cost model's prediction.

A table of 13 columns in key order; between two runs 1% of its rows change, in 20 clusters of neighbouring keys.
Each strategy keeps a change log of it, in one dbt project and one Spark session, local[2]. Measured is the run that
finds the second change (the first warms up), by Spark's event log: rows and bytes that tasks read from files, of the
source and of the previous state, and bytes that they wrote. A covering copy that the loader writes together with the
table costs no extra read; if a model makes it from the table after each load, that read is counted in its own line.
Writes query_based.json and query_based.md.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.session import open_session
from laboratory.commands import FIGURES, ROOT, command
from laboratory.costs import query_based
from laboratory.costs.source_table import SourceTable

CLUSTERS = 20
CHANGED = 0.01
COLUMNS = 10
# CH98's augmented index holds key, timestamp, flag and the pertinent fields: two of ten here.
COVERED = ["c0", "c1"]
COVERING = "timestamp_delete_flag, covering copy"
SELECTS = {
    "whole": "select * except (changed_at, is_gone) from {{ target.schema }}.source",
    "timed": "select * except (is_gone) from {{ target.schema }}.source",
    "flagged": "select * from {{ target.schema }}.source",
    "covered": f"select id, {', '.join(COVERED)}, changed_at, is_gone from {{{{ target.schema }}}}.covering",
}


@dataclass(frozen=True)
class Contender:
    """A strategy: its model, and by the cost model the pages that it reads and the share of rows that it fetches."""

    name: str
    select: str
    config: str
    reads: Any
    fetches: float


def contenders() -> list[Contender]:
    timed = "meta={'strategy': 'timestamp', 'updated_at': 'changed_at'}"
    flagged = "meta={'strategy': 'timestamp_delete_flag', 'updated_at': 'changed_at', 'delete_flag': 'is_gone'}"
    return [
        # By sort_merge, which does the same, Spark joins: what DuckDB reads is not counted.
        Contender("outer_join", "whole", "meta={'strategy': 'sort_merge'}", query_based.mds, 1),
        Contender("union", "whole", "meta={'strategy': 'union'}", query_based.qda, 1),
        Contender("timestamp", "timed", timed, query_based.ts, CHANGED),
        Contender("timestamp_delete_flag", "flagged", flagged, query_based.tdi_without_index, CHANGED),
        Contender(COVERING, "covered", flagged, query_based.atdi_projected, CHANGED),
        Contender("row_checksum", "whole", "meta={'strategy': 'row_checksum'}", query_based.tlcs_beside, CHANGED),
        Contender("ranges", "whole", "meta={'strategy': 'ranges'}", query_based.incremental, 1),
        # As in Table 3, changes fill the ranges that they hit.
        Contender(
            "range_checksum", "whole", "meta={'strategy': 'range_checksum'}", query_based.range_checksum, CHANGED
        ),
    ]


class Bench:
    """A Spark session with an event log, and a dbt project with one model per strategy."""

    def __init__(self, folder: Path, rows: int) -> None:
        self.rows = rows
        self.folder = folder
        self.events = folder / "events"
        self.events.mkdir()
        settings = {
            "spark.master": "local[2]",
            "spark.driver.memory": "6g",
            "spark.sql.shuffle.partitions": "4",
            # Spark does not count what Parquet's own threads read.
            "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self.events.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
        }
        target = {
            "type": "deltawave",
            "schema": "bench",
            "threads": 1,
            "data_dir": str(folder / "spark"),
            "server_side_parameters": settings,
        }
        self.project = folder / "project"
        self._write_project(target)
        self.spark = open_session(
            DeltawaveCredentials(schema="bench", data_dir=str(folder / "spark"), server_side_parameters=settings)
        )
        self.spark.sql("create schema if not exists bench")

    def _write_project(self, target: dict[str, Any]) -> None:
        package = self.project / "dbt_packages" / "deltawave"
        package.mkdir(parents=True)
        config = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
        kept = {key: config[key] for key in ("name", "version", "config-version")}
        (package / "dbt_project.yml").write_text(yaml.safe_dump(kept | {"macro-paths": ["macros"]}))
        (package / "macros").symlink_to(ROOT / "macros", target_is_directory=True)
        models = self.project / "models"
        models.mkdir()
        (self.project / "dbt_project.yml").write_text(yaml.safe_dump({"name": "bench", "profile": "bench"}))
        (self.project / "packages.yml").write_text(f"packages: [{{local: {ROOT}}}]\n")
        (self.project / "profiles.yml").write_text(
            yaml.safe_dump({"bench": {"target": "bench", "outputs": {"bench": target}}})
        )
        for number, each in enumerate(contenders()):
            head = f"{{{{ config(materialized='differential', unique_key='id', {each.config}) }}}}\n"
            (models / f"log_{number}.sql").write_text(head + SELECTS[each.select] + "\n")

    def deliver(self, version: int) -> dict[str, float]:
        """Write the table after that many changes, and its covering copy; return the cost of the copy."""
        width = int(self.rows * CHANGED / CLUSTERS)
        gap = self.rows // CLUSTERS
        # The version of a row: the last change whose clusters it was in.
        touched = [
            f"when pmod(id, {gap}) between {each * width} and {(each + 1) * width - 1} then {each}"
            for each in range(version, 0, -1)
        ]
        # Rows that never changed were loaded earlier, one after another.
        changed = f"case {' '.join(touched)} else 0 end" if touched else "0"
        columns = ", ".join(
            f"concat('value-{column}-', sha2(cast(id + {column} as string), 0), "
            + (f"'-', cast({changed} as string)" if column == 0 else "''")
            + f") as c{column}"
            if column % 2 == 0
            else f"id * {column + 7} as c{column}"
            for column in range(COLUMNS)
        )
        self.spark.sql("drop table if exists bench.source")
        self.spark.sql(
            f"create table bench.source using parquet as select /*+ repartition_by_range(8, id) */ id, {columns}, "
            f"if({changed} = 0, id - {self.rows}, {changed}) as changed_at, false as is_gone "
            f"from range({self.rows}) sort by id"
        )
        self.spark.sql("drop table if exists bench.covering")
        covered = ", ".join(COVERED)
        before, start = self._moved(), time.perf_counter()
        self.spark.sql(
            "create table bench.covering using parquet as select /*+ repartition_by_range(8, changed_at, id) */ "
            f"id, changed_at, is_gone, {covered} from bench.source sort by changed_at, id"
        )
        return {"seconds": time.perf_counter() - start, **self._moved_since(before)}

    def run(self, number: int) -> dict[str, float]:
        """One run of a model: seconds, rows and bytes that its tasks read."""
        before = self._moved()
        start = time.perf_counter()
        result = dbtRunner().invoke(
            [
                *("--quiet", "run", "--select", f"log_{number}"),
                *("--project-dir", str(self.project), "--profiles-dir", str(self.project)),
            ]
        )
        seconds = time.perf_counter() - start
        if not result.success:
            results: Any = getattr(result.result, "results", [])
            raise SystemExit(f"log_{number} failed: {result.exception or results[0].message}")
        moved = self._moved_since(before)
        batch: Any = self.spark.sql(
            f"select max_by(struct(*), batch_id) as last from bench.log_{number}__batches"
        ).first()
        return {
            "seconds": seconds,
            **moved,
            "fetched": batch.last.rows_dump,
            "changes": batch.last.inserts + batch.last.deletes + batch.last.updates,
        }

    def table_bytes(self, name: str) -> int:
        return sum(file.stat().st_size for file in (self.folder / "spark").rglob(f"{name}/*.parquet"))

    def _moved_since(self, before: Counter[str]) -> dict[str, float]:
        after = self._moved()
        return {name: after[name] - before[name] for name in ("bytes", "rows", "written")}

    def _moved(self) -> Counter[str]:
        """What all tasks have read and written so far."""
        # Spark writes the log asynchronously.
        self.spark._jsc.sc().listenerBus().waitUntilEmpty()
        totals: Counter[str] = Counter()
        for file in self.events.iterdir():
            for line in file.open():
                if '"Event":"SparkListenerTaskEnd"' in line:
                    metrics = json.loads(line).get("Task Metrics") or {}
                    read = metrics.get("Input Metrics", {})
                    totals["bytes"] += read.get("Bytes Read", 0)
                    totals["rows"] += read.get("Records Read", 0)
                    totals["written"] += metrics.get("Output Metrics", {}).get("Bytes Written", 0)
        return totals


def measure(rows: int) -> list[dict[str, Any]]:
    folder = Path(tempfile.mkdtemp(prefix="deltawave_bench_"))
    try:
        bench = Bench(folder, rows)
        results: list[dict[str, Any]] = [{"strategy": each.name} for each in contenders()]
        for version in range(3):
            built = bench.deliver(version)
            for number, each in enumerate(contenders()):
                found = bench.run(number)
                print(f"change {version}: {each.name}: {found}", file=sys.stderr, flush=True)
                results[number].update(found)
        size = bench.table_bytes("source")
        copy_fraction = 0.2
        for result, each in zip(results, contenders(), strict=True):
            covered = each.select == "covered"
            table = SourceTable(
                rows=rows,
                row_bytes=size / rows,
                compared_fraction=copy_fraction if covered else 1.0,
                change_fraction=CHANGED,
                page_bytes=8192,
                pages_per_range=max(1, int(1_000 * size / rows / 8192)),
                has_flags=True,
            )
            result["predicted_reads"] = each.reads(table) / table.pages
            result["predicted_fetches"] = each.fetches
            result["table_bytes"] = size
        place = next(number for number, each in enumerate(results) if each["strategy"] == COVERING)
        whole = results[place] | {name: results[place][name] + cost for name, cost in built.items()}
        return [*results[: place + 1], whole | {"strategy": "the same, copied after each load"}, *results[place + 1 :]]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def report(results: list[dict[str, Any]], rows: int) -> str:
    base = results[0]
    size = base["table_bytes"]
    lines = [
        f"{rows:,} rows, {size / 1e6:,.0f} MB of Parquet; {CHANGED:.0%} changed, in {CLUSTERS} clusters of keys",
        "",
        "| strategy | rows fetched | of the table | predicted | rows read | bytes read | of outer_join | of the table "
        "| predicted | bytes written | time, outer_join = 1 |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for each in results:
        cells = [
            each["strategy"],
            f"{each['fetched']:,}",
            f"{each['fetched'] / rows:.1%}",
            f"{each['predicted_fetches']:.0%}",
            f"{each['rows'] / 1e6:,.1f} M",
            f"{each['bytes'] / 1e6:,.0f} MB",
            f"{each['bytes'] / base['bytes']:.1%}",
            f"{each['bytes'] / size:.3f}",
            f"{each['predicted_reads']:.3f}",
            f"{each['written'] / 1e6:,.1f} MB",
            f"{each['seconds'] / base['seconds']:.2f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main() -> int:
    parser = command(__doc__, FIGURES)
    parser.add_argument("--rows", type=int, default=2_000_000)
    options = parser.parse_args()
    results = measure(options.rows)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "query_based.json").write_text(json.dumps(results, indent=2) + "\n")
    (options.out / "query_based.md").write_text(report(results, options.rows))
    print(report(results, options.rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Run the demo: load the airports' dumps with dbt, then report what changed from dump to dump.

The models by strategy read two of the dumps, one after the other; on the target `local` one of them reads a database.

Arguments are handed on to every dbt command, for instance `scripts/run_demo.py --target delta`.
"""

import argparse
import os
import re
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner
from demo_database import load
from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[1]
LOG = "airports_changes"
BY_STRATEGY = "tag:by_strategy"
TESTS = {"test": "data tests", "unit_test": "unit tests"}


class Narrator:
    """Prints one line for each thing that dbt has built, and counts the tests."""

    def __init__(self) -> None:
        self.tests: Counter[str] = Counter()

    def __call__(self, event: Any) -> None:
        if event.info.name == "JinjaLogInfo":
            print(f"  {event.data.msg}", flush=True)
        elif event.info.name == "NodeFinished":
            self._node(event.data.node_info, event.data.run_result)

    def _node(self, node: Any, result: Any) -> None:
        if node.resource_type in TESTS:
            # dbt itself reports failures.
            self.tests[TESTS[node.resource_type]] += result.status == "pass"
        elif result.status != "no-op":
            kind = node.materialized or node.resource_type
            what = f"{kind:<13} {node.node_name:<26} {result.execution_time:5.1f} s"
            print(f"  {result.status:<8} {what}", flush=True)

    def end(self) -> None:
        if self.tests:
            counts = ", ".join(f"{kind}: {number}" for kind, number in sorted(self.tests.items()))
            print(f"  pass     {counts}")
        self.tests.clear()


def main(options: list[str]) -> int:
    os.chdir(ROOT)
    dumps = Path(os.environ.get("DELTAWAVE_AIRPORTS", ".data/airports"))
    if not any(dumps.glob("dump_date=*/*.csv")):
        print(f"There are no dumps in {dumps}: `make run` fetches them.", file=sys.stderr)
        return 1
    if "DBT_PROFILES_DIR" not in os.environ:
        options = ["--profiles-dir", "profiles", *options]

    days = sorted(folder.name.removeprefix("dump_date=") for folder in dumps.glob("dump_date=*"))
    has_database = target_of(options) == "local"
    os.environ["DELTAWAVE_AIRPORTS_DATABASE"] = str(has_database).lower()
    demo = Demo(options)
    try:
        demo.dbt("run-operation", "create_external_sources")
        demo.dbt("source", "freshness")
        demo.dbt("build", "--exclude", BY_STRATEGY)
        # These read one dump at a time: first the last but one, then the last.
        for day in days[-1:] if demo.has_begun("airports_strategies") else days[-2:]:
            print(f"\nThe source is as on {day}", flush=True)
            os.environ["DELTAWAVE_AIRPORTS_DAY"] = day
            if has_database:
                load(SparkSession.builder.getOrCreate(), dumps / f"dump_date={day}" / "airports.csv")
            demo.dbt("build" if day == days[-1] else "run", "--select", BY_STRATEGY)
        demo.dbt("run-operation", "report", "--args", f"{{model: {LOG}}}")
        read = demo.dbt("show", "--select", "airports_strategies", "--limit", "-1")
    except Failed as failure:
        print(f"\n{failure}".rstrip(), file=sys.stderr)
        return 1
    print(strategies(read.results[0].agate_table))
    print(guide(demo.models))
    return 0


class Failed(Exception):
    """A failed dbt command, with the reason unless dbt has reported it."""


class Demo:
    """Runs dbt commands and collects the models that they build."""

    def __init__(self, options: list[str]) -> None:
        self.options = options
        self.narrator = Narrator()
        self.runner = dbtRunner(callbacks=[self.narrator])
        self.models: dict[str, str] = {}

    def dbt(self, *command: str) -> Any:
        shown = shlex.join(["dbt", *command, *self.options])
        print(f"\n$ {shown}", flush=True)
        # The result of `show` is printed later, like the report.
        runner, silent = (dbtRunner(), ["--log-level", "none"]) if command[0] == "show" else (self.runner, [])
        outcome = runner.invoke(["--quiet", *silent, *command, *self.options])
        self.narrator.end()
        if not outcome.success:
            raise Failed(f"Failed: {shown}\n{outcome.exception or ''}")
        if command[0] == "build":
            self.models |= built_models(outcome.result)
        return outcome.result

    def has_begun(self, model: str) -> bool:
        """Return whether an earlier demo has built the model, in the schema of the other models."""
        schema = next(iter(self.models)).split(".")[0]
        return SparkSession.builder.getOrCreate().catalog.tableExists(f"`{schema}`.`{model}`")


def target_of(options: list[str]) -> str:
    """Return the profile's target that dbt will use."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-t", "--target", default=os.environ.get("DBT_TARGET", "local"))
    return str(parser.parse_known_args(options)[0].target)


def strategies(table: Any) -> str:
    """Print what each strategy has read, like the report of a log."""
    rows = sorted(table.rows, key=lambda row: -row["rows_fetched"])
    heads = ["strategy", "model", "rows fetched", "inserts", "deletes", "updates"]
    names = ["strategy", "model", "rows_fetched", "inserts", "deletes", "updates"]
    cells = [heads, *([cell(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(heads))]
    lines = [
        "  ".join(
            text.ljust(width) if place < 2 else text.rjust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    ]
    title = "What each strategy fetched to find the last changes"
    return "\n".join(["", title, "", *(f"  {line}" for line in lines), ""])


def cell(value: Any) -> str:
    return value if isinstance(value, str) else f"{int(value):,}"


def built_models(result: Any) -> dict[str, str]:
    """Return {relation: description's first sentence} of the models that a build has run."""
    nodes = [run.node for run in result.results if run.node.resource_type == "model"]
    return {node.relation_name.replace("`", ""): first_sentence(node.description) for node in nodes}


def first_sentence(text: str) -> str:
    return re.split(r"[.:;] ", text.strip() + " ")[0]


def guide(models: dict[str, str]) -> str:
    width = max(map(len, models), default=0)
    return "\n".join(
        [
            "Where to look next",
            "",
            *(f"  {name:<{width}}  {what}" for name, what in models.items()),
            "",
            f"  dbt show --inline \"select * from {{{{ ref('{LOG}') }}}}\" --profiles-dir profiles",
            "  make report        what changed from dump to dump as one web page",
            "  make docs          these tables, their columns and their lineage as one web page",
            "  models/            the SQL behind it: one select makes a change log",
            "  docs/              how changes are found, and which strategy to choose",
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run the demo: load the airports' dumps with dbt, then report what changed from dump to dump.

Arguments are handed on to every dbt command, for instance `scripts/run_demo.py --target delta`.
"""

import os
import re
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

ROOT = Path(__file__).resolve().parents[1]
LOG = "airports_changes"
TESTS = {"test": "data tests", "unit_test": "unit tests"}


class Narrator:
    """Tells in a line each what dbt has built, and counts the tests."""

    def __init__(self) -> None:
        self.tests: Counter[str] = Counter()

    def __call__(self, event: Any) -> None:
        if event.info.name == "JinjaLogInfo":
            print(f"  {event.data.msg}", flush=True)
        elif event.info.name == "NodeFinished":
            self._node(event.data.node_info, event.data.run_result)

    def _node(self, node: Any, result: Any) -> None:
        if node.resource_type in TESTS:
            # One that fails is told by dbt itself.
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

    narrator = Narrator()
    runner = dbtRunner(callbacks=[narrator])
    models: dict[str, str] = {}
    for command in (
        ["run-operation", "create_external_sources"],
        ["source", "freshness"],
        ["build"],
        ["run-operation", "report", "--args", f"{{model: {LOG}}}"],
    ):
        shown = shlex.join(["dbt", *command, *options])
        print(f"\n$ {shown}", flush=True)
        outcome = runner.invoke(["--quiet", *command, *options])
        narrator.end()
        if not outcome.success:
            print(f"\nFailed: {shown}\n{outcome.exception or ''}".rstrip(), file=sys.stderr)
            return 1
        if command == ["build"]:
            models = built_models(outcome.result)
    print(guide(models))
    return 0


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
            "  make docs          these tables, their columns and their lineage as one web page",
            "  models/            the SQL behind it: one select makes a change log",
            "  docs/              how changes are found, and which strategy to choose",
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

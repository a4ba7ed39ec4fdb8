"""The command `deltawave`."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from deltawave.environment import DISTRIBUTION, Finding, examine, installed_version
from deltawave.wave import SCHEMES, WaveIndex, plans
from deltawave.wave.plan_text import plan_json, plan_table

if TYPE_CHECKING:
    Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def report(findings: Sequence[Finding], quiet: bool) -> str:
    """The findings as text, with a remedy below each problem; `quiet` omits what is in order."""
    lines = []
    for finding in findings:
        if finding.ok:
            if not quiet:
                lines.append(f"ok       {finding.seen}")
        else:
            lines.append(f"{'problem' if finding.certain else 'warning'}  {finding.seen}")
            lines.append(textwrap.indent(finding.remedy.rstrip(), " " * 9))
    return "\n".join(lines)


def doctor(quiet: bool) -> int:
    """Print the findings; return 1 if something certainly has to be corrected, otherwise 0."""
    findings = examine(os.environ)
    if text := report(findings, quiet):
        print(text)
    return int(any(finding.certain and not finding.ok for finding in findings))


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="deltawave", description="What changed between two states of a table, on Spark.")
    top.add_argument("--version", action="version", version=f"deltawave {installed_version(DISTRIBUTION)}")
    commands = top.add_subparsers(dest="command", required=True)
    add_doctor(commands)
    add_bench(commands)
    add_wave_plan(commands)
    return top


def add_doctor(commands: Commands) -> None:
    command = commands.add_parser(
        "doctor", help="check Python, Java, packages and the profile's jars, and say what to do about each problem"
    )
    command.add_argument("--quiet", action="store_true", help="print problems only")
    command.set_defaults(run=lambda options: doctor(options.quiet))


def add_bench(commands: Commands) -> None:
    benchmarks = commands.add_parser("bench", help="measure; needs `pip install 'dbt-deltawave[bench]'`")
    benchmarks.set_defaults(run=bench)
    subjects = benchmarks.add_subparsers(dest="subject", required=True)
    differential = subjects.add_parser(
        "differential", help="how long the differences of two snapshots take, beside Spark, DuckDB and other libraries"
    )
    differential.add_argument("--rows", type=int, default=2_000_000, help="rows of a snapshot (default: 2000000)")
    differential.add_argument(
        "--order", choices=("same", "local", "full", "stagnant"), default="full", help="of the later snapshot"
    )
    differential.add_argument("--runs", type=int, default=3, help="how often each method runs (default: 3)")
    differential.add_argument("--methods", default="", help="names with commas between them (default: all)")
    differential.add_argument("--out", type=Path, required=True, help="folder of results.json, results.md, results.png")


def add_wave_plan(commands: Commands) -> None:
    command = commands.add_parser("wave-plan", help="the operations that keep a wave index, day by day")
    command.add_argument("--scheme", required=True, help=f"one of {', '.join(SCHEMES)}")
    command.add_argument("--window", type=int, required=True, metavar="W", help="days of the window")
    command.add_argument("--constituents", type=int, required=True, metavar="N", help="constituent indexes")
    command.add_argument("--days", type=int, required=True, metavar="D", help="plan the days W to D")
    command.add_argument(
        "--spread", action="store_true", help="spread the preparation of temporary indexes over the days before"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object per day instead of a table")
    command.set_defaults(run=wave_plan)


def bench(options: argparse.Namespace) -> int:
    """Run a benchmark and print its table; return 1 if something that it needs is not installed."""
    missing = [name for name in ("duckdb", "datacompy", "gresearch", "matplotlib") if find_spec(name) is None]
    if missing:
        print(f"{', '.join(missing)} not installed: pip install 'dbt-deltawave[bench]'", file=sys.stderr)
        return 1
    from deltawave.bench.differential import run

    try:
        run(
            options.rows,
            options.order,
            options.out,
            options.runs,
            [name for name in options.methods.split(",") if name],
        )
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print((options.out / "results.md").read_text())
    return 0


def wave_plan(options: argparse.Namespace) -> int:
    """Print the plan of each day; return 1 if there is no such wave index."""
    try:
        index = WaveIndex(options.scheme, options.window, options.constituents, options.spread)
        planned = list(plans(index, options.days))
    except ValueError as error:
        print(f"deltawave wave-plan: {error}", file=sys.stderr)
        return 1
    print("\n".join(map(plan_json, planned)) if options.json else plan_table(planned))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of the command; returns its exit code."""
    options = parser().parse_args(arguments)
    code: int = options.run(options)
    return code

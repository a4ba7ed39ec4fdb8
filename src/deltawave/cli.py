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
from deltawave.wave.planner import plan_json, plan_table

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
    add_stream(commands)
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
    mesh = subjects.add_parser("meshjoin", help="how many tuples a second join a relation that is larger than memory")
    mesh.add_argument("--memory", type=float, default=0.01, help="as a part of the relation's size (default: 0.01)")
    mesh.add_argument("--reads", choices=("cached", "direct"), default="cached", help="direct: past the system's cache")
    mesh.add_argument("--rows", type=int, default=3_500_000, help="of the relation (default: 3500000)")
    mesh.add_argument("--runs", type=int, default=3, help="how often each method runs (default: 3)")
    mesh.add_argument("--out", type=Path, required=True, help="folder of results.json, results.md and charts")
    wave = subjects.add_parser("wave", help="what wave indexes take, beside the cost model and what Spark users do")
    wave.add_argument("--data", choices=("lineitem", "postings"), default="lineitem", help="(default: lineitem)")
    wave.add_argument("--window", type=int, default=100, metavar="W", help="days of the window (default: 100)")
    wave.add_argument("--constituents", type=int, default=10, metavar="N", help="constituent indexes (default: 10)")
    wave.add_argument("--days", type=int, default=11, metavar="D", help="that each method takes (default: 11)")
    wave.add_argument("--scale", type=float, default=0.5, help="TPC-H's; of postings, of 70,000 a day (default: 0.5)")
    wave.add_argument("--methods", default="", help="names with commas between them (default: all)")
    wave.add_argument("--out", type=Path, required=True, help="folder of results.json, results.md and charts")


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


def add_stream(commands: Commands) -> None:
    stream = commands.add_parser("stream", help="join a stream with a big relation (MESHJOIN), until it is stopped")
    stream.add_argument("--source", help="folder of the stream's files")
    stream.add_argument("--format", default="parquet", help="parquet, json, csv, kafka or rate (default: parquet)")
    stream.add_argument("--schema", help="of the stream, such as 'id bigint, name string'; needed for kafka")
    stream.add_argument("--option", action="append", default=[], help="of the source: name=value; repeatable")
    stream.add_argument("--relation", required=True, help="folder of the relation's files")
    stream.add_argument("--relation-format", default="parquet", help="such as parquet, delta (default: parquet)")
    stream.add_argument("--on", action="append", required=True, help="key column, or stream's=relation's; repeatable")
    stream.add_argument("--how", default="inner", help="inner, left, left_semi or left_anti (default: inner)")
    stream.add_argument("--out", required=True, help="folder of the results and the checkpoint")
    stream.add_argument("--pages", help="folder of the relation's pages, which all machines reach (default: in --out)")
    stream.add_argument("--memory", type=int, default=64, help="of a task, in MiB (default: 64)")
    stream.add_argument("--parts", type=int, help="as many tasks mesh (default: as many as Spark runs)")
    stream.add_argument("--direct", action="store_true", help="read the relation past the system's cache")
    stream.add_argument("--shed", help="if not all fits the memory: keep_w, sample_w, top_w or cluster_sampling")
    stream.add_argument("--probability", help="with sample_w and cluster_sampling: a column for that of being kept")
    stream.add_argument("--json", action="store_true", help="print one JSON object per micro-batch instead of a line")
    stream.add_argument("--keep-unfit", action="store_true", help="of kafka: keep messages that are no rows aside")
    when = stream.add_mutually_exclusive_group()
    when.add_argument("--available-now", action="store_true", help="join what is there, and end")
    when.add_argument("--every", help="time between micro-batches, such as '10 seconds'")
    stream.add_argument("--set", action="append", default=[], help="a setting of Spark: name=value; repeatable")
    stream.set_defaults(run=stream_join)


def bench(options: argparse.Namespace) -> int:
    """Run a benchmark and print its table; return 1 if something that it needs is not installed."""
    needed = (
        ("duckdb", "datacompy", "gresearch", "matplotlib") if options.subject == "differential" else ("matplotlib",)
    )
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        print(f"{', '.join(missing)} not installed: pip install 'dbt-deltawave[bench]'", file=sys.stderr)
        return 1
    try:
        if options.subject == "differential":
            from deltawave.bench.differential import run

            methods = [name for name in options.methods.split(",") if name]
            run(options.rows, options.order, options.out, options.runs, methods)
        elif options.subject == "wave":
            from deltawave.bench import wave

            setting = wave.Setting(options.data, options.window, options.constituents, options.days, options.scale)
            wave.run(setting, options.out, [name for name in options.methods.split(",") if name])
        else:
            from deltawave.bench import mesh_join

            mesh_join.run(options.memory, options.reads, options.out, options.runs, options.rows)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print((options.out / "results.md").read_text())
    return 0


def stream_join(options: argparse.Namespace) -> int:
    """Join a stream until it is stopped."""
    from deltawave.meshjoin import stream_command

    return stream_command.run(options)


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

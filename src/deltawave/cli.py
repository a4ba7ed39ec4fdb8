"""The command `deltawave`."""

import argparse
import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from deltawave.reporting.command_line import add_erase, add_expire, add_history, add_report

if TYPE_CHECKING:
    from fractions import Fraction

    from deltawave.environment import Finding

    Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_REPEATABLE: dict[str, Any] = {"action": "append", "default": []}


def report(findings: Sequence["Finding"], quiet: bool) -> str:
    """The findings as text, with a remedy below each problem; `quiet` omits what is in order."""
    lines = []
    for finding in findings:
        if not finding.ok:
            lines.append(f"{'problem' if finding.certain else 'warning'}  {finding.seen}")
            lines.append(textwrap.indent(finding.remedy.rstrip(), " " * 9))
        elif not quiet:
            lines.append(f"ok       {finding.seen}")
    return "\n".join(lines)


def doctor(quiet: bool) -> int:
    """Print the findings; return 1 if something certainly has to be corrected, otherwise 0."""
    from deltawave.environment import examine

    findings = examine(os.environ)
    if text := report(findings, quiet):
        print(text)
    return int(any(finding.certain and not finding.ok for finding in findings))


class _Version(argparse.Action):
    """Reads the version only if it is asked for: a comparison of small files takes not much longer than that."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from deltawave.environment import DISTRIBUTION, installed_version

        print(f"deltawave {installed_version(DISTRIBUTION)}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="deltawave", description="What changed between two states of a table, on Spark.")
    top.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = top.add_subparsers(dest="command", required=True)
    for add in (
        add_compare,
        add_doctor,
        add_jars,
        add_erase,
        add_expire,
        add_history,
        add_report,
        add_server,
        add_stream,
        add_stream_report,
        add_wave_plan,
    ):
        add(commands)
    return top


def add_compare(commands: "Commands") -> None:
    command = commands.add_parser("compare", help="what differs between two tables: files or folders, by a key")
    files = "file, folder, pattern, or - for standard input: CSV and its kin, JSON, Parquet or Delta; packed ones too"
    command.add_argument("old", help=files)
    command.add_argument("new", help="the same")
    key = "columns whose values identify a row: id or id,day; repeatable (default: found, and named in the result)"
    command.add_argument("--key", **_REPEATABLE, metavar="COLUMN", help=key)
    command.add_argument("--ignore", **_REPEATABLE, metavar="COLUMN", help="not compared; repeatable")
    for option, what in (("tolerance", "difference"), ("relative-tolerance", "difference, as a share of the value,")):
        help_text = f"{what} of numbers that counts as equal; without COLUMN= for all other columns; repeatable"
        numbers: dict[str, Any] = {"type": column_number, "metavar": "COLUMN=NUMBER", "help": help_text}
        command.add_argument(f"--{option}", **_REPEATABLE, **numbers)
    command.add_argument(
        "--numbers", action="store_true", help="compare texts that are numbers as numbers: 1.0 is 1.00"
    )
    blanks = "surrounding and repeated blanks do"
    for option, what in (("ignore-case", "case does"), ("ignore-blanks", blanks)):
        help_text = f"text whose {what} not count; repeatable"
        command.add_argument(f"--{option}", **_REPEATABLE, metavar="COLUMN", help=help_text)
    renamed: dict[str, Any] = {
        "type": new_name,
        "metavar": "OLD=NEW",
        "help": "a column that has another name in new; repeatable",
    }
    command.add_argument("--rename", **_REPEATABLE, **renamed)
    command.add_argument("--samples", type=int, default=5, help="changes shown of each column (default: 5)")
    formats = ("text", "markdown", "html", "json", "csv", "parquet")
    what = "of the result (default: text); csv and parquet are the rows that differ"
    command.add_argument("--format", default="text", choices=formats, help=what)
    command.add_argument("--output", metavar="FILE", help="write the result there; - is standard output")
    command.add_argument("--summary", action="store_true", help="print one line")
    percent = "exit with 0 if at least so many percent of the rows are equal, and the columns are"
    command.add_argument("--fail-under", type=percentage, metavar="PERCENT", help=percent)
    for side in ("old", "new"):
        kinds = ("csv", "json", "parquet", "delta")
        command.add_argument(f"--{side}-format", choices=kinds, help=f"of {side} (default: by its name, or content)")
    command.add_argument("--separator", help="of values in CSV (default: by the header)")
    command.add_argument("--encoding", help="of CSV and JSON, such as windows-1252 (default: utf-8, and nothing else)")
    bad = "what to do with lines of CSV that have too few or too many values (default: error)"
    command.add_argument("--on-bad-rows", choices=("error", "skip"), default="error", help=bad)
    command.set_defaults(run=compare_files)


def new_name(text: str) -> tuple[str, str]:
    """The old and the new name of `old=new`."""
    old, _, new = text.partition("=")
    if not old or not new:
        raise argparse.ArgumentTypeError(f"{text!r} is not OLD=NEW")
    return old, new


def percentage(text: str) -> "Fraction":
    """Exactly the number of `57.1`, from 0 to 100."""
    from fractions import Fraction

    try:
        number = Fraction(text)
    except (ValueError, ZeroDivisionError):
        number = Fraction(-1)
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 100")
    return number


def column_number(text: str) -> tuple[str, float]:
    """The name and the number of `column=0.01`; of `0.01` the name is empty."""
    name, _, number = text.rpartition("=")
    return name, float(number)


def compare_files(options: argparse.Namespace) -> int:
    """Compare two tables; return 0 if they are equal, 1 if not, and 2 for an error."""
    from deltawave.comparing import command

    return command.run(options)


def add_doctor(commands: "Commands") -> None:
    what = "check Python, Java, packages and the profile's jars, and say what to do about each problem"
    command = commands.add_parser("doctor", help=what)
    command.add_argument("--quiet", action="store_true", help="print problems only")
    command.set_defaults(run=lambda options: doctor(options.quiet))


def add_jars(commands: "Commands") -> None:
    command = commands.add_parser("jars", help="the jars of Delta and Iceberg that go with the installed pyspark")
    command.set_defaults(run=print_jars)


def print_jars(options: argparse.Namespace) -> int:
    """Print what a profile names as ``spark.jars.packages``."""
    from deltawave.environment import CLIENT, installed_version
    from deltawave.jars import remedy

    # A server of Spark Connect has the version of its clients.
    if (version := installed_version("pyspark") or installed_version(CLIENT)) is None:
        print("pyspark is not installed: pip install pyspark")
        return 1
    print(remedy(version))
    return 0


def add_server(commands: "Commands") -> None:
    what = "keep Spark running between dbt commands of this project: start, status or stop"
    command = commands.add_parser("server", help=what, add_help=False)
    command.add_argument("arguments", nargs=argparse.REMAINDER)
    # The adapter reads the profile, with dbt.
    program = [sys.executable, "-m", "dbt.adapters.deltawave.server_command"]
    command.set_defaults(run=lambda options: subprocess.call([*program, *options.arguments]))


def add_wave_plan(commands: "Commands") -> None:
    from deltawave.wave.schemes import SCHEMES

    command = commands.add_parser("wave-plan", help="the operations that keep a wave index, day by day")
    command.add_argument("--scheme", required=True, help=f"one of {', '.join(SCHEMES)}")
    command.add_argument("--window", type=int, required=True, metavar="W", help="days of the window")
    command.add_argument("--constituents", type=int, required=True, metavar="N", help="constituent indexes")
    command.add_argument("--days", type=int, required=True, metavar="D", help="plan the days W to D")
    spread = "spread the preparation of temporary indexes over the days before"
    command.add_argument("--spread", action="store_true", help=spread)
    command.add_argument("--json", action="store_true", help="print one JSON object per day instead of a table")
    command.set_defaults(run=wave_plan)


def add_stream(commands: "Commands") -> None:
    stream = commands.add_parser("stream", help="join a stream with a big relation (MESHJOIN), until it is stopped")
    stream.add_argument("--source", help="folder of the stream's files")
    stream.add_argument("--format", default="parquet", help="parquet, json, csv, kafka or rate (default: parquet)")
    stream.add_argument("--schema", help="of the stream, such as 'id bigint, name string'; needed for kafka")
    stream.add_argument("--option", **_REPEATABLE, help="of the source: name=value; repeatable")
    stream.add_argument("--relation", required=True, help="folder of the relation's files")
    stream.add_argument("--relation-format", default="parquet", help="such as parquet, delta (default: parquet)")
    stream.add_argument("--on", action="append", required=True, help="key column, or stream's=relation's; repeatable")
    stream.add_argument("--how", default="inner", help="inner, left, left_semi or left_anti (default: inner)")
    stream.add_argument("--out", required=True, help="folder of the results and the checkpoint")
    stream.add_argument("--pages", help="folder of the relation's pages, which all machines reach (default: in --out)")
    stream.add_argument("--memory", type=int, default=64, help="of a task, in MiB (default: 64)")
    stream.add_argument("--parts", type=int, help="number of tasks that join (default: as many as Spark runs)")
    stream.add_argument("--direct", action="store_true", help="read the relation past the system's cache")
    stream.add_argument("--shed", help="if rows do not fit in memory: keep_w, sample_w, top_w or cluster_sampling")
    stream.add_argument("--probability", help="a column for the probability with which a row was kept in a sample")
    stream.add_argument("--json", action="store_true", help="print one JSON object per micro-batch instead of a line")
    stream.add_argument("--keep-malformed", action="store_true", help="of kafka: keep messages that are no rows")
    when = stream.add_mutually_exclusive_group()
    when.add_argument("--available-now", action="store_true", help="join what is there, and end")
    when.add_argument("--every", help="time between micro-batches, such as '10 seconds'")
    stream.add_argument("--set", **_REPEATABLE, help="a setting of Spark: name=value; repeatable")
    stream.set_defaults(run=stream_join)


def stream_join(options: argparse.Namespace) -> int:
    """Join a stream until it is stopped."""
    from deltawave.meshjoin import stream_command

    return stream_command.run(options)


def add_stream_report(commands: "Commands") -> None:
    command = commands.add_parser("stream-report", help="write a page about a stream: its rate, readings and lag")
    command.add_argument("source", help="a file of what `deltawave stream --json` printed, or the folder of its --out")
    command.add_argument("--output", metavar="FILE", default="stream.html", help="the page (default: stream.html)")
    command.set_defaults(run=stream_report)


def stream_report(options: argparse.Namespace) -> int:
    """Write the page; return 1 if there is nothing to write, or no place for it."""
    from deltawave.meshjoin.stream_page import as_html, read
    from deltawave.pages.texts import require_writable

    try:
        require_writable(options.output)
        text = as_html(options.source, read(Path(options.source)))
        Path(options.output).write_text(text, encoding="utf-8")
    except (ValueError, OSError) as error:
        print(f"deltawave stream-report: {error}", file=sys.stderr)
        return 1
    print(f"What the stream took is described in {options.output}.")
    return 0


def wave_plan(options: argparse.Namespace) -> int:
    """Print the plan of each day; return 1 if there is no such wave index."""
    from deltawave.wave import WaveIndex, plans
    from deltawave.wave.planner import plan_json, plan_table

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
    given = list(sys.argv[1:] if arguments is None else arguments)
    # A file whose name begins with a dash is no option.
    named = [f"./{each}" if each.startswith("-") and len(each) > 1 and Path(each).is_file() else each for each in given]
    options = parser().parse_args(named if given[:1] == ["compare"] else given)
    return int(options.run(options))

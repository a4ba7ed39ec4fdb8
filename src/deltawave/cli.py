"""The command `deltawave`."""

import argparse
import os
import textwrap
from collections.abc import Sequence

from deltawave.environment import DISTRIBUTION, Finding, examine, installed_version


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
    doctor_parser = commands.add_parser(
        "doctor", help="check Python, Java, packages and the profile's jars, and say what to do about each problem"
    )
    doctor_parser.add_argument("--quiet", action="store_true", help="print problems only")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of the command; returns its exit code."""
    options = parser().parse_args(arguments)
    return doctor(options.quiet)

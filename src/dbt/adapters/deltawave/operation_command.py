"""Runs an operation of the package for a command of `deltawave`, which prints what the operation prints."""

import re
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from dbt.cli.main import dbtRunner

from dbt.adapters.deltawave.impl import PACKAGE
from deltawave.pages.texts import print_any_text

# What dbt writes around a message; since version 1.12 its label, perhaps in a color, comes first.
_LABEL = re.compile(r"\A\[(?:\x1b\[\d+m)?(?:ERROR|WARNING)(?:\x1b\[0m)?\]: ")
_AROUND = re.compile(
    rf"{_LABEL.pattern}"
    r"|\AEncountered an error(?: while running operation)?:\s*"
    r"|\A\w+ Error(?: in .*)?\n"
)
_NO_MACRO = "could not find a macro"
_INSTALL = "The project needs the dbt package deltawave: name it in packages.yml and run `dbt deps`."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an operation; ``arguments``: the command's name, the operation's, its arguments as JSON, options of dbt.

    Arguments of an operation that are ``-`` are read from standard input.
    """
    name, operation, given, *options = sys.argv[1:] if arguments is None else arguments
    if given == "-":
        given = sys.stdin.buffer.read().decode()
    print_any_text()
    errors: list[str] = []

    def note(event: Any) -> None:
        if event.info.name == "PrintEvent" or (event.info.name == "JinjaLogWarning" and operation == "erase"):
            print(_LABEL.sub("", event.info.msg))
        elif event.info.level == "error":
            errors.append(str(event.info.msg))

    # To dbt, what the operation prints is one more message, so `note` prints it. All others are in dbt.log.
    quiet = ["--log-level", "none", "--print"]
    if not any(option.startswith("--log-level-file") for option in options):
        quiet += ["--log-level-file", "debug"]
    command = ["run-operation", f"{PACKAGE}.{operation}", "--args", given, *options]
    outcome = dbtRunner(callbacks=[note]).invoke([*quiet, *command])
    if outcome.success:
        return 0
    if isinstance(outcome.exception, KeyboardInterrupt):
        return 130
    if not errors and outcome.exception is not None:
        errors.append(str(outcome.exception))
    print(message(name, errors), file=sys.stderr)
    return 1


def message(name: str, errors: Sequence[str]) -> str:
    """The message of dbt's errors for a user of the command; dbt may report one of them twice."""
    texts = list(dict.fromkeys(map(_without_dbt, errors))) or ["it failed; dbt.log says why."]
    result = _INSTALL if any(_NO_MACRO in text for text in texts) else "\n".join(texts)
    return f"deltawave {name}: {result.removeprefix(f'{name}: ')}"


def _without_dbt(error: str) -> str:
    text = error.strip()
    while (shorter := _AROUND.sub("", text)) != text:
        text = textwrap.dedent(shorter).strip()
    return text


if __name__ == "__main__":
    sys.exit(main())

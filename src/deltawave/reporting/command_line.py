"""The commands `deltawave report` and `deltawave history`: operations of dbt on the project's own profile."""

import argparse
import csv
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

# What YAML does not take as it is, or takes for the end of a line.
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
# The options that are dbt's own.
_DBT = ("target", "profiles_dir", "project_dir", "vars")


def add_report(commands: "Commands") -> None:
    command = commands.add_parser(
        "report", help="write a page about a model's change log: what changes, where, how often"
    )
    command.add_argument("model", help="name of the model")
    command.add_argument("--batch", type=int, metavar="N", help="only what this batch of the log has changed")
    command.add_argument(
        "--output", metavar="FILE", help="the page (default: the model's name, and the batch's number, with .html)"
    )
    _add_options_of_dbt(command, report)


def add_history(commands: "Commands") -> None:
    command = commands.add_parser("history", help="print the versions of a row of a model's change log")
    command.add_argument("model", help="name of the model")
    parts: dict[str, Any] = {"action": "append", "default": []}
    command.add_argument("--key", **parts, type=key_part, metavar="COLUMN=VALUE", help="a part of its key; repeatable")
    command.add_argument("--null-key", **parts, metavar="COLUMN", help="a part of its key that is null; repeatable")
    command.add_argument("--column", help="only changes of this column")
    _add_options_of_dbt(command, history)


def add_erase(commands: "Commands") -> None:
    command = commands.add_parser(
        "erase", help="remove rows by their key from a model's change log, and what follows it"
    )
    command.add_argument("model", help="name of the model")
    values: dict[str, Any] = {"action": "append", "default": [], "metavar": "KEY"}
    what = 'its value, or those of all its columns in JSON: \'{"region": "north", "id": 5}\'; repeatable'
    command.add_argument("--key", **values, type=key_value, help=what)
    command.add_argument("--keys", metavar="FILE", help="CSV of keys; its header names the key's columns")
    command.add_argument("--where", metavar="SQL", help="a condition on the key's columns instead of keys")
    command.add_argument("--dry-run", action="store_true", help="only print where the rows are")
    also = "a change log, wave index or joined stream that was made of it and has the same key; repeatable"
    command.add_argument("--also", action="append", default=[], metavar="MODEL", help=also)
    _add_options_of_dbt(command, erase)


def add_expire(commands: "Commands") -> None:
    command = commands.add_parser("expire", help="shorten a model's change log by its oldest batches, for good")
    command.add_argument("model", help="name of the model")
    until = command.add_mutually_exclusive_group(required=True)
    until.add_argument("--before", metavar="TIME", help="a date or timestamp in UTC; batches of earlier times expire")
    until.add_argument("--to-batch", type=int, metavar="N", help="the last batch that expires")
    command.add_argument("--even-unread", action="store_true", help="also batches that others have still to read")
    _add_options_of_dbt(command, expire)


def _add_options_of_dbt(command: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    command.add_argument("--target", help="of the profile (default: the profile's own)")
    command.add_argument("--profiles-dir", metavar="FOLDER", help="with profiles.yml (default: where dbt finds it)")
    command.add_argument("--project-dir", metavar="FOLDER", help="the dbt project (default: this folder)")
    command.add_argument("--vars", metavar="YAML", help="variables of the project, as dbt takes them")
    command.set_defaults(run=run)


def key_part(text: str) -> tuple[str, str]:
    """The name and the value of `id=5`; the value may contain further equals signs."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not COLUMN=VALUE")
    return name, value


def report(options: argparse.Namespace) -> int:
    """Write the page; return dbt's exit code."""
    # dbt may run in another folder.
    file = Path(options.output or file_of(options.model, options.batch)).absolute()
    arguments = {"model": options.model, "format": "html", "output": str(file)}
    if options.batch is not None:
        arguments["batch"] = options.batch
    return _operate("report", "report", arguments, options)


def file_of(model: str, batch: int | None = None) -> str:
    """A file name for a model's page, in which no character has a meaning of its own."""
    return re.sub(r"[^\w-]", "_", model if batch is None else f"{model}_batch_{batch}") + ".html"


def history(options: argparse.Namespace) -> int:
    """Print the versions of a row; return dbt's exit code."""
    key: dict[str, str | None] = {**dict(options.key), **dict.fromkeys(options.null_key)}
    # Case does not distinguish columns.
    if len({name.lower() for name in key}) < len(options.key) + len(options.null_key) or not key:
        problem = "a column is given twice" if key else "give the row's key, like --key id=5"
        print(f"deltawave history: {problem}.", file=sys.stderr)
        return 2
    arguments = {"model": options.model, "key": key, "column": options.column}
    return _operate("history", "print_history", arguments, options)


def key_value(text: str) -> Any:
    """A key: text, or a mapping where the text is one in JSON."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"it is no JSON: {error}") from error


def keys_of(file: Path) -> list[dict[str, str]]:
    """The keys of a CSV file whose header names their columns. Raises ``csv.Error`` for a line of another length."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        reader = csv.DictReader(opened, strict=True)
        keys = []
        for key in reader:
            if None in key or None in key.values():
                raise csv.Error(f"line {reader.line_num} does not have the values of its header's columns")
            keys.append(key)
    return keys


def erase(options: argparse.Namespace) -> int:
    """Remove rows; return dbt's exit code."""
    try:
        keys = options.key + (keys_of(Path(options.keys)) if options.keys else [])
    except (OSError, UnicodeError, csv.Error) as error:
        print(f"deltawave erase: {options.keys} can't be read: {error}", file=sys.stderr)
        return 2
    if bool(keys) == (options.where is not None):
        print("deltawave erase: give keys, like --key 5, or --where.", file=sys.stderr)
        return 2
    arguments = {"model": options.model, "keys": keys or None, "where": options.where, "dry_run": options.dry_run}
    arguments["also"] = options.also
    # What is erased must not lie in dbt's own files.
    return _operate("erase", "erase", arguments, options, "--log-level-file=none", "--no-write-json")


def expire(options: argparse.Namespace) -> int:
    """Shorten a log; return dbt's exit code."""
    given = {name: getattr(options, name) for name in ("model", "before", "to_batch", "even_unread")}
    return _operate("expire", "expire", {**given, "purges": True}, options)


def _operate(name: str, operation: str, arguments: Mapping[str, Any], options: argparse.Namespace, *others: str) -> int:
    given = [
        f"--{option.replace('_', '-')}={value}" for option in _DBT if (value := getattr(options, option)) is not None
    ]
    # dbt is not imported here: the library runs without it.
    program = [sys.executable, "-m", "dbt.adapters.deltawave.operation_command"]
    # Arguments of a process are seen by all users of a machine, and may not be long.
    return _exit_code([*program, name, operation, "-", *given, *others], as_yaml(arguments))


def as_yaml(arguments: Mapping[str, Any]) -> str:
    """The arguments as JSON that YAML, as which dbt reads it, understands alike: it takes no pairs of surrogates."""
    text = json.dumps(arguments, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _exit_code(program: Sequence[str], text: str) -> int:
    """Run a program, which reads a text. Ctrl-C, which reaches both processes, is the program's: it cancels Spark."""
    process = subprocess.Popen(program, stdin=subprocess.PIPE, encoding="utf-8")
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process.communicate(text)
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, handler)
    # As a shell reports a program that a signal has ended.
    return code if code >= 0 else 128 - code

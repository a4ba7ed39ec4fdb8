"""The commands that pages show are understood: their options, and the arguments of operations."""

import re
import shlex
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml

from deltawave.cli import parser

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)\((.*?)\)\s*-?%\}", re.DOTALL)
OPERATION = re.compile(r"run-operation (?:deltawave\.)?(\w+)(?: --args '(.*?)')?", re.DOTALL)


def shown() -> Iterator[str]:
    """The lines of commands in blocks, continued lines as one, and commands within sentences."""
    for page in PAGES:
        text = page.read_text()
        for block in re.findall(r"^ *```sh\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
            yield from block.replace("\\\n", " ").splitlines()
        yield from re.findall(r"`((?:deltawave|dbt) [^`]*)`", text.replace("\n", " "))


def programs() -> list[str]:
    lines = (re.sub(r"^\s*(\.venv/bin/)?", "", line) for line in shown())
    # Words in capitals and dots stand for what a reader puts there.
    return sorted({line for line in lines if re.match(r"deltawave [a-z]", line) and "..." not in line})


def operations() -> list[tuple[str, str]]:
    return sorted({found.groups(default="{}") for line in shown() for found in OPERATION.finditer(line)})


def arguments() -> dict[str, set[str]]:
    """The names of each macro's arguments."""
    found = {}
    for file in (ROOT / "macros").rglob("*.sql"):
        for name, signature in MACRO.findall(file.read_text()):
            found[name] = set(re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", signature))
    return found


@pytest.mark.parametrize("line", programs())
def test_a_command_has_such_options(line: str) -> None:
    words = shlex.split(line.partition(" > ")[0], comments=True)[1:]
    if len(words) == 1:
        assert words[0] in parser().format_help()
        return
    with nullcontext() if "--help" not in words else pytest.raises(SystemExit, match="0"):
        parser().parse_args(words)


@pytest.mark.parametrize(("name", "given"), operations())
def test_an_operation_has_such_arguments(name: str, given: str) -> None:
    known = arguments()
    assert name in known
    assert yaml.safe_load(given).keys() <= known[name]


def test_there_are_such_commands() -> None:
    assert len(programs()) > 15
    assert len(operations()) > 15

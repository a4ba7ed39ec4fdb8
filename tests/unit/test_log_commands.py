"""`deltawave report` and `deltawave history`: which operation of dbt they run, and how its errors read."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from dbt.adapters.deltawave.operation_command import message
from deltawave import cli
from deltawave.reporting.command_line import as_yaml

PROGRAM = ["-m", "dbt.adapters.deltawave.operation_command"]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that are run instead of processes."""
    commands: list[list[str]] = []

    class Process:
        def __init__(self, command: list[str], stdin: int, encoding: str) -> None:
            commands.append(command[1:])

        def communicate(self, text: str) -> None:
            # Where it says -, the program reads that.
            commands[-1][commands[-1].index("-")] = text

        def wait(self) -> int:
            # Ctrl-C is left to the other process.
            os.kill(os.getpid(), signal.SIGINT)
            return 7

    monkeypatch.setattr(subprocess, "Popen", Process)
    return commands


def test_a_page(called: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["report", "odd/../na me"]) == 7
    options = ["--target", "delta", "--profiles-dir", "profiles", "--project-dir", "..", "--vars", "{a: 1}"]
    assert cli.main(["report", "x", "--output", "pages/x.html", *options]) == 7
    assert cli.main(["report", "x", "--batch", "3"]) == 7
    assert [command[:4] for command in called] == [[*PROGRAM, "report", "report"]] * 3
    assert [json.loads(command[4]) for command in called] == [
        {"model": "odd/../na me", "format": "html", "output": str(tmp_path / "odd____na_me.html")},
        {"model": "x", "format": "html", "output": str(tmp_path / "pages" / "x.html")},
        {"model": "x", "format": "html", "output": str(tmp_path / "x_batch_3.html"), "batch": 3},
    ]
    assert called[0][5:] == []
    assert called[1][5:] == ["--target=delta", "--profiles-dir=profiles", "--project-dir=..", "--vars={a: 1}"]


def test_a_history(called: list[list[str]]) -> None:
    arguments = ["--key", "id=5", "--key", "code=a=b '\"😀", "--null-key", "region", "--column", "name"]
    assert cli.main(["history", "accounts", *arguments]) == 7
    ((_, _, name, operation, given),) = called
    assert (name, operation) == ("history", "print_history")
    key = {"id": "5", "code": "a=b '\"😀", "region": None}
    assert json.loads(given) == {"model": "accounts", "key": key, "column": "name"}
    # dbt reads it as YAML.
    assert "\\u" not in given


def test_an_erasure(called: list[list[str]], tmp_path: Path) -> None:
    """dbt keeps neither the keys in its log, nor the command in its artifacts."""
    file = tmp_path / "keys.csv"
    file.write_text('\ufeffregion,id\nnorth,"5,5"\n', "utf-8")
    both = '{"region": "south", "id": 7}'
    assert cli.main(["erase", "accounts", "--key", "4711", "--key", both, "--keys", str(file), "--dry-run"]) == 7
    assert cli.main(["erase", "accounts", "--where", "id < 9", "--also", "orders"]) == 7
    (_, _, _, operation, given, *options), (_, _, _, _, where, *_) = called
    assert operation == "erase"
    keys = ["4711", {"region": "south", "id": 7}, {"region": "north", "id": "5,5"}]
    assert json.loads(given) == {"model": "accounts", "keys": keys, "where": None, "dry_run": True, "also": []}
    found = {"model": "accounts", "keys": None, "where": "id < 9", "dry_run": False, "also": ["orders"]}
    assert json.loads(where) == found
    assert options == ["--log-level-file=none", "--no-write-json"]


@pytest.mark.parametrize("arguments", [[], ["--key", "1", "--where", "id = 1"], ["--keys", "nowhere.csv"]])
def test_an_erasure_of_nothing(
    arguments: list[str], called: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["erase", "accounts", *arguments]) == 2
    assert capsys.readouterr().err.startswith("deltawave erase: ")
    assert called == []


def test_an_expiry(called: list[list[str]]) -> None:
    assert cli.main(["expire", "accounts", "--before", "2026-01-31", "--even-unread"]) == 7
    ((_, _, _, operation, given),) = called
    assert operation == "expire"
    before = {"model": "accounts", "before": "2026-01-31", "to_batch": None}
    assert json.loads(given) == {**before, "even_unread": True, "purges": True}


@pytest.mark.parametrize("value", ["\x7f\x85\x9b", "a\u2028b\u2029", "\ud83d", "\ufffe", "😀 ~ \xa0 \\ '\""])
def test_dbt_reads_any_value(value: str) -> None:
    assert yaml.safe_load(as_yaml({"key": {value: value}})) == {"key": {value: value}}


@pytest.mark.parametrize(
    "arguments",
    [[], ["--key", "id=1", "--key", "id=2"], ["--key", "id=1", "--key", "ID=2"], ["--key", "id=1", "--null-key", "Id"]],
)
def test_a_history_of_no_key(arguments: list[str], called: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["history", "accounts", *arguments]) == 2
    assert capsys.readouterr().err.startswith("deltawave history: ")
    assert called == []


@pytest.mark.parametrize("part", ["id", "=5"])
def test_a_part_of_a_key_that_is_none(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["history", "accounts", "--key", part])
    assert ended.value.code == 2
    assert f"{part!r} is not COLUMN=VALUE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("errors", "shown"),
    [
        (
            ["Encountered an error while running operation: Usage Error\n  report: there is no model 'x'. It takes"],
            "deltawave report: there is no model 'x'. It takes",
        ),
        (
            ["[\x1b[31mERROR\x1b[0m]: Encountered an error while running operation: Usage Error\n  report: no batch"],
            "deltawave report: no batch",
        ),
        (["[ERROR]: Runtime Error\n  no profile"], "deltawave report: no profile"),
        (
            ["Encountered an error:\nRuntime Error\n  No dbt_project.yml found"],
            "deltawave report: No dbt_project.yml found",
        ),
        (
            ["Encountered an error:\nCompilation Error in model x (models/x.sql)\n  first\n    second"],
            "deltawave report: first\n  second",
        ),
        (
            ["Database Error\n  TABLE_OR_VIEW_NOT_FOUND", "Database Error\n  TABLE_OR_VIEW_NOT_FOUND", "more"],
            "deltawave report: TABLE_OR_VIEW_NOT_FOUND\nmore",
        ),
        (
            ["Encountered an error while running operation: Runtime Error\n  dbt could not find a macro with the name"],
            "deltawave report: The project needs the dbt package deltawave: name it in packages.yml and run `dbt deps`.",  # noqa: E501
        ),
        ([], "deltawave report: it failed; dbt.log says why."),
    ],
)
def test_errors_of_dbt(errors: list[str], shown: str) -> None:
    assert message("report", errors) == shown

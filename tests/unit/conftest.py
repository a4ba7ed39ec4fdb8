"""Fixtures of several files."""

import json
from pathlib import Path
from typing import Any

import pytest
from unit.compare_harness import Found

from deltawave import cli


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the tests of a file share."""
    return tmp_path_factory.mktemp("folder")


@pytest.fixture
def found(capsys: pytest.CaptureFixture[str]) -> Found:
    """What a comparison has found, with its exit code; or the message of an error."""

    def run(*arguments: str) -> dict[str, Any]:
        code = cli.main(["compare", *arguments, "--format", "json"])
        printed = capsys.readouterr()
        if code == 2:
            assert printed.out == ""
            (line,) = printed.err.splitlines()
            return {"code": 2, "error": line.removeprefix("deltawave compare: ")}
        return {"code": code, **json.loads(printed.out)}

    return run

"""The benchmark's command and its report."""

import json
import re
from pathlib import Path
from typing import Any

import differential
import pytest

from laboratory.differential.measuring import Result
from laboratory.differential.methods import METHODS, OPPONENT
from laboratory.differential.report import write_report
from laboratory.differential.snapshots import ORDERS


def result(method: str, *runs: float, **others: Any) -> dict[str, Any]:
    return vars(Result(method, 1000, "full", runs=list(runs), runs_without_state=list(runs), **others).summed_up())


def test_the_report(tmp_path: Path) -> None:
    results = [
        result(OPPONENT, 9.0, 8.0, 70.0),
        result("window", 3.0, 3.0, 2.0, bytes_read=5_000_000, peak_worker_bytes=7_000_000, runs_through_dbt=[4.0, 6.0]),
    ]
    write_report(results, tmp_path)
    reported = json.loads((tmp_path / "results.json").read_text())
    assert [each["seconds"] for each in reported] == [9.0, 3.0]
    wanted = {
        "method",
        "rows",
        "order",
        "seconds",
        "seconds_without_state",
        "seconds_through_dbt",
        "runs",
        "bytes_read",
    }
    assert wanted | {"peak_worker_bytes"} <= set(reported[1])
    assert "| `window` | 3.0 | 3.0 | 5.0 | 3.0 | 5 | 7 |" in (tmp_path / "results.md").read_text()
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")


def test_a_method_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert differential.main(["--methods", "windows", "--out", str(tmp_path)]) == 1
    assert "There is no method windows: they are spark_full_outer_join" in capsys.readouterr().err


def test_docs_name_methods_that_are_there() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "algorithms.md").read_text()
    measured = page.partition("### Measured")[2].partition("### What is not reached")[0]
    rows = "\n".join(line for line in measured.splitlines() if line.startswith("|"))
    named = {*re.findall(r"`(\w+)`", rows)} - {*ORDERS}
    for methods in re.findall(r"--methods ([\w,.]+)", page):
        named |= {*methods.split(",")}
    assert {"hash_compressed", "read_both"} <= named <= {method.name for method in METHODS}


def test_opponents_and_limits_are_there() -> None:
    names = {method.name for method in METHODS}
    assert {"pyspark_extension", "datacompy", "duckdb_full_outer_join", "except_all", "read_new", "read_both"} <= names

"""The figures of LG95 and LG96 in the documentation: drawn from the models, and measured."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from drawn_figures import FIGURES, assert_as_documented, labels

from laboratory.costs.lg96_figures import figure_7, figure_8, figure_9

ROOT = Path(__file__).resolve().parents[2]


def run(script: str, *arguments: str) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / script), *arguments]
    subprocess.run(command, check=True, capture_output=True)


def measured(name: str) -> Any:
    return json.loads((FIGURES / f"lg96_{name}.json").read_text())


def test_the_figures_of_the_documentation_are_those_of_the_models(tmp_path: Path) -> None:
    run("lg96_figures.py", str(tmp_path))
    names = {path.name for path in tmp_path.iterdir()}
    assert {f"lg96_figure_{number}.{kind}" for number in (7, 8, 9) for kind in ("json", "svg")} <= names
    assert {"lg96_figure_6.md", "lg95_table_1.md", "lg95_table_2.md", "lg95_table_3.md"} <= names
    nested_loops = json.loads((tmp_path / "lg95_table_2.json").read_text())["rows"]
    assert [int(cost) for name, (cost, _) in nested_loops.items() if name.startswith("CP NL")] == [26_846_822, 19_660]
    assert_as_documented(tmp_path, names)


def test_tables_and_plots_are_those_of_the_measurements(tmp_path: Path) -> None:
    for path in FIGURES.glob("lg96_*.json"):
        shutil.copy(path, tmp_path)
    run("lg96_experiments.py", "--redraw", "--out", str(tmp_path))
    for name in ("figure_12", "block_sizes", "record_sizes"):
        assert (tmp_path / f"lg96_{name}.md").read_text() == (FIGURES / f"lg96_{name}.md").read_text()
    for name in ("figure_11", "figure_13"):
        reported = labels(tmp_path / f"lg96_{name}.svg")
        assert "extra messages" in reported
        assert reported == labels(FIGURES / f"lg96_{name}.svg")
    assert set(measured("figure_11")) <= labels(tmp_path / "lg96_figure_11.svg")


def test_extra_messages_were_measured_where_more_rows_wait_than_the_buffer_holds() -> None:
    for run in [*measured("figure_13"), *(each for runs in measured("figure_11").values() for each in runs)]:
        capacity = run["aging_bytes"] // run["record_bytes"]
        block = run["block_bytes"] // run["record_bytes"]
        # Rows that match within the block in which they come do not wait.
        if run["extra_messages"]:
            assert run["peak_waiting"] > capacity - block
        else:
            assert run["peak_waiting"] <= capacity + block


def test_what_the_text_says_of_figures_7_to_9() -> None:
    seven, eight, nine = figure_7(), figure_8(), figure_9()
    at = dict(zip(seven.x, range(len(seven.x)), strict=True))
    # In-memory hash tables up to 480 and 320 MB.
    for name, size in (("PHC1", 480), ("PHC2", 320)):
        costs = seven.curves[name]
        assert costs[at[size]] < seven.curves["W"][at[size]]
        assert costs[at[size + 16]] > seven.curves["W"][at[size + 16]]
    # Beyond a factor of 10, compression buys less than a tenth more.
    at_ten = eight.x.index(10)
    for name in ("SMC1", "SMC2", "PHC1", "PHC2"):
        assert eight.curves[name][0] > eight.curves["PH"][0]
        assert eight.curves[name][-1] > 0.88 * eight.curves[name][at_ten]
    # Pointers pay up to 1.7 % of updates and inserts.
    dearer = [
        share for share, one, two in zip(nine.x, nine.curves["PHC1"], nine.curves["PHC2"], strict=True) if two > one
    ]
    assert dearer[0] == pytest.approx(0.017)

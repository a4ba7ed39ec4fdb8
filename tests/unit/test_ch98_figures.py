"""The command that redraws the paper's figures."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = [f"ch98_figure_{number}.{kind}" for number in (10, 9) for kind in ("json", "md", "svg")]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures") / "new"
    script = ROOT / "benchmarks" / "ch98_figures.py"
    subprocess.run([sys.executable, str(script), str(folder)], check=True, capture_output=True)
    return folder


def test_the_figures_of_the_documentation_are_those_of_the_model(drawn: Path) -> None:
    assert sorted(path.name for path in drawn.iterdir()) == NAMES
    for name in NAMES:
        assert (drawn / name).read_text() == (ROOT / "docs" / "figures" / name).read_text()


def test_a_plot_has_each_curve_of_the_numbers_with_its_name(drawn: Path) -> None:
    curves = json.loads((drawn / "ch98_figure_9.json").read_text())["curves"]
    plot = (drawn / "ch98_figure_9.svg").read_text()
    assert plot.count("<polyline ") == len(curves) == 6
    assert [name for name in curves if f">{name}</text>" not in plot] == []


def test_lower_costs_are_drawn_lower(drawn: Path) -> None:
    plot = (drawn / "ch98_figure_10.svg").read_text()
    first_heights = [float(y) for y in re.findall(r'points="[\d.]+,([\d.]+) ', plot)]
    rsbc, pswc, mds, range_checksums, view_based, atdi = first_heights
    assert rsbc < pswc < view_based < mds < range_checksums < atdi

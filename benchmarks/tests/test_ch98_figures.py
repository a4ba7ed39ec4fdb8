"""The command that redraws the paper's figures."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from laboratory.plots import COLOURS, LineChart, draw_lines

ROOT = Path(__file__).resolve().parents[2]
NAMES = [f"ch98_figure_{number}.{kind}" for number in (10, 9) for kind in ("json", "svg")]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures") / "new"
    script = ROOT / "benchmarks" / "ch98_figures.py"
    subprocess.run([sys.executable, str(script), str(folder)], check=True, capture_output=True)
    return folder


def test_the_figures_of_the_documentation_are_those_of_the_model(drawn: Path) -> None:
    assert sorted(path.name for path in drawn.iterdir()) == NAMES
    for name in NAMES:
        # Another release of matplotlib draws otherwise.
        if not name.endswith(".svg"):
            assert (drawn / name).read_text() == (ROOT / "docs" / "figures" / name).read_text()


@pytest.mark.parametrize("number", [9, 10])
def test_a_plot_has_a_line_for_each_curve_with_its_name(drawn: Path, number: int) -> None:
    reported = json.loads((drawn / f"ch98_figure_{number}.json").read_text())
    assert len(reported["curves"]) == 6
    for folder in (drawn, ROOT / "docs" / "figures"):
        plot = (folder / f"ch98_figure_{number}.svg").read_text()
        labels = set(re.findall(r"<text[^>]*>([^<]+)</text>", plot))
        assert (
            set(reported["curves"]) | {f"{reported['title']}: pages read", f"share of {reported['x_label']}"} <= labels
        )


def test_lower_costs_are_drawn_lower(tmp_path: Path) -> None:
    curves = {"dear": [3.0, 4.0], "cheap": [1.0, 2.0]}
    draw_lines(LineChart("costs", "share", "pages", [0.1, 0.2], curves, is_share=True), tmp_path / "costs.svg")
    dear, cheap = line_heights((tmp_path / "costs.svg").read_text(), COLOURS[:2])
    # Down is up in SVG.
    assert max(dear) < min(cheap)


def test_equal_data_gives_equal_files(tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        draw_lines(LineChart("costs", "share", "pages", [1, 2], {"a": [3, 4], "b": [1, 2]}), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def line_heights(plot: str, colours: tuple[str, ...]) -> list[list[float]]:
    """The y coordinates of the lines of these colours, each line's own."""
    found = []
    for colour in colours:
        (path,) = re.findall(rf'<path d="(M [^"]+)" clip-path[^>]*stroke: {colour}', plot)
        found.append([float(y) for y in re.findall(r"[ML] [\d.]+ ([\d.]+)", path)])
    return found

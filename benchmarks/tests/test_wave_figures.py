"""The figures of WI in the documentation."""

import subprocess
import sys
from pathlib import Path

from drawn_figures import assert_as_documented

from laboratory.costs.wave_figures import figure_8, figure_10, figure_11

ROOT = Path(__file__).resolve().parents[2]


def test_the_figures_of_the_documentation_are_those_of_the_model(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "wi_figures.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    names = {path.name for path in tmp_path.iterdir()}
    figures = [*map(str, range(3, 12)), "10_steep"]
    assert names == {f"wave_figure_{figure}.{kind}" for figure in figures for kind in ("json", "svg")}
    assert_as_documented(tmp_path, names)


def test_reindex_passes_below_wata_in_figure_8() -> None:
    figure = figure_8()
    wata, reindex = (dict(zip(figure.own_x[name], figure.curves[name], strict=True)) for name in ("WATA*", "REINDEX"))
    assert [n for n in figure.x if reindex[n] < wata.get(n, 0)] == [60, 65, 70, 75, 80]


def test_what_the_text_says_of_figure_11() -> None:
    wata, least = figure_11().curves.values()
    # The overhead falls as n grows, and is never more than twice the best (Theorem 3). The paper has 1.6 and 1.24.
    assert wata == sorted(wata, reverse=True)
    assert [round(wata[n - 2], 2) for n in (2, 3, 4)] == [1.79, 1.32, 1.15]
    assert all(1 <= best <= one <= 2 * best for one, best in zip(wata, least, strict=True))


def test_figure_10_by_another_growth_of_add() -> None:
    linear, steep = figure_10(), figure_10(1.5)
    assert steep.curves["WATA*"][-1] > steep.curves["REINDEX"][-1]
    assert linear.curves["WATA*"][-1] < linear.curves["REINDEX"][-1]
    assert linear.curves["REINDEX"] == steep.curves["REINDEX"]

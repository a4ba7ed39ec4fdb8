"""The figures of the documentation, and what scripts draw anew."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"


def labels(plot: Path) -> set[str]:
    return set(re.findall(r"<text[^>]*>([^<]+)</text>", plot.read_text()))


def assert_as_documented(folder: Path, names: Iterable[str]) -> None:
    """Plots have what their figures need, as those of the documentation have; other files are the same."""
    for name in names:
        if name.endswith(".svg"):
            figure = json.loads((folder / name).with_suffix(".json").read_text())
            assert {*figure["curves"], figure["x_label"]} <= labels(folder / name) & labels(FIGURES / name)
        else:
            assert (folder / name).read_text() == (FIGURES / name).read_text()

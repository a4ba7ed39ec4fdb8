"""What the commands have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"


def command(description: str | None, out: Path | None = None) -> argparse.ArgumentParser:
    """A parser that takes the folder of the results; ``out``: the default one."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=out, required=out is None, help="folder of the results")
    return parser


def figures_folder(description: str | None, arguments: Sequence[str]) -> Path:
    """The folder that a command draws its figures into: the given one, or docs/figures."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=FIGURES, help="(default: docs/figures)")
    folder: Path = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(path: Path, text: str) -> None:
    """Write a file, and print its name."""
    path.write_text(text, encoding="utf-8")
    print(path)


def names(text: str) -> list[str]:
    """Names with commas between them."""
    return [name for name in text.split(",") if name]


def measured(measure: Callable[[], object], out: Path) -> int:
    """Measure and print the table; return 1 for settings that cannot be."""
    try:
        measure()
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print((out / "results.md").read_text())
    return 0

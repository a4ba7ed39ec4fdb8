"""Results of a benchmark as JSON, a table and a plot."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laboratory.differential.methods import OPPONENT
from laboratory.plots import draw_bars


def write_report(results: Sequence[dict[str, Any]], folder: Path) -> None:
    """Write ``results.json``, ``results.md`` and ``results.png``."""
    (folder / "results.json").write_text(json.dumps(list(results), indent=2) + "\n")
    (folder / "results.md").write_text(table(results))
    _plot(results, folder / "results.png")


def table(results: Sequence[dict[str, Any]]) -> str:
    """The results as Markdown, relative to the named opponent's time."""
    seconds = {result["method"]: result["seconds"] for result in results}
    first = results[0]
    lines = [
        f"{first['rows']:,} rows of about 150 bytes, order {first['order']}, local[2], "
        f"Python {platform.python_version()}, {os.cpu_count()} cores; medians of {len(first['runs'])} runs.",
        "",
        f"| method | seconds | without state | through dbt | times faster than `{OPPONENT}` | read, MB | worker, MB |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for result in results:
        ratio = f"{seconds[OPPONENT] / result['seconds']:.1f}" if OPPONENT in seconds else ""
        cells = [
            f"`{result['method']}`",
            f"{result['seconds']:.1f}",
            f"{result['seconds_without_state']:.1f}",
            "" if result["seconds_through_dbt"] is None else f"{result['seconds_through_dbt']:.1f}",
            ratio,
            f"{result['bytes_read'] / 1e6:,.0f}",
            "" if result["peak_worker_bytes"] is None else f"{result['peak_worker_bytes'] / 1e6:,.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _plot(results: Sequence[dict[str, Any]], file: Path) -> None:
    shown = sorted(results, key=lambda result: float(result["seconds"]), reverse=True)
    seconds = {str(result["method"]): float(result["seconds"]) for result in shown}
    title = f"{shown[0]['rows']:,} rows, order {shown[0]['order']}, two cores"
    limits = [name for name in seconds if name.startswith("read_")]
    draw_bars(seconds, title, "seconds, next state written", limits, file)

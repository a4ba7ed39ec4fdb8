"""How many tuples per second MESHJOIN joins with a relation larger than memory, compared with other methods (MJ08 5).

Each method runs in a process of its own, with one task, in rounds: each round runs every method once. The memory of a
process counts from the moment when it has everything that it needs, including the stream's tuples.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from laboratory.meshjoin.data import MeshData
from laboratory.meshjoin.methods import METHODS, sweep
from laboratory.meshjoin.setting import Setting
from laboratory.plots import LineChart, draw_bars, draw_lines
from laboratory.resources import memory_of, tree_of

_SECONDS_BETWEEN_LOOKS = 0.005
# Finding the processes takes a millisecond of a core that the reading ahead needs.
_LOOKS_PER_TREE = 50


@dataclass
class MeshResult:
    """The measurements of a method. ``tuples_per_second`` is the median of ``runs``.

    ``peak_bytes``: growth over the idle process; of Spark, with its Java process.
    """

    method: str
    memory_fraction: float
    reads: str
    rows: int
    tuples_per_second: float = 0.0
    runs: list[float] = field(default_factory=list)
    peak_bytes: int = 0


def run(memory: float, reads: str, out: Path, runs: int = 3, rows: int = 3_500_000) -> list[MeshResult]:
    """Measure, and write ``results.json``, ``sweep.json``, ``results.md``, ``results.png`` and ``sweep.png``.

    - ``memory``: as a part of the relation's size
    - ``reads``: ``cached``, or ``direct``: past the operating system's cache

    Raises ``ValueError`` for a memory that is too small for a page and a tuple, and without runs or rows.
    """
    for name, value in (("--runs", runs), ("--rows", rows)):
        if value < 1:
            raise ValueError(f"{name} has to be 1 or more, not {value}.")
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="deltawave-bench-", dir=out))
    try:
        data = MeshData(rows)
        setting = Setting(data, folder, int(data.relation_bytes * memory), reads == "direct")
        print(f"==> Writing a relation of {rows:,} rows; {setting.memory_bytes:,} bytes of memory", flush=True)
        setting.write()
        # Raises if the memory is too small, before anything is measured.
        _ = setting.window
        results = {name: MeshResult(name, memory, reads, rows) for name in METHODS}
        for _ in range(runs):
            for name, result in results.items():
                rate, peak = in_process(METHODS[name], setting)
                print(f"run: {name} {rate:,.0f} tuples/s", flush=True)
                result.runs.append(round(rate))
                result.peak_bytes = max(result.peak_bytes, peak)
        points, _ = in_process(sweep, setting)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for result in results.values():
        result.tuples_per_second = statistics.median(result.runs)
    reported = list(results.values())
    _write(reported, points, out)
    return reported


def in_process(work: Callable[[Setting, Callable[[], None]], Any], setting: Setting) -> tuple[Any, int]:
    """The result of some work, and by how much its process grew since it was ready.

    Raises ``RuntimeError`` if it failed.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_worker, args=(work, setting, theirs))
    process.start()
    theirs.close()
    try:
        ours.recv()
        tree = tree_of(process.pid or 0)
        idle = peak = memory_of(tree)
        ours.send(None)
        for look in count(1):
            if ours.poll(_SECONDS_BETWEEN_LOOKS):
                break
            if look % _LOOKS_PER_TREE == 0:
                tree = tree_of(process.pid or 0)
            peak = max(peak, memory_of(tree))
        return ours.recv(), peak - idle
    except EOFError:
        raise RuntimeError(f"{work.__name__} failed; what went wrong is above.") from None
    finally:
        process.join()


def _worker(work: Callable[[Setting, Callable[[], None]], Any], setting: Setting, pipe: Connection) -> None:
    def ready() -> None:
        pipe.send(None)
        pipe.recv()

    pipe.send(work(setting, ready))


def _write(results: Sequence[MeshResult], points: list[dict[str, float]], out: Path) -> None:
    (out / "results.json").write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    (out / "sweep.json").write_text(json.dumps(points, indent=2) + "\n")
    (out / "results.md").write_text(table(results, points))
    shown = sorted(results, key=lambda result: -result.tuples_per_second)
    title = f"{_setting(results[0])}, one task"
    rates = {result.method: result.tuples_per_second / 1000 for result in reversed(shown)}
    draw_bars(rates, title, "1,000 tuples per second", [], out / "results.png")
    curves = {name: [point[name] for point in points] for name in ("predicted", "measured")}
    chart = LineChart(title, "pages per iteration, b", "tuples per second", [p["b"] for p in points], curves)
    draw_lines(chart, out / "sweep.png")


def _setting(result: MeshResult) -> str:
    return f"{result.rows:,} rows of 120 bytes, memory {result.memory_fraction:.3g} of that, {result.reads} reads"


def table(results: Sequence[MeshResult], points: Sequence[dict[str, float]]) -> str:
    """The results as Markdown."""
    mesh = next(result for result in results if result.method == "meshjoin")
    lines = [
        f"{_setting(mesh)}, one task, Python {platform.python_version()}, {os.cpu_count()} cores; "
        f"medians of {len(mesh.runs)} runs.",
        "",
        "| method | tuples/s | MESHJOIN is faster by | growth, MB |",
        "|---|---:|---:|---:|",
    ]
    for result in results:
        faster = f"{mesh.tuples_per_second / result.tuples_per_second:.1f}"
        lines.append(
            f"| `{result.method}` | {result.tuples_per_second:,.0f} | {faster} | {result.peak_bytes / 1e6:.1f} |"
        )
    lines += ["", "| b | w | predicted | measured | ratio |", "|---:|---:|---:|---:|---:|"]
    for point in points:
        ratio = point["predicted"] / point["measured"]
        cells = [f"{point[name]:,.0f}" for name in ("b", "w", "predicted", "measured")]
        lines.append(f"| {' | '.join([*cells, f'{ratio:.2f}'])} |")
    return "\n".join(lines) + "\n"

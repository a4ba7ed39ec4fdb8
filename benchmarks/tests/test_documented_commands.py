"""Each command of this folder that docs show ends well; with tiny sizes, in a process of its own."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
# The folder of results.
OUT = "{out}"
# Constants of a module take other values before the command begins.
START = """
import importlib, json, sys
constants, script, *arguments = sys.argv[1:]
for name, value in json.loads(constants).items():
    module, _, constant = name.rpartition(".")
    found = importlib.import_module(module)
    setattr(found, constant, eval(value, vars(found)))
sys.argv = [script, *arguments]
main = importlib.import_module(script.removesuffix(".py")).main
sys.exit(main(arguments) if main.__code__.co_argcount else main())
"""


@dataclass(frozen=True)
class Tiny:
    """What makes a command tiny.

    - ``options``: arguments that follow those of docs, so that they count
    - ``constants``: expressions in Python for constants of modules
    """

    options: str
    constants: dict[str, str] = field(default_factory=dict)


# Window and days of a wave index.
FEW_DAYS = "--window 4 --constituents 2 --days 1 --scale 0.001"
EXPERIMENTS = "laboratory.evaluation.experiments"
TINY = {
    "auto.py": Tiny("--rows 2000 --runs 1 --models default --others spark_full_outer_join"),
    "ch98_figures.py": Tiny(OUT),
    "cluster.py": Tiny("--rows 2000 --runs 1 --models row_checksum"),
    "compare.py": Tiny("--rows 2000 --runs 1"),
    "differential.py": Tiny(f"--rows 2000 --runs 1 --out {OUT}"),
    "lg96_experiments.py": Tiny(
        f"--out {OUT}",
        {
            f"{EXPERIMENTS}.MB": "2**20 / 500",
            f"{EXPERIMENTS}.FILES": "{name: rows // 500 for name, rows in FILES.items()}",
            f"{EXPERIMENTS}.PAIR": "replace(PAIR, rows=PAIR.rows // 500, displacement=PAIR.displacement // 500)",
            f"{EXPERIMENTS}.TENTH": "PAIR",
            f"{EXPERIMENTS}.BUFFERS": "WindowBuffers(aging_bytes=2**23 / 500, block_bytes=2**11)",
            f"{EXPERIMENTS}.TENTH_BUFFERS": "BUFFERS",
        },
    ),
    "lg96_figure_14.py": Tiny(f"--sizes 1 --runs 1 --out {OUT}"),
    "lg96_figures.py": Tiny(OUT),
    "mesh_join.py": Tiny(f"--rows 20000 --memory 0.2 --runs 1 --out {OUT}"),
    "mesh_streams.py": Tiny(f"--rows 20000 --sizes 100 --memory 8 --runs 1 --out {OUT}"),
    "mj08_experiments.py": Tiny(f"--rows 20000 --sensor-rows 60000 --runs 1 --out {OUT}"),
    "mj08_figures.py": Tiny(OUT),
    "query_based.py": Tiny(f"--rows 20000 --out {OUT}"),
    "seeds.py": Tiny("--rows 200 --rounds 1 --warm-up 0"),
    "small_batches.py": Tiny("--rounds 1 --strategies outer_join", {"small_batches.WARM_UP": "0"}),
    "startup.py": Tiny("--rounds 1"),
    "table_versions.py": Tiny("--rows 2000 --runs 1", {"table_versions.FILES": "4"}),
    "wave_indexes.py": Tiny(f"{FEW_DAYS} --out {OUT}"),
    "wave_published.py": Tiny(
        f"--out {OUT}",
        {"wave_published.RUNS": f"{{name: f'{{run}} {FEW_DAYS} --methods partitioned' for name, run in RUNS.items()}}"},
    ),
    "wi_figures.py": Tiny(OUT),
    "years.py": Tiny("--batches 2 --neighbours 1 --rows 100"),
}


def texts() -> Iterator[str]:
    for file in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        yield file.read_text()


def documented() -> list[str]:
    """The commands in texts, as they are made tiny: those that then are the same come once."""
    found: set[str] = set()
    for text in texts():
        shown = re.findall(r"\.venv/bin/python benchmarks/(\w+\.py[^`#|\n]*)", text)
        shown += re.findall(r"`benchmarks/(\w+\.py -[^`]*)`", text)
        found |= {made_tiny(command) for command in shown}
    return sorted(found)


def made_tiny(command: str) -> str:
    """A command whose options are those of :data:`TINY`, where it has them, too."""
    script, *arguments = shlex.split(command)
    tiny = TINY[script].options
    for option in re.findall(r"--[\w-]+", tiny):
        if option in arguments:
            at = arguments.index(option)
            following = (place for place in range(at + 1, len(arguments)) if arguments[place].startswith("--"))
            del arguments[at : next(following, len(arguments))]
    return shlex.join([script, *arguments, *shlex.split(tiny)]).replace(shlex.quote(OUT), OUT)


@pytest.mark.parametrize("command", documented())
def test_a_command_in_docs_ends_well(command: str, tmp_path: Path) -> None:
    script, *arguments = shlex.split(command.format(out=tmp_path / "out"))
    start = [sys.executable, "-c", START, json.dumps(TINY[script].constants), script, *arguments]
    environ = os.environ | {"PYTHONPATH": str(BENCHMARKS)}
    done = subprocess.run(start, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


def test_docs_name_scripts_that_are_there() -> None:
    named = {name for text in texts() for name in re.findall(r"benchmarks/(\w+\.py)", text)}
    assert named <= {file.name for file in BENCHMARKS.glob("*.py")}

"""Measure wave indexes as docs/wave_costs.md publishes them, and print its tables; half an hour.

Each subfolder of the given folder gets what `wave_indexes.py` writes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from laboratory.commands import command

# The arguments of each run, by its subfolder.
RUNS = {
    "lineitem": "--data lineitem --window 100 --constituents 10 --days 11 --scale 0.3",
    "postings": "--data postings --window 7 --constituents 4 --days 7 --scale 0.5",
}


def main(arguments: list[str]) -> int:
    out = command(__doc__).parse_args(arguments).out
    measure = Path(__file__).with_name("wave_indexes.py")
    # Each with a Spark of its own.
    for name, settings in RUNS.items():
        subprocess.run([sys.executable, measure, *settings.split(), "--out", out / name], check=True)
    for name in RUNS:
        print(f"\n{name}\n\n{(out / name / 'published.md').read_text()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

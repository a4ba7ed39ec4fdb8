"""Measure how many tuples a second join a relation that is larger than memory: MESHJOIN compared with other methods.

Writes results.json, results.md and charts into the folder of --out.
"""

from __future__ import annotations

import sys

from laboratory.commands import command, measured
from laboratory.meshjoin.measuring import run


def main(arguments: list[str]) -> int:
    parser = command(__doc__)
    parser.add_argument("--memory", type=float, default=0.01, help="as a part of the relation's size (default: 0.01)")
    parser.add_argument(
        "--reads", choices=("cached", "direct"), default="cached", help="direct: past the system's cache"
    )
    parser.add_argument("--rows", type=int, default=3_500_000, help="of the relation (default: 3500000)")
    parser.add_argument("--runs", type=int, default=3, help="how often each method runs (default: 3)")
    options = parser.parse_args(arguments)
    return measured(lambda: run(options.memory, options.reads, options.out, options.runs, options.rows), options.out)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

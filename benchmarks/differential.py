"""Measure how long the differences of two snapshots take, compared with Spark, DuckDB and other libraries.

Writes results.json, results.md and results.png into the folder of --out.
"""

from __future__ import annotations

import sys

from laboratory.commands import command, measured, names
from laboratory.differential.measuring import run
from laboratory.differential.snapshots import ORDERS


def main(arguments: list[str]) -> int:
    parser = command(__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000, help="rows of a snapshot (default: 2000000)")
    parser.add_argument("--order", choices=ORDERS, default="full", help="of the later snapshot")
    parser.add_argument("--runs", type=int, default=3, help="how often each method runs (default: 3)")
    parser.add_argument("--methods", type=names, default=[], help="names with commas between them (default: all)")
    options = parser.parse_args(arguments)
    return measured(lambda: run(options.rows, options.order, options.out, options.runs, options.methods), options.out)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Measure what wave indexes take, compared with the cost model and with what Spark users do.

Writes results.json, results.md, the tables of docs/wave_costs.md (published.md) and charts into the folder of --out.
"""

from __future__ import annotations

import sys

from laboratory.commands import command, measured, names
from laboratory.wave.data import DATA
from laboratory.wave.measuring import Setting, run


def main(arguments: list[str]) -> int:
    parser = command(__doc__)
    parser.add_argument("--data", choices=DATA, default="lineitem", help="(default: lineitem)")
    parser.add_argument("--window", type=int, default=100, metavar="W", help="days of the window (default: 100)")
    parser.add_argument("--constituents", type=int, default=10, metavar="N", help="constituent indexes (default: 10)")
    parser.add_argument("--days", type=int, default=11, metavar="D", help="that each method takes (default: 11)")
    parser.add_argument("--scale", type=float, default=0.5, help="TPC-H's; of postings, of 70,000 a day (default: 0.5)")
    parser.add_argument("--methods", type=names, default=[], help="names with commas between them (default: all)")
    given = parser.parse_args(arguments)

    def measure() -> None:
        setting = Setting(given.data, given.window, given.constituents, given.days, given.scale)
        run(setting, given.out, given.methods)

    return measured(measure, given.out)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

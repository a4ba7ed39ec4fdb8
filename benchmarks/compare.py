"""Measure `deltawave compare` of two files, each time as a process, against what else would answer the question.

Prints medians of seconds, and their ratios to one of the commands:

- two files of four rows, to `python -c "import duckdb"`
- large files in CSV and in Parquet, to DuckDB's full outer join of the same files, which counts the differences of
  each column: of CSV as texts. Beside them datacompy, on Polars and on pandas, and a join of DuckDB for each column
- a table of 500 columns

2% of the rows change, 0.5% are deleted and 0.5% inserted, and the new table has another order.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

COLUMNS = "name, code, amount, rate, day, placed, flag, region, part, note, quantity"
ROWS = """
    select
        i as id, 'name ' || (i * 7919 % 100000) as name, md5(i::varchar)[:12] as code,
        ((i * 37 % 100000) / 100.0)::decimal(12, 2) as amount, (i * 7 % 1000003) / 1000003.0 as rate,
        date '2020-01-01' + (i % 1000)::int as day, timestamp '2020-01-01' + to_seconds(i) as placed, i % 2 = 0 as flag,
        ['north', 'east', 'south', 'west'][1 + i % 4] as region, i % 50 as part,
        'some longer text of a note ' || (i % 1000) as note, i * 3 as quantity
    from range({rows}) as t(i)
"""
CHANGED = """
    select
        case when id % 200 = 3 then id + {rows} else id end as id,
        * exclude (id) replace (case when id % 50 = 7 then amount + 1 else amount end as amount)
    from ({old}) order by hash(id)
"""
Command = Sequence[str]
# The command of each line that others are compared with.
BASES = {
    "two CSV files of 4 rows": "import duckdb",
    "large CSV": "full outer join",
    "large Parquet": "full outer join",
}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000, help="of the large files (default: 2,000,000)")
    parser.add_argument("--runs", type=int, default=3, help="of each command; medians are printed (default: 3)")
    parser.add_argument("--without", default="", metavar="NAME", help="leave out commands of this name: datacompy")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="deltawave-compare-"))
    try:
        written(folder, given.rows)
        # Or what comes first shares the disk with the files that are still being written.
        os.sync()
        for title, commands in measured(folder).items():
            chosen = {name: each for name, each in commands.items() if not given.without or given.without not in name}
            taken = medians(chosen, given.runs)
            base = taken.get(BASES.get(title, ""))
            print(f"{title}:", flush=True)
            for name, seconds in taken.items():
                ratio = f", {seconds / base:.2f} times, {seconds - base:+.2f} s" if base else ""
                print(f"  {name}: {seconds:.2f} s{ratio}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def written(folder: Path, rows: int) -> None:
    """Write the files: small, large and wide ones."""
    old = ROWS.format(rows=rows)
    wide = ", ".join(f"i * {number} % 1000 as c{number}" for number in range(499))
    wide_old = f"select i as id, {wide} from range(2000) as t(i)"
    selects = {
        "small_old": ROWS.format(rows=4),
        "small_new": f"select * replace (amount + 1 as amount) from ({ROWS.format(rows=4)})",
        "old": old,
        "new": CHANGED.format(old=old, rows=rows),
        "wide_old": wide_old,
        "wide_new": f"select * replace (c3 + id % 50 // 49 as c3) from ({wide_old})",
    }
    for name, select in selects.items():
        duckdb.execute(f"copy ({select}) to '{folder}/{name}.csv'")
        if not name.startswith(("small", "wide")):
            duckdb.execute(f"copy ({select}) to '{folder}/{name}.parquet'")


def measured(folder: Path) -> dict[str, dict[str, Command]]:
    """The commands of each line, by what they are called."""

    def own(old: str, new: str, *options: str) -> Command:
        command = f"{sysconfig.get_path('scripts')}/deltawave"
        return [command, "compare", f"{folder}/{old}", f"{folder}/{new}", "--key", "id", *options]

    def python(program: str) -> Command:
        return [sys.executable, "-c", program]

    def by_duckdb(kind: str, one_by_one: bool = False) -> Command:
        source = "read_csv('{0}', all_varchar = true)" if kind == "csv" else "read_parquet('{0}')"
        old, new = (source.format(f"{folder}/{side}.{kind}") for side in ("old", "new"))
        in_both = "o.id is not null and n.id is not null"
        counts = [f"count_if({in_both} and o.{each} is distinct from n.{each})" for each in COLUMNS.split(", ")]
        alone = "count_if(o.id is null), count_if(n.id is null)"
        joined = f"from {old} as o full join {new} as n on o.id = n.id"
        selects = [f"select {each} {joined}" for each in [alone, *counts]] if one_by_one else []
        program = "; ".join(
            f"duckdb.execute({select!r}).fetchall()"
            for select in selects or [f"select {', '.join([alone, *counts])} {joined}"]
        )
        return python(f"import duckdb; duckdb.execute('set enable_progress_bar = false'); {program}")

    def datacompy(kind: str, library: str) -> Command:
        reader = f"{library}.read_{kind}"
        frames = ", ".join(f"{reader}('{folder}/{side}.{kind}')" for side in ("old", "new"))
        compare = {"polars": "PolarsCompare", "pandas": "PandasCompare"}[library]
        return python(
            f"import datacompy, {library}; old, new = {frames}; "
            f"print(datacompy.{compare}(old, new, join_columns=['id']).report())"
        )

    large = {
        kind: {
            "deltawave": own(f"old.{kind}", f"new.{kind}"),
            "deltawave --summary": own(f"old.{kind}", f"new.{kind}", "--summary"),
            "full outer join": by_duckdb(kind),
            "a join for each column": by_duckdb(kind, one_by_one=True),
            "datacompy, Polars": datacompy(kind, "polars"),
            "datacompy, pandas": datacompy(kind, "pandas"),
        }
        for kind in ("csv", "parquet")
    }
    small = {"deltawave": own("small_old.csv", "small_new.csv"), "import duckdb": python("import duckdb")}
    return {
        "two CSV files of 4 rows": small,
        "large CSV": large["csv"],
        "large Parquet": large["parquet"],
        "CSV of 500 columns and 2,000 rows": {"deltawave": own("wide_old.csv", "wide_new.csv")},
    }


def medians(commands: Mapping[str, Command], runs: int) -> dict[str, float]:
    """The seconds of each command, which run in turns."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            begin = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            taken[name].append(time.perf_counter() - begin)
            if done.returncode not in (0, 1) or (done.returncode == 1 and not name.startswith("deltawave")):
                raise RuntimeError(f"{name}: {done.stderr[-500:]}")
    return {name: statistics.median(each) for name, each in taken.items()}


if __name__ == "__main__":
    main()

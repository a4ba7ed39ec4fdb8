"""Runs the tests' lanes: `python scripts/lanes.py test`, or another size of SIZES, or names of lanes.

A lane is a pytest process with a Spark of its own; two run at a time. PYTEST_ARGS go to each of them.
"""

import os
import random
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]

# pytest's arguments, or a command of make. pyproject.toml says what the markers mean. Lanes with --sparing have a Spark
# for thousands of small statements, see conftest.py; the others run on what users run on: Hive's metastore and
# Spark's defaults.
QUICK = {
    "types": "make types",
    "quick_units": """tests/unit --ignore=tests/unit/test_mesh_operator.py --ignore=tests/unit/test_wave_planner.py
        --ignore=tests/unit/test_colliding_hashes.py""",
    "quick_history": """
        tests/functional/contract/test_short.py::TestShortHistories::test_main_events[outer_join] --sparing""",
}
# In both `make test` and `make test-all`, and first, since the pages take longest.
BOTH = {
    # The first pages as they are written, in environments that their own commands make.
    "pages": "tests/functional/test_pages_as_written.py tests/functional/test_installed_package.py",
    "thrift": "tests/functional/test_thrift.py",
    "lint": "make lint",
    "browser": "tests/browser",
    "units": "tests/unit",
}
CORE = {
    "histories": "tests/functional -m 'core and not hive' --sparing",
    "kills": "tests/crash/test_kills.py::test_each_step_is_killed_once",
    "models": "tests/functional -m 'core and hive'",
    "delta_history": """tests/functional/contract/test_short.py::TestFirstBatches tests/functional/test_ten_days.py
        --table-format=delta --sparing""",
    "iceberg_history": "tests/functional/contract/test_short.py::TestFirstBatches --table-format=iceberg --sparing",
}
REST = {
    # Every strategy through a history, with all events.
    "contract": "tests/functional/contract --ignore=tests/functional/contract/test_short.py --sparing",
    "strategies": "tests/functional/strategies --sparing",
    "macros": "tests/functional/macros -m 'not hive' --sparing",
    "engine": "tests/functional/differential -m 'not hive' --sparing",
    # Waves, external sources, records and reports.
    "features": """tests/functional/wave tests/functional/test_advise.py tests/functional/test_change_rates.py
        tests/functional/test_compare.py tests/functional/test_compared_by_both.py
        tests/functional/test_compared_tables.py tests/functional/test_external_sources.py
        tests/functional/test_log_reports.py tests/functional/test_own_strategies.py
        tests/functional/test_record_formats.py tests/functional/test_report.py tests/functional/test_runways.py
        tests/functional/test_shop.py tests/functional/test_ten_days.py -m 'not hive' --sparing""",
    # MESHJOIN, from files and Kafka.
    "streams": """tests/functional/test_mesh_increments.py tests/functional/test_mesh_join.py
        tests/functional/test_stored_relation.py tests/functional/test_stream_command.py
        tests/functional/test_stream_join.py tests/functional/test_stream_messages.py
        tests/functional/test_stream_models.py tests/functional/test_stream_restarts.py -m 'not hive' --sparing""",
    "hive": "tests/functional --ignore=tests/functional/adapter -m hive",
    # dbt processes of their own, and Spark Connect.
    "adapter": "tests/functional/adapter",
    # PostgreSQL and MariaDB.
    "remote": "tests/functional/remote --sparing",
    "crash": "tests/crash",
    "delta": "tests/functional -m 'formats or delta' --table-format=delta --sparing",
    "iceberg": "tests/functional -m 'formats or iceberg' --table-format=iceberg --sparing",
    # Tables on S3, which renames and deletes folders file by file.
    "s3": """tests/crash/test_kills.py::test_each_step_is_killed_once tests/crash/test_killed_erasure.py
        tests/functional -m s3 --warehouse=s3 --sparing""",
    "s3_delta": """tests/functional/contract/test_short.py::TestFirstBatches
        --table-format=delta --warehouse=s3 --sparing""",
    "s3_iceberg": """tests/functional/contract/test_short.py::TestFirstBatches
        --table-format=iceberg --warehouse=s3 --sparing""",
    "stock": "tests/functional -m both_adapters --adapter=spark --sparing",
    "consumers": "tests/functional/test_consumer.py",
    # Figures, cost models and experiments, and algorithms that no strategy runs.
    "papers": "benchmarks/tests --sparing",
    # Other releases of dbt, Spark and Python, each in an environment of its own.
    "versions": "make test-versions",
}
SIZES = {"quick": QUICK, "test": BOTH | CORE, "all": BOTH | REST}
LANES = QUICK | BOTH | CORE | REST


def chosen(names: list[str]) -> list[str]:
    """The lanes of sizes and lanes; of `drawn`, one that `make test` lacks, by the last commit."""
    lanes: list[str] = []
    for name in names:
        if name == "drawn":
            commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
            drawn = [lane for lane, arguments in REST.items() if not arguments.startswith("make ")]
            lanes.append(random.Random(commit.strip() or None).choice(drawn))
            print(f"The commit has drawn the lane {lanes[-1]}: make test-lane LANE={lanes[-1]} runs it again.")
        elif name in SIZES | LANES:
            lanes += SIZES.get(name, [name])
        else:
            sys.exit(f"There is no lane '{name}'. There are: {', '.join(LANES)}; sizes: {', '.join(SIZES)}.")
    return list(dict.fromkeys(lanes))


def run(lane: str, extra: list[str], is_shown: bool) -> tuple[bool, str]:
    """Run a lane and show how far it is, and all output if it fails; whether it passed, and its last line."""
    print(f"{lane}: begins", flush=True)
    words = shlex.split(LANES[lane])
    command = words if words[0] == "make" else [sys.executable, "-m", "pytest", "--color=no", *words, *extra]
    output = ""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            output += line
            if line.endswith("%]\n"):
                print(f"{lane}: {line}", end="", flush=True)
    if is_shown or process.returncode:
        print(f"\n{'#' * 20} {lane}, exit code {process.returncode}:\n{output}{'#' * 20} end of {lane}\n", flush=True)
    return process.returncode == 0, output.strip("=\n ").rpartition("\n")[2].strip("= ")


def main() -> None:
    lanes = chosen(sys.argv[1:])
    given = shlex.split(os.environ.get("PYTEST_ARGS", ""))
    seed = [] if any(word.startswith("--seed") for word in given) else ["--seed", str(random.randrange(1_000_000))]
    extra = [*given, *seed]
    again = f"make test-lane LANE='{' '.join(lanes)}' PYTEST_ARGS='{shlex.join(extra)}'"
    print(f"{again} draws the same histories again.", flush=True)
    begun = time.monotonic()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        # Of the fixture `quick_jvm`.
        os.environ["CLASSES_OF_LANES"] = folder
        done = dict(zip(lanes, pool.map(lambda lane: run(lane, extra, bool(given)), lanes), strict=True))
    counts: Counter[str] = Counter()
    for lane, (is_good, last) in done.items():
        print(f"{lane:18} {'ok' if is_good else 'FAILED':7} {last}")
        for count, kind in re.findall(r"(\d+) (passed|failed|error|skipped|xfailed)", last):
            counts[kind] += int(count)
    print(f"==== {', '.join(f'{n} {kind}' for kind, n in counts.items())} in {time.monotonic() - begun:.2f}s ====")
    sys.exit(not all(is_good for is_good, _ in done.values()))


if __name__ == "__main__":
    main()

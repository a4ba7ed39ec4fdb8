"""Runs the tests' lanes, which LANES declares: `python scripts/lanes.py test`, another size, or names of lanes.

Each lane is a pytest process with a Spark of its own; two run at a time. Of a lane that fails all output is shown.
PYTEST_ARGS are added to the arguments of every lane.
"""

from __future__ import annotations

import os
import random
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]

# A Spark for thousands of small statements, see conftest.py. Lanes without it run on what users run on: Hive's
# embedded metastore and Spark's defaults.
SPARING = ("--sparing",)
DELTA = ("--table-format", "delta", *SPARING)
ICEBERG = ("--table-format", "iceberg", *SPARING)
S3 = ("--warehouse", "s3")


@dataclass(frozen=True)
class Lane:
    """Tests, as files, folders or tests below ``folder``, and pytest's options; or another command."""

    tests: str = ""
    options: tuple[str, ...] = ()
    command: str = ""
    folder: str = "tests"

    @property
    def paths(self) -> list[str]:
        return [f"{self.folder}/{test}" for test in self.tests.split()]

    @property
    def is_another_spark(self) -> bool:
        """Does it run tests of other lanes again, on another format or adapter?"""
        return bool({"--table-format", "--adapter", "--warehouse"}.intersection(self.options))

    def includes(self, path: str) -> bool:
        """Is that, or something around it, among its paths?"""
        return any(path == own or path.startswith((f"{own}/", f"{own}::")) for own in self.paths)

    def replaces(self, other: Lane) -> bool:
        """Does it run all tests of another lane, with the same options?"""
        same = self is not other and self.options == other.options
        return same and bool(other.paths) and all(map(self.includes, other.paths))


WORKER_MEMORY = "unit/test_worker_memory.py"
UNITS = Lane("unit", (f"--ignore=tests/{WORKER_MEMORY}",))
# Thousands of plans and joins, of one algorithm each; and a Spark.
LONGER_UNITS = ("mesh_operator", "wave_planner", "colliding_hashes", "worker_memory")
SHORT = "functional/contract/test_short.py"
SHORT_HISTORIES = f"{SHORT}::TestShortHistories"
FIRST_BATCHES = f"{SHORT}::TestFirstBatches"
STOCK_BATCHES = f"{SHORT}::TestStockFirstBatches"
WAVES = "functional/wave/test_wave_index.py::TestWaveIndex"
# From the first delivery of a legacy source's files to the tenth.
TEN_DAYS = "functional/test_ten_days.py"
README = "functional/test_consumer.py::test_the_readme_installs_it_into_an_empty_folder_that_builds_a_project"
FORGETS = "functional/differential/test_erasing.py::TestErasing::test_every_place_forgets_a_person"
OFFERED = "functional/differential/test_dbt_features.py"

# `make quick`
QUICK = {
    "types": Lane(command="make types"),
    "quick_units": Lane("unit", tuple(f"--ignore=tests/unit/test_{name}.py" for name in LONGER_UNITS)),
    "quick_history": Lane(f"{SHORT_HISTORIES}::test_main_events[outer_join]", SPARING),
}
# `make test`: everything that a user's path touches, once; what takes longest comes first.
CORE = {
    # Every strategy through a history, every refusal, and `deltawave compare`: thousands of statements.
    "histories": Lane(
        f"""
        {SHORT_HISTORIES} functional/test_own_strategies.py
        functional/differential/test_refusals.py functional/differential/test_bad_input.py
        functional/test_stream_models.py::TestNewRows functional/remote/test_remote_strategies.py::TestPostgresOnce
        functional/test_compared_tables.py functional/test_compared_by_both.py {TEN_DAYS} functional/test_shop.py
        {FORGETS}
        """,
        SPARING,
    ),
    "kills": Lane("crash/test_kills.py::test_each_step_is_killed_once"),
    # The first pages as they are written, in environments that their own commands make.
    "pages": Lane("functional/test_pages_as_written.py functional/test_installed_package.py"),
    "install": Lane(README),
    "thrift": Lane("functional/test_thrift.py"),
    # Materializations, what dbt offers to models, waves, and stock dbt-spark.
    "models": Lane(
        f"""
        functional/adapter/test_suites.py functional/adapter/test_seeds.py functional/adapter/test_seed_statements.py
        functional/macros/test_in_a_project.py
        {OFFERED}::TestDbtFeatures::test_hooks_run_around_the_batch
        {OFFERED}::TestDbtFeatures::test_docs_show_the_rows_and_bytes_of_a_log
        {OFFERED}::TestContract::test_what_is_printed_holds_and_each_difference_is_named
        functional/differential/test_followers.py::TestFollowers::test_main_changes_are_followed
        {WAVES}::test_days_are_loaded_in_order {WAVES}::test_probes_and_scans_in_models
        {STOCK_BATCHES}
        """
    ),
    "lint": Lane(command="make lint"),
    # On Hive's metastore, which these formats need; queries are not compiled.
    "delta_history": Lane(f"{FIRST_BATCHES} {TEN_DAYS}", DELTA),
    "iceberg_history": Lane(FIRST_BATCHES, ICEBERG),
    # Pages, in headless Chromium.
    "browser": Lane("browser"),
    "units": UNITS,
}
# What a format decides: types, merges, partitions, what is read in place, what its history keeps.
FORMATS = f"""
    {FORGETS}
    functional/differential/test_types.py functional/differential/test_slice_keys.py
    functional/adapter/test_seed_statements.py::TestStatements::test_inferred_types
    functional/differential/test_followers.py::TestFollowers::test_tables_are_those_of_the_macros_after_each_batch
    functional/differential/test_followers.py::TestFollowers::test_columns_follow_the_log
    functional/differential/test_followers.py::TestFollowers::test_rows_of_a_bag_are_counted
    functional/differential/test_followers.py::TestFollowers::test_a_table_gets_another_format_with_its_next_rows
    functional/differential/test_followers.py::TestStoppedFollowers
    functional/differential/test_adopting.py
    functional/differential/test_state.py::TestDriftedColumns functional/macros/test_merging.py
    functional/differential/test_merged_partitions.py::TestMerging::test_a_long_log_has_few_partitions_and_all_rows
    functional/differential/test_merged_partitions.py::TestMerging::test_what_cannot_be_dropped_is_dropped_by_a_later_merge
    functional/differential/test_merged_partitions.py::TestMerging::test_columns_that_come_later_stay_in_their_place
    functional/differential/test_dbt_features.py::TestClone
    functional/strategies/test_read_in_place.py
    functional/test_stored_relation.py::test_a_table_and_a_view_of_it_are_known_by_a_version
    functional/wave/test_wave_index.py::TestWaveIndex::test_files_go_with_their_days
    functional/wave/test_unchanged_days.py::test_only_days_of_a_table_with_other_files_are_read
    functional/wave/test_unchanged_days.py::test_tables_that_do_not_show_the_files_of_a_day
    functional/wave/test_unchanged_days.py::test_a_day_whose_files_went_and_came_back_while_it_was_summed_is_read_again
    functional/wave/test_unchanged_days.py::test_columns_may_be_spelt_in_another_way
    functional/wave/test_unchanged_days.py::test_how_iceberg_finds_the_columns_of_imported_files_counts
"""
# What `make test-all` runs besides the core.
REST = {
    "contract": Lane("functional/contract", (f"--ignore=tests/{SHORT}", *SPARING)),
    # What only one strategy does, and generated histories.
    "strategies": Lane(
        f"""
        functional/strategies {WORKER_MEMORY} functional/macros/test_history_properties.py
        functional/macros/test_multiset_properties.py functional/macros/test_replaying_properties.py
        functional/test_stream_restarts.py
        """,
        SPARING,
    ),
    # The engine of differentials, and macros.
    "engine": Lane("functional/differential functional/macros", SPARING),
    # Waves, external sources, records and reports.
    "features": Lane(
        """
        functional/wave functional/test_advise.py functional/test_change_rates.py functional/test_compare.py
        functional/test_external_sources.py functional/test_log_reports.py
        functional/test_record_formats.py functional/test_report.py functional/test_runways.py
        """,
        SPARING,
    ),
    # MESHJOIN, from files and Kafka.
    "streams": Lane(
        """
        functional/test_mesh_increments.py functional/test_mesh_join.py functional/test_stored_relation.py
        functional/test_stream_command.py functional/test_stream_join.py functional/test_stream_messages.py
        functional/test_stream_models.py
        """,
        SPARING,
    ),
    # On Hive's metastore.
    "hive": Lane(
        f"""
        {OFFERED} {WAVES} functional/test_stream_models.py::TestModel
        functional/differential/test_followers.py::TestFollowers::test_tables_are_those_of_the_macros_after_each_batch
        """
    ),
    # Dbt processes of their own, and Spark Connect.
    "adapter": Lane("functional/adapter"),
    # PostgreSQL and MariaDB.
    "remote": Lane("functional/remote", SPARING),
    "crash": Lane("crash"),
    "delta": Lane(f"{FORMATS} {FIRST_BATCHES} {TEN_DAYS} functional/differential/test_change_feed.py", DELTA),
    "iceberg": Lane(f"{FORMATS} {FIRST_BATCHES} functional/differential/test_two_sessions.py", ICEBERG),
    # Tables on S3, which renames and deletes folders file by file: batches, kills, followers, and what is removed.
    "s3": Lane(
        f"""
        crash/test_kills.py::test_each_step_is_killed_once {FORGETS}
        {SHORT_HISTORIES}::test_main_events[auto] {SHORT_HISTORIES}::test_main_events[hash_compressed]
        {SHORT_HISTORIES}::test_main_events[row_checksum] {SHORT_HISTORIES}::test_main_events[range_checksum]
        {SHORT_HISTORIES}::test_main_events[timestamp]
        functional/differential/test_followers.py::TestFollowers::test_main_changes_are_followed
        functional/differential/test_maintenance.py::TestExpire
        functional/differential/test_erasing.py::TestRetaining::test_old_batches_expire_in_each_run
        """,
        (*S3, *SPARING),
    ),
    "s3_delta": Lane(FIRST_BATCHES, (*DELTA, *S3)),
    "s3_iceberg": Lane(FIRST_BATCHES, (*ICEBERG, *S3)),
    # Stock dbt-spark.
    "stock": Lane("functional", ("--adapter", "spark", "-m", "both_adapters", *SPARING)),
    "consumers": Lane("functional/test_consumer.py"),
    # Figures, cost models and experiments, and algorithms that no strategy runs.
    "papers": Lane("tests", SPARING, folder="benchmarks"),
    # Other releases of dbt, Spark and Python, each in an environment of its own.
    "versions": Lane(command="make test-versions"),
}
LANES = QUICK | CORE | REST
SIZES = {"quick": QUICK, "test": CORE, "all": CORE | REST}
# Tests that are left out where a lane is chosen that shows the same, and more events.
SHOWN_BY = {SHORT_HISTORIES: "contract"}

# What pytest prints of each file, at its end and with --durations; with -s the contract suite prints seconds of models.
_PROGRESS = re.compile(r"\[ *\d+%\]$")
_END = re.compile(r"^=* ?((\d+ \w+(, )?)+) in [\d.]+s.*$")
_DURATION = r"^\d+\.\d+s (call|setup|teardown) "
_RUNS = r"^\w+ +\d+ runs +\d+ s$"
_SHOWN = re.compile(rf"^\d+ in all: |{_END.pattern}|{_DURATION}|{_RUNS}")


def command(name: str, names: list[str], extra: list[str]) -> list[str]:
    """How a lane is run, of those chosen. A test that several have is run by the one that names it most closely."""
    lane = LANES[name]
    if lane.command:
        return lane.command.split()
    left_out = [path for path in lane.paths if SHOWN_BY.get(path.removeprefix("tests/")) in names]
    if not lane.is_another_spark:
        others = [LANES[other] for other in names if other != name]
        paths = [path for other in others if not other.is_another_spark for path in other.paths]
        left_out += [path for path in paths if lane.includes(path) and path not in lane.paths]
    deselected = [f"--deselect={path}" for path in left_out]
    return [sys.executable, "-m", "pytest", "--color=no", *lane.paths, *lane.options, *deselected, *extra]


def run(name: str, names: list[str], extra: list[str]) -> tuple[bool, str, float]:
    """Run a lane and show how far it is; whether it passed, in which words, and in how many seconds."""
    begun = time.monotonic()
    print(f"{name}: begins", flush=True)
    process = subprocess.Popen(
        command(name, names, extra), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout
    kept = []
    for line in process.stdout:
        if _PROGRESS.search(line):
            print(f"{name}: {line}", end="", flush=True)
        else:
            kept.append(line)
    code = process.wait()
    ends = [line.strip("= \n") for line in kept if _END.match(line)]
    is_test = not LANES[name].command
    outcome = ends[-1] if ends else "passed" if code == 0 else f"exit code {code}"
    if code:
        print(f"\n{'#' * 20} {name} failed:\n{''.join(kept)}{'#' * 20} end of {name}\n", flush=True)
    else:
        print("".join(f"{name}: {line}" for line in kept if _SHOWN.match(line)), end="", flush=True)
    return code == 0 and (bool(ends) or not is_test), outcome, time.monotonic() - begun


def chosen(names: list[str]) -> list[str]:
    """The lanes of sizes and lanes, without those whose tests another of them has.

    `drawn` is one of the lanes that the core lacks, by the last commit.
    """
    found: dict[str, None] = {}
    for name in names:
        if name == "drawn":
            commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
            name = random.Random(commit.strip() or None).choice([lane for lane in REST if not REST[lane].command])
            print(f"The commit has drawn the lane {name}: make test-lane LANE={name} runs it again.")
        if name not in SIZES | LANES:
            sys.exit(f"There is no lane '{name}'. There are: {', '.join(LANES)}; sizes: {', '.join(SIZES)}.")
        found |= dict.fromkeys(SIZES.get(name, [name]))
    return [name for name in found if not any(LANES[other].replaces(LANES[name]) for other in found)]


def main() -> None:
    names = chosen(sys.argv[1:])
    extra = shlex.split(os.environ.get("PYTEST_ARGS", ""))
    if "--seed" not in extra:
        extra += ["--seed", str(random.SystemRandom().randrange(1_000_000))]
    again = f"make test-lane LANE='{' '.join(names)}' PYTEST_ARGS='{shlex.join(extra)}'"
    print(f"{again} draws the same histories again.", flush=True)
    begun = time.monotonic()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        # Of the fixture `quick_jvm`.
        os.environ["CLASSES_OF_LANES"] = folder
        done = dict(zip(names, pool.map(lambda name: run(name, names, extra), names), strict=True))
    print()
    for name, (is_good, outcome, seconds) in done.items():
        print(f"{name:18} {'ok' if is_good else 'FAILED':7} {seconds:5.0f} s  {outcome}")
    counts: Counter[str] = Counter()
    for _, outcome, _ in done.values():
        for count, kind in re.findall(r"(\d+) (passed|failed|errors?|skipped|deselected|xfailed)", outcome):
            counts[kind] += int(count)
    seconds = time.monotonic() - begun
    print(f"==== {', '.join(f'{count} {kind}' for kind, count in counts.items())} in {seconds:.2f}s ====")
    sys.exit(not all(is_good for is_good, _, _ in done.values()))


if __name__ == "__main__":
    main()

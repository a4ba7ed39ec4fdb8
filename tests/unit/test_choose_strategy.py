"""What auto chooses, and what it says about it: by the last batch, and never against an assumption."""

from types import SimpleNamespace
from typing import Any

import pytest
from unit.macro_harness import Macros, make_job

COLUMNS = [{"name": "id", "data_type": "int"}, {"name": "name", "data_type": "string"}]
LAST = {
    "batch_id": 7,
    "first_batch": 1,
    # An operation has a name of its own.
    "strategy": "compact",
    "progress_strategy": "outer_join",
    "rows_new": 20_000_000,
    "inserts": 1000,
    "updates": 2000,
    "deletes": 500,
    "is_baseline": False,
    "columns": [{**column, "in_copy": True} for column in COLUMNS],
}
DELTA = {"file_format": "delta"}


def chosen(
    last: dict[str, Any] | None = LAST,
    columns: list[dict[str, str]] = COLUMNS,
    python: bool = True,
    runs: bool = True,
    reached: bool = True,
    size: str = "1.5 GiB",
    warehouse: str = "file:/data/warehouse",
    **options: Any,
) -> tuple[str, str]:
    """The strategy and the reason, of a model with these options."""
    plan = "== Optimized Logical Plan ==\nRelation [id#1], Statistics(sizeInBytes=" + size + ")"
    macros = Macros(run_query=lambda sql: [(plan,)], flags=SimpleNamespace(EMPTY=False))
    settings = macros._differential_settings("accounts", {"strategy": "auto", "unique_key": "id"} | options)
    assert settings["strategy"] == "outer_join"
    if python:
        macros.adapter.runs_python = lambda: runs
        macros.adapter.session_setting = lambda name: warehouse
        macros.adapter.call_library = lambda function, relations, options: reached
    job = make_job("accounts", settings=settings, columns=columns, select_columns=columns, strategy=None)
    macros._choose_strategy(job, {"record": last, "is_new_generation": False})
    assert job["strategy"]["name"] == settings["strategy"]
    return settings["strategy"], settings["reason"]


def test_hashes_where_all_that_they_assume_holds() -> None:
    strategy, reason = chosen()
    assert strategy == "hash_compressed"
    assert reason == (
        "auto: 20,000,000 rows, 3,500 of them changed by the last batch: of those that can be used it reads and writes "
        "least, 236% of the table; it hides a change every 1.7e+31 comparisons"
    )


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ({"python": False}, "compares in Python, which takes a profile of type: deltawave"),
        ({"runs": False}, "compares in Python, which takes a profile of type: deltawave"),
        ({"reached": False}, "DuckDB does not reach the rows"),
    ],
)
def test_spark_compares_the_hashes_that_duckdb_does_not_reach(case: dict[str, Any], why: str) -> None:
    """Without Python, on a cluster, and for types that it does not compare."""
    strategy, reason = chosen(**case)
    assert strategy == "row_checksum"
    assert f"least, 332% of the table; not hash_compressed, since {why}; it hides a change" in reason


@pytest.mark.parametrize(
    "case",
    [
        {"columns": COLUMNS[:1]},
        {"columns": [COLUMNS[0], {"name": "name", "data_type": "int"}]},
        {"last": {**LAST, "columns": [*LAST["columns"], {"name": "x", "data_type": "int", "in_copy": False}]}},
    ],
)
def test_a_dump_with_other_columns_than_the_log_is_joined(case: dict[str, Any]) -> None:
    strategy, reason = chosen(**case)
    assert strategy == "outer_join"
    assert reason.endswith("; not hash_compressed, since the dump has other columns than the log")


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ({"tolerance": {"price": 0.1}}, "rows that differ within a tolerance would be read again in each run"),
        ({"duplicate_keys": "multiset"}, "'duplicate_keys' can't be multiset with hashes"),
        ({"last": {**LAST, "is_baseline": True}}, "hashes hold no rows, and the log lacks rows of the first dump"),
        ({"before_image": "none"}, "hashes hold no rows"),
        ({"last": {**LAST, "updates": 5_000_000}}, "more than a fifth of the rows change"),
    ],
)
def test_a_join_where_hashes_do_not_fit(case: dict[str, Any], reason: str) -> None:
    strategy, found = chosen(**case)
    assert strategy == "outer_join"
    assert f": it is the only one that can be used; not hash_compressed, since {reason}" in found


class TestFirstDump:
    def test_a_large_one_is_hashed(self) -> None:
        least = "of those that can be used it reads and writes least, 236% of the table"
        assert chosen(None, **DELTA) == ("hash_compressed", f"auto: the first dump, of about 1.6 GB: {least}")
        strategy, reason = chosen(None, snapshot_date="day")
        assert strategy == "outer_join"
        assert reason.startswith("auto: the first of several dumps: a table of less than 100 MB is read quickly")

    @pytest.mark.parametrize(
        ("size", "known"),
        [
            ("633.0 B", ", of about 0 MB"),
            ("12.5 MiB", ", of about 13 MB"),
            ("7.2 EiB", ""),
            ("1250.0 PiB", ""),
            ("8.5E+37 B", ""),
        ],
    )
    def test_a_small_one_is_joined_but_for_a_log_of_parquet(self, size: str, known: str) -> None:
        strategy, reason = chosen(None, size=size, **DELTA)
        assert strategy == "outer_join"
        small = "a table of less than 100 MB is read quickly, and nothing can be missed"
        assert reason == f"auto: the first dump{known}: {small}"
        assert chosen(None, size=size)[0] == "hash_compressed"

    def test_spark_hashes_a_large_one(self) -> None:
        assert chosen(None, python=False)[0] == "row_checksum"
        assert chosen(None, python=False, size="12.5 MiB")[0] == "outer_join"


@pytest.mark.parametrize(
    "case",
    [
        {"duplicate_keys": "quarantine", "on_schema_change": "sync_all_columns", "snapshot_date": "day"},
        {"ignore_columns": ["name"]},
        # The first batch of a log is no change.
        {"last": {**LAST, "batch_id": 1, "inserts": 20_000_000}},
    ],
    ids=["with the options of a model", "with columns that are not compared", "after the first batch"],
)
def test_hashes(case: dict[str, Any]) -> None:
    assert chosen(**case)[0] == "hash_compressed"


def test_a_table_near_the_limit_keeps_its_strategy() -> None:
    strategy, reason = chosen({**LAST, "rows_new": 600_000}, **DELTA)
    assert strategy == "outer_join"
    assert reason.startswith("auto: 600,000 rows, 3,500 of them changed by the last batch: a table of less than 100 MB")
    by_hashes = LAST | {"progress_strategy": "hash_compressed"}
    assert chosen(by_hashes | {"rows_new": 600_000}, **DELTA)[0] == "hash_compressed"
    strategy, reason = chosen(by_hashes | {"rows_new": 200_000}, **DELTA)
    assert strategy == "outer_join"
    assert ": a table of less than 25 MB is read quickly" in reason


@pytest.mark.parametrize("rows", [0, 500, 2501, 1_234_567])
@pytest.mark.parametrize("options", [{}, DELTA, {"before_image": "none"}])
def test_more_changes_than_rows(rows: int, options: dict[str, Any]) -> None:
    last = {**LAST, "rows_new": rows, "deletes": 2_000_000}
    wanted = "hash_compressed" if rows < 1_000_000 and not options else "outer_join"
    assert chosen(last, **options)[0] == wanted


def test_many_changes_of_a_middling_table_do_not_change_its_strategy() -> None:
    by_hashes = {**LAST, "rows_new": 500_000, "updates": 150_000, "progress_strategy": "hash_compressed"}
    assert chosen(by_hashes)[0] == chosen(by_hashes, **DELTA)[0] == "hash_compressed"


@pytest.mark.parametrize("changes", [100, 3])
def test_small_tables_have_hashes_however_many_rows_change(changes: int) -> None:
    """Where DuckDB reads the log. Others are joined; and dated dumps, whose checksums are another reading."""
    last = {**LAST, "rows_new": 100, "inserts": 0, "updates": changes, "deletes": 0}
    assert chosen(last)[0] == "hash_compressed"
    assert chosen(last, snapshot_date="day")[0] == chosen(last, **DELTA)[0] == "outer_join"


@pytest.mark.parametrize(
    "case", [{"reached": False}, {"warehouse": "s3a://bucket/warehouse"}, {"duplicate_keys": "quarantine"}]
)
def test_small_tables_are_joined_where_duckdb_does_not_reach_all(case: dict[str, Any]) -> None:
    """A type that it does not compare, a log elsewhere, columns that only a join lands for the quarantine."""
    assert chosen(None, size="1.0 MiB", **case)[0] == "outer_join"


@pytest.mark.parametrize("strategy", ["hash_compressed", "row_checksum"])
def test_hashes_stay_when_columns_change(strategy: str) -> None:
    """They land and join such a dump themselves, and have their next state then."""
    last = LAST | {"progress_strategy": strategy, "rows_new": 300_000}
    reached = strategy == "hash_compressed"
    assert chosen(last, columns=COLUMNS[:1], reached=reached)[0] == strategy
    assert chosen(last | {"progress_strategy": "outer_join"}, columns=COLUMNS[:1], reached=reached)[0] == "outer_join"

"""When the state of a strategy that reads slices is rewritten, and when hashes can be compared."""

from __future__ import annotations

import pytest
from unit.macro_harness import Macros, Relation


@pytest.mark.parametrize(
    ("rows", "patches", "batches", "is_much"),
    [
        (1_000_000, 200_000, 30, False),
        (1_000_000, 200_001, 1, True),
        # A small table would be written anew in each run.
        (100, 700, 7, False),
        (100, 700, 8, True),
        (100, 20, 20, False),
        (40_000, 10_000, 1, False),
        (40_000, 10_001, 1, True),
        (0, 3, 8, True),
    ],
)
def test_patches_are_many_by_their_share_and_their_number(
    rows: int, patches: int, batches: int, *, is_much: bool
) -> None:
    macros = Macros(run_query=lambda sql: [(patches, batches)])
    job = {"name": "x", "batches": "s.x__batches", "statements": []}
    last = {"state": {"as_of": 2}, "batch_id": 40, "rows_new": rows}
    assert macros._is_patched_much(job, last) is is_much


def test_a_state_of_the_last_batch_has_no_patches() -> None:
    macros = Macros(run_query=lambda sql: pytest.fail("nothing is asked"))
    assert macros._is_patched_much({"batches": "s.x__batches"}, {"state": {"as_of": 3}, "batch_id": 3}) is False


@pytest.mark.parametrize(
    ("dump", "has_drifted"),
    [
        ({"id": "int", "name": "string"}, False),
        ({"ID": "int", "Name": "string"}, False),
        ({"id": "int"}, True),
        ({"id": "int", "name": "string", "points": "int"}, True),
        ({"id": "bigint", "name": "string"}, True),
    ],
)
def test_hashes_of_other_columns_are_not_compared(dump: dict[str, str], *, has_drifted: bool) -> None:
    kept = [
        {"name": "id", "data_type": "int", "in_copy": True},
        {"name": "name", "data_type": "string", "in_copy": True},
    ]
    # The dumps have lost it before.
    kept.append({"name": "lost", "data_type": "int", "in_copy": False})
    columns = [{"name": name, "data_type": data_type, "in_new": True} for name, data_type in dump.items()]
    columns.append({"name": "lost", "data_type": "int", "in_new": False})
    macros = Macros()
    for reads, expected in (("differences", has_drifted), ("slice", False)):
        job = {"strategy": {"reads": reads}}
        assert macros._has_drifted(job, {"columns": columns}, {"columns": kept}) is expected


@pytest.mark.parametrize(
    ("strategy", "file_format", "rows", "is_read"),
    [
        ("hash_compressed", "parquet", 1_000_000, True),
        ("hash_compressed", "parquet", 999_999, False),
        ("hash_compressed", "delta", 1_000_000, False),
        ("sort_merge_compressed", "parquet", 1_000_000, False),
    ],
)
def test_a_library_reads_the_changes_of_a_large_log_from_its_files(
    strategy: str, file_format: str, rows: int, *, is_read: bool
) -> None:
    macros = Macros()
    job = {
        "name": "x",
        "strategy": macros._strategy_named("x", strategy),
        "settings": {"unique_key": ["id"], "file_format": file_format},
        "state_schema": "s",
        "target": Relation.create("s", "x"),
        "batches": "s.x__batches",
    }
    columns = [{"name": name, "in_new": True} for name in ("id", "name")]
    batch = {"batch_id": 9, "rows_old": rows, "columns": columns, "result": {"log_table": "s.x__log"}}
    state = {"kind": "hashes", "batch_id": 5, "attempt": "own", "as_of": 5}
    found = macros._known_hashes(job, batch, {"state": state, "batch_id": 8})
    assert "where `_batch_id` >= 6" in found["patches"]
    assert ("stored" in found) is ("decided" in found) is is_read
    if is_read:
        stored = "(select `id`, `name`, change_type from s.x__log where batch_id between 6 and 8)"
        assert found["stored"] == stored
        assert found["decided"] == "(select batch_id, attempt from s.x__batches where batch_id between 6 and 8)"
    assert list(macros._known_hashes(job, batch, {"state": dict(state, as_of=8), "batch_id": 8})) == ["kept"]

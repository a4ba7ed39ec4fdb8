"""When the state of a strategy that reads slices is rewritten, and when hashes can be compared."""

from __future__ import annotations

import pytest
from unit.macro_harness import Macros


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

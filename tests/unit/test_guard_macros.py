"""Which batches have too many changes of a kind, and what their refusal says."""

from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, make_batch, make_job

CHANGES = {"delete": 0, "insert": 0, "update": 0, "backfill": 0}
ID = [{"name": "id", "data_type": "int", "is_key": True}]
OFF = {"max_delete_fraction": 1, "max_insert_fraction": None, "max_update_fraction": None, "allow_empty": False}


def guarded(
    counts: dict[str, int],
    turn: dict[str, int] | None = None,
    *,
    rows_old: int = 100,
    is_first: bool = False,
    accept: tuple[str, ...] = (),
    **limits: float,
) -> str | None:
    """The error of a batch with these changes; turn: those of a whole cycle, if the run read some ranges of it."""
    changes = CHANGES | counts
    batch = make_batch(
        is_first=is_first,
        rows_old=rows_old,
        reading={"rotation": {"ranges": [1, 2, 3], "read": [1]} if turn else None},
        result={"counts": changes, "rows_new": rows_old + changes["insert"] - changes["delete"]},
    )
    macros = Macros(var=lambda name, default: list(accept))
    macros.replace(_discard=None, _changes_of_rotation=CHANGES | (turn or {}))
    try:
        macros._guard(make_job(settings=OFF | limits, strategy={"checksums": None}), batch)
    except CompilationError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("delete", "51 of 100 rows (51.0%) would be deleted, more than max_delete_fraction 0.5 allows."),
        ("insert", "51 row(s) would be inserted into 100 (51.0%), more than max_insert_fraction 0.5 allows."),
        ("update", "51 of 100 rows (51.0%) would be updated, more than max_update_fraction 0.5 allows."),
    ],
)
def test_a_larger_share_is_refused(kind: str, message: str) -> None:
    limit = {f"max_{kind}_fraction": 0.5}
    assert guarded({kind: 50}, **limit) is None
    error = str(guarded({kind: 51}, **limit))
    assert f"x, batch 2: {message}" in error
    assert "Nothing was changed." in error
    assert "run once with --vars '{deltawave_accept: [x]}', or raise " in error
    assert guarded({kind: 51}, accept=("x",), **limit) is None
    assert guarded({kind: 51}, accept=("y",), **limit) == error
    assert guarded({kind: 51}, is_first=True, **limit) is None
    assert guarded(dict.fromkeys(CHANGES, 100) | {kind: 0}, **limit) is None


@pytest.mark.parametrize(
    ("counts", "limits"),
    [
        ({"insert": 1000, "update": 100}, {}),
        ({"backfill": 100}, {"max_update_fraction": 0}),
        ({"insert": 7}, {"rows_old": 0, "max_insert_fraction": 0.1}),
    ],
    ids=["nothing is limited unless asked", "backfilled rows are no updates", "a state without rows has no share"],
)
def test_what_is_not_limited(counts: dict[str, int], limits: dict[str, Any]) -> None:
    assert guarded(counts, **limits) is None


def test_zero_allows_none() -> None:
    assert "1 of 100 rows (1.0%) would be updated" in str(guarded({"update": 1}, max_update_fraction=0))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("delete", "51 of 100 rows (51.0%) would be deleted in one cycle through the ranges, 30 of them by earlier"),
        ("insert", "51 row(s) would be inserted into 100 (51.0%) in one cycle through the ranges, 30 of them by"),
        ("update", "51 of 100 rows (51.0%) would be updated in one cycle through the ranges, 30 of them by earlier"),
    ],
)
def test_the_changes_of_a_whole_cycle_count(kind: str, message: str) -> None:
    limit = {f"max_{kind}_fraction": 0.5}
    # Before the batch; before the cycle there were 100 rows.
    before = {"delete": 70, "insert": 130, "update": 100}[kind]
    error = str(guarded({kind: 21}, {kind: 51}, rows_old=before, **limit))
    assert message in error
    assert "which accepts each range once, or raise" in error
    assert guarded({kind: 20}, {kind: 50}, rows_old=before, **limit) is None
    # An accepted range does not count, nor do earlier batches where this one has no such change.
    assert guarded({kind: 60}, {kind: 0}, rows_old=before, **limit) is None
    assert guarded({}, {kind: 51}, rows_old=before, **limit) is None
    assert "in one cycle" not in str(guarded({kind: 51}, {kind: 51}, rows_old=100, **limit))


def statements(source: dict[str, Any]) -> list[str]:
    """The statements that renew the ranges after a run that has read the first of two."""
    macros = Macros(run_query=lambda sql: [("3:7",)], var=lambda name, default: [])
    settings = {"range_rows": 10, "file_format": "delta"}
    strategy = {"ranges": "compared", "checksums": None}
    job = make_job(settings=settings | {"unique_key": ["id"]}, strategy=strategy, columns=ID)
    batch = make_batch(
        3,
        rows_old=20,
        landed="`s`.`x__slice_3_own`",
        columns=ID,
        result={"ranges": source, "log_table": "`s`.`x__log`", "rows_new": 20},
    )
    ranges = [{"range_id": number} for number in range(2)]
    macros._renew_ranges(job, batch, ranges, ranges[:1], ranges[:1])
    assert batch["result"]["ranges"]["counts_updates"]
    return macros.queries


def test_updates_are_counted_from_a_table_that_an_earlier_version_wrote() -> None:
    table = {"kind": "ranges", "batch_id": 2, "attempt": "old", "fingerprint": "2:5"}
    made, summed = statements(table)
    assert "else 0\n        end as turn_updates" in made
    assert "else ranges.turn_inserts\n" in made
    assert "turn_updates" in summed
    made, _ = statements(table | {"counts_updates": True})
    assert "else ranges.turn_updates\n" in made
    assert "count_if(change_type = 'update') as updates" in made


def test_a_fingerprint_is_computed_as_it_was_written() -> None:
    macros = Macros(run_query=lambda sql: [("2:5",)])
    job = make_job(settings={"unique_key": ["id"]}, columns=ID)
    table = {"kind": "ranges", "batch_id": 2, "attempt": "old"}
    for ranges in (table, table | {"counts_updates": True}):
        macros._ranges_fingerprint(job, ranges)
    assert ["turn_updates" in sql for sql in macros.queries] == [False, True]

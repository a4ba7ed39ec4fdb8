"""When the state of a strategy that reads slices is rewritten, and when hashes can be compared."""

import pytest
from unit.macro_harness import Macros, Relation, make_batch, make_job


@pytest.mark.parametrize(
    ("rows", "patches", "is_much"),
    [
        (1_000_000, {"rows": 200_000, "batches": 30}, False),
        (1_000_000, {"rows": 200_001, "batches": 1}, True),
        # A small table would be rebuilt in each run.
        (100, {"rows": 700, "batches": 7}, False),
        (100, {"rows": 700, "batches": 8}, True),
        (100, {"rows": 20, "batches": 20}, False),
        (40_000, {"rows": 10_000, "batches": 1}, False),
        (40_000, {"rows": 10_001, "batches": 1}, True),
        (0, {"rows": 3, "batches": 8}, True),
        # Of which none were counted.
        (0, None, False),
    ],
)
def test_patches_are_many_by_their_share_and_their_number(
    rows: int, patches: dict[str, int] | None, *, is_much: bool
) -> None:
    state = {"patches": patches} if patches else {"as_of": 3}
    assert Macros()._is_patched_much({"state": state, "rows_new": rows}) is is_much


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


@pytest.mark.parametrize(("file_format", "is_read"), [("parquet", True), ("delta", False)])
def test_a_library_reads_the_changes_of_a_log_from_its_files(file_format: str, *, is_read: bool) -> None:
    macros = Macros()
    settings = {"unique_key": ["id"], "file_format": file_format, "before_image": "auto"}
    job = make_job(strategy=macros._strategy_named("x", "hash_compressed"), settings=settings, batches="s.x__batches")
    columns = [{"name": name, "in_old": True, "in_new": True} for name in ("id", "name")]
    partitions = [(-5, "aa"), (6, "bb"), (8, "cc")]
    recorded = [{"batch_id": number, "attempt": attempt} for number, attempt in partitions]
    result = {"log_table": "s.x__log", "partitions": recorded}
    batch = make_batch(9, first_batch=2, is_baseline=False, rows_old=100, columns=columns, result=result)
    state = {"kind": "hashes", "batch_id": 5, "attempt": "own", "as_of": 5}
    found = macros._known_hashes(job, batch, {"state": state, "batch_id": 8})
    assert "where `_batch_id` >= 6" in found["relations"]["patches"]
    assert ("stored" in found["relations"]) is is_read
    keys = [[number, attempt] for number, attempt in partitions]
    assert found["options"] == ({"partitions": keys, "from_batch": 6} if is_read else {})
    if is_read:
        counted = " or ".join(f"(batch_id = {number} and attempt = '{attempt}')" for number, attempt in partitions)
        stored = f"(select `id`, `name`, `change_type`, `of_batch` from s.x__log where {counted})"
        assert found["relations"]["stored"] == stored
    assert list(macros._known_hashes(job, batch, {"state": dict(state, as_of=8), "batch_id": 8})["relations"]) == [
        "kept"
    ]
    whole = macros._whole_log(job, batch)
    if is_read:
        assert (whole["partitions"], whole["from_batch"]) == (keys, 2)
    else:
        assert whole is None
    # It lacks the rows of the first dump, or they are not wanted.
    assert macros._whole_log(job, batch | {"is_baseline": True}) is None
    job["settings"] = settings | {"before_image": "none"}
    assert macros._whole_log(job, batch) is None


@pytest.mark.parametrize(("is_joined", "is_idle"), [(True, False), (False, False), (True, True)])
def test_rows_that_come_with_their_before_images_are_not_landed(*, is_joined: bool, is_idle: bool) -> None:
    macros, statements = Macros(), list[str]()
    macros.replace(
        _has_drifted=False,
        _whole_log={"logged": "log"},
        _rows_by_hashes="`differing`",
        _logged_rows="logged",
        _counted_in_files={"rows": 2},
        _run=lambda job, sql: statements.append(sql),
    )
    described = {"data_type": "string", "in_old": True, "in_new": True, "is_compared": True}
    columns = [described | {"name": name, "is_key": name == "id"} for name in ("id", "name")]
    columns[0]["is_compared"] = False
    settings = {"unique_key": ["id"], "before_image": "auto", "snapshot_date": None}
    measured = {"pairs": 0 if is_idle else 2, "previous_rows": 5} if is_joined else {}
    batch = make_batch(columns=columns, rows_old=5, is_baseline=False, result={"measured": measured})
    batch |= dict.fromkeys(("fingerprint", "expected_rows", "snapshot_date"))
    batch["landed"] = Relation.create("s", "x__slice_2_own")
    job = make_job(settings=settings, columns=columns)
    state = {"kind": "hashes", "batch_id": 1, "attempt": "first", "rows": 5}
    last = {"batch_id": 1, "state": state, "rows_new": 5, "fingerprint": None, "columns": columns}
    reading = macros.default___differences_by_hashes(job, batch, last)
    assert reading["is_idle"] is is_idle
    if is_idle:
        assert not statements
        # A number of rows is checked, a date recorded, a state that was rebuilt kept, one that lost rows refused.
        for other in ({"expected_rows": 5}, {"snapshot_date": "2026-01-01"}, {"attempt": "first", "batch_id": 1}):
            assert not macros.default___differences_by_hashes(job, batch | other, last)["is_idle"], other
        lost = last | {"state": state | {"rows": 6}}
        assert not macros.default___differences_by_hashes(job, batch, lost)["is_idle"]
        return
    # By the table a killed attempt is found.
    (created,) = statements
    assert "create table `s`.`x__slice_2_own`" in created
    assert ("nothing boolean" in created) is is_joined
    incoming = "`differing`" if is_joined else "`s`.`x__slice_2_own`"
    assert f"select * from {incoming}" in reading["incoming"]
    assert reading["checksums"] == 5
    if not is_joined:
        assert (reading["old"], reading["changes"]) == ("logged", None)
        return
    changes = reading["changes"]
    assert "if(not is_there, `before__name`, `name`)" in changes
    assert "if(not is_there, null, `before__name`) as `before__name`" in changes
    assert "if((`before__name` <=> `name`), null, 'name')" in changes
    # A kept key that neither side has is no change.
    assert "where is_there or `_change_type` is not null" in changes
    assert "or not (`before__name` <=> `name`)" in changes


@pytest.mark.parametrize(("adapter", "stored"), [("default", "parquet"), ("databricks", "delta")])
def test_databricks_keeps_the_state_in_delta_without_buckets(adapter: str, stored: str) -> None:
    """Catalogs there may take no Parquet; Delta has no buckets, and maps names with spaces."""
    macros = Macros()
    prefixes = {"_state_format": adapter}
    macros.adapter.dispatch = lambda name, package: getattr(macros, f"{prefixes.get(name, 'default')}__{name}")
    columns = [{"name": "full name", "data_type": "string"}]
    table = {"kind": "copy", "batch_id": 1, "attempt": "own"}
    statement = macros._create_by_hash(make_job(is_small=True, buckets=None), table, columns)
    assert f"\nusing {stored}\n" in statement
    assert ("clustered by" in statement) is (stored == "parquet")
    assert ("columnMapping" in statement) is (stored == "delta")

"""Logs of strategies that are gone: the next run says once what to set, and then goes on from the last state."""

import json
from typing import Any

import pytest
from numbered import kept, table
from workbench import MODEL, Workbench

from deltawave.sql_text import literal

MEASURED = {"distance": "double", "divergence": "double", "window_rows": "bigint"}


def age(
    bench: Workbench,
    strategy: str,
    kind: str,
    facts: dict[str, Any],
    columns: str = "*",
    fingerprint: str | None = None,
) -> None:
    """Let the log's first batch be one that an earlier version wrote by that strategy, which kept such a table."""
    commit, batches = (f"{bench.schema}.{MODEL}__{name}" for name in ("commit_1", "batches"))
    record = json.loads(bench.spark.table(commit).collect()[0].record)
    was = record["state"]
    state = {key: was[key] for key in ("batch_id", "attempt", "as_of", "rows")} | {"kind": kind} | facts
    names = [f"{bench.schema}.{MODEL}__{each['kind']}_{each['batch_id']}_{each['attempt']}" for each in (was, state)]
    if names[0] != names[1] or columns != "*":
        bench.spark.sql(f"create table {bench.schema}.aged using parquet as select {columns} from {names[0]}")
        bench.spark.sql(f"drop table {names[0]} purge")
        bench.spark.sql(f"alter table {bench.schema}.aged rename to {names[1]}")
    tables = [{key: state[key] for key in ("kind", "batch_id", "attempt")}]
    record |= {"strategy": strategy, "progress_strategy": strategy, "state": state, "tables": tables}
    record |= {"checksum_fingerprint": fingerprint} if fingerprint else {}
    record |= {"nearness": dict.fromkeys(MEASURED, 0), "measured": {}, "checksum_bits": 64}
    record["batches_columns"] += MEASURED
    bench.spark.sql(f"alter view {commit} as select {literal(json.dumps(record))} as record")
    added = ", ".join(f"{name} {data_type}" for name, data_type in MEASURED.items())
    bench.spark.sql(f"alter table {batches} add columns ({added})")


def assert_goes_on(bench: Workbench, strategy: str) -> None:
    """The next dump's changes are those since the first one, and what was kept of that is gone."""
    bench.configure(strategy=strategy)
    bench.build(table(4))
    bench.build(table(5))
    assert bench.log("account_id, name, _change_type, _before.name, _batch_id")[100:] == [
        (3, "old", "update", "new", 2),
        (4, "new", "update", "old", 2),
        (4, "old", "update", "new", 3),
        (5, "new", "update", "old", 3),
    ]
    assert not kept(bench, "ordered")
    assert not kept(bench, "files")
    assert bench.batches("strategy") == [
        ("sort_merge",),
        *[("hash_compressed" if strategy == "auto" else strategy,)] * 2,
    ]


@pytest.mark.parametrize("strategy", ["auto", "outer_join"])
class TestItGoesOn:
    def test_from_a_copy_in_the_dumps_order(self, bench: Workbench, strategy: str) -> None:
        bench.configure(strategy="sort_merge")
        bench.build(table(3))
        age(bench, "window", "ordered", {})
        bench.configure(strategy="window", memory_bytes=1 << 20)
        text = bench.refused(table(4))
        assert f"{MODEL}: this version does without some of the model's configuration: set strategy: auto or " in text
        assert (
            "hash_compressed instead of window, which is an algorithm of Python models alone. The log goes on" in text
        )
        assert_goes_on(bench, strategy)

    def test_from_the_log_instead_of_files(self, bench: Workbench, strategy: str) -> None:
        bench.configure(strategy="sort_merge")
        bench.build(table(3))
        age(bench, "text_diff", "files", {"rows": 1, "digest": "5d41", "columns": []}, "'file:/gone' as path")
        bench.configure(strategy="text_diff", in_place=True)
        text = bench.refused(table(4))
        assert "set strategy: auto or hash_compressed instead of text_diff" in text
        assert "take out 'in_place'" in text
        assert_goes_on(bench, strategy)


def test_it_goes_on_from_the_log_instead_of_hashes_in_segments(bench: Workbench) -> None:
    bench.configure(strategy="hash_compressed")
    bench.build(table(3))
    age(bench, "sort_merge_compressed", "hashes", {}, fingerprint="of segments")
    bench.configure(strategy="sort_merge_compressed")
    assert "set strategy: auto or hash_compressed instead of sort_merge_compressed" in bench.refused(table(4))
    bench.configure()
    text = bench.build(table(4)).text
    assert f"{MODEL}: the kept hashes were computed in another way; they are computed again, from the log" in text
    assert "computed in another way" not in bench.build(table(5)).text
    assert bench.log("account_id, name, _before.name, _batch_id")[100:] == [
        (3, "old", "new", 2),
        (4, "new", "old", 2),
        (4, "old", "new", 3),
        (5, "new", "old", 3),
    ]


def test_a_baseline_of_which_only_files_are_known_has_to_be_rebuilt(bench: Workbench) -> None:
    bench.configure(strategy="sort_merge", initial_load="baseline")
    bench.build(table(3))
    age(bench, "window", "files", {"rows": 1, "digest": "5d41", "columns": []}, "'file:/gone' as path")
    bench.configure(initial_load="baseline")
    text = bench.refused(table(4))
    assert "its last batch, of an earlier version, kept nothing but a list of files" in text


def test_checksums_of_rows_in_one_column_are_computed_again(bench: Workbench) -> None:
    bench.configure(strategy="row_checksum")
    bench.build(table(3))
    age(bench, "row_checksum", "checksums", {}, "account_id, hex(row_checksum) as row_checksum, key_hash", "of texts")
    text = bench.build(table(4)).text
    assert f"{MODEL}: the kept checksums were computed in another way; they are computed again, from the log" in text
    assert "computed in another way" not in bench.build(table(4)).text
    assert bench.batches("inserts, deletes, updates") == [(100, 0, 0), (0, 0, 2)]


def test_checksums_of_ranges_are_computed_again(bench: Workbench) -> None:
    bench.configure(strategy="range_checksum")
    bench.build(table(3))
    commit = f"{bench.schema}.{MODEL}__commit_1"
    record = json.loads(bench.spark.table(commit).collect()[0].record) | {"checksum_fingerprint": "of 64 bits"}
    bench.spark.sql(f"alter view {commit} as select {literal(json.dumps(record))} as record")
    text = bench.build(table(4)).text
    assert f"deltawave: {MODEL}: the kept checksums were computed in another way" in text
    assert "computed in another way" not in bench.build(table(4)).text
    assert bench.batches("inserts, deletes, updates") == [(100, 0, 0), (0, 0, 2)]

"""A change log read as versions, as pre- and post-images, without useless pairs."""

from __future__ import annotations

import pytest
from dbt_common.exceptions import CompilationError

LOG = """
select
    id, name, seen, _change_type, _changed_columns, _before,
    cast(_batch_id as bigint) as _batch_id,
    timestamp_seconds(_batch_id * 86400) as _batch_at
from values
    (1, 'ann', 10, 'insert', null, null, 1),
    (2, 'bob', 20, 'insert', null, null, 1),
    (1, 'ann', 11, 'update', array('seen'), named_struct('name', 'ann', 'seen', 10), 2),
    (2, 'bob', 20, 'delete', null, null, 2),
    (1, 'eve', 11, 'update', array('name'), named_struct('name', 'ann', 'seen', 11), 3),
    (2, 'rob', 22, 'insert', null, null, 4)
as t(id, name, seen, _change_type, _changed_columns, _before, _batch_id)
"""
PAIRS = """
select
    id, name, _change_type, cast(null as array<string>) as _changed_columns,
    cast(null as struct<name: string>) as _before,
    cast(_batch_id as bigint) as _batch_id, timestamp_seconds(_batch_id) as _batch_at
from values
    (1, 'same', 'delete', 2), (1, 'same', 'insert', 2),
    (2, 'old', 'delete', 2), (2, 'new', 'insert', 2),
    (3, 'gone', 'delete', 2), (4, 'here', 'insert', 2),
    (3, 'back', 'insert', 3), (null, 'x', 'delete', 3), (null, 'y', 'insert', 3)
as t(id, name, _change_type, _batch_id)
"""


def day(moment):
    return None if moment is None else int(moment.timestamp() // 86400)


@pytest.fixture
def log(view):
    return view("reading_log", LOG)


def versions(spark, sql):
    rows = spark.sql(sql).collect()
    return sorted((row.id, row.name, row.seen, day(row.valid_from), day(row.valid_to), row.is_current) for row in rows)


def test_every_change_opens_a_version_and_deletes_end_one(spark, deltawave, log):
    assert versions(spark, deltawave.scd2(log, "id")) == [
        (1, "ann", 10, 1, 2, False),
        (1, "ann", 11, 2, 3, False),
        (1, "eve", 11, 3, None, True),
        (2, "bob", 20, 1, 2, False),
        (2, "rob", 22, 4, None, True),
    ]


def test_a_change_of_untracked_columns_updates_the_open_version(spark, deltawave, log):
    assert versions(spark, deltawave.scd2(log, ["id"], track_columns=["Name"])) == [
        (1, "ann", 11, 1, 3, False),
        (1, "eve", 11, 3, None, True),
        (2, "bob", 20, 1, 2, False),
        (2, "rob", 22, 4, None, True),
    ]


def test_an_update_of_unknown_columns_may_be_of_tracked_ones(spark, deltawave, view):
    log = view("untold_log", LOG.replace("array('name')", "null"))
    assert versions(spark, deltawave.scd2(log, "id", track_columns=["name"]))[:2] == [
        (1, "ann", 11, 1, 3, False),
        (1, "eve", 11, 3, None, True),
    ]


def test_versions_of_a_key_follow_each_other_without_a_gap_but_where_it_was_gone(spark, deltawave, log):
    rows = versions(spark, deltawave.scd2(log, "id"))
    assert [row[4] for row in rows if row[0] == 1][:-1] == [row[3] for row in rows if row[0] == 1][1:]


def test_the_names_of_the_new_columns_are_the_callers(spark, deltawave, view):
    log = view("dated_log", LOG.replace("seen", "valid_to"))
    with pytest.raises(CompilationError, match="'valid_to' is already a column of the log"):
        deltawave.scd2(log, "id")
    assert "until" in spark.sql(deltawave.scd2(log, "id", valid_to="until")).columns


def test_changes_are_spelled_as_spark_does(spark, deltawave, log):
    rows = spark.sql(deltawave.changes(log, "id")).collect()
    found = sorted(
        (row.id, row._commit_version, row._change_type, row.name, row.seen, day(row._commit_timestamp)) for row in rows
    )
    assert found == [
        (1, 1, "insert", "ann", 10, 1),
        (1, 2, "update_postimage", "ann", 11, 2),
        (1, 2, "update_preimage", "ann", 10, 2),
        (1, 3, "update_postimage", "eve", 11, 3),
        (1, 3, "update_preimage", "ann", 11, 3),
        (2, 1, "insert", "bob", 20, 1),
        (2, 2, "delete", "bob", 20, 2),
        (2, 4, "insert", "rob", 22, 4),
    ]


def test_changes_need_before_images(deltawave, view):
    log = view("bare_log", LOG.replace("_before,\n    cast", "cast(null as struct<>) as _before,\n    cast"))
    with pytest.raises(CompilationError, match="keeps no before images"):
        deltawave.changes(log, "id")


def test_delete_insert_pairs_become_updates_or_nothing(spark, deltawave, view):
    log = view("pairs_log", PAIRS)
    rows = spark.sql(deltawave.filter_useless_pairs(log, "id")).collect()
    found = {(row._batch_id, row.id, row.name, row._change_type, row._before and row._before.name) for row in rows}
    assert found == {
        (2, 2, "new", "update", "old"),
        (2, 3, "gone", "delete", None),
        (2, 4, "here", "insert", None),
        (3, 3, "back", "insert", None),
        (3, None, "y", "update", "x"),
    }
    assert len(rows) == len(found)
    assert [row._changed_columns for row in rows if row._change_type == "update"] == [["name"], ["name"]]


def test_a_log_without_pairs_passes_as_it_is(spark, deltawave, log):
    columns = "id, name, seen, _change_type, _changed_columns, _before, _batch_id, _batch_at"
    filtered = spark.sql(f"select {columns} from ({deltawave.filter_useless_pairs(log, 'id')})")
    assert sorted(map(str, filtered.collect())) == sorted(map(str, spark.sql(f"select {columns} from {log}").collect()))

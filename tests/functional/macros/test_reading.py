"""A change log read as versions, as pre- and post-images, without useless pairs."""

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


def day(moment):
    return None if moment is None else int(moment.timestamp() // 86400)


@pytest.fixture
def log(view):
    return view("reading_log", LOG)


def versions(spark, sql):
    rows = spark.sql(sql).collect()
    return sorted((row.id, row.name, row.seen, day(row.valid_from), day(row.valid_to), row.is_current) for row in rows)


@pytest.mark.parametrize("tracked", ["name", ["name"]])
def test_an_update_of_unknown_columns_may_be_of_tracked_ones(spark, deltawave, view, tracked):
    log = view("log_without_columns", LOG.replace("array('name')", "null"))
    assert versions(spark, deltawave.scd2(log, "id", track_columns=tracked))[:2] == [
        (1, "ann", 11, 1, 3, False),
        (1, "eve", 11, 3, None, True),
    ]


def test_the_names_of_the_new_columns_are_the_callers(spark, deltawave, view):
    log = view("dated_log", LOG.replace("seen", "valid_to"))
    with pytest.raises(CompilationError, match="'valid_to' is already a column of the log"):
        deltawave.scd2(log, "id")
    assert "until" in spark.sql(deltawave.scd2(log, "id", valid_to="until")).columns


def test_changes_are_spelled_as_spark_does(spark, deltawave, log):
    """As the CHANGES clause of Spark 4.2 has them: their names and types, and one timestamp for each version."""
    changes = spark.sql(deltawave.changes(log, "id"))
    assert changes.dtypes == [
        ("id", "int"),
        ("name", "string"),
        ("seen", "int"),
        ("_change_type", "string"),
        ("_commit_version", "bigint"),
        ("_commit_timestamp", "timestamp"),
    ]
    rows = changes.collect()
    assert len({(row._commit_version, row._commit_timestamp) for row in rows}) == 4
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


def test_a_log_without_pairs_passes_as_it_is(spark, deltawave, log):
    columns = "id, name, seen, _change_type, _changed_columns, _before, _batch_id, _batch_at"
    filtered = spark.sql(f"select {columns} from ({deltawave.filter_useless_pairs(log, 'id')})")
    assert sorted(map(str, filtered.collect())) == sorted(map(str, spark.sql(f"select {columns} from {log}").collect()))


def test_the_history_of_a_row(spark, deltawave, log):
    rows = spark.sql(deltawave.history(log, {"id": "2"})).collect()
    assert [(row._batch_id, row._change_type, row.name) for row in rows] == [
        (1, "insert", "bob"),
        (2, "delete", "bob"),
        (4, "insert", "rob"),
    ]
    names = spark.sql(deltawave.history(log, {"ID": 1}, "name")).collect()
    assert [(row._batch_id, row._change_type, row.name, row._before) for row in names] == [
        (1, "insert", "ann", None),
        (3, "update", "eve", "ann"),
    ]
    assert spark.sql(deltawave.history(log, {"id": 9})).collect() == []


def test_a_column_that_joined_has_a_history(spark, deltawave, view):
    """A backfill brings its values, and none of other columns."""
    nothing, null = "cast(array() as array<string>)", "cast(null as int)"
    filled = LOG.replace("array('seen')", nothing).replace("'seen', 10)", f"'seen', {null})")
    log = view("filled_log", filled)
    assert [row.seen for row in spark.sql(deltawave.history(log, {"id": 1}, "seen")).collect()] == [10, 11]
    assert [row.name for row in spark.sql(deltawave.history(log, {"id": 1}, "name")).collect()] == ["ann", "eve"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("5L", "5"),
        (r"concat('it\'s \\ $', '{x}')", r"it's \ ${x}"),
        ("''", ""),
        ("cast(null as int)", None),
        ("true", True),
        ("1.50BD", "1.5"),
        ("double('nan')", "NaN"),
        ("-0.0D", "0"),
        ("date'2026-01-31'", "2026-01-31"),
        ("timestamp'2026-01-31 10:00:00'", "2026-01-31 10:00:00"),
        ("timestamp_ntz'2026-01-31 10:00:00'", "2026-01-31 10:00:00"),
        ("X'00FF'", "00ff"),
        ("array(1, null)", "[1, null]"),
        ("named_struct('a', 1, 'b c', 'x')", "{1, x}"),
    ],
)
def test_a_key_of_any_type(spark, deltawave, view, key, value):
    other = "select * from values (1) as t(n)"
    own = "'insert' as _change_type, cast(null as array<string>) as _changed_columns, 1L as _batch_id"
    rest = f"{own}, cast(null as struct<n:int>) as _before, current_timestamp() as _batch_at"
    log = view("typed_log", f"select n, {key} as `a key`, {rest} from ({other})")
    assert len(spark.sql(deltawave.history(log, {"a key": value})).collect()) == 1
    wrong = {"n": 2, "a key": value}
    assert spark.sql(deltawave.history(log, wrong)).collect() == []

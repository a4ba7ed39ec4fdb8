"""`current_state` and `apply_changes` on small logs."""

import pytest


@pytest.fixture
def log(view):
    """Three batches: three inserts; an update and a delete; the deleted key comes back."""
    return view(
        "readable_log",
        """
        select id, `full name`, score, change as _change_type, null as _changed_columns, null as _before,
            batch as _batch_id, current_timestamp() as _batch_at
        from values
            (1, 'Ada', 10, 'insert', 1),
            (2, 'Bo', 20, 'insert', 1),
            (null, 'nobody', 30, 'insert', 1),
            (1, 'Ada', 11, 'update', 2),
            (2, 'Bo', 20, 'delete', 2),
            (2, 'Bo again', 22, 'insert', 3),
            (null, 'nobody', 30, 'delete', 3)
            as t(id, `full name`, score, change, batch)
        """,
    )


def rows(spark, sql):
    return sorted((tuple(row) for row in spark.sql(sql).collect()), key=repr)


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({}, [(1, "Ada", 11), (2, "Bo again", 22)]),
        ({"to_batch": 0}, []),
        ({"to_batch": 1}, [(1, "Ada", 10), (2, "Bo", 20), (None, "nobody", 30)]),
        ({"to_batch": 2}, [(1, "Ada", 11), (None, "nobody", 30)]),
        ({"from_batch": 3}, [(2, "Bo again", 22)]),
        ({"from_batch": 2, "to_batch": 2}, [(1, "Ada", 11)]),
        ({"to_batch": "(select max(_batch_id) - 1 from readable_log)"}, [(1, "Ada", 11), (None, "nobody", 30)]),
    ],
)  # fmt: skip
def test_the_state_is_what_the_last_changes_left(spark, deltawave, log, bounds, expected):
    assert rows(spark, deltawave.current_state(log, "id", **bounds)) == expected


def test_the_state_has_the_data_columns_in_the_order_of_the_log(spark, deltawave, log):
    assert spark.sql(deltawave.current_state(log, "ID")).columns == ["id", "full name", "score"]


def test_a_delete_applies_before_an_insert_of_its_batch(spark, deltawave, view):
    pair = "(1, 'new', 'insert', 1), (1, 'old', 'delete', 1)"
    swapped = "(2, 'old', 'delete', 1), (2, 'new', 'insert', 1)"
    log = view("pairs_log", f"select * from values {pair}, {swapped} t(id, v, _change_type, _batch_id)")
    assert rows(spark, deltawave.current_state(log, "id")) == [(1, "new"), (2, "new")]
    base = view("pairs_base", "select * from values (1, 'old'), (2, 'old') t(id, v)")
    assert rows(spark, deltawave.apply_changes(log, base, "id")) == [(1, "new"), (2, "new")]


def test_floating_keys_match_as_the_contract_compares(spark, deltawave, view):
    log = view(
        "floating_log",
        """
        select * from values (-0.0D, 1, 'update', 1), (double('nan'), 1, 'delete', 1)
            t(k, v, _change_type, _batch_id)
        """,
    )
    base = view("floating_base", "select * from values (0.0D, 0), (double('nan'), 0), (1.5D, 0) t(k, v)")
    assert rows(spark, deltawave.apply_changes(log, base, "k")) == [(0.0, 1), (1.5, 0)]


def test_the_columns_stay_those_of_the_base(spark, deltawave, log, view):
    base = view(
        "base_with_notes",
        """
        select * from values ('kept', 1, 'Ada', cast(0 as bigint)), ('lost', 2, 'Bo', 0), ('old', 9, 'Cy', 0)
            t(note, ID, `Full Name`, total)
        """,
    )
    sql = deltawave.apply_changes(log, base, "id", from_batch=2)
    assert spark.sql(sql).columns == ["note", "ID", "Full Name", "total"]
    assert rows(spark, sql) == [("kept", 1, "Ada", 0), ("lost", 2, "Bo again", 0), ("old", 9, "Cy", 0)]


def test_a_new_row_is_null_where_the_log_says_nothing(spark, deltawave, log, view):
    base = view("empty_base_with_notes", "select 'x' as note, 1 as id, 'y' as `full name` where false")
    assert rows(spark, deltawave.apply_changes(log, base, "id")) == [(None, 1, "Ada"), (None, 2, "Bo again")]


def test_ctes_and_subqueries_apply_too(spark, deltawave, log, view):
    columns = ["id", "full name", "score"]
    applied = deltawave.apply_changes("recent", "(select * from before)", "id", columns=columns)
    sql = f"""
        with recent as (select * from readable_log where _batch_id = 2),
        before as ({deltawave.current_state(log, "id", to_batch=1)}),
        after as ({applied})
        select * from after
    """
    assert rows(spark, sql) == [(1, "Ada", 11), (None, "nobody", 30)]


def test_names_of_every_kind_are_quoted(spark, deltawave, view):
    names = ["order", "a`b", "a.b", "select", "naïve name", "1"]
    quoted = ", ".join(deltawave._quoted(name) for name in names)
    log = view("odd_log", f"select * from values (1, 2, 3, 4, 5, 6, 'update', 1) t({quoted}, _change_type, _batch_id)")
    base = view("odd_base", f"select * from values (1, 2, 0, 0, 0, 0), (1, 9, 0, 0, 0, 0) t({quoted})")
    sql = deltawave.apply_changes(log, base, names[:2])
    assert spark.sql(sql).columns == names
    assert rows(spark, sql) == [(1, 2, 3, 4, 5, 6), (1, 9, 0, 0, 0, 0)]

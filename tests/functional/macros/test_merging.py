"""`apply_changes` with `method='merge'`, into a table of a format that takes merges: in the lanes delta and iceberg."""

import pytest
from unit.macro_harness import Relation

pytestmark = pytest.mark.formats

TABLE = Relation("merging.accounts")
LOG = """
    select * from values
        (-0.0D, 'a', 1, map('x', 1), 'update', 1),
        (null, 'b', 2, map(), 'delete', 1),
        (null, 'b', 3, null, 'insert', 1),
        (3.0D, 'c', 3, map('y', null), 'insert', 1),
        (4.0D, 'd', 4, map(), 'insert', 1),
        (4.0D, 'd', 4, map(), 'delete', 2),
        (double('nan'), 'e', 4, map(), 'delete', 2),
        (99.0D, 'never seen', 4, map(), 'delete', 2)
        as t(k1, k2, v, m, _change_type, _batch_id)
"""
BASE = f"""
    insert into {TABLE} values
        ('kept', 0.0, 'a', 0, map()), ('kept', null, 'b', 0, map()), ('gone', double('nan'), 'e', 0, map()),
        ('untouched', 5.0, 'f', 5, map())
"""
EXPECTED = [
    ("kept", 0.0, "a", 1, {"x": 1}),
    ("kept", None, "b", 3, None),
    (None, 3.0, "c", 3, {"y": None}),
    ("untouched", 5.0, "f", 5, {}),
]


def test_changes_merge_into_a_table_once(request, spark, deltawave, view):
    table_format = request.config.option.table_format
    if table_format == "parquet":
        pytest.skip("Parquet tables take no merge")
    spark.sql("create schema merging")
    try:
        spark.sql(
            f"create table {TABLE} (note string, k1 double, k2 string, v int, m map<string,int>) using {table_format}"
        )
        spark.sql(BASE)
        merge = deltawave.apply_changes(view("changes", LOG), TABLE, ["k1", "k2"], method="merge")
        for _ in range(2):
            spark.sql(merge)
            assert list(map(tuple, spark.sql(f"select * from {TABLE} order by k2").collect())) == EXPECTED
    finally:
        spark.sql("drop schema merging cascade")

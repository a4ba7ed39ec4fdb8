"""`deltawave.changes` feeds what reads Delta's change data feed: in the lane delta."""

import pytest
from pyspark.sql import SparkSession
from workbench import Workbench

pytestmark = pytest.mark.delta

DUMPS = [
    "select * from values (1L, 'ann'), (2L, 'bob'), (3L, null) as dump(account_id, name)",
    "select * from values (1L, 'anna'), (3L, null), (4L, 'dan') as dump(account_id, name)",
    "select * from values (2L, 'bo'), (3L, 'cid'), (4L, 'dan') as dump(account_id, name)",
]
FEED = "{{ config(materialized='view') }} {{ deltawave.changes(ref('accounts'), 'account_id') }}"
# As Delta's own documentation brings a table up to date with a change data feed.
MERGE = """
merge into {target} as target
using (
    select *
    from (
        select *, row_number() over (partition by account_id order by _commit_version desc) as nth
        from {feed}
        where _change_type <> 'update_preimage' and _commit_version > {version}
    )
    where nth = 1
) as change
on target.account_id = change.account_id
when matched and change._change_type = 'delete' then delete
when matched then update set *
when not matched and change._change_type <> 'delete' then insert *
"""


def rows(spark: SparkSession, query: str) -> list[tuple]:
    return sorted(map(tuple, spark.sql(query).collect()), key=str)


@pytest.fixture
def delta(request: pytest.FixtureRequest) -> Workbench:
    """A workbench of Delta tables, which alone have a change data feed."""
    if request.config.option.table_format != "delta":
        pytest.skip("no Delta tables")
    bench: Workbench = request.getfixturevalue("bench")
    return bench


def test_a_merge_of_the_changes_keeps_a_delta_table(delta: Workbench) -> None:
    """Delta's feed of a table that follows the log has the same columns, types and rows as the log's changes."""
    spark, schema, feed = delta.spark, delta.schema, f"{delta.schema}.feed"
    for copy in ("followed", "late"):
        spark.sql(
            f"create table {schema}.{copy} (account_id bigint, name string) using delta "
            "tblproperties (delta.enableChangeDataFeed = true)"
        )
    delta.add_model("feed", FEED)
    for version, dump in enumerate(DUMPS):
        delta.build(dump)
        spark.sql(MERGE.format(target=f"{schema}.followed", feed=feed, version=version))
        assert rows(spark, f"select * from {schema}.followed") == rows(spark, f"select * from {schema}.dump")

    spark.sql(MERGE.format(target=f"{schema}.late", feed=feed, version=0))
    assert rows(spark, f"select * from {schema}.late") == rows(spark, DUMPS[-1])

    # The table was created by version 0, and followed batch n by version n.
    deltas = f"table_changes('{schema}.followed', 1)"
    assert spark.table(feed).dtypes == spark.sql(f"select * from {deltas}").dtypes
    shown = "select account_id, name, _change_type, _commit_version from "
    found = rows(spark, shown + feed)
    assert found == rows(spark, shown + deltas)
    assert {row[2] for row in found} == {"insert", "update_preimage", "update_postimage", "delete"}

"""Strategy outer_join where DuckDB joins the files of both copies: it finds what Spark finds."""

from numbered import of_every_type
from workbench import DUMP, MODEL, Workbench

OLD = of_every_type()
# Rows 0 to 2 are updated, 3 is gone, 8 is new. In row 4 nothing changes that counts.
NEW = of_every_type(
    name="if(id = 2, 'new', 'n' || id)",
    data="if(id = 1, null, binary('b' || id))",
    zero="float(if(id = 0, 'NaN', if(id = 4, '-0.0', '0')))",
    rows="range(9) where id <> 3",
)
KEY = ["account_id", "it's"]
CHANGES = [
    (0, "update", ["zero"]),
    (1, "update", ["data"]),
    (2, "update", ["name's"]),
    (3, "delete", None),
    (8, "insert", None),
]


def test_it_finds_what_spark_finds(bench: Workbench) -> None:
    bench.configure(strategy="outer_join", unique_key=KEY)
    bench.add_differential("by_spark", strategy="sort_merge", unique_key=KEY)
    bench.add_differential("ignoring", strategy="outer_join", unique_key=KEY, ignore_columns=["name's"])
    bench.build(OLD)
    bench.build(NEW)
    assert (bench.writers()[1], bench.writers("by_spark")[1]) == ("DuckDB", "parquet-mr")
    columns = "account_id, _change_type, _changed_columns, struct(*)"
    found, by_spark = (
        bench.spark.sql(f"select {columns} from {bench.schema}.{model} where _batch_id = 2 order by account_id")
        for model in (MODEL, "by_spark")
    )
    assert [tuple(row)[:3] for row in found.collect()] == CHANGES
    # As text, since NaN is not NaN to Python.
    texts = [[str(row[3].asDict() | {"_batch_at": None}) for row in rows.collect()] for rows in (found, by_spark)]
    assert texts[0] == texts[1]
    assert bench.batches("inserts, deletes, updates", "ignoring")[1] == (1, 1, 2)
    # Nothing is copied, nor is any other statement run.
    assert set(bench.build(NEW).messages.values()) == {"no changes"}
    assert not bench.statements()


def test_as_many_rows_are_not_the_same_rows(bench: Workbench) -> None:
    """A key that stands twice in place of another one is refused, and so is one that is null."""
    rows = "select id as account_id, 'old' as name from range(10)"
    bench.configure(strategy="outer_join")
    bench.build(rows)
    for key, reason in (("if(id = 9, 8, id)", "more than once"), ("nullif(id, 9)", "null")):
        bench.dump(rows.replace("id as", f"{key} as"))
        assert reason in bench.run().messages[MODEL]
        assert bench.batches() == [(1, 10, 0, 0)]


def test_columns_that_come_and_go_are_joined_by_spark(bench: Workbench) -> None:
    rows = "select id as account_id, if(id < {}, 'new', 'old') as name{} from range(10)"
    bench.configure(strategy="outer_join", on_schema_change="append_new_columns")
    for changed, points in ((0, ""), (1, ", id as points"), (2, ", id as points"), (3, "")):
        bench.build(rows.format(changed, points))
    assert bench.writers()[1:] == ["parquet-mr", "DuckDB", "parquet-mr"]
    assert bench.batches("inserts, deletes, updates") == [(10, 0, 0), (0, 0, 1), (0, 0, 1), (0, 0, 1)]


def test_dumps_of_several_dates(bench: Workbench) -> None:
    rows = "select id as account_id, if(id < {0}, 'new', 'old') as name, date '2026-01-01' + {0} as day from range(10)"
    bench.configure(strategy="outer_join", snapshot_date="day")
    bench.build(" union all ".join(rows.format(number) for number in range(3)))
    assert bench.writers() == ["parquet-mr", "DuckDB", "DuckDB"]
    assert bench.batches("inserts, deletes, updates") == [(10, 0, 0), (0, 0, 1), (0, 0, 1)]
    # The checksum, by which a date is recognized, is that of all its rows.
    done = bench.build(rows.format(2).replace("'old'", "'other'"))
    assert "were delivered again with other rows" in done.text
    assert len(bench.batches()) == 3


class TestLargeCopies:
    macros = {"small.sql": "{% macro default___small_table() %}{{ return({'rows': -1, 'bytes': 0}) }}{% endmacro %}"}

    def test_duckdb_writes_and_joins_them(self, bench: Workbench) -> None:
        bench.configure(strategy="outer_join", unique_key=KEY)
        bench.build(OLD)
        assert not copied_by_spark(bench)
        bench.build(NEW)
        assert not copied_by_spark(bench)
        assert bench.writers() == ["DuckDB", "DuckDB"]
        assert bench.batches("inserts, deletes, updates")[1] == (1, 1, 3)
        assert not any("clustered by" in each for each in bench.statements())
        # Spark joins the same copy, and then sorts the next one.
        bench.configure(strategy="sort_merge", unique_key=KEY)
        bench.build(OLD)
        assert bench.batches("inserts, deletes, updates")[2] == (1, 1, 3)
        assert any("clustered by" in each for each in bench.statements())
        assert diff(bench, OLD) == 0

    def test_spark_writes_what_it_has_to_read(self, bench: Workbench) -> None:
        bench.configure(f"{DUMP} where account_id >= 0", strategy="outer_join", unique_key=KEY)
        bench.build(OLD)
        bench.build(NEW)
        assert copied_by_spark(bench)
        assert bench.writers() == ["DuckDB", "DuckDB"]
        assert bench.batches("inserts, deletes, updates")[1] == (1, 1, 3)
        assert diff(bench, NEW) == 0

    def test_times_without_a_zone_are_left_to_spark(self, bench: Workbench) -> None:
        """Where a table's ``timestamp`` has no zone, DuckDB would write one that has."""
        name = "spark.sql.timestampType"
        bench.configure(strategy="outer_join", unique_key=KEY)
        bench.spark.conf.set(name, "TIMESTAMP_NTZ")
        try:
            bench.build(OLD)
        finally:
            bench.spark.conf.unset(name)
        assert bench.writers() == ["parquet-mr"]

    def test_a_rewind_is_followed_by_another_copy(self, bench: Workbench) -> None:
        bench.configure(strategy="outer_join", unique_key=KEY)
        bench.build(OLD)
        bench.build(NEW)
        bench.operate("rewind", model=MODEL, to_batch=1)
        bench.build()
        assert bench.batches("inserts, deletes, updates")[-1] == (1, 1, 3)
        assert diff(bench, NEW) == 0
        # Columns that only one of the copies has are joined by Spark.
        bench.configure(strategy="outer_join", unique_key=KEY, on_schema_change="append_new_columns")
        wider = f"select *, 7 as more from ({NEW})"
        bench.build(wider)
        assert bench.batches("inserts, deletes, updates, backfilled")[-1] == (0, 0, 0, 8)
        assert diff(bench, wider) == 0

    def test_other_strategies_read_them(self, bench: Workbench) -> None:
        rows = (
            "select id as account_id, if(id < {0}, 'new', 'old') as name, date '2026-01-01' + {0} as day from range(10)"
        )
        for number, strategy in enumerate(("outer_join", "outer_join", "union", "sort_merge", "outer_join")):
            bench.configure(strategy=strategy, snapshot_date="day")
            bench.build(rows.format(number))
        assert bench.batches("inserts, deletes, updates") == [(10, 0, 0), *[(0, 0, 1)] * 4]


def copied_by_spark(bench: Workbench) -> bool:
    """Whether the last run wrote a copy by a statement."""
    return any(each.startswith("insert overwrite ") and "__copy_" in each.split("\n")[0] for each in bench.statements())


def diff(bench: Workbench, rows: str) -> int:
    """How many of these rows the log does not lead to, and the other way round."""
    names = ", ".join(f"`{name}`" for name in bench.spark.sql(rows).columns)
    latest = "row_number() over (partition by account_id, `it's` order by _batch_id desc) as latest"
    log = f"select *, {latest} from {bench.schema}.{MODEL}"
    found = bench.spark.sql(f"select {names} from ({log}) where latest = 1 and _change_type <> 'delete'")
    dump = bench.spark.sql(rows)
    return found.exceptAll(dump).count() + dump.exceptAll(found).count()

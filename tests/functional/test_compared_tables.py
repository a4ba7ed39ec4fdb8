"""``deltawave.compare``: what it counts, shows and refuses."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import deltawave
from deltawave.comparing.concentrations import weighed
from deltawave.comparing.kinds import Kind, common_type
from deltawave.pages.texts import beside, plain

pytestmark = [pytest.mark.usefixtures("interpreted"), pytest.mark.core]

OLD = """
    (1, 'ann', 1.00BD, 0.0D, map('x', 1, 'y', 2)),
    (2, 'bob', 2.00BD, double('nan'), null),
    (3, null, null, 3.0D, map('z', 3)),
    (4, 'dan', 4.00BD, 4.0D, null),
    (5, 'eve', 5.00BD, null, null)
"""
NEW = """
    (1, 'ann', 1.00BD, -0.0D, map('y', 2, 'x', 1)),
    (2, 'bob', 2.00BD, double('nan'), null),
    (3, 'cid', null, 3.5D, map('z', 4)),
    (4, null, 4.01BD, 4.0D, null),
    (6, 'fay', 6.00BD, 6.0D, null)
"""


def values(spark: SparkSession, rows: str, columns: str = "id, name, amount, ratio, tags") -> DataFrame:
    return spark.sql(f"select * from values {rows} as t ({columns})")


def test_every_kind_of_difference(spark: SparkSession) -> None:
    old, new = values(spark, OLD), values(spark, NEW, "ID, Name, amount, ratio, tags")
    found = deltawave.compare(old.withColumn("gone", old.id), new.withColumn("more", new.ID), "id")
    assert not found.is_equal
    assert (found.old_rows, found.new_rows) == (5, 5)
    assert (found.equal, found.changed, found.only_old, found.only_new) == (2, 2, 1, 1)
    assert (found.old_columns, found.new_columns, found.types) == (("gone",), ("more",), {})
    assert list(found.columns.items()) == [("name", 2), ("amount", 1), ("ratio", 1), ("tags", 1)]
    assert [(each.key, each.column, each.old, each.new) for each in found.changes[:4]] == [
        (("3",), "name", None, "cid"),
        (("4",), "name", "dan", None),
        (("4",), "amount", "4.00", "4.01"),
        (("3",), "ratio", "3.0", "3.5"),
    ]
    assert found.changes[4].column == "tags"
    assert [row["name"] for row in found.old_samples] == ["eve"]
    assert [(row["id"], row["name"], row["more"]) for row in found.new_samples] == [("6", "fay", "6")]
    assert json.loads(found.to_json())["changes"][0] == {"key": ["3"], "column": "name", "old": None, "new": "cid"}
    text = found.to_text()
    assert text.splitlines()[0] == "old -> new, by id"
    assert re.search(r"^  name +2 +1 +1 +50\.0%$", text, re.MULTILINE)
    assert text.endswith("The tables differ.")


def test_equal_tables(spark: SparkSession) -> None:
    old = values(spark, OLD)
    found = deltawave.compare(old, values(spark, OLD).repartition(2), ["id"])
    assert found.is_equal
    assert (found.equal, found.changes, found.concentrations) == (5, (), ())
    empty = deltawave.compare(old.limit(0), old.limit(0), "id")
    assert empty.is_equal
    assert (empty.old_rows, empty.equal) == (0, 0)
    assert empty.to_text().endswith("The tables are equal.")
    assert "The tables are equal: 0 rows." in empty.to_html()


@pytest.mark.usefixtures("engine")
def test_any_name_and_any_value_of_a_column(spark: SparkSession) -> None:
    """Names that the comparison uses itself, and some that a query or a page could stumble over."""
    names = ["old", "new", "kind", "k0", "old_rows", "differs_0", "count", "_side", "a.b", "c`d", "it's", "${x}", "<b>"]
    old = spark.createDataFrame([(1, *["<script>alert(1)</script>"] * len(names))]).toDF("cell", *names)
    new = spark.createDataFrame([(1, *["</title>\x1b[31m&"] * len(names))]).toDF("cell", *names)
    found = deltawave.compare(old, new, "cell")
    assert list(found.columns) == names
    assert set(found.columns.values()) == {1}
    page = found.to_html()
    # That of the filters.
    assert page.count("<script") == 1
    assert page.count("</title>") == 1
    assert "<b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\x1b" not in page + found.to_text()


@pytest.mark.usefixtures("engine")
def test_tolerances(spark: SparkSession) -> None:
    columns = "id, price, size, rate, note"
    old = values(spark, "(1, 1.00BD, 100.0D, 1, 'Ann  Lee'), (2, 1.00BD, double('nan'), 1, 'b')", columns)
    new = values(spark, "(1, 1.01BD, 109.0D, 2, ' ANN lee '), (2, 1.02BD, 5.0D, null, 'B')", columns)
    found = deltawave.compare(
        old,
        new,
        "id",
        tolerance={"Price": 0.01},
        relative_tolerance=0.1,
        ignore_case="note",
        ignore_blanks=["note"],
        samples=0,
    )
    # A relative tolerance for all columns: 1.00 and 1.02 are near, NaN and 5, and 1 and 2 are not.
    assert found.columns == {"price": 0, "size": 1, "rate": 2, "note": 0}
    assert (found.changed, found.changes) == (2, ())
    exact = deltawave.compare(old, new, "id", tolerance=0.01, ignore_columns=["note"], samples=1)
    assert exact.columns == {"price": 1, "size": 2, "rate": 2}
    assert [(each.key, each.column) for each in exact.changes] == [
        (("1",), "size"),
        (("1",), "rate"),
        (("2",), "price"),
    ]


def test_tolerances_of_floating_point_numbers(spark: SparkSession) -> None:
    """Each has the digits of its type; a tolerance of 0 is none, whatever it is for the other columns."""
    old = values(spark, "(1, 4.0F, 1.0D, 1.0D)", "id, rate, size, weight")
    new = values(spark, "(1, 4.01F, 1.01D, 1.0000000000000002D)", "id, rate, size, weight")
    found = deltawave.compare(old, new, "id", tolerance={"": 0.01, "weight": 0})
    assert found.columns == {"weight": 1, "rate": 0, "size": 0}


def test_columns_of_other_types(spark: SparkSession) -> None:
    old = spark.sql("select 1 as id, 5L as count, 1.50BD as price, '7' as code, date'2026-01-31' as day")
    new = spark.sql("select 1L as id, 5BD as count, 1.5BD as price, 7 as code, '2026-02-01' as day")
    found = deltawave.compare(old, new, "id")
    assert [(name, each["old"], each["new"], each["compared_as"]) for name, each in found.types.items()] == [
        ("id", "int", "bigint", "decimal(19,0)"),
        ("count", "bigint", "decimal(1,0)", "decimal(19,0)"),
        ("price", "decimal(3,2)", "decimal(2,1)", "decimal(3,2)"),
        ("code", "string", "int", "string"),
        ("day", "date", "string", "string"),
    ]
    assert [each.column for each in found.changes] == ["day"]
    assert not found.is_equal


def test_a_date_is_compared_with_a_timestamp_as_midnight(spark: SparkSession) -> None:
    """As a key, too."""
    old = spark.sql("select date'2026-01-31' as day, date'2026-01-31' as paid, 'x' as name")
    new = spark.sql("select timestamp'2026-01-31' as day, timestamp_ntz'2026-01-31 10:00:00' as paid, 'x' as name")
    found = deltawave.compare(old, new, "day")
    assert (found.changed, found.only_old, list(found.columns.items())) == (1, 0, [("paid", 1), ("name", 0)])
    assert found.types["day"] == {"old": "date", "new": "timestamp", "compared_as": "timestamp"}
    assert found.changes[0].old == "2026-01-31 00:00:00"
    assert deltawave.compare(old, new, "day", ignore_columns="paid").changed == 0


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ("decimal(10,2)", "bigint", "decimal(21,2)"),
        ("decimal(38,0)", "decimal(38,10)", "double"),
        ("float", "int", "double"),
        ("date", "string", "string"),
        ("date", "bigint", "string"),
        ("date", "timestamp", "timestamp"),
        ("date", "timestamp_ntz", "timestamp_ntz"),
        ("timestamp", "timestamp_ntz", "timestamp"),
        ("int", "int", "int"),
        ("ubigint", "bigint", "decimal(20,0)"),
        ("void", "int", "int"),
    ],
)
def test_the_type_of_a_comparison(one: str, other: str, common: str) -> None:
    assert common_type(Kind(one), Kind(other)) == common_type(Kind(other), Kind(one)) == Kind(common)


@pytest.mark.usefixtures("engine")
def test_where_differences_concentrate(spark: SparkSession) -> None:
    old = spark.sql("""
        select
            id,
            case id % 4 when 0 then 'north' when 1 then 'east' when 2 then 'west' end as region,
            id % 10 as digit,
            id * 2 as amount
        from range(1000)
    """)
    raised = "amount + if(region = 'north' and id < 200, 1, 0) as amount"
    new = old.where("digit <> 3").selectExpr("id", "region", "digit", raised)
    found = deltawave.compare(old, new, "id")
    assert (found.changed, found.only_old) == (50, 100)
    by_kind: dict[str, Any] = {}
    for each in found.concentrations:
        by_kind.setdefault(each.kind, []).append(each)
    (north,) = by_kind["changed"]
    assert (north.column, north.value, north.rows, north.share, north.all_rows) == ("region", "north", 50, 1.0, 250)
    assert (north.all_share, north.lift) == (pytest.approx(250 / 900), pytest.approx(3.6))
    digit = by_kind["only_old"][0]
    assert (digit.column, digit.value, digit.rows, digit.share, digit.all_rows) == ("digit", "3", 100, 1.0, 100)
    assert digit.effect == pytest.approx(math.pi)
    assert {each.column for each in found.concentrations} == {"region", "digit"}
    assert re.search(r"^  changed +region +north +50 +100\.0% +27\.8% +3\.6 +2\.1$", found.to_text(), re.MULTILINE)
    assert "north" in found.to_html()


def test_duckdb_and_spark_find_the_same(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """By keys that are null, NaN and -0.0, in files that DuckDB reads itself."""
    spark.sql("""
        select
            id,
            case id % 4 when 0 then null when 1 then double('nan') when 2 then -0.0D else 1.5D end as part,
            'name ' || id % 7 as name,
            case id % 10 when 2 then -0.0D when 7 then 0.0D else 1.0D end as rate,
            cast(id * 2 as decimal(20, 2)) as amount,
            date'1900-01-01' + cast(id % 30 as int) as day,
            timestamp_seconds(id * 3600) as at,
            id % 2 = 0 as is_even,
            id % 3 as loaded,
            cast(null as string) as gone
        from range(1000)
    """).write.parquet(str(tmp_path / "old"))
    old = spark.read.parquet(str(tmp_path / "old"))
    old.where("id >= 100 or name <> 'name 3'").selectExpr(
        "id as ID",
        "if(part = 0, 0.0D, part) as part",
        "if(id % 9 = 0, 'Name', name) as Name",
        "if(rate = 0, 0.0D, rate) as rate",
        "cast(amount + case when id % 5 = 2 then 5 when id % 5 = 3 then 0.01 else 0 end as decimal(20, 2)) as amount",
        "day",
        "at",
        "is_even",
        "0L as loaded",
    ).unionByName(
        old.where("id < 20").selectExpr(
            "id + 5000 as ID", "part", "name as Name", "9.0D as rate", "amount", "day", "at", "is_even", "1L as loaded"
        )
    ).write.parquet(str(tmp_path / "new"))
    new = spark.read.parquet(str(tmp_path / "new"))

    def compared() -> deltawave.Comparison:
        return deltawave.compare(old, new, ["part", "id"], tolerance={"amount": 0.01}, ignore_columns="loaded")

    by_spark = compared()
    by_duckdb = request.getfixturevalue("by_duckdb")
    assert compared() == by_spark
    assert by_duckdb
    reported = {(each.kind, each.column, each.value) for each in by_spark.concentrations}
    assert reported >= {("changed", "rate", "0.0"), ("only_old", "name", "name 3"), ("only_new", "rate", "9.0")}


@pytest.mark.parametrize(
    ("rows", "of", "all_rows", "of_all", "is_reported"),
    [
        (50, 50, 250, 1000, True),
        (4, 4, 4, 1000, False),  # few rows
        (13, 50, 250, 1000, False),  # as many as by chance
        (30, 50, 500, 1000, False),  # hardly more
        (50, 50, 1000, 1000, False),  # all rows have the value
        (0, 50, 0, 1000, False),
        (999, 999, 999, 1000, False),  # nearly all rows have changed
        (100, 100, 700, 1000, True),  # most rows have the value
        (99, 100, 700, 1000, True),
        (85, 100, 700, 1000, False),
        (950, 950, 950, 1000, True),  # all rows that have it have changed, and no others
        (250, 950, 250, 1000, False),  # the others have another value
    ],
)
def test_what_is_worth_reporting(rows: int, of: int, all_rows: int, of_all: int, is_reported: bool) -> None:
    assert (weighed("changed", "name", "ann", rows, of, all_rows, of_all) is not None) == is_reported


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key": []}, "key names no column."),
        ({"key": "nr"}, "The old table has no column nr, which is in key. It has: id, name, amount, ratio, tags."),
        ({"key": "tags"}, "The column tags is of type map<string,int>, which can't be a key."),
        ({"ignore_columns": "nmae"}, "ignore_columns: neither table has a column nmae."),
        ({"ignore_columns": "ID"}, "ignore_columns: id is part of the key."),
        ({"tolerance": {"name": 1}}, "tolerance: name is compared as string, and has to be a number."),
        ({"tolerance": {"amount": 1}, "ignore_columns": "amount"}, "tolerance: amount is not compared"),
        ({"ignore_case": "amount"}, "ignore_case: amount is compared as decimal(3,2), and has to be text."),
        ({"relative_tolerance": -1}, "relative_tolerance can't be -1: it takes a number from 0"),
        ({"tolerance": float("nan")}, "tolerance can't be nan"),
        ({"samples": -1}, "samples can't be -1"),
    ],
)
def test_options_that_do_not_fit(spark: SparkSession, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        deltawave.compare(values(spark, OLD), values(spark, NEW), **{"key": "id", **options})


@pytest.mark.usefixtures("engine")
def test_keys_of_several_rows_and_keys_that_are_null(spark: SparkSession) -> None:
    rows = "(1, 'n', 1), (1, 'n', 2), (2, null, 3), (null, null, 4), (null, null, 5)"
    old = values(spark, rows, "id, region, x")
    with pytest.raises(ValueError, match="several rows") as error:
        deltawave.compare(old, values(spark, "(1, 'n', 1)", "id, region, x"), ["region", "id"])
    assert str(error.value) == (
        "2 key(s) (region, id) of the old table occur in several rows, for instance (null, null), (n, 1). "
        "Compare one row per key, or by another key."
    )
    # Null matches null.
    rows_without = old.where("x in (3, 4)")
    assert deltawave.compare(rows_without, rows_without, ["region", "id"]).is_equal


def test_values_on_one_line() -> None:
    assert [plain(each) for each in (None, "null", "", " a", "a\nb", "é")] == [
        "null",
        "'null'",
        "''",
        "' a'",
        "'a\\nb'",
        "é",
    ]
    old, new = beside("x" * 500 + "old" + "y" * 500, "x" * 500 + "new" + "y" * 500)
    assert old.startswith(f"…{'x' * 20}old")
    assert new.startswith(f"…{'x' * 20}new")
    assert len(old) == len(new) == 60

"""`row_checksum`: equal for equal rows, different for others, the same everywhere and in every release."""

import pytest
from generated import DATA, KEYS, collect, content, frame, histories
from pairs import DIFFERENT, EQUAL, as_row, those

# Rows that a careless hash confuses, since it skips nulls or lets values run together.
LOOKALIKES = [
    ["'a'", "cast(null as string)"],
    ["cast(null as string)", "'a'"],
    ["'a'", "''"],
    ["''", "'a'"],
    ["'ab'", "'c'"],
    ["'a'", "'bc'"],
    ["'abc'", "''"],
    ["cast(null as string)", "cast(null as string)"],
    ["cast(null as string)", "''"],
    ["'a,b'", "'c'"],
    ["'a'", "'b,c'"],
]
NESTED_LOOKALIKES = [
    ["array(1)", "array(2, 3)"],
    ["array(1, 2)", "array(3)"],
    ["array(1, 2, 3)", "cast(array() as array<int>)"],
    ["cast(array() as array<int>)", "array(1, 2, 3)"],
    ["cast(null as array<int>)", "array(1, 2, 3)"],
    ["array(1, null)", "array(2, 3)"],
    ["array(1)", "array(null, 2, 3)"],
    ["array(0)", "cast(array() as array<int>)"],
]

# One row of every type. The values must never change: users store them beside their keys.
GOLDEN_ROW = """
    select
        true as boolean, 7Y as tinyint, -7S as smallint, 42 as int, 9007199254740993L as bigint,
        float('1.5') as float, -0.25D as double, 12.34 as small_decimal,
        12345678901234567890123456.78 as large_decimal, 'naïve 😀' as string, X'00FF' as binary,
        date'2024-02-29' as date, timestamp'2024-02-29 12:34:56.789012Z' as timestamp,
        timestamp_ntz'2024-02-29 12:34:56' as timestamp_ntz, array('a', null, '') as array,
        map('y', 2, 'x', null) as map,
        named_struct('a', 1, 'b c', named_struct('d', array(map(1, 'z')))) as struct,
        cast(null as string) as missing
"""
GOLDEN = {
    "boolean": -4698198733687874474,
    "tinyint": 8575448149600077551,
    "smallint": 5064255612468898526,
    "int": -188463564340827900,
    "bigint": 3299636509242157036,
    "float": -4106601514199547922,
    "double": -6115391166651470646,
    "small_decimal": -8492778185876649786,
    "large_decimal": -5587936378844876688,
    "string": -6891714780172114870,
    "binary": -2108180971545595866,
    "date": -1871117035393844490,
    "timestamp": 608729224793367716,
    "timestamp_ntz": -7499806724303370181,
    "array": 5935335882495426829,
    "map": -7868917667121575453,
    "struct": 4275051492661774322,
    "missing": -7001672635703045582,
    "whole_64": -5175541697259210748,
    "whole_128": "a21c916ea23b9b9cb82cc83f5ea47804",
}


def found_equal(spark, deltawave, pairs, bits):
    """The pairs whose values have the same checksum."""
    columns = {column["name"]: column for column in deltawave._columns_of_query(as_row(pairs))}
    checksums = {name: deltawave.row_checksum([column], bits) for name, column in columns.items()}
    return those(spark, pairs, lambda left, right: f"{checksums[left]} = {checksums[right]}")


@pytest.mark.parametrize("bits", [64, 128])
def test_equal_values_have_one_checksum(spark, deltawave, bits):
    assert found_equal(spark, deltawave, EQUAL, bits) == EQUAL


@pytest.mark.parametrize("bits", [64, 128])
def test_different_values_have_different_checksums(spark, deltawave, bits):
    assert found_equal(spark, deltawave, DIFFERENT, bits) == []


@pytest.mark.parametrize("rows", [LOOKALIKES, NESTED_LOOKALIKES], ids=["text", "arrays"])
def test_values_never_run_together(spark, deltawave, view, rows):
    relation = view("lookalikes", " union all ".join(f"select {a} as a, {b} as b" for a, b in rows))
    checksum = deltawave.row_checksum(["a", "b"], relation=relation)
    found = spark.sql(f"select {checksum} as checksum from lookalikes").collect()
    assert len({row.checksum for row in found}) == len(rows)


def test_many_columns_of_nulls_are_distinguished(spark, deltawave, view):
    names = [f"c{n}" for n in range(130)]
    diagonal = ", ".join(f"if(id = {n}, 0, null) as c{n}" for n in range(130))
    relation = view("diagonal", f"select {diagonal} from range(130)")
    checksum = deltawave.row_checksum(names, relation=relation)
    assert spark.sql(f"select count(distinct {checksum}) as n from diagonal").first().n == 130


def test_both_halves_of_128_bits_carry_information(spark, deltawave, view):
    relation = view("numbers", "select id, array(id) as a from range(2000)")
    checksum = deltawave.row_checksum(["id", "a"], bits=128, relation=relation)
    found = spark.sql(f"select {checksum} as checksum from numbers").collect()
    assert all(len(row.checksum) == 32 and set(row.checksum) <= set("0123456789abcdef") for row in found)
    assert len({row.checksum[:16] for row in found}) == len({row.checksum[16:] for row in found}) == 2000


def golden(spark, deltawave, view):
    relation = view("golden", GOLDEN_ROW)
    names = [column["name"] for column in deltawave._columns_of(relation)]
    expressions = [f"{deltawave.row_checksum([name], relation=relation)} as {name}" for name in names]
    expressions.append(f"{deltawave.row_checksum(names, relation=relation)} as whole_64")
    expressions.append(f"{deltawave.row_checksum(names, bits=128, relation=relation)} as whole_128")
    return spark.sql(f"select {', '.join(expressions)} from golden").first().asDict()


def test_checksums_stay_the_same_over_releases(spark, deltawave, view):
    assert golden(spark, deltawave, view) == GOLDEN


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.sql.session.timeZone", "America/New_York"),
        ("spark.sql.session.timeZone", "Asia/Kathmandu"),
        # Without ANSI mode size(null) is -1.
        ("spark.sql.ansi.enabled", "false"),
        ("spark.sql.ansi.enabled", "true"),
        ("spark.sql.codegen.wholeStage", "false"),
    ],
)
def test_checksums_do_not_depend_on_the_session(spark, deltawave, view, setting, key, value):
    with setting(key, value):
        assert golden(spark, deltawave, view) == GOLDEN


@pytest.mark.parametrize("bits", [64, 128])
def test_rows_have_one_checksum_exactly_where_they_are_equal(spark, deltawave, view, bits):
    states = [history[0] for history in collect(histories(states=1), 400)]
    relation = view("generated_rows", frame(spark, states))
    checksum = deltawave.row_checksum(KEYS + DATA, bits, relation=relation)
    rows = spark.sql(f"select *, {checksum} as checksum from generated_rows").collect()
    by_content: dict = {}
    for row in rows:
        by_content.setdefault(content(tuple(row)[1:-1]), set()).add(row.checksum)
    assert len(by_content) > 200
    assert [found for found in by_content.items() if len(found[1]) > 1] == []
    assert len({checksum for found in by_content.values() for checksum in found}) == len(by_content)

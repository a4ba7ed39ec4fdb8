"""Pairs of values that are equal under the delta contract, and pairs that are not."""

from collections.abc import Callable

from pyspark.sql import SparkSession

Pairs = list[tuple[str, str]]

EQUAL: Pairs = [
    ("1", "1"),
    ("cast(null as int)", "cast(null as int)"),
    ("-0.0D", "0.0D"),
    ("float('-0.0')", "float('0.0')"),
    ("double('nan')", "double('nan')"),
    ("1.10", "1.10"),
    ("X'00FF'", "X'00FF'"),
    ("timestamp'2024-03-10 12:00:00+02:00'", "timestamp'2024-03-10 10:00:00Z'"),
    ("interval '1' year", "interval '12' month"),
    ("make_interval(1, 1)", "make_interval(0, 13)"),
    ("array(-0.0D, double('nan'), null)", "array(0.0D, double('nan'), null)"),
    ("struct(-0.0D, double('nan'))", "struct(0.0D, double('nan'))"),
    ("map('a', 1, 'b', 2)", "map('b', 2, 'a', 1)"),
    ("map()", "map()"),
    ("cast(null as map<string,int>)", "cast(null as map<string,int>)"),
    ("map(double('nan'), 1, 0.0D, 2)", "map(-0.0D, 2, double('nan'), 1)"),
    ("map('a', map('x', 1, 'y', null))", "map('a', map('y', null, 'x', 1))"),
    ("map(struct(1, 'a'), array(1, null))", "map(struct(1, 'a'), array(1, null))"),
    ("array(map(1, 2, 3, 4), null)", "array(map(3, 4, 1, 2), null)"),
    ("named_struct('b c', map(1, 2, 3, 4))", "named_struct('b c', map(3, 4, 1, 2))"),
    ("named_struct('x:y', map(1, 2, 3, 4), 'a`b', 1)", "named_struct('x:y', map(3, 4, 1, 2), 'a`b', 1)"),
    ("parse_json('{\"a\": 1, \"b\": [null]}')", "parse_json('{\"b\": [null], \"a\": 1}')"),
    ("cast(1 as variant)", "cast(1L as variant)"),
]  # fmt: skip

DIFFERENT: Pairs = [
    ("1", "2"),
    ("1", "cast(null as int)"),
    ("0", "cast(null as int)"),
    ("true", "false"),
    ("''", "cast(null as string)"),
    ("''", "' '"),
    ("'a'", "'a '"),
    ("'a'", "'A'"),
    ("'a' collate utf8_lcase", "'A' collate utf8_lcase"),
    ("'a' collate utf8_binary_rtrim", "'a ' collate utf8_binary_rtrim"),
    ("'e\\u0301'", "'\\u00e9'"),
    ("'null'", "cast(null as string)"),
    ("X'00'", "X'0000'"),
    ("X''", "cast(null as binary)"),
    ("double('nan')", "cast(null as double)"),
    ("double('infinity')", "double('-infinity')"),
    ("1.10", "1.11"),
    ("12345678901234567890.10", "12345678901234567890.11"),
    ("date'1969-12-31'", "date'1970-01-01'"),
    ("timestamp'1970-01-01 00:00:00Z'", "timestamp'1970-01-01 00:00:00.000001Z'"),
    ("timestamp_ntz'2024-01-01 00:00:00'", "timestamp_ntz'2024-01-02 00:00:00'"),
    ("time'10:00:00'", "time'10:00:01'"),
    ("array(1, null)", "array(1)"),
    ("array(1, null)", "array(null, 1)"),
    ("cast(array() as array<int>)", "cast(null as array<int>)"),
    ("cast(array() as array<int>)", "array(cast(null as int))"),
    ("array(array(1), array(2, 3))", "array(array(1, 2), array(3))"),
    ("array('a', '')", "array('', 'a')"),
    ("map('a', 1, 'b', null)", "map('a', 1)"),
    ("map('a', 1)", "map('b', 1)"),
    ("map('a', 'b')", "map('b', 'a')"),
    ("map('a', 1, 'b', 2)", "map('a', 2, 'b', 1)"),
    ("cast(map() as map<string,int>)", "cast(null as map<string,int>)"),
    ("array(map(1, 2), null)", "array(null, map(1, 2))"),
    ("named_struct('a', cast(null as int))", "cast(null as struct<a:int>)"),
    ("named_struct('a', 1, 'b', cast(null as int))", "named_struct('a', cast(null as int), 'b', 1)"),
    ("named_struct('a', cast(null as map<int,int>))", "cast(null as struct<a:map<int,int>>)"),
    ("named_struct('a', struct(cast(null as int)))", "named_struct('a', cast(null as struct<col1:int>))"),
    ("parse_json('1')", "parse_json('\"1\"')"),
    ("parse_json('null')", "cast(null as variant)"),
    ("parse_json('[1, 2]')", "parse_json('[2, 1]')"),
    ("cast(date'2024-01-01' as variant)", "cast('2024-01-01' as variant)"),
]  # fmt: skip


def as_row(pairs: Pairs) -> str:
    """One row of all pairs: columns l0, r0, l1, r1 and so on."""
    return "select " + ", ".join(f"{left} as l{n}, {right} as r{n}" for n, (left, right) in enumerate(pairs))


def those(spark: SparkSession, pairs: Pairs, condition: Callable[[str, str], str]) -> Pairs:
    """The pairs whose two columns fulfil a condition."""
    conditions = ", ".join(condition(f"l{n}", f"r{n}") for n in range(len(pairs)))
    row = spark.sql(f"select {conditions} from ({as_row(pairs)})").first()
    return [pair for pair, holds in zip(pairs, row, strict=True) if holds]

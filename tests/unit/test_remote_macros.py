"""The SQL for a remote database, in each dialect."""

from types import SimpleNamespace

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros

ACCOUNTS = [
    {"name": "region", "data_type": "string", "is_key": True, "is_chosen": False},
    {"name": "id", "data_type": "int", "is_key": True, "is_chosen": False},
    {"name": "seen", "data_type": "timestamp", "is_key": False, "is_chosen": True},
    {"name": "rate", "data_type": "double", "is_key": False, "is_chosen": True},
    {"name": "note", "data_type": "string", "is_key": False, "is_chosen": False},
]
DIALECTS = ["postgresql", "mysql", "derby"]


class Remote:
    """The macros of a job at a remote of that dialect, and the queries that it received.

    ``columns`` are those of the select, ``values`` the answers of Spark.
    """

    def __init__(self, dialect, padded=None, columns=(), values=(), identifier="accounts"):
        self.queries = []

        def remote_view(remote, query, view):
            self.queries.append((remote, query, view))
            return padded or {}

        adapter = SimpleNamespace(remote_view=remote_view, remote_dialect=lambda name: dialect)
        tables = {"`deltawave_shop__accounts_a1`": columns}
        self.macros = Macros(tables, lambda sql: [(value,) for value in values], adapter=adapter)
        self.job = {
            "name": "accounts",
            "target": SimpleNamespace(schema="shop", identifier=identifier),
            "attempt": "a1",
            "statements": [],
            "settings": {"remote": "legacy"},
            "remote": None,
            "sql": "select * from t -- all",
        }
        self.macros._open_remote(self.job)

    def key(self, data_type):
        columns = [{"name": "k", "data_type": data_type, "is_key": True, "is_chosen": False}]
        return self.macros._remote_keys(self.job, columns)

    def literal(self, data_type, value):
        return self.macros._remote_literal(self.job, self.key(data_type)[0], value)


def test_the_job_reads_a_view():
    remote = Remote("postgresql")
    assert remote.queries == [("legacy", "select * from t -- all", "deltawave_shop__accounts_a1")]
    assert remote.job["sql"] == "select * from `deltawave_shop__accounts_a1`"
    assert remote.job["remote"]["select"] == "select * from t -- all"


def test_versions_of_a_model_read_views_of_their_own():
    views = {Remote("postgresql", identifier=version).queries[0][2] for version in ("accounts_v1", "accounts_v2")}
    assert len(views) == 2


def test_checksums_at_postgresql():
    remote = Remote("postgresql")
    ranges = [
        {"range_id": 7, "low": None},
        {"range_id": 8, "low": ["O'Hara", "5"]},
        {"range_id": 9, "low": ["z\\", None]},
    ]
    select = remote.macros._remote_checksums(remote.job, ACCOUNTS, ranges, 128)
    assert select == (
        "select cast(`range_id` as int) as `range_id`, cast(`row_count` as bigint) as `row_count`, `checksum` "
        "from `deltawave_shop__accounts_a1_2`"
    )
    row = """row("region", "id", extract(epoch from "seen"), float8send("rate"::float8 + 0))"""
    assert (
        remote.queries[-1][1].strip()
        == f"""
select
    "range_id",
    count(*) as "row_count",
    cast(sum("hash_1") as text) || ':' || cast(sum("hash_2") as text) as "checksum"
from (
    select
        "hash_1",
        "hash_2",
        case when ("key_1" >= 'O''Hara' and ("key_1" > 'O''Hara' or "key_2" >= 5)) then \
case when ("key_1" >= E'z\\\\' and ("key_1" > E'z\\\\' or 1 = 1)) then 9 else 8 end else 7 end as "range_id"
    from (
        select
            ("region"::text collate "C") as "key_1",
            "id" as "key_2",
            ('x' || substr(md5({row}::text), 1, 16))::bit(64)::bigint as "hash_1",
            ('x' || substr(md5({row}::text), 17, 16))::bit(64)::bigint as "hash_2"
        from (
select * from t -- all
) as "dump"
    ) as "hashed"
) as "ranged"
group by "range_id"
""".strip()
    )


def test_rows_at_mysql():
    remote = Remote("mysql")
    intervals = [{"low": None, "high": ["é", "5"]}, {"low": ["z", None], "high": None}]
    select = remote.macros._remote_rows(remote.job, ACCOUNTS, intervals, 64)
    assert select == (
        "select `region`, `id`, `seen`, `rate`, `note`, `row_checksum` from `deltawave_shop__accounts_a1_2`"
    )
    region = "cast(convert(`region` using utf8mb4) as binary)"
    assert (
        remote.queries[-1][1].strip()
        == f"""
select
    `region`,
    `id`,
    `seen`,
    `rate`,
    `note`,
    concat(cast(cast(cast(conv(left(md5(concat(coalesce(md5(`region`), '-'), coalesce(md5(`id`), '-'), \
coalesce(md5(unix_timestamp(`seen`)), '-'), coalesce(md5(`rate` + 0e0), '-'))), 16), 16, 10) \
as unsigned) as signed) as char)) as `row_checksum`
from (
select * from t -- all
) as `dump`
where
    (({region} <= X'c3a9' or {region} is null) \
and ({region} < X'c3a9' or {region} is null or (`id` < 5 or `id` is null)))
    or ({region} >= X'7a' and ({region} > X'7a' or 1 = 1))
""".strip()
    )


def test_checksums_of_some_ranges_read_no_others():
    remote = Remote("mysql")
    ranges = [{"range_id": 7, "low": ["3"], "high": ["5"]}, {"range_id": 8, "low": ["5"], "high": ["9"]}]
    remote.macros._remote_checksums(remote.job, ACCOUNTS[1:4], ranges, 64)
    query = remote.queries[-1][1]
    assert "case when `key_1` >= 5 then 8 else 7 end as `range_id`" in query
    assert ") as `dump`\n        where `id` >= 3 and `id` < 9\n    ) as `hashed`" in query


@pytest.mark.parametrize(
    ("dialect", "first"),
    [("postgresql", "limit 1"), ("mysql", "limit 1"), ("derby", "fetch first 1 rows only")],
)
def test_any_row(dialect, first):
    remote = Remote(dialect)
    assert remote.macros._any_row(remote.job) == "select `found` from `deltawave_shop__accounts_a1_2`"
    assert remote.queries[-1][1].splitlines()[1] == "select * from t -- all"
    assert remote.queries[-1][1].endswith(f" {first}")


def test_checksums_at_derby():
    remote = Remote("derby")
    remote.macros._remote_checksums(remote.job, ACCOUNTS[1:4], [{"range_id": 1, "low": None}], 64)
    query = remote.queries[-1][1]
    assert 'trim(cast(sum(cast("hash_1" as decimal(31, 0))) as char(40))) as "checksum"' in query
    assert (
        "deltawave_hash(coalesce(cast(deltawave_hash(cast(\"id\" as char(40))) as char(20)), 'null')"
        " || coalesce(cast(deltawave_hash(cast(\"seen\" as varchar(32000))) as char(20)), 'null')"
        " || coalesce(cast(deltawave_hash(cast(deltawave_bits(\"rate\" + 0e0) as char(40))) as char(20)), 'null'))"
    ) in query


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_are_quoted(dialect):
    remote = Remote(dialect)
    column = {"name": 'a"b`c', "data_type": "int", "is_key": True, "is_chosen": True}
    remote.macros._remote_rows(remote.job, [column], [], 64)
    query = remote.queries[-1][1]
    assert ('`a"b``c`' if dialect == "mysql" else '"a""b`c"') in query
    assert query.rstrip().endswith("1 = 0")


@pytest.mark.parametrize(
    ("data_type", "value", "literals"),
    [
        ("string", "O'Hara", ["'O''Hara'", "X'4f2748617261'", "X'4f274861726100'"]),
        (
            "string",
            "\\' or 1 = 1 --",
            ["E'\\\\'' or 1 = 1 --'", "X'5c27206f722031203d2031202d2d'", "X'5c27206f722031203d2031202d2d00'"],
        ),
        ("varchar(9)", "é😀", ["'é😀'", "X'c3a9f09f9880'", "X'c3a9f09f988000'"]),
        ("string", "a\nb", ["'a\nb'", "X'610a62'", "X'610a6200'"]),
        ("bigint", "-7", ["-7", "-7", "-7"]),
        ("decimal(38,18)", "1.500000000000000000", ["1.500000000000000000"] * 3),
        ("double", "1.0E10", ["'1.0E10'::float8", "1.0E10", "1.0E10"]),
        ("boolean", "true", ["true", "true", "true"]),
        ("date", "2026-01-31", ["date '2026-01-31'", "date '2026-01-31'", "date('2026-01-31')"]),
        (
            "timestamp_ntz",
            "2026-01-31 12:00:00.123456",
            [
                "timestamp '2026-01-31 12:00:00.123456'",
                "timestamp '2026-01-31 12:00:00.123456'",
                "timestamp('2026-01-31 12:00:00.123456')",
            ],
        ),
        ("timestamp", "2026-01-31 12:00:00", ["timestamptz '2026-01-31 12:00:00+00'", "1769860800.000000", None]),
        ("timestamp", "1969-12-31 23:59:58.750000", ["timestamptz '1969-12-31 23:59:58.750000+00'", "-1.250000", None]),
    ],
)
def test_literals(data_type, value, literals):
    for dialect, literal in zip(DIALECTS, literals, strict=True):
        if literal is not None:
            assert Remote(dialect).literal(data_type, value) == literal


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("data_type", "value"),
    [
        ("int", "1 or 1 = 1"),
        ("int", "1\n"),
        ("decimal(9,2)", ""),
        ("double", "1.0E10; drop table t"),
        ("boolean", "maybe"),
        ("date", "+10000-01-01"),
        ("timestamp_ntz", "2026-01-31' or ''='"),
    ],
)
def test_what_is_no_value_of_the_type_is_refused(dialect, data_type, value):
    with pytest.raises(CompilationError, match="in the key column 'k' can't be written as a"):
        Remote(dialect).literal(data_type, value)


@pytest.mark.parametrize(
    ("dialect", "expression"),
    [
        ("postgresql", '(rpad("k"::text, 5) collate "C")'),
        ("mysql", "cast(convert(rpad(`k`, 5, ' ') using utf8mb4) as binary)"),
        ("derby", "deltawave_bytes(\"k\") || X'00'"),
    ],
)
def test_blanks_of_padded_keys_count(dialect, expression):
    assert Remote(dialect, padded={"k": 5}).key("string")[0]["expression"] == expression


@pytest.mark.parametrize(
    ("dialect", "data_type"),
    [
        ("postgresql", "binary"),
        ("mysql", "array<int>"),
        ("derby", "timestamp"),
        ("mysql", "float"),
        ("postgresql", "struct<a:int>"),
    ],
)
def test_keys_without_a_common_order_are_refused(dialect, data_type):
    with pytest.raises(CompilationError, match="which Spark and the remote 'legacy' sort differently"):
        Remote(dialect).key(data_type)


@pytest.mark.parametrize(
    ("low", "high", "condition"),
    [
        (["5"], ["9"], '"k" >= 5 and "k" < 9'),
        (["5"], None, '"k" >= 5'),
        (None, ["9"], '("k" < 9 or "k" is null)'),
        (None, None, "1 = 1"),
    ],
)
def test_nulls_are_looked_for_where_they_can_be(low, high, condition):
    remote = Remote("postgresql")
    assert remote.macros._in_remote_intervals(remote.job, remote.key("int"), [{"low": low, "high": high}]) == condition


MARK = "2026-01-31 12:00:00"


@pytest.mark.parametrize(
    ("dialect", "data_type", "mark", "condition"),
    [
        ("postgresql", "timestamp", MARK, f"""("At" >= timestamptz '{MARK}+00' or "At" is null)"""),
        ("postgresql", "date", "2026-01-31", """("At" >= date '2026-01-31' or "At" is null)"""),
        # By the column itself, for an index; and by seconds, for the hour that occurs twice.
        (
            "mysql",
            "timestamp",
            MARK,
            "((`At` >= from_unixtime(greatest(1769860800.000000 - 86400, 0)) "
            "and unix_timestamp(`At`) >= 1769860800.000000) or `At` is null)",
        ),
        ("mysql", "timestamp_ntz", MARK, f"(`At` >= timestamp '{MARK}' or `At` is null)"),
        ("derby", "timestamp_ntz", MARK, f"""("At" >= timestamp('{MARK}') or "At" is null)"""),
        ("derby", "bigint", "17", '("At" >= 17 or "At" is null)'),
    ],
)
def test_older_rows_stay_at_the_source(dialect, data_type, mark, condition):
    remote = Remote(dialect, columns=[("id", "int"), ("At", data_type)], values=[mark])
    remote.job |= {"settings": {"remote": "legacy", "updated_at": "at", "overlap": None}, "time_type": data_type}
    assert remote.macros._newer_rows(remote.job, {}) == "select * from `deltawave_shop__accounts_a1`"
    select = remote.macros._newer_rows(remote.job, {"high_water": mark})
    assert select == "select * from `deltawave_shop__accounts_a1_2`"
    assert remote.queries[-1][1].endswith(f"\nwhere {condition}")


def test_the_mark_of_the_source_is_that_of_spark_less_the_overlap():
    remote = Remote("postgresql", columns=[("at", "timestamp")], values=["2026-01-31 10:00:00"])
    settings = {"remote": "legacy", "updated_at": "at", "overlap": "2 hours"}
    remote.job |= {"settings": settings, "time_type": "timestamp"}
    remote.macros._newer_rows(remote.job, {"high_water": MARK})
    (asked,) = remote.job["statements"]
    assert f"timestamp '{MARK} UTC' - interval '2 hours'" in asked
    assert "\"at\" >= timestamptz '2026-01-31 10:00:00+00'" in remote.queries[-1][1]


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("postgresql", """("day"::text collate "C") = 'Ä'"""),
        ("mysql", "cast(convert(`day` using utf8mb4) as binary) = X'c384'"),
        ("derby", """deltawave_bytes("day") || X'00' = X'c38400'"""),
    ],
)
def test_a_dump_of_many_days_sends_one(dialect, condition):
    remote = Remote(dialect, columns=[("day", "string")], values=["Ä"])
    assert remote.macros._equal_at_remote(remote.job, "DAY", "cast('Ä' as string)") == condition


@pytest.mark.parametrize(
    ("values", "condition"),
    [
        (["a", "ä", None], """("region" is null or ("region"::text collate "C") in ('a', 'ä'))"""),
        ([None], '("region" is null)'),
        ([], "(1 = 0)"),
        ([str(number) for number in range(201)], None),
    ],
)
def test_rows_of_few_values_are_asked_for(values, condition):
    remote = Remote("postgresql", values=values)
    few = remote.macros._few_values(remote.job, "touched", ACCOUNTS[:1])
    remote.macros._rows_with_values(remote.job, few)
    select = "select * from t -- all"
    expected = f'select *\nfrom (\n{select}\n) as "dump"\nwhere {condition}' if condition else select
    assert remote.queries[-1][1] == expected


@pytest.mark.parametrize(("count", "depth"), [(1, 0), (2, 1), (8, 3), (1000, 10)])
def test_a_row_is_chosen_a_logarithm_of_times(count, depth):
    remote = Remote("postgresql")
    ranges = [{"range_id": n, "low": [str(n)] if n else None} for n in range(count)]
    tree = remote.macros._range_case(remote.job, remote.key("int"), ranges)
    deepest = level = 0
    for word in tree.split():
        level += (word == "case") - (word == "end")
        deepest = max(deepest, level)
    assert deepest == depth


def test_stock_spark_is_told_what_it_takes():
    macros = Macros(adapter=SimpleNamespace())
    with pytest.raises(CompilationError, match=r"'remote' \(legacy\) needs a profile of type: deltawave"):
        macros._require_remote("accounts", "legacy")


def test_a_mark_of_another_database_says_nothing():
    macros = Macros(local_md5=str, model={"depends_on": {"nodes": []}}, graph={"nodes": {}})

    def fingerprint(remote: str) -> str:
        settings = dict.fromkeys(macros._options()) | {"remote": remote, "updated_at": "at"}
        job = {"settings": settings, "strategy": macros._strategy_named("x", "timestamp")}
        job |= {"remote": {"name": remote, "select": "select 1"}, "sql": "select * from a_view"}
        return macros._select_fingerprint(job, {"columns": []})

    assert fingerprint("legacy") == fingerprint("legacy")
    assert fingerprint("legacy") != fingerprint("archive")

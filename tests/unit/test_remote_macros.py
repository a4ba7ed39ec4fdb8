"""The SQL for a remote database, in each dialect."""

from types import SimpleNamespace

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, make_job

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
        target = Relation.create("shop", identifier)
        self.job = make_job(
            "accounts", target=target, attempt="a1", settings={"remote": "legacy"}, sql="select * from t -- all"
        )
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


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_are_quoted(dialect):
    remote = Remote(dialect)
    column = {"name": 'a"b`c', "data_type": "int", "is_key": True, "is_chosen": True}
    remote.macros._remote_rows(remote.job, [column], [])
    query = remote.queries[-1][1]
    assert ('`a"b``c`' if dialect == "mysql" else '"a""b`c"') in query
    assert query.rstrip().endswith("1 = 0")


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


MARK = "2026-01-31 12:00:00"


def test_the_mark_of_the_source_is_that_of_spark_less_the_overlap():
    remote = Remote("postgresql", columns=[("at", "timestamp")], values=["2026-01-31 10:00:00"])
    settings = {"remote": "legacy", "updated_at": "at", "overlap": "2 hours"}
    remote.job |= {"settings": settings, "time_type": "timestamp"}
    remote.macros._newer_rows(remote.job, {"high_water": MARK})
    (asked,) = remote.job["statements"]
    assert f"timestamp '{MARK} UTC' - interval '2 hours'" in asked
    assert "\"at\" >= timestamptz '2026-01-31 10:00:00+00'" in remote.queries[-1][1]


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


def test_stock_spark_is_refused():
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

"""minijinja, from which dbt 2 forked its Jinja, reads all macros, and renders those of the SQL half as Jinja2 does.

White space does not count. The package does not depend on dbt 2 itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import minijinja
import pytest
from dbt_common.clients.jinja import get_environment
from dbt_common.exceptions import CompilationError
from jinja2 import nodes
from model_options import placed
from unit.macro_harness import ROOT, Macros, Relation, control_columns, make_batch, make_job
from unit.minijinja_harness import MinijinjaMacros, files
from unit.test_external_definition import source

# Methods that change what they are called on.
GROW = ("append", "extend", "update", "insert", "remove", "pop", "setdefault")
# Methods and functions that do less in dbt 2.
LESS = ("format", "fullmatch", "removesuffix", "compile")
ENGINES = (Macros, MinijinjaMacros)
LOG = Relation.create("shop", "accounts_changes")
TABLE = Relation.create("shop", "accounts")
ROWS = {
    "id": "int",
    "Full Name": "string",
    "amount": "decimal(9,2)",
    "tags": "map<string,array<int>>",
    "seen": "double",
}
TABLES = {
    str(TABLE): list(ROWS.items()),
    str(LOG): [*ROWS.items(), *control_columns("struct<amount:decimal(9,2)>").items()],
}
CONFIGS: dict[str, dict[str, Any]] = {
    "auto": {},
    "outer_join": {"tolerance": {"amount": 0.5}, "duplicate_keys": "quarantine"},
    "union": {"snapshot_date": "day", "every": "day", "warn_after": {"count": 1, "period": "day"}},
    "sort_merge": {"compare_columns": ["name"], "on_schema_change": "append_new_columns"},
    "timestamp": {"updated_at": "seen", "overlap": "2 hours", "row_id": "name"},
    "timestamp_delete_flag": {"updated_at": "seen", "delete_flag": "gone", "overlap": 5},
    "row_checksum": {"initial_load": "baseline"},
    "ranges": {"range_rows": 10, "ranges_per_run": 3},
    "range_checksum": {"range_rows": 10},
    "view": {
        "root": "orders_changes",
        "relations": {"orders_changes": {"id": "id"}, "items_changes": [{"a": "b"}, {"a": "c"}]},
    },
}
WRONG: dict[str, dict[str, Any]] = {
    "a share of 50": {"max_delete_fraction": 50},
    "a misspelt option": {"ignore_column": ["seen"]},
    "a misspelt option under meta": {"meta": {"stratgey": "union"}},
    "two values": {"strategy": "union", "meta": {"strategy": "it's"}},
    "a block": {"meta": {"deltawave": {"strategy": "union"}}},
    "an option of another strategy": {"strategy": "ranges", "updated_at": "seen"},
    "no mapping": {"strategy": "view", "relations": ["orders"], "root": "x"},
    "a duplicate": {"unique_key": ["id", "ID"]},
}
FIXED = {
    "columns": {},
    "file_format": "fixed_width",
    "fields": [
        {"name": "id", "data_type": "int", "start": 1, "length": 4},
        {"name": "it's", "data_type": "decimal(9,2)", "length": 9},
    ],
    "trailer": {"pattern": "T([0-9]+)", "counts": "records"},
}
KEY = {"name": "id", "data_type": "bigint", "is_key": True, "in_old": True, "in_new": True, "is_compared": False}
COLUMNS = [
    {**KEY, "tolerance": None},
    {**KEY, "name": "it's", "data_type": "double", "is_key": False, "is_compared": True, "tolerance": 0.5},
    {**KEY, "name": "tags", "data_type": "map<string,int>", "is_key": False, "is_compared": True, "tolerance": None},
]
RANGES = [
    {"range_id": 0, "low": None, "high": ["5"], "rows": 3},
    {"range_id": 1, "low": ["5"], "high": ["it's"], "rows": 3},
    {"range_id": 2, "low": ["it's"], "high": None, "rows": 3},
]
COUNTS = {"insert": 1234567, "update": 0, "delete": 2}
TYPES = [
    "decimal(9, 2)",
    "struct<a b:int,c:map<string,array<struct<d:decimal(3,1)>>>>",
    "array<string collate UTF8_LCASE>",
    "map<int,struct<x:timestamp_ntz not null>>",
    "struct<>",
]


def settings(macros: Macros, strategy: str) -> Any:
    given = placed({"unique_key": "id", "strategy": strategy, "meta": {"owner": "bi"}} | CONFIGS[strategy])
    return macros._differential_settings("accounts", given)


def messages(macros: Macros) -> dict[str, str]:
    """Every message, with values of all kinds in its places."""
    found = {code: text for concern in macros._messages() for texts in concern.values() for code, text in texts.items()}
    values: list[Any] = ["it's {model}", 5, ["a", "b"], True, 0.5]
    written = {}
    for code, message in found.items():
        names = re.findall(r"{([a-z_]+)(?:!r)?}", message)
        written[code] = macros._message(code, {name: values[n % 5] for n, name in enumerate(names)})
    return written


def job(macros: Macros, strategy: str, **others: Any) -> Any:
    columns = [{"name": "id", "data_type": "bigint"}, {"name": "name", "data_type": "string"}]
    common = {
        "strategy": macros._strategy_named("accounts", strategy),
        "columns": columns,
        "settings": settings(macros, strategy),
    }
    return make_job("accounts", **common | others)


def graph() -> SimpleNamespace:
    """A log, a view of it, and a table over that."""

    def node(name: str, materialized: str, *reads: str) -> dict[str, Any]:
        below = {"nodes": [f"model.shop.{each}" for each in reads]}
        config = {"materialized": materialized, "unique_key": "id"}
        own = {"name": name, "alias": name, "schema": "shop", "resource_type": "model", "config": config}
        return {**own, "unique_id": f"model.shop.{name}", "package_name": "shop", "depends_on": below}

    nodes = [
        node("log", "differential"),
        node("v", "view", "log"),
        node("t", "table", "v", "log"),
        node("u", "table", "t"),
    ]
    return SimpleNamespace(nodes={each["unique_id"]: each for each in nodes}, sources={})


# By name, what is asked of the macros.
CALLS: dict[str, Callable[[Macros], Any]] = {
    **{f"settings of {name}": lambda macros, name=name: settings(macros, name) for name in CONFIGS},
    "settings of scd2": lambda macros: macros._follower_settings(
        "x", {"materialized": "scd2", "meta": {"track_columns": "name", "hard_deletes": "new_record"}}
    ),
    "settings of a wave index": lambda macros: macros._wave_settings(
        "x", {"meta": {"scheme": "wata", "window": 7, "constituents": 3, "day_column": "d", "search_field": "s"}}
    ),
    "strategies": lambda macros: [macros._strategies(), macros._options(), macros._strategies_of_options()],
    "messages": messages,
    **{
        f"differences by {by}": lambda macros, by=by, options=options: macros.diff(TABLE, TABLE, "id", **options)
        for by, options in {
            "outer join": {"strategy": "outer_join", "tolerance": {"amount": 0.5}},
            "union": {"strategy": "union", "ignore_columns": ["seen"]},
            "sort merge": {"strategy": "sort_merge"},
            "multiset": {"duplicate_keys": "multiset"},
        }.items()
    },
    "rows by time": lambda macros: macros._rows_by_time(
        job(macros, "timestamp", flag={"sql": "false"}, time_type="timestamp"),
        make_batch(columns=COLUMNS),
        {"high_water": "2026-01-31 00:00:00"},
    ),
    "checksums of rows": lambda macros: [
        macros._checksums_of(make_batch(columns=COLUMNS)),
        macros._key_hash("dump", ["id", "it's"]),
    ],
    "rows of ranges": lambda macros: macros._rows_of_ranges(
        job(macros, "ranges"),
        make_batch(columns=COLUMNS),
        RANGES,
        RANGES[1:],
    ),
    "current state": lambda macros: macros.current_state(LOG, "id"),
    "current state of a bag": lambda macros: macros.current_state(LOG, "id", duplicate_keys="multiset"),
    "versions": lambda macros: macros.scd2(LOG, "id", track_columns=["Full Name"]),
    "changes": lambda macros: macros.changes(LOG, "id"),
    "batches": lambda macros: macros.batches(LOG),
    "history": lambda macros: macros.history(LOG, {"id": 7}),
    "applied by a merge": lambda macros: macros.apply_changes(LOG, TABLE, "id", method="merge"),
    "applied to a base": lambda macros: macros.apply_changes(LOG, TABLE, ["id"], from_batch=3),
    "a test": lambda macros: macros.test_unique_change(LOG, "id"),
    "checksums": lambda macros: [macros.row_checksum(list(ROWS), relation=TABLE, bits=bits) for bits in (64, 128)],
    "types": lambda macros: [[macros._parse_type(each), macros._comparable("c", each)] for each in TYPES],
    "numbers": lambda macros: [
        [macros._with_commas(number) for number in (0, 999, 1000, 1234567, -1234567, "12345.6")],
        [macros._scientific(number) for number in (0, 9, 1000, 2.0**128 / 7)],
        [macros._percent(share) for share in (0, 0.0005, 0.05, 0.0994, 0.1234, 1, 2)],
    ],
    "near names": lambda macros: [
        [macros._is_near(given, option), macros._is_near_under_meta(given, option)]
        for given in ("ignore_cols", "stratgey", "Unique-Keys", "address", "relation")
        for option in ("ignore_columns", "strategy", "unique_key", "relations")
    ],
    "intervals": lambda macros: macros._in_intervals(
        [{"name": "id", "data_type": "bigint"}, {"name": "n", "data_type": "string"}],
        [{"low": None, "high": ["5", "it's"]}, {"low": ["7", None], "high": None}],
    ),
    "outcome": lambda macros: macros._outcome(make_job(outcome={"batches": 1, "skipped": 0, **COUNTS})),
    "commits": lambda macros: macros._commit_numbers(
        make_job(), ["x__commit_5", "X__COMMIT_12", "x__commit_a", "xx__commit_1"]
    ),
    "reasons": lambda macros: [
        *(
            macros._best_strategy(table, macros._weighed_strategies(table))
            for rows in (1000, 50_000_000)
            for facts in ({}, {"is_remote": True}, {"lacks_rows": True, "only": macros._auto_strategies()})
            for table in [macros._usual_table() | {"rows": rows, "row_bytes": 100} | facts]
        ),
        macros._misses_of({"checksums": "rows"}, {"rows_new": 47967}),
        macros._bytes_text(2.5e9),
    ],
    "lineage": lambda macros: [
        macros._lineage(macros._context["graph"].nodes["model.shop.u"], []),
        macros._models_below(macros._context["graph"].nodes["model.shop.u"]),
    ],
    "the log's view": lambda macros: macros.default___log_view(
        {"target": LOG, "state_schema": "kept", "batches": "kept.x__batches"},
        {
            "batch_id": 7,
            "attempt": "a",
            "log": "log_5_b",
            "first_batch": 3,
            "has_before": False,
            "columns": [{"name": "as log", "is_key": True}],
        },
    ),
    "external tables": lambda macros: [
        macros._external_table_sql(macros._external_definition(source(file_format="csv"))),
        macros._external_definition(source(**FIXED)),
        macros._read_records(macros._external_definition(source(**FIXED)), "t", []),
    ],
}


def plain(value: Any) -> Any:
    """A value without white space in its texts, as lists and mappings."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("file", files())
def test_minijinja_reads_every_file_of_macros(file: str) -> None:
    minijinja.Environment().add_template(file, files()[file])


def findings(source: str) -> Iterator[tuple[int, str]]:
    """What a macro's file has that dbt 2 reads without an error, but otherwise: its line, and what it is."""
    parsed = get_environment(None).parse(source)
    for comparison in parsed.find_all(nodes.Compare):
        if len(comparison.ops) > 1:
            yield (
                comparison.lineno,
                "a chained comparison, of which dbt 2 compares the first outcome",
            )
    for each in parsed.find_all(nodes.Filter):
        if each.name in ("sum", "min", "max") and (each.args or each.kwargs):
            yield each.lineno, f"an argument of {each.name}, which takes none in dbt 2"
    for each in parsed.find_all(nodes.Call):
        if isinstance(each.node, nodes.Getattr) and each.node.attr in (
            "format",
            "fullmatch",
            "removesuffix",
            "compile",
        ):
            yield each.lineno, f"{each.node.attr}, which does less in dbt 2"
    for loop in parsed.find_all(nodes.For):
        calls = (each.node for each in loop.find_all(nodes.Call) if isinstance(each.node, nodes.Getattr))
        grown = {each.node.name for each in calls if each.attr in GROW and isinstance(each.node, nodes.Name)}
        grown |= {each.target.name for each in loop.find_all(nodes.Assign) if isinstance(each.target, nodes.NSRef)}
        condition = [loop.test, *loop.test.find_all(nodes.Name)] if loop.test else []
        if grown & {each.name for each in (loop.iter, *condition) if isinstance(each, nodes.Name)}:
            yield loop.lineno, "a loop that changes its own list or condition, which dbt 2 evaluates once"


@pytest.mark.parametrize("path", sorted((ROOT / "macros").rglob("*.sql")), ids=lambda path: path.stem)
def test_nothing_means_something_else_in_dbt_2(path: Path) -> None:
    assert list(findings(path.read_text())) == []


@pytest.mark.parametrize(
    "source",
    [
        "{{ 0 < 1 < 2 }}",
        "{{ rows | sum(attribute='n') }}",
        "{{ '{:,}'.format(5) }}",
        "{% for one in found %}{% do found.append(one) %}{% endfor %}",
        "{% for one in range(9) if at.is_open %}{% set at.is_open = false %}{% endfor %}",
    ],
)
def test_what_would_mean_something_else_is_found(source: str) -> None:
    assert len(list(findings(source))) == 1


@pytest.mark.parametrize("name", CALLS)
def test_both_engines_render_the_same(name: str) -> None:
    found = []
    for engine in ENGINES:
        macros = engine(tables=TABLES, graph=graph(), config={})
        macros.adapter.config = SimpleNamespace(project_root="/shop")
        found.append(plain(CALLS[name](macros)))
    of_dbt_1, of_minijinja = found
    assert of_minijinja == of_dbt_1
    assert of_dbt_1


@pytest.mark.parametrize("kind", WRONG)
def test_both_engines_refuse_the_same(kind: str) -> None:
    said = []
    for engine in ENGINES:
        with pytest.raises(CompilationError) as error:
            engine()._differential_settings("accounts", {"unique_key": "id"} | WRONG[kind])
        said.append(str(error.value))
    assert said[0] == said[1]

"""Bad input that needs no Spark: each kind gets the message of messages.yml."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages, refused
from unit.macro_harness import Macros, Relation

BY_TIME = {"strategy": "timestamp", "updated_at": "touched"}
A_VIEW = {"strategy": "view", "relations": {"orders_changes": {"order_id": "order_id"}}, "root": "orders_changes"}
CONFIGURATION: dict[str, dict[str, Any]] = {
    "no key": {"unique_key": []},
    "a key that is not a name": {"unique_key": {"a": 1}},
    "a column twice in the key": {"unique_key": ["id", "ID"]},
    "a value that an option does not take": {"strategy": "guess"},
    "text where true or false belongs": {"allow_empty": "no"},
    "a percentage": {"max_delete_fraction": 50},
    "a negative share": {"max_update_fraction": -0.1},
    "a share in words": {"max_insert_fraction": "half"},
    "a number of rows in words": {"expected_rows": "ten"},
    "no expected rows": {"expected_rows": 0},
    "a number of rows, of dumps read in parts": {"strategy": "ranges", "expected_rows": 10},
    "a number of rows for each date, without dates": {
        "expected_rows": "select row_count from counts where day = {snapshot_date}"
    },
    "an age in weeks": {"snapshot_date": "day", "warn_after": {"count": 1, "period": "week"}},
    "an age without a number": {"snapshot_date": "day", "warn_after": {"period": "day"}},
    "an age of dumps without dates": {"warn_after": {"count": 1, "period": "day"}},
    "a dump every month": {"snapshot_date": "day", "every": "month"},
    "a dump every day, without dates": {"every": "day"},
    "a redelivery that is merged": {"snapshot_date": "day", "redelivery": "merge"},
    "a redelivery of dumps without dates": {"redelivery": "replace"},
    "an order of dumps without a column that names them": {"snapshot_order": "text"},
    "an order by dates, which is the default": {"snapshot_date": "day", "snapshot_order": "date"},
    "a dump every day, of dumps without dates": {"snapshot_date": "load", "snapshot_order": "number", "every": "day"},
    "an age of dumps that are ordered by text": {
        "snapshot_date": "load",
        "snapshot_order": "text",
        "warn_after": {"count": 1, "period": "day"},
    },
    "rows kept for a month": {"retain": "1 month"},
    "rows kept by an unknown clock": {"retain": {"for": "30 days", "clock": "wall"}},
    "rows kept without a span": {"retain": {"clock": "machine"}},
    "rows kept, of which the first are not logged": {"retain": "30 days", "initial_load": "baseline"},
    "erased rows that a database would send again": {"erased": "skip", "remote": "legacy"},
    "erased rows that are counted": {"erased": "skip", "expected_rows": 10},
    "a tolerance for no column": {"tolerance": 0.1},
    "a negative tolerance": {"tolerance": {"price": -1}},
    "a date column that is not a name": {"snapshot_date": ["day"]},
    "a remote that is not a name": {"remote": ["legacy"]},
    "columns chosen in two ways": {"compare_columns": ["name"], "ignore_columns": ["name"]},
    "the dump's date in the key": {"unique_key": ["id", "Day"], "snapshot_date": "day"},
    "an option of another strategy": {"strategy": "ranges", "updated_at": "touched"},
    "a default of another strategy, changed": {"strategy": "ranges", "future_timestamp": "fail"},
    "timestamps of no column": {"strategy": "timestamp"},
    "delete flags of no column": {"strategy": "timestamp_delete_flag", "updated_at": "touched"},
    "a timestamp in the key": {**BY_TIME, "unique_key": ["id", "Touched"]},
    "a delete flag in the key": {
        "strategy": "timestamp_delete_flag",
        "updated_at": "touched",
        "unique_key": ["id", "gone"],
        "delete_flag": "gone",
    },
    "a timestamp column that is not a name": {"strategy": "timestamp", "updated_at": ["touched"]},
    "a row id that is not compared": {**BY_TIME, "row_id": "serial", "ignore_columns": ["Serial"]},
    "a negative overlap": {**BY_TIME, "overlap": -1},
    "an overlap of months": {**BY_TIME, "overlap": "1 month"},
    "a covering copy with a select of its own": {**BY_TIME, "covering_copy": "shop.narrow"},
    "a strategy and options that are gone": {"strategy": "window", "in_place": True},
    "rows of the future that are to be ignored": {**BY_TIME, "future_timestamp": "ignore"},
    "rows without a time that are to be ignored": {**BY_TIME, "null_timestamp": "ignore"},
    "ranges of no rows": {"strategy": "ranges", "range_rows": 0},
    "a negative share of ranges": {"strategy": "ranges", "ranges_per_run": -1},
    "dated dumps, read in parts": {"strategy": "ranges", "snapshot_date": "day"},
    "new columns, of dumps read in parts": {**BY_TIME, "on_schema_change": "append_new_columns"},
    "ranges of whatever is chosen": {"strategy": "auto", "range_rows": 5},
    "bags of rows, read in parts": {"strategy": "range_checksum", "duplicate_keys": "multiset"},
    "bags of rows, compared by hashes": {"strategy": "hash_compressed", "duplicate_keys": "multiset"},
    "rows set aside that are not read again": {**BY_TIME, "duplicate_keys": "quarantine"},
    "a tolerance without previous values": {
        "strategy": "row_checksum",
        "tolerance": {"price": 0.1},
        "before_image": "none",
    },
    "before images that checksums don't keep": {
        "strategy": "row_checksum",
        "before_image": "require",
        "initial_load": "baseline",
    },
    "a misspelt option under meta": {"meta": {"max_deletes": 1}},
    "a misspelt option": {"ignore_column": ["seen_at"]},
    "an option said twice, otherwise": {"ignore_columns": ["seen_at"], "meta": {"ignore_columns": ["read_at"]}},
    "a block of options under meta": {"meta": {"deltawave": {"ignore_columns": ["seen_at"]}}},
    "relations that are no mapping": {**A_VIEW, "relations": ["orders_changes"]},
    "a root that is no relation": {**A_VIEW, "root": "order_changes"},
    "a root outside the key": A_VIEW,
    "no mapping in a list of them": {**A_VIEW, "relations": {"orders_changes": []}},
    "a mapped column that is not compared": {
        **A_VIEW,
        "unique_key": "order_id",
        "relations": {"orders_changes": [{"order_id": "order_id"}, {"state": "state"}]},
        "ignore_columns": ["State"],
    },
    "a relation that is declared constant as well": {
        **A_VIEW,
        "unique_key": "order_id",
        "constant_relations": ["orders_changes"],
    },
    "a constant that is not a name": {**A_VIEW, "unique_key": "order_id", "constant_relations": {"codes": 1}},
    "rows set aside, of a view": {**A_VIEW, "unique_key": "order_id", "duplicate_keys": "quarantine"},
    "a view at a remote": {**A_VIEW, "unique_key": "order_id", "remote": "legacy"},
}

LOG = Relation("shop.log")
OTHER = Relation("shop.other")
COLUMNS = [("id", "int"), ("name", "string"), ("valid_to", "date"), ("_change_type", "string"), ("_before", "struct<>")]
MACROS: dict[str, Callable[[Macros], Any]] = {
    "a comparison without a key": lambda macros: macros.diff(LOG, LOG, unique_key=[]),
    "a key that one side lacks": lambda macros: macros.diff(LOG, OTHER, unique_key="id"),
    "a log of unknown columns": lambda macros: macros.current_state("log", "id"),
    "a key that the log lacks": lambda macros: macros.current_state(LOG, "account"),
    "a comparison of a column that is nowhere": lambda macros: macros.diff(LOG, LOG, "id", compare_columns=["nmae"]),
    "a comparison of two tables by a strategy for slices": lambda macros: macros.diff(
        LOG, LOG, "id", strategy="ranges"
    ),
    "a comparison by no strategy": lambda macros: macros.diff(LOG, LOG, "id", strategy="outer"),
    "an unknown method": lambda macros: macros.apply_changes(LOG, LOG, "id", method="upsert"),
    "a checksum of 32 bits": lambda macros: macros.row_checksum(["name"], bits=32),
    "a column of unknown type": lambda macros: macros.row_checksum(["name"]),
    "a name that the log has": lambda macros: macros.scd2(LOG, "id"),
    "a log without before images": lambda macros: macros.changes(LOG, "id"),
    "a share in per cent": lambda macros: macros.advise(change_fraction=5),
    "a key longer than its row": lambda macros: macros.advise(key_bytes=300),
    "a type that can't be read": lambda macros: macros.row_checksum([{"name": "tags", "data_type": "array<int"}]),
    "a contract of an unknown model": lambda _: with_models().contract("v9"),
    "a contract of a model that is no change log": lambda _: with_models().contract("v1"),
    "a contract of a model that was never built": lambda _: with_models().contract("log"),
    "a comparison for people, without Python": lambda macros: macros.compare("v1", "v2", "id"),
    "a comparison of a table that is not there": lambda _: with_python().compare("v1", "shop.v3", "id"),
    "a comparison of rows with the same key": lambda _: with_python().compare("v1", "v2", "id"),
    "a comparison that has to find nothing": lambda _: with_python({"text": "", "is_equal": False}).compare(
        "v1", "v2", "id", fail_on_differences=True
    ),
    "the history of no key": lambda macros: macros.history(LOG, "id"),
    "the history of a column that is nowhere": lambda macros: macros.history(LOG, {"id": 1}, "nmae"),
    "the history of a column of the key": lambda macros: macros.history(LOG, {"id": 1}, "id"),
    "a printed history of a part of the key": lambda _: with_python().print_history("v1", {"name": "x"}),
    "a printed history of another type of key": lambda _: with_python().print_history("v1", {"id": "one"}),
    "a report of a model that is no change log": lambda _: with_python().report("v2", format="html"),
    "a report of a model that has not run": lambda _: with_python().report("later", format="html"),
    "a report of a log that dbt clone has made": lambda _: with_python().report("clone", format="html"),
    "a report of a Python model without a stream": lambda _: with_python({"text": ""}).report("v5", format="html"),
    "a report of a batch that is no number": lambda macros: macros.report("v1", batch="last"),
    "a batch of what is no log": lambda _: with_python().report("v5", format="html", batch=3),
    "a report of an unknown model": lambda _: with_python().report("v3", format="html"),
    "a report of a model that two packages have": lambda _: with_python().report("v4"),
    "a report in an unknown format": lambda macros: macros.report("v1", format="pdf"),
    "a file for a report as text": lambda macros: macros.report("v1", output="x.txt"),
    "a page, without Python": lambda macros: macros.report("v1", format="html"),
    "a page in a folder that is not there": lambda _: with_python(
        {"refused": "[Errno 2] No such file or directory: '/none/v1.html'"}
    ).report("v1", format="html", output="/none/v1.html"),
}


def with_python(answer: dict[str, Any] | None = None) -> Macros:
    """Macros on an adapter that runs Python, in a project with the models v1, v2, v5, clone and later.

    v1, clone and later are change logs; later has not run, and v5 is in Python. ``answer``: what library functions
    return, if not that keys repeat.
    """
    names = {"database": None, "schema": "shop", "resource_type": "model", "package_name": "shop"}
    config = {"v1": "differential", "v2": "table", "v5": "table", "clone": "differential", "later": "differential"}
    nodes = {
        name: {**names, "name": name, "alias": name, "config": {"materialized": kind, "unique_key": "id"}}
        for name, kind in config.items()
    }
    nodes["v5"]["language"] = "python"
    for package in ("shop", "other"):
        nodes[f"{package}.v4"] = {**nodes["v1"], "name": "v4", "package_name": package}

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("select min(place) from values (0, 'one')"):
            return [(0,)]
        if sql == "describe extended `shop`.`clone`":
            return [("View Text", "select * from `prod`.`clone`")]
        is_there = "later" not in sql and "clone__batches" not in sql
        return [("found",)] if "show schemas" in sql or (sql.startswith("show tables") and is_there) else []

    macros = Macros(
        graph=SimpleNamespace(nodes=nodes, sources={}),
        run_query=run_query,
        ref=lambda package, name, v: Relation(f"`shop`.`{name}`"),
        tables={"`shop`.`v1`": COLUMNS, "`shop`.`v1__quarantine`": [("id", "int"), ("batch_id", "bigint")]},
    )
    macros.adapter.runs_python = lambda: True
    macros.adapter.get_relation = lambda database, schema, identifier: (
        Relation(f"`{schema}`.`{identifier}`") if identifier in nodes else None
    )
    macros.adapter.call_library = lambda function, relations, options: (
        answer or {"refused": f"1 key(s) ({', '.join(options['key'])}) of the old table occur in several rows."}
    )
    return macros


def with_models() -> Macros:
    """Macros in a project with the view v1 and the change log `log`, of which none is in the warehouse."""
    configs = {"v1": {"materialized": "view"}, "log": {"materialized": "differential", "unique_key": "id"}}
    nodes = {
        name: {"resource_type": "model", "package_name": "shop", "name": name, "config": config}
        for name, config in configs.items()
    }
    return Macros(
        graph=SimpleNamespace(nodes=nodes),
        ref=lambda package, name, v: Relation(f"`{package}`.`{name}`"),
        invocation_id="0",
        run_query=lambda sql: [],
    )


@pytest.mark.parametrize("kind", CONFIGURATION)
def test_a_bad_configuration_is_explained(kind: str) -> None:
    with refused("Configuration", kind):
        Macros()._differential_settings("accounts", {"unique_key": "id", **CONFIGURATION[kind]})


@pytest.mark.parametrize("kind", MACROS)
def test_bad_arguments_are_explained(kind: str) -> None:
    macros = Macros(tables={"shop.log": COLUMNS, "shop.other": [("name", "string")]}, config={})
    with refused("Macros", kind):
        MACROS[kind](macros)


def test_all_kinds_are_tested() -> None:
    assert list(messages("Configuration")) == list(CONFIGURATION)
    assert list(messages("Macros")) == list(MACROS)

"""What the operations about change logs ask the library for."""

from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, control_columns, make_job

LOG = [("region", "string"), ("id", "int"), *control_columns().items()]
QUARANTINED = [("id", "int"), ("batch_at", "timestamp"), ("attempt", "string"), ("batch_id", "bigint")]


class Operations:
    """Operations on a model with an odd name, what they call, and what they print."""

    def __init__(self, answer: Any, relations: set[str]) -> None:
        self.called: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        config = {"materialized": "differential", "unique_key": ["region", "id"], "state_schema": "kept"}
        node = {"name": "odd name", "resource_type": "model", "package_name": "shop", "config": config}

        def run_query(sql: str) -> list[tuple[Any, ...]]:
            if sql.startswith("select min(place)"):
                return [(None,)]
            return [("found",)] if "show schemas" in sql or any(f"'{name}'" in sql for name in relations) else []

        self.macros = Macros(
            graph=SimpleNamespace(nodes={"node": node}, sources={}),
            run_query=run_query,
            ref=lambda package, name, v: Relation(f"`dev`.`{name}`"),
        )
        self.macros.replace(
            _columns_of=lambda relation: described(QUARANTINED if "quarantine" in str(relation) else LOG)
        )
        self.macros.adapter.runs_python = lambda: True
        self.macros.adapter.call_library = lambda *given: (self.called.append(given), answer)[1]


def described(columns: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "data_type": kind} for name, kind in columns]


@pytest.mark.parametrize("has_quarantine", [False, True])
def test_a_page(has_quarantine: bool) -> None:
    names = {"odd name", "odd name__batches"} | ({"odd name__quarantine"} if has_quarantine else set())
    shop = Operations({"text": "<!doctype html>"}, names)
    shop.macros.report("odd name", format="html", output="x.html")
    ((function, relations, options),) = shop.called
    assert function == "deltawave.reporting.command.page"
    assert relations["log"] == "`dev`.`odd name`"
    assert "from `kept`.`odd name__batches` as batches" in relations["batches"]
    assert ("quarantine" in relations) == has_quarantine
    assert options == {
        "name": "dev.odd name",
        "key": ["region", "id"],
        "is_multiset": False,
        "batch": None,
        "output": "x.html",
    }
    assert shop.macros.printed == ["<!doctype html>"]


def test_a_page_of_a_wave_index() -> None:
    shop = Operations({"text": "<!doctype html>"}, {"odd name__batches"})
    shop.macros._context["graph"].nodes["node"]["config"] = {"materialized": "wave_index"}
    shop.macros.replace(_wave_settings={"state_schema": "kept"}, _wave_of={"day": 5})
    shop.macros.report("odd name", format="html")
    ((function, relations, options),) = shop.called
    assert function == "deltawave.reporting.command.wave_page"
    assert "from `kept`.`odd name__batches` as batches" in relations["batches"]
    assert options == {"name": "dev.odd name", "record": {"day": 5}, "output": None}
    shop.macros.replace(_wave_of=None)
    with pytest.raises(CompilationError, match=r"report: odd name has no batch yet\."):
        shop.macros.report("odd name", format="html")


def test_a_history() -> None:
    shop = Operations("as text", {"odd name", "odd name__batches"})
    shop.macros.print_history("odd name", {"ID": 5, "region": None})
    ((function, relations, options),) = shop.called
    assert function == "deltawave.reporting.command.history_text"
    assert "where `ID` = cast('5' as int)\n    and `region` is null\n" in relations["history"]
    assert relations["log"] == "`dev`.`odd name`"
    key = [["ID", "5"], ["region", None]]
    assert options == {"name": "odd name", "key": key, "column": None}
    assert shop.macros.printed == ["as text"]


@pytest.mark.parametrize(
    ("columns", "built", "message"),
    [
        (LOG, [], "report: odd name has no batch yet. Run the model first."),
        (LOG[:2], ["odd name"], "report: 'odd name' is no change log, but of materialized: differential."),
    ],
)
def test_a_text_about_no_log(columns: list[tuple[str, str]], built: list[str], message: str) -> None:
    shop = Operations(None, set(built))
    shop.macros.replace(_columns_of=described(columns))
    with pytest.raises(CompilationError, match=message):
        shop.macros.report("odd name")


def test_a_batch_without_python() -> None:
    _, line = Macros()._batch_lines({}, 3)
    assert line.endswith("are found in Python: they need type: deltawave with method: session.")


def test_samples_are_of_all_columns_and_free_of_control_characters() -> None:
    note, key = {"name": "_note", "data_type": "string"}, {"name": "Id", "data_type": "binary"}
    sql = Macros()._samples_sql({"relation": "dev.log", "keys": [key], "columns": [note]}, 1, 2, 3)
    assert "struct(_changed_columns, _before, `Id`, `_note`) as logged" in sql
    # What is shown is made of the few rows that are shown.
    ranked, shown = sql.split("\nselect\n")
    assert "to_json" not in ranked
    assert "logged._before.`_note`" in shown
    assert shown.count("regexp_replace(") == 2
    assert "'\\\\p{C}', ' ')" in shown
    assert "hex(logged.`Id`)" in shown


def test_bytes_are_shown_once_a_run_has_recorded_them() -> None:
    macros = Macros(run_query=lambda sql: [(12_000, 34_000)])
    reported = {"batches": Relation.create("kept", "x__batches")}
    for columns, lines in (["rows_new"], []), (["rows_new", "BYTES_FULL"], ["12,000; by full comparisons: 34,000"]):
        macros.replace(_columns_of=described([(name, "bigint") for name in columns]))
        found = macros._bytes_line(reported, [{"batch_id": 2}, {"batch_id": 5}])
        assert [line.partition(": ")[2] for line in found if line] == lines
    (sql,) = macros.queries
    assert "batch_id between 2 and 5\n" in sql
    assert macros._bytes_line({"batches": None}, []) == []


@pytest.mark.parametrize(
    ("reads", "kind", "asked"),
    [
        ("dump", "copy", ["(\nselect 1 -- all\n)"]),
        ("differences", "hashes", ["(\nselect 1 -- all\n)"]),
        ("slice", "base", ["`kept`.`x__slice_2_own`", "`kept`.`x__base_1_other`"]),
        ("slice", "checksums", ["`kept`.`x__slice_2_own`"]),
    ],
)
def test_files_whose_bytes_are_recorded(reads: str, kind: str, asked: list[str]) -> None:
    """Those of the dump's, or of the landed slice and of all rows that are kept."""
    shop = Operations(7, set())
    job = make_job(strategy={"reads": reads}, settings={"snapshot_date": None}, source_bytes=None)
    job |= {"sql": "select 1 -- all", "state_schema": "kept"}
    state = {"kind": kind, "batch_id": 1, "attempt": "other"}
    result = {"state": state, "bytes_dump": None, "measured": {}}
    batch = {"landed": Relation.create("kept", "x__slice_2_own"), "result": result}
    found = shop.macros._bytes_read(job, batch)
    assert [relations["select"] for _, relations, _ in shop.called] == asked
    assert found == {"dump": 7, "full": None if kind == "checksums" else 7}
    # A database is not asked again for that.
    of_remote = shop.macros._bytes_read(job | {"remote": {"name": "legacy"}}, batch)
    assert of_remote["dump"] == (7 if reads == "slice" else None)
    shop.macros.adapter.runs_python = lambda: False
    assert shop.macros._bytes_read(job, batch) == {"dump": None, "full": None}

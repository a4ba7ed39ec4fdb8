"""Options of a wave index, and the selects of its probes and scans, without Spark."""

import json
import re
import shlex
from dataclasses import replace
from datetime import date, datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from bad_input import messages, refused
from dbt_common.exceptions import CompilationError
from pyspark.errors import AnalysisException
from pyspark.sql import Row
from pyspark.sql.types import DateType, IntegerType, StructType
from unit.macro_harness import Macros, Node, make_batch, make_job

from deltawave.wave import WaveIndex, materialization
from deltawave.wave.access import days_between
from deltawave.wave.materialization import as_outcome, for_vars, is_up_to_date, specification
from deltawave.wave.operations import DropIndex, as_json
from deltawave.wave.run_plan import RunPlan, Work
from deltawave.wave.statements import PARTS_DROPPED
from deltawave.wave.steps import Step, written_days
from deltawave.wave.tables import Day, WaveRecord, WaveSpec
from deltawave.wave.wave_table import check_catalog, marked, partitions

GOOD = {"scheme": "del", "window": 7, "constituents": 3, "day_column": "day", "search_field": "supplier"}
CONFIGURATION: dict[str, dict[str, Any]] = {
    "no window": {"window": None},
    "an unknown scheme": {"scheme": "wait"},
    "one constituent that is thrown away": {"scheme": "wata", "constituents": 1},
    "a window of one day that is thrown away": {"scheme": "wata", "window": 1, "constituents": 1},
    "more constituents than days": {"constituents": 8},
    "a misspelt option": {"constituent": 3},
    "an unknown technique": {"update_technique": "shadow"},
}


@pytest.mark.parametrize("kind", CONFIGURATION)
def test_a_bad_configuration_is_explained(kind: str) -> None:
    with refused("Wave indices", kind):
        Macros().check_wave_config("sales", {**GOOD, **CONFIGURATION[kind]})


def test_options_have_defaults_and_come_from_meta() -> None:
    settings = Macros()._wave_settings("sales", {**GOOD, "meta": {"clip": True, "gaps": "empty"}})
    assert (settings["window"], settings["gaps"], settings["update_technique"]) == (7, "empty", "packed_shadow")
    assert settings["clip"] is True


@pytest.mark.parametrize(
    ("changed", "most"), [({}, None), ({"clip": False}, None), ({"clip": False, "scheme": "wata"}, 9)]
)
def test_readers_of_a_window_that_is_not_clipped_see_more_days(changed: dict[str, Any], most: int | None) -> None:
    logged: list[str] = []
    macros = Macros(log=lambda text, info: logged.append(text) or "")
    macros._log_soft_window({"name": "sales", "settings": macros._wave_settings("sales", {**GOOD, **changed})})
    assert re.findall(r"readers see (\d+) to (\d+) days", "".join(logged)) == ([("7", str(most))] if most else [])


def test_python_says_the_same_of_dropped_parts() -> None:
    assert Macros()._message("dropped_parts", {}) == PARTS_DROPPED


def test_days_of_a_part() -> None:
    assert Macros()._days_of_part("5,11-13") == [5, 11, 12, 13]


def test_columns_are_named_as_the_dump_spells_them() -> None:
    settings = Macros()._wave_settings("sales", {**GOOD, "day_column": "DAY", "search_field": "supplier"})
    dump: Any = SimpleNamespace(schema=StructType().add("Day", DateType()).add("Supplier", IntegerType()))
    spec = specification(dump, settings)
    assert (spec.day_column, spec.search_field) == ("Day", "Supplier")
    # Macros find its type by this name.
    assert Macros()._wave_type({"spec": {"columns": spec.columns}}, spec.search_field) == "int"
    # A program may keep its own spelling.
    assert Macros()._wave_type({"spec": {"columns": spec.columns}}, "SUPPLIER") == "int"


def record(kind: str, *days: str) -> WaveRecord:
    spec = WaveSpec(WaveIndex("del", 3, 1), "in_place", "day", "day", (("day", kind),))
    return WaveRecord(spec, len(days), {number: Day(day) for number, day in enumerate(days, 1)})


def ranged(record: WaveRecord, from_day: Any, to_day: Any) -> list[int]:
    """The days of a range, of which macros and Python agree."""
    days = Macros()._days_between(record.to_json(), from_day, to_day)
    assert sorted(days_between(record, from_day, to_day)) == days
    return list(days)


def test_days_of_a_range() -> None:
    dates = record("date", "2026-01-01", "2026-01-02", "2026-01-03")
    assert ranged(dates, date(2026, 1, 2), None) == ranged(dates, "2026-01-02", "2026-01-09") == [2, 3]
    numbers = record("int", "9", "10", "11")
    assert ranged(numbers, 10, None) == ranged(numbers, "10", 11) == [2, 3]
    assert ranged(record("string", "a", "b", "c"), None, "b") == [1, 2]


@pytest.mark.parametrize(
    ("kind", "type_", "value"),
    [
        ("an end of a range with a time", "date", datetime(2026, 1, 2)),
        ("a date that is not padded", "date", "2026-1-2"),
        ("a day that its month doesn't have", "date", "2026-02-31"),
        ("an end of a range that is no number", "int", "x"),
        ("a number for a text", "string", 2),
    ],
)
def test_an_end_that_is_no_day_is_refused(kind: str, type_: str, value: Any) -> None:
    days = record(type_, "1")
    with refused("Wave indices", kind):
        Macros()._days_between(days.to_json(), value, None)
    with pytest.raises(ValueError, match=r"to_day .*: take .*, as in day_column 'day'\."):
        days_between(days, None, value)


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        ({}, []),
        ({"deltawave_drop_days": {"sales": date(2026, 1, 2), "other": ["x"]}}, ["2026-01-02"]),
        ({"deltawave_drop_days": {"sales": [date(2026, 1, 2), "2026-01-03"]}}, ["2026-01-02", "2026-01-03"]),
        ({"deltawave_drop_days": {"other": ["x"]}}, []),
    ],
)
def test_days_to_drop(asked: dict[str, Any], days: list[str]) -> None:
    models = {name: {"resource_type": "model", "name": name} for name in ("sales", "other")}
    assert Macros(var=asked.get, graph={"nodes": models})._days_to_drop({"name": "sales"}) == days


def test_days_to_drop_of_no_model() -> None:
    nodes = {"nodes": {"sales": {"resource_type": "model", "name": "recent_sales"}}}
    with refused("Wave indices", "days to drop of a misspelt model"):
        Macros(var=lambda *_: {"recent_sale": ["2206-01-04"]}, graph=nodes)._days_to_drop({"name": "recent_sales"})
    with refused("Wave indices", "days to drop without a model") as error:
        Macros(var=lambda *_: "2206-01-04")._days_to_drop({"name": "sales"})
    assert "--vars '{deltawave_drop_days: {sales: [2026-01-31]}}'" in str(error.value)


@pytest.mark.parametrize("day", ["0131", "it's", 'the "31st"', "Größe\\", "\U0001f600"])
def test_a_day_is_advised_as_text(day: str) -> None:
    """YAML would read some as another one, and the shell."""
    macros = Macros()
    values = {"model": "sales", "wrong": day, "dropped": for_vars(day)}
    message = macros._message("late_wrong", values)
    arguments = shlex.split(re.findall(r"--vars '.*'", message)[0])
    assert yaml.safe_load(arguments[1])["deltawave_drop_days"] == {"sales": [day]}


def test_the_advice_for_days_before_the_index() -> None:
    early = advice({"late_because": "before"})
    assert "--full-refresh" in early
    assert "only the days that the select delivers" in early
    assert "deltawave_drop_days" not in early


def test_a_late_day_leads_to_the_policy_for_gaps() -> None:
    policy = messages("Wave indices")["a late day with `gaps: skip`"]
    assert policy in (late := advice({"late_because": "skip"}))
    assert late.startswith("sales: day(s) 2026-01-03 came after later ones")
    assert "deltawave_drop_days" not in late
    many, _ = planned(late=[Day(str(day)) for day in range(12)], late_because="passed")
    assert "day(s) 0, 1, 2, 3, 4 and 7 more came after later ones" in many[0]
    # Only of a day that has not come the command to drop it is ready.
    late = advice({"late_because": "skip", "wrong": "2206-01-04"})
    assert late.index(policy) < late.index("--vars '{deltawave_drop_days: {sales: [\"2206-01-04\"]}}'")


def advice(found: dict[str, str]) -> str:
    """The warning of a run that finds a late day."""
    warned, _ = planned(late=[Day("2026-01-03")], **found)
    assert len(warned) == 1
    return warned[0]


NOTHING = {"works": [], "late": [], "late_because": "passed", "wrong": None, "refused": [], "unknown": []}


def planned(length: int = 0, accept: bool = False, **found: Any) -> tuple[list[str], list[str]]:
    """The warnings of a run, and what it refuses."""
    variables = {"deltawave_accept": ["sales"]} if accept else {}
    warned: list[str] = []
    refused: list[str] = []
    started = datetime(2026, 1, 1, tzinfo=timezone.utc)
    macros = Macros(var=lambda name, value: variables.get(name, value), run_started_at=started)
    asked: list[Any] = []
    spec = WaveSpec(WaveIndex("del", 300, 1), "in_place", "day", "day", (("day", "date"),))
    macros.adapter.call_library = lambda *args: (
        asked.append(args[-1]) or as_outcome(RunPlan(**{**NOTHING, **found}), spec, length)
    )
    job = make_job("sales", settings={"window": 300})
    macros._pending_days(job, {"record": None, "is_new_generation": False}, warned, refused)
    assert asked[0]["started_at"] == "2026-01-01T00:00:00.000000Z"
    assert asked[0]["accept"] == accept
    return warned, refused


def test_days_that_look_wrong_do_not_keep_others_from_being_loaded() -> None:
    loaded = [Work("load", (Day("2026-01-02"),))]
    _, refused = planned(refused=["2206-01-04: a wrong date?"], works=loaded, accept=True)
    assert refused == ["2206-01-04: a wrong date?"]
    # A preparation alone changes nothing that a reader sees. What a run warns of is not lost.
    for works in ([], [Work("prepare")]):
        with pytest.raises(CompilationError) as error:
            planned(refused=["2206-01-04: a wrong date?"], unknown=["2026-01-03"], works=works)
        assert "2206-01-04: a wrong date? Nothing was changed. Correct the days" in str(error.value)
        assert "has no day 2026-01-03 to drop" in str(error.value)


HAS = (Day("2026-01-07"), Day("2026-01-08", 5, "a"), Day("2026-01-09", 5, "b"))
AHEAD = (*HAS[:2], Day("2027-01-01", 5, "b"))


@pytest.mark.parametrize(
    ("has", "delivered", "today", "expected"),
    [
        (HAS, HAS[1:], date(2026, 1, 9), True),
        (HAS, (), date(2026, 1, 9), True),
        # It has left the window.
        (HAS, (Day("2026-01-06", 5, "c"), *HAS[1:]), date(2026, 1, 9), True),
        # It differs at each reading, is new, or was refused.
        (HAS, (Day("2026-01-08", 5, "c"), HAS[2]), date(2026, 1, 9), False),
        (HAS, (*HAS[1:], Day("2026-01-10", 5, "c")), date(2026, 1, 10), False),
        (HAS, (*HAS[1:], Day("2026-01-12", 5, "c")), date(2026, 1, 10), False),
        # Too late, as long as the newest day is ahead of the clock.
        (AHEAD, (Day("2026-01-06", 5, "c"), *AHEAD[1:]), date(2026, 1, 9), False),
        (AHEAD, (Day("2026-01-06", 5, "c"), *AHEAD[1:]), date(2027, 1, 9), True),
        # The next run asks for gaps.
        ((Day("2026-01-07"), Day("2026-01-08"), HAS[2]), (Day("2026-01-02", 5, "c"), HAS[2]), date(2026, 1, 9), False),
    ],
)
def test_a_source_is_settled_if_the_next_run_has_nothing_to_say(
    has: tuple[Day, ...], delivered: tuple[Day, ...], today: date, expected: bool
) -> None:
    settings = Macros()._wave_settings("sales", {**GOOD, "window": 3, "constituents": 1, "search_field": "day"})
    session = SimpleNamespace(sql=lambda _: SimpleNamespace(collect=lambda: [[today]]))
    dump: Any = SimpleNamespace(schema=StructType().add("day", DateType()), sparkSession=session)
    known = replace(record("date"), state_day=3, days=dict(enumerate(has, 1))).to_json()
    days = [vars(day) for day in delivered]
    options: dict[str, Any] = {"settings": settings, "days": days, "started_at": "2026-01-09T00:00:00Z"}
    assert is_up_to_date(dump, record=known, **options) == expected
    # What a killed run has left to prepare.
    assert not is_up_to_date(dump, record={**known, "pending": [as_json(DropIndex("T0"))]}, **options)


@pytest.mark.parametrize(
    ("fingerprints", "settled", "days", "remembered"),
    [
        (["a", "a"], True, "", ("a", "1")),
        (["a", "b"], True, "", None),
        (["a"], False, "", None),
        ([None], True, "", None),
        (["a", "a"], True, """{"it's":1}""", ("a", r"""'{"it\'s":1}'""")),
        # The days alone, under a name that no fingerprint is.
        ([None], True, """{"it's":1}""", ("of days", r"""'{"it\'s":1}'""")),
        (["a"], False, """{"it's":1}""", ("of days", r"""'{"it\'s":1}'""")),
    ],
)
def test_only_a_settled_source_that_stays_the_same_is_remembered(
    fingerprints: list[str | None], settled: bool, days: str, remembered: tuple[str, str] | None
) -> None:
    looks = iter(fingerprints)
    macros = Macros(
        run_query=lambda sql: [],
        var=lambda _, default: default,
        local_md5=lambda text: "of days" if text == days else text,
    )
    macros.replace(
        _source_fingerprint=lambda *_: next(looks),
        _pending_days={"works": [], "days": [], "states": {"1": "s"} if days else {}},
        _sweep_parts=None,
        _is_up_to_date=settled,
        _call_wave=days,
    )
    macros._load_days(
        make_job("sales"), {"record": of_view(pending=[]), "is_new_generation": False, "names": []}, [], []
    )
    assert macros.queries == [
        f"create view if not exists `s`.`sales__seen_3_{name}` as select {text} as seen"
        for name, text in ([remembered] if remembered else [])
    ]
    assert not [*looks]


@pytest.mark.parametrize(
    ("text", "named", "expected"),
    [
        (r"""select '{"it\'s \u0024{a}":1}' as seen""", [], r"""{"it's \u0024{a}":1}"""),
        # An older version's; and a run that is to read.
        ("select 1 as seen", [], None),
        ("select '{}' as seen", ["sales"], None),
    ],
)
def test_remembered_days_are_those_since_the_last_batch(text: str, named: list[str], expected: str | None) -> None:
    read = []
    macros = Macros(var=lambda name, default: named if name == "deltawave_read" else default)
    names = [f"{name}_{'a' * 32}" for name in ("sales__seen_2", "sales__other__seen_3", "SALES__seen_3")]
    macros.replace(
        _facts_of=lambda _, relation: read.append(str(relation)) or {"View Text": text},
        # As they are by now.
        _names_like=names,
    )
    state = {"record": of_view(pending=[]), "is_new_generation": False}
    assert macros._remembered_parts(make_job("sales"), state) == expected
    assert read == ([] if named else [f"`s`.`sales__seen_3_{'a' * 32}`"])
    del names[2]
    assert macros._remembered_parts(make_job("sales"), state) is None


def test_a_leap_day_is_a_day() -> None:
    dates = record("date", "2027-12-31", "2028-02-29", "2028-12-31")
    assert ranged(dates, "2028-02-29", "9999-12-31") == [2, 3]
    for kind in ("2027-02-29", "2100-02-29", "2026-04-31", "0000-01-01", "2026-13-01"):
        with pytest.raises(CompilationError):
            Macros()._days_between(dates.to_json(), kind, None)
        with pytest.raises(ValueError, match="take a date"):
            days_between(dates, kind, None)


def node(name: str, materialized: str, *parents: str) -> Any:
    config = SimpleNamespace(materialized=materialized)
    return SimpleNamespace(
        name=name, unique_id=name, resource_type="model", config=config, depends_on=SimpleNamespace(nodes=parents)
    )


def test_views_that_keep_the_text_of_a_probe() -> None:
    nodes = [
        node("found", "ephemeral", "sales"),
        node("of_found", "ephemeral", "found"),
        node("shown", "view", "of_found"),
        node("kept", "table", "of_found"),
        node("refreshed", "materialized_view", "found"),
    ]
    macros = Macros(graph=SimpleNamespace(nodes={each.name: each for each in nodes}))
    assert [macros._views_with_text_of(each) for each in nodes] == [
        ["shown", "refreshed"],
        ["shown"],
        ["shown"],
        [],
        ["refreshed"],
    ]


def test_failures_that_are_kept_as_a_view_keep_the_text_of_a_probe() -> None:
    for kept_as, names in (("view", ["probed"]), ("table", []), (None, [])):
        config = SimpleNamespace(materialized="test", store_failures_as=kept_as)
        test = SimpleNamespace(name="probed", resource_type="test", config=config)
        assert Macros(graph=SimpleNamespace(nodes={}))._views_with_text_of(test) == names


def test_a_column_that_is_called_view_text() -> None:
    mark = 'select /* deltawave {"batch_id":1,"wave":{"day":3}} */ `View Text` from (...)'
    facts = [{"col_name": "View Text", "data_type": kind} for kind in ("string", mark)]
    session: Any = SimpleNamespace(sql=lambda _: SimpleNamespace(collect=lambda: facts))
    assert marked(session, "sales") == {"batch_id": 1, "wave": {"day": 3}}


def advised(built: bool = True, **arguments: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """The relations and options that the library gets from ``advise_wave``."""
    asked: list[tuple[dict[str, str], dict[str, Any]]] = []

    def call(function: str, relations: dict[str, str], options: dict[str, Any]) -> Any:
        if function.startswith(("deltawave.wave.tables.", "deltawave.wave.schemes.")):
            return Macros()._context["adapter"].call_library(function, relations, options)
        assert function == "deltawave.wave.materialization.advice"
        asked.append((relations, options))
        return ["Take del."]

    adapter = SimpleNamespace(
        call_library=call,
        runs_python=lambda: True,
        get_relation=lambda **names: "`shop`.`{identifier}`".format(**names) if built else None,
    )
    known = {"resource_type": "model", "package_name": "shop", "name": "sales", "alias": "sales"}
    known |= {"database": None, "schema": "shop", "config": {"materialized": "wave_index", **GOOD}}
    graph = SimpleNamespace(nodes={"sales": Node(**known)}, sources={})
    macros = Macros(adapter=adapter, graph=graph, target=SimpleNamespace(schema="dev"))
    macros.advise_wave(**arguments)
    assert macros.logged == ["Take del."]
    return asked[0]


def test_advice_is_asked_for_given_figures_or_a_model() -> None:
    relations, options = advised(
        window=7, packed=1, build=2, add=3, table_size=4, techniques="in_place", fixed={"batch": 1}
    )
    assert relations == {}
    assert options["table_size"] == 4
    assert "measure" not in options
    assert options["parameters"]["fixed"] == {"batch": 1}
    assert options["needs"]["techniques"] == ["in_place"]
    assert options["needs"]["most_constituents"] == 10
    relations, options = advised(model="sales", probes=5)
    assert relations == {"dump": "(select * from `shop`.`sales`)"}
    assert options["measure"] == {"day_column": "day", "search_field": "supplier", "schema": "dev"}
    assert (options["parameters"]["window"], options["parameters"]["probes"]) == (7, 5)
    relations, options = advised(model="sales", window=30, search_field="item")
    assert (options["parameters"]["window"], options["measure"]["search_field"]) == (30, "item")


def test_a_model_that_cannot_be_measured() -> None:
    for arguments, message in (
        ({"model": "sale"}, "advise_wave: there is no model, seed, snapshot or source 'sale'"),
        ({"model": "sales", "built": False}, "advise_wave: sales is not in the warehouse yet, so its days cannot be"),
    ):
        with pytest.raises(CompilationError, match=message):
            advised(**arguments)  # type: ignore[arg-type]


SPEC = WaveSpec(WaveIndex("del", 3, 1), "in_place", "day", "day", (("day", "date"),))
COUNTED = ("insert", "update", "delete", "backfill", "quarantined", "skipped")


def of_view(**wave: Any) -> dict[str, Any]:
    """A decision, with a wave index in its view's text."""
    return {"batch_id": 3, "select": f"select /* deltawave {json.dumps({'wave': wave})} */"}


def test_a_transition_is_reported_like_any_batch() -> None:
    macros, job = Macros(), make_job(outcome=dict.fromkeys(("batches", *COUNTED), 0))
    batch = macros._begin_step(job, None, {"kind": "load", "days": [{"value": "2026-01-08"}]})
    counted = {"inserts": 3, "deletes": 2, "updates": 0, "backfilled": 0, "quarantined": 0, "rows_new": 9}
    macros._report_batch(job, batch, {**counted, "seconds": 1.5, "strategy": "del"})
    assert macros.logged == ["deltawave: x: batch 1 (2026-01-08): +3 -2 ~0 of 9, 1.5 s, del"]
    assert macros._outcome(job) == "1 batch: 3 inserts, 2 deletes, 0 updates"


def test_a_batch_that_was_finished_counts_as_the_runs_own() -> None:
    decided = of_view(day=4, run="killed")
    found = [Macros()._wave_found({"attempt": "own", "has_finished": each}, decided) for each in (False, True)]
    assert found == [{"day": 4, "run": "killed"}, {"day": 4, "run": "own"}]


@pytest.mark.parametrize(
    ("found", "now", "is_swept"),
    [
        ("in_place", "packed_shadow", True),
        ("packed_shadow", "in_place", True),
        ("packed_shadow", "packed_shadow", False),
        (None, "packed_shadow", False),
        (None, "in_place", True),
    ],
)
def test_parts_are_swept_after_a_change_to_packed(found: str | None, now: str, is_swept: bool) -> None:
    asked: list[str] = []
    macros = Macros()
    macros.adapter.call_library = lambda function, *_: asked.append(function) or []
    before = of_view(spec={"technique": found}) if found else None
    macros._sweep_parts(make_job(settings={"update_technique": now}), of_view(spec={"technique": now}), before)
    assert asked == ["deltawave.wave.materialization.leftovers"] * is_swept


def test_rows_that_another_run_has_swept_are_no_change_of_the_source() -> None:
    names = ("day", "checksum", "has_other_count", "is_copied")
    counted = ("2026-01-04", None, True, False)
    copied = ("2026-01-02", "f", False, True)

    def message(newest: int, *rows: tuple[str, str | None, bool, bool]) -> str:
        macros = Macros(run_query=lambda sql: [("s", f"sales__commit_{newest}", False)])
        found = written_days([Row(**dict(zip(names, row, strict=True))) for row in rows or [counted]])
        macros.adapter.call_library = lambda *_: found
        macros.replace(_read_commit={"attempt": "other"}, _discard=None)
        with pytest.raises(CompilationError) as error:
            macros._unsteady_days(make_job("sales"), make_batch(4, label="4 (2026-01-04)"), "select")
        return str(error.value)

    assert "day(s) 2026-01-04 changed while they were read" in message(3)
    assert "has decided this batch first" in message(4)
    assert "has decided this batch first" in message(4, copied)
    assert messages("Wave indices")["rows of an index that are not those recorded"] in message(3, copied)
    assert "day(s) 2026-01-04 changed while they were read" in message(3, copied, counted)
    assert "has decided this batch first" in message(5)


def test_a_table_that_another_run_has_dropped_has_no_partitions() -> None:
    def failing(condition: str) -> Any:
        def sql(_: str) -> Any:
            error = AnalysisException(condition)
            error.getCondition = lambda: condition  # type: ignore[method-assign]
            raise error

        return SimpleNamespace(sql=sql)

    needed: Any = SimpleNamespace(table_names=["`shop`.`t`"])
    assert partitions(failing("TABLE_OR_VIEW_NOT_FOUND"), needed) == {}
    with pytest.raises(AnalysisException):
        partitions(failing("SCHEMA_NOT_FOUND"), needed)


def steps_of(drops: list[str], unsteady: dict[str, str], warnings: list[str], is_overtaken: bool = False) -> list[str]:
    """What a transition does: macros by name, and statements."""
    done: list[str] = []
    made = Step((), WaveRecord(SPEC), tuple(drops), None, "select 1")
    step = {"select": made.select, "inserted": 1, "deleted": 0, "statements": [], "drops": made.part_drops}
    macros = Macros(
        exceptions=SimpleNamespace(warn=lambda text: done.append("warn") or ""),
        run_query=lambda sql: done.append(sql) or [],
    )
    answers = {
        "_begin_step": {"batch_id": 1, "attempt": "own", "label": "1", "log": None},
        "_call_wave": step,
        "_unsteady_days": unsteady,
        "_step_record": {},
        "_is_overtaken": is_overtaken,
    }
    for name in ("_step", "_update", "_create_batches", "_report_batch", "_commit", *answers):
        macros.replace(**{name: lambda *_, name=name, **__: done.append(name) or answers.get(name)})
    macros._make_step(make_job("sales"), None, {"kind": "load", "days": []}, True, warnings)
    return done


@pytest.mark.parametrize("unsteady", [{}, {"2026-01-01": "f"}])
def test_a_warning_waits_for_the_end_of_the_run(unsteady: dict[str, str]) -> None:
    """With --warn-error it ends the run: later days would not be loaded."""
    warnings: list[str] = []
    done = steps_of([], unsteady, warnings)
    assert "_commit" in done
    assert "warn" not in done
    assert [day for text in warnings for day in unsteady if day in text] == list(unsteady)


@pytest.mark.parametrize("is_overtaken", [False, True])
def test_parts_of_a_table_that_another_run_may_have_dropped(is_overtaken: bool) -> None:
    texts = ["alter table `s`.`t` drop if exists partition (wave_part = '1')", "drop table if exists `s`.`u`"]
    done = steps_of(texts, {}, [], is_overtaken)
    # Whole tables are dropped by the commit.
    assert [text for text in done if text in texts] == texts[: not is_overtaken]
    macros = Macros(run_query=lambda sql: [])
    macros.adapter.call_library = lambda *_: texts[:1]
    macros.replace(_is_overtaken=is_overtaken)
    macros._sweep_parts(make_job("sales", settings={"update_technique": "in_place"}), of_view(day=3), None)
    assert macros.queries == texts[: not is_overtaken]


def test_another_catalog_is_refused() -> None:
    session: Any = SimpleNamespace(sql=lambda text: SimpleNamespace(collect=lambda: [("lake",)]))
    with refused("Wave indices", "another catalog", ValueError):
        check_catalog(session)


def test_a_window_that_will_not_fit_is_warned_of() -> None:
    warned, _ = planned(length=38_561)
    assert len(warned) == 1
    assert messages("Wave indices")["a window too great for Derby"] in warned[0]


def test_the_newest_days_are_remembered_whose_files_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {str(number): f"{number:032x}" for number in range(1, 1_001)}
    monkeypatch.setattr(materialization, "_states", lambda *_: now)
    settings = Macros()._wave_settings("sales", {**GOOD, "search_field": "day"})
    dump: Any = SimpleNamespace(schema=StructType().add("day", IntegerType()))
    days = [vars(Day(value, 5, "c")) for value in now]

    def remembered(states: dict[str, str]) -> Any:
        text = materialization.days_to_remember(dump, settings=settings, days=days, states=states, text="")
        assert len(text) < 21_000
        return json.loads(text or "{}")

    found = remembered({**now, "999": "of other files"})
    assert found["1000"] == [now["1000"], 5, "c"]
    assert 200 < len(found) < 1_000
    assert found.keys() == {value for value in now if int(value) >= int(min(found, key=int)) and value != "999"}
    assert remembered({"7": now["7"], "8": "of other files"}) == {"7": [now["7"], 5, "c"]}
    assert remembered({}) == {}

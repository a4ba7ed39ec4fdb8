"""Options of a wave index, and the selects of its probes and scans, without Spark."""

from __future__ import annotations

import re
from datetime import date, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages
from dbt_common.exceptions import CompilationError
from pyspark.sql.types import DateType, IntegerType, StructType
from unit.macro_harness import Macros

from deltawave.wave import WaveIndex
from deltawave.wave.access import days_between
from deltawave.wave.door import specification
from deltawave.wave.tables import Day, WaveRecord, WaveSpec
from deltawave.wave.wave_table import check_catalog

GOOD = {"scheme": "del", "window": 7, "constituents": 3, "day_column": "day", "search_field": "supplier"}
CONFIGURATION: dict[str, dict[str, Any]] = {
    "no window": {"window": None},
    "an unknown scheme": {"scheme": "wait"},
    "one constituent that is thrown away": {"scheme": "wata", "constituents": 1},
    "more constituents than days": {"constituents": 8},
    "a misspelt option": {"constituent": 3},
    "an unknown technique": {"update_technique": "shadow"},
}


@pytest.mark.parametrize("kind", CONFIGURATION)
def test_a_bad_configuration_is_explained(kind: str) -> None:
    with pytest.raises(CompilationError) as error:
        Macros().check_wave_config("sales", {**GOOD, **CONFIGURATION[kind]})
    assert messages("Wave indices")[kind] in str(error.value)


def test_options_have_defaults_and_come_from_meta() -> None:
    settings = Macros()._wave_settings("sales", {**GOOD, "meta": {"deltawave": {"window": 5, "gaps": "empty"}}})
    assert (settings["window"], settings["gaps"], settings["update_technique"]) == (5, "empty", "packed_shadow")


def test_days_of_a_part() -> None:
    assert Macros()._days_of_part("5,11-13") == [5, 11, 12, 13]


def test_columns_are_told_as_the_dump_spells_them() -> None:
    settings = Macros()._wave_settings("sales", {**GOOD, "day_column": "DAY", "search_field": "supplier"})
    dump: Any = SimpleNamespace(schema=StructType().add("Day", DateType()).add("Supplier", IntegerType()))
    spec = specification(dump, settings)
    assert (spec.day_column, spec.search_field) == ("Day", "Supplier")
    # Macros find its type by this name.
    assert Macros()._wave_type({"spec": {"columns": spec.columns}}, spec.search_field) == "int"


def record(kind: str, *days: str) -> WaveRecord:
    spec = WaveSpec(WaveIndex("del", 3, 1), "in_place", "day", "day", (("day", kind),))
    return WaveRecord(spec, len(days), {number: Day(day) for number, day in enumerate(days, 1)})


def ranged(told: WaveRecord, from_day: Any, to_day: Any) -> list[int]:
    """The days of a range, of which macros and Python agree."""
    days = Macros()._days_between(told.to_json(), from_day, to_day)
    assert sorted(days_between(told, from_day, to_day)) == days
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
        ("an end of a range that is no number", "int", "x"),
        ("a number for a text", "string", 2),
    ],
)
def test_an_end_that_is_no_day_is_refused(kind: str, type_: str, value: Any) -> None:
    told = record(type_, "1")
    with pytest.raises(CompilationError) as error:
        Macros()._days_between(told.to_json(), value, None)
    assert messages("Wave indices")[kind] in str(error.value)
    with pytest.raises(ValueError, match=r"to_day .*: take .*, as in day_column 'day'\."):
        days_between(told, None, value)


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
    assert Macros(var=asked.get)._days_to_drop({"name": "sales"}) == days


def test_days_to_drop_of_no_model() -> None:
    with pytest.raises(CompilationError) as error:
        Macros(var=lambda *_: "2206-01-04")._days_to_drop({"name": "sales"})
    assert messages("Wave indices")["days to drop without a model"] in str(error.value)
    assert "--vars '{deltawave_drop_days: {sales: [2026-01-31]}}'" in str(error.value)


def test_another_catalog_is_refused() -> None:
    session: Any = SimpleNamespace(catalog=SimpleNamespace(currentCatalog=lambda: "lake"))
    with pytest.raises(ValueError, match=re.escape(messages("Wave indices")["another catalog"])):
        check_catalog(session)

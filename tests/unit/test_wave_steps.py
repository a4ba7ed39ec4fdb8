"""What a run does to a wave index, without Spark: the works of a run, and the statements of a step."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

import pytest
from pyspark.sql.types import ArrayType, IntegerType, MapType, StringType, StructField, StructType

from deltawave.differencing.comparable import literal
from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.execution import Naming
from deltawave.wave.steps import Work, pending, shrunken, step
from deltawave.wave.tables import TECHNIQUES, Day, Table, WaveRecord, WaveSpec, as_comment, as_ranges, of_ranges
from deltawave.wave.wave_table import type_text

COLUMNS = (("day", "date"), ("supplier", "int"), ("words", "array<string>"))
SPEC = WaveSpec(WaveIndex("del", 4, 2), "in_place", "day", "supplier", COLUMNS)
# What the embedded metastore keeps of a view's text.
MOST_TEXT = 32_000


def days(low: int, high: int, checksum: str = "") -> list[Day]:
    first = date(2026, 1, 1)
    return [
        Day(str(first + timedelta(days=number - 1)), 1_000_000, checksum or f"{number:016x}")
        for number in range(low, high + 1)
    ]


def after(spec: WaveSpec, last: int, first_load: int = 0) -> tuple[WaveRecord, list[str]]:
    """The record after so many days, and all statements until then."""
    record, statements, batch = None, [], 0
    deliveries = [
        days(1, first_load or 1),
        *(days(number, number) for number in range((first_load or 1) + 1, last + 1)),
    ]
    for delivered in deliveries:
        for work in pending(record, spec, delivered)[0]:
            if work.kind != "prepare" or (record is not None and record.pending):
                batch += 1
                made = step(record, spec, work, "(source)", Naming("shop", "sales", batch, "0123456789ab"))
                record, statements = made.record, [*statements, *made.statements, *made.drops]
    assert record is not None
    return record, statements


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_great_window_fits_into_the_text_of_a_view(scheme: str, technique: str) -> None:
    for n in (SCHEMES[scheme].least, 10):
        spec = replace(SPEC, index=WaveIndex(scheme, 100, n), technique=technique)
        batch, record = 100, None
        works, _ = pending(None, spec, days(1, 100))
        for newest in range(100, 104):
            for work in works:
                if work.kind != "prepare" or (record is not None and record.pending):
                    batch += 1
                    made = step(
                        record, spec, work, "(source)", Naming("warehouse", "recent_sales", batch, "0123456789ab")
                    )
                    record = made.record
                    text = made.view({"batch_id": batch, "attempt": "0123456789ab"})
                    # The record of the decision has it as a text of SQL within a text of JSON.
                    assert len(literal(as_comment({"select": text}))) < MOST_TEXT, (n, work.kind)
            works, _ = pending(record, spec, days(newest + 1, newest + 1))


def test_a_record_comes_back_from_json() -> None:
    for scheme in SCHEMES:
        spec = replace(SPEC, index=WaveIndex(scheme, 4, 2), search_field="words", clip=True)
        record, _ = after(spec, 7)
        assert WaveRecord.from_json(record.to_json()) == record


def test_a_comment_of_sql_holds_any_text() -> None:
    told = {"day": "a/*b*/c ${d}"}
    comment = as_comment(told)
    # Comments nest, and Spark replaces settings within them.
    assert json.loads(comment) == told
    assert "*" not in comment
    assert "${" not in comment


def test_ranges() -> None:
    assert as_ranges(frozenset({5, 11, 12, 13, 15, 16})) == "5,11-13,15-16"
    assert of_ranges("5,11-13,15-16") == {5, 11, 12, 13, 15, 16}


def test_works_of_a_run() -> None:
    record, _ = after(SPEC, 5, first_load=4)
    assert pending(record, SPEC, days(1, 5)) == ([], [])
    works, late = pending(record, SPEC, [*days(4, 4, "other"), *days(7, 7), *days(6, 6)])
    assert (works, late) == (
        [Work("replace", tuple(days(4, 4, "other"))), *(Work("take", (day,)) for day in days(6, 7))],
        [],
    )
    assert [Work.from_json(work.to_json()) for work in works] == works
    record, _ = after(SPEC, 4, first_load=3)
    gap = [*days(6, 6)]
    assert [work.days[0].rows for work in pending(record, SPEC, gap, "empty")[0]] == [0, 1_000_000]
    with pytest.raises(ValueError, match="There is no batch of 2026-01-05, which comes before 2026-01-06"):
        pending(record, SPEC, gap, "fail")
    with pytest.raises(ValueError, match="gaps: empty needs a day_column of dates or whole numbers; day is a text"):
        pending(None, replace(SPEC, columns=(("day", "string"), ("supplier", "int"))), gap, "empty")


def test_whole_numbers_are_ordered_as_numbers() -> None:
    spec = replace(SPEC, columns=(("day", "int"), ("supplier", "int")))
    works, _ = pending(None, spec, [Day("10", 1), Day("9", 1)])
    assert [day.value for day in works[0].days] == ["9", "10"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_first_days_are_one_transition(scheme: str) -> None:
    spec = replace(SPEC, index=WaveIndex(scheme, 4, 2, spread=True))
    for count in range(1, 5):
        works, _ = pending(None, spec, days(1, count))
        assert works[0] == Work("start", tuple(days(1, count)))
        at_once, _ = after(spec, count, first_load=count)
        one_by_one, _ = after(spec, count)
        told = [[table.days for table in record.constituents] for record in (at_once, one_by_one)]
        assert told[0] == told[1]
        after(spec, 9, first_load=count)


def test_a_day_before_a_growing_window_comes_too_late() -> None:
    record, _ = after(SPEC, 3, first_load=3)
    before = Day("2025-12-31", 1)
    assert pending(record, SPEC, [before]) == ([], [before])
    # It would have left the window by now.
    record, _ = after(SPEC, 4, first_load=3)
    assert pending(record, SPEC, [before]) == ([], [])


def test_a_day_far_ahead_is_no_gap() -> None:
    with pytest.raises(ValueError, match="9999-12-31 comes 2,912,439 days after 2026-01-04, more than 10 windows"):
        pending(None, SPEC, [*days(4, 4), Day("9999-12-31", 1)], "empty")


def test_days_that_lose_most_of_their_rows() -> None:
    record, _ = after(SPEC, 3)
    half, less = (replace(days(3, 3, "other")[0], rows=rows) for rows in (500_000, 499_999))
    assert shrunken(record, pending(record, SPEC, [half])[0]) == []
    assert shrunken(record, pending(record, SPEC, [less])[0]) == ["2026-01-03 (1000000 rows, now 499999)"]


def test_rows_that_are_clipped_are_not_counted() -> None:
    spec = replace(SPEC, index=WaveIndex("wata", 4, 2))
    assert after(spec, 6)[0].rows == 6_000_000
    assert after(replace(spec, clip=True), 6)[0].rows == 4_000_000


def test_a_view_names_each_column_twice() -> None:
    columns = tuple((f"column_number_{number}", "int") for number in range(300))
    spec = replace(SPEC, index=WaveIndex("wata", 10, 5), columns=(*COLUMNS, *columns))
    text = step(None, spec, Work("start", tuple(days(1, 10))), "(source)", Naming("shop", "sales", 1, "0" * 12)).view(
        {}
    )
    # In the select, and with its type in the record.
    assert text.count("column_number_7`") == text.count('"column_number_7"') == 1


def test_types_as_sql_reads_them() -> None:
    fields = StructType([StructField("a b", ArrayType(StructType([StructField("c-d", IntegerType())])))])
    assert type_text(MapType(StringType(), fields)) == "map<string,struct<`a b`:array<struct<`c-d`:int>>>>"


def test_spread_may_change() -> None:
    record, _ = after(SPEC, 3)
    assert pending(record, replace(SPEC, index=WaveIndex("del", 4, 2, spread=True)), days(3, 3)) == ([], [])


def test_each_technique_writes_what_it_has_to() -> None:
    def written(technique: str, scheme: str) -> tuple[int, int]:
        spec = replace(SPEC, index=WaveIndex(scheme, 4, 2), technique=technique)
        # Day 6: WATA* has {1, 2, 3} and {4, 5}, DEL {5, 2} and {3, 4}.
        _, before = after(spec, 5, first_load=4)
        _, statements = after(spec, 6, first_load=4)
        made = statements[len(before) :]
        return sum(each.startswith("create table") for each in made), sum(each.startswith("insert") for each in made)

    assert written("in_place", "wata") == (0, 1)
    assert written("packed_shadow", "wata") == (1, 1)
    # The constituent's two parts are copied.
    assert written("simple_shadow", "wata") == (1, 3)
    assert written("in_place", "del") == (0, 1)
    assert written("simple_shadow", "del") == (1, 2)
    assert written("packed_shadow", "del") == (1, 1)


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_a_run_replaces_stays_until_the_next(scheme: str, technique: str) -> None:
    spec = replace(SPEC, index=WaveIndex(scheme, 4, 2), technique=technique)
    record, _ = after(spec, 5, first_load=4)

    def places(tables: Iterable[Table]) -> set[tuple[str, str]]:
        return {(table.name, part.name) for table in tables for part in table.parts}

    batch = 100
    for run in ("111111111111", "222222222222"):
        seen, found, gone = places(record.constituents), places(record.tables.values()), set()
        newest = record.state_day
        for work in pending(record, spec, days(newest + 1, newest + 3))[0]:
            if work.kind != "prepare" or record.pending:
                batch += 1
                before = record
                made = step(record, spec, work, "(source)", Naming("shop", "sales", batch, run))
                record = made.record
                # After each transition: what was seen before the run, and before this transition.
                lost = places([*before.tables.values(), *before.replaced])
                lost -= places([*record.tables.values(), *record.replaced])
                assert not lost & (seen | places(before.constituents))
                assert len(made.drops) <= len(lost)
                gone |= lost
        assert not gone & found
        assert places(record.replaced) & found or scheme == "wata"


def test_each_part_is_reserved_in_a_folder_of_its_own() -> None:
    spec = replace(SPEC, index=WaveIndex("rata", 4, 2))
    _, statements = after(spec, 6)
    inserts = [place for place, each in enumerate(statements) if each.startswith("insert")]
    for place in inserts:
        table, part = re.match(r"insert into (\S+) partition \(wave_part = '(\w+)'\)", statements[place]).groups()  # type: ignore[union-attr]
        assert statements[place - 1] == f"alter table {table} add partition (wave_part = '{part}') location '{part}'"
    assert len(inserts) > 6


def test_new_days_are_compared_where_they_were_written() -> None:
    spec = replace(SPEC, index=WaveIndex("rata", 4, 2), search_field="words")
    record, _ = after(spec, 4)
    work = Work("take", tuple(days(5, 5)))
    made = step(record, spec, work, "(source)", Naming("shop", "sales", 9, "0123456789ab"))
    assert made.changed_days is not None
    assert "values ('2026-01-05', 1000000L, '0000000000000005')" in made.changed_days
    assert f"where wave_part = '{made.record.constituents[1].parts[-1].name}' and wave_is_first" in made.changed_days
    prepared = step(made.record, spec, Work("prepare"), "(source)", Naming("shop", "sales", 10, "0123456789ab"))
    assert prepared.changed_days is None


def test_the_source_is_read_once_per_day() -> None:
    for technique in TECHNIQUES:
        for scheme in SCHEMES:
            spec = replace(SPEC, index=WaveIndex(scheme, 5, 2), technique=technique)
            _, statements = after(spec, 12)
            assert sum(each.count("(source)") for each in statements) == 12, (scheme, technique)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"technique": "shadow"}, "update_technique 'shadow': take one of in_place"),
        ({"buckets": 0}, "buckets 0: take 1 or more"),
        (
            {"search_field": "suplier"},
            "search_field 'suplier': there is no such column; there are day, supplier, words",
        ),
        ({"columns": (*COLUMNS, ("wave_part", "int"))}, "column wave_part: the index needs that name"),
        ({"day_column": "words"}, r"day_column 'words' is of type array<string>: take a date"),
    ],
)
def test_specifications_that_cannot_be(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SPEC, **change)  # type: ignore[arg-type]

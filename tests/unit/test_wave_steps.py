"""The statements of a step, without Spark, and the record after it."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from pyspark.sql.types import ArrayType, IntegerType, MapType, StringType, StructField, StructType
from unit.wave_records import COLUMNS, SPEC, after, days, loaded, naming, pending

from deltawave.sql_text import literal
from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.run_plan import Work
from deltawave.wave.statements import drop_part, view_select
from deltawave.wave.steps import MOST_TEXT, Naming, full_length, step
from deltawave.wave.tables import TECHNIQUES, Table, WaveRecord, as_comment, as_ranges, named_parts, of_ranges
from deltawave.wave.wave_table import type_text

NAMING = Naming("shop", "sales", 9, "0123456789ab")


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_great_window_fits_into_the_text_of_a_view(scheme: str, technique: str) -> None:
    for n in (SCHEMES[scheme].least, 10):
        spec = replace(SPEC, index=WaveIndex(scheme, 100, n), technique=technique)
        assert full_length(spec, "warehouse", "recent_sales") < MOST_TEXT, n


def test_a_record_comes_back_from_json() -> None:
    for scheme in SCHEMES:
        spec = replace(SPEC, index=WaveIndex(scheme, 4, 2), search_field="words", clip=False)
        record, _ = after(spec, 7)
        assert WaveRecord.from_json(record.to_json()) == record


def test_a_comment_of_sql_holds_any_text() -> None:
    values = {"day": "a/*b*/c ${d}"}
    comment = as_comment(values)
    # Comments nest, and Spark replaces settings within them.
    assert json.loads(comment) == values
    assert "*" not in comment
    assert "${" not in comment


def test_ranges() -> None:
    assert as_ranges(frozenset({5, 11, 12, 13, 15, 16})) == "5,11-13,15-16"
    assert of_ranges("5,11-13,15-16") == {5, 11, 12, 13, 15, 16}


def test_rows_that_are_clipped_are_not_counted() -> None:
    spec = replace(SPEC, index=WaveIndex("wata", 4, 2))
    assert after(replace(spec, clip=False), 6)[0].rows == 6_000_000
    assert after(spec, 6)[0].rows == 4_000_000


def test_a_view_names_each_column_twice() -> None:
    columns = tuple((f"column_number_{number}", "int") for number in range(300))
    spec = replace(SPEC, index=WaveIndex("wata", 10, 5), columns=(*COLUMNS, *columns))
    text = step(None, spec, Work("start", tuple(days(1, 10))), "(source)", NAMING).select
    # In the select, and with its type in the record.
    assert text.count("column_number_7`") == text.count('"column_number_7"') == 1


def test_types_as_sql_reads_them() -> None:
    fields = StructType([StructField("a b", ArrayType(StructType([StructField("c-d", IntegerType())])))])
    assert type_text(MapType(StringType(), fields)) == "map<string,struct<`a b`:array<struct<`c-d`:int>>>>"


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_erasure_leaves_no_older_part_of_its_days(scheme: str, technique: str) -> None:
    spec = replace(SPEC, index=WaveIndex(scheme, 5, 2), technique=technique)
    for last in range(5, 12):
        record, _ = after(spec, last, first_load=5)
        erased = (record.state_day, record.state_day - 3)
        work = Work("erase", tuple(replace(record.days[number], rows=1) for number in erased))
        made = step(record, spec, work, "(source)", naming())

        assert made.record.state == record.state
        assert made.record.pending == record.pending
        assert made.record.rows == record.rows - 2 * 999_999
        assert not made.record.replaced
        now = named_parts(made.record.tables.values())
        old = named_parts((*record.tables.values(), *record.replaced)) - now
        held = {
            (table.name, part.name)
            for table in (*record.tables.values(), *record.replaced)
            for part in table.parts
            if part.days & set(erased)
        }
        assert held <= old
        assert all(
            f"drop table if exists {table}" in made.drops or drop_part(table, part) in made.drops for table, part in old
        )
        next_day = days(last + 1, last + 1)
        assert loaded(made.record, spec, next_day).state == loaded(record, spec, next_day).state


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
                wanted = {
                    drop_part(name, part) if name in record.table_names else f"drop table if exists {name}"
                    for name, part in lost
                }
                assert sorted(made.drops) == sorted(wanted)
                gone |= lost
        assert not gone & found
        assert places(record.replaced) & found or scheme == "wata"


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_what_readers_saw_stays_when_a_run_finishes_a_batch(technique: str) -> None:
    spec = replace(SPEC, index=WaveIndex("del", 3, 2), technique=technique)
    record, _ = after(spec, 4, first_load=3)
    seen = named_parts(record.constituents)

    def loaded(before: WaveRecord, number: int, run: str) -> WaveRecord:
        work = Work("load", tuple(days(number, number)))
        return step(before, spec, work, "(source)", Naming("shop", "sales", 90 + number, run)).record

    decided = loaded(record, 5, "1" * 12)
    # As the run's own, and as one of a run before.
    kept = [
        seen <= named_parts([*after_it.tables.values(), *after_it.replaced])
        for after_it in (loaded(replace(decided, run=run), 6, "2" * 12) for run in ("2" * 12, "1" * 12))
    ]
    assert kept == [True, False]


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
    work = Work("load", tuple(days(5, 5)))
    made = step(record, spec, work, "(source)", NAMING)
    assert made.changed_days is not None
    assert "values (0, '2026-01-05', 1000000L, '0000000000000005', false))" in made.changed_days
    assert f"where wave_part = '{made.record.constituents[1].parts[-1].name}' and wave_is_first" in made.changed_days
    written = step(record, spec, work.as_written({"2026-01-05": "f"}), "(source)", NAMING)
    assert written.statements == made.statements
    assert written.record.days[5] == replace(made.record.days[5], checksum="f")
    assert written.record.tables == made.record.tables
    prepared = step(made.record, spec, Work("prepare"), "(source)", naming())
    assert prepared.changed_days is None
    # What is copied is compared with the record; copies of a new day, with its first rows.
    packed, _ = after(replace(spec, technique="packed_shadow"), 4)
    made = step(packed, packed.spec, work, "(source)", NAMING)
    assert "(0, '2026-01-04', 1000000L, '0000000000000004', true)" in str(made.changed_days)
    assert "(0, '2026-01-05', 1000000L, '0000000000000005', false)" in str(made.changed_days)
    plus = replace(SPEC, index=WaveIndex("reindex_plus", 4, 2), technique="packed_shadow")
    made = step(after(plus, 4)[0], plus, work, "(source)", NAMING)
    assert len(re.findall(r"'2026-01-05', 1000000L, (?:null, true|'0+5', false)\)", str(made.changed_days))) == 2


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


def test_the_length_of_a_full_window_is_known_before() -> None:
    def length(window: int, n: int, technique: str = "in_place", scheme: str = "del", columns: int = 0) -> int:
        more = tuple((f"column_number_{number}", "int") for number in range(columns))
        spec = replace(SPEC, index=WaveIndex(scheme, window, n), technique=technique, columns=(*COLUMNS, *more))
        return full_length(spec, "warehouse", "recent_sales")

    assert length(300, 10) > MOST_TEXT > length(300, 10, "packed_shadow")
    assert length(100, 100) > MOST_TEXT > length(100, 10)
    assert length(100, 10, columns=600) > MOST_TEXT
    # An index that has grown is as long, whatever its scheme.
    for scheme in SCHEMES:
        spec = replace(SPEC, index=WaveIndex(scheme, 20, 4))
        record, _ = after(spec, 20)
        grown = len(literal(as_comment({"select": view_select(record, {"batch_id": 40, "attempt": "0" * 12})})))
        assert abs(length(20, 4, scheme=scheme) / grown - 1) < 0.1, scheme

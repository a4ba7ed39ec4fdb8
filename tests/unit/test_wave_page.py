"""The page about a wave index, of made-up ones."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest
from html_pages import Page
from unit.made_up_log import batch
from unit.wave_records import SPEC, after, days

from deltawave.reporting.batches import Batch
from deltawave.reporting.wave_page import as_html
from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.tables import Table, WaveRecord, WaveSpec

BATCHES = [batch(1, strategy="wata"), batch(2, strategy="wata", inserts=5, updates=0, deletes=5, reason="load")]


def text_of(spec: WaveSpec, last: int) -> str:
    record, _ = after(spec, last)
    return Page(as_html("dev.sales", record, BATCHES, datetime(2026, 5, 1))).text


def test_time_sets_now_and_on_the_days_to_come() -> None:
    text = text_of(replace(SPEC, index=WaveIndex("wata", 7, 3)), 12)
    for shown in (
        "The wave index dev.sales",
        "Scheme wata, a window of 7 days in 3 constituents, in_place; searched by supplier.",
        # The oldest two days are hidden until their whole constituent expires.
        "newest day 2026-01-12 days 7 rows 7,000,000 indexes 3",
        "I2 constituent 2026-01-04 to 2026-01-06 3 3,000,000",
        "+1 DropIndex, BuildIndex, AddIndex 2026-01-10 to 2026-01-12 +1 2026-01-07 to 2026-01-09",
        "+2 AddToIndex 2026-01-10 to 2026-01-12 +1 to +2 2026-01-07 to 2026-01-09",
        "batch 2, 2026-02-01: 5 inserts, 5 deletes",
        "wata load 4",
    ):
        assert shown in text, shown


def loads(first: int, last: int) -> list[Batch]:
    """The batches of an index that began with so many days at once."""
    named = {number: days(number, number)[0].value for number in range(first, last + 1)}
    reasons = {number: "start" if number == first else "load" for number in named}
    return [
        batch(place, strategy="del", reason=reasons[number], rows_new=min(number, 4) * 10, dump=named[number])
        for place, number in enumerate(named, 1)
    ]


def test_time_sets_of_the_last_days() -> None:
    record, _ = after(SPEC, 6, first_load=3)
    rows = rows_of(record, loads(3, 6))
    assert rows["2026-01-03"] == "30 3 -5 to -4 2026-01-03"
    assert rows["2026-01-04"] == "40 4 -5 to -4 2026-01-03 to 2026-01-04"
    assert rows["2026-01-06"] == "40 4 2026-01-05 to 2026-01-06 2026-01-03 to 2026-01-04"
    # Before the index was rebuilt it had other days.
    record, _ = after(SPEC, 2)
    assert rows_of(record, [*loads(3, 6), *loads(1, 2)]) == {
        "2026-01-01": "10 1 2026-01-01",
        "2026-01-02": "20 2 2026-01-01 to 2026-01-02",
    }
    assert "The last days" not in Page(as_html("dev.sales", record, BATCHES, datetime(2026, 5, 1))).text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_last_days_are_those_of_the_index(scheme: str) -> None:
    spec = replace(SPEC, index=WaveIndex(scheme, 7, 3))
    record, _ = after(spec, 40)
    newest = " ".join(named(record, table) for table in record.constituents)
    rows = rows_of(record, loads(1, 40))
    assert rows["2026-02-09"] == f"40 {record.state.length} {newest}"
    assert len(rows) == 30


def rows_of(record: WaveRecord, batches: Sequence[Batch]) -> dict[str, str]:
    """The rows of the table of the last days, by day."""
    text = Page(as_html("dev.sales", record, batches, datetime(2026, 5, 1))).text
    _, shown = text.split("The last days")
    lines = shown.partition("The time-sets after each day")[0].split(" \n ")
    return dict(line.strip().split(" ", 1) for line in lines if line.strip().startswith("2026"))


def named(record: WaveRecord, table: Table) -> str:
    values = [record.days[day].value for day in sorted(table.days)]
    assert sorted(table.days) == list(range(min(table.days), max(table.days) + 1))
    return " to ".join(dict.fromkeys((values[0], values[-1])))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_at_any_time(scheme: str) -> None:
    for last in (1, 4, 7, 10):
        text = text_of(replace(SPEC, index=WaveIndex(scheme, 7, 2, spread=last > 7)), last)
        assert f"newest day 2026-01-{last:02}" in text
        assert "+7" in text
    assert ("prepared for later" in text) == (scheme in ("reindex_plus", "reindex_plus_plus", "rata"))

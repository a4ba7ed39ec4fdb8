"""The page about a wave index, of made-up ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from html_pages import Page
from unit.made_up_log import batch
from unit.wave_records import SPEC, after

from deltawave.reporting.wave_page import as_html
from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.tables import WaveSpec

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


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_at_any_time(scheme: str) -> None:
    for last in (1, 4, 7, 10):
        text = text_of(replace(SPEC, index=WaveIndex(scheme, 7, 2, spread=last > 7)), last)
        assert f"newest day 2026-01-{last:02}" in text
        assert "+7" in text
    assert ("prepared for later" in text) == (scheme in ("reindex_plus", "reindex_plus_plus", "rata"))

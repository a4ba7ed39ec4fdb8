"""Strategy text_diff: rows in their former order and in others. Its logs are compared in test_window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from functional.macros.generated import content
from pyspark.sql import DataFrame

from deltawave.differencing import snapshot_differential
from deltawave.resources import release

pytestmark = pytest.mark.usefixtures("interpreted", "small_segments")

ROW = "id as account_id, concat('name of ', id) as name, id % 3 as branch"
# Rows 0 to 9 are updated, 900 to 909 gone, 1000 to 1004 new.
NEW_ROW = ROW.replace("id % 3", "if(id < 10, -1, id % 3)")
PRESENT = "id not between 900 and 909"
COMPARED = "text diff over 2 segments: 100% of the sampled rows"
JOINED = "no text diff, Spark joins both snapshots: only {} of the sampled rows are in the same order"
ORDERS = {
    "the same": ("id", COMPARED),
    "a row moved to the end": ("id = 500, id", COMPARED),
    "halves exchanged": ("id < 500, id", COMPARED),
    "reversed by tens": ("id div 10, -id", JOINED.format("10%")),
    "mixed": ("hash(id)", JOINED.format("12%")),
}


def changed(old: DataFrame, new: DataFrame, algorithm: str, **options: Any) -> Counter[Any]:
    frame = snapshot_differential(old, new, unique_key="account_id", algorithm=algorithm, **options)
    try:
        return Counter(content(tuple(row)) for row in frame.collect())
    finally:
        release(frame)


class TestFunction:
    @pytest.mark.parametrize("order", ORDERS)
    def test_the_order_does_not_matter(
        self, stored: Callable[..., DataFrame], caplog: pytest.LogCaptureFixture, order: str
    ) -> None:
        caplog.set_level("INFO", "deltawave")
        old = stored("old", f"select {ROW} from range(1000) order by id")
        new = stored("new", f"select {NEW_ROW} from range(1005) where {PRESENT} order by {ORDERS[order][0]}")
        found = changed(old, new, "text_diff")
        assert found == changed(old, new, "sort_merge")
        assert sum(found.values()) == 25
        assert ORDERS[order][1] in caplog.text

    def test_little_memory(self, stored: Callable[..., DataFrame]) -> None:
        old = stored("old", f"select {ROW} from range(1000) order by id", 1)
        new = stored("new", f"select {NEW_ROW} from range(-300, 1005) where {PRESENT} order by id", 9)
        # Room for about fifty rows.
        assert changed(old, new, "text_diff", memory_bytes=20_000) == changed(old, new, "sort_merge")

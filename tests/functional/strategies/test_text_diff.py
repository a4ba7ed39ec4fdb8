"""Strategy text_diff: rows in their former order and in others, and a log that is equal to that of outer_join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from functional.macros.generated import content
from numbered import kept, table
from pyspark.sql import DataFrame
from workbench import Workbench

from deltawave.differencing import snapshot_differential

pytestmark = pytest.mark.usefixtures("small_segments")

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
    frame, free = snapshot_differential(old, new, unique_key="account_id", algorithm=algorithm, **options)
    try:
        return Counter(content(tuple(row)) for row in frame.collect())
    finally:
        free()


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

    def test_what_is_no_plain_table_is_joined(
        self, stored: Callable[..., DataFrame], caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("INFO", "deltawave")
        frame = stored("old", f"select {ROW} from range(100) order by id")
        assert sum(changed(frame.where("account_id < 50"), frame, "text_diff").values()) == 50
        assert "no text diff, Spark joins both snapshots: the old one is not read in place" in caplog.text


class TestModel:
    def test_the_log_is_that_of_the_outer_join(self, bench: Workbench) -> None:
        dumps = [
            f"select {ROW} from range(0, 1000, 1, 3)",
            f"select {NEW_ROW} from range(0, 1005, 1, 3) where {PRESENT}",
            f"select {ROW} from range(0, 1000, 1, 5) order by hash(id)",
        ]
        logs = []
        for strategy in ("text_diff", "outer_join"):
            bench.configure(strategy=strategy, full_refresh=True)
            texts = [
                bench.build(dump, *(["--full-refresh"] if dump is dumps[0] and logs else [])).text for dump in dumps
            ]
            if strategy == "text_diff":
                assert "deltawave: accounts: text diff over" in texts[1]
                assert len(kept(bench, "ordered")) == 1
            logs.append(bench.log("account_id, name, branch, _change_type, _changed_columns, _before.branch"))
        assert len(logs[0]) == 1000 + 25 + 25
        # A new generation has other numbers of batches, and rows in the same order.
        assert logs[0] == logs[1]

    def test_a_duplicate_is_refused(self, bench: Workbench) -> None:
        bench.configure(strategy="text_diff")
        bench.build(table(3))
        assert "more than once" in bench.refused(f"{table(3)} union all {table(3)}")

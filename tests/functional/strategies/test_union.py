"""Strategy union: its plan, and a log that is equal to that of outer_join."""

from __future__ import annotations

import pytest
from plans import EXPLAINING, assert_compared_in_place
from workbench import Workbench

FIRST = "select * from values (1, 'ann'), (2, 'bob'), (3, cast(null as string)) as t(account_id, name)"
SECOND = "select * from values (1, 'ann'), (2, 'rob'), (4, 'dan') as t(account_id, name)"


@pytest.mark.usefixtures("settings_as_before")
class TestUnion:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return EXPLAINING

    def test_gives_the_log_of_an_outer_join(self, bench: Workbench) -> None:
        columns = "account_id, name, _change_type, _changed_columns, _before.name, _batch_id"
        logs = []
        for strategy in ("outer_join", "union"):
            bench.clear()
            bench.configure(strategy=strategy, hint="broadcast")
            bench.build(FIRST)
            bench.build(SECOND)
            logs.append(bench.log(columns))
        assert logs[0] == logs[1]
        assert bench.batches("strategy, reason") == [("union", "configured")] * 2

    @pytest.mark.parametrize(
        ("hint", "joins"),
        [(None, {"SortMergeJoin": 3}), ("shuffle_hash", {"ShuffledHashJoin": 2, "SortMergeJoin": 1})],
    )
    def test_comparison_neither_exchanges_nor_sorts(
        self, bench: Workbench, hint: str | None, joins: dict[str, int]
    ) -> None:
        assert_compared_in_place(bench, "union", hint, joins)

"""Strategies that read a part of the table a run: the log is the one that comparing whole dumps gives."""

from __future__ import annotations

from typing import Any

import pytest
from workbench import MODEL, Workbench

ROWS = "select id as account_id, cast(id as string) as name, id % 7 as points, {at} as changed_at, {gone} as is_gone from range({rows})"
FIRST = ROWS.format(rows=100, at="1", gone="false")
# Two updates, a touched row that did not change, an insert; time 2. Row 7 goes.
SECOND = """
    select
        id as account_id,
        if(id in (3, 60), 'new', cast(id as string)) as name,
        id % 7 as points,
        if(id in (3, 7, 60, 61) or id >= 100, 2, 1) as changed_at,
        id = 7 as is_gone
    from range(101)
"""
CHANGES = [(3, "new", "update", 2), (60, "new", "update", 2), (100, "100", "insert", 2)]
DELETED = (7, "7", "delete", 2)
STRATEGIES: dict[str, dict[str, Any]] = {
    "timestamp": {"updated_at": "changed_at", "range_rows": 10},
    "timestamp_delete_flag": {"updated_at": "changed_at", "delete_flag": "is_gone", "range_rows": 10},
    "ranges": {"range_rows": 10},
    "range_checksum": {"range_rows": 10},
    "row_checksum": {},
}


def select(strategy: str) -> str:
    """The model's select: only TDI is told of deletes by a flag."""
    if strategy == "timestamp":
        return "select account_id, name, points, changed_at from {{ target.schema }}.dump"
    if strategy == "timestamp_delete_flag":
        return "select * from {{ target.schema }}.dump"
    return "select account_id, name, points from {{ target.schema }}.dump where not is_gone"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_log_is_that_of_whole_dumps(bench: Workbench, strategy: str) -> None:
    bench.configure(select(strategy), strategy=strategy, **STRATEGIES[strategy])
    bench.build(FIRST)
    assert bench.batches() == [(1, 100, 0, 0)]
    bench.build(FIRST)
    assert len(bench.batches()) == 1, "an unchanged source makes no batch"
    bench.build(SECOND)
    deletes = [] if strategy == "timestamp" else [DELETED]
    assert [row for row in bench.log() if row[3] == 2] == sorted(CHANGES + deletes)
    bench.build(SECOND)
    assert len(bench.batches()) == 2
    third = SECOND.replace("range(101)", "range(101) where id <> 50").replace("id in (3, 60)", "id in (3)").replace("or id >= 100, 2", "or id >= 100, 3")
    bench.build(third)
    print(strategy, bench.batches("*"), bench.names())

"""How many statements a batch of a small table takes: each costs a tenth of a second, however little it does."""

from typing import Any

import pytest
from workbench import MODEL, Workbench

ROWS = """
    select
        id as account_id,
        if(id < {0}, {0}, 0) as amount,
        timestamp'2026-01-01' + make_dt_interval(if(id < {0}, {0}, 0)) as seen
    from range(400)
"""


@pytest.mark.parametrize(
    ("strategy", "changed", "unchanged", "options"),
    [
        ("outer_join", 8, 1, {}),
        ("hash_compressed", 8, 1, {}),
        ("timestamp", 15, 9, {"updated_at": "seen"}),
        ("ranges", 16, 10, {"range_key": "account_id"}),
        ("row_checksum", 12, 7, {}),
    ],
)
def test_a_small_batch_takes_few(
    bench: Workbench, strategy: str, changed: int, unchanged: int, options: dict[str, Any]
) -> None:
    bench.dump(ROWS.format(0))
    bench.configure(strategy=strategy, **options)
    bench.build()
    bench.dump(ROWS.format(5))
    bench.build()
    bench.dump(ROWS.format(7))
    assert bench.build().messages[MODEL] == "1 batch: 0 inserts, 0 deletes, 7 updates"
    assert len(bench.statements()) <= changed, bench.statements()
    bench.dump(ROWS.format(7))
    assert bench.build().messages[MODEL] == "no changes"
    assert len(bench.statements()) <= unchanged, bench.statements()

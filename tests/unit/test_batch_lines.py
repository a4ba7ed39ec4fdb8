"""The line about a batch, and where it is printed."""

from typing import Any

import pytest
from unit.macro_harness import Macros, make_job

RECORD = {"inserts": 0, "deletes": 0, "updates": 0, "backfilled": 0, "quarantined": 0}
RECORD |= {"rows_new": 47967, "seconds": 1.6049, "strategy": "hash_compressed"}


def reported(**record: Any) -> tuple[str, bool, dict[str, int]]:
    """The line, whether it is printed on the terminal, and the run's outcome after it."""
    lines: list[tuple[str, bool]] = []
    macros = Macros(log=lambda text, info: lines.append((text, info)) or "")
    names = ("batches", "insert", "delete", "update", "backfill", "quarantined")
    job = make_job("accounts_changes", outcome=dict.fromkeys(names, 1))
    macros._report_batch(job, {"label": "12 (2026-01-31)"}, RECORD | record)
    ((text, is_shown),) = lines
    return text.removeprefix("deltawave: accounts_changes: batch 12 (2026-01-31): "), is_shown, job["outcome"]


@pytest.mark.parametrize(
    ("record", "text", "is_shown"),
    [
        ({"inserts": 14, "updates": 81}, "+14 -0 ~81 of 47,967, 1.6 s, hash_compressed", True),
        ({"deletes": 1200, "rows_new": 0, "seconds": 1234.56}, "+0 -1,200 ~0 of 0, 1,234.6 s, hash_compressed", True),
        ({"backfilled": 2000}, "+0 -0 ~0 of 47,967, 2,000 backfilled, 1.6 s, hash_compressed", True),
        ({"quarantined": 3}, "+0 -0 ~0 of 47,967, 3 quarantined, 1.6 s, hash_compressed", True),
        ({}, "+0 -0 ~0 of 47,967, 1.6 s, hash_compressed", False),
    ],
)
def test_a_batch_without_changes_is_not_on_the_terminal(record: dict[str, Any], text: str, is_shown: bool) -> None:
    assert reported(**record)[:2] == (text, is_shown)


def test_the_run_adds_up() -> None:
    _, _, outcome = reported(inserts=1, deletes=2, updates=3, backfilled=4, quarantined=5)
    assert outcome == {"batches": 2, "insert": 2, "delete": 3, "update": 4, "backfill": 5, "quarantined": 6}

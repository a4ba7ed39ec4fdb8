"""The cells of `make test-versions`, docs/support.md and the workflow."""

from collections import Counter
from pathlib import Path

import yaml
from versions import CELLS, PAGE, line, written

ROOT = Path(__file__).resolve().parents[2]


def test_each_version_has_two_cells() -> None:
    assert len({cell.name for cell in CELLS}) == len(CELLS)
    for what in ("python", "dbt", "spark", "table_format", "door"):
        assert min(Counter(getattr(cell, what) for cell in CELLS).values()) >= 2


def test_the_workflow_runs_all_cells() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    assert workflow["jobs"]["versions"]["strategy"]["matrix"]["cell"] == [cell.name for cell in CELLS]


def test_the_page_keeps_what_other_runs_have_seen() -> None:
    page = PAGE.read_text()
    assert written(page, {}) == page
    new = line(CELLS[1], "right on 2030-01-01: `auto`")
    changed = written(page, {CELLS[1].name: new})
    assert changed.replace(new, "") == page.replace(
        next(each for each in page.splitlines() if each.startswith(f"| {CELLS[1].name} ")), ""
    )

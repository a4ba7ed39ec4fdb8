"""The page about a log that dbt has built, as a reader sees it in headless Chromium."""

import json
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium, opened
from dbt.tests.util import run_dbt
from playwright.sync_api import expect

from dbt.adapters.deltawave import operation_command

# Two dumps: of the second one, half of the accounts in the north have another amount.
MODEL = """
{{ config(materialized='differential', unique_key='account_id', meta={'snapshot_date': 'day'}) }}

select
    accounts.id as account_id,
    if(accounts.id % 4 = 0, 'north', 'other') as region,
    if(accounts.id % 8 = 0, days.id, 1L) as amount,
    date_add(date'2026-01-01', cast(days.id as int)) as day
from range(400) as accounts
cross join range(1, 3) as days
"""


@pytest.mark.usefixtures("deltawave_package")
class TestRealLog:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"accounts.sql": MODEL}

    def test_its_page(self, project: Any, tmp_path: Path) -> None:
        run_dbt(["run"])
        file = tmp_path / "page.html"
        given = json.dumps({"model": "accounts", "format": "html", "output": str(file)})
        assert operation_command.main(["report", "report", given, f"--project-dir={project.project_root}"]) == 0
        # Its end fails if the page has reported an error.
        with chromium() as browser, opened(browser, file) as page:
            expect(page.locator("h1")).to_have_text(f"What changed in {project.test_schema}.accounts")
            changes = page.get_by_role("img", name="Changes by batch")
            (bar,) = changes.locator("rect").all()
            box = bar.bounding_box()
            assert box
            assert box["height"] > 100
            expect(page.locator(".meter rect")).to_have_attribute("width", "120.0")
            found = page.get_by_role("region", name="Where the changes concentrate").locator("tbody tr")
            expect(found).to_have_text(["updatedregionnorth50100.0%25.0%4.02.4"])
            # Three updates of the column, and eight inserts.
            expect(page.locator("output")).to_have_text("11 of 11 lines")

"""The advice on a strategy, as a user asks for it."""

from typing import Any

import pytest
import yaml
from dbt.tests.util import run_dbt, run_dbt_and_capture

ACCOUNTS = """
{{ config(materialized='table', unique_key=['region', "owner's id"]) }}
select
    'north' as region,
    lpad(id, 7, '0') as `owner's id`,
    repeat('x', 84) as `full name`,
    if(id % 2 = 0, 'even', null) as note,
    array(1, 2) as tags
from range(5000)
"""
LOG = """
{{ config(materialized='differential', unique_key='id') }}
select id, 'some name' as name from range(50)
"""
SOURCES = {
    "version": 2,
    "sources": [
        {
            "name": "legacy",
            "schema": "{{ target.schema }}",
            "tables": [{"name": "clients", "identifier": "accounts"}, {"name": "orders"}],
        }
    ],
}


@pytest.mark.both_adapters
@pytest.mark.usefixtures("deltawave_package")
class TestAdvise:
    models = {
        "accounts.sql": ACCOUNTS,
        "log.sql": LOG,
        "nothing.sql": "select 1 as id where false",
        "sources.yml": yaml.safe_dump(SOURCES),
    }

    @pytest.fixture(scope="class")
    def advise(self, project):
        run_dbt(["run"])

        def printed(expect_pass: bool = True, **arguments: Any) -> str:
            command = ["--quiet", "run-operation", "deltawave.advise", "--args", yaml.safe_dump(arguments)]
            return run_dbt_and_capture(command, expect_pass=expect_pass)[1]

        return printed

    def test_a_model_is_counted_and_measured(self, advise):
        # 5 + 7 + 84 bytes, 4 in every other row, 6 for [1, 2]: 104; the key has 5 + 7.
        text = advise(model="accounts", is_remote=True, is_clustered=True)
        assert "Strategies for 5,000 rows of 104 bytes, 12 of them key (measured: accounts)\n" in text
        assert "Take range_checksum: no other sends fewer rows (1,000 of 5,000).\n" in text
        assert (
            "      unique_key=['region', 'owner\\'s id'],\n      meta={\n          'strategy': 'range_checksum',\n"
            in text
        )

    def test_a_source_is_measured_where_it_lies(self, advise):
        assert "Strategies for 5,000 rows of 104 bytes, 8 of them key (measured: legacy.clients)\n" in advise(
            model="legacy.clients"
        )

    def test_a_change_log_is_measured_by_the_rows_it_leaves(self, advise):
        text = advise(model="log")
        assert "Strategies for 50 rows of 11 bytes, 2 of them key (measured: log)\n" in text
        assert "unique_key=['id']" in text

    def test_sizes_that_are_given_go_before_measured_ones(self, advise):
        text = advise(model="accounts", rows=30_000_000)
        assert "Strategies for 30,000,000 rows of 104 bytes, 12 of them key (measured: accounts)\n" in text
        text = advise(model="accounts", rows=30_000_000, row_bytes=500, key_bytes=20)
        assert "Strategies for 30,000,000 rows of 500 bytes, 20 of them key\n" in text

    def test_what_is_not_there_is_assumed(self, advise):
        assumed = "Strategies for 1,000,000 rows of 200 bytes, 8 of them key"
        assert f"{assumed} (legacy.orders is not there yet, so it was not measured)\n" in advise(model="legacy.orders")
        assert f"{assumed} (nothing holds no row, so it was not measured)\n" in advise(model="nothing")

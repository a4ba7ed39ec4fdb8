"""What stops a run, beside the kinds of bad input in test_bad_input.py, and what lets it pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import MODEL, Workbench

GOOD = "select id as account_id, cast(id as string) as name from range(10)"


class TestRefusals:
    @pytest.mark.both_adapters
    def test_duplicate_keys(self, bench: Workbench, adapter_type: str) -> None:
        bench.build(GOOD)
        text = bench.refused(GOOD + " union all select 3, 'x' union all select 4, 'x'")
        assert "2 key(s) (account_id) occur more than once, for instance (3), (4)" in text
        is_ours = adapter_type == "deltawave"
        assert (f"Data Error in model {MODEL} (models/{MODEL}.sql)" in text) == is_ours
        assert ("> in macro _stop" in text) == (not is_ours)
        assert ("\n  > " in text) == (not is_ours)

    def test_empty_dump_that_is_allowed(self, bench: Workbench) -> None:
        bench.configure(allow_empty=True, max_delete_fraction=1)
        bench.build(GOOD)
        bench.build(GOOD + " where id < 0")
        assert bench.batches() == [(1, 10, 0, 0), (2, 0, 10, 0)]

    def test_unreadable_file(self, bench: Workbench, tmp_path: Path) -> None:
        bench.build(GOOD)
        bench.spark.sql(f"create table {bench.schema}.files using parquet location '{tmp_path}/dump' as {GOOD}")
        file = next((tmp_path / "dump").glob("*.parquet"))
        file.write_bytes(b"PAR1 is not all that it takes PAR1")
        bench.configure("select * from {{ target.schema }}.files")
        before = bench.log(), bench.batches(), bench.view_text()
        done = bench.run()
        assert not done.ok
        assert file.name in done.text
        assert (bench.log(), bench.batches(), bench.view_text()) == before

    @pytest.mark.both_adapters
    def test_unreadable_rows(self, bench: Workbench) -> None:
        bench.build(GOOD)
        bench.configure(
            "select account_id, if(account_id = 7, raise_error('torn page'), name) as name "
            "from {{ target.schema }}.dump"
        )
        rows, text = bench.log(), bench.view_text()
        done = bench.run()
        assert not done.ok
        assert "torn page" in done.text
        assert (bench.log(), bench.view_text()) == (rows, text)

    def test_view_of_another_program(self, bench: Workbench) -> None:
        bench.spark.sql(f"create view {bench.schema}.{MODEL} as select 42 as answer")
        bench.dump(GOOD)
        done = bench.run()
        assert not done.ok
        assert "deltawave did not create" in done.text
        assert bench.spark.table(f"{bench.schema}.{MODEL}").collect()[0].answer == 42

    @pytest.mark.both_adapters
    def test_table_format_that_the_session_does_not_know(self, bench: Workbench) -> None:
        for option, value in (("file_format", "delta"), ("copy_format", "iceberg")):
            bench.configure(**{option: value})
            assert f"'{option}' is {value}, and this session has no catalog for {value} tables" in bench.refused(GOOD)

    @pytest.mark.both_adapters
    def test_a_misspelt_option_is_refused_and_a_key_of_the_users_own_passes(self, bench: Workbench) -> None:
        bench.configure(ignore_column=["name"])
        assert "accounts: 'ignore_column' is not an option, but nearly 'ignore_columns'." in bench.refused(GOOD)
        bench.configure(owner="bi", my_flag=True, tags=["nightly"], meta={"ignore_column": "name"})
        bench.build(GOOD)

    def test_another_models_options_stop_only_runs_that_select_it(self, bench: Workbench) -> None:
        bench.add_differential("misspelt", ignore_column=["name"])
        assert "Configuration Error in model misspelt (models/added/misspelt.sql)" in bench.refused(GOOD)
        done = bench.build(None, "--select", MODEL)
        assert "Not selected, so this run continues without it: Configuration Error in model misspelt" in done.text

    def test_options_under_meta_come_first(self, bench: Workbench) -> None:
        bench.configure(unique_key="nothing", meta={"deltawave": {"unique_key": "account_id"}})
        bench.build(GOOD)
        assert bench.batches() == [(1, 10, 0, 0)]

"""Bad input gets a clear error and changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from workbench import MODEL, Workbench

GOOD = "select id as account_id, cast(id as string) as name from range(10)"


class TestRefusals:
    def test_missing_key_column(self, bench: Workbench) -> None:
        bench.configure(unique_key="account")
        text = bench.refused(GOOD)
        assert "the select has no column 'account'" in text
        assert "account_id, name" in text

    def test_null_key(self, bench: Workbench) -> None:
        bench.build(GOOD)
        assert "1 row(s) have null in all of the key (account_id)" in bench.refused(
            GOOD + " union all select null, 'x'"
        )

    @pytest.mark.both_adapters
    def test_duplicate_keys(self, bench: Workbench) -> None:
        bench.build(GOOD)
        text = bench.refused(GOOD + " union all select 3, 'x' union all select 4, 'x'")
        assert "2 key(s) (account_id) stand more than once, for instance (3), (4)" in text

    def test_duplicate_keys_in_the_first_dump(self, bench: Workbench) -> None:
        assert "stand more than once" in bench.refused("select 1 as account_id union all select 1")

    def test_empty_dump(self, bench: Workbench) -> None:
        bench.build(GOOD)
        assert "the dump is empty (the last one had 10 rows)" in bench.refused(GOOD + " where id < 0")

    def test_empty_dump_that_is_allowed(self, bench: Workbench) -> None:
        bench.configure(allow_empty=True, max_delete_fraction=1)
        bench.build(GOOD)
        bench.build(GOOD + " where id < 0")
        assert bench.batches() == [(1, 10, 0, 0), (2, 0, 10, 0)]

    def test_dump_with_sixty_percent_gone(self, bench: Workbench) -> None:
        bench.build(GOOD)
        text = bench.refused(GOOD + " where id < 4")
        assert "6 of 10 rows (60.0%) would be deleted, more than max_delete_fraction 0.5 allows" in text

    def test_a_run_may_pass_the_guard(self, bench: Workbench) -> None:
        bench.build(GOOD)
        bench.build(GOOD + " where id < 4", "--vars", "{deltawave_accept: [accounts]}")
        assert bench.batches() == [(1, 10, 0, 0), (2, 0, 6, 0)]

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

    @pytest.mark.parametrize("kind", ["table", "view"])
    def test_relation_of_another_program(self, bench: Workbench, kind: str) -> None:
        bench.spark.sql(f"create {kind} {bench.schema}.{MODEL} as select 42 as answer")
        bench.dump(GOOD)
        done = bench.run()
        assert not done.ok
        assert "deltawave did not make" in done.text
        assert bench.spark.table(f"{bench.schema}.{MODEL}").collect()[0].answer == 42

    @pytest.mark.both_adapters
    def test_table_format_that_the_session_does_not_know(self, bench: Workbench) -> None:
        for option, value in (("file_format", "delta"), ("copy_format", "iceberg")):
            bench.configure(**{option: value})
            assert f"'{option}' is {value}, and this session has no catalog for {value} tables" in bench.refused(GOOD)

    def test_column_with_a_name_of_the_log(self, bench: Workbench) -> None:
        assert "'batch_id' has a name that the change log needs" in bench.refused(
            "select 1 as account_id, 2 as batch_id"
        )

    def test_map_as_key(self, bench: Workbench) -> None:
        assert "can't be compared as a key" in bench.refused("select map(1, 2) as account_id, 'a' as name")

    def test_changed_unique_key(self, bench: Workbench) -> None:
        bench.build(GOOD)
        bench.configure(unique_key=["account_id", "name"])
        assert "unique_key was (account_id) and is (account_id, name) now" in bench.refused()

    def test_changed_type(self, bench: Workbench) -> None:
        bench.build(GOOD)
        assert "'name' was string and is int now" in bench.refused("select id as account_id, 1 as name from range(10)")

    def test_full_refresh(self, bench: Workbench) -> None:
        bench.build(GOOD)
        assert "--full-refresh would begin a new log" in bench.refused(GOOD, "--full-refresh")

    def test_sample(self, bench: Workbench) -> None:
        bench.build(GOOD)
        assert "--sample would compare a part of a dump" in bench.refused(GOOD, "--sample", "3 days")

    @pytest.mark.parametrize(
        ("config", "message"),
        [
            ({"unique_key": []}, "'unique_key' is required"),
            ({"meta": {"deltawave": {"unique_key": {"a": 1}}}}, "a column name or a list of them"),
            ({"unique_key": ["a", "A"]}, "a list of different column names"),
            ({"strategy": "guess"}, "'strategy' can't be 'guess'; it takes outer_join, union, auto"),
            ({"before_image": "yes"}, "'before_image' can't be 'yes'"),
            ({"initial_load": 1}, "'initial_load' can't be 1"),
            (
                {"max_delete_fraction": 50},
                "'max_delete_fraction' can't be 50; it takes a number from 0 to 1",
            ),
            ({"allow_empty": "no"}, "'allow_empty' can't be 'no'"),
            ({"file_format": "csv"}, "'file_format' can't be 'csv'"),
            ({"tolerance": 0.1}, "'tolerance' can't be 0.1; it takes a mapping"),
            ({"tolerance": {"name": -1}}, "'tolerance' can't be {'name': -1}"),
            ({"compare_columns": ["name"], "ignore_columns": ["name"]}, "can't both be given"),
            ({"compare_columns": ["nmae"]}, "no column 'nmae', which compare_columns names"),
            (
                {"meta": {"deltawave": {"max_deletes": 1}}},
                "meta.deltawave has no option 'max_deletes'",
            ),
        ],
    )
    def test_wrong_config(self, bench: Workbench, config: dict[str, Any], message: str) -> None:
        bench.configure(**config)
        assert message in bench.refused(GOOD)

    def test_options_under_meta_come_first(self, bench: Workbench) -> None:
        bench.configure(unique_key="nothing", meta={"deltawave": {"unique_key": "account_id"}})
        bench.build(GOOD)
        assert bench.batches() == [(1, 10, 0, 0)]

"""What stops a run, beside the kinds of bad input in test_bad_input.py, and what lets it pass."""

from pathlib import Path

import pytest
from workbench import DUMP, SEVERAL, Workbench

pytestmark = pytest.mark.core

GOOD = "select id as account_id, cast(id as string) as name from range(10)"
TORN = DUMP.replace("*", "account_id, if(account_id = 7, raise_error('torn page'), name) as name")
FORMATS = ("delta", "iceberg")


class TestRefusals:
    @pytest.fixture
    def bench(self, bench: Workbench) -> Workbench:
        (bench.root / "models" / "accounts.sql").unlink()
        return bench

    @pytest.mark.both_adapters
    def test_rows_and_formats(self, bench: Workbench, adapter_type: str) -> None:
        # A user's own keys pass.
        meta = {"contains_pii": True, "windows": "nightly"}
        bench.configure(owner="bi", my_flag=True, tags=["nightly"], meta=meta)
        bench.build(GOOD)
        assert bench.batches() == [(1, 10, 0, 0)]
        bench.add_differential("twice", f"{GOOD} union all select 3, 'x' union all select 4, 'x'")
        bench.add_differential("torn", TORN)
        for name in FORMATS:
            bench.add_differential(name, file_format=name)
        bench.aim(("twice", "torn"))
        before = bench.contents()
        done = bench.run("--select", "twice", "torn", *FORMATS)
        assert "PASS=0 WARN=0 ERROR=4 SKIP=0" in done.text
        assert bench.contents() == before
        assert "torn page" in done.messages["torn"]
        for name in FORMATS:
            message = f"'file_format' is {name}, and this session has no catalog for {name} tables"
            assert message in done.messages[name]
        message = done.messages["twice"]
        assert "2 key(s) (account_id) occur more than once, for instance (3), (4)" in message
        is_ours = adapter_type == "deltawave"
        assert ("Data Error in model twice (models/added/twice.sql)" in message) == is_ours
        assert ("> in macro _stop" in message) == (not is_ours)
        assert ("\n  > " in message) == (not is_ours)

    def test_columns_that_were_perhaps_renamed(self, bench: Workbench) -> None:
        """The message shows those with nearly the same values by the key, whatever the strategy keeps."""
        rows = "select id as account_id, string(id % 7) as name, id as score, 1 as one, date '2026-01-01' as day"
        rows += " from range(200)"
        bench.dump(rows)
        for name, options in {
            "copied": {"strategy": "outer_join"},
            "hashed": {"strategy": "hash_compressed"},
            "dated": {"strategy": "outer_join", "snapshot_date": "day"},
        }.items():
            bench.add_differential(name, **options)
        assert "PASS=3" in bench.run("--select", "copied", "hashed", "dated").text
        renamed = rows.replace("as name", "as full_name").replace("id as score", "if(id = 3, 0, id) as points")
        bench.dump(renamed.replace("2026-01-01", "2026-01-02").replace("1 as one", "1 as uno"))
        before = bench.contents()
        done = bench.run("--select", "copied", "hashed", "dated")
        assert bench.contents() == before
        for name in ("copied", "hashed", "dated"):
            message = " ".join(done.messages[name].split())
            assert "(added: full_name, points, uno; dropped: name, score, one)" in message
            assert (
                'Perhaps renamed: "name" -> "full_name" (100.0% equal), "score" -> "points" (99.5% equal). Set'
                in message
            )

    def test_files_and_views(self, bench: Workbench, tmp_path: Path) -> None:
        table = f"{bench.schema}.of__files"
        bench.spark.sql(f"create table {table} using parquet location '{tmp_path}/dump' as {GOOD}")
        bench.add_differential("damaged", f"select * from {table}")
        bench.build()
        file = next((tmp_path / "dump").glob("*.parquet"))
        file.write_bytes(b"PAR1 is not all that it takes PAR1")
        bench.spark.sql(f"create view {bench.schema}.elsewhere as select 42 as answer")
        bench.add_differential("elsewhere", GOOD)
        before = bench.contents()
        done = bench.run(*SEVERAL)
        assert "PASS=0 WARN=0 ERROR=2 SKIP=0" in done.text
        assert bench.contents() == before
        assert file.name in done.messages["damaged"]
        assert "deltawave did not create" in done.messages["elsewhere"]

    @pytest.mark.both_adapters
    def test_a_misspelt_option_stops_only_runs_that_select_its_model(self, bench: Workbench, adapter_type: str) -> None:
        bench.add_differential("right")
        bench.add_differential("misspelt", ignore_column=["name"])
        bench.dump(GOOD)
        text = bench.failed()
        assert not bench.names("misspelt")
        assert "misspelt: 'ignore_column' is not an option, but nearly 'ignore_columns'." in text
        if adapter_type == "deltawave":
            assert not bench.names("right")
            assert "Configuration Error in model misspelt (models/added/misspelt.sql)" in text
            done = bench.build(None, "--select", "right")
            assert "Not selected, so this run continues without it: Configuration Error in model misspelt" in done.text


class TestShares:
    @pytest.mark.both_adapters
    def test_a_share_of_changes_is_accepted_once(self, bench: Workbench) -> None:
        limits = {"max_update_fraction": 0.2, "max_insert_fraction": 0.2}
        bench.configure(**limits, on_schema_change="append_new_columns")
        # The first batch consists of inserts.
        bench.build(GOOD)
        padded = GOOD.replace("cast(id as string)", "concat(if(id < 5, 'no ', ''), cast(id as string))")
        message = "5 of 10 rows (50.0%) would be updated, more than max_update_fraction 0.2 allows."
        assert message in bench.refused(padded)
        more = padded.replace("range(10)", "range(15)")
        bench.build(more, "--vars", "deltawave_accept: [accounts]")
        # Values of a new column are no updates.
        pointed = more.replace("name", "name, id as points")
        bench.build(pointed)
        assert bench.batches("batch_id, inserts, deletes, updates, backfilled") == [
            (1, 10, 0, 0, 0),
            (2, 5, 0, 5, 0),
            (3, 0, 0, 0, 15),
        ]
        assert "6 row(s) would be inserted into 15 (40.0%)" in bench.refused(pointed.replace("range(15)", "range(21)"))

"""Strategy range_checksum: of the ranges, those whose checksum moved are fetched."""

from __future__ import annotations

from numbered import kept, table
from workbench import Workbench


class TestRangeChecksums:
    def test_only_moved_ranges_are_fetched(self, bench: Workbench) -> None:
        bench.configure(strategy="range_checksum", range_rows=10)
        bench.build(table(-1, rows=1000))
        bench.build(table(501, rows=1000))
        assert bench.batches("batch_id, updates")[-1] == (2, 1)
        assert bench.batches("rows_dump")[-1][0] <= 20
        bench.build(table(502, rows=1001))
        assert bench.batches()[-1] == (3, 1, 0, 2)
        assert bench.batches("rows_dump")[-1][0] <= 60

    def test_duplicate_keys_are_set_aside(self, bench: Workbench) -> None:
        bench.configure(strategy="range_checksum", range_rows=10, duplicate_keys="quarantine")
        bench.build(f"{table(-1)} union all select 7, 'old'")
        assert bench.batches("rows_new, quarantined, inserts") == [(99, 2, 99)]
        # With a column that the log leaves out, as a whole dump may have one.
        bench.build(f"select *, 1 as points from ({table(4)}) union all select 5, 'twin', 2")
        assert bench.log()[99:] == [(4, "new", "update", 2), (7, "old", "insert", 2)]
        bench.build(table(5))
        assert bench.log()[101:] == [(4, "old", "update", 3), (5, "new", "update", 3)]

    def test_text_and_composite_keys(self, bench: Workbench) -> None:
        select = """
            select
                if(id % 5 = 0, null, concat(char(60 + id % 40), 'É')) as region,
                id div 10 as account_id,
                timestamp '2026-03-29 00:30:00 UTC' + make_interval(0, 0, 0, 0, id) as opened_at,
                {} as name
            from range(200)
        """
        bench.configure(strategy="range_checksum", unique_key=["region", "account_id", "opened_at"], range_rows=9)
        bench.build(select.format("id % 50"))
        changed = f"{select.format('id % 51')} where id <> 17"
        bench.build(changed)
        assert bench.batches("inserts, deletes, updates")[-1] == (0, 1, 150)
        assert "no changes" in bench.build(changed).text

    def test_a_table_of_ranges_that_was_edited_is_refused(self, bench: Workbench) -> None:
        bench.configure(strategy="range_checksum", range_rows=10)
        bench.build(table(-1))
        (name,) = kept(bench, "ranges")
        bench.spark.sql(f"insert into {bench.schema}.{name} (range_id) values (99)")
        said = bench.refused(table(3))
        assert "the table of key ranges, differs from what the last batch wrote" in said
        bench.configure()
        bench.build(table(3))
        assert bench.batches()[-1] == (2, 0, 0, 1)

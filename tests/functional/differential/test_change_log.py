"""What a user sees of a change log, batch by batch."""

from datetime import datetime

import pytest
from workbench import DUMP, SEVERAL, Workbench

FIRST = "select * from values (1, 'ann'), (2, 'bob'), (3, cast(null as string)) as t(account_id, name)"
SECOND = "select * from values (1, 'ann'), (2, 'rob'), (4, 'dan') as t(account_id, name)"


class TestChangeLog:
    @pytest.mark.both_adapters
    def test_second_dump_gives_what_differs(self, bench: Workbench, adapter_type: str) -> None:
        start = datetime.now().timestamp()
        bench.build(FIRST)
        (moment,) = {row[0] for row in bench.log("unix_micros(_batch_at), account_id, _batch_id")}
        assert start - 1 <= moment / 1e6 <= datetime.now().timestamp()
        done = bench.build(SECOND)
        assert f"Registered adapter: {adapter_type}=" in done.text
        assert bench.log("account_id, name, _change_type, _changed_columns, _before.name, _batch_id")[3:] == [
            (2, "rob", "update", ["name"], "bob", 2),
            (3, None, "delete", None, None, 2),
            (4, "dan", "insert", None, None, 2),
        ]
        first, then = "the first dump", "3 rows, 3 of them changed by the last batch"
        small = "a table of less than 100 MB is read quickly, and nothing can be missed"
        chosen = [("outer_join", f"{first}, of about 0 MB: {small}"), ("outer_join", f"{then}: {small}")]
        if adapter_type == "deltawave" and bench.file_format == "parquet":
            least = "of those that can be used it reads and writes least, {} of the table"
            misses = "it hides a change every 1.1e+38 comparisons"
            chosen = [
                ("hash_compressed", f"{first}: {least.format('236%')}"),
                ("hash_compressed", f"{then}: {least.format('300%')}; {misses}"),
            ]
        assert bench.batches("batch_id, rows_old, rows_new, inserts, deletes, updates, strategy, reason") == [
            (1, 0, 3, 3, 0, 0, chosen[0][0], f"auto: {chosen[0][1]}"),
            (2, 3, 3, 1, 1, 1, chosen[1][0], f"auto: {chosen[1][1]}"),
        ]

    def test_only_the_compared_columns_make_an_update(self, bench: Workbench) -> None:
        bench.configure(ignore_columns=["seen"], tolerance={"amount": 0.5})
        bench.build("select 1 as account_id, 1.0D as amount, 'x' as seen, 'ann' as name")
        bench.build("select 1 as account_id, 1.4D as amount, 'y' as seen, 'ann' as name")
        assert bench.batches() == [(1, 1, 0, 0)]
        bench.build("select 1 as account_id, 1.9D as amount, 'z' as seen, 'ann' as name")
        assert bench.log("account_id, amount, seen, _changed_columns, _batch_id")[1:] == [(1, 1.9, "z", ["amount"], 2)]


class TestWhatIsCompared:
    """Several strategies in one run, a model for each."""

    @pytest.fixture
    def bench(self, bench: Workbench) -> Workbench:
        (bench.root / "models" / "accounts.sql").unlink(missing_ok=True)
        return bench

    def test_steps_within_the_tolerance_add_up(self, bench: Workbench) -> None:
        strategies = ["outer_join", "ranges", "sort_merge", "hash_compressed", "row_checksum"]
        for strategy in strategies:
            bench.add_differential(f"by_{strategy}", tolerance={"amount": 0.5}, strategy=strategy)
        for amount in (1.0, 1.4, 1.8):
            # Another row changes each time, so that there is a batch.
            dump = f"select id as account_id, if(id = 1, {amount}D, {10 * amount}D) as amount from range(2)"
            bench.build(dump, *SEVERAL)
        for strategy in strategies:
            assert bench.log("account_id, amount, _before.amount, _batch_id", f"by_{strategy}")[2:] == [
                (0, 14.0, 10.0, 2),
                (0, 18.0, 14.0, 3),
                (1, 1.8, 1.0, 3),
            ], strategy

    def test_a_tolerance_ends_after_a_new_column(self, bench: Workbench) -> None:
        """What differed within it is a change then, from the value that was logged."""
        strategies = ["outer_join", "hash_compressed", "row_checksum"]
        dump = "select id as account_id, if(id = 0, {}D, {}D) as amount{} from range(2)"
        note = ", if(id = 1, 'new', null) as note"
        dumps = [(1.0, 1.0, "", 0.5), (1.4, 5.0, "", 0.5), (1.4, 5.0, note, 0.5), (1.4, 6.0, note, 0.5)]
        for amount, other, column, tolerance in [*dumps, (1.4, 6.0, note, 0.01)]:
            for strategy in strategies:
                bench.add_differential(
                    f"by_{strategy}",
                    tolerance={"amount": tolerance},
                    strategy=strategy,
                    on_schema_change="append_new_columns",
                )
            bench.build(dump.format(amount, other, column), *SEVERAL)
        for strategy in strategies:
            logged = bench.log(
                "account_id, amount, note, _changed_columns, _before.amount, _batch_id", f"by_{strategy}"
            )
            assert logged[2:] == [
                (1, 5.0, None, ["amount"], 1.0, 2),
                (1, 5.0, "new", [], 5.0, 3),
                (1, 6.0, "new", ["amount"], 5.0, 4),
                (0, 1.4, None, ["amount"], 1.0, 5),
            ], strategy

    def test_column_that_is_compared_from_now_on(self, bench: Workbench) -> None:
        """What changed in it while it was not compared is a change of the first batch that compares it."""
        # The strategies before that batch, and from then on.
        changed = [(name, name) for name in ("outer_join", "union", "ranges")]
        changed += [("outer_join", "ranges"), ("outer_join", "row_checksum")]
        models = {f"{before}_then_{after}": (before, after) for before, after in changed}
        dump = "select id as account_id, if(id = 0, 'ann', '{}') as name, '{}' as seen from range(2)"
        for name, (before, _) in models.items():
            bench.add_differential(name, ignore_columns=["seen"], strategy=before)
        bench.build(dump.format("ann", "x"), *SEVERAL)
        bench.build(dump.format("eve", "y"), *SEVERAL)
        for name, (_, after) in models.items():
            bench.add_differential(name, strategy=after)
        bench.build(dump.format("eve", "y"), *SEVERAL)
        for name, (before, after) in models.items():
            columns = "account_id, seen, _change_type, _batch_id"
            assert bench.log(columns, name)[2:] == [(1, "y", "update", 2), (0, "y", "update", 3)], name
            if before == after:
                assert bench.log("_changed_columns, _before.seen, account_id, _batch_id", name)[2:] == [
                    (["name"], "x", 1, 2),
                    (["seen"], "x", 0, 3),
                ], name

    def test_a_source_that_begins_empty(self, bench: Workbench) -> None:
        """Strategies that read slices; parts of the key may be null, and so may a flag."""
        options = {
            "timestamp_delete_flag": {"updated_at": "version", "delete_flag": "is_gone"},
            "row_checksum": {},
            "range_checksum": {"range_rows": 2},
        }
        given = {"unique_key": ["region", "account_id"], "allow_empty": True}
        for strategy, own in options.items():
            select = DUMP if "delete_flag" in own else DUMP.replace("*", "region, account_id, name")
            bench.add_differential(f"by_{strategy}", select, strategy=strategy, **given, **own)
        dump = (
            "select * from values (null, 1, 'ann', 1, false), ('n', 1, null, 1, false), ('n', null, 'bob', 1, false), "
            "('s', 1, 'cid', 1, false), ('s', 3, 'dan', 1, null) as t(region, account_id, name, version, is_gone)"
        )
        bench.build(f"{dump} where false", *SEVERAL)
        bench.build(dump, *SEVERAL)
        columns = "region, account_id, name"
        inserts = [(*row, "insert", None, None) for row in bench.spark.sql(f"select {columns} from ({dump})").collect()]
        for strategy in options:
            found = bench.log(f"{columns}, _change_type, _changed_columns, _before.name", f"by_{strategy}")
            assert sorted(found, key=str) == sorted(inserts, key=str), strategy

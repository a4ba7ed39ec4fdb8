"""Strategies ranges and range_checksum: some key ranges a run; what holds for a run holds for a whole turn."""

import json
import random
from typing import Any

import pytest
from numbered import kept, table
from workbench import MODEL, SEVERAL, Run, Workbench

STRATEGIES = ["ranges", "range_checksum"]
# Three ranges of keys: up to 38, up to 78, and the rest.
TURN = {"unique_key": "account_id", "range_rows": 40, "ranges_per_run": 1}
ALL = "select id as account_id, 'old' as name from range(100)"


class Turns(Workbench):
    """A model by each strategy over one dump."""

    def place(self, **config: Any) -> None:
        """Write the models' files."""
        (self.root / "models" / f"{MODEL}.sql").unlink(missing_ok=True)
        for strategy in STRATEGIES:
            self.add_differential(strategy, strategy=strategy, **TURN | config)

    def run(self, *args: str, command: str = "run") -> Run:
        return super().run(*SEVERAL, *args, command=command)

    def counts(self, columns: str = "inserts, deletes, updates") -> list[tuple[int, ...]]:
        """The batches, which are the same by each strategy."""
        found = []
        for strategy in STRATEGIES:
            table = self.spark.table(f"{self.schema}.{strategy}__batches").orderBy("batch_id")
            found.append([tuple(row) for row in table.selectExpr(*columns.split(", ")).collect()])
        assert found[0] == found[1]
        return found[0]

    def both_say(self, query: str, message: str) -> bool:
        """A dump that both refuse for the same reason, without a batch."""
        before = self.counts()
        self.dump(query)
        text = " ".join(self.run().text.split())
        assert self.counts() == before
        return all(f"{name}, batch {len(before) + 1}: {message}" in text for name in STRATEGIES)

    def statements(self, strategy: str) -> str:
        """What the last run did."""
        return (self.root / "target" / "run" / "test" / "models" / "added" / f"{strategy}.sql").read_text()


@pytest.fixture
def turns(bench: Workbench) -> Turns:
    """Models that read a range a run."""
    turns = Turns(bench.spark, bench.root, bench.schema)
    turns.place()
    return turns


class TestRanges:
    def test_ranges_follow_the_keys(self, bench: Workbench) -> None:
        bench.configure(strategy="ranges", range_rows=10)
        bench.build(table(-1))
        low, high = (f"select id {shift}, 'more' from range(50)" for shift in ("- 1000", "+ 1000"))
        bench.build(f"{table(-1)} union all {low} union all {high}")
        assert bench.batches()[-1] == (2, 100, 0, 0)
        (name,) = kept(bench, "ranges")
        ranges = bench.spark.table(f"{bench.schema}.{name}").orderBy("range_id").collect()
        assert sum(row.row_count for row in ranges) == 200
        assert max(row.row_count for row in ranges) <= 20
        assert [row.range_id for row in ranges] == list(range(len(ranges)))
        lows = [row.low.key_1 for row in ranges]
        assert lows[1:] == sorted(lows[1:])
        assert lows[0] is None


class TestRangeChecksums:
    """Of the ranges, those whose checksum moved are fetched."""

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


class TestGuardOverATurn:
    def test_deletes_are_counted_over_the_last_reading_of_each_range(self, turns: Turns) -> None:
        turns.build(ALL)
        new = "select - id - 1, 'new' from range(40)"
        turns.build(f"{ALL} union all {new}")
        turns.build(f"{ALL} where id not between 48 and 78 union all {new}")
        assert turns.counts() == [(100, 0, 0), (40, 0, 0), (0, 31, 0)]
        message = "{} would be deleted in one cycle through the ranges, 31 of them by earlier batches, more than"
        # Rows that came are no excuse.
        assert turns.both_say(f"{ALL} where id < 48 union all {new}", message.format("52 of 100 rows (52.0%)"))
        # What was refused is read again. It is there, and the turn ends.
        turns.build(f"{ALL} where id not between 48 and 78 union all {new}")
        # Neither this turn nor the last one holds too many, but they are one loss.
        few = f"{ALL} where id < 25"
        assert turns.both_say(few, message.format("85 of 140 rows (60.7%)"))
        # What is accepted holds until each range was read once.
        turns.build(few, "--vars", f"deltawave_accept: {json.dumps(STRATEGIES)}")
        for _ in range(2):
            turns.build(few)
        assert turns.counts()[3:] == [(0, 0, 0), (0, 54, 0), (0, 9, 0), (0, 21, 0)]
        assert turns.both_say(f"{ALL} where id < 10", "15 of 25 rows (60.0%) would be deleted")
        assert turns.both_say(f"{ALL} where id < 0", "the dump is empty (the last one had 25 rows). Nothing was")

    def test_inserts_are_counted_likewise(self, turns: Turns) -> None:
        turns.place(max_insert_fraction=0.3)
        turns.build(ALL)
        more = "union all select - id - 1, 'new' from range({})"
        assert turns.both_say(f"{ALL} {more.format(40)}", "40 row(s) would be inserted into 100 (40.0%), more than")
        few = f"{ALL} {more.format(20)}"
        turns.build(few)
        turns.build(few)
        message = "35 row(s) would be inserted into 100 (35.0%) in one cycle through the ranges, 20 of them by earlier"
        assert turns.both_say(few.replace("range(100)", "range(115)"), message)
        assert turns.counts() == [(100, 0, 0), (20, 0, 0), (0, 0, 0)]


class TestATurn:
    def test_goes_on_from_run_to_run(self, turns: Turns) -> None:
        def dump(*changed: int) -> str:
            return f"select id as account_id, if(id in {(*changed, -1, -2)}, 'new', 'old') as name from range(100)"

        turns.place()
        turns.build(dump())
        turns.build(dump(5, 95))
        for strategy, reads in {"ranges": 1, "range_checksum": 2}.items():
            text = turns.statements(strategy)
            assert text.count("where ((`account_id` < cast('39' as bigint) or `account_id` is null))") >= reads
        turns.build(dump(5, 95))
        # The kept rows, which the expired batches patch, are written anew.
        for strategy in STRATEGIES:
            done = turns.operate("expire", model=strategy, to_batch=2)
            assert "expired the batches up to 2" in done.text
        turns.build(dump(5, 95))
        assert turns.counts() == [(100, 0, 0), (0, 0, 1), (0, 0, 0), (0, 0, 0), (0, 0, 1)]
        assert turns.counts("rows_dump")[2:] == [(40,), (40,), (21,)]
        # Another turn, and then all at once, wherever it has come to.
        turns.build(dump(5, 6, 95))
        turns.place(ranges_per_run=None)
        turns.build(dump(5, 6, 7, 46, 95, 96))
        assert turns.counts()[5:] == [(0, 0, 1), (0, 0, 3)]
        assert "no changes" in turns.build(dump(5, 6, 7, 46, 95, 96)).text
        assert len(turns.counts()) == 7


KEYS = [(region, number) for region in (None, "n", "s") for number in (None, *range(12))][1:]
ABSENT = "absent"
Table = dict[tuple[Any, ...], list[str | None]]


def changed(table: Table, chance: random.Random) -> Table:
    """The next state of a table: some keys go, others come, or have other names, or stand twice."""
    after: Table = {}
    for key in KEYS:
        kind = chance.choices(["same", "name", "twice", "none"], [6, 2, 1, 1])[0]
        if kind == "same" and key in table:
            after[key] = table[key][:1]
        elif kind in ("name", "twice"):
            after[key] = [chance.choice(["ann", "bob", None]) for _ in range(1 + (kind == "twice"))]
    return after


class TestHistoriesInTurns:
    def test_a_turn_at_rest_leaves_what_the_source_has(self, turns: Turns) -> None:
        """Null parts of keys, duplicate keys set aside, and every change a step from what stood before."""
        chance = random.Random(3)
        options = {"unique_key": ["region", "id"], "duplicate_keys": "quarantine", "max_delete_fraction": 1}
        turns.place(**options, range_rows=12, ranges_per_run=2)
        table: Table = {}
        for step in range(6):
            table = changed(table, chance) if step < 4 else table
            rows = [(*key, name) for key, names in table.items() for name in names]
            frame = turns.spark.createDataFrame(rows, "region string, id int, name string").repartition(3)
            frame.createOrReplaceGlobalTempView("turning")
            turns.build("select * from global_temp.turning")
        for strategy in STRATEGIES:
            state: dict[tuple[Any, ...], str | None] = {}
            log = turns.spark.table(f"{turns.schema}.{strategy}").orderBy("_batch_id")
            columns = ["region", "id", "name", "_change_type", "_before.name"]
            for *key, name, kind, before in log.select(columns).collect():
                stood = state.pop(tuple(key), ABSENT)
                assert stood == {"insert": ABSENT, "update": before, "delete": name}[kind], (strategy, key)
                if kind != "delete":
                    state[tuple(key)] = name
            once = {key: names[0] for key, names in table.items() if len(names) == 1}
            twice = {key for key, names in table.items() if len(names) > 1}
            assert {key: name for key, name in state.items() if key not in twice} == once, strategy
            assert twice & set(state), "some are held"
            assert turns.spark.table(f"{turns.schema}.{strategy}__quarantine").count() > 0
            assert not kept(turns, "accepted", strategy)

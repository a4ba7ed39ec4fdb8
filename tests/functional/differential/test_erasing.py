"""Rows that are erased by their key: gone from the log, from what is kept beside it, and from its followers."""

import json
import random
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from followed import FOLLOWERS, assert_followed, follow
from forgotten import DUMPS, PERSON, SECRETS, assert_forgotten, files, hashes, select, unpacked
from workbench import MODEL, STOPPING, Workbench

from dbt.adapters.deltawave import operation_command

STRATEGIES = ("outer_join", "hash_compressed", "row_checksum", "ranges", "sort_merge", "union")


class TestErasing:
    macros = STOPPING

    @pytest.mark.core
    @pytest.mark.formats
    @pytest.mark.s3
    def test_every_place_forgets_a_person(self, bench: Workbench) -> None:
        """The log, its states in all forms, quarantined rows, followers; what is left is what it was."""
        for strategy in STRATEGIES:
            bench.add_differential(strategy, strategy=strategy)
        bench.configure(duplicate_keys="quarantine")
        follow(bench)
        for rows in DUMPS[:2]:
            bench.build(select(rows))
        bench.build(select(DUMPS[2]), "--exclude", MODEL, "now", "versions")
        twice = [(PERSON, SECRETS[2]), ("c", "kid"), ("d", "don")]
        bench.build(select(DUMPS[2], *twice), "--select", MODEL, "now", "versions")
        assert any(SECRETS[1].encode() in content for _, content in files(bench)), "the files can be read"
        logs = {model: bench.log(model=model) for model in (MODEL, *STRATEGIES)}
        hashed = hashes(bench)
        assert len(hashed) > 3

        for model in logs:
            done = bench.operate("erase", model=model, keys=[PERSON])
            assert done.ok, done.text
        assert "rows of 'now'" not in done.text
        for model, rows in logs.items():
            assert bench.log(model=model) == [row for row in rows if row[0] != PERSON]
        (quarantine,) = (name for name in bench.names() if name.startswith(f"{MODEL}__quarantine"))
        assert bench.spark.table(f"{bench.schema}.{quarantine}").count() == 4
        assert_followed(bench)
        assert_forgotten(bench, hashed=hashed)

        without = {key: name for key, name in DUMPS[2].items() if key != PERSON}
        bench.build(select({**without, "c": "kit"}))
        for model in logs:
            assert ("c", "kit", "update") in bench.log("account_id, name, _change_type", model=model)
        assert_followed(bench)
        assert_forgotten(bench, hashed=hashed)

    def test_a_dump_does_not_bring_a_person_back(self, bench: Workbench) -> None:
        """By default it is refused; it can be left out of every dump, or taken back."""
        bench.build(select(DUMPS[0]))
        assert bench.operate("erase", model=MODEL, keys=PERSON).ok
        text = bench.refused(select(DUMPS[1]))
        assert "the dump has 1 key(s) that were erased on 20" in text
        assert PERSON not in text
        bench.configure(erased="skip")
        bench.build()
        assert {row[0] for row in bench.log()} == {"a", "b", "c", "d"}
        assert_forgotten(bench)
        bench.configure()
        bench.build(None, "--vars", f"{{deltawave_take_back: [{MODEL}]}}")
        assert bench.log()[-1][:3] == (PERSON, SECRETS[2], "insert")
        bench.build(select({**DUMPS[1], PERSON: SECRETS[1]}))
        assert bench.log()[-1][:3] == (PERSON, SECRETS[1], "update")
        bench.spark.sql(f"drop table {bench.schema}.{MODEL}__salt")
        assert bench.operate("erase", model=MODEL, where="account_id like 'person%'").ok
        bench.spark.sql(f"drop table {bench.schema}.{MODEL}__salt")
        bench.build(select(DUMPS[1], ("e", "eve")))
        assert bench.log()[-1][0] == PERSON

    def test_dates_from_before_are_not_taken_for_corrected(self, bench: Workbench) -> None:
        """Though their dumps lack the key now; real corrections are noticed, also after another erasure."""
        bench.configure(snapshot_date="day", erased="skip")

        def build(*names: str) -> str:
            each = [
                f"select *, date '{day}' as day from ({select({PERSON: SECRETS[0], 'a': name, 'b': f'bo{day}'})})"
                for day, name in zip(DATES, names, strict=False)
            ]
            return bench.build(" union all ".join(each)).text

        build("ann", "anna")
        for number, key in enumerate((PERSON, "b")):
            assert bench.operate("erase", model=MODEL, keys=[key]).ok
            for _ in range(2):
                assert "delivered again" not in build("ann", f"ann{number - 1}" if number else "anna")
            assert f"{DATES[1]}: they were compared before, and were delivered again" in build("ann", f"ann{number}")

    def test_keys_of_several_columns(self, bench: Workbench) -> None:
        select_two = "select account_id, name, account_id as region from {{ target.schema }}.dump"
        bench.configure(select_two, unique_key=["region", "account_id"])
        bench.build(select({**DUMPS[0], "it's": "x"}))
        for keys, message in [
            ("a", "'key' can't be '***'"),
            ([{"region": 7, "account_id": "a"}], "the column 'region' has texts: put its value in quotes"),
            ([{"region": "a"}], "no value is given for account_id"),
            ([{"region": "a", "account_id": "a", "name": "a"}], "name is not part of it"),
            ([], "give keys (values of region, account_id) or where"),
        ]:
            done = bench.operate("erase", model=MODEL, keys=keys)
            assert not done.ok
            assert message in done.text
        done = bench.operate("erase", model=MODEL, where="name = 'ann'")
        assert not done.ok
        assert "name" in done.text
        before = bench.log()
        done = bench.operate("erase", model=MODEL, keys=[{"Region": "it's", "account_id": "it's"}], dry_run=True)
        assert f"{MODEL}: 1 row in the log" in done.text
        assert bench.log() == before
        keys = [{"region": "it's", "account_id": "it's"}, {"region": "a", "account_id": "b"}]
        assert bench.operate("erase", model=MODEL, keys=keys).ok
        assert [row[0] for row in bench.log()] == ["a", "b", "d", PERSON]

    def test_files_without_the_person_stay(self, bench: Workbench) -> None:
        """Not more is written than the files with the person have had."""
        bench.configure(strategy="outer_join", pre_hook="set spark.sql.files.maxRecordsPerFile = 1000")
        people = {f"p{number:05}": f"name {number * 7919}" for number in range(8000)}
        for name in ("one", "two"):
            bench.build(select({**people, PERSON: SECRETS[0], "a": name}))
        before, log = self.log_files(bench), bench.log()
        held = [size for size, has_person in before.values() if has_person]
        assert 0 < len(held) < len(before) / 2
        assert bench.operate("erase", model=MODEL, keys=[PERSON]).ok
        assert bench.log() == [row for row in log if row[0] != PERSON]
        after = self.log_files(bench)
        assert 0 < sum(after[inode][0] for inode in after.keys() - before) <= 1.2 * sum(held)
        assert_forgotten(bench)
        bench.build(select({**people, "a": "three"}))
        assert bench.log("account_id, _change_type")[-1] == ("a", "update")

    def log_files(self, bench: Workbench) -> dict[int, tuple[int, bool]]:
        """Bytes of the log's files, by inode, and whether they have the person."""
        paths = bench.spark.table(f"{bench.schema}.{MODEL}__log").inputFiles()
        files = [Path(unquote(urlsplit(path).path)) for path in paths]
        return {
            file.stat().st_ino: (file.stat().st_size, PERSON.encode() in unpacked(file.name, file.read_bytes()))
            for file in files
        }

    def receipts(self, bench: Workbench) -> Counter[str]:
        """How many rows were removed from each place; not from states, which are there again and again."""
        removals = bench.spark.table(f"{bench.schema}.{MODEL}__removals").where("place <> 'state'")
        return Counter({row.place: row[1] for row in removals.groupBy("place").sum("row_count").collect()})

    def test_it_is_run_again_where_it_was_stopped(self, bench: Workbench, seed: int) -> None:
        """At each step of one of the tables: readers see the rows as before or after, a second run leaves nothing."""
        draw, steps = random.Random(f"{seed} erasing"), ["decide", "place", "record", "publish", "clean", "end"]
        people = {f"{PERSON}-{step}": SECRETS[1] for step in [*steps, "between"]}
        interrupted = draw.choice(steps)
        # So that of some partitions only a part is written again.
        bench.configure(
            strategy=draw.choice(["auto", "outer_join"]), pre_hook="set spark.sql.files.maxRecordsPerFile = 3"
        )
        follow(bench)
        for rows in DUMPS[:2]:
            bench.build(select({**people, **rows, "a": rows[PERSON]}))
        assert bench.operate("erase", model=MODEL, keys=["a", PERSON]).ok
        for step in steps:
            before, key = bench.log(), f"{PERSON}-{step}"
            gone = {key} if step != interrupted else {key, f"{PERSON}-between"}
            stop = f"{draw.choice([MODEL, *FOLLOWERS])}.{step}"
            stopped = bench.operate("erase", "--vars", f"{{stop_at: {stop}}}", model=MODEL, keys=[key])
            assert f"stopped at {stop}" in stopped.text
            assert bench.log() in (before, [row for row in before if row[0] != key])
            for other in gone - {key}:
                assert bench.operate("erase", model=MODEL, keys=[other]).ok
            erased = self.receipts(bench)
            assert bench.operate("erase", model=MODEL, keys=[key]).ok
            # The receipts of both runs together are those of one.
            erased += Counter(log=sum(row[0] == key for row in before), now=1, versions=1)
            assert self.receipts(bench) == erased, stop
            assert bench.log() == [row for row in before if row[0] not in gone]
        assert not [name for name in bench.names() if "__erasing" in name]
        assert_followed(bench)
        assert_forgotten(bench)

    def test_the_command_names_models_that_have_the_rows(
        self, bench: Workbench, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """And what it freed, without the key."""
        bench.add_model("copied", "{{ config(materialized='table') }} select * from {{ ref('accounts') }}")
        bench.add_model("shown", "select * from {{ ref('accounts') }}")
        bench.add_differential("by_name", "select account_id, name from {{ ref('copied') }}", unique_key="name")
        bench.build(select(DUMPS[0]))
        given = json.dumps({"model": MODEL, "keys": [PERSON], "where": None, "dry_run": False})
        options = [f"--project-dir={bench.root}", "--log-level-file=none", "--no-write-json"]
        assert operation_command.main(["erase", "erase", given, *options]) == 0
        printed = capsys.readouterr().out
        assert f"{MODEL}: erase: log: 1 row, " in printed
        assert "Rebuild them: dbt run --full-refresh --select copied." in printed
        assert f"{MODEL}: erase: copied: 0 rows; still there: rows, until it is rebuilt\n" in printed
        assert f"{MODEL}: by_name may have these rows too" in printed
        assert PERSON not in printed

    def test_what_was_freed_is_on_a_receipt(self, bench: Workbench) -> None:
        bench.build(select(DUMPS[0]))
        bench.build(select(DUMPS[1]))
        done = bench.operate("erase", model=MODEL, keys=[PERSON])
        receipts = bench.spark.table(f"{bench.schema}.{MODEL}__removals").orderBy("place").collect()
        assert ("erase", "log", 2) in {(row.operation, row.place, row.row_count) for row in receipts}
        assert f"{MODEL}: erase: log: 2 rows" in done.text
        assert PERSON not in done.text
        assert "nothing to remove" in bench.operate("erase", model=MODEL, keys=[PERSON]).text
        page = bench.operate("report", model=MODEL, format="html").text
        assert "<h2>Removed</h2>" in page
        assert PERSON not in page


DATES = [f"2026-01-{day:02}" for day in range(1, 8)]


class TestRetaining:
    def dated(self, bench: Workbench, days: int) -> None:
        """A dump for each of the first days, in which one row changes."""
        each = [f"select 'a' as account_id, 'ann{day}' as name, date '{day}' as day" for day in DATES[:days]]
        bench.dump(" union all ".join(each))

    def test_unread_batches_expire_where_that_is_asked_for(self, bench: Workbench) -> None:
        follow(bench)
        for dump in DUMPS:
            bench.build(select(dump), "--select", MODEL)
        assert bench.operate("expire", model=MODEL, to_batch=2, even_unread=True).ok
        bench.build()
        assert_followed(bench, "now")

    @pytest.mark.s3
    def test_old_batches_expire_in_each_run(self, bench: Workbench) -> None:
        """Also without a new dump; the state stays, the date of the newest dump counts, or the machine's."""
        bench.configure(snapshot_date="day", retain="2 days")
        self.dated(bench, 4)
        bench.build()
        assert len(bench.log()) == 4, "the first batch alone is older, and is the state already"
        self.dated(bench, 6)
        bench.build()
        assert bench.log("name, _change_type") == [
            ("ann2026-01-03", "insert"),
            ("ann2026-01-04", "update"),
            ("ann2026-01-05", "update"),
            ("ann2026-01-06", "update"),
        ]
        assert len({name for name in bench.names() if "__log" in name}) == 1
        bench.configure(snapshot_date="day", retain={"for": "1 week", "clock": "machine"})
        bench.build()
        assert bench.log("name, _change_type") == [("ann2026-01-06", "insert")]
        receipts = bench.spark.table(f"{bench.schema}.{MODEL}__removals").collect()
        assert {row.operation for row in receipts} == {"expire"}
        bench.build()
        assert len(receipts) == bench.spark.table(f"{bench.schema}.{MODEL}__removals").count()

    def test_quarantined_rows_expire_with_their_batches(self, bench: Workbench) -> None:
        bench.configure(snapshot_date="day", retain="2 days", duplicate_keys="quarantine")
        twice = [("c", "kit"), ("c", "kid")]
        each = [f"select *, date '{day}' as day from ({select({'a': day}, *twice)})" for day in DATES[:5]]
        bench.build(" union all ".join(each))
        (table,) = (name for name in bench.names() if "__quarantine" in name)
        left = bench.spark.sql(f"select distinct batch_id from {bench.schema}.{table}").collect()
        assert sorted(row[0] for row in left) == [3, 4, 5]
        receipts = bench.spark.table(f"{bench.schema}.{MODEL}__removals").where("place = 'quarantine'").collect()
        assert [(row.operation, row.row_count) for row in receipts] == [("expire", 4)]
        assert (receipts[0].still_there is None) == (bench.file_format == "parquet")

    def test_versions_expire_where_asked(self, bench: Workbench) -> None:
        """By the clock of the data; open versions stay, and the next run continues."""
        bench.configure(snapshot_date="day")
        follow(bench, retain="2 days")
        for days in (5, 6, 6):
            self.dated(bench, days)
            bench.build()
        table = f"{bench.schema}.versions"
        versions = bench.spark.sql(f"select name, dbt_valid_to is null from {table} order by dbt_valid_from").collect()
        assert [tuple(row) for row in versions] == [(f"ann{day}", day == DATES[5]) for day in DATES[2:6]]
        assert bench.batches("strategy", model="versions")[-1] == ("expire",)
        assert len(bench.batches(model="versions")) == 4
        assert_followed(bench, "now")

    def test_batches_that_a_follower_has_not_read_stay(self, bench: Workbench) -> None:
        follow(bench)
        bench.configure(snapshot_date="day", retain="1 day")
        self.dated(bench, 2)
        bench.build()
        self.dated(bench, 6)
        done = bench.build(None, "--select", MODEL)
        assert "batches from 3 on do not expire yet: now has not read them" in done.text
        refused = bench.operate("expire", model=MODEL, to_batch=5)
        assert not refused.ok
        assert f"expire: now has not read the batches of {MODEL} from 3 on" in refused.text
        bench.build(None, "--select", "now", "versions")
        assert_followed(bench, "now")
        bench.build()
        assert [row[1] for row in bench.log()] == ["ann2026-01-04", "ann2026-01-05", "ann2026-01-06"]

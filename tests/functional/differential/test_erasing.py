"""Rows that are erased by their key: gone from the log, from what is kept beside it, and from its followers."""

import json
import random
import zlib
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from followed import assert_followed, follow
from workbench import MODEL, STOPPING, Workbench

from dbt.adapters.deltawave import operation_command

PERSON = "person-4711"
SECRETS = (PERSON, "Zoe Quist", "Zoe Quince")
STRATEGIES = ("outer_join", "hash_compressed", "row_checksum", "ranges", "sort_merge", "union")
DUMPS = [
    {PERSON: SECRETS[1], "a": "ann", "b": "bob", "d": "dan"},
    {PERSON: SECRETS[2], "a": "ann", "b": "bobby", "c": "cid"},
    {PERSON: SECRETS[1], "a": "anna", "c": "cid", "d": "dan"},
]


def select(rows: dict[str, str], *others: tuple[str, str]) -> str:
    """A dump of these rows, and of others whose keys may be among them."""
    values = ", ".join(f'("{key}", "{name}")' for key, name in [*rows.items(), *others])
    return f"select * from values {values} as t(account_id, name)"


def files(bench: Workbench) -> Iterator[tuple[str, bytes]]:
    """What lies in the schema's tables, but for the dump: of Parquet values and statistics, of Avro the blocks."""
    for path, content in bench.files():
        if path.endswith(".parquet"):
            file = pq.ParquetFile(pa.BufferReader(content))
            yield path, f"{file.read().to_pylist()} {file.metadata.to_dict()}".encode()
        elif path.endswith(".avro"):
            yield path, blocks(content)
        else:
            yield path, content


def blocks(content: bytes) -> bytes:
    """The data of an Avro file, unpacked; its header as it is."""
    sync = content[-16:]
    head, *packed = content.split(sync)
    if b"deflate" not in head:
        return content
    found = head
    for block in filter(None, packed):
        for start in range(1, 12):
            try:
                found += zlib.decompress(block[start:], -15)
                break
            except zlib.error:
                continue
        else:
            raise AssertionError("a block of an Avro file can't be unpacked")
    return found


def assert_forgotten(bench: Workbench) -> None:
    left = [(path, secret) for path, content in files(bench) for secret in SECRETS if secret.encode() in content]
    assert not left


class TestErasing:
    macros = STOPPING

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

        for model in logs:
            done = bench.operate("erase", model=model, keys=[PERSON])
            assert done.ok, done.text
        assert "rows of 'now'" not in done.text
        for model, rows in logs.items():
            assert bench.log(model=model) == [row for row in rows if row[0] != PERSON]
        (quarantine,) = (name for name in bench.names() if name.startswith(f"{MODEL}__quarantine"))
        assert bench.spark.table(f"{bench.schema}.{quarantine}").count() == 4
        assert_followed(bench)
        assert_forgotten(bench)

        without = {key: name for key, name in DUMPS[2].items() if key != PERSON}
        bench.build(select({**without, "c": "kit"}))
        for model in logs:
            assert ("c", "kit", "update") in bench.log("account_id, name, _change_type", model=model)
        assert_followed(bench)
        assert_forgotten(bench)

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

    def test_keys_of_several_columns(self, bench: Workbench) -> None:
        select_two = "select account_id, name, account_id as region from {{ target.schema }}.dump"
        bench.configure(select_two, unique_key=["region", "account_id"])
        bench.build(select({**DUMPS[0], "it's": "x"}))
        for keys, message in [
            ("a", "'key' can't be 'a'"),
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

    def test_it_is_run_again_where_it_was_stopped(self, bench: Workbench, seed: int) -> None:
        """At each step: readers see the rows as before or after, and a second run leaves nothing."""
        follow(bench)
        for rows in DUMPS[:2]:
            bench.build(select(rows))
        before = bench.log()
        step = random.Random(f"{seed} erasing").choice(["decide", "place", "record", "publish", "clean", "end"])
        stopped = bench.operate("erase", "--vars", f"{{stop_at: {step}}}", model=MODEL, keys=[PERSON])
        assert f"stopped at {step}" in stopped.text
        assert bench.log() in (before, [row for row in before if row[0] != PERSON])
        assert bench.operate("erase", model=MODEL, keys=[PERSON]).ok
        assert bench.log() == [row for row in before if row[0] != PERSON]
        assert_followed(bench)
        assert_forgotten(bench)

    def test_the_command_names_models_that_have_the_rows(
        self, bench: Workbench, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """And what it freed, without the key."""
        bench.add_model("copied", "{{ config(materialized='table') }} select * from {{ ref('accounts') }}")
        bench.add_model("shown", "select * from {{ ref('accounts') }}")
        bench.build(select(DUMPS[0]))
        given = json.dumps({"model": MODEL, "keys": [PERSON], "where": None, "dry_run": False})
        options = [f"--project-dir={bench.root}", "--log-level-file=none", "--no-write-json"]
        assert operation_command.main(["erase", "erase", given, *options]) == 0
        printed = capsys.readouterr().out
        assert f"{MODEL}: erase: log: 1 row, " in printed
        assert "Rebuild them: dbt run --full-refresh --select copied\n" in printed
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

    def test_batches_that_a_follower_has_not_read_stay(self, bench: Workbench) -> None:
        follow(bench)
        bench.configure(snapshot_date="day", retain="1 day")
        self.dated(bench, 2)
        bench.build()
        self.dated(bench, 6)
        done = bench.build(None, "--select", MODEL)
        assert "batches from 3 on do not expire yet: now has not read them" in done.text
        bench.build(None, "--select", "now", "versions")
        assert_followed(bench, "now")
        bench.build()
        assert [row[1] for row in bench.log()] == ["ann2026-01-04", "ann2026-01-05", "ann2026-01-06"]

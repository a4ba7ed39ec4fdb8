"""Tables that follow a change log: after each batch they are what the macros `current_state` and `scd2` give for it."""

import json
import random
import re
from typing import Any

import pytest
import yaml
from followed import FOLLOWERS, assert_followed, follow, follower, rows
from numbered import DATED, ONE_ROW_DATED
from unit.macro_harness import Macros, Relation
from workbench import MODEL, STOPPING, Workbench

LATER = " union all select * from values (1, '{name}', date '{day}'), (3, 'cyd', date '{day}')"


def strategies(bench: Workbench, model: str) -> list[str]:
    return [row[0] for row in bench.batches("strategy", model)]


def versions(
    bench: Workbench, *more: str, since: str = "dbt_valid_from", until: str = "dbt_valid_to", model: str = "versions"
) -> list[Any]:
    """The versions, with days for times."""
    columns = ", ".join(["account_id", "name", f"string(date({since}))", f"string(date({until}))", *more])
    found = bench.spark.sql(f"select {columns} from {bench.schema}.{model} order by account_id, {since}").collect()
    return [tuple(row) for row in found]


class TestFollowers:
    @pytest.mark.hive
    @pytest.mark.formats
    @pytest.mark.both_adapters
    def test_tables_are_those_of_the_macros_after_each_batch(self, bench: Workbench, seed: int) -> None:
        chance = random.Random(f"{seed} followers")
        bench.configure(max_delete_fraction=1)
        follow(bench)
        state: dict[int, tuple[str, int]] = {}
        rewound = chance.randrange(2, 5)
        for number in range(6):
            for key in chance.sample(range(1, 7), 4):
                if key in state and chance.random() < 0.3:
                    del state[key]
                else:
                    state[key] = chance.choice(["ann", "bob"]), chance.randrange(2)
            state[0] = "it's", number
            dump = ", ".join(f"({key}, {json.dumps(name)}, {seen})" for key, (name, seen) in state.items())
            bench.build(f"select * from values {dump} as t(account_id, name, seen)")
            assert_followed(bench)
            if number == rewound:
                last = bench.batches("batch_id")[-1][0]
                assert bench.operate("rewind", model=MODEL, to_batch=chance.randrange(1, last)).ok
                done = bench.build(None, "--select", *FOLLOWERS)
                assert done.text.count(f"rebuilt from {MODEL}: batches up to {last}") == 2
                assert_followed(bench)
        done = bench.build()
        assert [done.messages[name] for name in FOLLOWERS] == ["no changes"] * 2
        method = "rewrite" if bench.file_format == "parquet" else "merge"
        for name in FOLLOWERS:
            assert strategies(bench, name) == ["build", *[method] * rewound, "build", *[method] * (5 - rewound)]

    @pytest.mark.core
    @pytest.mark.hive
    @pytest.mark.s3
    def test_main_changes_are_followed(self, bench: Workbench) -> None:
        bench.configure(on_schema_change="sync_all_columns", max_delete_fraction=1)
        follow(bench)
        for dump in (
            "(1, 'ann'), (2, 'bob') as t(account_id, name)",
            # An update, a delete and an insert, with a new column.
            "(1, 'anna', 5), (3, 'cid', 6) as t(account_id, name, points)",
            "(1, 'anna', 7), (2, 'bob', 6) as t(account_id, name, points)",
        ):
            bench.build(f"select * from values {dump}")
            assert_followed(bench)
        method = "rewrite" if bench.file_format == "parquet" else "merge"
        for name in FOLLOWERS:
            assert strategies(bench, name) == ["build", method, method]

    def test_late_dumps_are_followed(self, bench: Workbench) -> None:
        bench.configure(snapshot_date="day")
        follow(bench)
        bench.build(DATED)
        assert_followed(bench)
        assert bench.operate("rewind", model=MODEL, to_batch=2).ok
        bench.build(
            DATED + " union all select * from values (1, 'anni', date '2026-01-03'), (3, 'cid', date '2026-01-03')"
        )
        assert_followed(bench)
        assert versions(bench)[:3] == [
            (1, "ann", "2026-01-01", "2026-01-02"),
            (1, "anna", "2026-01-02", "2026-01-03"),
            (1, "anni", "2026-01-03", "2026-01-04"),
        ]

    def test_versions_outlast_the_log(self, bench: Workbench) -> None:
        bench.configure(snapshot_date="day")
        follow(bench)
        bench.build(DATED)
        before = versions(bench)
        assert bench.operate("expire", model=MODEL, to_batch=2).ok
        assert bench.operate("purge", model=MODEL).ok
        assert [bench.build().messages[name] for name in FOLLOWERS] == ["no changes"] * 2
        fifth = DATED + LATER.format(name="anne", day="2026-01-05")
        bench.build(fifth)
        assert_followed(bench, "now")
        ended = [(*row[:3], "2026-01-05") if row[:2] == (1, "anna") else row for row in before]
        assert versions(bench) == sorted([*ended, (1, "anne", "2026-01-05", None)], key=lambda row: (row[0], row[2]))

        # The next two dumps are read by the log alone, and the first of them expires.
        sixth = fifth + LATER.format(name="ann", day="2026-01-06") + LATER.format(name="anna", day="2026-01-07")
        bench.build(sixth, "--select", MODEL)
        assert bench.operate("expire", model=MODEL, before="2026-01-07", even_unread=True).ok
        kept = versions(bench)
        text = bench.failed("--select", *FOLLOWERS)
        assert "which it had not read, have expired, so the table would have to be rebuilt from accounts" in text
        assert_followed(bench, "now")
        assert not bench.run("--select", "versions", "--full-refresh").ok
        assert versions(bench) == kept
        follow(bench, full_refresh=True)
        assert not bench.run("--select", "versions").ok
        bench.build(None, "--select", *FOLLOWERS, "--full-refresh")
        assert_followed(bench)

    @pytest.mark.formats
    def test_columns_follow_the_log(self, bench: Workbench) -> None:
        bench.configure(on_schema_change="sync_all_columns")
        follow(bench)
        for columns, dump in (
            ("points", "(1, 'ann', 5), (2, 'bob', 6), (3, 'cid', 7)"),
            # A wider column, a new one, one that is hidden and comes back.
            ("points", "(1, 'ann', 5L), (2, 'bob', 6000000000L), (3, 'cid', 7L)"),
            ("points, `a place`", "(1, 'ann', 5L, 'here'), (2, 'bob', 6L, null), (3, 'cid', 7L, 'there')"),
            ("`a place`", "(1, 'ann', 'here'), (2, 'rob', null), (3, 'cid', 'away')"),
            ("points, `a place`", "(1, 'ann', 5L, 'here'), (2, 'rob', 6L, null), (3, 'cid', null, 'away')"),
        ):
            bench.build(f"select * from values {dump} as t(account_id, name, {columns})")
            assert_followed(bench)
        method = "rewrite" if bench.file_format == "parquet" else "merge"
        for name in FOLLOWERS:
            assert strategies(bench, name) == ["build", "rewrite", method, method, method]

    @pytest.mark.formats
    def test_rows_of_a_bag_are_counted(self, bench: Workbench) -> None:
        bench.configure(duplicate_keys="multiset", max_delete_fraction=1)
        bench.add_model("now", follower("current_state", bench.file_format))
        for dump in (
            "(1, 'ann'), (1, 'ann'), (2, 'bob')",
            "(1, 'ann'), (1, 'eve'), (1, 'eve')",
            "(1, 'eve'), (2, 'bob')",
        ):
            bench.build(f"select * from values {dump} as t(account_id, name)")
            assert_followed(bench, "now", duplicate_keys="multiset")
        bench.add_model("versions", follower("scd2", bench.file_format))
        assert (
            "is a log with duplicate_keys: multiset, whose rows have no key" in bench.run("--select", "versions").text
        )

    @pytest.mark.both_adapters
    def test_deletes_are_those_of_a_snapshot(self, bench: Workbench) -> None:
        """A table of each value of hard_deletes, and what it has."""
        bench.configure(snapshot_date="day")
        ann = [(1, "ann", "2026-01-01", "2026-01-03"), (1, "anna", "2026-01-03", "9999-12-31")]
        bob = [(2, "bob", "2026-01-01", "2026-01-03"), (2, "bob", "2026-01-03", "9999-12-31")]
        gone = [
            (2, "bob", "2026-01-01", "2026-01-02", "False"),
            (2, "bob", "2026-01-02", "2026-01-03", "True"),
            (2, "bob", "2026-01-03", "9999-12-31", "False"),
        ]
        expected = {"ignored": [*ann, *bob], "recorded": [*((*row, "False") for row in ann), *gone]}

        def add(**options: Any) -> None:
            for model, deletes in zip(expected, ("ignore", "new_record"), strict=True):
                ends = {"hard_deletes": deletes, "dbt_valid_to_current": "to_date('9999-12-31')"}
                bench.add_model(model, follower("scd2", bench.file_format, **ends, **options))

        names = {"dbt_valid_from": "since", "dbt_valid_to": "until", "dbt_is_deleted": "is gone"}
        add(snapshot_meta_column_names=names)
        dumps = """
            select * from values
                (1, 'ann', date '2026-01-01'), (2, 'bob', date '2026-01-01'), (1, 'ann', date '2026-01-02'),
                (1, 'anna', date '2026-01-03'), (2, 'bob', date '2026-01-03')
                as t(account_id, name, day)
        """
        for day in (1, 2, 3):
            bench.build(f"{dumps} where day <= date '2026-01-0{day}'")
        assert versions(bench, since="since", until="until", model="ignored") == expected["ignored"]
        found = versions(bench, "`is gone`", since="since", until="until", model="recorded")
        assert found == expected["recorded"]
        # Other names are another view alone.
        add()
        bench.build()
        assert versions(bench, model="ignored") == expected["ignored"]
        assert versions(bench, "dbt_is_deleted", model="recorded") == expected["recorded"]
        assert [strategies(bench, model)[-1] for model in expected] == ["show"] * 2
        # Built at once, they are the same.
        ids = [rows(bench, model) for model in expected]
        bench.build(None, "--select", *expected, "--full-refresh")
        assert [rows(bench, model) for model in expected] == ids
        assert [strategies(bench, model)[-1] for model in expected] == ["build"] * 2

    @pytest.mark.formats
    def test_a_table_gets_another_format_with_its_next_rows(self, bench: Workbench) -> None:
        """Until then its view alone may change. Only a table that takes merges has a row that counts them."""
        if bench.file_format == "parquet":
            pytest.skip("Parquet tables take no merge")
        bench.configure(snapshot_date="day")
        names = ["ann", "anna", "anne"]
        for day, file_format in enumerate(("parquet", bench.file_format, "parquet"), 1):
            end = f"20{day}0-01-01"
            options = {"dbt_valid_to_current": f"to_date('{end}')"}
            bench.add_model("versions", follower("scd2", file_format, **options))
            ended = [(1, names[n - 1], f"2026-01-0{n}", f"2026-01-0{n + 1}") for n in range(1, day)]
            if day > 1:
                bench.build()
                assert strategies(bench, "versions")[-1] == "show"
                assert versions(bench) == [*ended[:-1], (*ended[-1][:3], end)]
            bench.build(f"{ONE_ROW_DATED} where day <= date '2026-01-0{day}'")
            assert versions(bench) == [*ended, (1, names[day - 1], f"2026-01-0{day}", end)]
        assert strategies(bench, "versions") == ["build", "show", "rewrite", "show", "rewrite"]

    def test_an_end_that_spark_does_not_read_decides_nothing(self, bench: Workbench) -> None:
        bench.add_model("versions", follower("scd2", bench.file_format, dbt_valid_to_current="no_such_function()"))
        bench.dump("select 1 as account_id, 'ann' as name")
        assert "no_such_function" in bench.failed()
        assert not bench.names("versions")
        bench.add_model("versions", follower("scd2", bench.file_format))
        bench.build()
        bench.add_model("versions", follower("scd2", bench.file_format, dbt_valid_to_current="to_date("))
        assert not bench.run().ok
        bench.add_model("versions", follower("scd2", bench.file_format, dbt_valid_to_current="to_date('9999-12-31')"))
        bench.build()
        assert strategies(bench, "versions") == ["build", "show"]

    def test_an_edited_model_is_rebuilt(self, bench: Workbench) -> None:
        follow(bench)
        bench.build("select * from values (1, 'ann', 1), (2, 'bob', 1) as t(account_id, name, seen)")
        bench.build("select * from values (1, 'ann', 2), (2, 'rob', 1) as t(account_id, name, seen)")
        follow(bench, track_columns=["seen"])
        text = follower("current_state", bench.file_format).replace("select *", "select *, upper(name) as loud")
        bench.add_model("now", text)
        done = bench.build()
        assert done.text.count("the select, the key or an option was edited") == 2
        assert sorted(row.loud for row in bench.spark.table(f"{bench.schema}.now").collect()) == ["ANN", "ROB"]
        bench.add_model("now", follower("current_state", bench.file_format))
        bench.build()
        assert_followed(bench, tracked=["seen"])

    def test_a_filter_is_refused(self, bench: Workbench) -> None:
        """A row that left it would stay, and a join could repeat changes."""
        oslo = "select * from values (1, 'Oslo'), (2, 'Oslo') as t(account_id, city)"
        bern = "select * from values (1, 'Bern'), (2, 'Oslo') as t(account_id, city)"
        for kind in ("current_state", "scd2"):
            bench.add_model(kind, follower(kind, bench.file_format) + "where city = 'Oslo'")
        bench.build(oslo)
        bench.dump(bern)
        text = bench.failed()
        for kind in ("current_state", "scd2"):
            assert f"{kind}, batch 2 ({MODEL} 2): the select returns 0 row(s) of 1 new one(s) of {MODEL}" in text
            assert len(rows(bench, kind)) == 2
            bench.add_model(kind, follower(kind, bench.file_format) + "cross join (values (1), (2)) as each(copy)")
        text = bench.failed()
        for kind in ("current_state", "scd2"):
            assert f"{kind}, batch 2 ({MODEL} 2): the select returns 6 row(s) of 3 new one(s) of {MODEL}" in text
            bench.add_model(kind, follower(kind, bench.file_format))
        bench.build()
        assert [len(rows(bench, kind)) for kind in ("current_state", "scd2")] == [2, 3]

    @pytest.mark.both_adapters
    def test_empty_tables(self, bench: Workbench) -> None:
        follow(bench)
        bench.dump("select 1 as account_id, 'ann' as name")
        bench.build(None, "--empty")
        assert [rows(bench, name) for name in FOLLOWERS] == [[], []]
        # A log that has no batch yet.
        bench.build(None, "--select", *FOLLOWERS)
        assert [rows(bench, name) for name in FOLLOWERS] == [[], []]
        bench.build()
        assert_followed(bench)
        bench.build(None, "--empty")
        assert len(rows(bench, "now")) == 1

    def test_a_new_log_is_not_continued(self, bench: Workbench) -> None:
        """Its batches have the same numbers."""
        follow(bench)
        bench.build("select * from values (1, 'ann'), (2, 'bob') as t(account_id, name)")
        for name in bench.names():
            is_view = name == MODEL or "__commit_" in name or "__seen_" in name
            bench.spark.sql(f"drop {'view' if is_view else 'table'} {bench.schema}.{name}{'' if is_view else ' purge'}")
        bench.dump("select 1 as account_id, 'eve' as name")
        assert "Versions that only the table has would be lost" in bench.failed()
        assert_followed(bench, "now")
        assert len(rows(bench, "versions")) == 2


@pytest.mark.formats
class TestStoppedFollowers:
    macros = STOPPING
    DUMP = "select * from values (1, 'ann', {n}), (2, 'bob{n}', 0), ({n}, 'cid', 0) as t(account_id, name, seen)"

    def test_the_next_run_completes_them(self, bench: Workbench) -> None:
        follow(bench)
        bench.build(self.DUMP.format(n=10))
        steps = ["stage", "decide", "place", "record", "publish", "clean", "end"]
        if bench.file_format != "parquet":
            # Before and after a merge into the table, and before what was merged is dropped.
            steps = ["place", "record", "clean"]
        for number, step in enumerate(steps, 11):
            bench.build(self.DUMP.format(n=number), "--select", MODEL)
            before = [rows(bench, name) for name in FOLLOWERS]
            assert f"stopped at {step}" in bench.failed("--vars", f"stop_at: {step}", "--select", *FOLLOWERS)
            if step in ("stage", "decide", "place"):
                assert [rows(bench, name) for name in FOLLOWERS] == before
            bench.build()
            assert_followed(bench)
        bench.build(self.DUMP.format(n=20))
        assert_followed(bench)
        kinds = ["rows", "rows"] if bench.file_format == "parquet" else ["patch", "rows"]
        for name in FOLLOWERS:
            helpers = [each.removeprefix(f"{name}__") for each in bench.names(name) if "__" in each]
            assert sorted(helper.split("_")[0] for helper in helpers) == ["batches", "commit", *kinds]
            assert len(bench.batches("batch_id", name)) == 2 + len(steps)

    def test_a_merge_that_comes_late_changes_nothing(self, bench: Workbench) -> None:
        if bench.file_format == "parquet":
            pytest.skip("Parquet tables take no merge")
        follow(bench)
        for number in (10, 11):
            bench.build(self.DUMP.format(n=number))
        stalled = {}
        for name in FOLLOWERS:
            record = json.loads(bench.spark.table(f"{bench.schema}.{name}__commit_2").first()["record"])
            patch = f"{bench.schema}.{name}__patch_2_{record['patch']['attempt']}"
            bench.spark.sql(
                f"create table {bench.schema}.kept_{name} using {bench.file_format} as select * from {patch}"
            )
            stalled[name] = record, patch
        bench.build(self.DUMP.format(n=12))
        macros = Macros()
        for name, (record, patch) in stalled.items():
            before = rows(bench, name)
            bench.spark.sql(
                f"create table {patch} using {bench.file_format} as select * from {bench.schema}.kept_{name}"
            )
            job = {"target": Relation.create(bench.schema, name), "state_schema": bench.schema, "statements": []}
            bench.spark.sql(macros._merge_of_patch(job, record))
            assert rows(bench, name) == before
        assert_followed(bench)


YML = """
models:
  - name: versions
    description: Who was when
    columns:
      - {name: name, description: what it is called}
      - {name: dbt_valid_from, description: since when}
"""


class TestWhatDbtOffers:
    def test_hooks_descriptions_and_contracts(self, bench: Workbench) -> None:
        bench.spark.sql(f"create table {bench.schema}.heard (at string, found bigint) using parquet")
        options = {
            "persist_docs": {"relation": True, "columns": True},
            "pre_hook": "insert into {{ this.schema }}.heard select 'before', null",
            "post_hook": "insert into {{ this.schema }}.heard select 'after', count(*) from {{ this }}",
        }
        bench.add_model("versions", follower("scd2", bench.file_format, **options))
        # Hooks may read other models.
        bench.add_model("other", "select 7 as a")
        hook = "insert into {{ this.schema }}.heard select 'now', a from {{ ref('other') }}"
        bench.add_model("now", follower("current_state", bench.file_format, post_hook=hook))
        bench.add_yml(YML)
        for name in ("ann", "eve"):
            bench.build(f"select 1 as account_id, '{name}' as name")
            described = bench.spark.sql(f"describe extended {bench.schema}.versions").collect()
            comments = {row.col_name: row.comment or row.data_type for row in described}
            assert (comments["name"], comments["dbt_valid_from"]) == ("what it is called", "since when")
            assert comments["Comment"] == "Who was when"
        heard = bench.spark.table(f"{bench.schema}.heard").collect()
        assert [row.at for row in heard].count("before") == 2
        assert sorted(row.found for row in heard if row.at == "after") == [1, 2]
        assert [row.found for row in heard if row.at == "now"] == [7, 7]
        assert len(rows(bench, "now")) == 1

        done = bench.operate("contract", model="versions")
        found = re.search(r"^models:\n(?: .*\n?)+", done.text, re.MULTILINE)
        assert found is not None, done.text
        bench.add_yml(found[0])
        bench.build("select 1 as account_id, 'ida' as name")
        (model,) = yaml.safe_load(found[0])["models"]
        assert [column["name"] for column in model["columns"]][2:] == [
            "dbt_scd_id",
            "dbt_updated_at",
            "dbt_valid_from",
            "dbt_valid_to",
        ]
        bench.add_yml(found[0].replace("timestamp", "date"))
        bench.dump("select 1 as account_id, 'zoe' as name")
        assert "other type: dbt_valid_to, in the view timestamp, in the yml date" in bench.failed()
        assert len(rows(bench, "versions")) == 3

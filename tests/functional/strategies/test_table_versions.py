"""A source that is a table of Delta or Iceberg is read by its versions: in the lanes of these formats."""

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from workbench import MODEL, Workbench

from deltawave import table_versions

pytestmark = pytest.mark.formats

SELECT = (
    "select account_id, upper(name) as name, branch from {{ target.schema }}.lake where account_id is distinct from 13"
)
ROWS = "select /*+ repartition(8, id) */ id as account_id, concat('name ', id) as name, id % 3 as branch from range({})"
DELETION_VECTORS = {
    "delta": "'delta.enableDeletionVectors' = 'true'",
    "iceberg": ", ".join(f"'write.{what}.mode' = 'merge-on-read'" for what in ("delete", "update", "merge")),
}


@pytest.fixture
def lake(request: pytest.FixtureRequest) -> Workbench:
    """A workbench with a table of the lane's format, of which a fraction is a quarter of its bytes or less."""
    if request.config.option.table_format == "parquet":
        pytest.skip("Parquet files have no versions")
    bench: Workbench = request.getfixturevalue("bench")
    return bench


def create(bench: Workbench, rows: int = 80, properties: str = "", partitioned: str = "") -> None:
    bench.spark.sql(
        f"create table {bench.schema}.lake using {bench.file_format} {partitioned} "
        f"{properties and f'tblproperties ({properties})'} as {ROWS.format(rows)}"
    )


def logged(bench: Workbench, model: str = MODEL) -> list[tuple]:
    columns = "account_id, name, branch, _change_type, _batch_id, _before.name, array_sort(_changed_columns)"
    return bench.log(columns, model)


FEED = "'delta.enableChangeDataFeed' = 'true'"
READ_BY_FILES = "files have changed, of"
# What rewrites files without changing a row, and what deletes the files of older versions.
REWRITE = {
    "delta": "optimize {table}",
    "iceberg": "call spark_catalog.system.rewrite_data_files('{table}', options => map('rewrite-all', 'true'))",
}
FORGET = {
    "delta": "vacuum {table} retain 0 hours",
    "iceberg": "call spark_catalog.system.expire_snapshots(table => '{table}', older_than => now(), retain_last => 1)",
}
GONE = {"delta": "perhaps after a VACUUM", "iceberg": "has expired"}
GO_BACK = {
    "delta": "restore table {table} to version as of {version}",
    "iceberg": "call spark_catalog.system.set_current_snapshot('{table}', {version})",
}
VERSIONS = {
    "delta": "describe history {table}",
    "iceberg": "select snapshot_id as version from {table}.snapshots",
}


def do(bench: Workbench, statement: str, **values: object) -> None:
    bench.spark.sql(statement.format(table=f"{bench.schema}.lake", **values))


class TestTableVersions:
    # Small tables, too.
    macros = {"few.sql": "{% macro default___few_for_versions() %}{{ return(0) }}{% endmacro %}"}

    @pytest.mark.parametrize("strategy", ["row_checksum", "hash_compressed"])
    @pytest.mark.parametrize("kind", ["", "deleted rows are marked", "feed"])
    def test_only_files_that_changed_are_read(
        self, lake: Workbench, strategy: str, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All kinds of changes, and a log as of a comparison of all rows."""
        monkeypatch.setattr(table_versions, "_MOST", 1)
        if kind == "feed" and lake.file_format != "delta":
            pytest.skip("Iceberg writes no feed")
        create(lake, properties={"": "", "feed": FEED}.get(kind, DELETION_VECTORS[lake.file_format]))
        how = "the change data feed of 1 commits is read" if kind == "feed" else READ_BY_FILES
        # DuckDB also reads a log of Parquet.
        options = {"file_format": "parquet"} if strategy == "hash_compressed" else {}
        lake.configure(SELECT, strategy=strategy, **options)
        lake.add_differential("whole", SELECT, strategy="outer_join")
        lake.build()
        table = f"{lake.schema}.lake"
        for statement in (
            f"update {table} set name = 'new' where account_id in (5, 13)",
            f"delete from {table} where account_id = 8",
            f"insert into {table} values (100, 'dan', 1), (101, null, null)",
            f"""
            merge into {table} as old
            using (
                select * from values (9L, 'merged'), (10L, 'name 10'), (102L, 'more') as new(account_id, name)
            ) as new
            on old.account_id = new.account_id
            when matched then update set name = new.name
            when not matched then insert (account_id, name, branch) values (new.account_id, new.name, 0)
            """,
        ):
            lake.spark.sql(statement)
            assert how in lake.build().text
            assert logged(lake) == logged(lake, "whole")
        columns = "batch_id, inserts, deletes, updates, rows_new"
        assert lake.batches(columns) == lake.batches(columns, "whole")
        assert lake.batches() == [(1, 79, 0, 0), (2, 0, 0, 1), (3, 0, 1, 0), (4, 2, 0, 0), (5, 1, 0, 1)]

    def test_when_all_files_are_read(
        self, lake: Workbench, setting: Callable[[str, str], Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whatever happens to a table or a model, the log is that of a comparison of all rows, or the run fails."""
        kind = lake.file_format
        monkeypatch.setattr(table_versions, "_MOST", 9)
        create(lake)
        lake.configure(SELECT, strategy="row_checksum")
        lake.build()
        do(lake, REWRITE[kind])
        assert READ_BY_FILES in lake.build().text
        do(lake, "update {table} set name = 'new' where account_id = 5")
        assert READ_BY_FILES in lake.build().text
        assert lake.batches() == [(1, 79, 0, 0), (2, 0, 0, 1)]

        # The key 6 lies in an unchanged file, too.
        do(lake, "insert into {table} values (6, 'again', 0), (100, 'dan', 1)")
        before = logged(lake)
        text = lake.failed()
        assert all(each in text for each in (READ_BY_FILES, "all rows are read: what has changed does not fit", "(6)"))
        do(lake, "delete from {table} where name = 'again'")
        do(lake, "insert into {table} values (null, 'nobody', 0)")
        text = lake.failed()
        assert "null" in text
        assert logged(lake) == before
        do(lake, "delete from {table} where account_id is null")
        assert READ_BY_FILES in lake.build().text
        assert lake.batches()[2:] == [(3, 1, 0, 0)]

        lake.configure(SELECT, strategy="row_checksum", ignore_columns=["branch"])
        do(lake, "update {table} set branch = 9 where account_id = 7")
        assert READ_BY_FILES not in lake.build().text
        lake.configure(SELECT, strategy="row_checksum")
        assert READ_BY_FILES not in lake.build().text
        assert lake.batches()[3:] == [(4, 0, 0, 0), (5, 0, 0, 1)]

        do(lake, "update {table} set name = 'old' where account_id = 9")
        with setting("spark.sql.files.ignoreMissingFiles", "true"):
            assert "all rows are read: spark.sql.files.ignoreMissingFiles is true" in lake.build().text
        do(lake, "update {table} set name = 'new' where account_id = 9")
        assert "the session's settings have changed" in lake.build().text

        do(lake, "delete from {table} where account_id = 7")
        with setting("spark.databricks.delta.retentionDurationCheck.enabled", "false"):
            do(lake, FORGET[kind])
        assert GONE[kind] in lake.build().text
        do(lake, "alter table {table} add column code int")
        lake.configure(SELECT.replace("branch from", "branch, code from"), strategy="row_checksum")
        assert READ_BY_FILES not in lake.build().text
        assert lake.batches()[7:] == [(8, 0, 1, 0)]

        monkeypatch.setattr(table_versions, "_MOST", 0.1)
        do(lake, "update {table} set name = concat(name, account_id)")
        assert "files have changed, and the table has" in lake.build().text
        assert lake.batches()[8:] == [(9, 0, 0, 79)]

    def test_commits_while_a_batch_is_read(self, lake: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
        """What another process commits between two looks at the source is in this batch, or in the next one."""
        monkeypatch.setattr(table_versions, "_MOST", 9)
        create(lake)
        lake.configure(SELECT, strategy="row_checksum")
        looks = []
        bytes_of = table_versions.bytes_of

        def committing(select: Any) -> int | None:
            looks.append(select)
            do(lake, "update {table} set name = concat(name, '!') where account_id = {key}", key=len(looks))
            return bytes_of(select)

        with monkeypatch.context() as patch:
            patch.setattr(table_versions, "bytes_of", committing)
            lake.build()
            do(lake, "insert into {table} values (100, 'dan', 1)")
            lake.build()
        assert len(looks) > 2
        lake.build()
        current = lake.spark.sql(
            f"select account_id, upper(name) from {lake.schema}.lake where account_id <> 13 order by account_id"
        )
        found: dict[Any, Any] = {}
        for key, name, change, _ in lake.log():
            found.pop(key, None) if change == "delete" else found.update({key: name})
        assert sorted(found.items()) == [tuple(row) for row in current.collect()]

    def test_rows_that_are_set_aside(self, lake: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
        """A duplicate of a key in an unchanged file is set aside, with the number of rows that is expected."""
        monkeypatch.setattr(table_versions, "_MOST", 9)
        create(lake)
        select = SELECT.replace("where account_id is distinct from 13", "")
        expected = "select count(*) from {{ target.schema }}.lake"
        lake.configure(select, strategy="row_checksum", duplicate_keys="quarantine", expected_rows=expected)
        lake.build()
        do(lake, "insert into {table} values (6, 'again', 0), (100, 'dan', 1)")
        assert "what has changed does not fit the log" in lake.build().text
        assert lake.batches("batch_id, inserts, deletes, updates, quarantined") == [(1, 80, 0, 0, 0), (2, 1, 0, 0, 2)]
        do(lake, "delete from {table} where name = 'again'")
        do(lake, "insert into {table} values (101, 'eve', 1)")
        lake.build()
        assert lake.batches("batch_id, inserts, rows_new, rows_dump")[-1] == (3, 1, 82, 82)

    def test_generated_histories(
        self,
        lake: Workbench,
        seed: int,
        setting: Callable[[str, str], Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Whatever commits lie between two runs, both ways of reading give one log."""
        monkeypatch.setattr(table_versions, "_MOST", 9)
        drawn = random.Random(seed)
        kind = lake.file_format
        create(
            lake,
            properties=drawn.choice(["", DELETION_VECTORS[kind], FEED if kind == "delta" else ""]),
            partitioned=drawn.choice(["", "partitioned by (branch)"]),
        )
        lake.configure(SELECT, strategy=drawn.choice(["row_checksum", "hash_compressed"]))
        lake.add_differential("whole", SELECT, strategy="outer_join")
        lake.build()
        by_versions = 0
        for _ in range(6):
            statements = [statement for _ in range(drawn.randint(1, 3)) for statement in drawn_statements(drawn, lake)]
            print(statements)
            with setting("spark.databricks.delta.retentionDurationCheck.enabled", "false"):
                for statement in statements:
                    # A version whose files are deleted does not come back.
                    with suppress(Exception):
                        lake.spark.sql(statement)
            text = lake.build().text
            by_versions += READ_BY_FILES in text or "the change data feed" in text
            assert logged(lake) == logged(lake, "whole")
        assert by_versions


def drawn_statements(drawn: random.Random, bench: Workbench) -> list[str]:
    """What somebody does to the table: mostly changes of some rows, each key at most once there."""
    table, kind = f"{bench.schema}.lake", bench.file_format
    key, other = drawn.sample(range(120), 2)
    name = drawn.choice(["'a'", "'b'", "null", "name"])
    merge = f"""
        merge into {table} as old
        using (select * from values ({key}L, {name if name != "name" else "'c'"}) as new(account_id, name)) as new
        on old.account_id = new.account_id
        when matched and new.name is null then delete
        when matched then update set name = new.name
        when not matched then insert (account_id, name, branch) values (new.account_id, new.name, {drawn.randrange(3)})
    """
    versions = [row.version for row in bench.spark.sql(VERSIONS[kind].format(table=table)).collect()]
    return [
        drawn.choice(
            [
                merge,
                merge,
                f"update {table} set name = {name} where account_id between {min(key, other)} and {max(key, other)}",
                f"update {table} set branch = 2 - branch where account_id = {key}",
                f"delete from {table} where account_id = {key}",
                f"delete from {table} where branch = {drawn.randrange(3)} and account_id > {key}",
                REWRITE[kind].format(table=table),
                FORGET[kind].format(table=table),
                f"alter table {table} add column code_{drawn.randrange(10**6)} int",
                GO_BACK[kind].format(table=table, version=drawn.choice(versions)),
                f"insert overwrite {table} (account_id, name, branch) "
                f"select account_id, {name}, branch from {table} where account_id <> {key}",
            ]
        )
    ]

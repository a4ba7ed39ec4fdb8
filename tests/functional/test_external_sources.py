"""External sources: tables over files that follow the yml and the folders, and what a change log reads of them."""

import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from bad_input import messages
from landing import Landing
from py4j.protocol import Py4JJavaError
from unit.test_external_definition import BAD_BLOCKS

pytestmark = pytest.mark.usefixtures("deltawave_package")

COLUMNS = [{"name": "id", "data_type": "int"}, {"name": "name", "data_type": "string"}]
CSV = {"file_format": "csv"}
DATED = {**CSV, "partitions": [{"name": "dump_date", "data_type": "date"}]}

# None of these files is complete; each is refused whatever columns are read.
WHOLE_FILE = "id,name,town\n1,ann,ulm\n2,bob,bonn\n"
HALF_FILES = {
    "a cut last row": WHOLE_FILE[:-6],
    "a row with one column more": WHOLE_FILE + "3,cid,kiel,x\n",
    "columns in another order": WHOLE_FILE.replace("name,town", "town,name"),
    "a renamed column": WHOLE_FILE.replace("town", "city"),
    "a new column in between": WHOLE_FILE.replace("id,", "id,x,").replace("1,", "1,y,").replace("2,", "2,y,"),
    "no header": WHOLE_FILE.removeprefix("id,name,town\n"),
}


class Accounts(Landing):
    """The same over CSV files of two columns, unless declared otherwise."""

    def declare(self, columns: list[dict[str, str]] | None = None, **external: Any) -> None:
        super().declare(CSV | external, COLUMNS if columns is None else columns)

    def rows(self, columns: str = "*", where: str = "true") -> list[tuple[Any, ...]]:
        return sorted(super().rows(columns, where))

    def unreadable(self, columns: str = "*") -> None:
        with pytest.raises(Py4JJavaError, match="FAILED_READ_FILE"):
            self.rows(columns)


class TestExternalSources:
    models = {"sources.yml": "version: 2"}

    @pytest.fixture
    def landing(self, project, spark):
        landing = Accounts(spark, Path(project.project_root), project.test_schema)
        landing.clear()
        spark.sql(f"create schema {landing.schema}")
        return landing

    def test_absolute_locations(self, landing, tmp_path):
        (tmp_path / "it's here").mkdir()
        (tmp_path / "it's here" / "part.csv").write_text("id,name\n1,ann\n")
        for location in (str(tmp_path / "it's here"), f"file:{tmp_path}/it's here"):
            landing.declare(location=location)
            landing.create()
            assert landing.rows() == [(1, "ann")]

    def test_partitions_come_and_go_with_their_folders(self, landing):
        landing.write("dump_date=2026-01-01/a.csv", "id,name\n1,ann\n")
        landing.declare(**DATED)
        landing.create()
        assert landing.rows("cast(dump_date as string)") == [("2026-01-01",)]
        landing.write("dump_date=2026-01-02/a.csv", "id,name\n1,ann\n")
        landing.create()
        assert landing.rows("cast(dump_date as string)") == [("2026-01-01",), ("2026-01-02",)]
        (landing.root / "dumps/dump_date=2026-01-01/a.csv").unlink()
        (landing.root / "dumps/dump_date=2026-01-01").rmdir()
        landing.create()
        assert landing.rows("cast(dump_date as string)") == [("2026-01-02",)]

    def test_names_and_options_may_hold_any_text(self, landing):
        landing.write("a.csv", "the 'key'|`select`|end\n1|it's|a\\b\n2|say \"\"|nil'\\\n")
        names = ["the 'key'", "`select`", "end"]
        landing.declare(
            columns=[{"name": name, "data_type": "string"} for name in names],
            options={"header": True, "sep": "|", "escape": '"', "nullValue": "nil'\\", "enforceSchema": False},
        )
        landing.create()
        assert landing.spark.table(landing.table).columns == names
        assert landing.rows() == [("1", "it's", "a\\b"), ("2", 'say ""', None)]

    @pytest.mark.parametrize("file_format", ["parquet", "json", "orc"])
    def test_other_formats(self, landing, file_format):
        rows = landing.spark.createDataFrame([(1, "ann")], "id int, name string")
        rows.write.format(file_format).save(str(landing.root / "dumps" / "of_spark"))
        landing.declare(file_format=file_format, options={}, location="dumps/of_spark")
        landing.create()
        assert landing.rows() == [(1, "ann")]

    def test_new_files_are_seen_and_a_changed_definition_is_rebuilt(self, landing):
        landing.declare()
        for text, found in (("1,ann", [(1, "ann")]), ("2,", [(1, "ann"), (2, None)])):
            landing.write(f"{len(found)}.csv", f"id,name\n{text}\n")
            landing.create()
            assert landing.rows() == found
        landing.declare(columns=[{"name": "id", "data_type": "bigint"}, COLUMNS[1]], options={"comment": "#"})
        landing.create()
        assert landing.rows("id") == [(1,), (2,)]
        assert dict(landing.spark.table(landing.table).dtypes)["id"] == "bigint"
        # The files are left.
        assert (landing.root / "dumps/1.csv").read_text() == "id,name\n1,ann\n"

    def test_relation_of_another_maker_is_not_touched(self, landing):
        landing.write("a.csv", "id,name\n1,ann\n")
        landing.declare()
        landing.spark.sql(f"create table {landing.table} using parquet as select 42 as answer")
        assert "create_external_sources did not create it" in landing.refused()
        assert landing.rows() == [(42,)]

    def test_missing_folder(self, landing):
        landing.declare(location="dumps/of_last_year")
        text = landing.refused()
        assert "Path does not exist" in text
        assert "dumps/of_last_year" in text
        assert not landing.exists()
        assert not (landing.root / "dumps/of_last_year").exists()

    def test_folder_without_partitions(self, landing):
        landing.write("a.csv", "id,name\n1,ann\n")
        landing.declare(**DATED)
        assert "dumps holds no folder dump_date=<date>" in landing.refused()

    @pytest.mark.parametrize("file", HALF_FILES.values(), ids=HALF_FILES)
    def test_half_a_file_and_another_header_are_refused_whatever_is_read(self, half_files, file):
        half_files.write("half/a.csv", file)
        half_files.spark.sql(f"refresh table {half_files.table}")
        for columns in ("*", "id", "count(*)"):
            half_files.unreadable(columns)

    @pytest.fixture(scope="class")
    def half_files(self, project, spark):
        """A table over text, made once: only its file changes."""
        landing = Accounts(spark, Path(project.project_root), project.test_schema)
        spark.sql(f"drop schema if exists {landing.schema} cascade")
        landing.write("half/a.csv", WHOLE_FILE)
        landing.declare(
            location="dumps/half", columns=[{"name": name, "data_type": "string"} for name in ("id", "name", "town")]
        )
        landing.create()
        assert landing.rows() == [("1", "ann", "ulm"), ("2", "bob", "bonn")]
        return landing

    @pytest.mark.parametrize(("file_format", "text"), [("json", '{"id":1,"name":"a'), ("xml", "<r><row><id>1</id><na")])
    def test_half_a_row_of_other_text_is_refused(self, landing, file_format, text):
        landing.write("a", text)
        landing.declare(file_format=file_format, options={"rowTag": "row"} if file_format == "xml" else {})
        landing.create()
        landing.unreadable("count(*)")

    def test_corrupt_file_is_refused_whatever_the_session_leaves_out(self, landing, setting):
        landing.write("a.parquet", "PAR1 and no more")
        landing.declare(file_format="parquet")
        landing.create()
        with setting("spark.sql.files.ignoreCorruptFiles", "true"):
            landing.unreadable()


CHANGES = """
{{ config(materialized='differential', unique_key='id', meta={'snapshot_date': 'dump_date'}) }}
select id, name, dump_date from {{ ref('stg_accounts') }}
"""
RENAMED = """
{{ config(materialized='differential', unique_key='id', meta={'snapshot_date': 'day'}) }}
select id, name, cast(dump_date as string) as day from {{ ref('stg_accounts') }}
"""
FOUR = "id,name\n1,ann\n2,bob\n3,cid\n4,dan\n"
EMPTY_DUMPS = {
    "a dump with a header alone": "id,name\n",
    "a dump of 0 bytes": "",
    "a dump that is an empty folder": None,
}
OF_A_RUN = [
    "a table that was never made",
    "a declaration that was changed",
    "no folder of a partition",
    *EMPTY_DUMPS,
    "a header with another column",
    "a file in another encoding than UTF-8",
    "a file that was cut",
    "a file that did not come",
    "a file without a checksum",
    # Tested in tests/unit/test_checksum_files.py.
    "checksums that can't be read",
    "checksums, through Spark Connect or without Python",
    "a compared date with other rows",
]
TOWN = [*COLUMNS, {"name": "town", "data_type": "string"}]
TOWNS = """
{{ config(
    materialized='differential', unique_key='id', on_schema_change='sync_all_columns',
    meta={'snapshot_date': 'dump_date'},
) }}
select * from {{ source('legacy', 'accounts') }}
"""
# Dates that were delivered again are compared again.
REPLACED = TOWNS.replace("'snapshot_date'", "'redelivery': 'replace', 'snapshot_date'")


def folder(day: int) -> str:
    return f"dump_date=2026-01-0{day}/a.csv"


def test_all_kinds_are_tested():
    assert list(messages("External sources")) == [*BAD_BLOCKS, *OF_A_RUN]


class Log(Accounts):
    """The same with a change log, `accounts_changes`, over a view of the source."""

    def land(self, day: int, text: str | None) -> None:
        """The dump of a day; None for a folder without files."""
        if text is None:
            (self.root / "dumps" / folder(day)).parent.mkdir(parents=True)
        else:
            self.write(folder(day), text)

    def select(self, text: str = CHANGES) -> None:
        (self.root / "models" / "accounts_changes.sql").write_text(text)

    def batches(self) -> list[tuple[Any, ...]]:
        rows = self.spark.table(f"{self.schema}.accounts_changes__batches").orderBy("batch_id")
        return [tuple(row) for row in rows.select("snapshot_date", "inserts", "deletes", "updates").collect()]


def begun_with(log: Log) -> Log:
    """A log that has the dump of one day."""
    log.land(1, FOUR)
    log.create()
    log.run()
    assert log.batches() == [("2026-01-01", 4, 0, 0)]
    return log


COUNTED = """
-- depends_on: {{ source('legacy', 'counts') }}
{{ config(
    materialized='differential', unique_key='id',
    meta={
        'snapshot_date': 'dump_date',
        'expected_rows': "select dump_rows from {{ source('legacy', 'counts') }} where dump_date = {snapshot_date}",
    },
) }}
select id, name, dump_date from {{ ref('stg_accounts') }}
"""

MODELS = {
    "sources.yml": "version: 2",
    "stg_accounts.sql": "select id, name, dump_date from {{ source('legacy', 'accounts') }}",
}


class TestRuns:
    models = MODELS

    @pytest.fixture
    def empty(self, project, spark):
        """Nothing made, nothing landed."""
        log = Log(spark, Path(project.project_root), project.test_schema)
        log.clear()
        log.declare(**DATED)
        log.select()
        return log

    @pytest.fixture
    def log(self, empty):
        """A log with the dump of one day."""
        return begun_with(empty)

    @pytest.mark.both_adapters
    def test_a_run_finds_the_folders_that_have_come_and_reads_no_other(self, log):
        log.land(2, FOUR.replace("ann", "eve"))
        assert "legacy.accounts" not in log.run()
        assert log.batches()[1:] == [("2026-01-02", 0, 0, 1)]

        # The one is touched, the other corrected, with the same size.
        dumps = [log.root / "dumps" / folder(day) for day in (1, 2)]
        os.utime(dumps[0], (1, 1))
        log.land(2, FOUR.replace("ann", "eva"))
        text = log.run()
        warning = messages("External sources")["a compared date with other rows"]
        assert warning in text
        assert "--args '{model: accounts_changes, to_batch: 1}'" in text

        for dump in dumps:
            facts = dump.stat()
            dump.write_text("x" * facts.st_size)
            os.utime(dump, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        assert warning in log.run()
        assert log.batches()[1:] == [("2026-01-02", 0, 0, 1)]

    def test_each_folder_is_read_by_its_own_header(self, log):
        log.land(2, "town,id,Name\nulm,1,ann\n,2,bob\nkiel,3,cid\n,4,dan\n")
        text = log.run(expect_pass=False)
        assert messages("External sources")["a header with another column"] in text
        assert "dump_date=2026-01-02" in text

        log.declare(TOWN, **DATED)
        log.create()
        log.select(TOWNS)
        log.land(3, "id,town,name\n1,bonn,ann\n2,,bob\n3,kiel,cid\n4,,dan\n")
        log.land(4, FOUR)
        text = log.run()
        assert "batch 2 (2026-01-02): +0 -0 ~0 of 4, 2 backfilled, " in text
        assert "batch 3 (2026-01-03): +0 -0 ~1 of 4, " in text
        assert log.batches()[3:] == [("2026-01-04", 0, 0, 0)]
        assert "skipped" not in text
        assert log.spark.table(f"{log.schema}.accounts_changes").columns[:3] == ["id", "name", "_change_type"]
        towns = log.spark.table(log.table).where("dump_date = '2026-01-03'").orderBy("id").collect()
        assert [tuple(row)[:3] for row in towns][:2] == [(1, "ann", "bonn"), (2, "bob", None)]

    def test_hashes_of_dates_that_lack_a_column(self, empty):
        """All dates in one run; the log is that of outer_join."""
        empty.declare(TOWN, **DATED)
        for day in range(1, 7):
            keys = range(day, day + 4)
            rows = [("id", "name", "town"), *((f"{key}", f"n{(key + day) // 3}", "ulm" * (key % 2)) for key in keys)]
            empty.land(day, "".join(",".join(row[: 2 if day in (2, 4) else 3]) + "\n" for row in rows))
        empty.create()
        empty.select(TOWNS.replace("unique_key", "strategy='outer_join', unique_key"))
        hashed = empty.root / "models" / "hashed.sql"
        hashed.write_text(TOWNS.replace("unique_key", "strategy='hash_compressed', unique_key"))
        try:
            empty.run()
        finally:
            hashed.unlink()
        counts = "batch_id", "inserts", "deletes", "updates", "backfilled"
        expected = [(4, 0, 0, 0), *[(1, 1, 1, 0), (1, 1, 1, 2)] * 2, (1, 1, 1, 0)]
        logs = []
        for model in ("accounts_changes", "hashed"):
            batches = empty.spark.table(f"{empty.schema}.{model}__batches").select(*counts).orderBy("batch_id")
            assert [tuple(row)[1:] for row in batches.collect()] == expected, model
            logs.append(sorted(map(str, empty.spark.table(f"{empty.schema}.{model}").collect())))
        assert logs[0] == logs[1]

    def test_a_redelivery_that_lacks_a_column_undoes_nothing(self, empty):
        empty.declare(TOWN, **DATED)
        for day, name in enumerate(("ann", "eve", "ida"), start=1):
            empty.land(day, f"id,name,town\n1,{name},ulm\n")
        empty.create()
        empty.select(REPLACED.replace("sync_all_columns", "ignore"))
        empty.run()
        logged = [("2026-01-01", 1, 0, 0), ("2026-01-02", 0, 0, 1), ("2026-01-03", 0, 0, 1)]
        assert empty.batches() == logged
        empty.land(2, "id,name\n1,evi\n")
        text = empty.run(expect_pass=False)
        assert "dropped: town" in text
        assert empty.batches() == logged
        empty.land(2, "id,name,town\n1,evi,ulm\n")
        empty.run()
        rows = empty.spark.table(f"{empty.schema}.accounts_changes").orderBy("_batch_id").select("name", "town")
        assert [tuple(row) for row in rows.collect()] == [("ann", "ulm"), ("evi", "ulm"), ("ida", "ulm")]

    def test_a_first_date_with_a_column_that_a_later_date_lacks_undoes_nothing(self, empty):
        empty.land(1, "id,name\n1,ann\n")
        empty.land(2, "id,name\n1,eve\n")
        empty.create()
        empty.select(REPLACED.replace("sync_all_columns", "ignore"))
        empty.run()
        logged = empty.batches()
        empty.declare(TOWN, **DATED)
        empty.create()
        empty.land(1, "id,name,town\n1,ann,ulm\n")
        text = empty.run(expect_pass=False)
        assert "dump of 2026-01-02 after that of 2026-01-01: the columns of the dump have changed" in text
        assert empty.batches() == logged
        empty.land(2, "id,name,town\n1,eve,bonn\n")
        empty.run()
        assert empty.batches()[2:] == [("2026-01-01", 1, 0, 0), ("2026-01-02", 0, 0, 1)]

    def test_a_redelivery_with_an_empty_column_that_was_missing_is_another_dump(self, empty):
        """The select returns the same rows of both."""
        empty.declare(TOWN, **DATED)
        empty.land(1, "id,name,town\n1,ann,ulm\n")
        empty.land(2, "id,name\n1,ann\n")
        empty.create()
        empty.select(REPLACED.replace("unique_key", "strategy='outer_join', unique_key"))
        empty.run()
        for town, updates in (("town", 1), ("", 0)):
            empty.land(2, f"id,name,{town}\n1,ann,\n" if town else "id,name\n1,ann\n")
            assert "dump(s) of 2026-01-02 were delivered again with other rows" in empty.run()
            assert empty.batches()[-1] == ("2026-01-02", 0, 0, updates)
        assert "no changes" in empty.run()

    @pytest.mark.both_adapters
    def test_a_source_that_was_never_made_says_what_to_run(self, empty):
        text = empty.run("--exclude", "stg_accounts", expect_pass=False)
        assert messages("External sources")["a table that was never made"] in text
        assert "dbt run-operation create_external_sources --args '{select: legacy.accounts}'" in text

    def test_a_table_of_another_maker_is_read_and_warned_of(self, empty):
        empty.land(1, FOUR)
        empty.spark.sql(f"create schema {empty.schema}")
        empty.spark.sql(
            f"create table {empty.table} (id int, name string, dump_date date) using csv options (header 'true')"
            f" partitioned by (dump_date) location '{empty.root}/dumps'"
        )
        empty.declare(using="csv", file_format=None, options={"header": "true"}, partitions=DATED["partitions"])
        text = empty.run()
        assert empty.batches() == [("2026-01-01", 4, 0, 0)]
        warning = "source legacy.accounts: a damaged or different file may be read without an error: ignoreCorruptFiles"
        assert warning in text
        assert "mode is not FAILFAST" in text
        assert "header is not true" not in text

    @pytest.mark.both_adapters
    def test_an_empty_dump_stops_what_comes_after_it_and_passes_when_it_is_accepted(self, log):
        log.select(RENAMED)
        log.land(2, FOUR.replace("ann", "eve"))
        log.land(3, None)
        log.land(4, FOUR)
        assert "batch 3 (2026-01-03): the dump is empty" in log.run(expect_pass=False)
        log.run("--vars", "{deltawave_accept: [accounts_changes]}")
        assert log.batches()[1:] == [("2026-01-02", 0, 0, 1), ("2026-01-03", 0, 4, 0), ("2026-01-04", 4, 0, 0)]
        assert "no changes" in log.run()

    def test_an_empty_first_dump_is_refused(self, empty):
        empty.land(1, "id,name\n")
        empty.create()
        assert "batch 1 (2026-01-01): the dump is empty" in empty.run(expect_pass=False)

    @pytest.mark.parametrize(
        ("order", "data_type", "loads"),
        [("text", "string", ["2026-W01", "2026-W02", "2026-W03"]), ("number", "int", ["9", "10", "11"])],
    )
    def test_folders_without_dates_announce_dumps_too(self, empty, order, data_type, loads):
        first, second, third = (empty.root / "dumps" / f"dump_date={load}" / "a.csv" for load in loads)
        empty.declare(partitions=[{"name": "dump_date", "data_type": data_type}])
        empty.select(CHANGES.replace("'snapshot_date'", f"'snapshot_order': '{order}', 'snapshot_date'"))
        for file, text in ((first, FOUR), (second, FOUR.replace("ann", "eve")), (third, "id,name\n")):
            file.parent.mkdir(parents=True)
            file.write_text(text)
        empty.create()
        assert f"batch 3 ({loads[2]}): the dump is empty" in empty.run(expect_pass=False)
        # Nothing is read of folders that were compared.
        facts = first.stat()
        first.write_text("x" * facts.st_size)
        os.utime(first, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        third.write_text(FOUR)
        empty.run()
        assert empty.batches() == [(loads[0], 4, 0, 0), (loads[1], 0, 0, 1), (loads[2], 0, 0, 1)]

    def test_names_of_files_order_dumps(self, empty):
        empty.declare()
        empty.select(
            "{{ config(materialized='differential', unique_key='id', "
            "meta={'snapshot_date': 'load_id', 'snapshot_order': 'text'}) }}"
            " select *, _metadata.file_name as load_id from {{ source('legacy', 'accounts') }}"
        )
        empty.write("accounts_2026w05.csv", FOUR)
        empty.create()
        empty.run("--select", "accounts_changes")
        for week, name in ((7, "eva"), (6, "eve")):
            empty.write(f"accounts_2026w0{week}.csv", FOUR.replace("ann", name))
        text = empty.run("--select", "accounts_changes")
        assert "batch 2 (accounts_2026w06.csv): +0 -0 ~1 of 4, " in text
        changes = [(4, 0, 0), (0, 0, 1), (0, 0, 1)]
        assert empty.batches() == [(f"accounts_2026w0{n}.csv", *found) for n, found in enumerate(changes, 5)]
        # A source whose folders are read by their headers is a view.
        (empty.root / "dumps" / "dump_date=2026-01-01").mkdir()
        for file in (empty.root / "dumps").glob("*.csv"):
            file.rename(empty.root / "dumps" / "dump_date=2026-01-01" / file.name)
        empty.declare(**DATED)
        empty.create()
        text = empty.run("--select", "accounts_changes", expect_pass=False)
        assert "`_metadata`.`file_name` cannot be resolved" in text

    def test_dates_that_the_select_leaves_out_are_no_empty_dumps(self, log):
        days = "where dump_date >= '2026-01-02' and dump_date not in (date '2026-01-03', date '2026-01-05')"
        log.select(f"{CHANGES} {days}")
        log.land(2, FOUR.replace("ann", "eve"))
        log.land(3, "")
        log.land(4, FOUR)
        log.land(5, FOUR)
        text = log.run()
        assert "has dump(s) of" not in text
        assert log.batches()[1:] == [("2026-01-02", 0, 0, 1), ("2026-01-04", 0, 0, 1)]

    def test_rows_that_the_select_leaves_out_are_warned_of(self, log):
        log.select(f"{CHANGES} where name <> 'zoe'")
        log.land(2, "id,name\n1,zoe\n")
        text = log.run()
        assert "accounts_changes: legacy.accounts has dump(s) of 2026-01-02, of which the select returns no row" in text
        assert len(log.batches()) == 1

    def test_a_file_beside_the_dumps_says_how_many_rows_they_have(self, empty):
        counts = [{"name": "dump_rows", "data_type": "bigint"}]
        empty.declare_tables(
            {"name": "accounts", "external": DATED | {"location": "dumps/accounts"}, "columns": COLUMNS},
            {"name": "counts", "external": DATED | {"location": "dumps/counts"}, "columns": counts},
        )
        empty.select(COUNTED)
        for day, text in ((1, FOUR), (2, FOUR.replace("4,dan\n", ""))):
            empty.write(f"accounts/{folder(day)}", text)
            empty.write(f"counts/{folder(day)}", "dump_rows\n4\n")
        empty.create()
        message = "accounts_changes, batch 2 (2026-01-02): the dump has 3 row(s), and expected_rows gives 4."
        assert message in empty.run(expect_pass=False)
        # The next count comes before its dump.
        empty.write(f"accounts/{folder(2)}", FOUR.replace("ann", "eve"))
        empty.write(f"counts/{folder(3)}", "dump_rows\n5\n")
        text = empty.run()
        assert "legacy.counts has dump(s) of 2026-01-03, of which the select returns no row" in text
        assert empty.batches() == [("2026-01-01", 4, 0, 0), ("2026-01-02", 0, 0, 1)]
        empty.write(f"accounts/{folder(3)}", FOUR.replace("ann", "eve") + "5,fay\n")
        assert "legacy.counts" not in empty.run()
        assert empty.batches()[2:] == [("2026-01-03", 1, 0, 0)]
        # A folder of counts announces no dump, not even in an accepted run.
        empty.write(f"counts/{folder(4)}", "dump_rows\n")
        accepted = ("--vars", "deltawave_accept: [accounts_changes]")
        for args in ((), accepted):
            assert "without rows" not in empty.run(*args)
        assert len(empty.batches()) == 3
        # An empty dump whose count is 0 is no date that the select left out.
        empty.write(f"accounts/{folder(4)}", "id,name\n")
        empty.write(f"counts/{folder(4)}", "dump_rows\n0\n")
        assert "of which the select returns no row" not in empty.run(*accepted)
        assert empty.batches()[3:] == [("2026-01-04", 0, 5, 0)]

    def test_files_are_compared_with_their_checksums(self, empty):
        second = FOUR.replace("ann", "eve")
        empty.declare(**DATED, checksums="*.sha256")
        for day, text in ((1, FOUR), (2, second)):
            empty.land(day, text)
            empty.write(f"{folder(day)}.sha256", sha256(text.encode()).hexdigest())
        empty.land(2, second.replace("4,dan\n", ""))
        empty.write("dump_date=2026-01-02/b.csv.sha256", f"{sha256(b'').hexdigest()}  b.csv\n")
        empty.write("dump_date=2026-01-02/c.csv", "id,name\n5,eva\n")
        empty.create()
        text = empty.run(expect_pass=False)
        for kind in ("a file that was cut", "a file that did not come", "a file without a checksum"):
            assert messages("External sources")[kind] in text
        assert empty.batches() == [("2026-01-01", 4, 0, 0)]

        empty.land(2, second)
        for name in ("b.csv.sha256", "c.csv"):
            (empty.root / "dumps/dump_date=2026-01-02" / name).unlink()
        empty.run()
        assert empty.batches()[1:] == [("2026-01-02", 0, 0, 1)]
        assert len(empty.rows()) == 8
        # The checksum of a dump that was not delivered announces it.
        empty.write(f"{folder(3)}.sha256", sha256(FOUR.encode()).hexdigest())
        assert "dump_date=2026-01-03/a.csv, which a.csv.sha256 names, is missing" in empty.run(expect_pass=False)

    @pytest.mark.parametrize("strategy", ["outer_join", "hash_compressed"])
    def test_bytes_that_are_no_utf8_are_refused_until_an_encoding_is_declared(self, empty, strategy):
        """Read as UTF-8, both names would be the same on both days."""
        empty.select(CHANGES.replace("unique_key='id'", f"unique_key='id', strategy='{strategy}'"))
        empty.land(1, FOUR)
        empty.write(folder(2), FOUR.replace("ann", "Müller").replace("dan", "Zoë"), "iso-8859-1")
        empty.create()
        text = empty.run(expect_pass=False)
        assert messages("External sources")["a file in another encoding than UTF-8"] in text
        assert "--args '{select: legacy.accounts}'" in text
        assert empty.batches() == [("2026-01-01", 4, 0, 0)]
        empty.declare(**DATED, options={"encoding": "ISO-8859-1"})
        empty.create()
        empty.write(folder(3), FOUR.replace("ann", "Möller").replace("dan", "Zoë"), "iso-8859-1")
        empty.run()
        assert empty.batches()[1:] == [("2026-01-02", 0, 0, 2), ("2026-01-03", 0, 0, 1)]
        # The character itself, in a source whose encoding is declared.
        empty.declare(**DATED, options={"encoding": "UTF-8"})
        empty.land(4, FOUR.replace("ann", "\ufffd"))
        empty.create()
        empty.run()
        assert empty.batches()[3:] == [("2026-01-04", 0, 0, 2)]

    def test_checksums_of_files_without_dates(self, empty):
        empty.declare(options={"pathGlobFilter": "*.csv"}, checksums="SHA256SUMS")
        empty.select(
            "{{ config(materialized='differential', unique_key='id') }}"
            " select id, name from {{ source('legacy', 'accounts') }}"
        )
        empty.write("a.csv", FOUR)
        empty.write("SHA256SUMS", f"{sha256(FOUR.encode()).hexdigest()} *./a.csv\n")
        empty.create()
        empty.run("--select", "accounts_changes")
        assert empty.batches() == [(None, 4, 0, 0)]
        empty.write("a.csv", FOUR.replace("4,dan\n", ""))
        text = empty.run("--select", "accounts_changes", expect_pass=False)
        assert "batch 2: files of source legacy.accounts do not match their checksums: a.csv has the SHA256" in text

    def test_threads_find_the_same_folders_at_once(self, log):
        others = [log.root / "models" / f"changes_{n}.sql" for n in range(4)]
        for file in others:
            file.write_text(CHANGES)
        try:
            for day in (2, 3):
                log.land(day, FOUR)
            log.run("--threads", "4")
            for n in range(4):
                assert log.spark.table(f"{log.schema}.changes_{n}__batches").count() == 3
        finally:
            for file in others:
                file.unlink()


class TestRefusedRuns:
    """None of them changes the log."""

    models = MODELS

    @pytest.fixture(scope="class")
    def of_one_dump(self, project, spark):
        log = Log(spark, Path(project.project_root), project.test_schema)
        log.declare(**DATED)
        log.select()
        return begun_with(log)

    @pytest.fixture
    def begun(self, of_one_dump):
        """A log with the dump of one day, and its source without another."""
        shutil.rmtree(of_one_dump.root / "dumps")
        of_one_dump.land(1, FOUR)
        of_one_dump.declare(**DATED)
        yield of_one_dump
        assert of_one_dump.batches() == [("2026-01-01", 4, 0, 0)]

    def test_a_declaration_that_was_changed_is_not_passed_over(self, begun):
        begun.declare(**DATED, options={"sep": "|"})
        text = begun.run(expect_pass=False)
        assert messages("External sources")["a declaration that was changed"] in text

    def test_folders_that_are_gone_are_no_run_without_changes(self, begun):
        shutil.rmtree(begun.root / "dumps" / "dump_date=2026-01-01")
        assert messages("External sources")["no folder of a partition"] in begun.run(expect_pass=False)

    def test_an_empty_dump_is_refused(self, begun):
        for kind, text in EMPTY_DUMPS.items():
            shutil.rmtree(begun.root / "dumps" / "dump_date=2026-01-02", ignore_errors=True)
            begun.land(2, text)
            assert messages("External sources")[kind] in begun.run(expect_pass=False)

    def test_an_empty_dump_behind_a_table_is_refused(self, begun):
        stage = begun.root / "models" / "stg_accounts.sql"
        view = stage.read_text()
        stage.write_text("{{ config(materialized='table') }} " + view)
        try:
            begun.land(2, "")
            begun.create()
            assert "batch 2 (2026-01-02): the dump is empty" in begun.run(expect_pass=False)
        finally:
            stage.write_text(view)

    def test_half_a_dump_changes_nothing(self, begun):
        begun.land(2, FOUR[:-5])
        assert "FAILED_READ_FILE" in begun.run(expect_pass=False)


class TestHook:
    models = {
        "sources.yml": "version: 2",
        "kept.sql": "{{ config(materialized='table') }} select id from {{ source('legacy', 'accounts') }}",
    }

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"on-run-start": "{{ deltawave.create_external_sources() }}"}

    def test_sources_are_brought_up_to_date_before_a_run(self, project, spark):
        log = Log(spark, Path(project.project_root), project.test_schema)
        log.declare(**DATED)
        for day in (1, 2):
            log.land(day, FOUR)
            log.run()
            assert spark.table(f"{log.schema}.kept").count() == 4 * day

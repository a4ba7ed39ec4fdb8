"""Relations that are stored for joins: when they are stored again, and what else lies in their folder."""

import fcntl
import logging
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bad_input import messages
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.meshjoin import StoredRelation, mesh_join, stored_relation
from deltawave.meshjoin.relation import PageFile
from deltawave.meshjoin.stored_relation import state_of
from deltawave.resources import release
from deltawave.source_state import refresh

pytestmark = pytest.mark.usefixtures("interpreted")


def store(relation: DataFrame, folder: Path) -> StoredRelation:
    return StoredRelation.of(relation, folder, key="id", parts=1)


def test_several_store_a_relation_at_a_time(spark: SparkSession, tmp_path: Path) -> None:
    """One of them does, and what a killed one left is removed."""
    folder = tmp_path / "relation"
    (folder / f"pages-{'0' * 32}").mkdir(parents=True)
    (folder / "relation.json.unfinished").write_text("{")
    with ThreadPoolExecutor() as threads:
        stored = list(threads.map(lambda _: store(spark.range(9), folder), range(3)))
    assert stored[0] == stored[1] == stored[2]
    assert len(list(folder.iterdir())) == 3  # the pages, the manifest and the lock


@pytest.mark.parametrize("is_there", [False, True], ids=["gone", "cut"])
def test_pages_that_are_not_whole_are_stored_again(spark: SparkSession, tmp_path: Path, is_there: bool) -> None:
    for _ in range(2):
        stored = store(spark.range(9), tmp_path / "relation")
        (file,) = map(Path, stored.files.values())
        assert file.stat().st_size
        file.unlink()
        if is_there:
            file.touch()


def test_what_others_keep_in_the_folder_stays(spark: SparkSession, tmp_path: Path) -> None:
    """And the previous state, for those who read it."""
    folder, others = tmp_path / "shared", ("micro_batch=0", "_checkpoint", "pages-of-others")
    for other in others:
        (folder / other).mkdir(parents=True)
        (folder / other / "file").write_text("precious")
    stored = [store(spark.range(rows), folder) for rows in (1, 2, 3)]
    assert [(folder / other / "file").read_text() for other in others] == ["precious"] * 3
    assert [all(Path(file).exists() for file in each.files.values()) for each in stored] == [False, True, True]
    # The last two states, the manifest and the lock.
    assert len(list(folder.iterdir())) == 3 + 4


def test_who_finds_the_relation_stored_writes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "relation"
    stored = store(spark.range(9), folder)
    # Root may write anywhere.
    (folder / "relation.lock").unlink()
    before = sorted(folder.iterdir())
    assert store(spark.range(9), folder) == stored
    assert sorted(folder.iterdir()) == before


def test_it_says_what_it_waits_for(spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "relation"
    folder.mkdir()
    released = threading.Event()

    def release(record: logging.LogRecord) -> bool:
        released.set()
        fcntl.flock(lock, fcntl.LOCK_UN)
        return True

    logger = logging.getLogger("deltawave.meshjoin.stored_relation")
    logger.addFilter(release)
    try:
        with (folder / "relation.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            store(spark.range(9), folder)
    finally:
        logger.removeFilter(release)
    assert released.is_set()
    assert f"stores the relation: it has locked {folder}/relation.lock" in caplog.text


def test_a_relation_with_a_map_that_is_no_scan(spark: SparkSession, tmp_path: Path) -> None:
    """Its entries have no order: the same ones are the same relation."""
    entries = {"forth": "'a', 1, 'b', 2", "back": "'b', 2, 'a', 1", "other": "'a', 1, 'b', 3"}
    stored = {
        # By the clock, so that the rows are compared.
        name: store(
            spark.sql(f"select 1L as id, map({cells}) as m where current_date() > date'2020-01-01'"), tmp_path / "map"
        )
        for name, cells in entries.items()
    }
    assert stored["forth"] == stored["back"] != stored["other"]
    found = mesh_join(spark.range(3), stored["other"], on="id")
    assert [(row.id, row.m) for row in found.collect()] == [(1, {"a": 1, "b": 3})]
    release(found)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often relations were written, by the number of parts."""
    parts: list[int] = []
    write = stored_relation._written

    def counted(relation: DataFrame, folder: Path, key: Sequence[str], count: int, page_bytes: int) -> dict[int, str]:
        parts.append(count)
        return write(relation, folder, key, count, page_bytes)

    monkeypatch.setattr(stored_relation, "_written", counted)
    return parts


def append(folder: Path, *ids: int) -> None:
    """Behind Spark's back, as another process does."""
    pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), folder / f"{ids[0]}.parquet")


def ids(stored: StoredRelation) -> list[int]:
    found: list[int] = []
    for path in stored.files.values():
        with PageFile(path) as file:
            found += file.read(0, file.pages).rows.column("id").to_pylist()
    return sorted(found)


def test_a_relation_that_changes_while_it_is_stored_is_stored_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, folder, write = tmp_path / "source", tmp_path / "relation", stored_relation._written
    source.mkdir()
    append(source, 1)
    changes = iter([2])

    def changing(relation: DataFrame, *others: Any) -> dict[int, str]:
        files = write(relation, *others)
        if (number := next(changes, None)) is not None:
            append(source, number)
        return files

    monkeypatch.setattr(stored_relation, "_written", changing)
    assert ids(store(spark.read.parquet(str(source)), folder)) == [1, 2]
    changes = iter([3, 4, 5])
    append(source, 6)
    with pytest.raises(RuntimeError, match=re.escape(messages("Streams")["a relation that changes all the time"])):
        store(spark.read.parquet(str(source)), folder)
    assert len([path for path in folder.iterdir() if path.is_dir()]) == 1


def test_what_others_append_to_a_table_is_seen(spark: SparkSession, tmp_path: Path, written: list[int]) -> None:
    """Spark keeps the list of a table's files. A filter, a choice of columns and a view are known by the files."""
    schema, source = f"appended_{uuid4().hex}", tmp_path / "source"
    spark.sql(f"create schema {schema}")
    source.mkdir()
    append(source, 1)
    spark.sql(f"create table {schema}.known (id bigint) using parquet location '{source}'")
    spark.sql(f"create view {schema}.some as select id, id + 1 as next from {schema}.known where id < 5")
    frames = [
        spark.table(f"{schema}.known"),
        spark.table(f"{schema}.some"),
        spark.table(f"{schema}.known").where("id>0"),
    ]
    assert [frame.count() for frame in frames] == [1, 1, 1]
    append(source, 2)
    for at, frame in enumerate(frames):
        stored = [store(frame, tmp_path / str(at)) for _ in range(2)]
        assert ids(stored[1]) == [1, 2]
    assert len(written) == len(frames)
    # Another condition over the same files.
    other = spark.table(f"{schema}.known").where("id > 1")
    assert ids(store(other, tmp_path / "2")) == [2]
    spark.sql(f"drop schema {schema} cascade")


def test_what_only_rows_show(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock, functions of users and cached rows may change while the tables stay."""
    monkeypatch.setattr(stored_relation, "_hashed", lambda relation: "hashed")
    append(tmp_path, 1)
    rows = spark.read.parquet(str(tmp_path))
    for frame in (
        rows.where("id > 0"),
        rows.where("id in (select id from range(5))"),
        rows.join(spark.range(5), "id"),
        rows.groupBy("id").count(),
    ):
        assert state_of(frame) == state_of(frame) != "hashed"
    double = F.udf(lambda number: 2 * number, "long")
    spark.sql("create temporary function one_more(number bigint) returns bigint return number + 1")
    for frame in (
        rows.where("current_date() > date'2020-01-01'"),
        rows.select(double("id").alias("id")),
        rows.join(spark.createDataFrame([(1,)], "id long"), "id"),
        rows.selectExpr("one_more(id) as id"),
    ):
        assert state_of(frame) == "hashed"
    spark.sql("drop temporary function one_more")
    assert state_of(rows.where("string(id) in ('1,2')")) != state_of(rows.where("string(id) in ('1', '2')"))
    rows.persist()
    assert state_of(rows.where("id > 0")) == "hashed"
    rows.unpersist()


def test_nulls_within_nested_values_count(spark: SparkSession) -> None:
    """Where only the rows show a change."""
    same = F.udf(lambda number: number, "long")
    nested = [
        "array(null, 1)",
        "array(1, null)",
        "array(1)",
        "named_struct('a', cast(null as int), 'b', 1)",
        "named_struct('a', 1, 'b', cast(null as int))",
    ]
    relations = [spark.sql(f"select id, {value} as nested from range(2)") for value in nested]
    assert len({state_of(relation.withColumn("id", same("id"))) for relation in relations}) == len(nested)


@pytest.mark.formats
def test_a_table_and_a_view_of_it_are_known_by_a_version(
    spark: SparkSession, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their rows are not read for that. Another session keeps snapshots of its own, like another process."""
    kind, schema = request.config.option.table_format or "parquet", f"versions_{uuid4().hex}"
    monkeypatch.setattr(stored_relation, "_hashed", None)
    spark.sql(f"create schema {schema}")
    spark.sql(f"create table {schema}.known using {kind} as select id from range(3)")
    spark.sql(f"create view {schema}.some as select id, upper(cast(id as string)) as name from {schema}.known")
    frames = [spark.table(f"{schema}.{name}") for name in ("known", "some")]
    before = [state_of(frame) for frame in frames]
    assert [state_of(spark.table(f"{schema}.{name}")) for name in ("known", "some")] == before
    spark.newSession().sql(f"insert into {schema}.known values (7)")
    for at, frame in enumerate(frames):
        assert ids(store(frame, tmp_path / str(at))) == [0, 1, 2, 7]
        refresh(frame)
        assert state_of(frame) != before[at]
    if kind == "iceberg":
        # These make no snapshot.
        spark.sql(f"alter table {schema}.known add column code int")
        states = [state_of(spark.table(f"{schema}.known"))]
        for change in ("drop", "add"):
            spark.sql(f"alter table {schema}.known {change} column code {'int' if change == 'add' else ''}")
            states.append(state_of(spark.table(f"{schema}.known")))
        assert len(set(states)) == 3
    spark.sql(f"drop schema {schema} cascade")


def test_the_catalog_may_give_a_folder_other_values(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file changes, nor its place."""
    monkeypatch.setattr(stored_relation, "_hashed", None)
    schema = f"partitions_{uuid4().hex}"
    spark.sql(f"create schema {schema}")
    append(tmp_path, 1)
    spark.sql(f"create table {schema}.parts (id bigint, k int) using parquet partitioned by (k) location '{tmp_path}'")
    states = []
    for value in (1, 2):
        spark.sql(f"alter table {schema}.parts add partition (k = {value}) location '{tmp_path}'")
        states.append(state_of(spark.table(f"{schema}.parts")))
        spark.sql(f"alter table {schema}.parts drop partition (k = {value})")
    assert states[0] != states[1]
    spark.sql(f"drop schema {schema} cascade")


def test_another_number_of_cores_rewrites_nothing(
    spark: SparkSession, tmp_path: Path, written: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for cores, rows in ((2, 9), (4, 9), (4, 10)):
        monkeypatch.setattr(stored_relation, "parallelism", lambda session, cores=cores: cores)
        StoredRelation.of(spark.range(rows), tmp_path / "relation", key="id")
    assert written == [2, 4]
    store(spark.range(10), tmp_path / "relation")
    assert written == [2, 4, 1]

"""mesh_join on Spark: rows of a frame match a stored relation, exactly as Spark's own joins have it (MJ08)."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from functional.streams import rows_of
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.meshjoin import Between, StoredRelation, Where, mesh_join
from deltawave.resources import release

pytestmark = pytest.mark.usefixtures("interpreted")

# Keys of two columns with nulls, duplicates on both sides, and types of all kinds.
ROW = (
    "if(id % 11 = 0, null, id % {keys}) as code, if(id % 3 = 0, 'a', 'b') as branch, {own}, "
    "cast(id as decimal(12,2)) as amount_{side}, date'2024-01-01' + cast(id as int) as day_{side}, "
    "timestamp'2024-01-01 00:00:00' + make_dt_interval(0, id) as at_{side}, array(id, null) as parts_{side}"
)
KEY = ["code", "branch"]


@pytest.fixture(scope="module")
def stream(spark: SparkSession) -> DataFrame:
    return spark.sql(f"select {ROW.format(keys=60, own='id as line', side='s')} from range(0, 300, 1, 3)")


@pytest.fixture(scope="module")
def relation(spark: SparkSession) -> DataFrame:
    return spark.sql(f"select {ROW.format(keys=45, own='id * 10 as skey', side='r')} from range(0, 90, 1, 2)")


@pytest.mark.parametrize("how", ["inner", "left", "left_semi", "left_anti", "right_anti"])
def test_it_is_the_join_of_spark(stream: DataFrame, relation: DataFrame, tmp_path: Path, how: str) -> None:
    stored = StoredRelation.of(relation, tmp_path / "relation", key=KEY, parts=3, page_bytes=1000)
    found = mesh_join(stream, stored, on=KEY, how=how, memory_bytes=200_000)
    sides = (relation, stream) if how == "right_anti" else (stream, relation)
    expected = sides[0].join(sides[1], KEY, "left_anti" if how == "right_anti" else how)
    if how in ("inner", "left"):
        expected = expected.select(*(f"`{name}`" for name in found.columns))
    assert found.columns == (relation.columns if how == "right_anti" else expected.columns)
    assert rows_of(found) == rows_of(expected)
    release(found)


@pytest.mark.parametrize("parts", [2, 3, 4, 8])
def test_each_part_has_a_task_of_its_own(spark: SparkSession, tmp_path: Path, parts: int) -> None:
    empty = StoredRelation(tmp_path, {}, parts, ("id",), spark.range(0).schema, "")
    found = mesh_join(spark.range(0, 100, 1, 2), empty, on="id", how="left")
    assert len({row.task for row in found.select(F.spark_partition_id().alias("task")).collect()}) == parts


@pytest.mark.parametrize("how", ["inner", "left", "left_semi", "left_anti", "right_anti"])
def test_other_conditions(spark: SparkSession, tmp_path: Path, how: str) -> None:
    stream = spark.sql("select id as line, if(id = 5, null, id * 7 % 50) as value from range(40)")
    relation = spark.sql("select id * 10 as low, id * 10 + id as high, id as class from range(6)")
    stored = StoredRelation.of(relation, tmp_path / "relation", parts=3, page_bytes=100)
    condition = Between("value", "low", "high")
    found = mesh_join(stream, stored, condition=condition, how=how, memory_bytes=200_000)
    matches = "value between low and high"
    if how == "right_anti":
        expected = spark.sql(
            "select * from {relation} where not exists (select 1 from {stream} where " + matches + ")",
            relation=relation,
            stream=stream,
        )
    else:
        expected = stream.join(relation, F.expr(matches), how)
    assert rows_of(found) == rows_of(expected)
    release(found)


def test_a_condition_of_ones_own(spark: SparkSession, tmp_path: Path) -> None:
    stream = spark.sql("select concat('name', id) as name from range(20)")
    relation = spark.sql("select concat('e', id) as ending from range(12)")
    stored = StoredRelation.of(relation, tmp_path / "relation", parts=2)

    def ends(left: Any, right: Any) -> Any:
        pairs = zip(left["name"].to_pylist(), right["ending"].to_pylist(), strict=True)
        return [name.endswith(ending) for name, ending in pairs]

    found = mesh_join(stream, stored, condition=Where(ends, ("name",), ("ending",)))
    assert found.count() == 12
    release(found)


def test_what_else_changes_a_relation(spark: SparkSession, tmp_path: Path) -> None:
    """A filter over the same files, and a value that moves to another column; not a cache."""
    source = str(tmp_path / "source")
    spark.sql("select id, array(if(id = 1, null, 'null')) as name from range(8)").coalesce(1).write.parquet(source)
    base = spark.read.parquet(source)
    moved = [spark.sql(f"select 1L as id, {cells}") for cells in ("'a' as p, string(null) as q", "null as p, 'a' as q")]
    swapped = base.selectExpr("id", "if(id = 0, array(null), array('null')) as name")
    for previous, now in (
        (base.where("id < 3"), base.where("id < 8")),
        (base.where("id < 8"), base.where("id < 3")),
        (base, swapped),
        (base.selectExpr("id", "name"), base.selectExpr("id + 1 as id", "name")),
        (base.cache(), swapped),
        (moved[0], moved[1]),
    ):
        folder = tmp_path / uuid4().hex
        first = StoredRelation.of(previous, folder, key="id", parts=1)
        assert StoredRelation.of(previous, folder, key="id", parts=1).files == first.files
        assert StoredRelation.of(now, folder, key="id", parts=1).files != first.files
    assert base.storageLevel.useMemory
    base.unpersist()


@pytest.mark.parametrize("how", ["left", "right_anti", "left_anti", "inner"])
def test_an_empty_side(spark: SparkSession, tmp_path: Path, how: str) -> None:
    some, none = spark.range(3), spark.range(3).where("id < 0")
    for stream, relation in ((some, none), (none, some)):
        stored = StoredRelation.of(
            relation.selectExpr("id", "id as skey"), tmp_path / f"{how}_{relation is none}", key="id"
        )
        found = mesh_join(stream, stored, on="id", how=how)
        wanted = {"left": stream, "left_anti": stream, "right_anti": relation, "inner": none}[how]
        assert sorted(row.id for row in found.collect()) == sorted(row.id for row in wanted.collect())


class TestBadInput:
    def test_it_is_refused_before_spark_starts(self, spark: SparkSession, tmp_path: Path) -> None:
        relation = spark.sql("select id, id as skey, 'x' as name from range(3)")
        stored = StoredRelation.of(relation, tmp_path / "relation", key="id")
        stream = spark.sql("select id, cast(id as int) as short, 'x' as name from range(3)")
        for options, message in (
            ({}, "A mesh join needs either `on` or `condition`."),
            ({"on": "skey"}, r"The relation is stored by id: store it with key=\['skey'\]."),
            ({"on": {"nr": "id"}}, "The stream has no column nr; it has id, short, name."),
            ({"condition": Between("id", "skey")}, "for this condition store it without one"),
        ):
            with pytest.raises(ValueError, match=message):
                mesh_join(stream, stored, **options)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"The relation has no column nr; it has id, skey, name\."):
            StoredRelation.of(relation, tmp_path / "other", key="nr")
        assert StoredRelation.opened(tmp_path / "other") is None
        with pytest.raises(ValueError, match="open by its path, not in hdfs://nowhere/pages: name another one"):
            StoredRelation.of(relation, "hdfs://nowhere/pages", key="id")

    def test_too_little_memory(self, spark: SparkSession, tmp_path: Path) -> None:
        stored = StoredRelation.of(spark.range(1000).selectExpr("id", "id as skey"), tmp_path / "relation", key="id")
        message = "needs more than the 1,000 bytes of memory granted"
        with pytest.raises(ValueError, match=message):
            mesh_join(spark.range(10), stored, on="id", memory_bytes=1000)
        # The narrowest rows would fit, of which there are none.
        wide = spark.range(10).selectExpr("id", "repeat('x', 50000) as text")
        found = mesh_join(wide, stored, on="id", memory_bytes=20_000)
        with pytest.raises(Exception, match=message.replace("1,000", "20,000")):
            found.collect()

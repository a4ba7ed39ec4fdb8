"""What a frame needs is released on request, or when the frame and those made from it are garbage."""

import gc
import time
from pathlib import Path
from threading import Event

import pytest
from pyspark.sql import DataFrame, SparkSession

from deltawave.resources import attach, holding, keeping, persisted, release, releasing


class Needed:
    """A resource, and whether it was released."""

    def __init__(self) -> None:
        self.released = Event()
        self.times = 0

    def release(self) -> None:
        self.times += 1
        self.released.set()

    @property
    def stays(self) -> bool:
        gc.collect()
        return not self.released.wait(0.3)

    @property
    def goes(self) -> bool:
        gc.collect()
        return self.released.wait(30)


@pytest.fixture
def needed() -> Needed:
    return Needed()


def test_garbage_releases_what_a_frame_needs(spark: SparkSession, needed: Needed) -> None:
    frame = attach(spark.range(3), needed.release)
    assert frame.count() == 3
    assert needed.stays
    del frame
    assert needed.goes


def test_frames_made_from_it_keep_it(spark: SparkSession, tmp_path: Path, needed: Needed) -> None:
    frame = attach(spark.range(9), needed.release)
    derived = (
        frame.where("id > 2")
        .join(spark.range(5), "id")
        .groupBy("id")
        .count()
        .unionByName(spark.sql("select 1 as id, 1L as count"))
    )
    del frame
    assert needed.stays
    assert derived.count() == 3
    derived.write.parquet(str(tmp_path / "derived"))
    del derived
    assert needed.goes


def test_a_frame_that_takes_it_as_an_argument_keeps_it_when_bound(spark: SparkSession, needed: Needed) -> None:
    frame = attach(spark.range(3), needed.release)
    joined = holding(spark.range(2).join(frame, "id"), frame)
    del frame
    assert needed.stays
    assert joined.count() == 2
    del joined
    assert needed.goes


def test_a_release_that_fails_does_not_keep_the_others(spark: SparkSession, needed: Needed) -> None:
    def fail() -> None:
        raise OSError("The disk is gone")

    frame = attach(attach(spark.range(3), needed.release), fail)
    with pytest.raises(OSError, match="The disk is gone"):
        release(frame)
    assert needed.times == 1
    other = Needed()
    frame = attach(attach(spark.range(3), fail), other.release)
    with pytest.raises(OSError, match="The disk is gone"):
        release(frame)
    assert other.times == 1


def test_it_is_released_once_and_at_the_chosen_moment(spark: SparkSession, needed: Needed) -> None:
    with releasing(attach(spark.range(3), needed.release)) as frame:
        assert frame.count() == 3
        assert not needed.times
    assert needed.times == 1
    release(frame.where("id > 1"))
    del frame
    gc.collect()
    time.sleep(0.3)
    assert needed.times == 1


def test_a_cached_frame(spark: SparkSession) -> None:
    plain = spark.range(3).selectExpr("id", "uuid() as token")
    frame = persisted(plain)
    assert frame.storageLevel.useMemory
    assert frame.collect() == frame.collect()
    release(frame)
    assert not plain.storageLevel.useMemory


def test_a_node_keeps_what_its_frames_need(spark: SparkSession, needed: Needed) -> None:
    def result() -> DataFrame:
        return spark.range(2).join(attach(spark.range(3), needed.release), "id")

    with keeping() as release_kept:
        frame = result()
    assert needed.stays
    assert frame.count() == 2
    release_kept()
    assert needed.times == 1


def test_a_failing_node_keeps_nothing(spark: SparkSession, needed: Needed) -> None:
    def fail() -> None:
        with keeping():
            attach(spark.range(3), needed.release)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert needed.times == 1

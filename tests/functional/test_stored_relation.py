"""Relations that are stored for joins: when they are stored again, and what else lies in their folder."""

from __future__ import annotations

import fcntl
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deltawave.meshjoin import StoredRelation, mesh_join

pytestmark = pytest.mark.usefixtures("interpreted")


def test_a_former_state_stays_for_those_who_read_it(spark: SparkSession, tmp_path: Path) -> None:
    stored = [
        StoredRelation.of(spark.range(start, start + 10), tmp_path / "relation", key="id", parts=1)
        for start in (0, 10, 20)
    ]
    assert [all(Path(file).exists() for file in each.files.values()) for each in stored] == [False, True, True]


def test_several_store_a_relation_at_a_time(spark: SparkSession, tmp_path: Path) -> None:
    """One of them does, and what a killed one left is removed."""
    folder = tmp_path / "relation"
    (folder / f"pages-{'0' * 32}").mkdir(parents=True)
    (folder / "relation.json.unfinished").write_text("{")
    with ThreadPoolExecutor() as threads:
        stored = list(threads.map(lambda _: StoredRelation.of(spark.range(9), folder, key="id", parts=1), range(3)))
    assert stored[0] == stored[1] == stored[2]
    assert len(list(folder.iterdir())) == 3  # the pages, the manifest and the lock


@pytest.mark.parametrize("is_there", [False, True], ids=["gone", "cut"])
def test_pages_that_are_not_whole_are_stored_again(spark: SparkSession, tmp_path: Path, is_there: bool) -> None:
    for _ in range(2):
        stored = StoredRelation.of(spark.range(9), tmp_path / "relation", key="id", parts=1)
        (file,) = map(Path, stored.files.values())
        assert file.stat().st_size
        file.unlink()
        if is_there:
            file.touch()


def test_what_others_keep_in_the_folder_stays(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    for other in ("micro_batch=0", "_checkpoint", "pages-of-others"):
        (folder / other).mkdir(parents=True)
        (folder / other / "file").write_text("precious")
    for rows in (1, 2, 3):
        StoredRelation.of(spark.range(rows), folder, key="id", parts=1)
    assert [(folder / other / "file").read_text() for other in ("micro_batch=0", "_checkpoint", "pages-of-others")] == [
        "precious"
    ] * 3
    # The last two states, the manifest and the lock.
    assert len(list(folder.iterdir())) == 3 + 4


def test_who_finds_the_relation_stored_writes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "relation"
    stored = StoredRelation.of(spark.range(9), folder, key="id", parts=1)
    # Root may write anywhere.
    (folder / "relation.lock").unlink()
    before = sorted(folder.iterdir())
    assert StoredRelation.of(spark.range(9), folder, key="id", parts=1) == stored
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
            StoredRelation.of(spark.range(9), folder, key="id", parts=1)
    finally:
        logger.removeFilter(release)
    assert released.is_set()
    assert f"stores the relation: it has locked {folder}/relation.lock" in caplog.text


def test_a_relation_with_a_map_that_is_no_scan(spark: SparkSession, tmp_path: Path) -> None:
    """Its entries have no order: the same ones are the same relation."""
    entries = {"forth": "'a', 1, 'b', 2", "back": "'b', 2, 'a', 1", "other": "'a', 1, 'b', 3"}
    stored = {
        name: StoredRelation.of(spark.sql(f"select 1L as id, map({cells}) as m"), tmp_path / "map", key="id", parts=1)
        for name, cells in entries.items()
    }
    assert stored["forth"] == stored["back"] != stored["other"]
    found, free = mesh_join(spark.range(3), stored["other"], on="id")
    assert [(row.id, row.m) for row in found.collect()] == [(1, {"a": 1, "b": 3})]
    free()

"""The algorithms as functions, for Python models and notebooks: one result, whichever is chosen."""

import gc
import re
import time
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing import ALGORITHMS, Algorithm, hash_compressed, snapshot_differential, sort_merge_compressed
from deltawave.differencing.contract import Contract
from deltawave.resources import attach, release, releasing

pytestmark = pytest.mark.usefixtures("interpreted")

# The key 1 is updated, 2 only carried along, 3 deleted, 4 inserted, null the same with a map in another order.
OLD = """
select * from values
    (1, 'p', map('a', 1), 1.5D, 'old'), (2, 'p', null, 2.0D, 'old'), (3, null, map('b', 2), 3.0D, 'old'),
    (null, 'p', map('a', 1, 'b', 2), double('nan'), 'old') as rows (id, `part of`, tags, share, seen)
"""
NEW = """
select * from values
    (1, 'p', map('a', 2), 1.5D, 'new', 7), (2, 'p', null, 2.0D, 'new', 8), (4, null, map(), 4.0D, 'new', 9),
    (null, 'p', map('b', 2, 'a', 1), double('nan'), 'new', 0) as rows (ID, `part of`, tags, share, seen, added)
"""
KEY = ["id", "part of"]


def changed(old: DataFrame | str, new: DataFrame | str, **options: Any) -> list[dict[str, Any]]:
    with releasing(snapshot_differential(old, new, **options)) as frame:
        return sorted((row.asDict() for row in frame.collect()), key=lambda row: str(row["change_type"]))


class EveryAlgorithm:
    def test_the_changes(self, spark: SparkSession, algorithm: str | Algorithm) -> None:
        old, new = spark.sql(OLD), spark.sql(NEW)
        found = changed(old, new, unique_key=KEY, algorithm=algorithm, ignore_columns=["SEEN"])
        assert [row["change_type"] for row in found] == ["delete", "insert", "update"]
        delete, insert, update = found
        assert (delete["ID"], delete["tags"], delete["added"]) == (3, {"b": 2}, None)
        assert (insert["ID"], insert["added"], insert["before__share"]) == (4, 9, None)
        assert update["changed_columns"] == ["tags"]
        assert (update["tags"], update["before__tags"], update["before__seen"]) == ({"a": 2}, {"a": 1}, "old")

    def test_types_that_python_lacks_and_names_that_the_algorithm_uses(
        self, spark: SparkSession, algorithm: str | Algorithm
    ) -> None:
        types = (
            "make_ym_interval(0, {}) as months, array(make_ym_interval(count, 1)) as several, "
            "parse_json('[1]') as json, make_interval(0, 1) as pause, {} as rows, 2 as k0, 4 as key_0, 5 as __key_0"
        )
        numbers = "(select id as count from range({}))"
        old = f"select count, {types.format('count', 1)}, named_struct('a b', 1) as gone from {numbers.format(5)}"
        new = f"select count, {types.format('if(count = 3, 9, count)', 'if(count = 3, 3, 1)')} from {numbers.format(4)}"
        frame = snapshot_differential(spark.sql(old), spark.sql(new), unique_key="count", algorithm=algorithm)
        # Python cannot take the months themselves.
        cells = ["count", "cast(months as string) as months", "changed_columns", "before__rows", "before__gone"]
        found = frame.selectExpr(*cells).orderBy("count").collect()
        release(frame)
        assert [(row["count"], row.changed_columns) for row in found] == [(3, ["months", "rows"]), (4, None)]
        assert (found[0].months, found[0].before__rows, found[0].before__gone) == (
            "INTERVAL '0-9' YEAR TO MONTH",
            1,
            (1,),
        )

    def test_keys_that_python_lacks_without_before_images(
        self, spark: SparkSession, algorithm: str | Algorithm
    ) -> None:
        keys = "make_ym_interval(0, id) as months, array(make_ym_interval(id, 1), null) as several"
        old = spark.sql(f"select {keys}, id as value from range(4)")
        new = spark.sql(f"select {keys}, if(id = 3, 9, id) as value from range(1, 5)")
        key = ["months", "several"]
        frame = snapshot_differential(old, new, unique_key=key, algorithm=algorithm, before_image=False)
        assert frame.columns == ["months", "several", "value", "change_type", "changed_columns"]
        reported = (
            frame.selectExpr("cast(months as string) as months", "change_type", "value").orderBy("value").collect()
        )
        release(frame)
        assert [tuple(row) for row in reported] == [
            ("INTERVAL '0-0' YEAR TO MONTH", "delete", 0),
            ("INTERVAL '0-4' YEAR TO MONTH", "insert", 4),
            ("INTERVAL '0-3' YEAR TO MONTH", "update", 9),
        ]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
class TestEveryAlgorithm(EveryAlgorithm):
    pass


@pytest.mark.parametrize("library", [hash_compressed, sort_merge_compressed])
class TestHashes:
    @pytest.fixture
    def noted(self, monkeypatch: pytest.MonkeyPatch, library: ModuleType) -> list[Any]:
        """The kept hashes, and a text for each time that what differs is released."""
        found: list[Any] = []
        kept_hashes, differing_rows = library.kept_hashes, library.differing_rows

        def kept(*frames: DataFrame, **options: Any) -> DataFrame:
            found.append(kept_hashes(*frames, **options))
            return found[0]

        def differing(*frames: DataFrame, **options: Any) -> Any:
            assert frames[0].storageLevel.useMemory, "it is read several times"
            return attach(differing_rows(*frames, **options), lambda: found.append("released"))

        monkeypatch.setattr(library, "kept_hashes", kept)
        monkeypatch.setattr(library, "differing_rows", differing)
        return found

    def test_what_is_kept_is_computed_once_and_released(
        self, spark: SparkSession, noted: list[Any], library: ModuleType
    ) -> None:
        algorithm = library.__name__.rpartition(".")[2]
        old = spark.range(5)
        assert len(changed(old, old.where("id < 3"), unique_key="id", algorithm=algorithm)) == 2
        assert noted[1:] == ["released"]
        assert not noted[0].storageLevel.useMemory

    def test_a_failure_releases_too(
        self, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, noted: list[Any], library: ModuleType
    ) -> None:
        def fails(*frames: DataFrame, **options: Any) -> DataFrame:
            raise KeyboardInterrupt

        monkeypatch.setattr(Contract, "outer_join", fails)
        with pytest.raises(KeyboardInterrupt):
            snapshot_differential(
                spark.range(5), spark.range(3), unique_key="id", algorithm=library.__name__.rpartition(".")[2]
            )
        gc.collect()
        deadline = time.monotonic() + 30
        while noted[1:] != ["released"] or noted[0].storageLevel.useMemory:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_months_are_no_key_of_kept_hashes(spark: SparkSession) -> None:
    rows = spark.sql("select make_ym_interval(0, 1) as months")
    with pytest.raises(ValueError, match="The key column months is an interval of months, which Spark does not"):
        sort_merge_compressed.kept_hashes(rows, unique_key=["months"], columns=[], count=1)


class TestBadInput:
    WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
        "an algorithm that is none": (
            OLD,
            {"algorithm": "hash"},
            "There is no algorithm 'hash': it is one of sort_merge",
        ),
        "a key that is no column": (OLD, {"unique_key": "code"}, "The old snapshot has no column code"),
        "a key that is new": (OLD, {"unique_key": "added"}, "The old snapshot has no column added"),
        "a column that is none": (OLD, {"ignore_columns": ["sen"]}, "No snapshot has a column sen."),
        "another type": (
            OLD.replace("1.5D", "'x'").replace("2.0D", "'x'").replace("3.0D", "'x'").replace("double('nan')", "'x'"),
            {},
            "The column share is string in the old snapshot, double in the new one.",
        ),
        "a key twice": (
            f"{OLD} union all {OLD} where id is null or id = 1",
            {},
            "Several rows of the old snapshot have the same key (ID, part of): (1, p), (None, p)",
        ),
        "a text as number": (OLD, {"tolerance": {"seen": 1}}, "The column seen is of type string"),
        "no key": (OLD, {"unique_key": []}, "unique_key names no column."),
        "a map as key": (OLD, {"unique_key": "tags"}, "The column tags is of type map<string,int>, which can't be"),
        "a name of the result": (
            OLD.replace("seen", "change_type"),
            {},
            "The old snapshot has a column change_type: the result has one of that name.",
        ),
        "a name twice": (OLD.replace("seen", "SHARE"), {}, "The old snapshot has several columns SHARE"),
        "no memory": (OLD, {"memory_bytes": 0}, "memory_bytes is 0, and has to be more than 0."),
        "a name of the comparison": (OLD.replace("seen", "__old_position"), {}, "The old snapshot has a column __old_"),
        "a tolerance for hashes": (
            OLD,
            {"tolerance": {"share": 0.1}, "algorithm": "hash_compressed"},
            "A tolerance can't be applied to hashes",
        ),
    }

    @pytest.mark.parametrize("kind", WRONG)
    def test_it_is_refused(self, spark: SparkSession, kind: str) -> None:
        old, options, message = self.WRONG[kind]
        with pytest.raises(ValueError, match=re.escape(message)):
            snapshot_differential(spark.sql(old), spark.sql(NEW), **{"unique_key": KEY} | options)

    @pytest.mark.parametrize(
        "value",
        ["array(map('a', 1))", "named_struct('a', parse_json('1'))", "make_interval(1)", "array(make_interval(1))"],
    )
    def test_a_key_that_spark_cannot_compare_is_refused(self, spark: SparkSession, value: str) -> None:
        frame = spark.sql(f"select {value} as k, 1 as value")
        with pytest.raises(ValueError, match=r"The column k is of type .*, which can't be a key"):
            snapshot_differential(frame, frame, unique_key="k")

    def test_a_key_of_months_that_comes_twice_is_reported(self, spark: SparkSession) -> None:
        frame = spark.sql("select make_ym_interval(0, id div 2) as k from range(3)")
        with pytest.raises(ValueError, match=re.escape("(k): (INTERVAL '0-0' YEAR TO MONTH)")):
            snapshot_differential(frame, frame, unique_key="k")

"""The algorithms that the library does not have: one result, whichever is chosen."""

from pathlib import Path

import pytest
from functional.strategies.test_algorithms_agree import Stored, check_agreement, small_tasks, stored  # noqa: F401
from functional.strategies.test_resources import Needed
from functional.strategies.test_snapshot_differential import EveryAlgorithm, changed
from pyspark.sql import SparkSession

from deltawave.differencing import ALGORITHMS
from deltawave.resources import attach
from laboratory.differencing.algorithms import BY_NAME, READING_FILES, of_multisets
from laboratory.differencing.full_outer_join import outer_join

pytestmark = pytest.mark.usefixtures("interpreted")

OTHERS = {name: algorithm for name, algorithm in BY_NAME.items() if name not in ALGORITHMS}


@pytest.mark.parametrize("algorithm", OTHERS.values(), ids=OTHERS)
class TestOtherAlgorithms(EveryAlgorithm):
    pass


@pytest.mark.parametrize("left_out", [[], ["attrs"]], ids=["maps", "no maps"])
def test_each_agrees_with_the_outer_join(stored: Stored, left_out: list[str]) -> None:  # noqa: F811
    names = [name for name in OTHERS if left_out or name not in READING_FILES]
    check_agreement(stored, left_out, [BY_NAME[name] for name in names])


@pytest.mark.parametrize("algorithm", ["sort_merge", *READING_FILES])
def test_duplicate_keys_are_matched_as_multisets(spark: SparkSession, tmp_path: Path, algorithm: str) -> None:
    """The example of docs/differential.md; null is a key, and NaN a value like others."""
    ann, cid, nobody = "(1, 'ann', 1D)", "(2, 'cid', 1D)", "(null, 'x', double('nan'))"
    rows = {
        "old": f"{ann}, {ann}, (1, 'bob', double('nan')), {cid}, (3, 'dan', 1D), {nobody}",
        "new": f"{ann}, (1, 'eve', 1D), {cid}, {cid}, (3, 'don', 1D), {nobody}, {nobody}",
    }
    for side, cells in rows.items():
        frame = spark.sql(f"select * from values {cells} as rows (id, name, share)")
        frame.coalesce(1).write.parquet(str(tmp_path / side))
    old, new = (str(tmp_path / side) for side in rows)
    matched = of_multisets(BY_NAME[algorithm], reads_files=algorithm in READING_FILES)
    found = changed(old, new, unique_key="id", algorithm=matched, check_keys=False)
    assert sorted((str(row["id"]), row["change_type"], row["name"], row["before__name"]) for row in found) == [
        ("1", "delete", "bob", None),
        ("1", "update", "eve", "ann"),
        ("2", "insert", "cid", None),
        ("3", "update", "don", "dan"),
        ("None", "insert", "x", None),
    ]
    assert set(found[0]) == {"id", "name", "share", "before__name", "before__share", "change_type", "changed_columns"}


@pytest.mark.parametrize("algorithm", ["sort_merge", "window"])
def test_an_outer_join_keeps_its_relations(spark: SparkSession, algorithm: str) -> None:
    needed = Needed()
    right = attach(spark.range(3).selectExpr("id", "1 as one"), needed.release)
    joined = outer_join(spark.range(4), right, on="id", algorithm=algorithm)
    del right
    assert needed.stays
    assert joined.count() == 4
    del joined
    assert needed.goes

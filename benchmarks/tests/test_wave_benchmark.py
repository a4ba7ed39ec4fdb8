"""The rounds of the benchmark of wave indexes, on few rows."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deltawave.wave import measuring
from laboratory.wave import measuring as wave
from laboratory.wave import parameters as wave_parameters
from laboratory.wave.measuring import Rounds, Setting


@pytest.fixture
def schemas(spark: SparkSession) -> Iterator[None]:
    yield
    for name in ("bench", "tiny"):
        spark.sql(f"drop schema if exists {name} cascade")


@pytest.mark.usefixtures("schemas")
def test_rounds(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (wave_parameters, measuring):
        monkeypatch.setattr(module, "RUNS", 1)
    monkeypatch.setattr(wave, "_TINY_DAYS", 2)
    names = ["wata/in_place", "partitioned"]
    setting = Setting("lineitem", window=3, constituents=2, days=2, scale=0.001)
    results, parameters = Rounds(setting, spark, tmp_path, names).run()
    wata, partitioned = results
    assert [wata.method, partitioned.method] == names
    assert wata.days == 2
    assert wata.measured.transition > 0
    assert wata.measured.space > 0
    assert wata.predicted is not None
    assert partitioned.predicted is None
    # Of four days at most, three are the window's.
    assert partitioned.measured.space < wata.measured.most_space
    assert set(wata.total_work) == {"measured", "predicted", "predicted_with_fixed"}
    assert parameters.of_one_day.build > parameters.per_day.build
    # The same for an advice on a table of the user's own, which leaves nothing behind.
    rows = spark.table("bench_batches").selectExpr("day", "array(l_suppkey, -l_linenumber) as found", "l_comment")
    found, table = measuring.measure_days(rows.where("day > 5"), "DAY", "Found", 30, "bench")
    assert found.window == 30
    assert found.fixed.batch > 0
    assert found.fixed.write > 0
    # An index has each row twice, once for each value.
    assert found.packed > table.size > 0
    assert min(table.take, table.find, table.scan) > 0
    left = spark.sql("show tables in bench like 'deltawave_advice*'").collect()
    assert left == []
    with pytest.raises(ValueError, match="2 days to measure: the table needs 3 days or more"):
        measuring.measure_days(rows.where("day > 6"), "day", "found", 30, "bench")


def test_methods_have_known_names(spark: SparkSession, tmp_path: Path) -> None:
    setting = Setting("lineitem", window=3, constituents=2, days=2, scale=0.001)
    with pytest.raises(ValueError, match="There is no method wata: they are del/in_place"):
        Rounds(setting, spark, tmp_path, ["wata"])

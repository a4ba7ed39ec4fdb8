"""The rounds of the benchmark of wave indexes, on few rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deltawave.bench import wave, wave_parameters
from deltawave.bench.wave import Rounds, Setting

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.fixture
def schemas(spark: SparkSession) -> Iterator[None]:
    yield
    for name in ("bench", "tiny"):
        spark.sql(f"drop schema if exists {name} cascade")


@pytest.mark.usefixtures("schemas")
def test_rounds(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wave_parameters, "_RUNS", 1)
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


def test_methods_have_known_names(spark: SparkSession, tmp_path: Path) -> None:
    setting = Setting("lineitem", window=3, constituents=2, days=2, scale=0.001)
    with pytest.raises(ValueError, match="There is no method wata: they are del/in_place"):
        Rounds(setting, spark, tmp_path, ["wata"])

"""The benchmark of MESHJOIN: its data, its command and its report."""

import json
import mmap
import os
from pathlib import Path

import mesh_join
import numpy as np
import pyarrow as pa
import pytest

from deltawave.meshjoin.operator import MeshJoin
from laboratory.meshjoin.cost_model import MeshJoinModel
from laboratory.meshjoin.data import ROW_BYTES, TUPLE_BYTES, MeshData, Zipf
from laboratory.meshjoin.factors import measured_model
from laboratory.meshjoin.measuring import in_process
from laboratory.meshjoin.methods import METHODS, sweep
from laboratory.meshjoin.setting import Setting
from laboratory.resources import memory_of, tree_of


def test_skewed_values() -> None:
    random = np.random.default_rng(1)
    for skew, share in ((0.0, 1 / 1000), (0.5, 1 / 61.8), (1.0, 1 / 7.485)):
        counts = np.bincount(Zipf(1000, skew).draw(100_000, random), minlength=1000)
        assert counts.max() / 100_000 == pytest.approx(share, rel=0.35)


def test_the_data_have_the_sizes_of_the_paper() -> None:
    data = MeshData(rows=1000)
    rows, tuples = pa.Table.from_batches(data.relation()), data.stream(500)
    assert rows.nbytes / 1000 == pytest.approx(ROW_BYTES, rel=0.01)
    assert sum(batch.nbytes for batch in tuples) / 500 == TUPLE_BYTES
    assert sorted(rows["id"].to_pylist()) == list(range(1000))
    skewed = pa.Table.from_batches(MeshData(rows=1000, relation_skew=1.0).relation())
    assert len(set(skewed["id"].to_pylist())) < 500
    # The value that R has most often is also the stream's only if they have their ranks in common.
    for is_common in (True, False):
        data = MeshData(rows=10_000, stream_skew=1.0, relation_skew=1.0, common_ranks=is_common)
        in_stream = pa.Table.from_batches(data.stream(5000))["id"].to_numpy()
        most = [int(np.bincount(ids).argmax()) for ids in (data.keys, in_stream)]
        assert (most[0] == most[1]) is is_common
    sensors = MeshData(rows=1000, relation_skew=0.5, domain=40, row_bytes=32, tuple_bytes=32)
    rows, tuples = pa.Table.from_batches(sensors.relation()), sensors.stream(500)
    assert (rows.nbytes / 1000, sum(batch.nbytes for batch in tuples) / 500) == pytest.approx((32, 32), rel=0.01)
    assert set(rows["id"].to_pylist()) == set(range(40))


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("data", [MeshData(rows=2000), MeshData(2000, 0.5, 0.5, domain=100, tuple_bytes=32)])
def test_methods_say_when_they_are_ready(tmp_path: Path, data: MeshData, direct: bool) -> None:
    setting = Setting(data, tmp_path, 150_000, direct)
    setting.write()
    for method in ("meshjoin", "index_nested_loops", "index_nested_loops_batched"):
        begun = []
        assert METHODS[method](setting, lambda begun=begun: begun.append(True)) > 0
        assert begun == [True]


def test_the_model_is_fitted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = []

    def noted(join: MeshJoin, sample: pa.RecordBatch) -> MeshJoinModel:
        fitted.append(join)
        return measured_model(join, sample)

    monkeypatch.setattr("laboratory.meshjoin.methods.measured_model", noted)
    setting = Setting(MeshData(rows=60_000), tmp_path, 8 << 20, direct=False)
    setting.write()
    points = sweep(setting, lambda: None)
    assert len(points) > 1
    assert len(fitted) == 1
    assert all(point["predicted"] > 0 < point["measured"] for point in points)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Spark, which takes long to start."""
    monkeypatch.delitem(METHODS, "spark_stream_static")
    options = ["--memory", "0.1", "--rows", "20000", "--runs", "1", "--out", str(tmp_path)]
    assert mesh_join.main(options) == 0
    reported = json.loads((tmp_path / "results.json").read_text())
    assert [result["method"] for result in reported] == list(METHODS)
    for result in reported:
        assert {"memory_fraction", "reads", "tuples_per_second", "runs", "peak_bytes"} <= set(result)
        assert result["tuples_per_second"] > 0
    assert json.loads((tmp_path / "sweep.json").read_text())[0]["b"] == 1
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")
    assert "| `meshjoin` |" in (tmp_path / "results.md").read_text()


def test_a_method_that_fails_says_so(tmp_path: Path) -> None:
    setting = Setting(MeshData(rows=100), tmp_path, 100_000, False)
    with pytest.raises(RuntimeError, match="meshjoin failed"):
        in_process(METHODS["meshjoin"], setting)


def test_buffers_of_direct_reads_count_as_memory() -> None:
    before = memory_of(tree_of(os.getpid()))
    with mmap.mmap(-1, 32 << 20) as buffer:
        buffer.write(b"x" * (32 << 20))
        assert memory_of(tree_of(os.getpid())) - before > 30 << 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--memory", "0.00001"], "A mesh join needs more than the"),
        (["--runs", "0"], "--runs has to be 1 or more, not 0"),
        (["--rows", "0"], "--rows has to be 1 or more, not 0"),
    ],
)
def test_what_cannot_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert mesh_join.main(["--rows", "2000", *options, "--out", str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err

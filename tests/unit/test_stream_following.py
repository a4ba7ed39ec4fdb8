"""``follow``: a query is stopped between two micro-batches, and what it fails with is raised."""

import json
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest
from pyspark.sql.streaming.query import StreamingQuery

from deltawave.meshjoin.stream_command import follow
from deltawave.meshjoin.stream_metrics import Report


def progress(batch: int, **figures: Any) -> dict[str, Any]:
    """What Spark reports of a micro-batch that began in this second."""
    shown = {"batchId": batch, "numInputRows": 1, "batchDuration": 1, "sources": []}
    return {**shown, "timestamp": f"2026-11-25T10:00:{batch:02}.000Z", **figures}


class Query:
    """A query on which this happens look by look; the last one is that it does no more."""

    def __init__(self, *looks: Callable[["Query"], None]) -> None:
        self._looks = list(looks)
        self.ended: list[int] = []
        self.is_active, self.is_stopped = True, False
        self.error: Exception | None = None

    @property
    def recentProgress(self) -> list[dict[str, Any]]:
        return [progress(batch) for batch in self.ended]

    @property
    def status(self) -> dict[str, bool]:
        return {"isTriggerActive": self.is_active, "isDataAvailable": self.is_active}

    def awaitTermination(self, timeout: float) -> bool:
        if self._looks:
            self._looks.pop(0)(self)
        return False

    def exception(self) -> Exception | None:
        return self.error

    def stop(self) -> None:
        self.is_stopped = True


@pytest.mark.parametrize("is_readable", [True, False])
def test_a_query_that_fails(is_readable: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A micro-batch that ended before is printed, unless Spark's process has ended meanwhile: the error counts."""

    class Failing(Query):
        @property
        def recentProgress(self) -> list[dict[str, Any]]:
            if not is_readable:
                raise ConnectionRefusedError("refused")
            return super().recentProgress

    def fails(query: Query) -> None:
        query.ended.append(8)
        raise RuntimeError("the relation is gone")

    with pytest.raises(RuntimeError, match="the relation is gone"):
        follow(cast(StreamingQuery, Failing(fails)), threading.Event(), Report())
    assert capsys.readouterr().out.startswith("batch 8:") == is_readable


def test_a_query_that_fails_as_it_is_stopped() -> None:
    asked = threading.Event()

    def fails(query: Query) -> None:
        asked.set()
        query.error, query.is_active = RuntimeError("the relation is gone"), False

    with pytest.raises(RuntimeError, match="the relation is gone"):
        follow(cast(StreamingQuery, Query(fails)), asked, Report())


def test_a_micro_batch_that_ended_before_it_was_asked_is_not_the_one_that_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Number 8 ends while 7 is printed, and 9 runs when somebody asks."""
    asked = threading.Event()

    def ask(batch: int) -> int:
        if batch == 7:
            # Reported last; the next one has ended meanwhile.
            query.ended.append(8)
            asked.set()
        return 0

    query = Query(lambda query: query.ended.append(7), lambda query: None, lambda query: query.ended.append(9))
    follow(cast(StreamingQuery, query), asked, Report({"rows": ask}))
    assert query.is_stopped
    assert query.ended == [7, 8, 9]
    shown = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in shown[:-1]] == ["batch 7", "batch 8", "batch 9"]
    assert shown[-1] == "stopped; the next run continues from here"


def test_a_micro_batch_that_ends_while_the_last_one_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The query is idle afterwards: it is printed before the end all the same."""
    asked = threading.Event()

    def ask(batch: int) -> int:
        if batch == 7:
            query.ended.append(8)
            query.is_active = False
            asked.set()
        return batch

    query = Query(lambda query: query.ended.append(7))
    follow(cast(StreamingQuery, query), asked, Report({"rows wait": ask}))
    shown = capsys.readouterr().out
    assert "7 rows wait" in shown
    assert "8 rows wait" in shown
    assert shown.splitlines()[-1].startswith("stopped")


def test_what_is_reported_of_a_micro_batch() -> None:
    """As a line and as JSON, with Kafka's offsets; Spark began the previous micro-batch 5 seconds earlier."""
    kafka = {"endOffset": '{"sales": {"0": 5, "1": 7}}', "latestOffset": '{"sales": {"0": 25, "1": 7, "2": 3}}'}
    files = {"endOffset": '{"logOffset": 0}', "latestOffset": "None"}
    ended = progress(9, numInputRows=8000, batchDuration=2000, sources=[kafka, files])
    metrics = {"rows": 4000, "shed_rows": 30, "readings": 1.5, "peak_bytes": 3 << 19, "seconds": 1.9}
    report = Report({"rows wait": lambda batch: 30}, lambda batch: metrics)
    assert report.line(ended, progress(4)) == (
        "batch 9: 4,000 rows in 2.0 s, 2,000 rows/s, 30 rows wait, 1.5 readings of the relation, "
        "1.5 MiB of a task's memory, lag up to 7.0 s, 23 rows behind the source"
    )
    nothing = "shedding gained nothing: to join all rows would have taken {} s of tasks less"
    for spared, shown in (
        (2.25, "shedding spared 2.2 s of tasks"),
        (-0.4, nothing.format(0.4)),
        (-0.01, nothing.format(0.1)),
    ):
        metrics["spared_seconds"] = spared
        assert f"30 rows wait, {shown}, 1.5 readings" in report.line(ended, progress(4))
    report.is_json = True
    assert json.loads(report.line(ended, progress(4))) == {
        **metrics,
        "micro_batch": 9,
        "seconds": 2.0,
        "lag_seconds": 7.0,
        "lag_rows": 23,
        "rows_wait": 30,
    }
    first = json.loads(report.line(progress(9, sources=[files])))
    assert first["lag_seconds"] is None
    assert first["lag_rows"] is None
    assert json.loads(report.of_previous_run(8)) == {**metrics, "micro_batch": 8, "rows_wait": 30}

"""MESHJOIN, index nested loops and Spark's stream-static join, measured. Each runs in a process of its own."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import PageFile
from deltawave.meshjoin.stream import Counts
from laboratory.meshjoin.factors import measured_model
from laboratory.meshjoin.self_tuner import Fixed
from laboratory.meshjoin.setting import Setting, forget
from laboratory.meshjoin.tuned import Progress, Tuner, greedy, run_tuned

# The first window of a stream is left out.
_WINDOWS = 4
# Tuples that are joined before measuring, and tuples that are measured.
_WARM_UP, _MEASURED = 20_000, 60_000
_ARRIVING = 10_000
# Micro-batches of Spark: the first ones are left out.
_SPARK_BATCHES, _SPARK_WARM_UP = 5, 2
# Values of b in a sweep: from one page to half of the pages that fit in memory.
_SWEEP = 8


# Calls the given function when all is ready, runs, and returns tuples per second.
Method = Callable[[Setting, Callable[[], None]], float]


def meshjoin(setting: Setting, ready: Callable[[], None]) -> float:
    """MESHJOIN; its window is filled as soon as there is room. Memory is given back when it is free, as in tasks."""
    pa.set_memory_pool(pa.system_memory_pool())
    with PageFile(setting.pages, setting.direct) as relation:
        join = setting.join(relation)
        capacity = join.capacity(setting.data.tuple_bytes)
        tuples = setting.data.stream(capacity * _WINDOWS, min(capacity, _ARRIVING))
        warm_up(join)
        ready()
        return service_rate(join, tuples, greedy, capacity)


def warm_up(join: MeshJoin) -> None:
    """Enter a mapped file's pages into the process's tables, as a first cycle does."""
    relation = join.relation
    if not relation.reads_ahead:
        for page in range(relation.pages):
            relation.read(page, 1).take(np.arange(0, relation.row_counts[page], 16), relation.schema.names)


def service_rate(join: MeshJoin, tuples: Sequence[pa.RecordBatch], tuner: Tuner, window: int) -> float:
    """Tuples per second, from the second window (of ``window`` tuples) until the last tuple is taken."""
    counts = Counts()
    # Times at which more tuples were taken, and how many by then.
    taken = [(0.0, 0)]

    def watching(progress: Progress) -> tuple[int, int]:
        if counts.tuples > taken[-1][1]:
            taken.append((time.perf_counter(), counts.tuples))
        return tuner(progress)

    for _ in run_tuned(join, tuples, watching, counts):
        pass
    steady = [each for each in taken if each[1] > window]
    (begin, first), (end, last) = steady[0], steady[-1]
    return (last - first) / (end - begin)


def sweep(setting: Setting, ready: Callable[[], None]) -> list[dict[str, float]]:
    """Predicted and measured service rates by b, with the w that fills the memory (MJ08 Figure 10a).

    The model's factors are measured once, with the largest b; the other rates follow from its equations.
    """
    points = []
    with PageFile(setting.pages, setting.direct) as relation:
        most = max(1, min(relation.pages, setting.memory_bytes // (2 * relation.page_bytes)))
        tuples = setting.data.stream(setting.join(relation, 1).capacity(setting.data.tuple_bytes) * _WINDOWS, _ARRIVING)
        warm_up(setting.join(relation))
        ready()
        fitted = setting.join(relation, most)
        window = fitted.capacity(setting.data.tuple_bytes)
        sample = pa.Table.from_batches(tuples[: -(-window // _ARRIVING)]).combine_chunks().to_batches()[0]
        model = measured_model(fitted, sample)
        for b in sorted({round(most ** (step / (_SWEEP - 1))) for step in range(_SWEEP)}):
            join = setting.join(relation, b)
            window = join.capacity(setting.data.tuple_bytes)
            w = max(1, window * b // relation.pages)
            measured = service_rate(join, tuples[: window * 3 // _ARRIVING + 2], Fixed(w, b), window)
            points.append({"b": b, "w": w, "predicted": round(model.service_rate(w, b)), "measured": round(measured)})
    return points


def index_nested_loops(setting: Setting, ready: Callable[[], None]) -> float:
    """INL: each tuple is looked up in sqlite's B-tree, whose own cache has the memory."""

    def joined(index: sqlite3.Connection, tuples: list[list[Any]]) -> None:
        find = index.execute
        for one in zip(*tuples, strict=True):
            for row in find("select skey, name from r where id = ?", one[:1]):
                _ = (*one, *row)

    return _looked_up(setting, ready, joined)


def index_nested_loops_batched(setting: Setting, ready: Callable[[], None]) -> float:
    """The same, where sqlite itself goes through a batch of tuples."""

    def joined(index: sqlite3.Connection, tuples: list[list[Any]]) -> None:
        places = ", ".join("?" * len(tuples))
        index.executemany(f"insert into temp.s values ({places})", zip(*tuples, strict=True))
        for _ in index.execute("select s.*, r.skey, r.name from temp.s cross join r on r.id = s.id"):
            pass
        index.execute("delete from temp.s")

    return _looked_up(setting, ready, joined)


def _looked_up(
    setting: Setting, ready: Callable[[], None], joined: Callable[[sqlite3.Connection, list[list[Any]]], None]
) -> float:
    measured = _MEASURED // (10 if setting.direct else 1)
    tuples = setting.data.stream(_WARM_UP + measured, 1000)
    with closing(sqlite3.connect(f"file:{setting.index}?mode=ro", uri=True)) as index:
        index.execute(f"pragma cache_size = -{max(1, setting.memory_bytes >> 10)}")
        index.execute("pragma mmap_size = 0")
        index.execute("pragma temp_store = memory")
        index.execute(f"create temp table s ({', '.join(setting.data.tuple_schema.names)})")
        ready()
        begin, done = time.perf_counter(), 0
        for batch in tuples:
            if setting.direct:
                forget(setting.index)
            joined(index, [column.to_pylist() for column in batch.columns])
            done += batch.num_rows
            if done == _WARM_UP:
                begin = time.perf_counter()
        return measured / (time.perf_counter() - begin)


def spark_stream_static(setting: Setting, ready: Callable[[], None]) -> float:
    """Spark's join of a stream with a static relation, in micro-batches as large as MESHJOIN's window, by one task.

    The time to add a batch counts; what Spark writes down about it before and after does not.
    """
    from pyspark.sql import SparkSession

    window, folder = setting.window, setting.folder / f"stream{setting.memory_bytes}"
    folder.mkdir(exist_ok=True)
    for number, batch in enumerate(setting.data.stream(window * _SPARK_BATCHES, window)):
        pq.write_table(pa.table(batch), folder / f"{number}.parquet")
    builder = SparkSession.builder.master("local[1]").appName("deltawave bench")
    for name, value in _SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        session.sparkContext.setLogLevel("ERROR")
        relation = session.read.parquet(str(setting.parquet))
        stream = session.readStream.schema(session.read.parquet(str(folder)).schema).option("maxFilesPerTrigger", 1)
        ready()

        def add(batch: Any, number: int) -> None:
            if setting.direct:
                forget(setting.parquet)
            begin = time.perf_counter()
            batch.join(relation, "id").write.format("noop").mode("append").save()
            seconds.append(time.perf_counter() - begin)

        seconds: list[float] = []
        query = stream.parquet(str(folder)).writeStream.foreachBatch(add).trigger(availableNow=True).start()
        query.awaitTermination()
        measured = seconds[_SPARK_WARM_UP:]
        return window * len(measured) / sum(measured)
    finally:
        session.stop()


_SPARK = {
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

METHODS: dict[str, Method] = {
    "meshjoin": meshjoin,
    "index_nested_loops": index_nested_loops,
    "index_nested_loops_batched": index_nested_loops_batched,
    "spark_stream_static": spark_stream_static,
}

"""Measure streams joined end to end: `stream_join` compared with the two ways that Spark has.

Spark has `relation.join(broadcast(batch))` in `foreachBatch`, and the join of a stream with a static relation. All read
the same files as micro-batches and write the results as Parquet files, on two cores; a micro-batch's whole duration
counts. Writes mesh_streams as .json and .md into docs/figures, or the folder of --out. The relation lies in the
operating system's cache.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from deltawave.meshjoin import StoredRelation, stream_join
from laboratory.commands import FIGURES, command
from laboratory.meshjoin.data import ROW, MeshData
from laboratory.tables import table

# Of a run: the first micro-batches warm up.
BATCHES, WARM_UP = 5, 2
SPARK = {
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "100",
}

Join = Callable[[DataFrame, DataFrame, Path, int], StreamingQuery]


def mesh(stream: DataFrame, relation: DataFrame, folder: Path, memory: int) -> StreamingQuery:
    stored = StoredRelation.of(relation, str(folder / "pages"), key="id")
    return stream_join(stream, stored, folder / "out", on="id", memory_bytes=memory, available_now=True)


def broadcast_batch(stream: DataFrame, relation: DataFrame, folder: Path, memory: int) -> StreamingQuery:
    return each_batch(stream, folder, lambda batch: relation.join(F.broadcast(batch), "id"))


def stream_static(stream: DataFrame, relation: DataFrame, folder: Path, memory: int) -> StreamingQuery:
    return each_batch(stream, folder, lambda batch: batch.join(relation, "id"))


def each_batch(stream: DataFrame, folder: Path, joined: Callable[[DataFrame], DataFrame]) -> StreamingQuery:
    def write(batch: DataFrame, number: int) -> None:
        joined(batch).write.mode("append").parquet(str(folder / "out"))

    writer = stream.writeStream.foreachBatch(write).option("checkpointLocation", str(folder / "checkpoint"))
    return writer.trigger(availableNow=True).start()


METHODS: dict[str, Join] = {
    "stream_join": mesh,
    "broadcast(batch) in foreachBatch": broadcast_batch,
    "stream-static join": stream_static,
}


def main(arguments: list[str]) -> int:
    parser = command(__doc__, FIGURES)
    parser.add_argument("--rows", type=int, default=3_500_000, help="of the relation, 120 bytes each")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="of a micro-batch")
    parser.add_argument("--memory", type=int, default=64, help="MiB of a task of stream_join")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="deltawave-bench-"))
    try:
        results = measured(options, folder)
    finally:
        shutil.rmtree(folder)
    reported = {"rows": options.rows, "memory_mib": options.memory, "runs": options.runs, "tuples_per_second": results}
    (options.out / "mesh_streams.json").write_text(json.dumps(reported, indent=2) + "\n")
    head = ["tuples in a micro-batch", *METHODS]
    rows = [[f"{int(size):,}", *(f"{rates[name]:,}" for name in METHODS)] for size, rates in results.items()]
    (options.out / "mesh_streams.md").write_text(table(head, rows))
    return 0


def measured(options: argparse.Namespace, folder: Path) -> dict[str, dict[str, int]]:
    """Tuples per second by the size of a micro-batch and by method: medians of the runs."""
    data = MeshData(options.rows)
    with pq.ParquetWriter(folder / "relation", ROW) as file:
        for rows in data.relation():
            file.write_batch(rows)
    results = {}
    for size in options.sizes:
        source = folder / f"stream {size}"
        source.mkdir()
        for number, batch in enumerate(data.stream(size * BATCHES, size)):
            pq.write_table(pa.table(batch), source / f"{number}.parquet")
        runs: dict[str, list[float]] = {name: [] for name in METHODS}
        expected = None
        for _ in range(options.runs):
            for name, rates in runs.items():
                # With a Spark of its own.
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    rate, count = pool.apply(once, (name, folder, source, size, options.memory << 20))
                expected = expected or count
                if count != expected:
                    raise RuntimeError(f"{name} gave {count:,} results, another method {expected:,}.")
                print(f"{size:,} tuples, {name}: {rate:,.0f} tuples/s", flush=True)
                rates.append(rate)
        results[str(size)] = {name: round(statistics.median(rates)) for name, rates in runs.items()}
    return results


def once(name: str, folder: Path, source: Path, size: int, memory: int) -> tuple[float, int]:
    """Tuples per second of one run, and its results."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("deltawave bench")
    for option, value in SPARK.items():
        builder = builder.config(option, value)
    session = builder.getOrCreate()
    own = folder / "run"
    own.mkdir()
    try:
        session.sparkContext.setLogLevel("ERROR")
        schema = session.read.parquet(str(source)).schema
        stream = session.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(source))
        query = METHODS[name](stream, session.read.parquet(str(folder / "relation")), own, memory)
        query.awaitTermination()
        batches = [each for each in query.recentProgress if each["numInputRows"]]
        seconds = [each["durationMs"]["triggerExecution"] / 1000 for each in batches]
        if len(seconds) != BATCHES:
            raise RuntimeError(f"{name} had {len(seconds)} micro-batches, not {BATCHES}.")
        steady = seconds[WARM_UP:]
        count = session.read.parquet(str(own / "out")).where("amount is not null").count()
        return size * len(steady) / sum(steady), count
    except PySparkException as error:
        # It would need Spark to be sent to another process.
        raise RuntimeError(str(error)) from None
    finally:
        session.stop()
        shutil.rmtree(own)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

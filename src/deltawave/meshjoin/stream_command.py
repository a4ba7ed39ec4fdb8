"""The command ``deltawave stream``: a stream is joined with a relation until it is stopped, with progress."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from deltawave.meshjoin.messages import json_rows
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.meshjoin.stream_files import with_key
from deltawave.meshjoin.stream_join import stream_join

# The relation, stored for the join, beside the results. Readers do not look into it.
_RELATION = "_relation"


def run(options: argparse.Namespace) -> int:
    """Join until the stream ends or is stopped; return 1 after an error, which is printed."""
    try:
        session = _session(_pairs("--set", options.set))
        stream = opened(session, options.format, options.source, options.schema, _pairs("--option", options.option))
        source = session.read.format(options.relation_format)
        on = {own: other or own for own, _, other in (each.partition("=") for each in options.on)}
        if options.format == "parquet":
            stream = with_key(stream, list(on))
        key = list(on.values())

        def relation() -> StoredRelation:
            rows = source.load(options.relation)
            return StoredRelation.of(rows, f"{options.out}/{_RELATION}", key=key, parts=options.parts)

        query = stream_join(
            stream,
            relation,
            options.out,
            on=on,
            how=options.how,
            memory_bytes=options.memory << 20,
            direct=options.direct,
            available_now=options.available_now,
            every=options.every,
        )
        follow(query)
    except (ValueError, PySparkException) as error:
        print(f"deltawave stream: {error}", flush=True)
        return 1
    return 0


def opened(
    session: SparkSession, kind: str, path: str | None, schema: str | None, options: Mapping[str, str]
) -> DataFrame:
    """A stream of files (``path``), Kafka (values that are JSON) or a rate. Files say their schema if none is given.

    Raises ``ValueError`` if a path or a schema is missing.
    """
    if kind == "kafka":
        if not schema:
            raise ValueError("A stream from Kafka needs --schema, by which its values are read as JSON.")
        return json_rows(session.readStream.format(kind).options(**options).load(), schema)
    if kind == "rate":
        return session.readStream.format(kind).options(**options).load()
    if not path:
        raise ValueError(f"A stream of {kind} files needs --source, their folder.")
    # What is no JSON or CSV of the schema would come as nulls, and names in a header would not count.
    options = {"mode": "FAILFAST", "enforceSchema": "false", **options}
    files = session.read.format(kind).options(**options)
    kinds = files.schema(schema).load(path).schema if schema else files.load(path).schema
    return session.readStream.format(kind).options(**options).schema(kinds).load(path)


def follow(query: StreamingQuery) -> None:
    """Print the progress of a query until it ends; Control-C stops it. Raises what it fails with."""
    told = -1
    try:
        ended = False
        while not ended:
            ended = bool(query.awaitTermination(1))
            for progress in query.recentProgress:
                if progress["batchId"] > told and progress["numInputRows"]:
                    told = progress["batchId"]
                    print(_line(progress), flush=True)
    except KeyboardInterrupt:
        query.stop()
        print("stopped; the next run goes on from here", flush=True)


def _line(progress: Any) -> str:
    rows, seconds = progress["numInputRows"], progress["batchDuration"] / 1000
    return f"batch {progress['batchId']}: {rows:,} rows in {seconds:.1f} s, {rows / max(seconds, 0.001):,.0f} rows/s"


def _session(settings: Mapping[str, str]) -> SparkSession:
    builder = SparkSession.builder.appName("deltawave stream").config("spark.ui.showConsoleProgress", "false")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate()
    return session


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    if wrong := [each for each in given if "=" not in each]:
        raise ValueError(f"{option} {wrong[0]}: write name=value.")
    return {name: value for name, _, value in (each.partition("=") for each in given)}

"""The command ``deltawave stream``: joins a stream with a relation until it is stopped, and prints progress."""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from deltawave.meshjoin.batch_folders import BatchFolders
from deltawave.meshjoin.micro_batches import past_kafka_fault, stream_join
from deltawave.meshjoin.sources import ANY_AGE, json_rows, with_key
from deltawave.meshjoin.stored_relation import StoredRelation, local_folder, local_path
from deltawave.meshjoin.stream_metrics import Report
from deltawave.spark_errors import message_of
from deltawave.spark_versions import Py4JError, Py4JJavaError

# The stored relation, next to the results. Readers do not look into it.
_RELATION = "_relation"
# The column that marks messages which are no rows.
_MALFORMED = "_malformed"
# Seconds between two looks at a query.
_SECONDS = 1


def run(options: argparse.Namespace) -> int:
    """Join until the stream ends or is stopped; return 1 after an error, which is printed."""
    try:
        on = _key(options.on)
        pages = _pages(options.pages, options.out)
        builder = SparkSession.builder.appName("deltawave stream")
        settings = {"spark.ui.showConsoleProgress": "false", **_pairs("--set", options.set)}
        session = builder.config(map=dict(settings)).getOrCreate()
        malformed = _MALFORMED if options.keep_malformed else None
        folders = BatchFolders(session, options.out)
        # With the columns of later files it would be another join.
        schema = options.schema or folders.stream_schema()
        of_source = _pairs("--option", options.option)
        stream = opened(session, options.format, options.source, schema, of_source, list(on), malformed)
        source = session.read.format(options.relation_format)
        key = list(on.values())

        def relation() -> StoredRelation:
            rows = source.load(options.relation)
            return StoredRelation.of(rows, pages, key=key, parts=options.parts)

        counted = {}
        if options.shed:
            counted["rows wait for a later pass"] = folders.shed_count
        if malformed is not None:
            counted["messages kept aside"] = folders.malformed_count
        # From here on PySpark's own handler would cancel a micro-batch and leave the query running.
        report = Report(counted, folders.metrics, options.json)
        with asked_to_stop() as asked:

            def joined() -> None:
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
                    shed=options.shed,
                    malformed=malformed,
                    probability=options.probability,
                )
                follow(query, asked, report)

            def between() -> None:
                print(report.of_previous_run(folders.batches()[-1]), flush=True)

            past_kafka_fault(joined, between)
    except Py4JJavaError as error:
        return _failed(message_of(error))
    except (Py4JError, ConnectionRefusedError) as error:
        return _failed(
            f"Spark's own process has ended, perhaps by the same signal ({error}); the next run continues from here"
        )
    except (ValueError, OSError, RuntimeError, PySparkException) as error:
        return _failed(message_of(error))
    except KeyboardInterrupt:
        return _failed("stopped at once; the next run continues from here")
    return 0


def opened(
    session: SparkSession,
    kind: str,
    path: str | None,
    schema: str | StructType | None,
    options: Mapping[str, str],
    key: Sequence[str],
    malformed: str | None,
) -> DataFrame:
    """A stream of files (``path``), Kafka (values that are JSON) or a rate. Without a given schema, files show theirs.

    ``key``: columns that each file or message has to have; ``malformed``: a column for messages that are no rows;
    without it the query fails at them. Raises ``ValueError`` if a path or a schema is missing.
    """
    if kind == "kafka":
        if not isinstance(schema, str):
            raise ValueError("A stream from Kafka needs --schema, by which its values are read as JSON.")
        return json_rows(session.readStream.format(kind).options(**options).load(), schema, key, malformed)
    if malformed is not None:
        raise ValueError(f"--keep-malformed is for messages of kafka, not for {kind}: take it out.")
    if kind == "rate":
        return session.readStream.format(kind).options(**options).load()
    if not path:
        raise ValueError(f"A stream of {kind} files needs --source, their folder.")
    # By default text that is no JSON or CSV of the schema becomes nulls, and the names in a header are ignored.
    options = {"mode": "FAILFAST", "enforceSchema": "false", **options}
    files = session.read.format(kind).options(**options)
    kinds = files.schema(schema).load(path).schema if schema else files.load(path).schema
    stream = session.readStream.format(kind).options(**{**ANY_AGE, **options}).schema(kinds)
    return with_key(stream.load(path), kind, key)


@contextmanager
def asked_to_stop() -> Iterator[threading.Event]:
    """An event that Control-C or SIGTERM sets, instead of ending the program. Works in the main thread only.

    The second signal raises ``KeyboardInterrupt``, as a micro-batch may take long to end.
    """
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def ask(*_: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    previous = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def follow(query: StreamingQuery, asked: threading.Event, report: Report) -> None:
    """Print the progress of a query until it ends, or is ``asked`` to stop. Raises the query's error.

    It is stopped between two micro-batches, as stopping cancels a running one.
    """
    printed = -1

    def print_new() -> None:
        nonlocal printed
        recent = query.recentProgress
        for previous, progress in zip([None, *recent], recent, strict=False):
            if progress["batchId"] > printed and progress["numInputRows"]:
                printed = progress["batchId"]
                print(report.line(progress, previous), flush=True)

    ended, running = False, None
    while not ended:
        if asked.is_set():
            # A micro-batch may begin right after another: a new number also means that the previous one has ended.
            if running is None:
                # What has ended since the last look does not run any more.
                ends = (each["batchId"] for each in query.recentProgress if each["numInputRows"])
                running = max(ends, default=printed)
            status = query.status
            if printed > running or not status["isTriggerActive"] or not status["isDataAvailable"]:
                break
        try:
            ended = bool(query.awaitTermination(_SECONDS))
        except BaseException:
            # What counts is this error, not that Spark's process has ended meanwhile.
            with suppress(Exception):
                print_new()
            raise
        print_new()
    if not ended:
        # It may have failed since the last look. Later, an error may be that of what is cancelled.
        if (error := query.exception()) is not None:
            raise error
        query.stop()
        # A micro-batch may have ended while the previous one's figures were counted.
        print_new()
        # On standard output there is nothing but JSON, if that is wanted.
        place = sys.stderr if report.is_json else sys.stdout
        print("stopped; the next run continues from here", file=place, flush=True)


def _failed(message: str) -> int:
    print(f"deltawave stream: {message}", file=sys.stderr, flush=True)
    return 1


def _key(given: Sequence[str]) -> dict[str, str]:
    """The relation's key column for each of the stream's."""
    key: dict[str, str] = {}
    for each in given:
        own, _, other = each.partition("=")
        if own in key:
            raise ValueError(f"--on {each}: {own} is given twice.")
        key[own] = other or own
    return key


def _pages(given: str | None, out: str) -> str:
    """The folder of the relation's pages. Raises ``ValueError`` if the results would lie in it."""
    if given is None:
        return f"{out}/{_RELATION}"
    results = local_path(out)
    if results is not None and results.resolve().is_relative_to(local_folder(given).resolve()):
        raise ValueError(f"--pages {given}: the results (--out {out}) would lie in it: name a folder of its own.")
    return given


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    if wrong := [each for each in given if "=" not in each]:
        raise ValueError(f"{option} {wrong[0]}: write name=value.")
    return {name: value for name, _, value in (each.partition("=") for each in given)}

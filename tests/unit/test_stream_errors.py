"""What ``deltawave stream`` prints of an error: the sentence, and nothing of where Spark and Python were."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from deltawave.meshjoin.hadoop_files import HadoopFiles
from deltawave.meshjoin.micro_batches import MicroBatches
from deltawave.spark_errors import message_of

BEGIN = (
    "[STREAM_FAILED] Query [id = f447-2e, runId = 1782-9e] terminated with exception: "
    "[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred in the user provided function in foreach batch sink. "
    "Reason: An exception was raised by the Python Proxy. Return Message: Traceback (most recent call last):\n"
    '  File "/lib/py4j/clientserver.py", line 644, in _call_proxy\n'
    "    return_value = getattr(self.pool[obj_id], method)(*params)\n"
    "                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
)
END = (
    " SQLSTATE: 39000 SQLSTATE: XXKST\n"
    "=== Streaming Query ===\n"
    "Identifier: [id = f447-2e, runId = 1782-9e]\n"
    'Current Committed Offsets: {FileStreamSource[file:/stream]: {"logOffset":0}}\n\n'
    "Logical Plan:\n~WriteToMicroBatchDataSourceV1 ForeachBatchSink, [checkpointLocation=file:/out], Append\n"
)
SENTENCE = "file:/out has the results of another join. Its how: inner; now: left. Choose another folder."
TASK = (
    "pyspark.errors.exceptions.captured.PythonException: \n"
    "  An exception was thrown from the Python worker. Please see the stack trace below.\n"
    "Traceback (most recent call last):\n"
    '  File "/lib/deltawave/meshjoin/stream_files.py", line 60, in _look\n'
    "    raise ValueError(\n"
)
JAVA = (
    "py4j.protocol.Py4JJavaError: An error occurred while calling o636.parquet.\n"
    ": org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Error while reading file a.json. SQLSTATE: KD001\n"
    "\tat org.apache.spark.sql.Some$.thing(Some.scala:904)\n"
    "\tSuppressed: org.apache.spark.util.Utils$OriginalTryStackTraceException: Full stacktrace\n"
    "\t\tat java.base/java.lang.Thread.run(Thread.java:840)\n"
    "Caused by: org.apache.spark.SparkException: [MALFORMED_RECORD_IN_PARSING] Malformed records: [null,2].\n"
    "Parse Mode: FAILFAST. SQLSTATE: 22023\n"
    "\tat org.apache.spark.sql.Some$.thing(Some.scala:904)\n"
    "Caused by: java.util.concurrent.ExecutionException: somewhere between\n"
    "Caused by: java.lang.NumberFormatException: x is no number\n"
    "\t... 46 more\n\n"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"{BEGIN}ValueError: {SENTENCE}\n{END}", SENTENCE),
        (f"{BEGIN}{TASK}ValueError: {SENTENCE}\n\n{END}", SENTENCE),
        # As a task says it outside of a query.
        (f"\n{TASK}ValueError: {SENTENCE}\n\n", SENTENCE),
        (f"{BEGIN}ValueError: One sentence.\nAnother one: of two.\n{END}", "One sentence.\nAnother one: of two."),
        (f"{BEGIN}KeyError: 'x'\n{END}", "KeyError: 'x'"),
        (
            f"{BEGIN}pyspark.errors.exceptions.captured.SparkRuntimeException: [USER_RAISED_EXCEPTION] The message at "
            f"offset 5 is no JSON. SQLSTATE: P0001\n\nJVM stacktrace:\norg.apache.spark.X\n\tat x(y:1)\n{END}",
            "The message at offset 5 is no JSON.",
        ),
        (
            f"{BEGIN}{JAVA}{END}",
            "[FAILED_READ_FILE.NO_HINT] Error while reading file a.json. SQLSTATE: KD001\n"
            "Cause: [MALFORMED_RECORD_IN_PARSING] Malformed records: [null,2].\nParse Mode: FAILFAST. SQLSTATE: 22023\n"
            "Cause: x is no number",
        ),
        (
            "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: The topic is gone. SQLSTATE: XXKST\n"
            "=== Streaming Query ===\nIdentifier: [id = 1, runId = 2]",
            "The topic is gone.",
        ),
        ("[PATH_NOT_FOUND] Path does not exist: file:/x. SQLSTATE: 42K03", None),
        ("--on id=b: id is given twice.", None),
    ],
    ids=["driver", "task", "no query", "two lines", "key", "message", "java", "source", "analysis", "sentence"],
)
def test_the_sentence_alone_is_printed(text: str, shown: str | None) -> None:
    assert message_of(ValueError(text)) == (shown or text)


def test_a_session_without_a_jvm_is_refused():
    with pytest.raises(ValueError, match=r"not written through Spark Connect"):
        HadoopFiles(SimpleNamespace(), "results")


def test_an_object_store_is_refused() -> None:
    """There a renaming is neither one step nor exclusive."""
    session: Any = MagicMock()
    place = session.sparkContext._jvm.org.apache.hadoop.fs.Path.return_value
    place.getFileSystem.return_value.getUri.return_value.getScheme.return_value = "s3a"
    with pytest.raises(ValueError, match="s3a://bucket/results is on an object store"):
        HadoopFiles(session, "s3a://bucket/results")


def test_a_session_of_spark_connect_is_refused(tmp_path: Path) -> None:
    anything: Any = MagicMock()
    connect: Any = SimpleNamespace()
    with pytest.raises(ValueError, match="not written through Spark Connect"):
        MicroBatches(connect, anything, anything, tmp_path, anything)

"""Spark's exceptions as messages, for those who start a session."""

import logging
import re
from collections.abc import Sequence
from typing import Any

# What surrounds an error's message, from the outside to the inside.
_AROUND = (
    r"\n(?:=== Streaming Query ===|JVM stacktrace:)\n(?s:.*)",
    r"\A\[STREAM_FAILED\] Query \[[^]]*\] terminated with exception: ",
    r"\A\[FOREACH_BATCH_USER_FUNCTION_ERROR\] .*? Reason: ",
    # Of these two conditions.
    r"(?:\s*SQLSTATE: 39000)?\s*SQLSTATE: XXKST\s*\Z",
    # The traceback of a task comes behind that of the function which started it.
    r"\A(?s:.*)Traceback \(most recent call last\):\n(?:[ \t].*\n)*",
    # A line by which Py4J begins what Java says.
    r"\A\S*Py4JJavaError: .*\n: ",
    r"(?m:^)\t.*\n?",
)
# Their messages are sentences; that of another error needs its name.
_CLASS = re.compile(r"\A(?:(?:\w+\.)+[\w$]+|ValueError|RuntimeError|OSError): +")
_CONDITION = re.compile(r"\[[A-Z_.\d]+\] ")
# What surrounds a message of our own.
_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] |\s*SQLSTATE: P0001\b")


def error_text(error: Any) -> str:
    """Return what the error says, without the stack that Py4J adds."""
    return str(error.java_exception.toString() if hasattr(error, "java_exception") else error)


def message_of(error: BaseException) -> str:
    """Return the message of the error that others were raised from, and of Java's what they were caused by."""
    text = error_text(error)
    for around in _AROUND:
        text = re.sub(around, "", text)
    message, *causes = (_CLASS.sub("", part.strip()) for part in text.split("\nCaused by: "))
    return _RAISED.sub("", with_causes(message, causes))


def with_causes(message: str, causes: Sequence[str]) -> str:
    """Return the message of an error, and which of its causes, from the outside to the inside, say more.

    Spark's own reasons have an error condition; of the others the innermost is the most specific.
    """
    for place, cause in enumerate(causes, start=1):
        if cause not in message and (place == len(causes) or _CONDITION.match(cause)):
            message += f"\nCause: {cause}"
    return message


def silence_query_errors() -> None:
    """Keep PySpark from writing every error of a query with its stack to stderr, before it is raised."""
    # Commands that only parse read messages, too, and should not spend a second on this.
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)

"""Spark's exceptions as messages, for those who start a session."""

import logging
import re
from itertools import takewhile
from typing import Any

_STACK_LINE = re.compile(r"^\s+(?:at \S+\(.*\)$|\.\.\. \d+ more|Suppressed: |Caused by: )")
_STACK_START = re.compile(r"^(?:JVM|Driver) stacktrace:")
_JAVA_CLASS = re.compile(r"\A(?:[a-z_]\w*\.)+[\w$]*(?:Exception|Error): +")
# The causes of an exception in Java's stack trace; those of suppressed exceptions are indented.
_CAUSE = re.compile(
    r"^Caused by: (?P<type>[\w.$]+)(?:: (?P<message>.*(?:\n(?!Caused by: |\s+at \S+\(|\s+Suppressed: ).*)*))?",
    re.MULTILINE,
)

# What surrounds the message of a query's or a task's error, from the outside to the inside.
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
)
# Python's errors whose messages are sentences; that of another error needs its name.
_SENTENCE = re.compile(r"\A(?:ValueError|RuntimeError|OSError): +")
_CONDITION = re.compile(r"\[[A-Z_.\d]+\] ")
# What surrounds a message of our own.
_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] |\s*SQLSTATE: P0001\b")


def error_text(error: Any) -> str:
    """Return what the error says, without the stack that Py4J adds."""
    return str(error.java_exception.toString() if hasattr(error, "java_exception") else error)


def without_stack(text: str) -> str:
    """Return the lines of ``text`` that are not of Java's stack."""
    lines = takewhile(lambda line: not _STACK_START.match(line), text.splitlines())
    return "\n".join(line for line in lines if not _STACK_LINE.match(line)).strip()


def without_class(text: str) -> str:
    """Return a message without the name of the exception's class that it begins with."""
    return _JAVA_CLASS.sub("", text)


def message_of(error: BaseException) -> str:
    """Return the message of the error that others were raised from, and of Java's what they were caused by."""
    text = error_text(error)
    for around in _AROUND:
        text = re.sub(around, "", text)
    message = without_class(without_stack(text.split("\nCaused by: ")[0]))
    return _RAISED.sub("", with_causes(_SENTENCE.sub("", message), text))


def with_causes(message: str, stack: str) -> str:
    """Return the message of an error, and which of the causes in its stack, from the outside to the inside, say more.

    Spark's own reasons have an error condition; of the others the innermost is the most specific.
    """
    matches = (match for match in _CAUSE.finditer(stack) if "PythonException" not in match["type"])
    causes = [cause for match in matches if (cause := without_class(without_stack(match["message"] or "")))]
    for place, cause in enumerate(causes, start=1):
        if cause not in message and (place == len(causes) or _CONDITION.match(cause)):
            message += f"\nCause: {cause}"
    return message


def silence_query_errors() -> None:
    """Keep PySpark from writing every error of a query with its stack to stderr, before it is raised."""
    # Commands that only parse read messages, too, and should not spend a second on this. Spark 3 writes no such errors.
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:
        return

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)

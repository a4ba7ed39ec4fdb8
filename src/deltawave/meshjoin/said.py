"""The message of a stream's error, without the stacks of Python and Java, offsets and plans."""

from __future__ import annotations

import re

from py4j.protocol import Py4JJavaError

_QUERY = re.compile(
    r"\A\[STREAM_FAILED\] Query \[[^]]*\] terminated with exception: "
    r"(?:\[FOREACH_BATCH_USER_FUNCTION_ERROR\] [^\n]*? Reason: )?"
)
# Of the two conditions that _QUERY names.
_STATES = re.compile(r"\s*SQLSTATE: XXKST\s*\Z"), re.compile(r"\s*SQLSTATE: 39000\s*\Z")
_PLACES = ("\n=== Streaming Query ===\n", "\nJVM stacktrace:\n")
_TRACEBACK = "Traceback (most recent call last):\n"
_FRAMES = re.compile(r"\A(?:[ \t].*\n)*")
# A line by which Py4J begins what Java says.
_JAVA = re.compile(r"\A\S*Py4JJavaError: .*\n: ")
_STACK = re.compile(r"^\t.*\n?", re.MULTILINE)
# Their messages are sentences; that of another error needs its name.
_CLASS = re.compile(r"\A(?:(?:\w+\.)+[\w$]+|ValueError|RuntimeError|OSError): +")
_CONDITION = re.compile(r"\[[A-Z_.\d]+\] ")


def said(error: BaseException) -> str:
    """Return the message of the error that others were raised from, and of Java's what they were caused by."""
    text = str(error.java_exception.toString() if isinstance(error, Py4JJavaError) else error)
    for place in _PLACES:
        text = text.partition(place)[0]
    if begin := _QUERY.match(text):
        text = text[begin.end() :]
        for state in _STATES:
            text = state.sub("", text)
    # That of a task comes behind that of the function which started it.
    _, is_python, raised = text.rpartition(_TRACEBACK)
    if is_python:
        text = _JAVA.sub("", _FRAMES.sub("", raised))
    message, *causes = (_sentence(part) for part in _STACK.sub("", text).split("\nCaused by: "))
    told = [cause for cause in causes if cause is causes[-1] or _CONDITION.match(cause)]
    return "\n".join([message, *(f"Cause: {cause}" for cause in told if cause not in message)])


def _sentence(text: str) -> str:
    return _CLASS.sub("", text.strip())

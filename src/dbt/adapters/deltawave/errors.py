"""Spark's exceptions as messages that a dbt user can act on, and the errors that the package's macros raise."""

import re
import sys
import traceback
from collections.abc import Iterable
from typing import Any

from dbt.clients.jinja import MacroGenerator
from dbt_common.clients.jinja import BaseMacroGenerator
from dbt_common.exceptions import DbtRuntimeError

from deltawave.redaction import redact
from deltawave.spark_errors import error_text, with_causes, without_class, without_stack

# A frame of PySpark in the traceback of a Python function that failed on an executor.
_WORKER_FRAME = re.compile(
    r'^(?P<indent>\s*)File "[^"]*[/\\]pyspark[/\\][^"]*", line .*\n(?:(?P=indent) +.*\n)*', re.MULTILINE
)
_PLAN = re.compile(r";\n(?=.*\n\s*[+:]- ).*\Z", re.DOTALL)
# Advice that would turn damaged rows into rows of nulls.
_PERMISSIVE = re.compile(
    r" *To process malformed records as null result, try setting the option 'mode' as 'PERMISSIVE'\."
)
_HINTS = (
    (
        re.compile(r"No module named 'deltawave'"),
        "The Python that runs Spark's tasks, on the server or the cluster, needs the wheel dbt-deltawave too, in the "
        "version that is installed here.",
    ),
    (
        re.compile(r"CSV header does not conform to the schema|number of columns in CSV header is not equal"),
        "Its header is not that of the columns which the table over it declares. Have the file delivered again, or "
        "declare the columns as they are now: those of an external source are under columns in its yml, and dbt "
        "run-operation create_external_sources makes the table again.",
    ),
    (
        re.compile(r"\[FAILED_READ_FILE\.(?!FILE_NOT_EXIST)"),
        "The file is cut off or damaged, or it is not of the columns, types or format that the table over it declares. "
        "Have it delivered again, or correct the declaration.",
    ),
    (
        re.compile(r"Class org\.apache\.hadoop\.fs\.\S+ not found|No FileSystem for scheme"),
        "Spark has no jar for this file system. That of s3a:// is org.apache.hadoop:hadoop-aws in spark.jars.packages, "
        "in the version of pyspark's jar hadoop-client-api.",
    ),
    (
        re.compile(r"trying to shrink LONG VARCHAR"),
        "A metastore in Derby keeps at most 32,700 characters of a view's text. Keep it in another database, or shorten"
        " the text: that of a wave index grows with its days and constituents, that of a change log with its columns.",
    ),
)
_GRPC_DETAILS = re.compile(r'\A<_\w*RpcError.*?\n\s*details = "(?P<details>.*?)"\n', re.DOTALL)


def readable(error: BaseException, secrets: Iterable[str] = ()) -> str:
    """Return the message of ``error``, its causes and known advice, without Java's stack, Spark's plan and secrets."""
    text = error_text(error)
    if details := _GRPC_DETAILS.search(text):
        text = details["details"]
    text = _PLAN.sub("", without_stack(text))
    message = without_class(_WORKER_FRAME.sub("", text))
    # A Spark Connect server sends Java's stack trace in the text.
    stack = getattr(error, "_stackTrace", None)
    found = _PERMISSIVE.sub("", with_causes(message, str(error if stack is None else stack)))
    return redact(f"{found}\n{first_hint(_HINTS, found)}".rstrip("\n"), secrets) or type(error).__name__


def first_hint(hints: Iterable[tuple[re.Pattern[str], str]], message: str) -> str:
    """Return the hint of the first pattern that is in ``message``, empty without one."""
    return next((hint for pattern, hint in hints if pattern.search(message)), "")


class RefusalError(DbtRuntimeError):
    """What a user has to correct; ``kind`` says where: Configuration, Data, State or Usage."""

    def __init__(self, message: str, kind: str, node: Any = None) -> None:
        super().__init__(message, node)
        self.kind = kind

    @property
    def type(self) -> str:
        return self.kind


def calling_macros() -> list[Any]:
    """Return dbt's generators of the macros that are running in this thread, the innermost first."""
    frames = (frame for frame, _ in traceback.walk_stack(sys._getframe()))
    callers = [frame.f_locals["self"] for frame in frames if frame.f_code is BaseMacroGenerator.call_macro.__code__]
    return [caller for caller in callers if isinstance(caller, MacroGenerator)]

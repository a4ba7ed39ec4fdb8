"""Messages without stacks and secrets."""

from types import SimpleNamespace

import pyspark
import pytest

from dbt.adapters.deltawave.errors import readable
from dbt.adapters.deltawave.session import _refuse_older
from deltawave.redaction import redact, secret_values


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("jdbc:postgresql://clerk:hunter2@db/shop", "jdbc:postgresql://*****@db/shop"),
        ("jdbc:oracle:thin:clerk/hunter2@//db:1521/shop", "jdbc:oracle:thin:*****@//db:1521/shop"),
        ("https://clerk:hunter2@host/path", "https://*****@host/path"),
        (
            "jdbc:mysql://db/shop?user=a&password=hunter2&ssl=true",
            "jdbc:mysql://db/shop?user=a&password=*****&ssl=true",
        ),
        ("jdbc:sqlserver://db;password=hunter2;encrypt=true", "jdbc:sqlserver://db;password=*****;encrypt=true"),
        ("options (password 'hunter2', dbtable 'orders')", "options (password *****, dbtable 'orders')"),
        ('{"token": "hunter2", "user": "a"}', '{"token": *****, "user": "a"}'),
        ("fs.s3a.secret.key=hunter2", "fs.s3a.secret.key=*****"),
        ("fs.s3a.access.key -> hunter2", "fs.s3a.access.key -> *****"),
        ("sc://head:15002/;token=hunter2;user_id=a", "sc://head:15002/;token=*****;user_id=a"),
        ("Connection refused: db:5432", "Connection refused: db:5432"),
        ("[PARSE_SYNTAX_ERROR] near 'x': line 1", "[PARSE_SYNTAX_ERROR] near 'x': line 1"),
    ],
)
def test_redact(text, hidden):
    assert redact(text) == hidden


def test_a_task_without_the_wheel_says_where_to_install_it():
    assert "needs the wheel dbt-deltawave" in readable(RuntimeError("No module named 'deltawave'"))


@pytest.mark.parametrize(
    "message", ["Class org.apache.hadoop.fs.s3a.S3AFileSystem not found", 'No FileSystem for scheme "s3"']
)
def test_a_missing_jar_of_a_file_system_is_named(message: str) -> None:
    assert "org.apache.hadoop:hadoop-aws in spark.jars.packages" in readable(RuntimeError(message))


def test_a_server_may_not_be_older_than_its_client():
    _refuse_older(pyspark.__version__)
    _refuse_older("99.0.1")
    with pytest.raises(ValueError, match=r'it runs Spark 3\.5\.2-amzn-1, .*"pyspark-client==3\.5\.\*"'):
        _refuse_older("3.5.2-amzn-1")


def test_values_of_the_profile_are_hidden_wherever_they_stand():
    settings = {"spark.hadoop.fs.s3a.access.key": "AKIA42", "spark.app.name": "shop"}
    secrets = secret_values(settings)
    assert secrets == ["AKIA42"]
    assert redact("shop: user AKIA42 is not known", secrets) == "shop: user ***** is not known"


UNRESOLVED = "[UNRESOLVED_COLUMN] `x` cannot be resolved. SQLSTATE: 42703; line 1 pos 7"
DIVIDED = "[DIVIDE_BY_ZERO] Division by zero."
OF_A_QUERY = f"{DIVIDED}\n== SQL (line 1, position 8) ==\nselect 1 / 0"
FAILED = '  File "/project/models/a.py", line 5, in scale\n    raise KeyError("x")\nKeyError: \'x\''


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            f"{UNRESOLVED};\n'Project ['x]\n+- OneRowRelation\n\n"
            "JVM stacktrace:\norg.apache.spark.sql.AnalysisException\n\tat org.apache.Spark.x(y:1)",
            UNRESOLVED,
        ),
        (f"{OF_A_QUERY}\n\tat org.apache.Spark.x(y:1)\n\t... 3 more", OF_A_QUERY),
        ("java.lang.IllegalArgumentException: Path must be absolute", "Path must be absolute"),
        (
            'Traceback (most recent call last):\n  File "/lib/pyspark/worker.py", line 10, in main\n    process()\n'
            f"    ^^^^^^^^^\n{FAILED}",
            f"Traceback (most recent call last):\n{FAILED}",
        ),
        # A cause that says the same.
        (
            f"{DIVIDED}\n\nJVM stacktrace:\norg.apache.spark.X\n\tat x.Y.z(Y:1)\n"
            f"Caused by: org.apache.spark.SparkArithmeticException: {DIVIDED}\n\tat x.Y.z(Y:1)\n"
            "Caused by: org.apache.spark.api.python.PythonException: Traceback",
            DIVIDED,
        ),
    ],
    ids=["stack and plan", "context of a query", "class of Java", "frames of the worker", "cause"],
)
def test_what_says_nothing_is_dropped(text, shown):
    assert readable(ValueError(text)) == shown


def test_error_without_a_message_has_a_name():
    assert readable(KeyboardInterrupt()) == "KeyboardInterrupt"


TRACE = """
An error occurred while calling o90.sql.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:/dump.csv.
\tat org.apache.spark.A.a(A.scala:1)
\tSuppressed: org.apache.spark.Utils$Original: Full stacktrace
\t\tat org.apache.spark.A.a(A.scala:1)
\tCaused by: java.lang.Exception: of the suppressed one
Caused by: org.apache.spark.SparkException: [MALFORMED_RECORD] Malformed records: [2,bo].
Parse Mode: FAILFAST. To process malformed records as null result, try setting the option 'mode' as 'PERMISSIVE'.
\tat org.apache.spark.B.b(B.scala:2)
\t... 25 more
Caused by: java.lang.reflect.InvocationTargetException
\tat java.base/jdk.C.c(C.java:3)
Caused by: java.lang.RuntimeException: of no interest
\tat java.base/jdk.C.c(C.java:3)
Caused by: com.fasterxml.JsonEOFException: Unexpected end, password=hunter2
 at [Source: UNKNOWN; line: 1, column: 12]
\tat com.fasterxml.D.d(D.java:4)
"""


def test_causes_follow_and_a_next_step():
    class FromJava(Exception):
        java_exception = SimpleNamespace(toString=lambda: TRACE.split(": ", 1)[1].split("\n\tat", 1)[0])

    assert readable(FromJava(TRACE)).splitlines() == [
        "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:/dump.csv.",
        "Cause: [MALFORMED_RECORD] Malformed records: [2,bo].",
        "Parse Mode: FAILFAST.",
        "Cause: Unexpected end, password=*****",
        " at [Source: UNKNOWN; line: 1, column: 12]",
        "The file is cut off or damaged, or it is not of the columns, types or format that the table over it declares. "
        "Have it delivered again, or correct the declaration.",
    ]


def test_a_view_too_long_for_derby_is_explained():
    message = "MetaException(message:Insert of object failed: trying to shrink LONG VARCHAR 'select&' to length 32700.)"
    assert "at most 32,700 characters of a view's text. Keep it in another database" in readable(ValueError(message))

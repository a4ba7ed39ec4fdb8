"""What only some versions of pyspark have, or not pyspark-client, under a name that all have."""

from typing import TYPE_CHECKING, Any

import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T


def _is_spark_3() -> bool:
    return pyspark.__version__.startswith("3.")


if TYPE_CHECKING:
    import pyarrow as pa
    from py4j.java_gateway import JavaClass
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark import SparkConf, SparkContext, java_gateway
    from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame
else:
    try:
        from py4j.java_gateway import JavaClass
        from py4j.protocol import Py4JError, Py4JJavaError
        from pyspark import SparkConf, SparkContext, java_gateway
    except ImportError:
        # pyspark-client has no JVM: no session of this process runs, and no error comes from one.
        JavaClass = SparkConf = java_gateway = None

        class Py4JError(Exception):
            pass

        class Py4JJavaError(Py4JError):
            pass

        class SparkContext:
            _active_spark_context = None

    try:
        from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame
    except ImportError:
        if _is_spark_3():
            from pyspark.sql import DataFrame as ClassicFrame
        else:
            # pyspark-client has the frames of Spark Connect alone.
            class ClassicFrame:
                pass


__all__ = [
    "CALENDAR_INTERVALS",
    "DATETIMES",
    "FUNCTIONS_OF_USERS",
    "VARIANTS",
    "ClassicFrame",
    "JavaClass",
    "Py4JError",
    "Py4JJavaError",
    "SparkConf",
    "SparkContext",
    "cancel_jobs",
    "condition_of",
    "dataset_class",
    "frame_of",
    "java_gateway",
    "repartition_by_id",
    "sessions_of_jvm",
    "settings_of",
    "tree_of",
    "with_inlined_ctes",
]

# pyspark has calendar intervals and variants since version 4.0, and times of day since 4.1.
CALENDAR_INTERVALS: tuple[type[T.DataType], ...] = (
    (T.CalendarIntervalType,) if hasattr(T, "CalendarIntervalType") else ()
)
VARIANTS: tuple[type[T.DataType], ...] = (T.VariantType,) if hasattr(T, "VariantType") else ()
DATETIMES: tuple[type[T.DataType], ...] = (
    T.DateType,
    T.TimestampType,
    T.TimestampNTZType,
    *((T.TimeType,) if hasattr(T, "TimeType") else ()),
)
# Names of the patterns by which Spark finds functions of users in a plan; those written in SQL exist since version 4.0.
FUNCTIONS_OF_USERS = (
    "PYTHON_UDF",
    "SCALA_UDF",
    *(() if _is_spark_3() else ("SQL_FUNCTION_EXPRESSION", "SQL_SCALAR_FUNCTION")),
)


def frame_of(session: SparkSession, table: "pa.Table") -> DataFrame:
    """A table of pyarrow as a frame."""
    if not _is_spark_3():
        return session.createDataFrame(table)
    from pyspark.sql.pandas.types import from_arrow_schema

    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return session.createDataFrame(list(rows), from_arrow_schema(table.schema))


def condition_of(error: Any) -> str | None:
    """The name of an error of Spark, such as TABLE_OR_VIEW_NOT_FOUND."""
    condition: str | None = error.getErrorClass() if _is_spark_3() else error.getCondition()
    return condition


def cancel_jobs(context: Any, group: str) -> None:
    """Cancel the jobs of a group; since Spark 4.0 also those that threads of the group begin later."""
    jobs: Any = context._jsc.sc()
    if _is_spark_3():
        jobs.cancelJobGroup(group)
    else:
        jobs.cancelJobGroupAndFutureJobs(group)


def sessions_of_jvm(jvm: Any) -> Any:
    """The JVM's class of sessions, which knows those that are active and the default."""
    named: Any = getattr(SparkSession, "_get_j_spark_session_class", None)
    # pyspark has that method since version 4.0, when the class moved.
    return named(jvm) if named else jvm.org.apache.spark.sql.SparkSession


def settings_of(session: SparkSession) -> dict[str, str]:
    """All settings that a session has, in it or by its Spark."""
    # Of the class: asking the object would get them all.
    if hasattr(type(session.conf), "getAll"):
        return dict(session.conf.getAll)
    # Before version 4.0, the statement alone gives them.
    return {row.key: row.value for row in session.sql("set").collect()}


def tree_of(plan: Any) -> str:
    """A plan of the JVM as text, whole: no list of columns is cut."""
    # The last argument, whether nodes have numbers, exists since Spark 4.0.
    numbered = () if _is_spark_3() else (False,)
    return str(plan.treeString(True, False, 2**31 - 1, False, *numbered))


def dataset_class(session: SparkSession) -> Any:
    """The JVM's class of frames, which makes one of a plan."""
    sql: Any = session.sparkContext._jvm.org.apache.spark.sql  # type: ignore[union-attr]
    return sql.Dataset if _is_spark_3() else sql.classic.Dataset


def with_inlined_ctes(session: SparkSession, plan: Any) -> Any:
    """An analyzed plan of the JVM in which each reference to a CTE is the CTE's own plan."""
    rules: Any = session.sparkContext._jvm.org.apache.spark.sql.catalyst.optimizer  # type: ignore[union-attr]
    # The last argument, whether CTEs that nothing refers to are kept, exists since Spark 4.0.
    return (rules.InlineCTE(True) if _is_spark_3() else rules.InlineCTE(True, False)).apply(plan)


def repartition_by_id(frame: DataFrame, count: int, column: str) -> DataFrame:
    """The rows in ``count`` partitions, each in the one whose number (from 0) the column of type int has."""
    if hasattr(frame, "repartitionById"):
        return frame.repartitionById(count, column)
    # Before version 4.1, Spark partitions by hash alone: by that of a number that it puts into the wanted partition.
    numbers: dict[int, int] = {}
    number = 0
    while len(numbers) < count:
        numbers.setdefault(_murmur3(number) % count, number)
        number += 1
    chosen = F.array(*(F.lit(numbers[place]) for place in range(count)))
    return frame.repartition(count, F.get(chosen, F.col(column)))


def _murmur3(number: int) -> int:
    """Spark's hash of an int, with its sign: Murmur3 of 32 bits, with seed 42."""

    def rotated(bits: int, by: int) -> int:
        return (bits << by | bits >> 32 - by) & 0xFFFFFFFF

    mixed = rotated(number * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
    found = (rotated(42 ^ mixed, 13) * 5 + 0xE6546B64 & 0xFFFFFFFF) ^ 4
    found = (found ^ found >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    found = (found ^ found >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    found ^= found >> 16
    return found - (1 << 32) if found >> 31 else found

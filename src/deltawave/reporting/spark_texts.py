"""Values of Spark as texts for people."""

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from deltawave.comparing.dialects import MOST_CHARACTERS
from deltawave.spark_versions import DATETIMES

# Types whose values may divide rows into groups.
CATEGORIES = (T.StringType, T.BooleanType, T.NumericType, *DATETIMES)
# The relative error of an estimated number of values. A smaller one takes Spark long to prepare, for many columns.
PRECISION = 0.15


def as_text(value: Column, kind: T.DataType) -> Column:
    """A value of that type as a text of at most ``MOST_CHARACTERS`` characters; binary ones in hexadecimal digits."""
    text = F.hex(value) if isinstance(kind, T.BinaryType) else value.cast("string")
    short = F.concat(F.left(text, F.lit(MOST_CHARACTERS - 1)), F.lit("…"))
    return F.when(F.length(text) > MOST_CHARACTERS, short).otherwise(text)

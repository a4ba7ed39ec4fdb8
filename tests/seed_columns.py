"""Generated columns of a seed: cells as people write them, and in ways that only dbt, or only Spark, understands."""

import csv
import datetime as dt
import io
from collections.abc import Sequence

from hypothesis import strategies as st

NULLS = st.sampled_from(["", " ", "null", "NULL ", "\u00a0"])
INTEGERS = st.integers(-(10**18) + 1, 10**18 - 1).map(str)
DECIMALS = st.decimals(-(10**6), 10**6, places=2).map(str)
DATES = st.dates().map(dt.date.isoformat)
TIMESTAMPS = st.datetimes().map(lambda at: at.isoformat(" ", "seconds"))
BOOLEANS = st.sampled_from(["true", "false", "True", "FALSE"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
WITH_T = st.datetimes().map(lambda at: at.isoformat("T", "seconds"))
USUAL = (INTEGERS, DECIMALS, DATES, TIMESTAMPS, WITH_T, BOOLEANS, TEXTS)
UNUSUAL = (
    st.sampled_from(["007", "-0", "+5", " 1", "1,000", "$5", "5%", "9223372036854775807", "-9223372036854775808"]),
    st.sampled_from(["1.0", "-0.0", "0.10", "1e3", ".5", "5.", "1E-7", "-00.5", "0.00", "0.1234567890123456789"]),
    st.sampled_from(["12345678901234.12345678901234", "0.30000000000000004", "-0.50", "1" * 14 + ".5", "1.005"]),
    st.sampled_from([" 2020-01-01", "2020-1-5", "2020-02-30", "0000-01-01", "20200101", "2020-01-01"]),
    st.sampled_from(["2020-01-01 24:00:00", "2020-01-01 10:11:60", "2020-01-01 1:2:3", "2020-06-01 10:11:12"]),
    st.sampled_from(["2020-01-01T10:11:12", "2020-01-01T10:11:12Z", "2020-01-01T10:11:12.123456+02:00"]),
    st.sampled_from([" true", "t", "yes", "1", "0", ",", "fal\u017fe"]),
    st.sampled_from(["O'Hara", "a\\b\\'c", 'say "x"', "two\nlines", "${spark.app.name}", "100%s", "None", "é 🌊"]),
)
# What neither a bigint nor a decimal holds: an error in ANSI mode.
OVERFLOWS = st.sampled_from(["1" * 28 + "9" * 12, "nan", "-inf", "1e400"])


@st.composite
def columns(draw: st.DrawFn, rows: int, *, overflows: bool) -> list[str]:
    """Cells of one kind, written in one or two ways, at times with some of another kind."""
    usual = draw(st.integers(0, len(USUAL) - 1))
    kinds = [USUAL[usual]] * 3
    if draw(st.booleans()):
        kinds.append(draw(st.sampled_from(UNUSUAL)))
    if draw(st.integers(0, 3)) == 0:
        kinds.append(draw(st.sampled_from(USUAL)))
    if overflows and draw(st.integers(0, 3)) == 0:
        kinds.append(OVERFLOWS)
    if draw(st.booleans()):
        kinds.append(NULLS)
    return draw(st.lists(st.one_of(kinds), min_size=rows, max_size=rows))


def csv_text(names: Sequence[str], columns: Sequence[Sequence[str]]) -> str:
    """The file of these columns."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(names)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()

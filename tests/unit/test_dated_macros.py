"""What is known of dated dumps without Spark: which came again, are due or lack a column; what a plan reads."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any

import pytest
from unit.macro_harness import Macros

PLAN = """== Analyzed Logical Plan ==
== Optimized Logical Plan ==
Union false, false
:- Project [id#2, cast(dump_date#4 as string) AS day#9]
:  +- Filter (isnotnull(dump_date#4) AND NOT (cast(dump_date#4 as string) = 0001-01-01))
:     +- Relation spark_catalog.dev.accounts__header_1[id#2,name#3,dump_date#4] csv
+- Filter NOT (cast(dump_date#7 as string) = 0001-01-01)
   +- Relation spark_catalog.dev.accounts__header_2[id#5,name#6,dump_date#7] csv

== Physical Plan ==
"""


def source(**facts: Any) -> dict[str, Any]:
    tables = [SimpleNamespace(schema="dev", identifier=f"accounts__header_{n}") for n in (1, 2)]
    return {"name": "legacy.accounts", "tables": tables, "partitions": [{"name": "Dump_Date"}], **facts}


@pytest.mark.parametrize(
    ("old", "new", "known"),
    [
        ("", "", True),
        # A lookup table, a scan without the condition, a computed date: rows of a date may come from other folders.
        ("accounts__header_2[", "towns[", False),
        ("Filter NOT (cast(dump_date#7 as string) = 0001-01-01)", "Project [id#5]", False),
        ("NOT (cast(dump_date#7 as string)", "NOT (date_add(dump_date#7, 1)", False),
        ("NOT (cast(dump_date#7 as string)", "NOT (cast(other_date#7 as string)", False),
    ],
)
def test_files_tell_of_dates_only_where_nothing_else_is_read(old: str, new: str, known: bool) -> None:
    plan = PLAN.replace(old, new) if old else PLAN
    job = {"sql": "select 1", "settings": {"snapshot_date": "day"}, "snapshot_type": "string", "statements": []}
    columns = Macros(run_query=lambda _: [(plan, "")])._date_columns(job, [source()])
    assert columns == ({"legacy.accounts": "Dump_Date"} if known else {})


SEEN = {"rows": 4, "checksum": "version1:7", "files": "a", "seen_checksum": None, "is_other": False}


@pytest.mark.parametrize(
    ("before", "found", "again"),
    [
        ({}, {"checksum": "version1:7"}, False),
        ({}, {"checksum": "version1:8"}, True),
        ({}, {"checksum": "version1:7", "rows": 5}, True),
        # The select was edited since: the number of rows decides, or a look after that.
        ({}, {"checksum": "version2:7", "files": None}, False),
        ({}, {"checksum": "version2:7"}, True),
        ({"seen_checksum": "version2:7"}, {"checksum": "version2:7"}, False),
        ({"seen_checksum": "version2:7", "is_other": True}, {"checksum": "version2:7"}, True),
        ({"seen_checksum": "version2:7"}, {"checksum": "version2:9"}, True),
        # An older version kept neither.
        ({"checksum": None, "files": None}, {"checksum": "version1:7"}, False),
    ],
)
def test_delivered_again(before: dict[str, Any], found: dict[str, Any], again: bool) -> None:
    delivery = {"rows": 4, "files": "b", **found}
    assert Macros()._is_delivered_again({**SEEN, **before}, delivery) is again


@pytest.mark.parametrize(
    ("folders", "filled", "missing"),
    [
        (["day=1"], {"town": 0}, ["town"]),
        (["day=1"], {"town": 3}, []),
        (["day=2"], {"town": 0}, []),
        (["day=1", "day=2"], {"town": 0}, []),
        ([], {"town": 0}, []),
    ],
)
def test_a_dump_lacks_what_all_of_its_headers_lack(
    folders: list[str], filled: dict[str, int], missing: list[str]
) -> None:
    headers = [
        {"names": ["id"], "missing": ["Town"], "folders": ["day=1"]},
        {"names": ["id", "Town"], "missing": [], "folders": ["day=2"]},
    ]
    announced = [{"batch_at": "2026-01-01", "folders": folders}]
    # A source that does not declare the column, and has a folder for every date.
    counts = [{"names": ["dump_rows"], "missing": [], "folders": ["day=1"]}]
    announced_counts = [{"batch_at": "2026-01-01", "folders": ["day=1"]}] if folders else []
    sources = [source(headers=headers, announced=announced), source(headers=counts, announced=announced_counts)]
    job = {"dated_sources": sources}
    assert Macros()._missing_columns(job, {"batch_at": "2026-01-01", "filled": filled}) == missing


@pytest.mark.parametrize(
    ("text", "value"), [("2026-01-01", "2026-01-01"), ("a%3Ab%2fc", "a:b/c"), ("5%25 %253A", "5% %3A")]
)
def test_values_of_folders(text: str, value: str) -> None:
    assert Macros()._unescaped(text) == value


def dumps(*dates: str) -> list[dict[str, Any]]:
    """Dumps as a run compares them, and as its log records them; with a time, if the text has one."""
    return [
        {"snapshot_date": date, "batch_at": f"{date[:10]}T{date[11:] or '00:00:00'}.000000Z", "files": None}
        for date in dates
    ]


def warnings(last: str | None, pending: list[str], now: str = "2026-02-02T03:00:00+00:00", **options: Any) -> list[str]:
    """What a run warns of, that has a log up to a date, or none, and compares some dates."""
    said: list[str] = []
    exceptions = SimpleNamespace(warn=lambda text: said.append(text) or "")
    macros = Macros(run_started_at=dt.datetime.fromisoformat(now), exceptions=exceptions)
    job = {"name": "x", "settings": {"warn_after": None, "every": None, **options}}
    macros._warn_of_due(job, dumps(last)[0] if last else None, dumps(*pending))
    return said


class TestDueDumps:
    @pytest.mark.parametrize(
        ("limit", "last", "pending", "age"),
        [
            ((1, "day"), "2026-02-01", [], "1.1 days"),
            ((1, "day"), "2026-01-30", ["2026-01-31"], "2.1 days"),
            ((1, "day"), None, ["2026-01-31"], "2.1 days"),
            ((26, "hour"), "2026-02-01", [], "27.0 hours"),
            ((90, "minute"), "2026-02-02 01:00:00", [], "120.0 minutes"),
            ((27, "hour"), "2026-02-01", [], None),
            ((2, "day"), "2026-02-01", [], None),
            ((1, "day"), "2026-01-30", ["2026-02-01", "2026-02-02"], None),
            ((1, "day"), "2026-02-03", [], None),
            ((1, "day"), None, [], None),
        ],
    )
    def test_the_newest_is_not_older_than_that(
        self, limit: tuple[int, str], last: str | None, pending: list[str], age: str | None
    ) -> None:
        said = warnings(last, pending, warn_after={"count": limit[0], "period": limit[1]})
        assert len(said) == (age is not None)
        for text in said:
            newest = (pending or [last])[-1]
            assert text.startswith(f"x: the newest dump is that of {newest}, which is {age} old")
            assert f"and warn_after is {limit[0]} {limit[1]}{'s' * (limit[0] > 1)}." in text

    def test_the_age_does_not_depend_on_the_time_zone_of_the_clock(self) -> None:
        limit = {"count": 1, "period": "day"}
        assert not warnings("2026-02-01", [], now="2026-02-02T01:00:00+02:00", warn_after=limit)

    # 2 January 2026 is a Friday.
    @pytest.mark.parametrize(
        ("every", "last", "pending", "gaps"),
        [
            ("day", "2026-01-01", ["2026-01-02", "2026-01-03"], None),
            ("day", "2026-01-01", ["2026-01-03", "2026-01-04"], "2026-01-01 and 2026-01-03"),
            ("day", None, ["2026-01-02", "2026-01-05"], "2026-01-02 and 2026-01-05"),
            ("day", None, ["2026-01-02"], None),
            ("day", "2026-01-01", [], None),
            ("day", "2025-12-31", ["2026-01-02", "2026-03-02"], "2025-12-31 and 2026-01-02, 2026-01-02 and 2026-03-02"),
            ("day", "2026-01-01 23:00:00", ["2026-01-02 01:00:00", "2026-01-02 09:00:00"], None),
            ("weekday", "2026-01-02", ["2026-01-05"], None),
            ("weekday", "2026-01-03", ["2026-01-05"], None),
            ("weekday", "2026-01-01", ["2026-01-03"], "2026-01-01 and 2026-01-03"),
            ("weekday", "2026-01-02", ["2026-01-06"], "2026-01-02 and 2026-01-06"),
            ("weekday", "2026-01-02", ["9999-12-31"], "2026-01-02 and 9999-12-31"),
        ],
    )
    def test_no_date_between_two_is_missing(
        self, every: str, last: str | None, pending: list[str], gaps: str | None
    ) -> None:
        said = warnings(last, pending, every=every)
        assert len(said) == (gaps is not None)
        for text in said:
            assert text.startswith(f"x: no dump has come between those of {gaps} (every: {every}).")

    def test_nothing_is_due_unless_asked(self) -> None:
        assert not warnings("2020-01-01", ["2021-01-01"])

"""What is known of dated dumps without Spark: which came again, are due or lack a column; what a plan reads."""

import datetime as dt
from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, make_job

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
def test_files_name_dates_only_where_nothing_else_is_read(old: str, new: str, known: bool) -> None:
    plan = PLAN.replace(old, new) if old else PLAN
    job = make_job(settings={"snapshot_date": "day"}, snapshot_type="string")
    columns = Macros(run_query=lambda _: [(plan, "")])._date_columns(job, [source()])
    assert columns == ({"legacy.accounts": "Dump_Date"} if known else {})


def test_files_name_numbers() -> None:
    plan = PLAN.replace("string", "bigint").replace("0001-01-01", "-97")
    job = make_job(settings={"snapshot_date": "day", "snapshot_order": "number"}, snapshot_type="bigint")
    macros = Macros(run_query=lambda sql: [(plan, "")])
    assert macros._date_columns(job, [source()]) == {"legacy.accounts": "Dump_Date"}
    assert macros.queries[0].endswith("where `day` <> cast('-97' as bigint)")
    plan = plan.replace("= -97", "= -971")
    assert macros._date_columns(job, [source()]) == {}


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
    announced = [{"order": "2026-01-01", "folders": folders}]
    # A source that does not declare the column, and has a folder for every date, also where the dump has none.
    counts = [{"names": ["dump_rows"], "missing": [], "folders": ["day=1"]}]
    announced_counts = [{"order": "2026-01-01", "folders": ["day=1"]}]
    sources = [source(headers=headers, announced=announced), source(headers=counts, announced=announced_counts)]
    job = {"dated_sources": sources}
    assert Macros()._missing_columns(job, {"order": "2026-01-01", "filled": filled}) == missing


SCAN = "FileScan csv spark_catalog.dev.{}[id#2,dump_date#4] PartitionFilters: [(dump_date#4 = 1)], PushedFilters: []"
DUMPS_PLAN = f"""== Optimized Logical Plan ==
Filter (dump_date#4 = 2026-01-02)
+- Relation spark_catalog.dev.accounts__header_1[id#2,dump_date#4] csv

== Physical Plan ==
{SCAN.format("accounts__header_1")}
"""
OF_VALUES = (
    "== Optimized Logical Plan ==\nLocalRelation [id#1, dump_date#2]\n\n== Physical Plan ==\nLocalTableScan [id#1]\n"
)


def announced_by(plan: str, *rows: str, sources: list[dict[str, Any]] | None = None) -> tuple[list[str], list[str]]:
    """The empty dumps of a run for which each source has a folder for a day, and its warnings.

    ``rows``: the sources with rows there.
    """

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("explain"):
            return [(plan, "")]
        return [(1,)] if any(f"from {name}\n" in sql for name in rows) else []

    dump = {"column": "dump_date", "data_type": "date", "folder": "2026-01-02", **dumps("2026-01-02")[0]}
    dated = [
        {**each, "relation": each["name"], "announced": [dump]} for each in sources or [source(is_read=True), counts()]
    ]
    macros = accepting("", run_query=run_query)
    job = make_job(settings={"snapshot_date": "dump_date"}, snapshot_type="date", dated_sources=dated)
    found = macros._dumps_without_rows(job, [], "2026-01-01")
    return [each["snapshot_date"] for each in found], macros.warnings


def counts(*, is_read: bool = True) -> dict[str, Any]:
    return source(name="legacy.counts", tables=[SimpleNamespace(schema="dev", identifier="counts")], is_read=is_read)


class TestFoldersWithoutRows:
    def test_a_folder_of_the_select_s_source_is_an_empty_dump(self) -> None:
        assert announced_by(DUMPS_PLAN) == (["2026-01-02"], [])

    @pytest.mark.parametrize("is_read", [True, False])
    def test_a_folder_of_another_source_is_none(self, is_read: bool) -> None:
        # The dumps of the select are in a source, or in a table of no source: only a model behind a table is not seen.
        dumps_source = source(is_read=True)
        alone = [counts(is_read=is_read)]
        assert announced_by(DUMPS_PLAN, "legacy.accounts", sources=[dumps_source, *alone])[0] == []
        assert announced_by(DUMPS_PLAN, sources=alone)[0] == ([] if is_read else ["2026-01-02"])

    def test_a_plan_without_any_relation_shows_nothing(self) -> None:
        assert announced_by(OF_VALUES, sources=[counts()])[0] == ["2026-01-02"]

    def test_a_table_s_name_is_not_part_of_another(self) -> None:
        plan = DUMPS_PLAN.replace("accounts__header_1", "counts_2")
        assert announced_by(plan, sources=[counts()])[0] == []

    def test_an_empty_dump_with_its_count_is_no_unread_date(self) -> None:
        assert announced_by(DUMPS_PLAN, "legacy.counts") == (["2026-01-02"], [])
        found, (warning,) = announced_by(DUMPS_PLAN, "legacy.counts", sources=[counts()])
        assert found == []
        assert warning.startswith("x: legacy.counts has dump(s) of 2026-01-02, of which the select returns no row")


@pytest.mark.parametrize(
    ("text", "value"), [("2026-01-01", "2026-01-01"), ("a%3Ab%2fc", "a:b/c"), ("5%25 %253A", "5% %3A")]
)
def test_values_of_folders(text: str, value: str) -> None:
    assert Macros()._unescaped(text) == value


def dumps(*dates: str) -> list[dict[str, Any]]:
    """Dumps as a run compares them, and as its log records them; with a time, if the text has one."""
    at = [f"{date[:10]}T{date[11:] or '00:00:00'}.000000Z" for date in dates]
    return [
        {"snapshot_date": date, "batch_at": each, "order": each, "files": None}
        for date, each in zip(dates, at, strict=True)
    ]


def accepting(model: str, **context: Any) -> Macros:
    """The macros of a run that accepts one model."""
    return Macros(var=lambda name, default: [model], **context)


def warnings(
    last: str | None, pending: list[str], now: str = "2026-02-02T03:00:00+00:00", accept: str = "", **options: Any
) -> list[str]:
    """What a run warns of, that has a log up to a date, or none, and compares some dates."""
    macros = accepting(accept, run_started_at=dt.datetime.fromisoformat(now))
    job = make_job(settings=options)
    record, found = dumps(last)[0] if last else None, dumps(*pending)
    newest = found[-1] if found else record
    if "every" in options:
        macros._warn_of_gaps(job, record, found)
    if "warn_after" in options and newest:
        macros._warn_of_age(job, newest)
    return macros.warnings


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
        found = warnings(last, pending, warn_after={"count": limit[0], "period": limit[1]})
        assert len(found) == (age is not None)
        for text in found:
            newest = (pending or [last])[-1]
            assert text.startswith(f"x: the newest dump is that of {newest}, which is {age} old")
            assert f"and warn_after is {limit[0]} {limit[1]}{'s' * (limit[0] > 1)}." in text

    def test_dates_that_are_compared_again_are_no_gap(self) -> None:
        assert not warnings("2026-01-05", ["2026-01-02", "2026-01-05", "2026-01-06"], every="day")
        found = warnings("2026-01-05", ["2026-01-02", "2026-01-05", "2026-01-07"], every="day")
        assert "between those of 2026-01-05 and 2026-01-07 (every: day)" in found[0]

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
        found = warnings(last, pending, every=every)
        assert len(found) == (gaps is not None)
        for text in found:
            assert text.startswith(f"x: no dump has come between those of {gaps} (every: {every}).")
            assert "run once with --vars '{deltawave_accept: [x]}', which does not warn of gaps." in text

    def test_an_accepted_run_takes_the_gaps_as_they_are(self) -> None:
        assert warnings("2026-01-01", ["2026-01-03"], every="day", accept="y")
        assert not warnings("2026-01-01", ["2026-01-03"], every="day", accept="x")

    @pytest.mark.parametrize(
        ("date", "at", "day"),
        [
            # Midnight in Berlin is the day before in UTC.
            ("2026-01-02 00:00:00", "2026-01-01T23:00:00.000000Z", "2026-01-02"),
            ("2026-01-02", "2026-01-02T00:00:00.000000Z", "2026-01-02"),
            ("2026-1-2 10:00", "2026-01-02T10:00:00.000000Z", "2026-01-02"),
            (None, "2026-01-02T10:00:00.000000Z", "2026-01-02"),
        ],
    )
    def test_the_day_is_that_of_the_date_as_it_is_written(self, date: str | None, at: str, day: str) -> None:
        assert Macros()._day_of_dump({"snapshot_date": date, "batch_at": at}) == day


# Four dates of a log, by their batches.
COMPARED = {"2026-01-01": 1, "2026-01-02": 2, "2026-01-05": 3, "2026-01-06": 6}


def replaced(again: list[str], there: list[str], **record: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a run compares if dates were delivered again, of a source that has some dates; and the state for that."""
    found: list[dict[str, Any]] = []

    def pending_dumps(job: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
        found.append(state)
        return {"dumps": dumps(*there), "replaced": [], "rewind_to": state["rewind_to"]}

    macros = Macros()
    macros.replace(_pending_dumps=pending_dumps)
    known: dict[str, Any] = {
        date: {**SEEN, "is_compared": True, "batch_id": COMPARED[date], **dumps(date)[0]} for date in COMPARED
    }
    known["2026-01-03"] = {**SEEN, "is_compared": False, "batch_id": None}
    last = {"batch_id": 7, "snapshot_date": "2026-01-06", "first_batch": 1, "is_baseline": False, **record}
    state = {"record": last, "is_new_generation": False, "names": []}
    pending = macros._replaced_dumps(make_job("accounts"), state, known, again)
    return pending, found[0]


class TestReplacedDates:
    @pytest.mark.parametrize(
        ("again", "record", "until"),
        [
            (["2026-01-06"], {}, "2026-01-05"),
            (["2026-01-02"], {}, "2026-01-01"),
            (["2026-01-06", "2026-01-02"], {}, "2026-01-01"),
            (["2026-01-05"], {"first_batch": 2}, "2026-01-02"),
            # The first date, one that has expired, and a log without its first rows: a new generation.
            (["2026-01-01"], {}, None),
            (["2026-01-02"], {"first_batch": 2}, None),
            (["2026-01-06"], {"is_baseline": True}, None),
        ],
    )
    def test_the_log_is_rewound_to_before_the_first_of_them(
        self, again: list[str], record: dict[str, Any], until: str | None
    ) -> None:
        there = [date for date in COMPARED if until is None or date > until]
        pending, state = replaced(again, there, **record)
        assert pending["replaced"] == again
        assert pending["rewind_to"] == (COMPARED[until] if until else None)
        assert state["is_new_generation"] is (until is None)
        if until:
            as_rewound = {"rewound_to": COMPARED[until], "snapshot_date": until, "batch_id": 7}
            assert as_rewound.items() <= state["record"].items()
            assert state["record"]["batch_at"] == dumps(until)[0]["batch_at"]

    @pytest.mark.parametrize(
        ("again", "remedy"),
        [
            (
                "2026-01-02",
                "dbt run-operation deltawave.rewind --args '{model: accounts, to_batch: 1}', then run again.",
            ),
            ("2026-01-01", "set full_refresh: true and run once with --full-refresh."),
        ],
    )
    def test_nothing_is_undone_that_cannot_be_compared_again(self, again: str, remedy: str) -> None:
        there = [date for date in COMPARED if date >= again and date != "2026-01-05"]
        with pytest.raises(CompilationError) as error:
            replaced([again], there)
        kind = "a date to replace, and a later one that is missing"
        assert messages("Dump of a date")[kind].replace("2026-01-02", again) in str(error.value)
        assert str(error.value).strip().endswith(remedy)

    @pytest.mark.parametrize("newest", [8, 9])
    def test_dumps_are_compared_after_the_run_s_own_rewind_alone(self, newest: int) -> None:
        """Another run may find the rewound log, and compare the same dates, before this one goes on."""
        refreshing = SimpleNamespace(FULL_REFRESH=True)
        macros = Macros(model=SimpleNamespace(unique_id="model.accounts"), flags=refreshing)
        macros.replace(_warn_of_readers=None, _operation=None, _undo_batches=None)
        macros.replace(_repair={"record": {"batch_id": newest}, "names": ["accounts"]})
        job = make_job("accounts")
        state = {"record": {"batch_id": 7}, "is_new_generation": False, "names": []}
        pending = {"dumps": [], "replaced": ["2026-01-02"], "rewind_to": 1}
        if newest > 8:
            with pytest.raises(CompilationError, match="another run, which has continued to batch 9"):
                macros._undo_replaced(job, state, pending)
            return
        rewound = {"record": {"batch_id": 8}, "is_new_generation": False, "names": ["accounts"]}
        assert macros._undo_replaced(job, state, pending) == rewound
        # The warning of a full refresh was given when the run began.
        assert not macros.warnings

    def test_a_delivery_that_does_not_match_its_checksums_undoes_nothing(self) -> None:
        macros = Macros()
        checked: list[str] = []

        def check(job: Any, state: Any, dump: dict[str, str]) -> None:
            checked.append(dump["snapshot_date"])
            raise CompilationError("wrong checksums")

        macros.replace(_check_checksum_files=check)
        pending = {"dumps": dumps("2026-01-02", "2026-01-05"), "replaced": ["2026-01-05"], "rewind_to": 1}
        # Whatever it did after that would fail: there is no model here.
        with pytest.raises(CompilationError, match="wrong checksums"):
            macros._undo_replaced(make_job("accounts"), {"record": {"batch_id": 7}}, pending)
        assert checked == ["2026-01-05"]

    def test_a_log_that_is_about_to_be_rewound_knows_only_what_that_leaves(self) -> None:
        macros = Macros(run_query=lambda sql: [])
        macros.replace(_add_deliveries="")
        for batch in (2, None):
            macros._known_dates(make_job(batches="accounts__batches"), {"generation": 1, "rewound_to": batch})
        assert ["and batch_id <= 2" in sql for sql in macros.queries] == [True, False]


NOW = dt.datetime.fromisoformat("2026-02-02T04:00:00+01:00")
DUMP_CHECKSUM = {"hash": "hash", "version": "version1"}


def ordered_job(order: str, snapshot_type: str = "string") -> dict[str, Any]:
    settings = {"snapshot_date": "load", "snapshot_order": order, "allow_empty": False, "redelivery": "warn"}
    return make_job(settings=settings, snapshot_type=snapshot_type)


def pending(order: str, last: str | None, found: list[str | None]) -> tuple[list[str], list[str]]:
    """The loads that a run compares, in their order, and its warnings.

    The log has one load, or none, and the select has some.
    """
    at = "2026-02-02T03:00:00.000000Z"

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if " as checksum" in sql:
            return [(each, 1, "7") for each in found if f"cast('{each}' as" in sql]
        assert f"'{at}' as batch_at" in sql
        return [(each, at, 1) for each in found]

    macros = Macros(run_query=run_query, run_started_at=NOW)
    known = {last: {**SEEN, "rows": 1, "is_compared": True, "batch_id": 3, "files": None}} if last else {}
    macros.replace(_known_dates=known, _checksum_of_dump=DUMP_CHECKSUM, _keep_deliveries=None)
    record = {"snapshot_date": last, "batch_at": "2026-02-01T00:00:00.000000Z", "batch_id": 3, "first_batch": 1}
    state = {"record": record if last else None, "is_new_generation": False}
    dumps = macros._pending_dumps(ordered_job(order), state)["dumps"]
    assert {dump["batch_at"] for dump in dumps} <= {at}
    return [dump["snapshot_date"] for dump in dumps], macros.warnings


class TestDumpsWithoutDates:
    @pytest.mark.parametrize(
        ("order", "last", "found", "compared", "late"),
        [
            ("number", None, ["10", "9", "-1"], ["-1", "9", "10"], None),
            ("number", "9", ["2", "9", "10", "11"], ["10", "11"], "2"),
            ("text", None, ["a", "B", "b", "A", "\u00e4"], ["A", "B", "a", "b", "\u00e4"], None),
            ("text", "load_9", ["load_10", "load_9", "load_a", "load_A"], ["load_A", "load_a"], "load_10"),
            ("text", "2026-W05", ["2026-W05", "2026-W06"], ["2026-W06"], None),
        ],
    )
    def test_they_are_compared_in_their_order(
        self, order: str, last: str | None, found: list[str | None], compared: list[str], late: str | None
    ) -> None:
        dumps, warnings = pending(order, last, found)
        assert dumps == compared
        assert len(warnings) == (late is not None)
        for text in warnings:
            assert text.startswith(f"x: skipped dump(s) of {late}: they were delivered after the dump of {last}")

    @pytest.mark.parametrize("missing", [None, ""])
    def test_each_has_a_value(self, missing: str | None) -> None:
        with pytest.raises(CompilationError, match=r"x: 1 row\(s\) have no load \(snapshot_date\)"):
            pending("text", None, [missing, "a"])

    def test_a_rewind_goes_before_the_first_of_them(self) -> None:
        seen = {"is_compared": True}
        known = {value: {**seen, "batch_id": batch} for batch, value in enumerate(["9", "10", "11"], 1)}
        remedy = Macros()._rewind_to_before(ordered_job("number"), {"first_batch": 1}, known, ["11", "10"])
        assert remedy.endswith("{model: x, to_batch: 1}'")

    @pytest.mark.parametrize(
        ("order", "loads", "again", "missing"),
        [
            ("number", ["2", "9", "10", "11"], ["11", "9"], None),
            ("number", ["2", "9", "10", "11"], ["9"], "10, 11"),
            ("text", ["B", "a", "b", "c"], ["a"], None),
            ("text", ["B", "a", "b", "c"], ["a"], "b, c"),
        ],
    )
    def test_those_that_were_delivered_again_are_compared_again_in_their_order(
        self, order: str, loads: list[str], again: list[str], missing: str | None
    ) -> None:
        """The log has four loads, and was built by one run; another run finds those of ``again`` with other rows."""
        at = "2026-02-02T03:00:00.000000Z"
        found = [load for load in loads if load not in (missing or "").split(", ")]

        def run_query(sql: str) -> list[tuple[Any, ...]]:
            if " as checksum" in sql:
                return [(each, 1, str(each in again)) for each in found if f"cast('{each}' as" in sql]
            return [(each, at, 1) for each in found]

        def known_dates(job: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
            seen = SEEN | {"is_compared": True, "rows": 1, "checksum": "version1:False", "files": None}
            seen |= {"batch_at": "2026-02-01T00:00:00.000000Z"}
            standing = loads[: record.get("rewound_to") or len(loads)]
            return {load: {**seen, "batch_id": loads.index(load) + 1, "snapshot_date": load} for load in standing}

        macros = Macros(run_query=run_query, run_started_at=NOW)
        macros.replace(_known_dates=known_dates, _checksum_of_dump=DUMP_CHECKSUM, _keep_deliveries=None)
        job = ordered_job(order)
        job["settings"]["redelivery"] = "replace"
        last = {"snapshot_date": loads[-1], "batch_at": "2026-02-01T00:00:00.000000Z", "batch_id": 4, "first_batch": 1}
        state = {"record": last | {"is_baseline": False}, "is_new_generation": False}
        if missing:
            with pytest.raises(CompilationError, match=f"no longer has dump\\(s\\) of {missing} to compare again"):
                macros._pending_dumps(job, state)
            return
        compared = macros._pending_dumps(job, state)
        assert [dump["snapshot_date"] for dump in compared["dumps"]] == loads[1:]
        assert compared["rewind_to"] == 1
        assert macros._some_dumps(job, compared["replaced"]) == ", ".join(load for load in loads if load in again)

    @pytest.mark.parametrize(
        ("order", "data_type", "fits"),
        [
            ("number", "int", True),
            ("number", "bigint", True),
            ("number", "decimal(38,0)", True),
            ("number", "decimal(9,2)", False),
            ("number", "double", False),
            ("number", "string", False),
            ("text", "string", True),
            ("text", "varchar(20)", True),
            ("text", "string collate UTF8_LCASE", False),
            ("text", "date", False),
        ],
    )
    def test_types(self, order: str, data_type: str, fits: bool) -> None:
        if fits:
            Macros()._check_snapshot_order(ordered_job(order, data_type))
            return
        with pytest.raises(CompilationError, match=f"with snapshot_order: {order} it has to be "):
            Macros()._check_snapshot_order(ordered_job(order, data_type))

    @pytest.mark.parametrize(
        ("order", "name", "data_type", "is_one"),
        [
            (None, "day", "date", True),
            (None, "load", "int", False),
            ("number", "Load", "int", True),
            ("text", "load", "string", True),
            ("text", "region", "string", False),
            # Spark has no cast from dates to numbers.
            ("number", "load", "date", False),
        ],
    )
    def test_folders_that_name_dumps(self, order: str | None, name: str, data_type: str, is_one: bool) -> None:
        job = {"settings": {"snapshot_date": "load", "snapshot_order": order}}
        assert Macros()._names_dumps(job, {"name": name, "data_type": data_type}) is is_one

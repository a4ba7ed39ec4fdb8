"""Whether a run that decides a batch may go on, as the statements that it runs show."""

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, make_batch, make_job

from deltawave.sql_text import literal

OWN = "aaaaaaaaaaaa"
OTHER = "bbbbbbbbbbbb"
BATCHES = Relation.create("s", "x__batches")


def view_text(record: dict[str, Any]) -> tuple[str, str, str]:
    """The row of ``describe extended`` that has the text of a decision's view."""
    return "View Text", f"select {literal(json.dumps(record))} as record", ""


def decide(*, wins: bool, later: bool, is_recorded: bool) -> tuple[str | None, list[str]]:
    """What a run that decides batch 5 says in an error, and its statements that change something."""
    names = ["x__log", "x__batches", f"x__base_5_{OWN}", "x__commit_5", *(["x__commit_6"] if later else [])]
    changing: list[str] = []

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("describe extended"):
            return [view_text({"attempt": OWN if wins else OTHER})]
        if like := re.match(r"show tables in .* like '(.*)'", sql):
            return [("s", name, False) for name in names if re.fullmatch(like[1].replace("*", ".*"), name)]
        if "as decisions" in sql:
            return [(int(is_recorded),)]
        changing.append(sql)
        return []

    job = make_job(settings={"file_format": "delta"}, batches=BATCHES, outcome={"batches": 2})
    batch = make_batch(5, attempt=OWN, staged_in=["log"])
    try:
        Macros(run_query=run_query)._decide(job, batch, {"batch_id": 5, "attempt": OWN})
    except CompilationError as error:
        return str(error), changing[1:]
    return None, changing[1:]


def test_a_winner_goes_on() -> None:
    assert decide(wins=True, later=False, is_recorded=False) == (None, [])


def test_a_loser_drops_what_it_wrote() -> None:
    error, changing = decide(wins=False, later=False, is_recorded=False)
    assert "has decided this batch first" in str(error)
    assert "has changed nothing in this batch; this run has committed 2 batches before it." in str(error)
    assert any(f"x__base_5_{OWN}" in sql for sql in changing)
    assert not any("x__commit" in sql for sql in changing)


def test_a_writer_that_comes_too_late_takes_its_decision_back() -> None:
    error, changing = decide(wins=True, later=True, is_recorded=False)
    assert "have decided this batch and continued to batch 6" in str(error)
    assert changing[0] == "drop view if exists `s`.`x__commit_5`"
    assert any(f"x__base_5_{OWN}" in sql for sql in changing)


def test_a_batch_that_others_have_finished_stays() -> None:
    error, changing = decide(wins=True, later=True, is_recorded=True)
    assert "was finished by another run" in str(error)
    assert changing == []


@pytest.mark.parametrize("wins", [True, False])
def test_the_decision_is_exclusive(wins: bool) -> None:
    """Without a later decision, what x__batches says does not matter."""
    assert (decide(wins=wins, later=False, is_recorded=True)[0] is None) == wins


def test_a_record_is_read_as_it_was_written() -> None:
    record = {"reason": "it's 50% \\ of ${x} \\' \\u0024{y} \"z\" \n é", "attempt": OWN}
    macros = Macros(
        run_query=lambda sql: [("View Text", f"select {macros._literal(json.dumps(record))} as record", "")]
    )
    assert macros._read_commit(make_job(), 5) == record


def test_a_decision_of_an_older_version_is_recorded() -> None:
    """A run of that version was killed between both; the decision lacks what it did not know."""
    macros = Macros(run_query=lambda sql: [])
    job = make_job(batches=BATCHES, settings={"file_format": "delta"})
    time = "2026-01-31T00:00:00.000000Z"
    record = dict.fromkeys(macros._batches_columns(), 0) | {"batch_id": 5, "batch_at": time, "decided_at": time}
    del record["bytes_dump"], record["bytes_full"]
    for known, cells in ({}, ("null", "null")), ({"bytes_dump": 7, "bytes_full": None}, ("'7'", "null")):
        macros._record_batch(job, record | {"measured": {}, "checksums": 0} | known)
        for name, cell in zip(("bytes_dump", "bytes_full"), cells, strict=True):
            assert f"    cast({cell} as bigint) as {name},\n" in macros.queries[-1]
    # Values are inserted in the order of the names.
    inserted, selected = macros.queries[-1].split("\nselect\n")
    names = inserted.split(") (")[1].split(")")[0].split(", ")
    assert [line.rstrip(",").split(" as ")[-1] for line in selected.splitlines()] == names


@pytest.mark.parametrize("stalls", ["check", "repair", "clean"])
def test_a_writer_that_stalls_before_it_publishes_does_not_set_the_view_back(stalls: str) -> None:
    """While it stalls, another run finishes its batch and goes on, and a third one while it puts that right."""
    commits: dict[str, dict[str, Any]] = {}
    shown: list[int] = []
    changing: list[str] = []

    def decided(number: int) -> dict[str, Any]:
        return {"batch_id": number, "attempt": OWN if number == 5 else OTHER, "select": f"select {number}"}

    def goes_on(*numbers: int) -> None:
        for number in numbers:
            commits[f"x__commit_{number}"] = decided(number)
            shown.append(number)
            commits.pop(f"x__commit_{number - 1}", None)

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("create view if not exists"):
            commits["x__commit_5"] = decided(5)
        elif found := re.match(r"describe extended `s`.`(.*)`", sql):
            return [view_text(commits[found[1]])]
        elif like := re.match(r"show tables in .* like '(.*)'", sql):
            return [("s", name, False) for name in commits if re.fullmatch(like[1].replace("*", ".*"), name)]
        elif found := re.match(r"alter view `s`.`x` as select (\d+)", sql):
            number = int(found[1])
            if number == 5 and stalls != "clean":
                goes_on(6, 7)
            if number == 7:
                goes_on(*([8] if stalls == "repair" else []))
            shown.append(number)
            if number == 5 and stalls == "clean":
                goes_on(6)
        else:
            changing.append(sql)
        return []

    macros = Macros(run_query=run_query)
    job = make_job(view="_wave_view", batches=BATCHES, view_exists=True)
    placed: list[int] = []
    recorded: list[int] = []
    macros.replace(
        _step=None,
        _place=lambda job, record: placed.append(record["batch_id"]),
        _record_batch=lambda job, record: recorded.append(record["batch_id"]),
        _is_decided=False,
        _catalog_keeps_views=False,
    )
    with pytest.raises(CompilationError, match="batch 5 was finished by another run, which has continued to batch"):
        macros._commit(job, make_batch(5, attempt=OWN), decided(5), decided(4))
    assert f"x__commit_{shown[-1]}" in commits
    assert shown == {"check": [6, 7, 5, 7], "repair": [6, 7, 5, 8, 7, 8], "clean": [5, 6, 6]}[stalls]
    # A batch that this writer shows is complete, whether or not its own writer goes on.
    assert placed == recorded == {"check": [5, 7], "repair": [5, 7, 8], "clean": [5, 6]}[stalls]
    # What batch 5 no longer needs is left to those who went on.
    assert changing == []


@pytest.mark.parametrize(("later", "texts"), [([], 1), (["x__commit_6"], 0)])
def test_comments_do_not_set_the_view_back(later: list[str], texts: int) -> None:
    """Another run may decide a batch, and show it, before this one describes its own."""

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("show tables"):
            return [("s", name, False) for name in ["x__commit_5", *later]]
        return [("id", "int", None)] if sql.startswith("describe") else []

    config = SimpleNamespace(persist_relation_docs=lambda: False, persist_column_docs=lambda: True)
    model = SimpleNamespace(columns={"id": SimpleNamespace(name="id", description="who")}, description="")
    macros = Macros(run_query=run_query, config=config, model=model)
    job = make_job(settings={"file_format": "parquet"}, view="_wave_view", view_exists=True)
    record = {"batch_id": 5, "attempt": OWN, "select": "select 1 as id"}
    macros._describe_view(job, record, "`s`.`x__log`")
    altered = [sql for sql in macros.queries if sql.startswith("alter view")]
    assert altered == ["alter view `s`.`x` as select 1 as id"] * texts
    assert any("comment 'who'" in sql for sql in macros.queries) == bool(texts)


def test_an_erasure_keeps_its_partitions_when_older_merged_ones_are_dropped() -> None:
    """They have the numbers of those in whose place they are. A merge drops what batches before it have written."""
    statements: list[str] = []

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        statements.append(sql)
        names = [(1, OTHER), (1, f"{OWN}_30"), (17, OTHER), (-18, OTHER), (-17, f"{OWN}_17"), (29, OTHER), (-30, OWN)]
        return [(f"batch_id={number}/attempt={attempt}",) for number, attempt in names] if "show" in sql else []

    merge = {"batch_id": 18, "at": "2026-01-01", "partitions": [[1, OTHER], [-18, OTHER]]}
    Macros(run_query=run_query)._drop_merged(make_job(settings={"file_format": "parquet"}), "log", merge)
    assert statements[1:] == [
        "alter table `s`.`x__log` drop if exists "
        f"partition (batch_id = 17, attempt = '{OTHER}'), partition (batch_id = -17, attempt = '{OWN}_17')"
    ]

"""A log takes no new column whose name it needs, or a table that follows it; a log that has one keeps it."""

import re
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import ROOT, Macros, control_columns, make_job

MACROS = Macros()
# Macros that add columns to the rows of a log, for tables that follow it.
ADDING = [
    *(ROOT / "macros/following").glob("*.sql"),
    *(ROOT / "macros/applying").glob("*.sql"),
    ROOT / "macros/reading/_versions.sql",
    ROOT / "macros/_internal/_net_rows.sql",
]


def test_each_column_that_a_follower_adds_is_reserved() -> None:
    added = {name for file in ADDING for name in re.findall(r" as `(_\w+)`", file.read_text())}
    added |= {column["name"] for column in MACROS._version_columns()}
    assert added - control_columns().keys() <= set(MACROS._reserved_by_followers())


def test_the_page_lists_the_names() -> None:
    page = (ROOT / "docs" / "differential.md").read_text()
    rows = re.findall(r"^\| (?:the log|\[tables that follow it\]\S+) \| (.*) \|$", page, re.MULTILINE)
    of_log = [name for name in MACROS._reserved_columns() if not re.fullmatch(r"_step_\d+", name)]
    assert [re.findall(r"`(\w+)`", row) for row in rows] == [
        [*of_log, "_step_1", "_step_31"],
        MACROS._reserved_by_followers(),
    ]


def columns_after(dump: list[str], log: list[str], hidden: list[str], on_schema_change: str) -> list[str]:
    """The columns of a log after a dump; those of no log are those of a first batch."""
    settings = {"on_schema_change": on_schema_change, "compare_columns": None, "ignore_columns": None, "tolerance": {}}
    described = [{"name": name, "data_type": "int", "is_key": name == "id"} for name in dump]
    last = {
        "columns": [{"name": name, "data_type": "int", "is_key": name == "id", "in_copy": True} for name in log],
        "hidden": hidden,
        "log": "log",
    }
    macros = Macros()
    macros.replace(_columns_of=[{"name": name, "data_type": "int"} for name in log + hidden], _helper_relation="x")
    job = make_job("accounts", settings=settings, columns=described)
    found: list[dict[str, Any]] = macros._batch_columns(job, last if log else None, 2)
    return [column["name"] for column in found]


@pytest.mark.parametrize(
    ("dump", "log", "on_schema_change"),
    [
        (["id", "_copies"], [], "ignore"),
        (["id", "_Valid_From"], [], "fail"),
        (["id", "_weight"], ["id"], "append_new_columns"),
        (["id", "_weight"], ["id"], "sync_all_columns"),
    ],
)
def test_a_new_column_of_such_a_name_is_refused(dump: list[str], log: list[str], on_schema_change: str) -> None:
    with pytest.raises(CompilationError, match=r"accounts: the column '_\w+' has a name that the change log reserves"):
        columns_after(dump, log, [], on_schema_change)


@pytest.mark.parametrize(
    ("log", "hidden", "on_schema_change", "expected"),
    [
        (["id", "_copies"], [], "ignore", ["id", "_copies"]),
        (["id", "_copies"], [], "fail", ["id", "_copies"]),
        # The dumps had lost it.
        (["id"], ["_copies"], "sync_all_columns", ["id", "_copies"]),
        # It does not join the log.
        (["id"], [], "ignore", ["id"]),
    ],
)
def test_a_log_that_has_such_a_column_keeps_it(
    log: list[str], hidden: list[str], on_schema_change: str, expected: list[str]
) -> None:
    assert columns_after(["id", "_copies"], log, hidden, on_schema_change) == expected


def test_a_model_without_rows_gets_no_such_column() -> None:
    job = make_job("accounts", view_exists=False, columns=[{"name": "_copy", "data_type": "int", "is_key": False}])
    with pytest.raises(CompilationError, match="'_copy' has a name that the change log reserves"):
        Macros()._create_without_rows(job)

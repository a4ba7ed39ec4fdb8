"""The command `deltawave wave-plan`."""

import json
from typing import Any

import pytest

from deltawave import cli


def planned(capsys: pytest.CaptureFixture[str], scheme: str, *options: str) -> list[dict[str, Any]]:
    arguments = ["--scheme", scheme, "--window", "10", "--days", "13", "--json", *options]
    assert cli.main(["wave-plan", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_json_object_per_day(capsys: pytest.CaptureFixture[str]) -> None:
    days = planned(capsys, "reindex_plus_plus", "--constituents", "2")
    assert [day["day"] for day in days] == [10, 11, 12, 13]
    assert days[1] == {
        "day": 11,
        "operations": [
            {"operation": "AddToIndex", "index": "T4", "days": [11]},
            {"operation": "Rename", "source": "T4", "target": "I1"},
            {"operation": "AddToIndex", "index": "T3", "days": [11]},
        ],
        "constituents": [[2, 3, 4, 5, 11], [6, 7, 8, 9, 10]],
        "temporaries": [[], [5], [4, 5], [3, 4, 5, 11]],
    }


def test_preparation_is_spread_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    days = planned(capsys, "rata", "--constituents", "4", "--spread")
    assert [day["temporaries"] for day in days] == [[[3], [2, 3]], [[3], [6]], [[6], [5, 6]], [[6], [5, 6]]]


def test_an_empty_temporary_index_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    days = planned(capsys, "reindex_plus", "--constituents", "10")
    assert [day["temporaries"] for day in days] == [[[]]] * 4
    # Clusters of one day leave nothing to keep: the new day alone is built.
    assert days[1]["operations"] == [{"operation": "BuildIndex", "index": "I1", "days": [11]}]


def test_a_table_for_readers(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["wave-plan", "--scheme", "del", "--window", "3", "--constituents", "2", "--days", "4"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "day  operations                I1      I2   temporaries",
        "3    I1 <- BuildIndex({1, 2})  {1, 2}  {3}",
        "     AddIndex(I1)",
        "     I2 <- BuildIndex({3})",
        "     AddIndex(I2)",
        "4    DeleteFromIndex({1}, I1)  {2, 4}  {3}",
        "     AddToIndex({4}, I1)",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--scheme wata --window 7 --constituents 1 --days 9", "constituents 1: wata takes 2 to 7 (the window)."),
        ("--scheme wait --window 7 --constituents 1 --days 9", "scheme 'wait': take one of del,"),
        ("--scheme del --window 7 --constituents 2 --days 6", "days 6: the first 7 days are indexed at once"),
    ],
)
def test_what_is_wrong_is_reported(capsys: pytest.CaptureFixture[str], options: str, message: str) -> None:
    assert cli.main(["wave-plan", *options.split()]) == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert f"deltawave wave-plan: {message}" in written.err

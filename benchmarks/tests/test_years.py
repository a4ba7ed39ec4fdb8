"""The benchmark of long change logs: its data, what it measures at which batches, and its report."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import years
from years import Measured

from laboratory.plots import draw_lines

FOUND = [
    Measured(10, 1_100, 0.5, 0.5, 0.2, 0.1, 0.15, 0.1),
    Measured(20, 1_210, 0.75, 0.5, 0.3, 0.1, 0.15, 0.1),
]


def rows_of(day: int, rows: int) -> dict[int, tuple[Any, ...]]:
    return {row["id"]: tuple(row.values()) for row in years.snapshot(day, rows).to_pylist()}


@pytest.mark.parametrize("rows", [1, 2, 150, 2500])
def test_the_log_has_as_many_rows_as_the_days_differ(rows: int) -> None:
    old: dict[int, tuple[Any, ...]] = {}
    for day in range(7):
        new = rows_of(day, rows)
        assert len(new) == rows
        differing = sum(old.get(key) != new.get(key) for key in old.keys() | new.keys())
        assert years.changes(day, rows) == differing
        old = new


def test_a_day_changes_a_hundredth_of_the_rows() -> None:
    old, new = rows_of(41, 10_000), rows_of(42, 10_000)
    assert len(old.keys() - new.keys()) == len(new.keys() - old.keys()) == 10
    assert 99 <= sum(old[key] != new[key] for key in old.keys() & new.keys()) <= 101


def test_the_source_is_one_file(tmp_path: Path) -> None:
    for day in (0, 1):
        years.deliver(tmp_path, day, 20)
    (file,) = tmp_path.iterdir()
    assert pq.read_table(file).equals(years.snapshot(1, 20))


@pytest.mark.parametrize(
    ("batches", "at"), [(1000, [10, 100, 1000]), (300, [10, 100, 300]), (10, [10]), (4, [4]), (1, [1])]
)
def test_it_measures_at_the_last_batch_too(batches: int, at: list[int]) -> None:
    assert years.checkpoints(batches) == at


@pytest.mark.parametrize(("at", "width", "median"), [(10, 5, 8), (3, 5, 2.5), (2, 1, 2), (1, 5, 99)])
def test_a_median_leaves_out_the_first_batch_where_there_are_others(at: int, width: int, median: float) -> None:
    seconds = [99.0, *range(2, 11)]
    assert years.median_at(seconds, at, width) == median


def test_each_format_has_its_catalog() -> None:
    assert years.settings_of("parquet") == {}
    for name in ("delta", "iceberg"):
        settings = years.settings_of(name)
        assert name in settings["spark.sql.catalog.spark_catalog"].lower()
        assert set(map(type, settings.values())) == {str}


def test_the_report_has_ratios() -> None:
    lines = years.report(FOUND).splitlines()
    assert lines[2] == "| 10 | 1,100 | 0.50 | 0.50 | 1.00 | 0.20 | 0.10 | 2.0 | 0.15 | 0.10 | 1.5 |"
    assert lines[3] == "| 20 | 1,210 | 0.75 | 0.50 | 1.50 | 0.30 | 0.10 | 3.0 | 0.15 | 0.10 | 1.5 |"
    assert len({line.count("|") for line in lines}) == 1


def test_the_plot(tmp_path: Path) -> None:
    seconds = [9.0, *[0.5] * 12]
    chart = years.chart(seconds, FOUND, 5)
    assert chart.own_x == {"a batch": [5, 10, 13]}
    assert {name: len(curve) for name, curve in chart.curves.items()} == {
        "a batch": 3,
        "whole log": 2,
        "plain table": 2,
        "last batch": 2,
        "last batch, plain table": 2,
    }
    draw_lines(chart, tmp_path / "years.png")
    assert (tmp_path / "years.png").read_bytes().startswith(b"\x89PNG")

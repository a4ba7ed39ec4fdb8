"""The columns of a seed's file are those that dbt reads with agate."""

import datetime as dt
from collections import Counter
from collections.abc import Collection
from decimal import Decimal
from pathlib import Path
from typing import Any

import agate
import pyarrow as pa
import pytest
from dbt_common.clients.agate_helper import from_csv
from dbt_common.exceptions import DbtRuntimeError
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as drawn_from
from hypothesis import strategies as st
from seed_columns import columns, csv_text

from dbt.adapters.deltawave.impl import DeltawaveAdapter
from dbt.adapters.deltawave.seeds import Seed

ARROW = {"bigint": pa.int64(), "double": pa.float64(), "date": pa.date32(), "boolean": pa.bool_()}


def by_columns(file: Path, declared: Collection[str] = (), delimiter: str = ",") -> Seed:
    def unread() -> agate.Table:
        raise AssertionError("agate reads the whole file")

    return Seed(file, delimiter, declared, lambda table: str(DeltawaveAdapter.convert_type(table, 0)), unread)


def by_agate(file: Path, declared: Collection[str] = (), delimiter: str = ",") -> dict[str, tuple[str, list[Any]]]:
    """Type and values of each column."""
    table = from_csv(file, text_columns=dict.fromkeys(declared, "string"), delimiter=delimiter)
    types = [str(DeltawaveAdapter.convert_type(table, number)) for number in range(len(table.column_names))]
    return {name: (each, list(table.columns[name])) for name, each in zip(table.column_names, types, strict=True)}


def found(seed: Seed) -> dict[str, tuple[str, list[Any]]]:
    """Type and values of each column, cast as Spark casts them."""
    return {
        name: (each, [as_read(each, value) for value in cells.cast(ARROW.get(each, pa.string())).to_pylist()])
        for name, each, cells in zip(seed.column_names, seed.spark_types, seed.cells.columns, strict=True)
    }


def as_read(spark_type: str, value: Any) -> Any:
    return value.replace("T", " ") if spark_type == "timestamp" and value else value


def as_spark(spark_type: str, value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if spark_type == "bigint" else float(value) + 0.0
    return str(value) if isinstance(value, dt.datetime) else value


def test_any_columns(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "seed.csv"
    types: Counter[str] = Counter()

    @drawn_from(seed)
    @settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 5).flatmap(lambda rows: st.lists(columns(rows, overflows=False), min_size=8, max_size=8)))
    def check(drawn: list[list[str]]) -> None:
        names = [f"c{number}" for number in range(len(drawn))]
        file.write_text(csv_text(names, drawn), encoding="utf-8", newline="")
        expected = by_agate(file, declared=["c7"])
        read = found(by_columns(file, declared=["c7"]))
        assert read == {
            name: (each, [as_spark(each, value) for value in values]) for name, (each, values) in expected.items()
        }
        types.update(each for each, _ in read.values())

    check()
    assert set(types) == {"bigint", "double", "date", "timestamp", "boolean", "string"}


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,x\n\n2\n3,y\n", ","),
        ("a,a,,A\n1,2,3,4\n", ","),
        ("\ufeffa|b\n1|x,y\n", "|"),
        ("a,b", ","),
        ("a,b\n\n", ","),
        ('a,b\r\n"1\r\n",x\r\n', ","),
    ],
    ids=["short and blank rows", "names", "byte order mark", "no rows", "a blank row", "line ends"],
)
def test_any_form(tmp_path: Path, text: str, delimiter: str) -> None:
    file = tmp_path / "seed.csv"
    file.write_text(text, encoding="utf-8", newline="")
    read = found(by_columns(file, delimiter=delimiter))
    assert read == {
        name: (each, [as_spark(each, value) for value in values])
        for name, (each, values) in by_agate(file, delimiter=delimiter).items()
    }


def test_a_late_cell_decides(tmp_path: Path) -> None:
    """More rows than are read at a time; the type is that of the last one."""
    file = tmp_path / "seed.csv"
    rows = 25_001
    late = [["1"] * rows, ["1.0"] * rows, ["2020-01-01"] * rows, [""] * rows]
    for column, last in zip(late, ["1.5", "x", "2020-02-30", "7"], strict=True):
        column[-1] = last
    file.write_text(csv_text(["number", "text", "no_day", "single"], late))
    seed = by_columns(file)
    assert seed.spark_types == ["double", "string", "string", "bigint"]
    assert seed.row_count == rows
    assert [column[-1].as_py() for column in seed.cells.columns] == ["1.5", "x", "2020-02-30", "7"]


def test_letters_that_only_look_like_a_boolean(tmp_path: Path) -> None:
    file = tmp_path / "seed.csv"
    file.write_text("a\ntrue\nFalse\nfal\u017fe\n", encoding="utf-8")
    assert found(by_columns(file)) == {"a": ("string", ["true", "False", "fal\u017fe"])}
    assert by_agate(file)["a"][0] == "string"


@pytest.mark.parametrize("text", ["", "\ufeff"])
def test_an_empty_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "seed.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DbtRuntimeError, match=r"seed.csv is empty: the first line of a seed names its columns"):
        by_columns(file)


def test_a_macro_of_the_project_may_take_it_for_an_agate_table(tmp_path: Path) -> None:
    file = tmp_path / "seed.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    read: list[agate.Table] = []

    def by_agate_once() -> agate.Table:
        read.append(from_csv(file, text_columns=()))
        return read[-1]

    seed = Seed(file, ",", (), lambda table: str(DeltawaveAdapter.convert_type(table, 0)), by_agate_once)
    assert len(seed) == 2
    assert read == []
    assert [tuple(row) for row in seed.rows] == [(1, "x"), (2, "y")]
    assert list(seed) == list(read[0])
    assert seed[0] == read[0][0]
    assert len(read) == 1


@pytest.mark.parametrize("text", ["a,b\n1,2\n1,2,3\n", "a,b\n1,2,3\n"])
def test_too_many_cells(tmp_path: Path, text: str) -> None:
    file = tmp_path / "seed.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"Row|argument"):
        by_columns(file)

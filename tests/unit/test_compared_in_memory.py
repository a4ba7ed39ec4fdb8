"""``deltawave.compare`` of tables that are not Spark's: what it finds, without a key too."""

import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deltawave
from deltawave.comparing.columns import Options, described
from deltawave.comparing.connection import connected
from deltawave.comparing.duck_engine import DuckEngine
from deltawave.comparing.tables import CHANGED_COLUMNS, tables
from deltawave.sides import SIDES

OLD = {"id": [1, 2, 3], "name": ["ann", "bob", None], "amount": [1.0, 2.0, None]}
NEW = {"id": [1, 2, 4], "name": ["ann", "rob", None], "amount": [1.0, 2.5, None]}
KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "reader": lambda values: pa.table(values).to_reader(),
    "duckdb": lambda values: duckdb.connect().sql(_select(values)),
}


def _select(values: dict[str, Any]) -> str:
    rows = ", ".join(str(tuple(row)).replace("None", "null") for row in zip(*values.values(), strict=True))
    return f"select * from (values {rows}) as t({', '.join(values)})"


@pytest.mark.parametrize("kind", KINDS)
def test_any_table(kind: str) -> None:
    """One side is of each kind, the other of pyarrow."""
    found = deltawave.compare(KINDS[kind](OLD), pa.table(NEW), "id")
    assert (found.equal, found.changed, found.only_old, found.only_new) == (1, 1, 1, 1)
    assert {(each.column, each.old, each.new) for each in found.changes} == {
        ("name", "bob", "rob"),
        ("amount", "2.0", "2.5"),
    }


def test_what_is_no_table() -> None:
    with pytest.raises(TypeError, match=r"The new table is a builtins\.dict, which has no __arrow_c_stream__"):
        deltawave.compare(pa.table(OLD), OLD, "id")


def test_no_spark_is_imported() -> None:
    program = (
        "import sys, deltawave, pyarrow as pa; t = pa.table({'id': [1]}); "
        "print(deltawave.compare(t, t).is_equal, 'pyspark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_a_bag_of_rows() -> None:
    """Where no columns are a key, equal rows are counted, null as a value like others."""
    old = pa.table({"a": [1, 1, 1, 2, None, None], "b": ["x", "x", "x", "y", "z", None]})
    new = pa.table({"a": [1, 1, 2, 2, None, None], "b": ["x", "x", "y", "y", "z", None]})
    found = deltawave.compare(old, new)
    assert (found.key, found.key_is) == ((), "none")
    assert (found.equal, found.changed, found.only_old, found.only_new) == (5, 0, 1, 1)
    assert (found.old_samples, found.new_samples) == (({"a": "1", "b": "x"},), ({"a": "2", "b": "y"},))
    assert "no key was found, so rows are compared as a bag" in found.to_text()
    assert found.summary.startswith("The tables differ, compared without a key: 1 row only in old")
    assert deltawave.compare(old, old).is_equal
    with pytest.raises(ValueError, match="A tolerance needs a key"):
        deltawave.compare(old, new, tolerance=1)
    with pytest.raises(ValueError, match="no columns in common"):
        deltawave.compare(old, pa.table({"c": [1]}))


def test_distributions_of_changed_numbers() -> None:
    """Of numbers in texts, too; an outlier is counted in the last bin."""
    numbers = [float(number % 40) for number in range(2000)]
    old = pa.table({"id": range(2000), "x": numbers, "text": [str(number) for number in numbers], "same": numbers})
    raised = [number + 10 for number in numbers]
    raised[7] = 1e9
    new = pa.table({"id": range(2000), "x": raised, "text": [str(number) for number in raised], "same": numbers})
    found = deltawave.compare(old, new, "id")
    assert [each.column for each in found.distributions] == ["x", "text"]
    for each in found.distributions:
        assert sum(each.old_rows) == sum(each.new_rows) == 2000
        assert (each.old.least, each.old.mean, each.old.most) == (0, 19.5, 39)
        assert (each.new.least, each.new.most) == (10, 1e9)
        assert each.new_rows[-1] == 1
        assert each.furthest == 1e9


def test_the_largest_change_of_exact_numbers_is_exact() -> None:
    """Doubles would lose it."""
    large = [10**18 + 1000 * number for number in range(50)]
    cents = [Decimal(9 * 10**15 + number) / 100 for number in range(50)]
    old = pa.table({"id": range(50), "whole": large, "cents": cents, "text": list(map(str, cents))})
    raised = [number + Decimal("0.01") for number in cents]
    new = pa.table({"id": range(50), "whole": [n + 1 for n in large], "cents": raised, "text": list(map(str, raised))})
    found = {each.column: each.furthest for each in deltawave.compare(old, new, "id").distributions}
    assert found == {"whole": 1, "cents": 0.01, "text": 0.01}


def test_values_that_went_or_came() -> None:
    old = pa.table({"id": range(4), "x": [None, 1, 1, 1], "y": ["a", "b", None, "d"], "z": [1, 2, 3, 4]})
    new = pa.table({"id": range(4), "x": [1, None, None, 2], "y": ["a", "b", "c", "d"], "z": [1, 2, 3, 5]})
    found = deltawave.compare(old, new, "id")
    assert found.nulls == {"x": (2, 1), "y": (0, 1)}
    (changed,) = [each for each in tables(found) if each.title == CHANGED_COLUMNS]
    assert changed.heads == ("column", "rows", "to null", "from null", "of rows in both")
    assert changed.rows[0] == ("x", "4", "2", "1", "100.0%")


def test_distributions_are_of_rows_that_differ() -> None:
    """Among all rows, the few that differ would not be seen."""
    old = pa.table({"id": range(1000), "x": [1.0] * 1000})
    new = pa.table({"id": range(1, 1001), "x": [1.0] * 997 + [5.0, 6.0, 7.0]})
    (found,) = deltawave.compare(old, new, "id").distributions
    assert (sum(found.old_rows), sum(found.new_rows)) == (3, 3)
    assert (found.old.most, found.new.least) == (1.0, 5.0)


@pytest.mark.parametrize("options", [{}, {"tolerance": 0.5}, {"ignore_case": "kind"}, {"ignore_columns": ["kind"]}])
def test_how_often_all_rows_have_a_value(options: dict[str, Any]) -> None:
    """Of the new table, too, also where values of equal rows differ."""
    old = [{"id": number, "kind": "abc"[number % 3], "size": number % 2} for number in range(300)]
    new = [{**each, "kind": "d" if each["id"] < 40 else each["kind"].upper()} for each in old if each["id"] % 50]
    new += [{"id": number, "kind": "e", "size": 2} for number in range(1000, 1030)]
    found = deltawave.compare(pa.Table.from_pylist(old), pa.Table.from_pylist(new), "id", **options)
    seen = {(each.column, each.value): each for each in found.concentrations if each.kind == "only_new"}
    assert {column for column, _ in seen} == {"kind", "size"}
    for (column, value), each in seen.items():
        assert each.all_rows == sum(str(row[column]) == value for row in new)


KEYS = st.lists(st.sampled_from([None, 1, 2, 3, 4, 5]), max_size=6)


@given(KEYS, KEYS, st.booleans())
@settings(max_examples=60, deadline=None)
def test_repeated_keys_are_noticed_however_they_match(old: list[Any], new: list[Any], has_measures: bool) -> None:
    """By what DuckDB measures of the join, and without it."""
    tables = {
        side: pa.table({"id": pa.array(keys, pa.int64()), "v": pa.array([1] * len(keys), pa.int64())})
        for side, keys in (("old", old), ("new", new))
    }
    repeated = [side for side, keys in (("old", old), ("new", new)) if len(set(keys)) < len(keys)]
    with pytest.MonkeyPatch.context() as patch:
        if not has_measures:
            patch.setattr(duckdb.DuckDBPyConnection, "get_profiling_information", lambda _: "{}", raising=False)
        if repeated:
            with pytest.raises(ValueError, match=f"of the {repeated[0]} table occur in several rows") as error:
                deltawave.compare(tables["old"], tables["new"], "id")
            assert all(f"of the {side} table" in str(error.value) for side in repeated)
        else:
            found = deltawave.compare(tables["old"], tables["new"], "id")
            counts = (found.old_rows, found.new_rows, found.equal, found.only_old, found.only_new)
            both = len({*old} & {*new})
            assert counts == (len(old), len(new), both, len(old) - both, len(new) - both)


def test_a_key_of_every_type_and_renamed_columns() -> None:
    old = pa.table({"id": [1.5, float("nan"), -0.0], "part": [[1], None, []], "was": ["a", "b", "c"]})
    new = pa.table({"id": [0.0, 1.5, float("nan")], "part": [[], [1], None], "name": ["c", "a", "B"]})
    found = deltawave.compare(old, new, ["id", "part"], rename={"was": "name"}, ignore_case="name")
    assert found.is_equal
    assert found.columns == {"name": 0}


def test_duckdb_says_how_many_rows_a_join_gave() -> None:
    """Otherwise keys are counted once more."""
    with connected() as connection:
        engine = DuckEngine(connection)
        for first, side in enumerate(SIDES):
            engine.load(side, f"select i as id, i % 7 as v from range({first}, {first + 5000}) as t(i)")
        columns = described(engine.fields, Options("id"))
        engine.pair(columns)
        assert engine._joined == (5001, 10000)
        assert engine.counted(columns) == {"old": (5000, 0), "new": (5000, 0)}


def test_columns_of_one_value_and_nulls_are_no_categories() -> None:
    """However many there are, they hide no other column; null is not among the 100 values of a category."""
    rows = [
        {"id": number, "c": number % 101 or None, "v": number % 101 == 7}
        | {f"none{each}": None if number % 2 else "x" for each in range(25)}
        for number in range(3030)
    ]
    changed = [{**row, "v": False} for row in rows]
    tables = [pa.Table.from_pylist(each) for each in (rows, changed)]
    found = deltawave.compare(*tables, "id").concentrations
    assert [(each.column, each.value, each.rows) for each in found] == [("c", "7", 30), ("v", "true", 30)]

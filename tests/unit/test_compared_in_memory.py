"""``deltawave.compare`` of tables that are not Spark's: what it finds, without a key too."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deltawave

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


def test_a_key_of_every_type_and_renamed_columns() -> None:
    old = pa.table({"id": [1.5, float("nan"), -0.0], "part": [[1], None, []], "was": ["a", "b", "c"]})
    new = pa.table({"id": [0.0, 1.5, float("nan")], "part": [[], [1], None], "name": ["c", "a", "B"]})
    found = deltawave.compare(old, new, ["id", "part"], rename={"was": "name"}, ignore_case="name")
    assert found.is_equal
    assert found.columns == {"name": 0}

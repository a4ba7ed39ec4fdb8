"""Literals, names and comparisons, run by Spark."""

import pytest
from generated import collect
from hypothesis import strategies as st
from pairs import DIFFERENT, EQUAL, as_row, those

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
AWKWARD = [
    "'",
    "''",
    "\\",
    "\\'",
    "\\n",
    "\n",
    "\r\n",
    "%",
    "\\%",
    "\\u0041",
    "${spark.app.name}",
    "--",
    "/*",
    "\0",
    "😀",
]


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_literal_is_the_text_that_it_was_made_of(spark, deltawave, setting, ansi):
    texts = AWKWARD + collect(TEXT, 200)
    with setting("spark.sql.ansi.enabled", ansi):
        [row] = spark.sql(f"select array({', '.join(map(deltawave._literal, texts))})").collect()
    assert row[0] == texts


def test_a_quoted_name_is_the_name_that_it_was_made_of(spark, deltawave):
    names = [name for name in AWKWARD + collect(TEXT, 200) if name and "${" not in name]
    frame = spark.sql("select " + ", ".join(f"1 as {deltawave._quoted(name)}" for name in names))
    assert frame.columns == names


def found_equal(spark, deltawave, pairs):
    """The pairs that the macro's comparison finds equal."""
    types = {column["name"]: column["data_type"] for column in deltawave._columns_of_query(as_row(pairs))}
    values = {name: deltawave._comparable(name, data_type) for name, data_type in types.items()}
    return those(spark, pairs, lambda left, right: f"{values[left]} <=> {values[right]}")


def test_equal_values_compare_as_equal(spark, deltawave):
    assert found_equal(spark, deltawave, EQUAL) == EQUAL


def test_different_values_compare_as_different(spark, deltawave):
    assert found_equal(spark, deltawave, DIFFERENT) == []


def test_a_wide_struct_is_described_whole(deltawave, view):
    fields = ", ".join(f"'f{n}', {n}" for n in range(40))
    wide = f"select 1 as id, named_struct({fields}) as `a wide one` -- forty fields"
    described = "struct<" + ",".join(f"f{n}:int" for n in range(40)) + ">"
    expected = [("id", "int"), ("a wide one", described)]
    for columns in (deltawave._columns_of_query(wide), deltawave._columns_of(view("wide_rows", wide))):
        assert [(column["name"], column["data_type"]) for column in columns] == expected


def test_describing_runs_nothing(deltawave):
    fields = ", ".join(f"'f{n}', n" for n in range(40))
    failing = f"select named_struct({fields}) as s, raise_error('run') as e from range(3) as t(n)"
    assert [column["name"] for column in deltawave._columns_of_query(failing)] == ["s", "e"]


@pytest.mark.parametrize("duplicate_keys", ["fail", "multiset"])
@pytest.mark.parametrize("spelling", [str.lower, str.upper])
def test_no_column_takes_a_name_that_a_comparison_needs(spark, deltawave, view, duplicate_keys, spelling):
    names = ["id", *map(spelling, ["is_present", "is_present_", "_place", "_copy"])]
    old, new = (
        view(side, f"select * from values (1, 1, 1, 1, 1), (2, {value}, 1, 1, 1) as side({', '.join(names)})")
        for side, value in (("old", 1), ("new", 2))
    )
    [change] = spark.sql(deltawave.diff(old, new, "id", duplicate_keys=duplicate_keys)).collect()
    assert [change[name] for name in names] == [2, 2, 1, 1, 1]
    assert change._changed_columns == names[1:2]

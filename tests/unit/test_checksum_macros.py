"""`row_checksum` as SQL text."""

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation

ORDERS = Relation("shop.orders")
macros = Macros(tables={"shop.orders": [("id", "int"), ("Note", "string"), ("tags", "array<string>")]})


def described(**types: str) -> list[dict[str, str]]:
    return [{"name": name, "data_type": data_type} for name, data_type in types.items()]


def test_names_take_their_types_from_the_relation():
    by_name = macros.row_checksum(["id", "note"], relation=ORDERS)
    assert by_name == macros.row_checksum(described(id="int", Note="string"))


@pytest.mark.parametrize("bits", [0, 63, "64", None])
def test_other_bits_are_refused(bits):
    with pytest.raises(CompilationError, match=rf"row_checksum: 'bits' can't be {bits!r}; it takes 64, 128"):
        macros.row_checksum(["id"], bits=bits, relation=ORDERS)


def test_no_columns_are_refused():
    with pytest.raises(CompilationError, match="row_checksum: 'columns' is required"):
        macros.row_checksum([])


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(CompilationError, match=r"shop\.orders has no column 'paid'\. It has: id, Note, tags"):
        macros.row_checksum(["id", "paid"], relation=ORDERS)


def test_it_renders_while_dbt_parses():
    assert "`id`" in Macros(execute=False).row_checksum(["id"], relation=ORDERS)

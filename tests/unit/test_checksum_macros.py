"""`row_checksum` as SQL text."""

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation

ORDERS = Relation("shop.orders")
macros = Macros(tables={"shop.orders": [("id", "int"), ("Note", "string"), ("tags", "array<string>")]})


def described(**types: str) -> list[dict[str, str]]:
    return [{"name": name, "data_type": data_type} for name, data_type in types.items()]


def test_values_and_nulls_are_hashed_in_one_pass():
    assert macros.row_checksum(described(id="int", note="string")) == (
        "xxhash64(`id`, `note`, if(isnull(`id`), 1L, 0L) | if(isnull(`note`), 2L, 0L))"
    )


def test_names_take_their_types_from_the_relation():
    by_name = macros.row_checksum(["id", "note"], relation=ORDERS)
    assert by_name == macros.row_checksum(described(id="int", Note="string"))


def test_a_struct_is_hashed_field_by_field():
    assert macros.row_checksum(described(s="struct<a b:int>")) == (
        "xxhash64(`s`.`a b`, if(isnull(`s`), 1L, 0L) | if(isnull(`s`.`a b`), 2L, 0L))"
    )


def test_an_array_brings_its_size():
    assert macros.row_checksum(["tags"], relation=ORDERS) == (
        "xxhash64(array_size(`tags`), "
        "transform(`tags`, element -> xxhash64(element, if(isnull(element), 1L, 0L))), "
        "if(isnull(`tags`), 1L, 0L))"
    )


def test_a_map_is_hashed_in_no_order():
    sql = macros.row_checksum(described(m="map<string,int>"))
    assert "sort_array(transform(map_entries(`m`), entry -> xxhash64(entry.key, entry.value, " in sql


def test_bits_of_nulls_spill_into_a_second_number():
    sql = macros.row_checksum(described(**{f"c{n}": "int" for n in range(64)}))
    assert f"if(isnull(`c62`), {2**62}L, 0L), if(isnull(`c63`), 1L, 0L))" in sql


def test_both_lanes_of_128_bits_differ_at_every_level():
    sql = macros.row_checksum(["tags"], bits=128, relation=ORDERS)
    assert sql.count("xxhash64(1, ") == 2
    assert sql.count("xxhash64(") == 4


@pytest.mark.parametrize("bits", [0, 63, "64", None])
def test_other_bits_are_refused(bits):
    with pytest.raises(CompilationError, match=rf"row_checksum: 'bits' can't be {bits!r}; it takes 64 or 128"):
        macros.row_checksum(["id"], bits=bits, relation=ORDERS)


def test_no_columns_are_refused():
    with pytest.raises(CompilationError, match="row_checksum: 'columns' is required"):
        macros.row_checksum([])


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(CompilationError, match=r"shop\.orders has no column 'paid'\. It has: id, Note, tags"):
        macros.row_checksum(["id", "paid"], relation=ORDERS)


def test_a_name_without_a_type_is_refused():
    with pytest.raises(CompilationError, match="the type of column 'id' is not known"):
        macros.row_checksum(["id"])


def test_it_renders_while_dbt_parses():
    assert "`id`" in Macros(execute=False).row_checksum(["id"], relation=ORDERS)

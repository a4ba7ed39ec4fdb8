"""Names, literals and data types: the helpers that every macro writes SQL with."""

from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation

macros = Macros()


def atomic(name: str) -> dict[str, Any]:
    return {"kind": "atomic", "name": name}


def struct(**fields: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "struct", "fields": [{"name": name, "type": type} for name, type in fields.items()]}


def array(element: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "array", "element": element}


def map_of(key: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "map", "key": key, "value": value}


@pytest.mark.parametrize(("given", "keys"), [("id", ["id"]), (["a", "b"], ["a", "b"]), (("a",), ["a"])])
def test_a_key_is_a_name_or_a_list(given, keys):
    assert macros._key_list(given, "diff") == keys


@pytest.mark.parametrize("nothing", ["", [], None])
def test_a_missing_key_is_asked_for(nothing):
    with pytest.raises(CompilationError, match="diff: 'unique_key' is required"):
        macros._key_list(nothing, "diff")


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("int", atomic("int")),
        ("  DECIMAL(10, 2) ", atomic("decimal(10, 2)")),
        ("timestamp_ntz", atomic("timestamp_ntz")),
        ("interval day to second", atomic("interval day to second")),
        ("string collate UNICODE_CI", atomic("string collate unicode_ci")),
        ("array<int>", array(atomic("int"))),
        ("array<array<decimal(10,2)>>", array(array(atomic("decimal(10,2)")))),
        ("map<string,array<int>>", map_of(atomic("string"), array(atomic("int")))),
        ("map<decimal(4,1), struct<a:int>>", map_of(atomic("decimal(4,1)"), struct(a=atomic("int")))),
        ("struct<>", struct()),
        ("struct<a:int>", struct(a=atomic("int"))),
        ("struct<a:struct<b:map<int,int>>,c:date>", struct(
            a=struct(b=map_of(atomic("int"), atomic("int"))), c=atomic("date"),
        )),
        ("struct<a struct<b:int> NOT NULL, c:int>", struct(a=struct(b=atomic("int")), c=atomic("int"))),
    ],
)  # fmt: skip
def test_a_type_is_read(text, parsed):
    assert macros._parse_type(text) == parsed


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        # As describe and typeof write them: names are never quoted, whatever they contain.
        ("struct<b c:int,d-e:string>", {"b c": "int", "d-e": "string"}),
        ("struct<x:y:int,z:date>", {"x:y": "int", "z": "date"}),
        ("struct<a,b:int,c<d:bigint,e>f:int>", {"a,b": "int", "c<d": "bigint", "e>f": "int"}),
        ("struct<a`b:int>", {"a`b": "int"}),
        ("struct<int:string,string:int>", {"int": "string", "string": "int"}),
        ("struct<first date:date,date int:int>", {"first date": "date", "date int": "int"}),
        ("struct<when:interval day to second,p:decimal(5,2)>", {"when": "interval day to second", "p": "decimal(5,2)"}),
        ("struct<naïve:string collate UTF8_LCASE,é:int>", {"naïve": "string collate utf8_lcase", "é": "int"}),
        # As people write them in a yml.
        ("struct<`b c`: int, `q``:r` string>", {"b c": "int", "q`:r": "string"}),
        ("STRUCT<a INT NOT NULL, b: DECIMAL(5, 2)>", {"a": "int", "b": "decimal(5, 2)"}),
        ("struct<a : int , b:int>", {"a": "int", "b": "int"}),
    ],
)
def test_a_field_has_any_name(text, fields):
    assert macros._parse_type(text) == struct(**{name: atomic(type) for name, type in fields.items()})


@pytest.mark.parametrize(
    "text", ["", "array<int", "array<>", "array<int,int>", "map<int>", "struct<a:int>>", "struct<a>", "int,int"]
)
def test_an_unreadable_type_is_refused(text):
    with pytest.raises(CompilationError, match="is not a data type that deltawave can read"):
        macros._parse_type(text)


def test_the_parts_of_a_type_are_no_names_of_fields():
    def parts(data_type):
        return macros._type_parts(macros._parse_type(data_type))

    of_struct = ["struct", "int", "array", "map", "string", "variant"]
    assert parts("struct<void:int,a:array<map<string,variant>>>") == of_struct
    assert parts("interval day to second") == ["interval day to second"]


@pytest.mark.parametrize(
    ("sql", "indented"),
    [
        ("a\nb", "a\n    b"),
        ("a\n`b`\n`c`", "a\n    `b`\n    `c`"),
        ("a\n`b\nc`", "a\n`b\nc`"),
        ("a\n'b\\'\n'", "a\n'b\\'\n'"),
        ('a\n"b\n"', 'a\n"b\n"'),
        ('a\n"it\'s"', 'a\n    "it\'s"'),
    ],
)
def test_names_and_literals_over_lines_are_not_indented(sql, indented):
    assert macros._indented(sql) == indented


def test_columns_of_a_relation_keep_order_and_spelling():
    catalog = Macros(tables={"shop.orders": [("Id", "int"), ("note", "string")]})
    assert catalog._columns_of(Relation("shop.orders")) == [
        {"name": "Id", "data_type": "int", "comment": None},
        {"name": "note", "data_type": "string", "comment": None},
    ]


def test_columns_of_a_query_are_described():
    macros = Macros(run_query=lambda sql: [("Id", "int", None), ("2020", "string", None)])
    assert macros._columns_of_query("select 1") == [
        {"name": "Id", "data_type": "int", "comment": None},
        {"name": "2020", "data_type": "string", "comment": None},
    ]
    assert macros.queries == ["describe query select 1"]


def test_nothing_is_asked_while_dbt_parses():
    assert Macros(execute=False)._columns_of_query("select 1") == []
    assert Macros(execute=False)._columns_of(Relation("shop.orders")) == []


def in_project(*nodes: dict[str, Any]) -> Macros:
    """Macros in a project with these nodes, in the package shop unless they name one, and the source legacy.orders."""
    every = ({"resource_type": "model", "package_name": "shop", **node} for node in nodes)
    source = {"source_name": "legacy", "name": "orders", "resource_type": "source"}
    graph = SimpleNamespace(nodes=dict(enumerate(every)), sources={"orders": source})
    return Macros(graph=graph)


VERSIONS = [{"name": "accounts", "version": version, "latest_version": 2} for version in (1, 2, 3)]


@pytest.mark.parametrize(
    ("name", "version"),
    [("accounts", 2), ("shop.accounts", 2), ("accounts.v1", 1), ("shop.accounts.v3", 3), ("accounts.v4", None)],
)
def test_the_version_that_a_name_stands_for(name, version):
    found = in_project(*VERSIONS)._find_node("compare", name)
    assert (found and found["version"]) == version


@pytest.mark.parametrize("name", ["accounts", "accounts.v1"])
def test_a_name_that_two_packages_have_is_refused(name):
    others = [{**version, "package_name": "other"} for version in VERSIONS]
    names = f"shop.{name}, other.{name}"
    with pytest.raises(CompilationError, match=f"compare: several packages have '{name}'. Take one of {names}."):
        in_project(*VERSIONS, *others)._find_node("compare", name)
    assert in_project(*VERSIONS, *others)._find_node("compare", f"other.{name}")["package_name"] == "other"


def test_a_source_comes_before_a_package():
    """A package often has the name of its source: the model has its own name as well."""
    macros = in_project({"name": "orders", "package_name": "legacy"})
    assert macros._find_node("compare", "legacy.orders")["resource_type"] == "source"
    assert macros._find_node("compare", "orders")["resource_type"] == "model"
    assert macros._find_node("report", "legacy.orders", ["model"])["resource_type"] == "model"

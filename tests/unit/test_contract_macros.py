"""The contract of a change log: what is checked, what an error names, and the yml that is printed."""

import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, make_batch, make_job

VIEW = [
    ("account_id", "bigint"),
    ("full name", "string"),
    ("amount", "decimal(9,2)"),
    ("_change_type", "string"),
    ("_changed_columns", "array<string>"),
    ("_before", "struct<full name:string,amount:decimal(9,2)>"),
    ("_batch_id", "bigint"),
    ("_batch_at", "timestamp"),
]
# As Spark's `describe` prints a type, quoted as statements take it.
BEFORE = "struct<`full name`:string,amount:decimal(9,2)>"
CONTRACT = dict(VIEW) | {"_before": BEFORE}
# Other spellings of types.
SPARK = {"decimal(9, 2)": "decimal(9,2)", "integer": "int", BEFORE: dict(VIEW)["_before"]}


def differences(contract: dict[str, str | None], *, invalid: Sequence[str] = ()) -> list[str]:
    """The lines of the error about a contract, {column: type}; Spark can't read the types that are invalid."""

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if sql.endswith(" as log"):
            return [(*column, None) for column in VIEW]
        listed = re.findall(r"cast\(null as (.*?)\) as `(.*?)`", sql)
        assert not {data_type for data_type, _ in listed} & set(invalid)
        return [(name, SPARK.get(data_type, data_type), None) for data_type, name in listed]

    columns = {name: {"name": name} | ({"data_type": given} if given else {}) for name, given in contract.items()}
    macros = Macros(run_query=run_query, model={"columns": columns})
    macros.adapter.runs_python = lambda: True
    macros.adapter.invalid_types = lambda types: [each for each in types if each in invalid]
    macros.replace(_discard=None)
    logged = [{"name": name, "data_type": data_type, "is_key": name == "account_id"} for name, data_type in VIEW[:3]]
    try:
        macros._check_contract(make_job(settings={"before_image": "auto"}), make_batch(columns=logged))
    except CompilationError as error:
        _, first, *lines, last = str(error).splitlines()
        assert first.endswith("x, batch 2: the contract in its yml differs from the columns of the view:")
        assert "Nothing was changed." in last
        assert "dbt run-operation deltawave.contract --args '{model: x}'" in last
        return [line.strip() for line in lines]
    return []


def test_a_contract_that_fits() -> None:
    assert differences(CONTRACT) == []
    assert differences(dict(reversed(CONTRACT.items())) | {"amount": "decimal(9, 2)"}) == []


def test_each_column_that_differs_is_named() -> None:
    wrong = {name: data_type for name, data_type in CONTRACT.items() if name != "amount"}
    wrong |= {"age": "integer", "note": None, "_before": "struct<`full name`:string>", "_batch_at": None}
    assert differences(wrong) == [
        "missing: amount, in the view decimal(9,2)",
        "unexpected: age, in the yml int",
        "unexpected: note",
        f"other type: _before, in the view {BEFORE}, in the yml struct<`full name`:string>",
        "other type: _batch_at, in the view timestamp, in the yml none",
    ]


def test_a_type_that_is_none_is_named_with_its_column() -> None:
    wrong = CONTRACT | {"amount": "decimal(9", "age": "strng"}
    assert differences(wrong, invalid=["decimal(9", "strng"]) == [
        "invalid type: amount, in the yml decimal(9",
        "invalid type: age, in the yml strng",
        "unexpected: age",
    ]


def test_a_contract_without_columns_lacks_all() -> None:
    assert differences({}) == [f"missing: {name}, in the view {data_type}" for name, data_type in CONTRACT.items()]


def test_names_are_spelt_alike() -> None:
    spelt = {"Account_ID" if name == "account_id" else name: data_type for name, data_type in CONTRACT.items()}
    assert differences(spelt) == [
        "missing: account_id, in the view bigint",
        "unexpected: Account_ID, in the yml bigint",
    ]


def printed(view: list[tuple[str, str]], text: str = '/* deltawave {"batch_id": 0} */') -> str:
    """What the operation prints of a view with these columns."""

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("show"):
            return [("shop", "log", False)]
        return [("View Text", text, None), ("Type", "VIEW", None)]

    node = {"resource_type": "model", "package_name": "shop", "name": "log"}
    node["config"] = {"materialized": "differential", "unique_key": "id"}
    macros = Macros(
        tables={"`shop`.`log`": view},
        run_query=run_query,
        graph=SimpleNamespace(nodes={"log": node}),
        ref=lambda package, name, v: Relation(f"`{package}`.`{name}`"),
        invocation_id="0",
        toyaml=lambda value: yaml.safe_dump(value, sort_keys=False),
    )
    macros.contract("log")
    (found,) = macros.printed
    return found


def test_the_yml_is_ready_to_paste() -> None:
    assert printed([VIEW[0], VIEW[1], VIEW[5]]).splitlines() == [
        "models:",
        "  - name: log",
        "    config:",
        "      contract: {enforced: true}",
        "    columns:",
        "      - name: account_id",
        "        data_type: bigint",
        "      - name: full name",
        "        data_type: string",
        "        quote: true",
        "      - name: _before",
        f"        data_type: {BEFORE}",
    ]


def test_every_name_and_type_is_read_as_it_is() -> None:
    long = ",".join(f"a long name {number}:int" for number in range(20))
    names = ("no", "1", "a: b", "it's", "größe")
    columns = [*((name, "int") for name in names), ("x", f"struct<{long}>")]
    (model,) = yaml.safe_load(printed(columns))["models"]
    assert model["config"] == {"contract": {"enforced": True}}
    assert [(each["name"], each.get("quote", False)) for each in model["columns"]] == [
        (name, name not in ("no", "x")) for name, _ in columns
    ]
    assert model["columns"][-1]["data_type"] == "struct<" + ",".join(f"`a long name {n}`:int" for n in range(20)) + ">"


def test_a_relation_that_is_not_ours_is_refused() -> None:
    with pytest.raises(CompilationError, match="exists, but deltawave did not create it"):
        printed(VIEW, text="select 42 as answer")

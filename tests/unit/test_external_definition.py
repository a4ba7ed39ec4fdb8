"""What an external block may hold, which table it makes, and which sources `select` names."""

from types import SimpleNamespace

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros

COLUMNS = {"id": "int", "name": "string"}


class Name(str):
    """A relation that stays as it is when it is quoted."""

    def quote(self, **_):
        return self


def source(name="legacy.accounts", columns=COLUMNS, **external):
    external = {"location": "dumps", "file_format": "csv", "row_format": None, **external}
    source_name, table = name.split(".")
    return SimpleNamespace(
        unique_id=f"source.shop.{name}",
        source_name=source_name,
        name=table,
        schema="dev",
        identifier=table,
        external=external,
        columns={key: SimpleNamespace(name=key, data_type=value) for key, value in columns.items()},
    )


def macros(*sources):
    relation = SimpleNamespace(create=lambda schema, identifier: Name(f"`{schema}`.`{identifier}`"))
    return Macros(
        graph=SimpleNamespace(sources={node.unique_id: node for node in sources}),
        adapter=SimpleNamespace(config=SimpleNamespace(project_root="/home/ann/shop")),
        api=SimpleNamespace(Relation=relation),
        local_md5=lambda text: f"md5 of {text}",
    )


def definition(**given):
    return macros()._external_definition(source(**given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"columns": {}}, "source legacy.accounts: no columns are listed"),
        ({"columns": {"id": "int", "name": None}}, "the column 'name' has no data_type"),
        ({"file_format": "xls"}, "'external.file_format' can't be 'xls'; it takes csv, json"),
        ({"file_format": None}, "'external.file_format' can't be None"),
        ({"options": "header"}, "'external.options' can't be 'header'"),
        ({"delimiter": ";"}, "'external' has no option 'delimiter'; known are location"),
        ({"row_format": "serde"}, "'external' has no option 'row_format'"),
        ({"partitions": ["day"]}, "the column 'day' has no data_type"),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    with pytest.raises(CompilationError, match=message.replace("(", r"\(")):
        definition(**given)


@pytest.mark.parametrize(
    ("location", "absolute"),
    [
        ("dumps/accounts", "/home/ann/shop/dumps/accounts"),
        (".data/accounts", "/home/ann/shop/.data/accounts"),
        ("/mnt/dumps", "/mnt/dumps"),
        ("s3a://lake/dumps", "s3a://lake/dumps"),
        ("file:/mnt/dumps", "file:/mnt/dumps"),
        ("dbfs:/dumps", "dbfs:/dumps"),
    ],
)
def test_relative_locations_start_at_the_project(location, absolute):
    assert definition(location=location)["location"] == absolute


def test_partition_is_no_column_twice():
    columns = {**COLUMNS, "Day": "date"}
    for partitions in (["Day"], ["day"], [{"name": "day", "data_type": "date"}]):
        made = definition(columns=columns, partitions=partitions)
        assert [column["name"] for column in made["columns"]] == ["id", "name"]
        assert [column["data_type"] for column in made["partitions"]] == ["date"]


def test_statement_quotes_names_and_escapes_options():
    sql = macros()._external_table_sql(
        definition(
            columns={"it's": "string", "`a`": "decimal(9,2)"},
            options={
                "header": True,
                "escape": '"',
                "quote": "'",
                "nullValue": "\\N",
                "maxColumns": 9,
            },
            partitions=[{"name": "the day", "data_type": "date"}],
        )
    )
    lines = [line.strip().removesuffix(",") for line in sql.splitlines()]
    assert lines[0] == "create table if not exists `dev`.`accounts` ("
    assert lines[1:4] == ["`it's` string", "```a``` decimal(9,2)", "`the day` date"]
    assert lines[5:7] == ["using csv", "options ("]
    assert "'header' 'true'" in lines
    assert "'escape' '\"'" in lines
    assert r"'quote' '\''" in lines
    assert r"'nullValue' '\\N'" in lines
    assert "'maxColumns' '9'" in lines
    assert "partitioned by (`the day`)" in lines
    assert "location '/home/ann/shop/dumps'" in lines


@pytest.mark.parametrize(
    "changed",
    [
        {"location": "elsewhere"},
        {"file_format": "json"},
        {"options": {"header": True}},
        {"columns": {"id": "bigint", "name": "string"}},
        {"columns": {"name": "string", "id": "int"}},
        {"partitions": [{"name": "day", "data_type": "date"}]},
    ],
)
def test_every_part_of_the_definition_is_in_its_fingerprint(changed):
    assert definition(**changed)["fingerprint"] != definition()["fingerprint"]


def test_select():
    accounts, orders, events = source("crm.accounts"), source("crm.orders"), source("web.events")
    internal = source("web.visits", location=None)
    internal.external = None
    chosen = macros(events, orders, accounts, internal)._external_sources
    assert chosen(None) == [accounts, orders, events]
    assert chosen("crm") == [accounts, orders]
    assert chosen(["web.events", "crm.orders", "web"]) == [orders, events]
    for unknown in ("crm.events", "web.visits"):
        with pytest.raises(CompilationError, match=f"is called '{unknown}'; known are: crm.accounts"):
            chosen(unknown)

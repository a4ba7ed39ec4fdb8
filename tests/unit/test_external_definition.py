"""What an external block may hold, which table it makes, and which sources `select` and a model's parents name."""

from types import SimpleNamespace

import pytest
from bad_input import refused
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation

COLUMNS = {"id": "int", "name": "string"}


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


def macros(*sources, nodes=None, **context):
    return Macros(
        graph=SimpleNamespace(sources={node.unique_id: node for node in sources}, nodes=nodes or {}),
        adapter=SimpleNamespace(config=SimpleNamespace(project_root="/home/ann/shop")),
        local_md5=lambda text: f"md5 of {text}",
        **context,
    )


def definition(**given):
    return macros()._external_definition(source(**given))


BAD_BLOCKS = {
    "no columns": {"columns": {}},
    "a column without a type": {"columns": {"id": "int", "name": None}},
    "a partition without a type": {"partitions": ["day"]},
    "no location": {"location": None},
    "an unknown format": {"file_format": "xls"},
    "two formats": {"using": "json"},
    "options that are no mapping": {"options": "header"},
    "an unknown field": {"delimiter": ";"},
    "checksums in another folder": {"checksums": "sums/*.sha256"},
    "checksums that would be rows": {"checksums": "*.sha256"},
    "checksums of dated folders that would be rows": {
        "file_format": "parquet",
        "partitions": [{"name": "day", "data_type": "date"}],
        "checksums": "*.sha256",
        "options": {"pathGlobFilter": "*.parquet"},
    },
    "an unknown field of a partition": {"partitions": [{"name": "day", "data_type": "date", "path": "day"}]},
}


@pytest.mark.parametrize("kind", BAD_BLOCKS)
def test_what_cannot_be_is_refused(kind):
    with refused("External sources", kind):
        definition(**BAD_BLOCKS[kind])


@pytest.mark.parametrize("given", [{"row_format": "serde"}, {"tbl_properties": "('a' = 'b')"}, {"file_format": None}])
def test_what_dbt_knows_and_no_table_takes_is_refused(given):
    with pytest.raises(CompilationError, match=r"source legacy\.accounts: 'external"):
        definition(**given)


def test_spelling_of_dbt_external_tables():
    partitions = [{"name": "day", "data_type": "date", "description": "", "meta": {}}]
    given = {"options": {"header": "true", "sep": "|"}, "partitions": partitions}
    ours = definition(file_format="csv", **given)
    assert definition(file_format=None, using="csv", **given) == ours
    assert definition(file_format="csv", using="CSV", **given) == ours
    assert ours["partitions"] == [{"name": "day", "data_type": "date"}]


ALWAYS = {"ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}
SAFE_CSV = {**ALWAYS, "mode": "FAILFAST", "header": "true", "enforceSchema": "false", "columnPruning": "false"}


@pytest.mark.parametrize(
    ("file_format", "options"), [("csv", SAFE_CSV), ("json", {**ALWAYS, "mode": "FAILFAST"}), ("parquet", ALWAYS)]
)
def test_options_that_are_not_given_are_safe(file_format, options):
    assert definition(file_format=file_format)["options"] == options


def test_given_options_go_first_whatever_their_case():
    options = definition(options={"MODE": "permissive", "header": False, "sep": "|"})["options"]
    assert options["MODE"] == "permissive"
    assert options["header"] is False
    assert "mode" not in options
    assert options["enforceSchema"] == "false"


def warnings(file_format="csv", **options):
    chosen = macros()
    chosen._warn_of_unsafe_options("legacy.accounts", file_format, chosen._with_safe_options(file_format, options))
    return chosen.warnings


def test_safe_options_raise_no_warning():
    assert warnings() == warnings("json") == warnings("parquet") == []
    assert warnings(header="true", ENFORCESCHEMA=False, Mode="failfast", columnpruning="FALSE") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "PERMISSIVE"}, "mode is not FAILFAST: a row that can't be read becomes nulls, or is left out"),
        ({"header": False}, "header is not true: columns are taken by their position, whatever a header says"),
        ({"enforceschema": True}, "enforceSchema is not false: columns are taken by their position"),
        ({"columnPruning": True}, "columnPruning is not false: a cut row or another header is not seen"),
        ({"ignoreCorruptFiles": True}, "ignoreCorruptFiles is not false: a file that can't be read is left out"),
    ],
)
def test_other_options_are_warned_of(options, message):
    (warning,) = warnings(**options)
    assert warning.startswith("source legacy.accounts: a damaged or different file may be read without an error: ")
    assert message in warning


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


@pytest.mark.parametrize(
    "changed",
    [
        {"location": "elsewhere"},
        {"file_format": "json"},
        {"options": {"sep": "|"}},
        {"columns": {"id": "bigint", "name": "string"}},
        {"columns": {"name": "string", "id": "int"}},
        {"partitions": [{"name": "day", "data_type": "date"}]},
        {"checksums": "_SHA256SUMS"},
    ],
)
def test_every_part_of_the_definition_is_in_its_fingerprint(changed):
    assert definition(**changed)["fingerprint"] != definition()["fingerprint"]


@pytest.mark.parametrize(
    "given",
    [
        {"partitions": [{"name": "day", "data_type": "date"}], "checksums": "*.sha256"},
        {"file_format": "parquet", "checksums": "SHA256SUMS", "options": {"pathglobfilter": "*.parquet"}},
        {"file_format": "parquet", "partitions": [{"name": "day", "data_type": "date"}], "checksums": "_*.sha256"},
    ],
)
def test_checksum_files_that_are_no_rows(given):
    assert definition(**given)["checksums"] == given["checksums"]


def test_select():
    accounts, orders, events = source("crm.accounts"), source("crm.orders"), source("web.events")
    internal = source("web.visits", location=None)
    internal.external = None
    chosen = macros(events, orders, accounts, internal)._external_sources
    assert chosen(None) == [accounts, orders, events]
    assert chosen("crm") == [accounts, orders]
    assert chosen(["web.events", "crm.orders", "web"]) == [orders, events]
    for unknown in ("crm.events", "web.visits"):
        with pytest.raises(CompilationError, match=f"no source '{unknown}' .*; known are: crm.accounts"):
            chosen(unknown)


def model(materialized, *parents):
    return SimpleNamespace(
        config=SimpleNamespace(materialized=materialized), depends_on=SimpleNamespace(nodes=list(parents))
    )


@pytest.mark.parametrize(
    ("nodes", "read"),
    [
        ({"log": ("differential", "source.shop.crm.accounts")}, True),
        ({"log": ("differential", "v"), "v": ("view", "e"), "e": ("ephemeral", "source.shop.crm.accounts")}, True),
        ({"log": ("differential", "t"), "t": ("table", "v"), "v": ("view", "source.shop.crm.accounts")}, False),
        ({"log": ("differential", "l"), "l": ("differential", "source.shop.crm.accounts")}, None),
        ({"log": ("differential", "s"), "s": ("seed",)}, None),
        ({"log": ("differential", "t", "v"), "t": ("table", "v"), "v": ("view", "source.shop.crm.accounts")}, True),
    ],
)
def test_sources_behind_a_model(nodes, read):
    accounts = source("crm.accounts")
    nodes = {name: model(*given) for name, given in nodes.items()}
    found = macros(accounts, nodes=nodes)._sources_behind(nodes["log"])
    assert [(each["node"], each["is_read"]) for each in found] == ([] if read is None else [(accounts, read)])


@pytest.mark.parametrize(("provider", "announces"), [("csv", True), ("delta", False)])
def test_folders_announce_dates(provider, announces):
    """A Delta table also has partitions, but cannot show them."""
    facts = [("# Partition Information", ""), ("day", "date"), ("# Detailed Table Information", "")]
    described = [("id", "int"), *facts, ("Provider", provider), ("Location", "dumps")]
    found = macros(
        source(file_format=provider),
        run_query=lambda sql: described if sql.startswith("describe") else [("day=2026-01-31", "")],
    )
    found.replace(_external_relation=Relation("dev.accounts"))
    behind = found._sources_behind(model("differential", "source.shop.legacy.accounts"))
    dated = found._open_sources("log", behind)
    assert [each["name"] for each in dated] == (["legacy.accounts"] if announces else [])

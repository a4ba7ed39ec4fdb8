"""What the adapter asks the catalog instead of a statement."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def adapter(project: Any) -> Any:
    with project.adapter.connection_named("catalog"):
        project.run_sql("create schema if not exists MixedCase")
        project.run_sql("create table MixedCase.First using parquet as select 1 as id")
        project.run_sql("create view MixedCase.first_view as select id as a from MixedCase.First")
        yield project.adapter
        project.run_sql("drop schema MixedCase cascade")


def test_names_are_found_in_any_case(adapter: Any) -> None:
    """dbt compares them, so a second run would not find its table."""
    schema = adapter.Relation.create(schema="MixedCase")
    found = {each.identifier: each.type for each in adapter.list_relations_without_caching(schema)}
    assert found == {"first": "table", "first_view": "view"}
    adapter.cache_added(adapter.Relation.create(schema="other", identifier="x"))
    assert adapter.get_relation(None, "MixedCase", "First").identifier == "first"
    assert sorted(adapter.names_like("MixedCase", "FIRST*")) == ["first", "first_view"]
    assert adapter.names_like("MixedCase", "first_vie|x*") == []
    assert adapter.names_like("missing", "*") == []
    view = adapter.Relation.create(schema="MixedCase", identifier="First_View")
    assert adapter.catalog_facts(view) == {"Type": "VIEW", "View Text": "select id as a from MixedCase.First"}


def test_columns_are_asked_of_the_session(adapter: Any) -> None:
    assert adapter.query_columns("select id as `a b`, 'x' as t from MixedCase.First -- end") == [
        ("a b", "int", None),
        ("t", "string", None),
    ]


@pytest.mark.parametrize(
    ("statement", "message"),
    [("drop table MixedCase.First", "PARSE_SYNTAX_ERROR"), ("select a from", "Syntax error at or near end of input")],
)
def test_what_is_no_query_is_not_run(adapter: Any, statement: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        adapter.query_columns(statement)
    assert adapter.names_like("MixedCase", "first") == ["first"]

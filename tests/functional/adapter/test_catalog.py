"""What the adapter asks the catalog instead of a statement."""

from typing import Any

import pytest


@pytest.fixture
def known(project: Any) -> Any:
    with project.adapter.connection_named("catalog"):
        project.run_sql("create schema if not exists MixedCase")
        project.run_sql("create table MixedCase.First using parquet as select 1 as id")
        project.run_sql("create view MixedCase.first_view as select id as a from MixedCase.First")
        yield project.adapter
        project.run_sql("drop schema MixedCase cascade")


def test_names_are_found_in_any_case(known: Any) -> None:
    """dbt compares them, so a second run would not find its table."""
    schema = known.Relation.create(schema="MixedCase")
    found = {each.identifier: each.type for each in known.list_relations_without_caching(schema)}
    assert found == {"first": "table", "first_view": "view"}
    known.cache_added(known.Relation.create(schema="other", identifier="x"))
    assert known.get_relation(None, "MixedCase", "First").identifier == "first"
    assert sorted(known.names_like("MixedCase", "FIRST*")) == ["first", "first_view"]
    assert known.names_like("MixedCase", "first_vie|x*") == []
    assert known.names_like("missing", "*") == []
    view = known.Relation.create(schema="MixedCase", identifier="First_View")
    assert known.catalog_facts(view) == {"Type": "VIEW", "View Text": "select id as a from MixedCase.First"}


def test_columns_are_asked_of_the_session(known: Any) -> None:
    assert known.query_columns("select id as `a b`, 'x' as t from MixedCase.First -- end") == [
        ("a b", "int", None),
        ("t", "string", None),
    ]


@pytest.mark.parametrize(
    ("statement", "message"), [("drop table MixedCase.First", "PARSE_SYNTAX_ERROR"), ("select 1 +", "end of input")]
)
def test_what_is_no_query_is_not_run(known: Any, statement: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        known.query_columns(statement)
    assert known.names_like("MixedCase", "first") == ["first"]

"""What view_by_python promises to the macros: a temporary view of what a function returns."""

from typing import Any

import pytest
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from pyspark.sql import DataFrame
from workbench import temporary_views

OLD = {"old": "(select id, id * 2 as twice from range(3))"}


def doubled(old: DataFrame, column: str = "twice") -> DataFrame:
    return old.where(f"{column} > 0").select(column)


def in_pandas(old: DataFrame) -> Any:
    return old.toPandas()


def fails_when_read(old: DataFrame) -> DataFrame:
    return old.selectExpr("raise_error('spoilt row') as id")


def path_of(function: Any) -> str:
    return f"{__name__}.{function.__name__}"


class TestViews:
    def rows(self, adapter: Any, view: str) -> list[tuple[Any, ...]]:
        _, table = adapter.execute(f"select * from `{view}` order by all", fetch=True)
        return [tuple(map(int, row)) for row in table.rows]

    def test_a_view_lasts_until_the_next_one_and_the_last_until_the_end_of_the_node(self, project, spark):
        adapter = project.adapter
        with adapter.connection_named("one"):
            adapter.view_by_python(path_of(doubled), OLD, {}, "a.first one")
            assert self.rows(adapter, "a.first one") == [(2,), (4,)]
            adapter.view_by_python(path_of(doubled), OLD, {"column": "id"}, "second")
            assert self.rows(adapter, "second") == [(1,), (2,)]
            views = temporary_views(spark)
            assert "a.first one" not in views
            assert "second" in views
        assert "second" not in temporary_views(spark)

    def test_a_view_that_cannot_be_read_goes_as_well(self, project, spark):
        adapter = project.adapter
        with adapter.connection_named("one"):
            adapter.view_by_python(path_of(fails_when_read), OLD, {}, "unread")
            with pytest.raises(DbtDatabaseError, match="spoilt row"):
                adapter.execute("select * from unread", fetch=True)
        assert "unread" not in temporary_views(spark)

    def test_a_copy_of_the_session_has_its_own_views(self, project, spark):
        adapter = project.adapter
        relation = adapter.Relation.create(schema=project.test_schema, identifier="written")
        with adapter.connection_named("one"):
            adapter.isolate_session(relation, {"spark.sql.session.timeZone": "Asia/Tokyo"})
            adapter.view_by_python(path_of(doubled), {"old": "(select current_timezone() as twice)"}, {}, "own")
            assert "own" not in temporary_views(spark)
            adapter.rejoin_session()

    def test_a_frame_of_pandas_is_accepted(self, project):
        adapter = project.adapter
        with adapter.connection_named("one"):
            adapter.view_by_python(path_of(in_pandas), OLD, {}, "pandas")
            assert self.rows(adapter, "pandas") == [(0, 0), (1, 2), (2, 4)]

    def test_a_relation_that_is_not_there_is_not_the_functions_fault(self, project):
        adapter = project.adapter
        with adapter.connection_named("one"), pytest.raises(DbtDatabaseError) as error:
            adapter.view_by_python(path_of(doubled), {"old": "no_such_table"}, {}, "failed")
        assert error.value.msg.startswith("[TABLE_OR_VIEW_NOT_FOUND]")

    def test_a_run_that_was_cancelled_meanwhile_leaves_no_view(self, project, spark, monkeypatch):
        adapter = project.adapter

        def cancels(old: DataFrame) -> DataFrame:
            monkeypatch.setattr(adapter.connections, "_cancelled_by", 0)
            return old

        monkeypatch.setitem(globals(), "cancels", cancels)
        with adapter.connection_named("one"), pytest.raises(DbtRuntimeError, match="The run was cancelled"):
            adapter.view_by_python(path_of(cancels), OLD, {}, "cancelled")
        assert "cancelled" not in temporary_views(spark)

"""dbt's connection handle on a Spark session."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any

from dbt.adapters.spark.connections import SparkConnectionWrapper
from pyspark.sql import DataFrame, Row, SparkSession

from dbt.adapters.deltawave.session import clone, discard
from deltawave.sql_text import literal, quoted


class SessionHandle(SparkConnectionWrapper):
    """A connection that is a Spark session, and its own cursor."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._shared = session
        self._written: str | None = None
        # What is dropped and released with the next view, and at the end of the node.
        self._views = ExitStack()
        self._frame: DataFrame | None = None
        self._analyzed: tuple[str, DataFrame] | None = None

    def cursor(self) -> "SessionHandle":
        self._frame = None
        return self

    def cancel(self) -> None:
        # Micro-batches run in sessions of their own.
        for query in self.session.streams.active:
            query.stop()
        self.session.interruptAll()

    def close(self) -> None:
        self._frame = self._analyzed = None
        # A session that died has nothing left to see.
        with suppress(Exception):
            self.drop_views()
        with suppress(Exception):
            self.rejoin()

    def rollback(self, *args: Any, **kwargs: Any) -> None:
        """Spark has no transactions."""

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        statement = sql.strip().removesuffix(";")
        if bindings is not None:
            statement = statement % tuple(literal(value) for value in bindings)
        # It may change what a select reads.
        self._analyzed = None
        self._frame = self.session.sql(statement)

    def fetchall(self) -> list[Row]:
        # Fetching the rows of a statement that has none is another tenth of a second.
        return self._frame.collect() if self._frame is not None and self._frame.columns else []

    @property
    def description(self) -> list[tuple[str, Any, None, None, None, None, bool]]:
        fields = [] if self._frame is None else self._frame.schema.fields
        return [(field.name, field.dataType.simpleString(), None, None, None, None, field.nullable) for field in fields]

    def isolate(self, table: str, settings: Mapping[str, str]) -> None:
        """Continue in a copy of the session that has ``settings``, to write ``table``."""
        self.rejoin()
        self.session = clone(self._shared, settings)
        self._written = table

    def rejoin(self) -> None:
        """Go back to the shared session, and let it see what was written."""
        copy, self.session = self.session, self._shared
        written, self._written = self._written, None
        discard(copy, self._shared)
        if written is not None and self.session.catalog.tableExists(written):
            # Sessions remember the files of a Parquet table and the version of an Iceberg table.
            self.session.catalog.refreshTable(written)

    def analyzed(self, relation: str) -> DataFrame:
        """All rows of a relation, or of a select in parentheses, as a frame, which ``frames`` finds again."""
        frame = self.session.sql(f"select * from {relation}")
        self._analyzed = (relation, frame)
        return frame

    def frames(self, relations: Mapping[str, str]) -> dict[str, DataFrame]:
        """One frame for each relation. What was analyzed last is taken again until a statement runs."""
        return {name: self._rows_of(relation) for name, relation in relations.items()}

    def _rows_of(self, relation: str) -> DataFrame:
        known = self._analyzed
        is_known = known is not None and known[0] == relation and known[1].sparkSession is self.session
        return known[1] if known and is_known else self.session.sql(f"select * from {relation}")

    def leave_view(self, frame: DataFrame, view: str, release: Callable[[], object]) -> None:
        """Make ``frame`` a view until ``drop_views``, and then release."""
        self._views.callback(release)
        self._views.callback(lambda: self.session.catalog.dropTempView(view))
        frame.createOrReplaceTempView(quoted(view))

    def release_later(self, release: Callable[[], object]) -> None:
        """Call ``release``, which raises nothing, when views are dropped."""
        self._views.callback(release)

    def drop_views(self) -> None:
        """Drop the views of ``leave_view``."""
        self._views.close()

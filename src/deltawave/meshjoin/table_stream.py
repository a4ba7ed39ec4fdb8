"""The stream of rows that are added to a table of files."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from deltawave.differencing.in_place import quoted
from deltawave.meshjoin.stream_files import ANY_AGE


def stream_of(table: DataFrame, **options: str) -> DataFrame:
    """Return the stream of a table's rows: the present ones, and those of files that are added later.

    - ``table``: all rows of a table, as ``dbt.source``, ``dbt.ref`` and ``session.table`` give them
    - ``options``: of Spark's source, such as ``maxFilesPerTrigger="100"``

    A file is taken once, by its name: a file that is replaced under its name is not read again, while a table that is
    rewritten into other files is read again as a whole. A view may select columns of one table, as that of an external
    source does; ``ValueError`` is raised for other views and for frames that are not simply a table. A frame that
    ``dbt run --empty`` has emptied is returned as it is, and is no stream.
    """
    jtable: Any = table._jdf
    plan = jtable.queryExecution().analyzed()
    if plan.nodeName() == "GlobalLimit" and table.isEmpty():
        return table
    if plan.nodeName() != "SubqueryAlias":
        raise ValueError("stream_of takes all rows of a table: select from the stream that it returns.")
    name = _table_of(plan).identifier()
    parts = [*(name.qualifier().apply(at) for at in range(name.qualifier().size())), name.name()]
    stream = table.sparkSession.readStream.options(**{**ANY_AGE, **options}).table(".".join(map(quoted, parts)))
    if stream.columns == table.columns:
        return stream
    return stream.select([quoted(column) for column in table.columns])


def _table_of(plan: Any) -> Any:
    """Return the plan of the table itself, also under a view that only selects columns of it under their names."""
    while plan.nodeName() == "SubqueryAlias" and plan.child().nodeName() == "View":
        plan = plan.child().child()
        while plan.nodeName() == "Project" and all(map(_is_column, _items(plan.projectList()))):
            plan = plan.child()
    if plan.nodeName() != "SubqueryAlias":
        raise ValueError(
            "stream_of takes all rows of a table, or of a view that only selects columns of one table. An external "
            "source with files of several headers has a table for each of them: stream these tables."
        )
    return plan


def _is_column(named: Any) -> bool:
    """Is this item of a select list a column under its own name and of its own type?"""
    column = named
    while column.nodeName() in ("Alias", "Cast", "UpCast"):
        column = column.child()
    is_same = named.name() == column.name() if column.nodeName() == "AttributeReference" else False
    return is_same and named.dataType().equals(column.dataType())


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(at) for at in range(sequence.size())]

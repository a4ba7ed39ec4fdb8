"""The stream of rows that come to a table of files."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from deltawave.differencing.in_place import quoted
from deltawave.meshjoin.stream_files import ANY_AGE


def stream_of(table: DataFrame, **options: str) -> DataFrame:
    """Return the stream of a table's rows: those that are there, and those of files that are added later.

    - ``table``: all rows of a table, as ``dbt.source``, ``dbt.ref`` and ``session.table`` give them
    - ``options``: of Spark's source, such as ``maxFilesPerTrigger="100"``

    A file is taken once, by its name: one that is replaced under its name does not come again, and a table that is
    written anew, into other files, comes again as a whole. Raises ``ValueError`` for
    a view and for a frame that is more than a table. One that ``dbt run --empty`` has emptied is returned as it is, and
    is no stream.
    """
    jtable: Any = table._jdf
    plan = jtable.queryExecution().analyzed()
    if plan.nodeName() == "GlobalLimit" and table.isEmpty():
        return table
    if plan.nodeName() != "SubqueryAlias" or plan.child().nodeName() == "View":
        raise ValueError("stream_of takes all rows of a table, and no view: select from the stream that it returns.")
    name = plan.identifier()
    parts = [*(name.qualifier().apply(at) for at in range(name.qualifier().size())), name.name()]
    return table.sparkSession.readStream.options(**{**ANY_AGE, **options}).table(".".join(map(quoted, parts)))

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
    rewritten into other files is read again as a whole. Raises ``ValueError`` for a view and for a frame that is not
    simply a table. A frame that ``dbt run --empty`` has emptied is returned as it is, and is no stream.
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

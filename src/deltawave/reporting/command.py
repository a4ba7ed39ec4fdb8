"""What the package's operations call: they print the texts that these return."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.pages.output import require_writable
from deltawave.reporting.batches import batches_of
from deltawave.reporting.changes import collected
from deltawave.reporting.history import history_text as described
from deltawave.reporting.log_report import log_report
from deltawave.reporting.page import as_html


def page(
    log: DataFrame,
    batches: DataFrame,
    quarantine: DataFrame | None = None,
    *,
    name: str,
    key: Sequence[str],
    is_multiset: bool,
    output: str | None,
) -> dict[str, str]:
    """Return a page about a change log as ``text``, or why it could not be written as ``refused``; {} without batches.

    - ``log``: the model; ``batches``, ``quarantine``: what the macros of these names select
    - ``output``: a file for the page; the text then says so
    """
    try:
        if output is not None:
            require_writable(output)
        found = log_report(log, batches, quarantine, name=name, key=key, is_multiset=is_multiset)
        if not found.batches:
            return {}
        text = as_html(found)
        if output is None:
            return {"text": text}
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        return {"refused": str(error)}
    return {"text": f"What changed in {name} is described in {output}."}


def history_text(
    history: DataFrame,
    log: DataFrame,
    batches: DataFrame,
    *,
    name: str,
    key: Sequence[Sequence[str | None]],
    column: str | None,
) -> str:
    """Return the versions of a row as text.

    - ``history``, ``batches``: what the macros of these names select; ``log``: the model
    - ``key``: pairs of a column and its value
    """
    changes = sorted(collected(history), key=lambda change: (change.batch, change.kind != "delete"))
    pairs = [(str(each), value) for each, value in key]
    first_batch = log.agg(F.min("_batch_id").cast("bigint")).collect()[0][0]
    return described(name, pairs, changes, batches_of(batches), first_batch=first_batch, column=column)

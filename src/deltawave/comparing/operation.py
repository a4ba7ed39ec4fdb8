"""dbt's operation ``compare``."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from deltawave.comparing.compared import compare
from deltawave.comparing.comparison import FORMATS
from deltawave.pages.texts import require_writable


def operation(
    old: DataFrame, new: DataFrame, *, names: Sequence[str], format: str, output: str | None, **options: Any
) -> dict[str, Any]:
    """Compare two relations of dbt; return the ``text`` to print and ``is_equal``, or why that is ``refused``.

    - ``output``: a file for the result, which is then not part of the text
    - ``options``: those of :func:`deltawave.compare`; a value of ``None`` is not given
    """
    if format not in FORMATS:
        return {"refused": f"There is no format {format!r}: it is one of {', '.join(FORMATS)}."}
    given = {name: value for name, value in options.items() if value is not None}
    try:
        if output:
            require_writable(output)
        found = replace(compare(old, new, **given), old_name=names[0], new_name=names[1])
        text = found.formatted(format)
        if output:
            Path(output).write_text(text, encoding="utf-8")
            text = f"The {'equal tables' if found.is_equal else 'differences'} are described in {output}."
    except (ValueError, OSError) as error:
        return {"refused": str(error)}
    return {"text": text, "is_equal": found.is_equal}

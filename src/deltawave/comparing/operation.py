"""The operation ``compare`` of dbt: what its macro prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from deltawave.comparing.compare import compare


def report(
    old: DataFrame,
    new: DataFrame,
    *,
    names: Sequence[str],
    unique_key: Sequence[str],
    options: Mapping[str, Any],
    format: str,
    output: str | None,
) -> dict[str, str]:
    """Compare two relations; return the ``text`` to print, or why they could not be compared, as ``refused``.

    - ``names``: what the relations are called
    - ``options``: those of :func:`deltawave.compare` that are given; a value of ``None`` is not
    - ``output``: a file for the result, which is then not part of the text
    """
    given = {name: value for name, value in options.items() if value is not None}
    try:
        found = replace(compare(old, new, unique_key, **given), old_name=names[0], new_name=names[1])
        text = found.formatted(format)
        if output:
            Path(output).write_text(text, encoding="utf-8")
            text = f"The {'equal tables' if found.is_equal else 'differences'} are described in {output}."
    except (ValueError, OSError) as error:
        return {"refused": str(error)}
    return {"text": text}

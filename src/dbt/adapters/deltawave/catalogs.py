"""What Iceberg's session catalog loses: the case of a view's columns."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql.types import StructType

from deltawave.sql_text import literal

SCHEMA = "spark.sql.sources.schema"
# Spark splits the text in the same way, since a metastore limits the length of a value.
PART_LENGTH = 4000


def names_clause(schema: StructType, comments: Mapping[str, str]) -> str:
    """Return the ``tblproperties (...)`` of a view with this schema, in which Spark finds its names and comments.

    Iceberg's session catalog writes a view's columns in lower case; Spark reads them from these
    properties first, where it also stores the schemas of its own views. The keys of ``comments`` are
    column names in lower case.
    """
    described = schema.jsonValue()
    for field in described["fields"]:
        if comment := comments.get(field["name"].lower()):
            field["metadata"] = {**field["metadata"], "comment": comment}
    text = json.dumps(described)
    parts = [text[start : start + PART_LENGTH] for start in range(0, len(text), PART_LENGTH)]
    properties = {f"{SCHEMA}.numParts": str(len(parts))}
    properties |= {f"{SCHEMA}.part.{number}": part for number, part in enumerate(parts)}
    return f"tblproperties ({', '.join(f'{literal(name)} = {literal(value)}' for name, value in properties.items())})"

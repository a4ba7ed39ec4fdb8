"""What the registry declares of each strategy, as far as the contract suite asks for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Declaration:
    """The traits of a strategy that a user can notice."""

    reads: str
    keeps: str
    ranges: str = "none"
    checksums: str = "none"
    sees_deletes: str = "all"
    resumes: str = "none"
    growing: bool = False
    """Does it take columns in and out (on_schema_change)?"""


_DECLARATIONS = {
    "outer_join": Declaration(reads="dump", keeps="copy", growing=True),
    "union": Declaration(reads="dump", keeps="copy", growing=True),
    "timestamp": Declaration(reads="slice", keeps="base", ranges="lookup", sees_deletes="none", resumes="select"),
    "timestamp_delete_flag": Declaration(
        reads="slice", keeps="base", ranges="lookup", sees_deletes="flagged", resumes="select"
    ),
    "row_checksum": Declaration(reads="slice", keeps="checksums", checksums="rows"),
    "ranges": Declaration(reads="slice", keeps="base", ranges="compared", resumes="strategy"),
    "range_checksum": Declaration(
        reads="slice", keeps="base", ranges="compared", checksums="ranges", resumes="strategy"
    ),
    "view": Declaration(reads="slice", keeps="base", ranges="lookup", resumes="select"),
}


def declarations() -> dict[str, Declaration]:
    """Every strategy by name."""
    return _DECLARATIONS

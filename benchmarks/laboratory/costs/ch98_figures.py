"""The curves of CH98 Figures 9 and 10, from the formulas of its Table 3."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from laboratory.costs import query_based, view_based
from laboratory.costs.source_table import SourceTable


def _atdi(table: SourceTable) -> float:
    """X / (P / (A + size(tid) + F)) delta + delta M: Table 3 leaves out the key and the height of the index."""
    index = table.pages_of(table.rows, table.flag_bytes + table.tuple_id_bytes + table.compared_bytes)
    return table.change_fraction * (index + table.copy_pages)


CURVES: dict[str, Callable[[SourceTable], float]] = {
    "RSBC": query_based.rsbc,
    "P/SWC": query_based.pswc,
    "MDS": query_based.mds,
    "ID/RCS": query_based.range_checksum,
    "VBD": view_based.vbd,
    "ATDI": _atdi,
}


@dataclass(frozen=True)
class Figure:
    """A figure's data: ``curves`` holds pages read (I/O) for each of ``shares`` (0 to 1), by Table 3's labels."""

    title: str
    x_label: str
    shares: list[float]
    curves: dict[str, list[float]]
    logarithmic: bool


def figure_9(table: SourceTable | None = None) -> Figure:
    """I/O by the share of attributes that are compared, 10 % to 100 %."""
    return _figure(
        "CH98 Figure 9",
        "attributes applicable for change detection",
        "compared_fraction",
        [n / 10 for n in range(1, 11)],
        table,
        logarithmic=False,
    )


def figure_10(table: SourceTable | None = None) -> Figure:
    """I/O by the share of rows in the copy, 1 % to 10 %, on a logarithmic scale."""
    return _figure(
        "CH98 Figure 10",
        "base relation tuples required to exist in the older copy",
        "applicable_fraction",
        [n / 100 for n in range(1, 11)],
        table,
        logarithmic=True,
    )


def _figure(
    title: str, x_label: str, varied: str, shares: list[float], table: SourceTable | None, logarithmic: bool
) -> Figure:
    tables = [replace(table or SourceTable(), **{varied: share}) for share in shares]  # type: ignore[arg-type]
    curves = {label: [cost(one) for one in tables] for label, cost in CURVES.items()}
    return Figure(title, x_label, shares, curves, logarithmic)

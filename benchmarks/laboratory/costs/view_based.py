"""CH98 4 and Table 3: the costs of finding the changes of a view, and of applying them to a warehouse.

Each function takes a ``SourceTable``, which stands for any of the view's relations, and returns
pages read and written (I/O). The paper's example: 4 relations of 100,000 tuples, half of their attributes in the view.
"""

from __future__ import annotations

from laboratory.costs.source_table import SourceTable


def apply_old_way(table: SourceTable) -> float:
    """Copy all relations, join them, compare with the old view, apply the changes. 5 Z N + 5 V + 2 delta V (4)."""
    changes = table.change_fraction * table.view_pages
    return replace_old_way(table) + 4 * table.view_pages + 2 * changes


def replace_old_way(table: SourceTable) -> float:
    """Copy all relations, join them there, replace the view. 5 Z N + V (4)."""
    return 5 * table.relations * table.pages + table.view_pages


def change_file(table: SourceTable) -> float:
    """Join at the source, by tuple level checksums, and write a file of changes. Z N (1 + delta) + delta V (4)."""
    joined = table.relations * table.pages
    return joined * (1 + table.change_fraction) + table.change_fraction * table.view_pages


def vbd_by_checksums(table: SourceTable) -> float:
    """:func:`change_file`, then apply it where changes are clustered by key: delta V more (4)."""
    return change_file(table) + table.change_fraction * table.view_pages


def vbd_by_checksums_worst_case(table: SourceTable) -> float:
    """:func:`change_file`, then read and write all of the view: 2 V more (4)."""
    return change_file(table) + 2 * table.view_pages


def vbd_by_flags(table: SourceTable) -> float:
    """Join each relation's changes, found by timestamp, to the others, and apply. Z (Z - 1) delta S + delta V (4)."""
    joins = table.relations * (table.relations - 1) * table.change_fraction * table.augmented_pages
    return joins + table.change_fraction * table.view_pages


def vbd(table: SourceTable) -> float:
    """VBD as Figures 9 and 10 draw it: Z (N/Z (K + A)/T + delta N) + delta M (Table 3).

    Our reading: (K + A) are the bytes of an index entry; Table 3 prints no divisor for them; here it is T.
    """
    index = table.pages * (table.key_bytes + table.flag_bytes) / table.row_bytes
    joins = table.relations * table.change_fraction * table.pages
    return index + joins + table.change_fraction * table.copy_pages

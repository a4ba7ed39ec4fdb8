"""A comparison as one page of HTML that needs no other file."""

from deltawave.comparing.comparison import Comparison
from deltawave.comparing.tables import CHANGED_COLUMNS, CHANGES, tables
from deltawave.pages import charts
from deltawave.pages.html import MARKS, figures, marked, page, paragraph, section


def as_page(found: Comparison) -> str:
    in_both = found.equal + found.changed
    counts, *others = tables(found)
    parts = [paragraph(found.summary), figures(counts.rows)]
    for table in others:
        if table.title == CHANGED_COLUMNS:
            rows = [rows for rows in found.columns.values() if rows]
            shares = [charts.meter(number / in_both) for number in rows]
            table = table._replace(rows=[(*row[:-1], share) for row, share in zip(table.rows, shares, strict=True)])
        elif table.title == CHANGES:
            pairs = [marked(each.old, each.new) for each in found.changes]
            table = table._replace(rows=[(*row[:-2], *pair) for row, pair in zip(table.rows, pairs, strict=True)])
        parts.append(section(table))
    return page(found.title, "".join(parts), style=charts.style() + MARKS)

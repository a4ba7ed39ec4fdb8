"""Filters of a table of changes, by kind, column and text; the table's id is ``samples``.

Each of its rows has ``data-change``, its kind, and where it is of one column ``data-column``, the column's place.
"""

from collections.abc import Sequence
from html import escape

# Without JavaScript they are hidden, and all rows shown.
FILTER_STYLE = """
.filters { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: end; margin-bottom: 0.5rem; }
.filters[hidden] { display: none; }
.filters label { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 100%; color: var(--muted); }
.filters select, .filters input { box-sizing: border-box; max-width: 100%; padding: 0.25rem; font: inherit;
  border: 1px solid var(--muted); border-radius: 4px; background: var(--page); color: var(--text); }
.filters output { color: var(--muted); }
"""
FILTER_SCRIPT = """
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const { change, column, text, shown } = form.elements;
  const lines = document.querySelectorAll("#samples tbody tr");
  const rows = Array.from(lines, (row) => [row, row.textContent.toLowerCase()]);
  const apply = () => {
    let count = 0;
    for (const [row, content] of rows) {
      row.hidden = (change.value !== "" && row.dataset.change !== change.value)
        || (column.value !== "" && row.dataset.column !== column.value)
        || !content.includes(text.value.toLowerCase());
      if (!row.hidden) count += 1;
    }
    shown.value = `${count} of ${rows.length} lines`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
"""


def filters(changes: Sequence[tuple[str, str]], columns: Sequence[str]) -> str:
    """The form. ``changes``: the kinds, each with what it is called; a column's name may be anything."""
    return f"""<form id="filters" class="filters" autocomplete="off" hidden>
<label>Change {_choice("change", changes)}</label>
<label>Column {_choice("column", [(str(place), each) for place, each in enumerate(columns)])}</label>
<label>Text <input name="text" type="search"></label>
<output name="shown" aria-live="polite"></output>
</form>
"""


def _choice(name: str, values: Sequence[tuple[str, str]]) -> str:
    listed = [("", "all"), *values]
    options = "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in listed)
    return f'<select name="{name}">{options}</select>'

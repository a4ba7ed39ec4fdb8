"""`advise` predicts the same pages as the cost models of CH98 and of a run, which is near what was measured."""

import itertools
import json

import pytest
from unit.macro_harness import ROOT, Macros

from laboratory.costs import query_based, runs, view_based
from laboratory.costs.source_table import SourceTable

COSTS = {
    "outer_join": runs.whole_dump,
    "union": runs.union,
    "sort_merge": runs.whole_dump,
    "timestamp": query_based.ts,
    "timestamp_delete_flag": query_based.tdi,
    "covering_copy": query_based.atdi_projected,
    "row_checksum": runs.row_checksum,
    "hash_compressed": runs.hashes_probed,
    "view": view_based.vbd_by_flags,
}


@pytest.mark.parametrize("rows", [1, 999, 1_000_000, 3_000_000_001])
@pytest.mark.parametrize("row_bytes", [12, 200, 1543.5, 9000, 8192])
@pytest.mark.parametrize("change_fraction", [0, 0.0001, 0.01, 0.5, 1])
def test_the_macro_predicts_what_the_cost_model_does(rows: int, row_bytes: float, change_fraction: float) -> None:
    """Macros have the formulas that `advise` needs, the cost models those of the papers: both are written by hand."""
    macros = Macros()
    # The default numbers of ranges.
    small, large = (macros._default_ranges(macros._strategies()[name], rows) for name in ("range_checksum", "ranges"))
    for key_bytes, compared, flagged, relations in itertools.product([1, 12], [0, 0.3, 1], [False, True], [2, 5]):
        sizes = {
            "rows": rows,
            "row_bytes": row_bytes,
            "key_bytes": key_bytes,
            "compared_fraction": compared,
            "change_fraction": change_fraction,
            "relations": relations,
        }
        table = SourceTable(**sizes, page_bytes=8192, has_flags=flagged)  # type: ignore[arg-type]
        for clustered in (False, True):
            predicted = macros._predicted_pages({**sizes, "has_timestamps": flagged, "is_clustered": clustered})
            expected = {name: cost(table) for name, cost in COSTS.items()} | {
                "table": table.pages,
                "changed_ranges": query_based.changed_ranges(table, clustered, small),
                "ranges": runs.ranges(table, large),
                "range_checksum": runs.range_checksum(table, small, clustered),
            }
            assert predicted == pytest.approx(expected)


def test_a_run_reads_and_writes_about_what_was_measured() -> None:
    figures = json.loads((ROOT / "docs" / "figures" / "query_based.json").read_text())
    measured = {one["strategy"]: (one["bytes"] + one["written"]) / one["table_bytes"] for one in figures}
    table = SourceTable(rows=2_000_000, row_bytes=350, compared_fraction=1, page_bytes=8192)
    predicted = {name: COSTS[name](table) for name in ("outer_join", "union", "row_checksum")}
    predicted["ranges"] = runs.ranges(table, 8)
    for name, pages in predicted.items():
        assert pages / table.pages == pytest.approx(measured[name], rel=0.15), name

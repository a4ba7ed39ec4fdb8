"""`advise` predicts the same pages as the cost model of CH98."""

from __future__ import annotations

import itertools

import pytest
from unit.macro_harness import Macros

from laboratory.costs import query_based, view_based
from laboratory.costs.source_table import SourceTable

COSTS = {
    "outer_join": query_based.mds,
    "union": query_based.qda,
    "sort_merge": query_based.mds,
    "timestamp": query_based.ts,
    "timestamp_delete_flag": query_based.tdi,
    "covering_copy": query_based.atdi_projected,
    "row_checksum": query_based.tlcs_beside,
    "sort_merge_compressed": query_based.hashes_beside,
    "hash_compressed": query_based.hashes_probed,
    "window": query_based.mds,
    "text_diff": query_based.mds,
    "ranges": query_based.incremental,
    "view": view_based.vbd_by_flags,
}


@pytest.mark.parametrize("rows", [1, 999, 1_000_000, 3_000_000_001])
@pytest.mark.parametrize("row_bytes", [12, 200, 1543.5, 9000, 8192])
@pytest.mark.parametrize("change_fraction", [0, 0.0001, 0.01, 0.5, 1])
def test_the_macro_predicts_what_the_cost_model_does(rows: int, row_bytes: float, change_fraction: float) -> None:
    """Macros have the formulas that `advise` needs, the cost model has those of the paper: both are written by hand."""
    predict = Macros()._predicted_reads
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
            predicted = predict({**sizes, "has_timestamps": flagged, "is_clustered": clustered})
            expected = {name: cost(table) for name, cost in COSTS.items()} | {
                "table": table.pages,
                "changed_ranges": query_based.changed_ranges(table, clustered),
                "range_checksum": query_based.range_checksum_by_ranges(table, clustered),
            }
            assert predicted == pytest.approx(expected)

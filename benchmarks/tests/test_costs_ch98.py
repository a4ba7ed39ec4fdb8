"""The cost model of CH98 against the numbers that the paper itself works out."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laboratory.costs import query_based, view_based
from laboratory.costs.ch98_figures import figure_9, figure_10
from laboratory.costs.source_table import SourceTable

TABLE = SourceTable()
N = TABLE.pages
# 100,000 tuples in each of 4 relations, half of their attributes in the view.
VIEW = SourceTable(rows=100_000, compared_fraction=0.5)
# The salary, 8 bytes, of one department of 100.
DEPARTMENT = SourceTable(compared_fraction=8 / 192, applicable_fraction=0.01)

FORMULAS: list[Callable[[SourceTable], float]] = [
    query_based.rsbc,
    query_based.pswc,
    query_based.mds,
    query_based.mds_by_index,
    query_based.mds_worst_case,
    query_based.qda,
    query_based.ts,
    query_based.tdi_without_index,
    query_based.tdi,
    query_based.tdi_worst_case,
    query_based.atdi,
    query_based.atdi_projected,
    query_based.tlcs,
    query_based.tlcs_beside,
    query_based.incremental,
    query_based.range_checksum,
    view_based.apply_old_way,
    view_based.replace_old_way,
    view_based.change_file,
    view_based.vbd_by_checksums,
    view_based.vbd_by_checksums_worst_case,
    view_based.vbd_by_flags,
    view_based.vbd,
]


def times_n(pages: float, table: SourceTable = TABLE) -> float:
    return pages / table.pages


def test_table_2_gives_its_own_sizes() -> None:
    assert TABLE.pages == 1000
    assert times_n(TABLE.augmented_pages) == pytest.approx(1.1, abs=0.05)
    assert times_n(TABLE.copy_pages) == pytest.approx(0.3, abs=0.05)
    assert times_n(TABLE.index_pages) == pytest.approx(0.1, abs=0.05)


def test_a_copy_of_all_attributes_is_as_large_as_the_table() -> None:
    assert SourceTable(compared_fraction=1).copy_pages == N


def test_the_older_algorithms() -> None:
    assert query_based.rsbc(TABLE) == 6 * N
    assert query_based.pswc(TABLE) == 2 * N


def test_mds_of_one_department() -> None:
    assert DEPARTMENT.copy_pages == 1
    # .01 of the rows and one of 20 attributes besides the key are of interest.
    assert DEPARTMENT.applicable_fraction * 0.05 == pytest.approx(0.0005)
    assert query_based.mds(DEPARTMENT, restriction_indexed=False) == N + 1
    assert query_based.mds(DEPARTMENT) == pytest.approx(0.01 * N + 1)
    assert query_based.mds_by_index(DEPARTMENT) == pytest.approx(0.03 * N + 2)


def test_mds_of_all_rows_and_attributes() -> None:
    full = SourceTable(compared_fraction=1)
    assert query_based.mds(full) == 2 * N
    assert query_based.mds_worst_case(full) == 4 * N
    assert query_based.mds_by_hash(full, key_index_pages=0.1 * N) == pytest.approx(2.2 * N)
    assert query_based.qda(full) == 6 * N


def test_time_stamps_scan_where_there_is_no_index() -> None:
    assert times_n(query_based.ts(TABLE)) == pytest.approx(1.1 + 0.01, abs=0.02)
    assert query_based.tdi_without_index(TABLE) == query_based.ts(TABLE)


def test_time_stamps_of_a_table_with_deletes_need_the_whole_copy() -> None:
    assert query_based.ts(TABLE, deletes=True) == TABLE.augmented_pages + TABLE.copy_pages


def test_tdi_follows_figure_4() -> None:
    assert query_based.tdi(TABLE) == pytest.approx(0.01 * (1.1 + 1 + 0.1) * N + 3, abs=0.2)
    assert query_based.tdi_worst_case(TABLE) == pytest.approx(query_based.tdi(TABLE) + 6)


def test_a_table_that_has_flags_does_not_grow_by_them() -> None:
    assert replace(TABLE, has_flags=True).augmented_pages == N


def test_atdi_without_and_with_the_height_of_the_index() -> None:
    with_height = query_based.atdi(TABLE)
    assert round(times_n(with_height - TABLE.index_height), 3) == 0.014
    assert round(times_n(with_height), 3) == 0.017


def test_a_projected_copy_makes_atdi_cheaper() -> None:
    saved = query_based.atdi(TABLE) - query_based.atdi_projected(TABLE)
    assert saved == pytest.approx(0.01 * (N - TABLE.copy_pages))


def test_atdi_of_a_large_comment_left_out_saves_half() -> None:
    """A comment larger than all other attributes together (3.2.2); the height of the index is the same for both."""
    pages = [
        query_based.atdi_projected(SourceTable(compared_fraction=share)) - TABLE.index_height for share in (0.45, 1)
    ]
    assert pages[0] < 0.5 * pages[1]


def test_tlcs_with_one_tenth_of_the_attributes() -> None:
    assert round(times_n(query_based.tlcs(SourceTable(compared_fraction=0.1))), 3) == 1.001


def test_checksums_beside_the_table_are_read_as_well() -> None:
    added = query_based.tlcs_beside(TABLE) - query_based.tlcs(TABLE)
    assert added == TABLE.checksum_pages == 79  # 10,000 rows of 16 bytes, 128 a page


def test_id_of_a_million_rows() -> None:
    million = SourceTable(rows=1_000_000, compared_fraction=1)
    assert million.pages == 100_000
    # 100 pages in the paper, which takes a page for 2,000 bytes here.
    assert round(times_n(million.auxiliary_pages, million), 3) == 0.001
    assert round(times_n(query_based.incremental(million), million), 3) == 2.001


def test_id_for_inserts_and_deletes_keeps_the_keys_alone() -> None:
    saved = query_based.incremental(SourceTable(compared_fraction=1)) - query_based.incremental(
        SourceTable(compared_fraction=0)
    )
    assert times_n(saved) > 0.9


def test_range_checksums_read_about_the_table() -> None:
    assert query_based.range_checksum(TABLE) == pytest.approx(N + TABLE.auxiliary_pages + 0.01 * TABLE.copy_pages)


def test_clustered_changes_keep_four_fifths_of_the_ranges_at_home() -> None:
    assert query_based.changed_ranges(TABLE, clustered=True) == pytest.approx(0.2, abs=0.005)
    assert query_based.changed_ranges(TABLE) == pytest.approx(1 - 0.99**100)


def test_the_old_way_to_refresh_a_view() -> None:
    assert view_based.apply_old_way(VIEW) == pytest.approx(300_400)
    assert view_based.replace_old_way(VIEW) == 220_000


def test_vbd_by_checksums() -> None:
    assert times_n(view_based.change_file(VIEW), VIEW) == pytest.approx(4.06)
    assert view_based.vbd_by_checksums(VIEW) == pytest.approx(40_800)  # printed 4.1 N, 41,000
    assert view_based.vbd_by_checksums(VIEW) < 0.3 * view_based.replace_old_way(VIEW)
    assert times_n(view_based.vbd_by_checksums_worst_case(VIEW), VIEW) == pytest.approx(4.06 + 4)


def test_vbd_by_flags() -> None:
    assert view_based.vbd_by_flags(VIEW) == pytest.approx(1520, rel=0.01)  # with S = 1.1 N, here 1.1112 N
    assert view_based.vbd_by_flags(replace(VIEW, has_flags=True)) == pytest.approx((0.12 + 0.02) * VIEW.pages)


def test_figure_9_has_the_paper_s_shape() -> None:
    """6 N, 2 N, MDS up to 2 N, range checksums at about N, ATDI as low as .01 N."""
    figure = figure_9()
    assert figure.shares == pytest.approx([n / 10 for n in range(1, 11)])
    assert set(figure.curves["RSBC"]) == {6000}
    assert set(figure.curves["P/SWC"]) == {2000}
    assert figure.curves["MDS"][-1] == 2000
    assert all(1000 < pages < 1012 for pages in figure.curves["ID/RCS"])
    assert min(figure.curves["ATDI"]) < 0.01 * N < max(figure.curves["ATDI"])
    assert all(sorted(pages) == pages for pages in figure.curves.values())


def test_figure_10_gains_on_both_sides_of_the_join() -> None:
    figure = figure_10()
    assert figure.shares[-1] == 0.1
    for label in ("MDS", "ID/RCS"):
        assert figure.curves[label][0] == pytest.approx(0.1 * figure.curves[label][-1], rel=0.1)
    assert all(mds >= rcs for mds, rcs in zip(figure.curves["MDS"], figure.curves["ID/RCS"], strict=True))


fractions = st.floats(0, 1)
tables = st.builds(
    SourceTable,
    rows=st.integers(0, 10**9),
    row_bytes=st.integers(8, 5000),
    key_bytes=st.integers(1, 8),
    compared_fraction=fractions,
    applicable_fraction=fractions,
    change_fraction=fractions,
    relations=st.integers(1, 8),
)


@pytest.mark.parametrize("cost", FORMULAS, ids=lambda cost: cost.__name__)
@given(table=tables, more=fractions)
def test_more_of_anything_is_never_cheaper(
    cost: Callable[[SourceTable], float], table: SourceTable, more: float
) -> None:
    for field in ("compared_fraction", "applicable_fraction", "change_fraction"):
        assert cost(replace(table, **{field: max(more, getattr(table, field))})) >= cost(table)
    assert cost(replace(table, rows=table.rows * 2)) >= cost(table)
    assert cost(replace(table, relations=table.relations + 1)) >= cost(table)


@given(table=tables, clustered=st.booleans())
def test_a_share_of_ranges_stays_a_share_and_holds_the_changes(table: SourceTable, clustered: bool) -> None:
    share = query_based.changed_ranges(table, clustered)
    assert 0 <= share <= 1
    if table.rows >= max(table.ranges, 1):
        assert share >= table.change_fraction - 1e-9


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ({"rows": -1}, "rows can't be -1"),
        ({"compared_fraction": 30}, "compared_fraction can't be 30; it takes a number from 0 to 1"),
        ({"page_bytes": 0}, "page_bytes can't be 0; it takes a number above 0"),
        ({"key_bytes": 300}, "key_bytes can't be 300; a row has 200 bytes"),
    ],
)
def test_what_can_t_be_a_size_is_refused(size: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SourceTable(**size)  # type: ignore[arg-type]

"""What pages and charts are made of."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from deltawave.pages.charts import Bar, Series, height_of, meter, stacked_bars, ticks
from deltawave.pages.html import Markup, marked, page, table
from deltawave.pages.texts import Table, plain, require_writable

SERIES = (Series("one", "#000000", "#ffffff"), Series("two", "#000000", "#ffffff"))


class Rects(HTMLParser):
    """The rectangles of a chart: (class, x, y, width, height)."""

    def __init__(self, svg: str) -> None:
        super().__init__()
        self.found: list[tuple[str, float, float, float, float]] = []
        self.feed(svg)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "rect":
            x, y, width, height = (float(given[name] or "") for name in ("x", "y", "width", "height"))
            self.found.append((given["class"] or "", x, y, width, height))


def chart(*parts: tuple[int, int]) -> str:
    bars = [Bar(f"bar {number}", f"<{number}>", each) for number, each in enumerate(parts)]
    return stacked_bars("c", "A & B", "so many", SERIES, bars)


def test_parts_of_a_bar_lie_on_top_of_each_other() -> None:
    one, two, *others = Rects(chart((30, 10), (0, 20))).found
    assert (one[0], two[0]) == ("one", "two")
    assert one[4] == pytest.approx(3 * two[4], rel=0.01)
    assert two[2] + two[4] == pytest.approx(one[2], abs=0.2)
    (other,) = others
    assert other[1] > one[1] + one[3]
    assert other[2] + other[4] == pytest.approx(one[2] + one[4], abs=0.2)


def test_a_small_part_is_seen_and_none_is_not_drawn() -> None:
    rects = Rects(chart((1_000_000, 1), (0, 0))).found
    assert [rect[4] >= 1 for rect in rects] == [True, True]


def test_names_in_a_chart_are_escaped() -> None:
    svg = chart((1, 1))
    assert "A &amp; B" in svg
    assert "&lt;0&gt;" in svg
    assert "<0>" not in svg


def test_a_chart_of_many_bars_is_as_wide_as_its_bars() -> None:
    svg = chart(*[(1, 1)] * 60)
    width = float(re.findall(r'width="(\d+)"', svg)[0])
    assert all(x + wide <= width for _, x, _, wide, _ in Rects(svg).found)
    assert "nan" not in svg
    # Marks are left out where there is no room.
    assert 5 < svg.count("&lt;") < 20


def test_an_outlier_is_cut_and_others_are_seen() -> None:
    svg = chart((12_000, 0), (100, 0), (90, 0))
    assert "12,000 ↑" in svg
    heights = [rect[4] for rect in Rects(svg).found]
    assert heights[0] == max(heights)
    assert heights[1] > heights[0] / 2


def test_figures_of_bars_that_are_cut_do_not_overlap() -> None:
    svg = chart(*[(12_000, 0) if number in (0, 1, 30) else (100, 0) for number in range(60)])
    assert (svg.count("12,000 ↑"), svg.count("↑")) == (2, 3)


@pytest.mark.parametrize(
    ("totals", "height"), [([], 0), ([7], 7), ([7, 0], 7), ([100, 99], 100), ([1000, 9], 9), ([1000] * 5 + [9], 1000)]
)
def test_the_height_of_a_chart(totals: list[int], height: int) -> None:
    assert height_of(totals) == height


@pytest.mark.parametrize("most", [0, 1, 3, 5, 6, 10, 11, 99, 12_308, 10**9, 3 * 10**15 + 1])
def test_ticks_are_few_and_reach_the_highest(most: int) -> None:
    steps = ticks(most)
    assert steps[0] == 0
    assert steps[-1] >= max(most, 1)
    assert 2 <= len(steps) <= 6
    assert len({later - earlier for earlier, later in pairwise(steps)}) == 1
    # No more than a step above.
    assert steps[-2] < max(most, 1)


def test_a_meter_stays_within_its_box() -> None:
    assert [re.findall(r'<rect width="([^"]*)"', meter(share)) for share in (-1, 0, 0.5, 2)] == [
        ["0.0"],
        ["0.0"],
        ["60.0"],
        ["120.0"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("57.503611", "57.503555", ("57.503<del>611</del>", "57.503<ins>555</ins>")),
        ("ann", "anna", ("ann", "ann<ins>a</ins>")),
        ("aa", "aaa", ("aa", "aa<ins>a</ins>")),
        ("ann", None, ("<del>ann</del>", "<ins>null</ins>")),
        (None, "null", ("<del>null</del>", "<ins>&#x27;null&#x27;</ins>")),
        ("", " ", ("&#x27;&#x27;", "&#x27;<ins> </ins>&#x27;")),
        ("<i>", "<b>", ("&lt;<del>i</del>&gt;", "&lt;<ins>b</ins>&gt;")),
        ("same", "same", ("same", "same")),
    ],
)
def test_what_differs_is_marked(old: str | None, new: str | None, shown: tuple[str, str]) -> None:
    assert marked(old, new) == shown


def test_long_values_are_marked_where_they_differ() -> None:
    old, new = marked("x" * 500 + "old" + "y" * 500, "x" * 500 + "new" + "y" * 500)
    assert old.startswith(f"…{'x' * 20}<del>old</del>y")
    assert new.startswith(f"…{'x' * 20}<ins>new</ins>y")


def test_cells_are_escaped_unless_they_are_markup() -> None:
    text = table(Table("<t>", ("<h>",), [("<c>",), (Markup("<b>c</b>"),)]), ['data-x="1"', ""])
    assert 'aria-label="&lt;t&gt;"' in text
    assert '<th scope="col">&lt;h&gt;</th>' in text
    assert '<tr data-x="1"><td>&lt;c&gt;</td></tr>\n<tr><td><b>c</b></td></tr>' in text
    assert "<th scope" in table(Table("t", ("a", "b"), []))


def test_a_page_allows_its_own_script_only() -> None:
    assert "script" not in page("t", "<p>b</p>\n")
    text = page("t", "<p>b</p>\n", script="void 0;")
    assert text.count("<script") == 1
    # What openssl computes of "void 0;".
    assert "script-src 'sha256-T1YEXClWF9CUhD2vRqC2ZkctVhPSMrn+MCIkJI7U02I='" in text


def test_different_values_have_different_texts() -> None:
    values = [
        None,
        "null",
        "'null'",
        "",
        "''",
        "'",
        "a\nb",
        "a\\nb",
        "'a\\nb'",
        " a\n",
        " a\\n",
        " ",
        "\\",
        "\x1b",
        "\\x1b",
    ]
    texts = [plain(value) for value in values]
    assert len(set(texts)) == len(values)
    assert all(text.isprintable() for text in texts)
    assert [plain(value) for value in ("C:\\new", "O'Neill", "a\nb\\")] == ["C:\\new", "O'Neill", r"'a\nb\\'"]


def test_a_file_that_can_not_be_written(tmp_path: Path) -> None:
    require_writable(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError, match=r"\[Errno 2\] .*none"):
        require_writable(tmp_path / "none" / "page.html")
    with pytest.raises(IsADirectoryError):
        require_writable(tmp_path)

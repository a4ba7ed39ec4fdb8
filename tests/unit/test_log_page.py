"""The page about a change log, of made-up logs."""

import re
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from html_pages import Page
from unit.made_up_log import BEGIN, batch, delete, insert, report, update

from deltawave.comparing.comparison import Concentration
from deltawave.pages.html import MARKS
from deltawave.reporting.batch_views import BYTES, SERIES
from deltawave.reporting.log_report import rarest_first
from deltawave.reporting.page import as_html

ODD = '<i>"o\'dd" & ${name}</i>'


def test_one_batch() -> None:
    """What its bars would show is in its line."""
    text = as_html(report(batch=2, batches=(batch(2, updates=0),), updates=0, columns={}, samples=()))
    assert re.findall(r"<h[12]>(.*)</h[12]>", text) == [
        "What changed in dev.accounts, batch 2",
        "Columns that change most",
        "Where the changes concentrate",
        "Some of the changes",
        "Quarantine",
        "Batches",
    ]
    page = Page(text)
    for shown in ("1 batch, 2026-02-01.", "The batch has no updates.", "The batch has no changes.", "before and after"):
        assert shown in page.text, shown


def test_dumps_that_have_no_dates_are_named() -> None:
    """By the column of their names; long ones are cut below a bar."""
    at = {"at": BEGIN.replace(hour=12)}
    names = ("7", "a_name_that_is_too_long_for_its_bar", "<8>")
    named = tuple(batch(number, dump=name, **at) for number, name in enumerate(names, 1))
    page = Page(as_html(report(batches=named)))
    for shown in (
        "3 batches, dump 7 to <8>.",
        "batch 3, dump <8>: 3 updates",
        "a_name_that…",
        "batch dump date strategy",
        "3 <8> 2026-01-31 12:00 outer_join",
    ):
        assert shown in page.text, shown
    dated = tuple(batch(number, dump=f"{batch(number).at:%Y-%m-%d}") for number in (1, 2, 3))
    assert "dump" not in Page(as_html(report(batches=dated))).text


def test_everything_that_a_log_holds() -> None:
    text = as_html(report())
    page = Page(text)
    assert re.findall(r"<h2>(.*)</h2>", text) == [
        "Changes by batch",
        "Columns that change most",
        "Where the changes concentrate",
        "Some of the last changes",
        "Quarantine",
        "Seconds by batch",
        "Batches",
    ]
    assert "rows begin with" not in page.text
    for shown in (
        "What changed in dev.accounts",
        "3 batches, 2026-01-31 to 2026-02-02.",
        # Without the load.
        "rows of the table 4 inserts 2 updates 6 deletes 1 rows read 8 of full comparisons 100.0% seconds 1.2",
        # The batch whose duration is not known is not drawn.
        "In all 1.2 seconds.",
        "made on 2026-05-01 12:30 UTC",
        "Loads are not drawn: batch 1 with 4 rows.",
        "batch 2, 2026-02-01: 2 inserts, 3 updates, 1 delete",
        "66.7%",
        "north",
        "id: 9, name: twice",
        "the dump is large",
        "outer_join in 2 batches, hash_compressed in 1 batch",
    ):
        assert shown in page.text, shown
    # Of an update the difference, old next to new; of other changes the row.
    assert "<td>1.<del>50</del></td><td>1.<ins>75</ins></td>" in text
    assert "name: eve, amount: null" in page.text
    assert "name: cid, amount: 3.00" in page.text


def test_tags_and_names_are_in_order() -> None:
    page = Page(as_html(report()))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    charts = [each for each in page.all("svg") if each.get("role") == "img"]
    assert [set((each["aria-labelledby"] or "").split()) <= set(ids) for each in charts] == [True, True]
    assert all(each.get("aria-hidden") or each.get("aria-labelledby") for each in page.all("svg"))
    # What scrolls is reached by the keyboard, and has a name.
    scrolling = [each for each in page.all("div") if each.get("class") == "scroll"]
    assert scrolling
    assert all(each["tabindex"] == "0" and each["aria-label"] for each in scrolling)
    # Each control is within its label, which begins with a text.
    labelled = re.findall(r"<label>(\w+) <(select|input)", as_html(report()))
    assert [name for name, _ in labelled] == ["Change", "Column", "Text"]
    assert len(labelled) == len(page.all("select")) + len(page.all("input"))
    assert [each for each in page.all("th") if "scope" not in each] == []
    assert page.all("html") == [{"lang": "en"}]


def test_nothing_is_loaded_from_elsewhere() -> None:
    text = as_html(report())
    assert "http" not in text.replace('http-equiv="Content-Security-Policy"', "")
    page = Page(text)
    assert not {tag for tag, _ in page.elements} & {"link", "img", "iframe", "object", "a", "base"}
    assert not [name for _, attributes in page.elements for name in attributes if name in ("src", "href", "style")]
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]


def test_without_a_script_all_samples_are_shown() -> None:
    page = Page(as_html(report()))
    (form,) = page.all("form")
    assert "hidden" in form
    assert not [each for each in page.all("tr") if "hidden" in each]
    lines = [each for each in page.all("tr") if "data-change" in each]
    assert [(each["data-change"], each.get("data-column")) for each in lines] == [
        ("update", "0"),
        ("insert", None),
        ("delete", None),
    ]


def test_any_name_and_any_value() -> None:
    row = {"id": ODD, ODD: ODD, "</script>": "]]>"}
    found = report(
        name=f"dev.{ODD}",
        key=("id",),
        batches=(batch(1), batch(2, strategy=ODD, reason=f"{ODD}\u202e", quarantined=1)),
        columns={ODD: 1, "</script>": 1},
        concentrations=(Concentration("delete", ODD, ODD, 5, 1.0, 5, 0.5, 2.0, 1.0),),
        samples=(
            update(2, {ODD: "x", "</script>": None}, (ODD, "</script>"), **row),
            insert(2, **row),
            delete(2, **row),
        ),
        quarantined=({ODD: ODD},),
    )
    text = as_html(found)
    page = Page(text)
    assert not {tag for tag, _ in page.elements} & {"i", "b"}
    assert text.count("</script>") == 1
    assert "\u202e" not in text
    assert ODD in page.text
    values = [each["value"] for each in page.all("option")]
    assert values == ["", "insert", "update", "delete", "", "0", "1"]


@pytest.mark.parametrize(
    ("others", "shown"),
    [
        ({"batches": (), "first_batch": None, "updates": 0}, "There is no other batch yet."),
        ({"batches": (batch(1),), "updates": 0, "columns": {}}, "Loads are not drawn: batch 1 with 4 rows."),
        ({"batches": (batch(1), batch(2, updates=0))}, "batch 2, 2026-02-01: no changes"),
        ({"updates": 0, "columns": {}}, "The log has no updates."),
        ({"columns": {}, "unrecorded": 6}, "Of 6 updates the log does not record the columns."),
        ({"concentrations": ()}, "No value is clearly more frequent"),
        ({"concentrations": "baseline"}, "The log began with initial_load: baseline."),
        ({"concentrations": "multiset"}, "a key may have several rows"),
        ({"first_batch": 2}, "The log's rows begin with batch 2; earlier batches are only counted."),
        ({"first_batch": None}, "The log has no rows any more"),
        ({"samples": ()}, "The log has no changes."),
        ({"batches": (batch(1), batch(2)), "quarantined": ()}, "No row was quarantined."),
        ({"batches": (batch(1), batch(2, rows_read=None, rows_new=None, seconds=None))}, "batch 2, 2026-02-01"),
    ],
)
def test_what_a_log_does_not_have(others: dict[str, Any], shown: str) -> None:
    empty = {"samples": (), "columns": {}} if "batches" in others and not others["batches"] else {}
    page = Page(as_html(report(**{**empty, **others})))
    assert shown in page.text
    assert bool(page.all("script")) == ("samples" not in others and not empty)


def test_updates_without_before_images() -> None:
    row = {"id": "1", "name": "anna"}
    samples = (update(2, None, None, **row), update(2, None, ("name",), **row))
    page = Page(as_html(report(samples=samples)))
    assert page.text.count("(not recorded)") == 2
    assert "name: anna" in page.text
    assert page.all("del") == []


def test_deletes_without_values() -> None:
    assert "(not recorded)" in Page(as_html(report(samples=(delete(2, id="3", name=None),)))).text


def test_a_batch_with_many_changes_does_not_hide_the_others() -> None:
    text = as_html(report(batches=(batch(1), batch(2, updates=12_000), batch(3))))
    assert "12,000 ↑" in text
    assert "A bar with ↑ is higher than it is drawn." in text
    assert "↑" not in as_html(report())


def test_shares_are_of_the_updates_whose_columns_are_recorded() -> None:
    text = Page(as_html(report(updates=10, unrecorded=6, columns={"amount": 4}))).text
    assert "amount 4  100.0%" in text


def test_rows_read_beside_those_of_a_full_comparison() -> None:
    ranges = [batch(number, rows_read=1, strategy="ranges") for number in (2, 3)]
    text = Page(as_html(report(batches=(batch(1), *ranges)))).text
    assert "rows read 2 of full comparisons 25.0%" in text
    assert "ranges configured 1 25.0% 4" in text
    # Nobody knows how many rows a full comparison would have read.
    assert "of full comparisons" not in Page(as_html(report(batches=(batch(1), batch(2, rows_new=None))))).text


def test_bytes_read_beside_those_of_a_full_comparison() -> None:
    slices = [batch(2, bytes_read=1_200_000, bytes_full=4_800_000), batch(3, bytes_read=3_000)]
    text = Page(as_html(report(batches=(batch(1, bytes_read=4_800_000), *slices, batch(4))))).text
    # Without the load, and without batches of which only one of both is known.
    assert "bytes read 1.2 MB bytes of full comparisons 4.8 MB" in text
    assert "In all 1.2 MB read, 3.6 MB spared." in text
    assert "batch 3, 2026-02-02: 3.0 kB read" in text
    assert "4 1.2\u00a0MB 4.8\u00a0MB 0 3 0" in text
    whole = Page(as_html(report(batches=(batch(1), batch(2, bytes_read=500, bytes_full=500))))).text
    assert "Bytes read by batch, in B" in whole
    assert "spared" not in whole
    assert "bytes" not in Page(as_html(report())).text.lower()


def test_batches_of_one_day_have_their_times_below() -> None:
    assert ">2026-02-01</text>" in as_html(report())
    batches = [batch(number, at=BEGIN + timedelta(hours=6 * number)) for number in range(1, 4)]
    text = as_html(report(batches=(*batches,)))
    assert ">01-31 12:00</text>" in text


def test_operations_are_listed_and_not_drawn() -> None:
    batches = (batch(1), batch(2), batch(3, strategy="expire", reason="expired the batches up to 2", updates=0))
    page = Page(as_html(report(batches=batches)))
    assert "expired the batches up to 2" in page.text
    assert "2 batches, 2026-01-31 to 2026-02-01." in page.text
    assert "batch 3" not in page.text


def test_a_long_log_of_a_wide_table_has_a_small_page() -> None:
    names = [f"column {number}" for number in range(800)]
    row = {"id": "1", **dict.fromkeys(names, "x" * 1000)}
    before = dict.fromkeys(names, "y" * 1000)
    samples = [update(number, before, tuple(names), **row) for number in range(9900, 10_000)]
    found = report(
        batches=tuple(
            batch(number, at=BEGIN + timedelta(hours=number), reason="r" * 5000, quarantined=1)
            for number in range(1, 10_001)
        ),
        columns=dict.fromkeys(names, 3),
        samples=tuple(rarest_first(samples, dict.fromkeys(names, 3))),
        quarantined=(row,) * 10,
    )
    text = as_html(found)
    assert len(text) < 150_000
    page = Page(text)
    assert page.text.count("Not shown: 9,950 older batches.") == 2
    assert "Not shown: 770 columns with fewer updates." in page.text
    assert "and 792 columns more" in page.text
    assert "A bar is up to 167 batches." in page.text
    assert any(each.startswith("batches 2-168, ") and each.endswith(": 501 updates") for each in page.texts)
    assert len([each for each in page.all("rect") if each.get("class")]) <= 3 * 60


def luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """By the Web Content Accessibility Guidelines: 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


# What browsers show as light and dark pages: white, and the dark grays of Chromium and Firefox.
@pytest.mark.parametrize(("scheme", "pages"), [("light", ["#ffffff"]), ("dark", ["#121212", "#1c1b22"])])
def test_colors_can_be_distinguished_from_the_page_and_from_each_other(scheme: str, pages: list[str]) -> None:
    for drawn in (SERIES, BYTES):
        colors = [getattr(series, scheme) for series in drawn]
        assert all(contrast(color, page) >= 3 for color in colors for page in pages)
        # For those who see no hues.
        assert all(contrast(one, other) >= 1.4 for one, other in combinations(colors, 2))


def test_marked_text_can_be_read() -> None:
    light, dark = re.findall(r"--old: (#\w+); --new: (#\w+);", MARKS)
    assert all(contrast(color, "#000000") >= 7 for color in light)
    assert all(contrast(color, "#ffffff") >= 7 for color in dark)

"""Pages as a reader sees and uses them, in headless Chromium; `--screenshots FOLDER` keeps what they look like."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium, opened
from playwright.sync_api import Browser, Page, expect
from unit.made_up_log import MADE_AT, batch, delete, insert, report, update
from unit.wave_records import SPEC, after

from deltawave.comparing.comparison import (
    Change,
    Comparison,
    Concentration,
    Distribution,
    MovedKeys,
    Rename,
    Summary,
)
from deltawave.meshjoin.stream_page import MicroBatch
from deltawave.meshjoin.stream_page import as_html as stream_as_html
from deltawave.reporting.page import as_html
from deltawave.reporting.wave_page import as_html as wave_as_html
from deltawave.wave import WaveIndex

# What must be shown as it is, and what must fit into a phone.
ODD = '<img src=x onerror="document.title = 1">'
LONG = "a_name_without_a_blank_" * 10

BATCHES = (
    batch(1, inserts=48_000, rows_read=48_000, rows_new=48_000),
    *(
        batch(
            number,
            inserts=number * 7 % 40,
            updates=90 + number,
            deletes=number % 5,
            rows_read=number * 900,
            rows_new=48_000,
            bytes_read=number * 70_000,
            bytes_full=3_800_000,
        )
        for number in range(2, 14)
    ),
)


def log_page() -> str:
    return as_html(report(batches=BATCHES))


def odd_log_page() -> str:
    row = {"id": ODD, ODD: ODD, LONG: LONG}
    found = report(
        name=f"dev.{LONG}.{ODD}",
        key=("id",),
        batches=(batch(1), batch(2, strategy=LONG, reason=ODD, quarantined=1)),
        columns={ODD: 1, LONG: 1},
        concentrations=(Concentration("delete", ODD, LONG, 5, 1.0, 5, 0.5, 2.0, 1.0),),
        samples=(update(2, {ODD: "x", LONG: None}, (ODD, LONG), **row), insert(2, **row), delete(2, **row)),
        quarantined=({ODD: ODD},),
    )
    return as_html(found)


def comparison(**others: Any) -> Comparison:
    values: dict[str, Any] = {
        "key": ("id",),
        "old_rows": 1_000,
        "new_rows": 1_001,
        "equal": 700,
        "changed": 250,
        "only_old": 50,
        "only_new": 51,
        "old_columns": ("gone",),
        "new_columns": (),
        "ignored_columns": ("loaded_at",),
        "types": {"amount": {"old": "int", "new": "double", "compared_as": "double"}},
        "columns": {"name": 200, "amount": 50},
        "nulls": {"amount": (7, 0)},
        "changes": (
            Change(("1",), "name", "ann", "anna"),
            Change(("5",), "name", "the quick brown fox jumps", "the slow brown fox jumped"),
            Change(("2",), "amount", "1.50", None),
        ),
        "old_samples": ({"id": "3", "name": "bob"},),
        "new_samples": ({"id": "4", "name": "cid"},),
        "concentrations": (Concentration("changed", "region", "north", 250, 1.0, 260, 0.27, 3.7, 2.0),),
        "notes": ("amount: read as double",),
        "renames": (Rename("gone", "added", 0.998),),
        "moved_keys": MovedKeys(12, ((("8",), ("1008",)),)),
        "distributions": (
            Distribution(
                "amount",
                0.0,
                2.5,
                (90, 120, 160, 0, 200, 150, 90, 40),
                (60, 90, 150, 0, 210, 180, 120, 60),
                Summary(0.5, 9.25, 19.5),
                Summary(0.25, 10.75, 1_234_567.5),
                0.5,
            ),
        ),
    }
    return Comparison(**{**values, **others})


def odd_comparison() -> Comparison:
    return comparison(
        key=(ODD, LONG),
        columns={ODD: 1},
        changes=(Change((ODD, LONG), ODD, LONG, ODD),),
        old_samples=({ODD: LONG},),
        old_name=LONG,
        new_name=ODD,
        notes=(ODD,),
    )


def wave_page() -> str:
    record, _ = after(replace(SPEC, index=WaveIndex("reindex_plus_plus", 10, 3)), 22)
    # The first batch has loaded ten days at once.
    kinds = {each.number: "load" if each.rows_old else "start" for each in BATCHES}
    loads = [replace(each, reason=kinds[each.number], dump=f"2026-01-{each.number + 9}") for each in BATCHES]
    return wave_as_html("dev.recent_sales", record, loads, MADE_AT)


def stream_page() -> str:
    batches = [MicroBatch(number, 1000 * number, 2.0, 1 + number % 3, lag=number / 2) for number in range(1, 31)]
    return stream_as_html("joined", batches)


# Each page, and how many bars each of its charts has.
PAGES: dict[str, tuple[Callable[[], str], list[int]]] = {
    "log": (log_page, [12, 12, 12]),
    "odd_log": (odd_log_page, [1, 1]),
    "comparison": (lambda: comparison().to_html(), [7]),
    "odd_comparison": (lambda: odd_comparison().to_html(), [7]),
    "wave": (wave_page, [12, 12]),
    "stream": (stream_page, [30, 30, 30]),
}
DESKTOP = {"width": 1280, "height": 800}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": DESKTOP},
    "dark": {"color_scheme": "dark", "viewport": DESKTOP},
    "phone": {"color_scheme": "light", "viewport": {"width": 375, "height": 812}},
}
BACKGROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 18, 18)", "phone": "rgb(255, 255, 255)"}

# Texts that are seen, each with its contrast (Web Content Accessibility Guidelines 2, 1.4.3).
CONTRASTS = """() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [red, green, blue] = numbers(color).slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return numbers(color)[3] === 0 && element.parentElement ? behind(element.parentElement) : color;
  };
  const contrast = (element, color) => {
    const [darker, lighter] = [luminance(color), luminance(behind(element))].sort((one, other) => one - other);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    if (!texts.currentNode.data.trim() || !range.getBoundingClientRect().width) continue;
    const { color, fill } = getComputedStyle(element);
    found.push([texts.currentNode.data.trim(), contrast(element, element instanceof SVGElement ? fill : color)]);
  }
  for (const control of document.querySelectorAll("select, input"))
    found.push([control.name, contrast(control, getComputedStyle(control).color)]);
  return found;
}"""
# The boxes of each bar's parts, as areas.
BARS = """(chart) => {
  const area = (box) => box.width * box.height;
  const areas = (bar) => Array.from(bar.querySelectorAll("rect"), (part) => area(part.getBoundingClientRect()));
  return Array.from(chart.querySelectorAll("g"), areas);
}"""
# What has no name for those who hear the page.
NAMELESS = """() => {
  const text = (element) => element ? element.textContent.trim() : "";
  const named = (ids) => ids.split(" ").map((id) => text(document.getElementById(id))).join("");
  const name = (element) => element.getAttribute("aria-label")
    || named(element.getAttribute("aria-labelledby") || "")
    || Array.from(element.labels || [], text).join("");
  return Array.from(document.querySelectorAll("svg:not([aria-hidden]), figure, [role], select, input"))
    .filter((element) => !name(element)).map((element) => element.outerHTML.slice(0, 80));
}"""
# Where the keyboard is among all that it should reach, and the outline there.
FOCUS = """() => {
  const all = Array.from(document.querySelectorAll("summary, select, input, [tabindex='0']"))
    .filter((element) => !element.closest("details:not([open]) > :not(summary)"));
  const style = getComputedStyle(document.activeElement);
  return [all.indexOf(document.activeElement), all.length, style.outlineStyle, parseFloat(style.outlineWidth)];
}"""
Look = Callable[..., AbstractContextManager[Page]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def look(browser: Browser, tmp_path: Path) -> Look:
    """Opens one of the pages."""

    def opens(name: str, kind: str = "light") -> AbstractContextManager[Page]:
        file = tmp_path / f"{name}.html"
        file.write_text(PAGES[name][0](), encoding="utf-8")
        return opened(browser, file, **LOOKS[kind])

    return opens


@pytest.mark.parametrize("kind", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_all_can_be_read(name: str, kind: str, look: Look, request: pytest.FixtureRequest) -> None:
    with look(name, kind) as page:
        if folder := request.config.option.screenshots:
            page.screenshot(path=Path(folder, f"{name}_{kind}.png"), full_page=True)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == BACKGROUNDS[kind]
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > 20
        assert [each for each in contrasts if each[1] < 4.5] == []
        # What is wide scrolls in a box of its own.
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        boxes = page.locator(".scroll").evaluate_all("(all) => all.map((box) => box.scrollWidth > box.clientWidth)")
        assert any(boxes) or kind != "phone"


@pytest.mark.parametrize("name", PAGES)
def test_charts_are_drawn(name: str, look: Look) -> None:
    with look(name) as page:
        charts = [chart.evaluate(BARS) for chart in page.get_by_role("img").all()]
        assert [len(bars) for bars in charts] == PAGES[name][1]
        assert all(bar and min(bar) > 0 for bars in charts for bar in bars)
        meters = page.locator(".meter rect").evaluate_all(
            "(all) => all.map((bar) => bar.getBoundingClientRect().width)"
        )
        assert all(width > 0 for width in meters)


@pytest.mark.parametrize("name", PAGES)
def test_what_is_read_aloud_has_names_and_order(name: str, look: Look) -> None:
    with look(name) as page:
        assert page.evaluate(NAMELESS) == []
        headings = page.locator("h1, h2, h3, h4, h5, h6").evaluate_all("(all) => all.map((each) => each.localName)")
        assert headings[0] == "h1"
        assert set(headings[1:]) == {"h2"}


@pytest.mark.parametrize("name", PAGES)
def test_the_keyboard_reaches_all_and_shows_where_it_is(name: str, look: Look) -> None:
    with look(name) as page:
        _, count, _, _ = page.evaluate(FOCUS)
        assert count
        for place in range(count):
            page.keyboard.press("Tab")
            reached, _, outline, width = page.evaluate(FOCUS)
            assert (reached, outline) == (place, "solid")
            assert width >= 2


@pytest.mark.parametrize("name", ["odd_log", "odd_comparison"])
def test_values_are_texts(name: str, look: Look) -> None:
    with look(name) as page:
        expect(page.get_by_text(ODD).first).to_be_visible()
        assert page.locator("img").count() == 0
        assert page.title() != "1"


def test_filters_by_mouse_and_keyboard(look: Look) -> None:
    with look("log") as page:
        lines = page.locator("#samples tbody tr:visible")
        shown = page.locator("output")
        expect(shown).to_have_text("3 of 3 lines")
        change = page.locator("select[name=change]")
        change.select_option("delete")
        expect(shown).to_have_text("1 of 3 lines")
        assert lines.locator("td").first.inner_text() == "delete"
        change.select_option(label="all")
        page.locator("select[name=column]").select_option(label="amount")
        expect(shown).to_have_text("1 of 3 lines")
        page.locator("select[name=column]").select_option(label="all")
        change.focus()
        page.keyboard.press("u")
        expect(shown).to_have_text("1 of 3 lines")
        assert lines.locator("td").first.inner_text() == "update"
        page.keyboard.press("Home")
        expect(shown).to_have_text("3 of 3 lines")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.type("EVE")
        page.keyboard.press("Enter")
        expect(shown).to_have_text("1 of 3 lines")
        assert lines.locator("td").first.inner_text() == "insert"
        page.keyboard.type("!")
        expect(shown).to_have_text("0 of 3 lines")


def test_filters_of_a_comparison(look: Look) -> None:
    with look("comparison") as page:
        lines = page.locator("#samples tbody tr:visible")
        page.locator("select[name=column]").select_option(label="name")
        expect(page.locator("output")).to_have_text("2 of 5 lines")
        page.locator("select[name=column]").select_option(label="all")
        page.locator("select[name=change]").select_option(label="only in new")
        expect(page.locator("output")).to_have_text("1 of 5 lines")
        assert lines.locator("ins").inner_text() == "name: cid"
        page.locator("select[name=change]").select_option(label="all")
        page.locator("input[name=text]").fill("brown")
        # What both texts have stands once.
        assert lines.locator("td").last.inner_text() == "the quickslow brown fox jumpsjumped"


def test_figures_unfold_by_mouse_and_keyboard(look: Look) -> None:
    with look("log") as page:
        summary, figures = page.locator("summary").first, page.locator("details table").first
        expect(figures).to_be_hidden()
        summary.click()
        expect(figures).to_be_visible()
        assert figures.locator("tbody tr").count() == 12
        summary.press("Enter")
        expect(figures).to_be_hidden()

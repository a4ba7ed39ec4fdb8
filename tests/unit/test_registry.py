"""The registry of strategies: each has its macros, options, advice, tests and pages, and no other name passes."""

import re
from typing import Any

import pytest
from bad_input import messages, refused
from dbt_common.exceptions import CompilationError
from unit.macro_harness import ROOT, Macros

MACROS = Macros()
STRATEGIES: dict[str, dict[str, Any]] = MACROS._strategies()
OPTIONS: dict[str, dict[str, Any]] = MACROS._options()
PAGE = (ROOT / "docs" / "differential.md").read_text()
OPTIONS_PAGE = (ROOT / "docs" / "options.md").read_text()
TABLE = {"rows": 1_000_000, "row_bytes": 200, "key_bytes": 8, "change_fraction": 0.01, "compared_fraction": 0.5}
TABLE |= {"has_timestamps": False, "flags_deletes": False, "is_clustered": True, "can_be_locked": True, "relations": 2}


def section(title: str, page: str = PAGE) -> str:
    """A section of docs/differential.md, or of another page."""
    return re.split(r"^## ", page.split(f"\n## {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def first_cells(text: str) -> set[str]:
    """The names in backticks in the first cells of a section's tables."""
    heads = [line.split("|")[1] for line in text.splitlines() if line.startswith("|")]
    return {name for head in heads for name in re.findall(r"`(\w+)`", head)}


@pytest.mark.parametrize("name", STRATEGIES)
class TestEveryStrategy:
    def test_its_declaration_is_one(self, name: str) -> None:
        strategy = MACROS._strategy_named("accounts", name)
        assert set(strategy["options"]) <= set(OPTIONS)
        assert set(strategy["requires"]) | set(strategy["allows"]) <= set(OPTIONS)
        for option, allowed in strategy["allows"].items():
            assert OPTIONS[option]["default"] in allowed, option
        assert re.search(r"(CH98|LG96|LG95) ", strategy["source"])

    def test_its_macros_are_there(self, name: str) -> None:
        strategy = STRATEGIES[name]
        macros = [strategy["reader"]] + [strategy["comparison"]] * (strategy["compares"] == "sql")
        for macro in [*macros, *filter(None, [strategy["check"]])]:
            assert callable(getattr(MACROS, f"default__{macro}"))

    def test_advice_and_a_price_are_given(self, name: str) -> None:
        pages = MACROS._predicted_pages(TABLE)
        assert pages[name] >= 0
        assert MACROS._advice(TABLE, pages["changed_ranges"])[name]["reason"]

    def test_it_has_a_page_and_tests(self, name: str) -> None:
        page = (ROOT / "docs" / "strategies" / f"{name}.md").read_text()
        assert f"`{name}`" in page.splitlines()[0]
        tests = (ROOT / "tests" / "functional" / "strategies").glob("*.py")
        assert any(f'"{name}"' in file.read_text() for file in tests)


def test_a_declaration_takes_no_unknown_key() -> None:
    with pytest.raises(TypeError, match="takes no keyword argument 'sees'"):
        MACROS._strategy(
            reads="dump", reader="_whole_dump", keeps="copy", sees_deletes="all", source="LG96", sees="all"
        )


SLICE = {"reads": "slice", "keeps": "base"}
DECLARED: dict[str, dict[str, Any]] = {
    "a misspelt trait": {"resumes": "selects"},
    "a copy of a slice": {"reads": "slice"},
    "a base of whole dumps": {"keeps": "base"},
    "ranges of a copy": {"ranges": "lookup"},
    "checksums of ranges that are not compared": {**SLICE, "ranges": "lookup", "checksums": "ranges"},
    "kept checksums of nothing": {**SLICE, "keeps": "checksums", "before_images": "log"},
    "before images that checksums hold": {**SLICE, "keeps": "checksums", "checksums": "rows"},
    "bags, compared in Python": {"compares": "python", "allows": {"duplicate_keys": ["fail", "multiset"]}},
    "drift of slices": {**SLICE, "allows": {"on_schema_change": ["ignore", "sync_all_columns"]}},
    "an option that does not exist": {"options": ["hints"]},
}


def settings(traits: dict[str, Any], **config: Any) -> dict[str, Any]:
    """A model's settings in a project with a strategy of its own, mine."""
    macros = Macros()
    whole = {"reads": "dump", "reader": "_whole_dump", "keeps": "copy", "sees_deletes": "all", "source": "LG96"}
    declared = macros.default___strategies() | {"mine": macros._strategy(**whole | traits)}
    macros.adapter.view_by_python = macros.adapter.check_library_function = lambda *_: None
    macros.adapter.dispatch = lambda name, package: (
        (lambda: declared) if name == "_strategies" else macros._dispatch(name, package)
    )
    found: dict[str, Any] = macros._differential_settings("accounts", {"unique_key": "id", **config})
    return found


class TestOwnDeclarations:
    @pytest.mark.parametrize("kind", DECLARED)
    def test_a_wrong_one_is_explained(self, kind: str) -> None:
        with refused("Own strategies", kind):
            settings(DECLARED[kind], strategy="mine")

    def test_all_kinds_are_tested(self) -> None:
        assert list(messages("Own strategies")) == list(DECLARED)

    def test_an_option_of_all_strategies_stays_one(self) -> None:
        traits = {"compares": "python", "comparison": "shop.compare", "options": ["tolerance", "overlap"]}
        near = {"tolerance": {"amount": 0.5}}
        assert settings(traits, **near)["tolerance"] == near["tolerance"]
        assert settings(traits, strategy="mine", overlap="1 hour", **near)["overlap"] == "1 hour"
        with pytest.raises(CompilationError, match="it belongs to timestamp, timestamp_delete_flag, mine"):
            settings(traits, overlap="1 hour")

    def test_bags_are_not_compared_in_python(self) -> None:
        python = {"compares": "python", "comparison": "shop.compare"}
        with pytest.raises(CompilationError, match="'multiset' with strategy: mine; it takes fail or quarantine"):
            settings(python, strategy="mine", duplicate_keys="multiset")
        narrow = {**python, "allows": {"duplicate_keys": ["fail"]}}
        with pytest.raises(CompilationError, match="'quarantine' with strategy: mine; it takes fail"):
            settings(narrow, strategy="mine", duplicate_keys="quarantine")


def test_a_batch_takes_no_unknown_key() -> None:
    with pytest.raises(CompilationError, match="colums is no key of a job, a result or a decision"):
        MACROS._update({"columns": None}, colums=[])


class TestPage:
    def test_strategies(self) -> None:
        page = (ROOT / "docs" / "strategies" / "choosing.md").read_text()
        rows = re.findall(r"^\| \[`(\w+)`\]\((\w+)\.md\)", page, re.MULTILINE)
        assert sorted(rows) == sorted((name, name) for name in STRATEGIES)

    def test_options(self) -> None:
        text = section("All options", OPTIONS_PAGE)
        assert set(OPTIONS) == first_cells(text)
        for option, declared in OPTIONS.items():
            line = next(line for line in text.splitlines() if re.match(rf"\| [^|]*`{option}`", line))
            for value in declared.get("values", []) if option != "strategy" else []:
                if isinstance(value, str):
                    assert f"`{value}`" in line or value == declared["default"], (option, value)
            default = declared["default"]
            cell = line.split("|")[2]
            if isinstance(default, (str, float, bool, int)):
                assert str(default).lower() in cell, (option, cell)
            readers = [name for name, strategy in STRATEGIES.items() if option in strategy["options"]]
            assert sorted(re.findall(r"`(\w+)`", line.split("|")[4])) == sorted(readers), option

    def test_relations(self) -> None:
        text = section("Relations")
        # The tables of a wave index are on its page; nothing writes forms that are gone.
        gone = {name for name, form in MACROS._state_forms().items() if form["is_gone"]}
        for kind in set(MACROS._attempt_kinds()) - gone:
            assert f"x__{kind}_" in text or kind == r"index\d+", kind

    def test_columns_of_batches(self) -> None:
        assert {"batch_id", *MACROS._batches_columns()} <= first_cells(PAGE)


def test_kinds_are_all_that_a_declaration_says() -> None:
    assert set(STRATEGIES["outer_join"]) == {
        *MACROS._traits(STRATEGIES["outer_join"]),
        "reader",
        "comparison",
        "options",
        "requires",
        "allows",
        "library",
        "elsewhere",
        "check",
        "source",
    }

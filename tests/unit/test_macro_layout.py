"""The layout of macros: files bear their names, folders use each other one way only, and keys are declared."""

import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from unit.macro_harness import ROOT, Macros

MACROS = ROOT / "macros"
FILES = sorted(MACROS.rglob("*.sql"))
DEFINED = re.compile(r"{%-?\s*(?:macro|test)\s+(\w+)")
# Nobody calls it by name, and it may have the name of a macro.
MATERIALIZATION = re.compile(r"{%-?\s*materialization\s+(\w+)")
COMMENT = re.compile(r"{#.*?#}", re.DOTALL)
ADAPTERS = re.compile(r"^(default|spark|databricks|postgresql|mysql|derby)__")


def code(path: Path) -> str:
    """A file without its comments."""
    return COMMENT.sub("", path.read_text())


def defined(path: Path) -> list[str]:
    """The macros of a file, without the adapters or dialects that they are for."""
    return [ADAPTERS.sub("", name) for name in DEFINED.findall(path.read_text())]


def calls() -> Iterator[tuple[Path, str]]:
    """Each file with each macro that it calls by name: as deltawave.macro(), by dispatch, or in a declaration."""
    names = {name for path in FILES for name in defined(path)}
    for path in FILES:
        # Messages name macros that a user may call.
        text = code(path) if path.parent.name != "messages" else ""
        called = set(re.findall(r"\bdeltawave\.(\w+)\(", text)) | set(re.findall(r"dispatch\('(\w+)'", text))
        yield from ((path, name) for name in called & names)


def folder(path: Path) -> str:
    return str(path.parent.relative_to(MACROS))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(MACROS)))
def test_a_file_bears_the_name_of_a_macro_of_its(path: Path) -> None:
    assert path.stem in defined(path) + MATERIALIZATION.findall(path.read_text())


def test_no_macro_is_defined_twice() -> None:
    names = [name for path in FILES for name in DEFINED.findall(path.read_text())]
    assert sorted(names) == sorted(set(names))


def test_every_macro_that_is_called_is_there() -> None:
    names = {name for path in FILES for name in defined(path)}
    for path in FILES:
        missing = set(re.findall(r"\bdeltawave\.(_\w+)\(", code(path))) - names
        assert not missing, path


def test_every_helper_is_called() -> None:
    used = {word for path in FILES for word in re.findall(r"(?<!macro )\b\w+", code(path))}
    for path in FILES:
        for name in DEFINED.findall(path.read_text()):
            plain = ADAPTERS.sub("", name)
            assert plain in used or not plain.startswith("_"), f"nobody calls {name}"


def test_lists_in_comments_have_a_term_in_a_line() -> None:
    """Two spaces follow a term; in the midst of a line they show a list that was run together."""
    term = re.compile(r" {4,}\w+(?:,? \w+)? {2,}\S")
    for path in FILES:
        for comment in COMMENT.findall(path.read_text()):
            for line in comment.split("\n"):
                # Quoted output has columns of its own, and a part of yml comments.
                gaps = re.findall(r"\S {2,}[^\s#]", re.sub(r'".*?"', "quoted", line))
                assert not gaps or (len(gaps) == 1 and term.match(line)), (path, line)


def test_every_message_is_given_once() -> None:
    messages = [name for concern in Macros()._messages() for texts in concern.values() for name in texts]
    assert len(messages) == len(set(messages))
    given = "".join(code(path) for path in FILES if path.parent.name != "messages")
    given += "".join(path.read_text() for path in (ROOT / "src" / "deltawave").rglob("*.py"))
    named = set(re.findall(r"['\"](\w+)['\"]", given))
    # The names of the guards, and of a late day's reasons, are put together.
    assert {name for name in messages if not name.startswith(("too_many_", "late_"))} <= named


def test_messages_correct_something() -> None:
    kinds = {kind for concern in Macros()._messages() for kind in concern}
    assert kinds == {"Configuration", "Data", "State", "Usage"}


def test_folders_use_each_other_one_way_only() -> None:
    homes = {name: folder(path) for path in FILES for name in defined(path)}
    uses: dict[str, set[str]] = {}
    for path, name in calls():
        if homes[name] != folder(path):
            uses.setdefault(folder(path), set()).add(homes[name])
    assert list(TopologicalSorter(uses).static_order())


def keys(home: str, indent: int) -> set[str]:
    """The keys of a mapping that begins in a file."""
    text = next(MACROS.rglob(f"{home}.sql")).read_text()
    return set(re.findall(rf"^ {{{indent}}}'(\w+)':", text, re.MULTILINE))


ATTEMPT = {"batch_id", "attempt", "label", "staged_in", "started_at"}
READING = set(re.findall(r"'(\w+)':", code(next(MACROS.rglob("_reading.sql")))))
# The value's name, the keys that it has, and what fills it in.
VALUES = {
    "batch": ATTEMPT | keys("_begin_batch", 4),
    "job": keys("_open_job", 4),
    "reading": READING,
    "batch.reading": READING,
    "result": keys("_begin_batch", 6),
    "batch.result": keys("_begin_batch", 6),
}


@pytest.mark.parametrize("value", VALUES)
def test_keys_are_declared_where_a_value_begins(value: str) -> None:
    declared = VALUES[value]
    assert len(declared) >= 10
    for path in FILES:
        if folder(path) == "maintaining":
            continue
        text = code(path)
        assert f"do {value}.update(" not in text, f"{path}: keys are filled in by _update"
        read = set(re.findall(rf"(?<![\w.]){re.escape(value)}\.(\w+)", text)) - {"get"}
        assert read <= declared, (path, read - declared)


def test_an_attempt_never_changes_once_begun() -> None:
    """What depends on what it has is put beside that once, as it begins, and what was read, by the engine."""
    for path in FILES:
        changed = re.findall(r"_update\(\s*batch,\s*([\w*]+)", code(path))
        assert not changed or path.stem in {"_begin_batch", "_compare_dump"}, path
        assert set(changed) <= {"reading", "checksum_fingerprint", "**deltawave"}, (path, changed)


def test_the_commit_protocol_reads_what_every_decision_has() -> None:
    common = keys("_decision", 4)
    for name in ("_commit", "_place", "_record_batch", "_recover", "_refuse"):
        text = code(MACROS / "differential" / "commit" / f"{name}.sql")
        read = set(re.findall(r"(?<![\w.])record\.(\w+)", text)) - {"get"}
        assert read <= common, (name, read - common)


def test_only_the_state_knows_its_forms_by_name() -> None:
    forms = "|".join(Macros()._state_forms())
    compared = re.compile(
        r"\.(?:kind|keeps\w*)\s*(?:==|!=|(?:not )?in\b)|"
        rf"(?<!before_images )(?:==|!=)\s*'(?:{forms})'|\b(?:not )?in \[[^\]]*'(?:{forms})'"
    )
    for path in FILES:
        home = folder(path)
        if home not in {"differential/state", "differential/registry"} and home.startswith(("differential", "maint")):
            found = compared.findall(code(path))
            assert not found, (path, found)

"""Checksum files: how they are read, which files of a folder do not match theirs, and which runs compare them."""

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages, refused
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, make_job

from deltawave import checksum_files
from deltawave.checksum_files import folder_problems, parsed

MD5, SHA1, SHA256 = "ab" * 16, "ab" * 20, "ab" * 32
DIGESTS = {"MD5": hashlib.md5, "SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}


class TestText:
    @pytest.mark.parametrize(
        ("name", "text", "found"),
        [
            ("SHA256SUMS", f"{SHA256}  a.csv\n{MD5} *b c.csv\r\n", {"a.csv": SHA256, "b c.csv": MD5}),
            ("sums", f"\ufeff# by hand\n\n; too\n{SHA256}\ta.csv\n{SHA256} b.csv", {"a.csv": SHA256, "b.csv": SHA256}),
            ("sums", f"{SHA1.upper()}  ./day/a.csv\n{SHA1}  day\\b.csv\n", {"a.csv": SHA1, "b.csv": SHA1}),
            ("a.csv.sha256", f"{SHA256}\n", {"a.csv": SHA256}),
            ("a.csv.md5", f" {MD5} ", {"a.csv": MD5}),
            ("sums", f"SHA256 (a (1).csv) = {SHA256}\nMD5 (b.csv) = {MD5}", {"a (1).csv": SHA256, "b.csv": MD5}),
            ("sums", f"SHA2-256(a.csv)= {SHA256}\nSHA-1 (b.csv) = {SHA1}", {"a.csv": SHA256, "b.csv": SHA1}),
            ("sums", f"{SHA256}  a.csv\n{SHA256}  a.csv\n", {"a.csv": SHA256}),
        ],
    )
    def test_the_forms_that_tools_write(self, name: str, text: str, found: dict[str, str]) -> None:
        assert parsed(name, text) == found

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "it has no checksum"),
            ("# nothing\n", "it has no checksum"),
            (f"{SHA256}  a.csv\nid,name\n", "line 2 is no checksum of a file"),
            (f"{SHA256[1:]}  a.csv\n", "line 1 is no checksum of a file"),
            # It would be that of a file without a name.
            (f"{SHA256}\n", "line 1 is no checksum of a file"),
            (f"MD5 (a.csv) = {SHA256}\n", "line 1 is no checksum of a file"),
            (f"SHA3-256 (a.csv) = {SHA256}\n", "line 1 is no checksum of a file"),
            (f"\\{SHA256}  a\\\\b.csv\n", "line 1 is no checksum of a file"),
            (f"{SHA256}  a.csv\n{MD5}  a.csv\n", "it has two checksums of a.csv"),
        ],
    )
    def test_anything_else_is_refused(self, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            parsed("SHA256SUMS", text)


@dataclass
class Files:
    """A folder in memory."""

    texts: dict[str, str]

    @property
    def files(self) -> dict[str, tuple[int, int]]:
        return {name: (len(text), 0) for name, text in self.texts.items()}

    def text(self, name: str) -> str:
        return self.texts[name]

    def checksum(self, name: str, algorithm: str) -> str:
        return DIGESTS[algorithm](self.texts[name].encode()).hexdigest()


ROWS = "id,name\n1,ann\n"
RIGHT = hashlib.sha256(ROWS.encode()).hexdigest()


def found(texts: dict[str, str], checksums: str = "*.sha256", *, are_left_out: bool = True) -> list[str]:
    return list(folder_problems(Files(texts), Files(texts).files, checksums, are_left_out))


class TestFolder:
    def test_files_with_their_checksums(self) -> None:
        assert found({"a.csv": ROWS, "a.csv.sha256": RIGHT}) == []
        sums = f"{RIGHT}  a.csv\n{hashlib.sha512(b'').hexdigest()}  b.csv\n{'0' * 64}  SHA256SUMS\n"
        assert found({"a.csv": ROWS, "b.csv": "", "SHA256SUMS": sums}, "SHA256SUMS") == []

    @pytest.mark.parametrize(
        ("texts", "problem"),
        [
            (
                {"a.csv": ROWS + "2,bob\n", "a.csv.sha256": RIGHT},
                f"a.csv has the SHA256 {hashlib.sha256((ROWS + '2,bob' + chr(10)).encode()).hexdigest()},"
                f" and a.csv.sha256 says {RIGHT}",
            ),
            ({"a.csv": ROWS}, "a.csv has no checksum in a file *.sha256"),
            ({"a.csv.sha256": RIGHT}, "a.csv, which a.csv.sha256 names, is missing"),
        ],
    )
    def test_what_is_wrong(self, texts: dict[str, str], problem: str) -> None:
        assert found(texts) == [problem]

    def test_problems_keep_their_order_though_files_are_read_at_a_time(self) -> None:
        names = [f"{letter}.csv" for letter in "abcdefgh"]
        texts = {name: f"{name}\n" for name in names} | {f"{name}.sha256": RIGHT for name in names}
        del texts["c.csv"]
        assert [problem.split()[0].strip(",") for problem in found(texts)] == names

    def test_a_file_of_data_that_the_pattern_matches_is_no_checksum_file(self) -> None:
        unread = messages("External sources")["checksums that can't be read"]
        assert found({"a.csv": ROWS, "a.csv.sha256": "none"})[0] == unread
        assert found({"a.csv": ROWS}, "*") == [
            "a.csv can't be read as a checksum file: line 1 is no checksum of a file"
        ]

    @pytest.mark.parametrize("listed", [{}, {"a.csv": (3, 0)}, {"a.csv": (len(ROWS), 1)}])
    def test_a_file_that_came_or_grew_since_spark_listed_it(self, listed: dict[str, tuple[int, int]]) -> None:
        """Spark would read the rest of the dump without it, or the file up to its length then."""
        problems = list(folder_problems(Files({"a.csv": ROWS, "a.csv.sha256": RIGHT}), listed, "*.sha256", True))
        assert problems == ["a.csv came or changed after the run had listed it, or the source does not read it"]

    def test_a_checksum_file_that_spark_reads(self) -> None:
        texts = {"a.csv": ROWS, "a.csv.sha256": RIGHT}
        assert found(texts, are_left_out=False) == ["a.csv.sha256 is a checksum file, and would be read as rows"]


def java_path(text: str) -> Any:
    path = PurePosixPath(text)
    return SimpleNamespace(
        getName=lambda: path.name,
        getParent=lambda: java_path(str(path.parent)),
        toUri=lambda: SimpleNamespace(getPath=lambda: text),
    )


def sequence(*items: Any) -> Any:
    return SimpleNamespace(size=lambda: len(items), apply=lambda at: items[at])


@pytest.mark.parametrize(
    ("root", "partitions", "files", "folders"),
    [
        ("/dumps", [], ["/dumps/a.csv"], {"": ["a.csv"]}),
        ("/dumps/a.csv", [], ["/dumps/a.csv"], {"": ["a.csv"]}),
        ("/dumps", [], [], {"": []}),
        # With recursiveFileLookup.
        ("/dumps", [], ["/dumps/a.csv", "/dumps/eu/x/a.csv"], {"": ["a.csv"], "eu/x/": ["a.csv"]}),
        # Spark lists what is below a partition's folder, and does not read it. It may find partitions by itself.
        ("/dumps", ["/dumps/day=1"], ["/dumps/day=1/a.csv", "/dumps/day=1/old/b.csv"], {"day=1/": ["a.csv"]}),
    ],
)
def test_each_folder_that_spark_reads_is_compared(
    root: str, partitions: list[str], files: list[str], folders: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    status = [
        SimpleNamespace(getPath=lambda file=file: java_path(file), getLen=lambda: 1, getModificationTime=lambda: 2)
        for file in files
    ]
    found = [SimpleNamespace(path=lambda path=path: java_path(path)) for path in partitions]
    spec = SimpleNamespace(partitions=lambda: sequence(*found))
    index = SimpleNamespace(
        partitionSpec=lambda: spec, rootPaths=lambda: sequence(java_path(root)), allFiles=lambda: sequence(*status)
    )
    monkeypatch.setattr(checksum_files, "file_index", lambda _: index)
    monkeypatch.setattr(checksum_files, "_table_of", lambda _: "dev.accounts")
    monkeypatch.setattr(checksum_files, "Folder", lambda _, path: None)
    plan = SimpleNamespace(subqueriesAll=sequence, collectLeaves=lambda: sequence("leaf"))
    execution = SimpleNamespace(optimizedPlan=lambda: plan)
    dump: Any = SimpleNamespace(_jdf=SimpleNamespace(queryExecution=lambda: execution), sparkSession=None)
    compared = checksum_files._folders(dump, ["dev.accounts"])
    assert {place: sorted(listed) for place, _, listed in compared} == folders


ACCOUNTS = SimpleNamespace(
    source_name="legacy", name="accounts", schema="dev", identifier="accounts", external={"checksums": "*.sha256"}
)


def check(problems: list[str] | None, *, python: bool = True, accept: str = "y", is_read: bool = True) -> list[Any]:
    """What the library is asked in a run of ``accounts_changes``, of which it finds these problems."""
    asked: list[Any] = []
    macros = Macros(var=lambda name, default: [accept])
    macros.adapter.call_library = lambda *given: (asked.append(given), problems)[1]
    macros.replace(
        _discard=None,
        _runs_python=python,
        _external_relation=Relation("`dev`.`Accounts`"),
    )
    sources = [{"node": ACCOUNTS, "is_read": is_read}]
    job = make_job("accounts_changes", snapshot_type="date", settings={"snapshot_date": "day"}, sources=sources)
    macros._check_checksum_files(job, {"record": {"batch_id": 1}}, {"snapshot_date": "2026-01-02"})
    return asked


class TestRun:
    def test_the_library_gets_the_rows_of_the_dump_and_the_tables(self) -> None:
        ((function, relations, options),) = check([])
        assert function == "deltawave.checksum_files.problems"
        assert "where `day` = cast('2026-01-02' as date)" in relations["dump"]
        assert options == {"tables": ["dev.accounts"], "checksums": "*.sha256", "are_left_out": False}

    def test_a_dump_with_problems_is_refused(self) -> None:
        with pytest.raises(CompilationError) as refused:
            check(["a.csv has no checksum in a file *.sha256", "b.csv too"])
        assert (
            "accounts_changes, batch 2 (2026-01-02): files of source legacy.accounts do not match their checksums: "
            "a.csv has no checksum in a file *.sha256; b.csv too. Nothing was changed." in str(refused.value)
        )

    @pytest.mark.parametrize("python", [True, False])
    def test_a_session_that_can_compute_no_checksum_is_refused(self, python: bool) -> None:
        with refused("External sources", "checksums, through Spark Connect or without Python"):
            check(None, python=python)

    def test_others_compare_none(self) -> None:
        assert check(["wrong"], accept="accounts_changes") == check(["wrong"], is_read=False) == []


def test_only_checksum_files_are_left_out() -> None:
    condition = Macros()._is_no_checksum_file
    assert condition("name", "*.sha256") == "name not like '%.sha256'"
    assert condition("name", "100%_SUMS") == r"name not like '100\\%\\_SUMS'"


def test_a_source_without_checksums_is_read_as_it_is() -> None:
    definition = {"columns": [{"name": "id", "data_type": "int"}], "partitions": [{"name": "day"}]}
    tables = {name: {"relation": f"dev.{name}", "names": ["id"]} for name in ("a", "b")}
    selects = ["select `id`, `day` from dev.a", "select `id`, `day` from dev.b"]
    plain = Macros()._headers_select(definition, tables)
    assert " ".join(plain.split()) == " union all ".join(selects)
    left_out = Macros()._headers_select({**definition, "checksums": "*.md5"}, tables)
    condition = " where _metadata.file_name not like '%.md5'"
    assert " ".join(left_out.split()) == " union all ".join(select + condition for select in selects)

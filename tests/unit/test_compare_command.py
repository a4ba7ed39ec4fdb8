"""``deltawave compare``: kinds of files, options, exit codes and messages. No Spark is started."""

import gzip
import json
import os
import re
import subprocess
import sys
import sysconfig
import threading
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from unit.compare_harness import Found, changed, parquet, written

from deltawave import cli
from deltawave.comparing.paths import located

OLD = 'id,name,amount,day\n1,"Ann, Lee",1.00,2026-01-31\n2,bob,2.00,2026-01-31\n'


README = (Path(__file__).resolve().parents[2] / "README.md").read_text()


def test_equal_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their rows may be in another order."""
    lines = OLD.splitlines()
    old = written(tmp_path, "old (1).csv", OLD)
    new = written(tmp_path, "new.csv.gz", "\n".join([lines[0], lines[2], lines[1]]))
    assert cli.main(["compare", old, new, "--key", "id"]) == 0
    printed = capsys.readouterr()
    assert printed.out.rstrip().endswith("The tables are equal.")
    assert printed.err == ""


def test_no_spark_is_imported(tmp_path: Path) -> None:
    """Nor pandas, numpy or pyarrow: two small files are compared at once, where there is no Java either."""
    old = written(tmp_path, "old.csv", OLD)
    new = written(tmp_path, "new.csv", OLD.replace("bob", "rob"))
    program = (
        "import sys; from deltawave import cli; code = cli.main(sys.argv[1:]); "
        "print(code, [each for each in ('pyspark', 'py4j', 'pandas', 'numpy', 'pyarrow') if each in sys.modules])"
    )
    command = [sys.executable, "-c", program, "compare", old, new, "--summary"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": ""})
    assert done.stdout.splitlines()[-1] == "1 []"


def test_text_is_compared_as_text_unless_a_tolerance_asks_for_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = OLD.replace("1.00", "1.01").replace("2.00", "2.0").replace("bob", "Bob ")
    command = ["compare", written(tmp_path, "old.csv", OLD), written(tmp_path, "new.csv", new), "--key", "id"]
    assert cli.main([*command, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert list(found["columns"].items())[:2] == [("amount", 2), ("name", 1)]
    assert found["changes"][0] == {"key": ["1"], "column": "amount", "old": "1.00", "new": "1.01"}
    options = ["--tolerance", "amount=0.01", "--ignore-case", "name", "--ignore-blanks", "name"]
    assert cli.main([*command, *options]) == 0
    assert "amount: text in" in capsys.readouterr().out
    page = tmp_path / "page.html"
    assert cli.main([*command, "--ignore", "amount", "--format", "html", "--output", str(page)]) == 1
    assert capsys.readouterr().out == ""
    assert page.read_text().startswith("<!doctype html>")


def test_numbers_in_texts(tmp_path: Path, found: Found) -> None:
    """--numbers reads both sides, keys too, and however many digits there are."""
    long = "9" * 45
    old = written(tmp_path, "old.csv", f"id,x\n1,1.0\n02,{long}.50\n3,1e-2\n4,n/a\n5,-0\n6,007\n")
    new = written(tmp_path, "new.csv", f"id,x\n1,1.00\n2,+{long}.5\n3,0.010\n4,N/A\n5,0.0\n6,7.1\n")
    assert found(old, new, "--key", "id")["changed"] == 5
    result = found(old, new, "--key", "id", "--numbers")
    assert changed(result) == [("4", "x", "n/a", "N/A"), ("6", "x", "007", "7.1")]


def test_text_beside_typed_columns(tmp_path: Path, found: Found) -> None:
    """A text is read as the other side's value, each for itself; one that is none is a difference of that value."""
    columns = 'id, amount, day, "at", count, is_on, rate'
    values = "0.36::decimal(9, 2), date '2024-01-01', timestamp '2024-01-01 10:00:00', 1, true, 0.1::float"
    new = parquet(tmp_path, "new.parquet", f"select * from (values (1, {values}), (2, {values})) t({columns})")
    header = "id,amount,day,at,count,is_on,rate\n"
    same = [
        "1,3.6e-1,2024-01-01 00:00:00,2024-01-01T10:00:00Z,1.0,TRUE,0.10",
        "2, 00.360 ,2024-01-01,2024-01-01 10:00,+1,1,1e-1",
    ]
    result = found(written(tmp_path, "old.csv", header + "\n".join(same)), new, "--key", "id")
    assert (result["code"], result["types"]) == (0, {})
    assert f"amount: text in {tmp_path / 'old.csv'}, read as decimal(9,2)" in result["notes"]
    others = [same[0], "2,0.361,2024-01-01 10:00,2024-01-01T10:00:00+02:00,1.5,maybe,"]
    result = found(written(tmp_path, "old.csv", header + "\n".join(others)), new, "--key", "id")
    assert sorted(changed(result)) == [
        ("2", "amount", "0.361", "0.36"),
        ("2", "at", "2024-01-01T10:00:00+02:00", "2024-01-01 10:00:00"),
        ("2", "count", "1.5", "1"),
        ("2", "day", "2024-01-01 10:00", "2024-01-01"),
        ("2", "is_on", "maybe", "true"),
        ("2", "rate", None, "0.1"),
    ]
    near = found(str(tmp_path / "old.csv"), new, "--key", "id", "--tolerance", "amount=0.05")
    assert near["columns"]["amount"] == 0


def test_quotes_and_the_byte_order_mark_do_not_count(tmp_path: Path) -> None:
    old = written(tmp_path, "old.csv", "id,note\n1,\n2,b\n")
    new = written(tmp_path, "new.csv", '\ufeff"id","note"\r\n"1",""\r\n"2","b"\r\n')
    assert cli.main(["compare", old, new, "--key", "id"]) == 0


ROWS = [{"id": 1, "tags": {"a": 1}, "at": "2024-01-01"}, {"id": 2, "tags": None, "at": "2024-01-02T00:00:00Z"}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("new.ndjson", "\n".join(map(json.dumps, ROWS))),
        ("new.json", json.dumps(ROWS)),
        ("new.json", json.dumps(ROWS, indent=2)),
        ("new.json", json.dumps({"count": 2, "rows": ROWS}, indent=1)),
        ("new.json.gz", json.dumps(ROWS)),
        ("new", json.dumps(ROWS)),
    ],
)
def test_layouts_of_json(name: str, text: str, tmp_path: Path, found: Found) -> None:
    """Texts stay texts, whatever they look like."""
    old = written(tmp_path, "old.jsonl", "\n".join(map(json.dumps, ROWS)))
    new = written(tmp_path, name, text)
    assert found(old, new, "--key", "id")["code"] == 0
    text = text.replace('"a": 1', '"a": 2').replace('"2024-01-01"', '"2024-1-1"')
    result = found(old, written(tmp_path, name, text), "--key", "id")
    assert changed(result) == [
        ("1", "tags", '{"a":1}', '{"a":2}'),
        ("1", "at", "2024-01-01", "2024-1-1"),
    ]


def test_long_numbers_of_json_are_exact(tmp_path: Path, found: Found) -> None:
    rows = '{{"id": 1, "n": {}, "x": 1.5}}\n{{"id": 2, "n": 9007199254740993, "x": 1}}\n'
    old = written(tmp_path, "old.ndjson", rows.format(18446744073709551617))
    new = written(tmp_path, "new.ndjson", rows.format(18446744073709551618))
    assert changed(found(old, new)) == [("1", "n", "18446744073709551617", "18446744073709551618")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("new.tsv", OLD.replace(",", "\t").replace("Ann\t", "Ann,")),
        ("new.psv", OLD.replace(",", "|").replace("Ann|", "Ann,")),
        ("new.txt", OLD.replace(",", ";").replace("Ann;", "Ann,")),
        ("new.csv", OLD.replace(",", "\t").replace("Ann\t", "Ann,")),
        ("new.csv", OLD.replace("\n", "\r")),
        ("new.csv", OLD.replace("\n", "\n\n")),
        ("new.csv", OLD.replace("\n", "\r\n", 1)),
        ("new.csv", OLD[:-1] + "\r\n"),
        ("new.csv", OLD.replace("\n", ",\n")),
        ("new.csv", OLD.encode("utf-16")),
    ],
)
def test_kin_of_csv(name: str, text: str | bytes, tmp_path: Path, found: Found) -> None:
    """The separator is that of the kind of file, or else of the header, which a note says."""
    result = found(written(tmp_path, "old.csv", OLD), written(tmp_path, name, text), "--key", "id")
    assert result["code"] == 0, result
    is_guessed = isinstance(text, str) and (";" in text or ("\t" in text and name == "new.csv"))
    assert any("are separated by" in note for note in result["notes"]) == is_guessed


def test_packed_files(tmp_path: Path, found: Found) -> None:
    import bz2
    import lzma
    import zipfile

    old = written(tmp_path, "old.csv", OLD)
    with zipfile.ZipFile(tmp_path / "new.zip", "w") as archive:
        archive.writestr("folder/new.csv", OLD)
    duckdb.execute(f"copy (from read_csv('{old}', all_varchar = true)) to '{tmp_path}/new.csv.zst' (compression zstd)")
    names = [
        str(tmp_path / "new.zip"),
        str(tmp_path / "new.csv.zst"),
        written(tmp_path, "new.csv.bz2", bz2.compress(OLD.encode())),
        written(tmp_path, "new.csv.xz", lzma.compress(OLD.encode())),
    ]
    assert [found(old, name, "--key", "id")["code"] for name in names] == [0] * 4
    with zipfile.ZipFile(tmp_path / "new.zip", "a") as archive:
        archive.writestr("other.csv", OLD)
    (tmp_path / "no.csv.gz").write_text(OLD)
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(OLD.encode())[:40])
    for name, message in (
        ("new.zip", "has to have one file in it, and has 2 (folder/new.csv, other.csv): unpack it first."),
        ("no.csv.gz", "is no .gz file, whatever its name says: rename it if it is not packed."),
        ("cut.csv.gz", "can't be unpacked: Compressed file ended"),
    ):
        assert found(old, str(tmp_path / name), "--key", "id")["error"].startswith(f"{tmp_path / name} {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,a\n1,x\n2\n", "line 3, has 1 values, and the header has 2 names: 2. Mend it, or"),
        ("id,a\n1,x,y\n2,y\n", "line 2, has 3 values, and the header has 2 names: 1,x,y. Mend it, or"),
        ('id,a\n1,"x\n2,y\n', "line 2, has a quote that is not closed, or something after a closing quote: "),
        ("id,a\n1,M\xfcller\n".encode("latin-1"), "line 2, is not in UTF-8: give the --encoding"),
        ("id,\xfc\n1,x\n".encode("latin-1"), "line 1, is not in UTF-8: give the --encoding"),
        ("", "is empty: it has no line with the names of columns."),
        ("\n\n", "is empty: it has no line with the names of columns."),
        (b"\0\1\2id,a\n", "is no text: it has bytes that are zero. Is it another kind of file?"),
    ],
)
def test_malformed_csv(text: str | bytes, message: str, tmp_path: Path, found: Found) -> None:
    """The message says which file, which line, what is wrong, and what to do."""
    new = written(tmp_path, "new.csv", text)
    error = found(written(tmp_path, "old.csv", "id,a\n1,x\n2,y\n"), new, "--key", "id")["error"]
    assert error.startswith((f"{new}, {message}", f"{new} {message}")), error


def test_malformed_rows_are_passed_over_on_request(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", "id,a\n1,x\n2,y\n")
    new = written(tmp_path, "new.csv", "id,a\n1,x\n2\n3,y,z\n")
    result = found(old, new, "--key", "id", "--on-bad-rows", "skip")
    assert (result["equal"], result["only_old"]) == (1, 1)
    assert result["notes"] == [f"{new}: 2 malformed line(s) passed over, such as line 3: 2; line 4: 3,y,z"]


def test_quotes_that_are_escaped_by_backslashes(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", 'id,a\n1,"say \\"hi, you\\""\n')
    new = written(tmp_path, "new.csv", 'id,a\n1,"say ""ho, you"""\n')
    result = found(old, new, "--key", "id")
    assert changed(result) == [("1", "a", 'say "hi, you"', 'say "ho, you"')]
    assert result["notes"] == [f"{old}: quotes are escaped by backslashes"]


def test_names_that_are_missing_or_occur_twice(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", ",x,x,X,\n0,a,b,c,\n")
    new = written(tmp_path, "new.csv", ",x,x,X,\n0,a,B,C,\n")
    result = found(old, new, "--key", "_c0")
    assert changed(result) == [("0", "x_2", "b", "B"), ("0", "X", "c", "C")]
    assert f"{old}: columns without a name and without values are left out: _c4" in result["notes"]


def test_kinds_of_keys(tmp_path: Path, found: Found) -> None:
    """Repeated options and a list mean the same; without one the key is found."""
    old = written(tmp_path, "old.csv", "a,b,x\n1,1,p\n1,2,q\n2,1,r\n")
    new = written(tmp_path, "new.csv", "a,b,x\n1,1,p\n1,2,Q\n2,1,r\n")
    for key in (["--key", "a", "--key", "b"], ["--key", "a,b"], []):
        result = found(old, new, *key)
        assert (result["key"], changed(result)) == (["a", "b"], [("1", "2", "x", "q", "Q")])
    assert result["key_is"] == "found"
    assert result["summary"].startswith("The tables differ by a, b, a key that was found: 1 row changed")


def test_patterns_folders_and_standard_input(tmp_path: Path, found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dumps" / "day=2").mkdir(parents=True)
    written(tmp_path / "dumps", "a.csv", "id,x\n1,p\n")
    written(tmp_path / "dumps", "b.csv", "x,id,y\nq,2,z\n")
    both = written(tmp_path, "all [1].csv", "id,x,y\n1,p,\n2,q,z\n")
    monkeypatch.chdir(tmp_path)
    assert found(both, "dumps/*.csv", "--key", "id")["code"] == 0
    assert found("dumps", "all [[]1].csv", "--key", "id")["code"] == 0
    written(tmp_path, "-new.csv", "id,x,y\n1,p,\n2,q,\n")
    assert changed(found(both, "-new.csv", "--key", "id")) == [("2", "y", "z", None)]
    written(tmp_path / "dumps" / "day=2", "c.csv", "id,x\n3,r\n")
    assert found("dumps", both, "--key", "id")["old_columns"] == ["day"]
    with Path(both).open() as opened:
        monkeypatch.setattr(sys, "stdin", opened)
        result = found("-", both, "--key", "id")
    assert (result["code"], result["old_name"]) == (0, "standard input")
    for name, message in (
        (
            "https://me:secret@example.com/a.csv?key=secret",
            "https://example.com is a URL. Only files of this machine are compared",
        ),
        ("none*.csv", "There is no file or folder that matches none*.csv."),
    ):
        assert found(both, name)["error"].startswith(message)


def test_types_of_parquet(tmp_path: Path, found: Found) -> None:
    columns = """
        1 as id, timestamp_ns '2024-01-01 00:00:00.123456789' as ns, time '10:00' as "time", 1 as x, 2 as "X",
        18446744073709551615::ubigint as big, 'a'::enum('a', 'b') as kind, [{'x': 1}] as parts, uuid() as nr
    """
    path = tmp_path / "old.parquet"
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = duckdb.sql(f"select {columns}").to_arrow_table()
    table = table.rename_columns([name.replace("X_1", "X") for name in table.column_names])
    long = pa.array(["1" * 50], pa.string()).cast(pa.decimal256(60, 2))
    table = table.append_column("long", long)
    pq.write_table(table, path)
    changes = {
        "ns": "2024-01-01 00:00:00.12345679",
        "time": "10:00:01",
        "X": 3,
        "big": 2**64 - 2,
        "kind": "b",
        "parts": [{"x": 2}],
        "long": "1" * 49 + "2",
    }
    cells = []
    for name in table.column_names:
        kind = table.schema.field(name).type
        text = pa.array([changes[name]], kind if name == "big" else None) if name in changes else None
        if name in ("ns", "time"):
            wanted = {"ns": "timestamp_ns", "time": "time"}[name]
            text = duckdb.sql(f"select '{changes[name]}'::{wanted} as v").to_arrow_table()["v"]
        cells.append(table[name] if text is None else text if pa.types.is_dictionary(kind) else text.cast(kind))
    pq.write_table(pa.table(cells, table.column_names), tmp_path / "new.parquet")
    result = found(str(path), str(tmp_path / "new.parquet"), "--key", "id")
    assert {each["column"]: each["new"] for each in result["changes"]} == {
        **changes,
        "X": "3",
        "big": str(2**64 - 2),
        "parts": '[{"x":2}]',
        "long": "1" * 49 + "2.00",
    }
    assert found(str(path), str(path), "--key", "id")["code"] == 0


@pytest.mark.parametrize(("encoding", "option"), [("utf-8", []), ("windows-1252", ["--encoding", "windows-1252"])])
def test_the_command_of_the_readme(encoding: str, option: list[str], tmp_path: Path) -> None:
    (command,) = re.findall(r"^\.venv/bin/(deltawave compare .*)$", README, re.MULTILINE)
    for name, price in (("old.csv", "1 €"), ("new.csv", "2 €")):
        (tmp_path / name).write_bytes(f"id,price\n7,{price}\n".encode(encoding))
    words = [*f"{sysconfig.get_path('scripts')}/{command}".split(), *option]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    page = (tmp_path / "changes.html").read_text()
    assert "old.csv -&gt; new.csv, by id" in page
    text = re.sub(r"<[^>]*>", "", page)
    assert "1 €" in text
    assert "2 €" in text


def test_another_encoding_has_to_be_given(tmp_path: Path, found: Found) -> None:
    paths = [
        written(tmp_path, f"{name}.csv", f"id,name\n1,{name}\n".encode("latin-1")) for name in ("Müller", "Möller")
    ]
    assert found(*paths, "--key", "id")["error"].startswith(f"{paths[0]}, line 2, is not in UTF-8: give the --encoding")
    result = found(*paths, "--key", "id", "--encoding", "iso-8859-1")
    assert changed(result) == [("1", "name", "Müller", "Möller")]
    assert found(*paths, "--encoding", "cp99")["error"].startswith(
        "There is no encoding cp99 of texts: take a name that Python"
    )
    assert "is not in the encoding utf-16" in found(*paths, "--encoding", "utf-16")["error"]


def test_the_encoding_of_names_of_columns_and_of_json(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", "id,größe\n1,XL\n".encode("latin-1"))
    new = written(tmp_path, "new.json", '{"id": "1", "größe": "XL"}\r\n'.encode("latin-1"))
    valid = written(tmp_path, "valid.csv", "id,größe\n1,XL\n")
    for path, message in ((old, ", line 1, is not in UTF-8: "), (new, " is not JSON in UTF-8: give its --encoding")):
        assert found(valid, path, "--key", "id")["error"].startswith(f"{path}{message}")
    assert found(old, new, "--key", "id", "--encoding", "iso-8859-1")["code"] == 0


def test_what_is_wrong_is_one_line(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", OLD)
    twice = written(tmp_path, "twice.csv", OLD + "1,ann,3.00,2026-01-31\n")
    unknown = written(tmp_path, "table.dat", b"\xd0\xcf\x11\xe0\0\0")
    sheet = written(tmp_path, "table.XLSX", b"PK\3\4\0\0")
    bad_json = written(tmp_path, "bad.json", '{"id": 1}\n{"id": 2,,}\n')
    no_rows = written(tmp_path, "numbers.json", "[1, 2]")
    (tmp_path / "dump.csv" / ".parts").mkdir(parents=True)
    written(tmp_path / "dump.csv" / ".parts", "part.csv", OLD)
    written(tmp_path / "dump.csv", "_part.csv", OLD)
    (tmp_path / "mixed").mkdir()
    written(tmp_path / "mixed", "a.csv", OLD)
    written(tmp_path / "mixed", "a.json", "[]")
    for new, options, message in (
        (str(tmp_path / "none.csv"), [], "There is no file or folder"),
        (unknown, [], f"{unknown} is none of csv, json, parquet, delta, by its name and by what it begins with."),
        (sheet, [], f"{sheet} is a spreadsheet, such as those of Excel, which is not read: save its sheet as CSV."),
        (sheet, ["--new-format", "csv"], f"{sheet} is a spreadsheet"),
        (bad_json, [], f"{bad_json}, line 2, column "),
        (
            no_rows,
            [],
            f"{no_rows} has no rows of JSON. It has to be objects: on lines, in an array, or in ",
        ),
        (
            str(tmp_path / "dump.csv"),
            [],
            f"All files in {tmp_path / 'dump.csv'}, or their folders, have names that",
        ),
        (
            str(tmp_path / "mixed"),
            [],
            f"{tmp_path / 'mixed'} has files of several kinds: csv, json. Name those",
        ),
        (old, ["--key", "nr"], "The old table has no column nr, which is in key. It has: id, name, amount, day."),
        (twice, ["--key", "id"], "1 key(s) (id) of the new table occur in several rows, for instance (1)."),
        (
            old,
            ["--key", "id", "--tolerance", "name=1"],
            "tolerance: name is compared as string, and has to be a num",
        ),
        (old, ["--key", "id", "--rename", "nr=name"], "rename: the old table has no column nr. It has: id,"),
    ):
        assert found(old, new, *options).get("error", "").startswith(message), message
    assert cli.main(["compare", old, old, "--format", "parquet"]) == 2
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare", old, old, "--key", "id", "--tolerance", "amount=much"])
    assert ended.value.code == 2


def test_the_kind_of_a_folder(tmp_path: Path) -> None:
    def kind_of(path: str | Path) -> str:
        return located(str(path), None, tmp_path).kind

    (tmp_path / "dump" / "day=1").mkdir(parents=True)
    written(tmp_path / "dump" / "day=1", "part-0.snappy.parquet", "")
    written(tmp_path / "dump", "_SUCCESS", "")
    assert kind_of(tmp_path / "dump") == "parquet"
    assert kind_of(written(tmp_path, "dump.json.gz", "")) == "json"
    (tmp_path / "dump" / "_delta_log").mkdir()
    assert kind_of(tmp_path / "dump") == "delta"
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="has no files"):
        kind_of(tmp_path / "empty")


def test_formats_of_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path, "old.csv", "id,name,x\n1,ann,1\n2,b|ob,2\n3,cid,3\n4,dan,4\n")
    new = written(tmp_path, "new.csv", "id,name,x\n1,ann,1\n2,b*ob,2\n4,dan,5\n5,eve,5\n")
    command = ["compare", old, new, "--key", "id"]
    assert cli.main([*command, "--summary"]) == 1
    sentence = capsys.readouterr().out
    assert sentence == (
        f"The tables differ: 2 rows changed (name in 1, x in 1), 1 row only in {old}, 1 row only in {new}; "
        "20.0% of the rows are equal.\n"
    )
    assert cli.main([*command, "--format", "markdown"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("**The tables differ: 2 rows changed (name in 1, x in 1)")
    assert "| 2 | name | b\\|ob | b\\*ob |" in text
    assert cli.main([*command, "--format", "csv"]) == 1
    printed = capsys.readouterr().out
    rows = tmp_path / "rows.csv"
    assert cli.main([*command, "--format", "csv", "--output", str(rows)]) == 1
    assert rows.read_text().splitlines() == [
        "_change,_changed_columns,id,old__name,new__name,old__x,new__x",
        "changed,name,2,b|ob,b*ob,2,2",
        "only_old,,3,cid,,3,",
        "changed,x,4,dan,dan,4,5",
        "only_new,,5,,eve,,5",
    ]
    assert printed == rows.read_text()
    assert cli.main([*command, "--format", "parquet", "--output", str(tmp_path / "rows.parquet")]) == 1
    found = duckdb.execute(
        f"select _change, _changed_columns, id from '{tmp_path}/rows.parquet' order by id"
    ).fetchall()
    assert found[0] == ("changed", ["name"], "2")
    assert [cli.main([*command, "--summary", "--fail-under", percent]) for percent in ("20", "20.1")] == [0, 1]


def test_colors_and_widths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a terminal; without colors if the environment has NO_COLOR, and none for another program."""
    long = "word " * 30
    written(tmp_path, "old.csv", f"id,name\n1,{long}\n2,bob\n")
    written(tmp_path, "new.csv", f"id,name\n1,{long}more\n2,rob\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    command = ["compare", "old.csv", "new.csv", "--key", "id"]
    cli.main(command)
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    cli.main(command)
    text = capsys.readouterr().out
    assert "\x1b[31mb\x1b[0mob" in text
    assert "\x1b[32mr\x1b[0mob" in text
    plain = re.sub(r"\x1b\[\d+m", "", text)
    assert max(map(len, plain.partition("Rows")[2].splitlines())) <= 60
    monkeypatch.setenv("NO_COLOR", "1")
    cli.main(command)
    assert "\x1b" not in capsys.readouterr().out


def test_renamed_columns_and_changed_keys_are_hinted_at(tmp_path: Path, found: Found) -> None:
    rows = [(number, f"name {number % 7}", number * 3) for number in range(100)]
    old = written(tmp_path, "old.csv", "id,name,x\n" + "".join(f"{key},{name},{x}\n" for key, name, x in rows))
    moved = [(1000 + key if key < 5 else key, name, x) for key, name, x in rows]
    new = written(tmp_path, "new.csv", "id,full_name,x\n" + "".join(f"{key},{name},{x}\n" for key, name, x in moved))
    result = found(old, new, "--key", "id")
    assert result["renames"] == [{"old": "name", "new": "full_name", "share": 1.0}]
    assert result["moved_keys"]["rows"] == 5
    assert result["moved_keys"]["samples"][0] == [["0"], ["1000"]]
    assert (result["old_columns"], result["new_columns"]) == (["name"], ["full_name"])
    result = found(old, new, "--key", "id", "--rename", "name=full_name")
    assert (result["equal"], result["old_columns"], result["renames"]) == (95, [], [])


def test_memory_can_be_limited(tmp_path: Path, found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    old = written(tmp_path, "old.csv", OLD)
    monkeypatch.setenv("DELTAWAVE_MEMORY", "500MB")
    assert found(old, old)["code"] == 0
    monkeypatch.setenv("DELTAWAVE_MEMORY", "much")
    assert found(old, old)["error"].startswith("DELTAWAVE_MEMORY=much is no size such as 4GB")


def test_what_the_machine_lacks_is_said(tmp_path: Path) -> None:
    """Of Delta, which Spark reads."""
    (tmp_path / "delta" / "_delta_log").mkdir(parents=True)
    program = """
import sys
from importlib import util

find = util.find_spec
util.find_spec = lambda name, *more: None if name == "pyspark" else find(name, *more)

from deltawave import cli

sys.exit(cli.main(sys.argv[1:]))
"""
    command = [sys.executable, "-c", program, "compare", str(tmp_path / "delta"), str(tmp_path / "delta")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 2
    assert "A Delta table is read by Spark, which is not installed: pip install dbt-deltawave." in done.stderr


def test_pipes_are_read_once(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", OLD)
    pipe = tmp_path / "new.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(OLD.replace("bob", "rob"),), daemon=True)
    writer.start()
    result = found(old, str(pipe), "--key", "id")
    writer.join()
    assert changed(result) == [("2", "name", "bob", "rob")]
    assert (result["old_rows"], result["new_rows"], result["new_name"]) == (2, 2, str(pipe))


def test_rows_that_differ_follow_what_a_file_has_already(tmp_path: Path) -> None:
    old = written(tmp_path, "old.csv", OLD)
    new = written(tmp_path, "new.csv", OLD.replace("bob", "rob"))
    program = "import sys; from deltawave import cli; print('before'); sys.exit(cli.main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "compare", old, new, "--key", "id", "--format", "csv"]
    with (tmp_path / "rows.csv").open("w") as opened:
        assert subprocess.run(command, stdout=opened, check=False).returncode == 1
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["before", "_change", "changed"]


def test_columns_of_parquet_with_the_same_name(tmp_path: Path, found: Found) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    files = []
    for name, last in (("old", 2), ("new", 3)):
        files.append(str(tmp_path / f"{name}.parquet"))
        table = pa.Table.from_arrays([pa.array([value]) for value in (1, 5, 6, last)], names=["id", "x", "x", "y"])
        pq.write_table(table, files[-1])
    result = found(*files, "--key", "id")
    assert changed(result) == [("1", "y", "2", "3")]
    assert set(result["columns"]) == {"x", "x_1", "y"}


def test_the_number_of_a_repeated_name_is_a_free_one(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", "id,x,x,x_2\n1,a,b,c\n")
    result = found(old, written(tmp_path, "new.csv", "id,x,x,x_2\n1,a,B,c\n"), "--key", "id")
    assert changed(result) == [("1", "x_3", "b", "B")]
    assert f"{old}: 2 columns are called x; the later ones are x_3" in result["notes"]


def test_a_header_with_a_line_break_in_a_name(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", '"a\nb";c\n1;2\n2;4\n')
    result = found(old, written(tmp_path, "new.csv", '"a\nb";c\n1;2\n2;5\n'), "--key", "a\nb")
    assert changed(result) == [("2", "c", "4", "5")]


def test_an_open_quote_among_mixed_line_ends_is_refused(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", 'id,t\r\n1,a\n2,"open\n3,b\r\n4,c\n')
    new = written(tmp_path, "new.csv", "id,t\n1,a\n2,open\n3,b\n4,c\n")
    assert found(old, new, "--key", "id")["error"].startswith(f"{old}, line 3, can't be read (")


@pytest.mark.parametrize("before", ["\n\n", "\r\n\r\n", "\ufeff\r\n"])
def test_blank_lines_before_the_header_are_no_rows(before: str, tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", "id,x\n1,a\n2,b\n")
    new = before + "id,x\n1,a\n2,b\n".replace("\n", "\r\n" if "\r" in before else "\n")
    result = found(old, written(tmp_path, "new.csv", new), "--key", "id")
    assert (result["code"], result["new_rows"]) == (0, 2)


def test_only_columns_without_a_name_are_left_out(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", "id,_city\n1,\n2,\n")
    new = written(tmp_path, "new.csv", "id,_city\n1,Rome\n2,\n")
    assert changed(found(old, new, "--key", "id")) == [("1", "_city", None, "Rome")]


@pytest.mark.parametrize("text", ['{"id":1,"a":1,"A":2}\n', '{"id":1,"A":2}\n{"id":2,"a":1}\n'])
def test_names_of_json_that_differ_in_case_only_are_refused(text: str, tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.json", text)
    wanted = f"{old} has names that differ in case only, A and a: rename one."
    assert found(old, old, "--key", "id")["error"] == wanted


def test_long_numbers_of_json_beside_fractions_are_exact(tmp_path: Path, found: Found) -> None:
    rows = '{{"id": 1, "n": {0}}}\n{{"id": 2, "n": {1}}}\n{{"id": 3, "n": {2}}}\n'
    old = written(tmp_path, "old.ndjson", rows.format(12345678901234567891, 0.5, "1e5"))
    new = written(tmp_path, "new.ndjson", rows.format(12345678901234567892, "0.50", 100000))
    assert changed(found(old, new, "--key", "id")) == [("1", "n", "12345678901234567891", "12345678901234567892")]


def test_long_numbers_within_objects_of_json_are_exact(tmp_path: Path, found: Found) -> None:
    rows = '[{{"id": 1, "o": {{"n": {0}}}}}, {{"id": 2, "o": {{"n":   0.5}}}}]'
    old, new = (rows.format(number) for number in (9007199254740992, 9007199254740993))
    result = found(written(tmp_path, "old.json", old), written(tmp_path, "new.json", new), "--key", "id")
    assert changed(result) == [("1", "o", '{"n":9007199254740992}', '{"n":9007199254740993}')]
    inner = written(tmp_path, "inner.json", f'{{"rows": {old}}}')
    assert found(inner, inner)["error"].endswith("which would be rounded: write its rows as lines.")


def test_what_lies_beside_the_rows_of_json_is_noted(tmp_path: Path, found: Found) -> None:
    old, new = (written(tmp_path, f"{at}.json", f'{{"id": {at}, "items": [{{"a": 1}}, {{"a": 2}}]}}') for at in (1, 2))
    result = found(old, new)
    assert result["code"] == 0
    assert result["notes"] == [f"{name}: rows are those under items; not compared: id" for name in (old, new)]


def test_numbers_beyond_doubles_are_compared_as_texts(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", "id,x\n1,1e400\n2,3e-400\n3,0e5\n4,1e400\n5,1e-30\n")
    new = written(tmp_path, "new.csv", "id,x\n1,2e400\n2,2e-400\n3,0\n4,1e400\n5,10e-31\n")
    result = found(old, new, "--key", "id", "--numbers")
    assert changed(result) == [("1", "x", "1e400", "2e400"), ("2", "x", "3e-400", "2e-400")]


def test_a_share_of_equal_rows_is_exact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path, "old.csv", "id,a\n" + "".join(f"{at},1\n" for at in range(100)))
    new = written(tmp_path, "new.csv", "id,a\n" + "".join(f"{at},{1 if at < 57 else 2}\n" for at in range(100)))
    command = ["compare", old, new, "--key", "id", "--summary", "--fail-under"]
    assert [cli.main([*command, percent]) for percent in ("57", "57.00000000000000000001")] == [0, 1]
    for percent in ("nan", "101", "-1", "half"):
        with pytest.raises(SystemExit) as ended:
            cli.main([*command, percent])
        assert ended.value.code == 2
    assert "'half' is not a number from 0 to 100" in capsys.readouterr().err


def test_a_summary_stands_beside_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path, "old.csv", OLD)
    new = written(tmp_path, "new.csv", OLD.replace("bob", "rob"))
    for kind, beginning in (("html", "<!doctype html>"), ("csv", "_change,")):
        target = tmp_path / f"result.{kind}"
        command = ["compare", old, new, "--key", "id", "--summary", "--format", kind]
        assert cli.main([*command, "--output", str(target)]) == 1
        assert cli.main(command) == 1
        assert [line[:17] for line in capsys.readouterr().out.splitlines()] == ["The tables differ"] * 2
        assert target.read_text().startswith(beginning)


def test_damaged_files_and_codecs_that_make_no_text_are_one_line(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", OLD)
    packed = bytearray(gzip.compress("".join(f"{at},{at * at}\n" for at in range(3000)).encode()))
    packed[40:44] = b"\xff" * 4
    (tmp_path / "damaged.csv.gz").write_bytes(packed)
    assert " can't be unpacked: " in found(old, str(tmp_path / "damaged.csv.gz"))["error"]
    wide = gzip.compress("".join(f"{at},{at * at}\n" for at in range(100_000)).encode("utf-16"))
    (tmp_path / "cut.csv.gz").write_bytes(wide[: len(wide) // 2])
    assert " can't be unpacked: " in found(old, str(tmp_path / "cut.csv.gz"))["error"]
    packed = bytearray(gzip.compress(b"{bad"))
    packed[-6] ^= 1
    (tmp_path / "damaged.json.gz").write_bytes(packed)
    error = found(old, str(tmp_path / "damaged.json.gz"))["error"]
    assert error.startswith(f"{tmp_path / 'damaged.json.gz'} can't be unpacked: CRC check failed")
    opened = written(tmp_path, "open.csv", '"id,name\n' + "1,ann\n" * 20_000)
    assert found(old, opened)["error"].startswith(f"{opened}, line 1, has no names of columns that can be read")
    for name in ("rot13", "zlib", "nothing"):
        assert found(old, old, "--encoding", name)["error"].startswith(f"There is no encoding {name} of texts")


def test_the_least_doubles(tmp_path: Path, found: Found) -> None:
    values = "select 1 as id, {}::double as x union all select 2, 2e-322::double"
    files = (parquet(tmp_path, f"{number}.parquet", values.format(number)) for number in ("1e-322", "1e-323"))
    assert found(*files, "--key", "id")["columns"] == {"x": 1}


def test_options_that_contradict_each_other(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", "id,a,c\n1,2,3\n")
    new = written(tmp_path, "new.csv", "id,b,d\n1,2,3\n")
    error = found(old, new, "--key", "id", "--rename", "a=b", "--rename", "c=b")["error"]
    assert error == "rename: two columns can't both be b: leave one out."
    for option, wanted in (("a", "--tolerance is given twice for a"), ("A", "tolerance is given twice for A")):
        error = found(old, old, "--key", "id", "--tolerance", "a=1", "--tolerance", f"{option}=2")["error"]
        assert error == f"{wanted}: leave one out."
    error = found(old, new, "--key", "id", "--rename", "a=b", "--rename", "A=d")["error"]
    assert error == "rename is given twice for A: leave one out."


def test_options_of_names_that_differ_in_case_only(tmp_path: Path, found: Found) -> None:
    old = written(tmp_path, "old.csv", "id,x,X\n1,a,b\n2,a,b\n")
    new = written(tmp_path, "new.csv", "id,x,X\n1,a,B\n2,A,b\n")
    assert changed(found(old, new, "--key", "id", "--ignore-case", "X")) == [("2", "x", "a", "A")]
    assert changed(found(old, new, "--key", "ID", "--ignore-case", "x")) == [("1", "X", "b", "B")]


def test_partitions_are_the_texts_in_the_names_of_folders(tmp_path: Path, found: Found) -> None:
    """Of all kinds alike, whatever the texts look like; a folder is right about a column that its files have, too."""
    for kind in ("parquet", "csv"):
        for number, region in enumerate(("01", "a%20b", "__HIVE_DEFAULT_PARTITION__")):
            folder = tmp_path / kind / f"region={region}"
            folder.mkdir(parents=True)
            duckdb.execute(f"copy (select {number} as id, 'x' as name, 'y' as \"Region\") to '{folder}/a.{kind}'")
            if kind == "csv":
                (folder / "a.csv").write_text(f"id,name\n{number},x\n")
    result = found(str(tmp_path / "parquet"), str(tmp_path / "csv"), "--key", "id")
    assert (result["code"], result["equal"], result["types"]) == (0, 3, {})
    (tmp_path / "csv" / "region=01").rename(tmp_path / "csv" / "region=1")
    result = found(str(tmp_path / "parquet"), str(tmp_path / "csv"), "--key", "id")
    assert changed(result) == [("0", "region", "01", "1")]


def test_long_decimals_within_lists_are_refused(tmp_path: Path, found: Found) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    old = str(tmp_path / "old.parquet")
    values = pa.array([[Decimal(f"1.{'1' * 39}")]], pa.list_(pa.decimal256(60, 39)))
    pq.write_table(pa.table({"id": [1], "x": values}), old)
    wrong = f"{old} has decimals of more than 38 digits within the lists or objects of x, which would be rounded"
    assert found(old, old, "--key", "id")["error"].startswith(wrong)

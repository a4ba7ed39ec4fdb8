"""``deltawave compare``: kinds of files, exit codes and messages."""

import gzip
import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
from jvm import QUICK_JVM
from pyspark.sql import SparkSession

from deltawave import cli
from deltawave.comparing.files import kind_of

pytestmark = pytest.mark.usefixtures("interpreted")

OLD = 'id,name,amount,day\n1,"Ann, Lee",1.00,2026-01-31\n2,bob,2.00,2026-01-31\n'


README = (Path(__file__).resolve().parents[2] / "README.md").read_text()


def written(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return str(file)


def test_equal_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their rows may be in another order."""
    lines = OLD.splitlines()
    old = written(tmp_path, "old (1).csv", OLD)
    new = written(tmp_path, "new.csv.gz", "\n".join([lines[0], lines[2], lines[1]]))
    assert cli.main(["compare", old, new, "--key", "id"]) == 0
    printed = capsys.readouterr()
    assert printed.out.rstrip().endswith("The tables are equal.")
    assert printed.err == ""


@pytest.mark.usefixtures("engine")
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


def test_text_beside_typed_columns(tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    """It is read as the other type, unless a value would lose something."""
    typed = "1L as id, 'Ann, Lee' as name, cast('1' as decimal(9,1)) as amount, date'2026-01-31' as day"
    other = "2L as id, 'bob' as name, cast('2' as decimal(9,1)) as amount, date'2026-01-31' as day"
    spark.sql(f"select {typed} union all select {other}").write.parquet(str(tmp_path / "new.parquet"))
    command = ["compare", written(tmp_path, "old.csv", OLD), str(tmp_path / "new.parquet"), "--key", "id"]
    assert cli.main([*command, "--format", "json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert [note.partition(":")[0] for note in notes] == ["amount", "day", "id"]
    assert notes[2].endswith("old.csv, read as bigint")
    written(tmp_path, "old.csv", OLD.replace("2.00", "2.04"))
    assert cli.main([*command, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {name: each["compared_as"] for name, each in found["types"].items()} == {"amount": "string"}
    assert cli.main([*command, "--tolerance", "amount=0.05", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["columns"]["amount"], found["types"]["amount"]["old"]) == (0, "decimal(37,2)")


def test_a_time_zone_in_text_counts(tmp_path: Path, spark: SparkSession) -> None:
    """Text with one is not read as a timestamp that has none."""
    spark.sql("select '1' as id, timestamp_ntz'2026-01-31 10:00:00' as at").write.parquet(str(tmp_path / "new.parquet"))
    for time, code in (("10:00:00", 0), ("10:00:00+02:00", 1)):
        old = written(tmp_path, "old.csv", f"id,at\n1,2026-01-31T{time}\n")
        assert cli.main(["compare", old, str(tmp_path / "new.parquet"), "--key", "id"]) == code


def test_quotes_and_the_byte_order_mark_do_not_count(tmp_path: Path) -> None:
    old = written(tmp_path, "old.csv", "id,note\n1,\n2,b\n")
    new = written(tmp_path, "new.csv", '\ufeff"id","note"\r\n"1",""\r\n"2","b"\r\n')
    assert cli.main(["compare", old, new, "--key", "id"]) == 0


def test_lines_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path, "old.jsonl", '{"id": 1, "tags": {"a": 1}}\n{"id": 2, "tags": null}\n')
    new = written(tmp_path, "data", '{"id": 1, "tags": {"a": 2}}\n')
    assert cli.main(["compare", old, new, "--new-format", "json", "--key", "id", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["changed"], found["only_old"], found["only_new"]) == (1, 1, 0)


@pytest.mark.parametrize(("encoding", "option"), [("utf-8", []), ("windows-1252", ["--encoding", "windows-1252"])])
def test_the_command_of_the_readme(encoding: str, option: list[str], tmp_path: Path) -> None:
    """It makes a page, in a process with a Spark of its own, which knows the encodings that Java knows."""
    (command,) = re.findall(r"^\.venv/bin/(deltawave compare .*)$", README, re.MULTILINE)
    for name, price in (("old.csv", "1 €"), ("new.csv", "2 €")):
        (tmp_path / name).write_bytes(f"id,price\n7,{price}\n".encode(encoding))
    words = [*f"{sysconfig.get_path('scripts')}/{command}".split(), *option]
    variables = {**os.environ, "SPARK_SUBMIT_OPTS": QUICK_JVM}
    done = subprocess.run(words, cwd=tmp_path, env=variables, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    page = (tmp_path / "changes.html").read_text()
    assert "old.csv -&gt; new.csv, by id" in page
    text = re.sub(r"<[^>]*>", "", page)
    assert "1 €" in text
    assert "2 €" in text


@pytest.mark.usefixtures("engine")
def test_another_encoding_has_to_be_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Spark replaces what is not UTF-8: different names would look equal."""
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, name in zip(paths, ("Müller", "Möller"), strict=True):
        path.write_bytes(f"id,name\n1,{name}\n".encode("latin-1"))
    command = ["compare", *map(str, paths), "--key", "id"]
    assert cli.main(command) == 2
    (line,) = [each for each in capsys.readouterr().err.splitlines() if each.startswith("deltawave compare: ")]
    assert line.startswith(tuple(f"deltawave compare: {path} is not in UTF-8, or has U+FFFD" for path in paths))
    assert " in the column name: give its --encoding, for instance windows-1252, or utf-8 " in line
    assert cli.main([*command, "--encoding", "iso-8859-1", "--format", "json"]) == 1
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["old"], change["new"]) == ("Müller", "Möller")
    assert cli.main([*command, "--encoding", "utf-8"]) == 0


def test_the_encoding_of_names_of_columns_and_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.json"
    old.write_bytes("id,größe\n1,XL\n".encode("latin-1"))
    new.write_bytes('{"id": "1", "größe": "XL"}\r\n'.encode("latin-1"))
    valid = written(tmp_path, "valid.csv", "id,größe\n1,XL\n")
    for path, message in ((old, "is not in UTF-8, or has U+FFFD"), (new, "is not lines of JSON in UTF-8; another ")):
        assert cli.main(["compare", valid, str(path), "--key", "id"]) == 2
        assert f"deltawave compare: {path} {message}" in capsys.readouterr().err
    assert cli.main(["compare", str(old), str(new), "--key", "id", "--encoding", "iso-8859-1"]) == 0


def test_what_is_wrong_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path, "old.csv", OLD)
    twice = written(tmp_path, "twice.csv", OLD + "1,ann,3.00,2026-01-31\n")
    short = written(tmp_path, "short.csv", "id,name,amount,day\n1,ann\n")
    unknown = written(tmp_path, "table.xls", OLD)
    pattern = written(tmp_path, "new [1].csv", OLD)
    hidden = [written(tmp_path, name, OLD) for name in ("_new.csv", ".new.csv")]
    (tmp_path / "dump.csv" / ".parts").mkdir(parents=True)
    written(tmp_path / "dump.csv" / ".parts", "part.csv", OLD)
    written(tmp_path / "dump.csv", "_part.csv", OLD)
    passed_over = "Spark passes over files and folders whose names begin with _ or a dot: rename "
    for new, options, message in (
        (str(tmp_path / "none.csv"), [], "There is no file or folder"),
        (unknown, [], f"The name of {unknown} does not show one of csv, json, parquet, delta"),
        (pattern, [], "Spark takes the characters {}[]*?\\ in a path for a pattern: rename "),
        *((path, [], f"{passed_over}{path}.") for path in hidden),
        (str(tmp_path / "dump.csv"), ["--new-format", "csv"], f"{passed_over}what is in {tmp_path / 'dump.csv'}."),
        (old, ["--key", "nr"], "The old table has no column nr, which is in key. It has: id, name, amount, day."),
        (twice, [], "1 key(s) (id) of the new table occur in several rows, for instance (1)."),
        (old, ["--tolerance", "name=1"], "tolerance: name is compared as string, and has to be a number."),
        (short, [], ""),
    ):
        assert cli.main(["compare", old, new, "--key", "id", *options]) == 2, message
        printed = capsys.readouterr()
        assert printed.out == ""
        (line,) = [each for each in printed.err.splitlines() if each.startswith("deltawave compare: ")]
        assert line.startswith(f"deltawave compare: {message}")
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare", old, old, "--key", "id", "--tolerance", "amount=much"])
    assert ended.value.code == 2


def test_the_kind_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "dump" / "day=1").mkdir(parents=True)
    written(tmp_path / "dump" / "day=1", "part-0.snappy.parquet", "")
    written(tmp_path / "dump", "_SUCCESS", "")
    assert kind_of(str(tmp_path / "dump")) == "parquet"
    assert kind_of(written(tmp_path, "dump.json.gz", "")) == "json"
    (tmp_path / "dump" / "_delta_log").mkdir()
    assert kind_of(str(tmp_path / "dump")) == "delta"
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="does not show one of"):
        kind_of(str(tmp_path / "empty"))

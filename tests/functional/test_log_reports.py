"""The page about a change log and the history of a row, as a user gets them."""

import json
from pathlib import Path

import pytest
from html_pages import Page
from workbench import Workbench

from dbt.adapters.deltawave import operation_command
from deltawave.reporting.log_report import LogReport, log_report

ROWS = "select * from values {} as t (region, account_id, `full <name>`, amount)"
FIRST = ROWS.format(
    "('n', 1, 'ann', 1.50BD), ('n', 2, 'bob', 2.00BD), ('s', 3, null, 3.00BD), (null, 4, 'dan', 4.00BD)"
)
SECOND = ROWS.format("('n', 1, 'anna', 1.50BD), ('n', 2, '<b>bob</b>', 2.50BD), (null, 4, 'dan', 4.00BD)")
THIRD = ROWS.format("('n', 1, 'anna', 1.50BD), ('n', 2, '<b>bob</b>', 2.50BD), ('s', 3, 'eve', 3.00BD)")
KEY = ["region", "account_id"]


def command(bench: Workbench, name: str, operation: str, **arguments: object) -> int:
    """Run the operation as the command does, in this process, which has the tables."""
    return operation_command.main([name, operation, json.dumps(arguments), f"--project-dir={bench.root}"])


def history(bench: Workbench, capsys: pytest.CaptureFixture[str], key: dict[str, object], **others: object) -> str:
    capsys.readouterr()
    assert command(bench, "history", "print_history", model="accounts", key=key, **others) == 0
    return capsys.readouterr().out


def page_of(bench: Workbench, folder: Path) -> Page:
    """The page that the operation writes."""
    file = folder / "page.html"
    assert bench.operate("report", model="accounts", format="html", output=str(file)).ok
    return Page(file.read_text(encoding="utf-8"))


def table(text: str) -> list[list[str]]:
    """The cells of a printed table."""
    return [line.split() for line in text.splitlines()[3:] if line]


class TestThreeBatches:
    @pytest.fixture(scope="class")
    def bench(self, shared_bench: Workbench) -> Workbench:
        """A workbench with the log, which the last test shortens."""
        shared_bench.configure(unique_key=KEY)
        for dump in (FIRST, SECOND, THIRD):
            shared_bench.build(dump)
        return shared_bench

    def test_a_page_is_written(self, bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "the page.html"
        assert command(bench, "report", "report", model="accounts", format="html", output=str(file)) == 0
        assert f"What changed in {bench.schema}.accounts is described in {file}.\n" in capsys.readouterr().out
        text = file.read_text(encoding="utf-8")
        page = Page(text)
        for shown in (
            f"What changed in {bench.schema}.accounts",
            "3 batches, ",
            "Key: region, account_id.",
            "rows of the table 3",
            "Loads are not drawn: batch 1 with 4 rows.",
            ": 2 updates, 1 delete",
            ": 1 insert, 1 delete",
            "full <name>",
            "No row was quarantined.",
            "hash_compressed in 3 batches",
        ):
            assert shown in page.text, shown
        assert "<td>ann</td><td>ann<ins>a</ins></td>" in text
        assert "2.<del>0</del>0" in text
        assert not page.all("b")
        lines = [each for each in page.all("tr") if "data-change" in each]
        assert [each["data-change"] for each in lines] == ["update"] * 3 + ["insert"] + ["delete"] * 2
        # Without a file it is printed.
        assert command(bench, "report", "report", model="accounts", format="html") == 0
        assert capsys.readouterr().out.startswith("<!doctype html>")

    def test_the_history_of_a_row(self, bench: Workbench, capsys: pytest.CaptureFixture[str]) -> None:
        printed = history(bench, capsys, {"region": "s", "account_id": "3"})
        assert printed.startswith("accounts: region = s, account_id = 3\n")
        assert [cells for cells in table(printed) if "amount" not in cells] == [
            ["1", *self.at(printed, 1), "insert", "full", "<name>", "null"],
            ["2", *self.at(printed, 2), "delete", "full", "<name>", "null"],
            ["3", *self.at(printed, 3), "insert", "full", "<name>", "eve"],
        ]
        printed = history(bench, capsys, {"Region": "n", "ACCOUNT_ID": 2}, column="Amount")
        assert [cells[-2:] for cells in table(printed)] == [["amount", "2.00"], ["2.00", "2.50"]]
        printed = history(bench, capsys, {"region": None, "account_id": 4})
        assert [cells[-1] for cells in table(printed)] == ["dan", "4.00", "dan", "4.00"]
        printed = history(bench, capsys, {"region": "x' or 1 = 1 -- ", "account_id": "4"})
        assert "No change of such a row up to batch 3" in printed
        assert "the log never had this key." in printed

    def at(self, printed: str, batch: int) -> list[str]:
        """The day and the time of a batch."""
        return next(cells for cells in table(printed) if cells[0] == str(batch))[1:3]

    def test_a_model_of_versions(self, bench: Workbench) -> None:
        key = "{'region': 'n', 'account_id': 2}"
        bench.add_model("versions", f"{{{{ deltawave.history(ref('accounts'), {key}) }}}}")
        bench.add_model("amounts", f"{{{{ deltawave.history(ref('accounts'), {key}, column='amount') }}}}")
        bench.build(None, "--select", "versions", "amounts")
        versions = bench.spark.table(f"{bench.schema}.versions").orderBy("_batch_id").collect()
        assert [(row._batch_id, row._change_type, row["full <name>"]) for row in versions] == [
            (1, "insert", "bob"),
            (2, "update", "<b>bob</b>"),
        ]
        amounts = bench.spark.table(f"{bench.schema}.amounts").orderBy("_batch_id")
        assert [(str(row.amount), row._before and str(row._before)) for row in amounts.collect()] == [
            ("2.00", None),
            ("2.50", "2.00"),
        ]

    def test_when_it_was_shortened(self, bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert bench.operate("expire", model="accounts", to_batch=2).ok
        printed = history(bench, capsys, {"region": "n", "account_id": 1})
        assert [cells[0] for cells in table(printed) if "state" in cells] == ["2"]
        printed = history(bench, capsys, {"region": "s", "account_id": 9})
        assert "the log has only what was changed since batch 2." in printed
        page = page_of(bench, tmp_path)
        assert "The log's rows begin with batch 2; earlier batches are only counted." in page.text
        lines = [each for each in page.all("tr") if "data-change" in each]
        assert [each["data-change"] for each in lines] == ["insert", "delete"]


class TestLogReports:
    def test_a_page_of_quarantined_rows_and_of_another_schema(self, bench: Workbench, tmp_path: Path) -> None:
        bench.configure(unique_key=KEY, duplicate_keys="quarantine", state_schema=f"{bench.schema}_state")
        try:
            bench.build(FIRST)
            bench.build(f"{SECOND} union all select 'n', 1, 'twice', 9.99BD")
            page = page_of(bench, tmp_path)
            assert "In all 2 rows of duplicate keys in 1 batch." in page.text
            assert "region: n, account_id: 1, full <name>: twice, amount: 9.99" in page.text
        finally:
            bench.spark.sql(f"drop schema if exists {bench.schema}_state cascade")

    def test_where_changes_concentrate(self, bench: Workbench) -> None:
        rows = "select id as account_id, if(id % 4 = 0, 'north', 'other') as name, {} as amount from range(400)"
        bench.build(rows.format("1"))
        bench.build(rows.format("if(id % 4 = 0 and id < 200, 2, 1)"))
        # Which are judged by their values before the last update.
        bench.build(rows.format("if(id % 4 = 0 and id < 200, 3, 1)").replace("'north'", "if(id < 200, 'n', 'north')"))
        found = self.read(bench)
        assert (found.first_batch, found.updates, found.unrecorded) == (1, 100, 0)
        assert found.columns == {"amount": 100, "name": 50}
        assert found.concentrations
        north = next(each for each in found.concentrations if each.column == "name")
        assert (north.kind, north.value, north.rows, north.share) == ("update", "north", 50, 1.0)
        assert (north.all_share, north.lift) == (pytest.approx(100 / 400), pytest.approx(4.0))
        assert {each.kind for each in found.concentrations} == {"update"}
        assert len(found.samples) > 3

    def test_where_the_changes_of_a_batch_concentrate(
        self, bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Among the rows that the table had then: not those that were deleted before or inserted later."""
        rows = "select id as account_id, if(id % 4 = 0, 'north', 'other') as name, {} as amount from range({}, {})"
        bench.build(rows.format("1", 0, 500))
        bench.build(rows.format("if(id % 4 = 0 and id < 300, 2, 1)", 100, 500))
        bench.build(rows.format("if(id % 4 = 0 and id < 300, 2, cast(id % 4 as int))", 100, 900))
        found = self.read(bench, 2)
        assert (found.updates, found.columns, [each.number for each in found.batches]) == (50, {"amount": 50}, [2])
        assert {change.batch for change in found.samples} == {2}
        assert found.concentrations
        ((kind, value, north, expected),) = [
            (each.kind, each.value, each.rows, each.all_share)
            for each in found.concentrations
            if each.column == "name"  # type: ignore[union-attr]
        ]
        assert (kind, value, north, expected) == ("update", "north", 50, pytest.approx(125 / 500))
        file = tmp_path / "page.html"
        assert command(bench, "report", "report", model="accounts", format="html", batch=2, output=str(file)) == 0
        page = Page(file.read_text(encoding="utf-8"))
        assert f"What changed in {bench.schema}.accounts, batch 2" in page.text
        assert "updated name north 50 100.0% 25.0% 4.0" in page.text
        assert not page.all("desc")
        capsys.readouterr()
        assert command(bench, "report", "report", model="accounts", batch=2) == 0
        printed = capsys.readouterr().out
        assert ["amount", "50", "100.0%"] in [line.split() for line in printed.splitlines()]
        assert ["updated", "name", "north", "50", "100.0%", "25.0%", "4.0", "2.3"] in [
            line.split() for line in printed.splitlines()
        ]
        assert command(bench, "report", "report", model="accounts", format="html", batch=4) == 1
        assert "There is no batch 4, or a rewind has undone it." in capsys.readouterr().err
        assert bench.operate("expire", model="accounts", to_batch=2).ok
        assert command(bench, "report", "report", model="accounts", format="html", batch=2) == 1
        assert "The log no longer has the changes of batch 2." in capsys.readouterr().err

    def test_dumps_without_dates_have_their_names(
        self, bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """All of a run have its time."""
        bench.configure(unique_key=["account_id"], snapshot_date="load_id", snapshot_order="text")
        rows = "select 1 as account_id, 'ann' as name, '{}' as load_id"
        bench.build(" union all ".join(rows.format(name).replace("ann", name) for name in ("load_007", "load_008")))
        printed = history(bench, capsys, {"account_id": 1})
        assert printed.splitlines()[2].split() == ["batch", "dump", "at", "change", "column", "before", "after"]
        assert [cells[:2] for cells in table(printed)] == [["1", "load_007"], ["2", "load_008"]]
        assert "up to batch 2 (load_008)" in history(bench, capsys, {"account_id": 2})
        file = tmp_path / "page.html"
        assert command(bench, "report", "report", model="accounts", format="html", output=str(file)) == 0
        text = file.read_text(encoding="utf-8")
        page = Page(text)
        assert "2 batches, dump load_007 to load_008." in page.text
        assert "batch 2, dump load_008: 1 update" in page.text
        assert '<th scope="col" class="number">batch</th><th scope="col">dump</th><th scope="col">date</th>' in text
        capsys.readouterr()
        assert command(bench, "report", "report", model="accounts") == 0
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert ["batch", "dump", "date", "inserts", "deletes", "updates", "rows"] in lines
        assert [line[:2] for line in lines if line[2:] and "-" in line[2]] == [["1", "load_007"], ["2", "load_008"]]
        assert ["load_008"] in lines

    def read(self, bench: Workbench, batch: int | None = None) -> LogReport:
        log, batches = (bench.spark.table(f"{bench.schema}.accounts{end}") for end in ("", "__batches"))
        return log_report(log, batches, None, name="accounts", key=["account_id"], is_multiset=False, batch=batch)

    def test_a_log_without_before_images(
        self, bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        bench.configure(unique_key=KEY, before_image="none")
        bench.build(FIRST)
        bench.build(SECOND)
        assert "anna" in page_of(bench, tmp_path).text
        printed = history(bench, capsys, {"region": "n", "account_id": "1"})
        assert [cells[-2:] for cells in table(printed)][-1] == ["ann", "anna"]

    def test_a_log_that_began_with_a_baseline(
        self, bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        bench.configure(unique_key=KEY, initial_load="baseline")
        bench.build(FIRST)
        assert "The log has no changes." in page_of(bench, tmp_path).text
        bench.build(SECOND)
        assert "It lacks the rows that have not changed since" in page_of(bench, tmp_path).text
        # The log began so, whatever the configuration is now.
        bench.configure(unique_key=KEY)
        assert "it may be one of them" in history(bench, capsys, {"region": None, "account_id": 4})

    def test_deletes_without_values(self, bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rows = "select id as account_id, if(id % 4 = 0, 'north', 'other') as name, 1 as amount from range(400)"
        bench.configure(unique_key=["account_id"], before_image="none", strategy="row_checksum")
        bench.build(rows)
        bench.build(f"{rows} where id >= 200 or id % 4 > 0")
        found = self.read(bench)
        assert [(each.kind, each.value, each.rows) for each in found.concentrations] == [("delete", "north", 50)]
        assert "(not recorded)" in page_of(bench, tmp_path).text
        printed = history(bench, capsys, {"account_id": 4})
        assert [cells[-2:] for cells in table(printed)][-2:] == [["name", "north"], ["amount", "1"]]

    def test_what_can_not_be_reported(
        self, bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        bench.dump(FIRST)
        assert command(bench, "history", "print_history", model="accounts", key={"account_id": 1}) == 1
        assert "deltawave history: accounts has no batch yet." in capsys.readouterr().err
        assert bench.run("--empty").ok
        capsys.readouterr()
        page = {"model": "accounts", "format": "html", "output": str(tmp_path / "none" / "page.html")}
        assert command(bench, "report", "report", **page | {"output": str(tmp_path / "page.html")}) == 1
        printed = capsys.readouterr()
        assert "deltawave report: accounts has no batch yet. Run the model first." in printed.err
        assert printed.out == ""
        bench.build(FIRST)
        assert command(bench, "report", "report", **page) == 1
        assert "the page about accounts can't be made. [Errno 2]" in capsys.readouterr().err

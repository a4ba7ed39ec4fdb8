"""`deltawave report` and `deltawave history`, in processes of their own."""

from pathlib import Path

import pytest
from html_pages import Page

from deltawave import cli

LOG = (
    "{{ config(materialized='differential', unique_key='id') }}"
    " select id, concat('name ', if(id < {{ var('renamed', 0) }}, -id, id)) as `a name` from range(4)"
)


def test_a_log_that_dbt_run_has_built(
    own_process, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own_process.profile()
    own_process.install_package()
    own_process.write("models/names.sql", LOG)
    built = own_process.dbt("run", "run --vars 'renamed: 2'")
    assert built.returncode == 0, built.stdout

    monkeypatch.chdir(own_process.root)
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", own_process.jvm_options)
    for name in ("DBT_PROFILES_DIR", "DBT_LOG_PATH"):
        monkeypatch.delenv(name, raising=False)
    assert cli.main(["report", "names"]) == 0
    printed = capfd.readouterr()
    file = own_process.root / "names.html"
    assert printed.out == f"What changed in own.names is described in {file}.\n"
    assert ": 1 update" in Page(file.read_text(encoding="utf-8")).text

    # From another folder.
    monkeypatch.chdir(tmp_path.parent)
    folders = ["--project-dir", str(own_process.root), "--profiles-dir", str(own_process.root)]
    assert cli.main(["history", "names", "--key", "id=1", *folders]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "names: id = 1"
    assert [line.split()[-2:] for line in lines[3:5]] == [["name", "1"], ["name", "-1"]]

    assert cli.main(["report", "nmaes", *folders]) == 1
    printed = capfd.readouterr()
    assert "deltawave report: there is no model 'nmaes'." in printed.err
    assert printed.out == ""

"""What commands print, in processes of their own: dbt's lines and ours, and nothing of the libraries below."""

import re
import subprocess
import sys
from pathlib import Path

CLOCK = re.compile(r"^(\x1b\[\d*m)?\d\d:\d\d:\d\d  ")

# The library has something to say on how these rows are read.
LOG = "{{ config(materialized='differential', unique_key='id') }} select * from {{ ref('rows') }} where name > ''"
NOW = "{{ config(materialized='current_state') }} select * from {{ ref('changes') }}"
FAILING = "{{ config(materialized='table') }} select id + raise_error('no rows') as id from {{ ref('rows') }}"
BY_PYTHON = """
def model(dbt, session):
    return dbt.ref("changes").groupBy("_change_type").count()
"""


def command(own_process, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of the environment, as a shell starts it."""
    program = str(Path(sys.executable).with_name(words[0]))
    return own_process.call([program, *words[1:]])


def test_dbt_prints_its_lines_and_ours(own_process) -> None:
    own_process.profile(threads=2)
    own_process.install_package()
    own_process.write("models/changes.sql", LOG)
    own_process.write("models/now.sql", NOW)
    own_process.write("models/by_python.py", BY_PYTHON)
    own_process.write("models/failing.sql", FAILING)
    for names in ("ann bob", "ann rob"):
        rows = "".join(f"{number},{name}\n" for number, name in enumerate(names.split()))
        own_process.write("seeds/rows.csv", f"id,name\n{rows}")
        done = command(own_process, "dbt", "build", "--exclude", "failing")
        assert done.returncode == 0, done.stdout
        assert done.stderr == ""
        assert [line for line in done.stdout.splitlines() if not CLOCK.match(line)] == []
    done = command(own_process, "dbt", "--quiet", "build", "--exclude", "failing")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nanobind" not in done.stdout
    # Of a failure, dbt prints the message, which has lines.
    done = command(own_process, "dbt", "build")
    assert (done.returncode, done.stderr) == (1, "")
    assert "no rows" in done.stdout
    assert not re.search("nanobind|Traceback|WARN |Py4J", done.stdout)

    # The commands of the library start Spark through dbt, or by themselves.
    done = command(own_process, "deltawave", "history", "changes", "--key", "id=1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("changes: id = 1\n")
    done = command(own_process, "deltawave", "report", "changes")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1
    own_process.write("new.csv", "id,name\n0,ann\n1,rob\n")
    own_process.write("old.csv", "id,name\n0,ann\n1,bob\n")
    done = command(own_process, "deltawave", "compare", "old.csv", "new.csv", "--key", "id")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("old.csv -> new.csv, by id\n")
    assert done.stdout.endswith("The tables differ.\n")

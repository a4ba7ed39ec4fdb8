"""The first pages of docs/, followed to the letter: what they show is printed."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"(?:#|--) (\S+\.\w+)\n")

# All commands of dbt on one Spark, whose metastore serves no other process: `deltawave history` runs in this one, too.
RUN = """
import shlex, subprocess, sys
from dbt.adapters.deltawave import operation_command
from dbt.cli.main import dbtRunner
from deltawave import cli
from deltawave.reporting import command_line

command_line._exit_code = lambda program: operation_command.main(program[3:])

def run(program, command, *arguments):
    if program == "dbt":
        return dbtRunner().invoke([command, *arguments]).success
    if command == "history":
        return cli.main([command, *arguments]) == 0
    # The files differ.
    return subprocess.run([sys.executable, "-m", "deltawave", command, *arguments]).returncode == 1

for block in BLOCKS:
    if block.startswith(("dbt ", "deltawave ")):
        for line in block.splitlines():
            if not run(*shlex.split(line)):
                sys.exit(f"failed: {line}")
    else:
        subprocess.run(["sh", "-euc", block], check=True)
"""


def normal(text: str) -> str:
    """A text without durations and the widths of columns."""
    return re.sub(" +", " ", re.sub(r"\d+\.\d s,", "s,", text))


@pytest.mark.parametrize("page", ["start", "first_week"])
def test_a_page_shows_what_happens(page: str, own_process) -> None:
    text = (DOCS / f"{page}.md").read_text()
    commands, shown = [], re.findall(r"^\| \d.*", text, re.MULTILINE)
    for kind, block in BLOCK.findall(text):
        if named := NAMED.match(block):
            own_process.write(named[1], block)
        elif not kind:
            shown += block.splitlines()
        elif "pip install" not in block:
            commands.append(block.replace("dbt deps\n", ""))
    # As `dbt deps` would.
    (own_process.root / "packages.yml").unlink()
    own_process.install_package()

    done = own_process.python(f"BLOCKS = {commands!r}\n{RUN}", timeout=900)

    assert done.returncode == 0, done.stdout + done.stderr
    printed = normal(done.stdout)
    assert not [line for line in shown if normal(line) not in printed], done.stdout

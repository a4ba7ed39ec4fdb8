"""Pages of the documentation carried out as they are written: files, commands, and what they say is printed."""

import atexit
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
# What pages have where a reader puts the path to the checkout.
CHECKOUT = "path/to/deltawave"

_BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<text>.*?)^```\n(?P<table>\n(?:\|[^\n]*\n)+)?", re.MULTILINE | re.DOTALL)
# The first line of a file names it.
_FILE = re.compile(r"(?:#|--) (?P<path>\S+\.\w+)\n")
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")
_COLOUR = re.compile(r"\x1b\[\d*m")
_CLOCK = re.compile(r"^\d\d:\d\d:\d\d {2}")
# What pages leave out: what dbt says of itself and of the nodes that it runs, and what sources that are files report.
_LEFT_OUT = re.compile(
    r"(Running with dbt=|Registered adapter:|Unable to do partial parsing|Found \d|Concurrency: "
    r"|\d+ of \d+ (START|OK|PASS|NO-OP) |Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0 |Completed successfully"
    r"|Nothing to do|Finished running |Installing |Installed |Updating lock file"
    r"|Previewing inline node|\||deltawave: \w+\.\w+: )"
)


@dataclass
class Step:
    """A file to write (``path``), or commands, with what the page shows of their output."""

    text: str
    path: str = ""
    printed: str = ""
    table: str = ""
    output: str = field(default="", repr=False)


def steps(page: str) -> list[Step]:
    """The steps of a page, in order.

    Raises ``ValueError`` at a block that is neither a file, nor commands, nor their output.
    """
    found: list[Step] = []
    for block in _BLOCK.finditer(page):
        kind, text = block["kind"], block["text"]
        named = _FILE.match(text)
        if kind == "sh":
            found.append(Step(text, table=block["table"] or ""))
        elif kind in ("yaml", "sql") and named:
            found.append(Step(text, path=named["path"]))
        elif kind == "" and found and not found[-1].path:
            found[-1].printed += text
        else:
            raise ValueError(f"This block has no name of a file in its first line:\n{text}")
    return found


def environ(jvm_options: str) -> dict[str, str]:
    """The variables of a user who has set none for dbt and Python; Spark's JVM has these options, too."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYTHON"))}
    return kept | {"SPARK_SUBMIT_OPTS": jvm_options, "PIP_NO_COMPILE": "1", "PIP_FIND_LINKS": _left_out_parser()}


@cache
def _left_out_parser() -> str:
    """A folder with an empty wheel in place of the parser that scripts/override.txt leaves out, and why."""
    folder = Path(mkdtemp(prefix="deltawave_wheels_"))
    atexit.register(rmtree, folder, ignore_errors=True)
    named = "dbt_core_experimental_parser-2.999.0"
    files = {
        "METADATA": "Metadata-Version: 2.1\nName: dbt-core-experimental-parser\nVersion: 2.999.0\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with ZipFile(folder / f"{named}-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(f"{named}.dist-info/{name}", text)
    return str(folder)


def carry_out(page: str, folder: Path, environ: Mapping[str, str], before: str = "") -> list[Step]:
    """Carry out a page in a folder, in one shell, after the commands ``before``; return its steps with their output.

    Raises ``AssertionError`` if a command fails, except for comparisons, which report a difference in this way.
    """
    done = steps(page)
    # pip may need to know of a proxy's certificate, as it does when this project is set up.
    prepared = ["set -o pipefail", f"cd '{ROOT}'", ". scripts/network.sh", f"cd '{folder}'", before]
    script = [*prepared, "trap 'echo \"$BASH_COMMAND\" >> .failed' ERR"]
    for number, step in enumerate(done):
        if step.path:
            script += [
                f"mkdir -p \"$(dirname '{step.path}')\"",
                f"cat > '{step.path}' <<'END OF FILE'",
                f"{step.text}END OF FILE",
            ]
        else:
            script += ["{", step.text, f"}} > .printed_{number} 2>&1 < /dev/null"]
    subprocess.run(["bash", "-c", "\n".join(script)], env=environ, check=False, timeout=1500)
    for number, step in enumerate(done):
        output = folder / f".printed_{number}"
        step.output = output.read_text() if output.is_file() else ""
    failed = (folder / ".failed").read_text() if (folder / ".failed").is_file() else ""
    wrong = [line for line in failed.splitlines() if not line.startswith("deltawave compare")]
    assert not wrong, f"{wrong}\n{''.join(step.output for step in done)}"
    return done


def printed(output: str) -> list[str]:
    """The lines of an output that dbt does not print of itself, without clock times; seconds are masked."""
    return [line for line in map(_masked, output.splitlines()) if line and not _LEFT_OUT.match(line)]


def _masked(line: str) -> str:
    return _SECONDS.sub("N s", _CLOCK.sub("", _COLOUR.sub("", line))).rstrip()


def table(output: str) -> list[list[str]]:
    """The cells of a table of dbt or of Markdown, header included."""
    rows = [line.strip() for line in output.splitlines() if line.strip().startswith("|")]
    cells = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    return [row for row in cells if not all(set(cell) <= set("-: ") for cell in row)]


def differences(done: list[Step]) -> Iterator[str]:
    """What is printed otherwise than the page shows."""
    for step in done:
        if step.printed and printed(step.printed) != printed(step.output):
            yield f"{step.text}\nprints\n\n{step.output}\nand the page shows\n\n{step.printed}"
        if step.table and table(step.table) != table(step.output):
            yield f"{step.text}\nprints\n\n{step.output}\nand the page shows\n{step.table}"

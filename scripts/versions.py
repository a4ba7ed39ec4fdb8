"""Runs a user's days on the versions that people run, and writes what was right into docs/support.md.

Each cell is an environment of its own with one dbt, Spark and Python, in which tests/versions/everyday.py runs through
one door. Without names all cells run, two at a time; docs/support.md keeps what it says of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from shutil import copy, which
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import yaml
from packaging.version import Version
from spark_servers import ConnectServer, ThriftServer

from deltawave.environment import WITH_SPARK_3
from deltawave.jars import JARS, PACKAGES, scala

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "support.md"
UV = ROOT / ".venv" / "bin" / "uv"

# What a user installs besides dbt-core, by how dbt reaches Spark (see docs/support.md); {spark} is Spark's version.
DOORS = {
    "session": ["{wheel}", "pyspark[connect]=={spark}.*"],
    "Connect": ["{wheel}", "pyspark-client=={spark}.*"],
    "stock session": ["dbt-spark==1.11.*", "pyspark=={spark}.*"],
    "Thrift": ["dbt-spark[PyHive]==1.11.*"],
}
JVM = "-XX:TieredStopAtLevel=1"
QUICKLY = {"spark.driver.extraJavaOptions": f"{JVM} -Dderby.stream.error.file=/dev/null"}


@dataclass(frozen=True)
class Cell:
    """A combination of versions."""

    name: str
    python: str
    dbt: str
    spark: str
    table_format: str
    door: str


CELLS = [
    Cell("usual", "3.11", "1.12", "4.1", "parquet", "session"),
    Cell("usual_delta", "3.13", "1.12", "4.1", "delta", "session"),
    Cell("usual_iceberg", "3.12", "1.11", "4.1", "iceberg", "session"),
    Cell("connect", "3.11", "1.12", "4.1", "parquet", "Connect"),
    Cell("thrift", "3.11", "1.12", "4.1", "parquet", "Thrift"),
    Cell("stock", "3.10", "1.11", "4.1", "parquet", "stock session"),
    Cell("spark35", "3.10", "1.11", "3.5", "parquet", "session"),
    Cell("spark35_delta", "3.11", "1.12", "3.5", "delta", "session"),
    Cell("spark35_iceberg", "3.11", "1.12", "3.5", "iceberg", "stock session"),
    Cell("spark40", "3.12", "1.11", "4.0", "iceberg", "session"),
    Cell("spark40_thrift", "3.13", "1.12", "4.0", "delta", "Thrift"),
    Cell("spark42", "3.10", "1.12", "4.2", "delta", "session"),
    Cell("spark42_stock", "3.12", "1.12", "4.2", "parquet", "stock session"),
    # pyspark-client has no 4.3 yet.
    Cell("spark42_connect", "3.12", "1.11", "4.2", "parquet", "Connect"),
    Cell("spark43", "3.13", "1.12", "4.3", "parquet", "session"),
    Cell("spark43_stock", "3.12", "1.11", "4.3", "parquet", "stock session"),
]
BY_NAME = {cell.name: cell for cell in CELLS}


def settings(cell: Cell) -> dict[str, str]:
    """Of the cell's Spark: those of the demo's profile for the format, with the jar of this Spark."""
    found = {
        "spark.sql.shuffle.partitions": "2",
        # To compile for a few rows takes longer than to read them.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    if cell.table_format != "parquet":
        profiles = yaml.safe_load((ROOT / "profiles" / "profiles.yml").read_text())
        of_format = profiles["deltawave_demo"]["outputs"][cell.table_format]["server_side_parameters"]
        found |= {name: json.dumps(value).strip('"') for name, value in of_format.items()}
        found[PACKAGES] = JARS[cell.spark][cell.table_format]
    return found


def call(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command. Raises ``RuntimeError`` with its output if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:6])} ...\n{done.stdout[-6000:]}")
    return done


def environment(folder: Path, python: str, packages: list[str], *others: str) -> Path:
    """A Python with packages, without dbt's parser, which downloads as it is built, and without ``others``."""
    left_out = ("dbt-core-experimental-parser", *others)
    override = folder.with_suffix(".txt")
    override.write_text("".join(f'{name} ; sys_platform == "never"\n' for name in left_out))
    call([str(UV), "venv", "--quiet", "--python", interpreter(python), str(folder)])
    found = folder / "bin" / "python"
    constraints = ["--build-constraints", str(ROOT / "scripts" / "bootstrap.lock")]
    call([str(UV), "pip", "install", "--python", str(found), *constraints, "--override", str(override), *packages])
    return found


def interpreter(version: str) -> str:
    """The command of a Python on this machine."""
    candidates = [which(f"python{version}"), *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
    for found in filter(None, candidates):
        if subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return found
    raise RuntimeError(f"there is no Python {version} on this machine")


@contextmanager
def target(cell: Cell, folder: Path, wheel: Path) -> Iterator[dict[str, Any]]:
    """The output of the cell's profile; its server runs meanwhile."""
    chosen = settings(cell)
    common = {"schema": "days", "threads": 2}
    if cell.door == "session":
        data_dir = str(folder / "data")
        yield {"type": "deltawave", **common, "data_dir": data_dir, "server_side_parameters": chosen | QUICKLY}
        return
    if cell.door == "stock session":
        places = {
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/db;create=true",
        }
        method = {"method": "session", "host": "local"}
        yield {"type": "spark", **common, **method, "server_side_parameters": chosen | QUICKLY | places}
        return
    # What tasks run for a client of Connect is deltawave's.
    packages = [f"pyspark=={cell.spark}.*", *([str(wheel)] if cell.door == "Connect" else [])]
    spark = environment(folder / "server", cell.python, packages)
    (home,) = spark.parents[1].glob("lib/python*/site-packages/pyspark")
    if cell.door == "Thrift":
        install_jars(home, spark, chosen.pop(PACKAGES, ""))
        with ThriftServer(home, JVM, chosen) as thrift:
            address = {"method": "thrift", "host": "127.0.0.1", "port": thrift.port, "user": "dbt"}
            yield {"type": "spark", **common, **address}
    else:
        with ConnectServer(home, JVM, chosen) as connect:
            yield {"type": "deltawave", **common, "server_side_parameters": {"spark.remote": connect.address}}


def install_jars(home: Path, python: Path, packages: str) -> None:
    """Put the jars of a table format beside Spark's own, without what they need, of which Spark has other releases.

    What a Thrift server loads as packages can no longer be found after a connection has ended.
    """
    for package in filter(None, packages.split(",")):
        session = f"SparkSession.builder.config('{PACKAGES}', '{package}').getOrCreate()"
        asked = f"from pyspark.sql import SparkSession; print({session}.conf.get('spark.jars'))"
        group = package.partition(":")[0]
        for found in call([str(python), "-c", asked]).stdout.splitlines()[-1].split(","):
            jar = Path(found.removeprefix("file:"))
            if jar.name.startswith(f"{group}_"):
                copy(jar, home / "jars")


def run(cell: Cell, wheel: Path, folder: Path) -> list[str]:
    """The strategies that were right all days. Raises ``RuntimeError`` with what failed."""
    words = {"wheel": str(wheel), "spark": cell.spark}
    packages = [f"dbt-core=={cell.dbt}.*", *(each.format(**words) for each in DOORS[cell.door])]
    left_out = ["pyspark"] if cell.door == "Connect" else []
    packages += WITH_SPARK_3 if cell.spark == "3.5" else ()
    python = environment(folder / "environment", cell.python, packages, *left_out)
    with target(cell, folder, wheel) as output:
        days = [str(ROOT / "tests" / "versions" / "everyday.py"), str(folder / "project")]
        options = ["--format", cell.table_format, "--target", json.dumps(output)]
        found = call([str(python), *days, *options], env=clean_environment(cell), cwd=folder)
    return list(json.loads(found.stdout.splitlines()[-1]))


def clean_environment(cell: Cell) -> dict[str, str]:
    """A user's variables; with Spark on a server, without Java."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYTHON", "SPARK_"))}
    if cell.door in ("Connect", "Thrift"):
        kept["PATH"] = os.pathsep.join(
            part for part in kept["PATH"].split(os.pathsep) if not Path(part, "java").exists()
        )
        kept.pop("JAVA_HOME", None)
    return kept


def line(cell: Cell, outcome: str) -> str:
    cells = [cell.name, cell.dbt, cell.spark, cell.python, cell.table_format, cell.door, outcome]
    return f"| {' | '.join(cells)} |"


def written(page: str, lines: Mapping[str, str]) -> str:
    """The page with these lines in its table, and those that it has of other cells."""
    found = dict(re.findall(r"^(?=\| (\w+) \| 1\.)(.*)$", page, re.MULTILINE))
    rows = [({**found, **lines}).get(cell.name) or line(cell, "not tried") for cell in CELLS]
    before, marker, after = page.partition("| cell |")
    head, *rest = f"{marker}{after}".split("\n\n", 1)
    return before + "\n".join([*head.splitlines()[:2], *rows]) + "\n" + "".join(f"\n{part}" for part in rest)


def outcome(cell: Cell, wheel: Path, scratch: str) -> tuple[str, bool]:
    """What the page says of a cell after its days, and whether all was right; prints how it went."""
    begun = time.monotonic()
    print(f"{cell.name}: begins", flush=True)
    with TemporaryDirectory(prefix=f"{cell.name}_", dir=scratch) as folder:
        try:
            right = run(cell, wheel, Path(folder))
        except RuntimeError as error:
            print(f"{cell.name}: FAILED\n{error}", flush=True)
            return f"failed on {date.today().isoformat()}", False
    print(f"{cell.name}: {len(right)} strategies right, {time.monotonic() - begun:.0f} s", flush=True)
    return f"right on {date.today().isoformat()}", True


def newest() -> None:
    """Print, for each Spark, the newest release of pyspark and of the jars of both table formats."""
    with urlopen("https://pypi.org/pypi/pyspark/json", timeout=60) as answer:
        releases = [release for release in json.load(answer)["releases"] if re.fullmatch(r"[\d.]+", release)]
    for spark in sorted({".".join(release.split(".")[:2]) for release in releases if release >= "3.5"}):
        newest_release = max((each for each in releases if each.startswith(f"{spark}.")), key=Version)
        made_for = scala(spark)
        names = {
            "delta": f"io/delta/delta-spark_{made_for if spark == '3.5' else f'{spark}_{made_for}'}",
            "iceberg": f"org/apache/iceberg/iceberg-spark-runtime-{spark}_{made_for}",
        }
        found = {table_format: of_maven(name) or "none" for table_format, name in names.items()}
        tested = ", ".join(JARS.get(spark, {}).values()) or "none"
        print(f"pyspark {newest_release}: delta {found['delta']}, iceberg {found['iceberg']}; known here: {tested}")


def of_maven(artifact: str) -> str | None:
    """The newest release of an artifact, None if there is none."""
    try:
        with urlopen(f"https://repo1.maven.org/maven2/{artifact}/maven-metadata.xml", timeout=60) as answer:
            released = re.findall(r"<version>([\d.]+)</version>", answer.read().decode())
    except HTTPError:
        return None
    return max(released, key=Version, default=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", metavar="CELL", help=f"of {', '.join(BY_NAME)}")
    parser.add_argument("--newest", action="store_true", help="print which Spark has jars of both table formats")
    given = parser.parse_args()
    if given.newest:
        return newest()
    if unknown := [name for name in given.cells if name not in BY_NAME]:
        parser.error(f"there is no cell {unknown[0]}")
    with TemporaryDirectory(prefix="deltawave_versions_") as scratch, ThreadPoolExecutor(2) as pool:
        call([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", scratch, str(ROOT)])
        (wheel,) = Path(scratch).glob("*.whl")
        failed = []

        def tried(name: str) -> tuple[str, str, bool]:
            return name, *outcome(BY_NAME[name], wheel, scratch)

        for done in as_completed([pool.submit(tried, name) for name in given.cells or BY_NAME]):
            name, said, is_right = done.result()
            PAGE.write_text(written(PAGE.read_text(), {name: line(BY_NAME[name], said)}))
            if not is_right:
                failed.append(name)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()

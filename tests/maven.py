"""Files of Maven artifacts, fetched by the Ivy that comes with pyspark into the cache that Spark uses."""

import fcntl
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from deltawave.environment import java_command


@contextmanager
def ivy_alone() -> Iterator[None]:
    """Lanes download one after the other: Ivy's cache does not expect processes that download the same."""
    folder = os.open(Path(__file__).parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def artifact(coordinate: str) -> Path:
    """The jar of ``group:name:version``, which needs no others, from the cache if it is there."""
    (jar,) = artifacts(coordinate)
    return jar


def artifacts(coordinate: str) -> list[Path]:
    """The jar of ``group:name:version`` and those that it needs."""
    return _resolved(["-dependency", *coordinate.split(":")], coordinate)


def artifacts_of(packages: str, excludes: str) -> list[Path]:
    """What Spark loads with these values of ``spark.jars.packages`` and ``spark.jars.excludes``."""
    wanted = (
        f'<dependency org="{group}" name="{name}" rev="{version}" conf="default"/>'
        for group, name, version in (each.split(":") for each in packages.split(","))
    )
    without = (
        f'<exclude org="{group}" module="{name}"/>' for group, name in (each.split(":") for each in excludes.split(","))
    )
    described = (
        '<ivy-module version="2.0"><info organisation="deltawave" module="tests"/>'
        '<configurations><conf name="default"/></configurations>'
        f"<dependencies>{''.join((*wanted, *without))}</dependencies></ivy-module>"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(described)
        file.flush()
        return _resolved(["-ivy", file.name], packages)


def _resolved(wanted: list[str], name: str) -> list[Path]:
    (ivy,) = Path(pyspark.__file__).parent.glob("jars/ivy-*.jar")
    with ivy_alone(), tempfile.TemporaryDirectory(prefix="deltawave_ivy_") as folder:
        found = Path(folder, "found")
        command = [java_command(os.environ), "-jar", str(ivy), "-cache", str(Path.home() / ".ivy2.5.2" / "cache")]
        options = [*wanted, "-types", "jar", "bundle", "-cachepath", str(found)]
        done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode or not found.exists() or not found.read_text().strip():
            raise RuntimeError(f"{name} can't be had:\n{done.stdout[-4000:]}{done.stderr}")
        return [Path(jar) for jar in found.read_text().strip().split(os.pathsep)]

"""Helpers of the adapter's tests."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dbt.adapters.deltawave.__version__ import version

ROOT = Path(__file__).resolve().parents[3]


class OwnProcess:
    """A dbt project whose commands run in a process, hence on a Spark, of their own."""

    def __init__(self, root: Path, jvm_options: str) -> None:
        self.root = root
        self.jvm_options = jvm_options
        self.write("dbt_project.yml", yaml.safe_dump({"name": "own", "profile": "own"}))

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def install_package(self) -> None:
        """Put the macros of this repository where ``dbt deps`` would."""
        self.write("packages.yml", yaml.safe_dump({"packages": [{"local": str(ROOT)}]}))
        self.write("dbt_packages/deltawave/dbt_project.yml", f"name: deltawave\nversion: '{version}'\n")
        (self.root / "dbt_packages/deltawave/macros").symlink_to(ROOT / "macros", target_is_directory=True)

    def profile(self, file: str = "profiles.yml", **target: Any) -> None:
        output = {"type": "deltawave", "schema": "own"} | target
        profile = {"own": {"target": "default", "outputs": {"default": output}}}
        self.write(file, yaml.safe_dump(profile))

    def python(self, code: str, timeout: int = 300) -> subprocess.CompletedProcess[str]:
        """Run Python in the project's folder."""
        return self.call([sys.executable, "-c", code], timeout)

    def call(self, command: list[str], timeout: int = 300) -> subprocess.CompletedProcess[str]:
        """Run a program in the project's folder."""
        environment = os.environ | {
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "NO_COLOR": "1",
            "SPARK_SUBMIT_OPTS": self.jvm_options,
        }
        for name in ("DBT_PROFILES_DIR", "DBT_LOG_PATH"):
            environment.pop(name, None)
        return subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def dbt(self, *commands: str, then: str = "") -> subprocess.CompletedProcess[str]:
        """Run dbt commands one after the other on one Spark, then the code ``then`` on it.

        The first command that fails ends the process with code 1.
        """
        return self.python(
            "import shlex, sys\n"
            "from dbt.cli.main import dbtRunner\n"
            f"for command in {commands!r}:\n"
            "    if not dbtRunner().invoke(shlex.split(command)).success:\n"
            "        sys.exit(1)\n" + then
        )


@pytest.fixture(scope="class", autouse=True)
def sparing() -> None:
    """dbt writes all that it does for users."""


@pytest.fixture
def own_process(tmp_path: Path, quick_jvm: str) -> OwnProcess:
    """An empty dbt project, run in processes of its own."""
    return OwnProcess(tmp_path, quick_jvm)

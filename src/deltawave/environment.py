"""Checks whether this machine has what deltawave needs. One `Finding` for each check, which gets what it checks."""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from deltawave import class_archive, jars
from deltawave.profiles import sessions

DISTRIBUTION = "dbt-deltawave"
# What of pyspark speaks to a server of Spark Connect, without a Spark of its own; users may have it instead of pyspark.
CLIENT = "pyspark-client"
SUPPORTED_JAVA = (17, 21)
# What goes with Spark 3.5, beyond what this package requires.
WITH_SPARK_3 = ("numpy<2", "pandas<3", "pyarrow<26")
_PYTHON_OF_SPARK_3 = "<3.12"

INSTALL_JAVA = """\
Install Java 17 or 21 (21 where your release has no 17):
    Debian, Ubuntu   apt-get install openjdk-17-jre-headless
    Fedora           dnf install java-21-openjdk-headless
    macOS            brew install openjdk@17
                     export JAVA_HOME="$(brew --prefix)/opt/openjdk@17"
"""


@dataclass(frozen=True)
class Finding:
    """The result of a check: `remedy`, empty if nothing is wrong, says what to do; not `certain` is a warning."""

    seen: str
    remedy: str = ""
    certain: bool = True

    @property
    def ok(self) -> bool:
        return not self.remedy


def java_command(environ: Mapping[str, str]) -> str:
    """The Java that Spark's launcher would start: JAVA_HOME's, otherwise the one on the PATH."""
    home = environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"


def java_version_output(command: str) -> str | None:
    """What `<command> -version` prints, or None where it does not run."""
    try:
        # macOS has a /usr/bin/java that only fails and points to a download page.
        run = subprocess.run([command, "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stderr + run.stdout


def check_java(command: str, version_output: str | None, java_home: str | None) -> Finding:
    """Check the Java that Spark would start."""
    source, remedy = "the PATH", f"Set JAVA_HOME to the folder of another Java.\n{INSTALL_JAVA}"
    if java_home:
        source = f"JAVA_HOME={java_home}"
        remedy = f"Unset JAVA_HOME to use the PATH, or point it at another Java.\n{INSTALL_JAVA}"
    if version_output is None:
        if java_home:
            return Finding(f"no Java at {command} ({source})", remedy)
        return Finding("no Java on the PATH, and JAVA_HOME is not set", INSTALL_JAVA)
    # The feature release: 8 of "1.8.0_392".
    found = re.search(r'version "(?:1\.)?(\d+)', version_output)
    if found is None:
        return Finding(f"{command} ({source}) does not tell its version: {version_output.strip()!r}", remedy)
    if int(found[1]) not in SUPPORTED_JAVA:
        return Finding(f"Java {found[1]} from {source}; Spark runs on Java 17 and 21", remedy)
    return Finding(f"Java {found[1]} from {source}")


def check_python(version: tuple[int, int, int], allowed: str) -> Finding:
    """Check the running Python by `allowed`, a specifier such as ">=3.10,<3.14"."""
    text = ".".join(map(str, version))
    if text in SpecifierSet(allowed):
        return Finding(f"Python {text}")
    remedy = "Make the virtual environment with such a Python, e.g. python3.12 -m venv .venv"
    return Finding(f"Python {text}; deltawave needs {allowed}", remedy)


def check_packages(requirements: list[str], installed: Callable[[str], str | None]) -> list[Finding]:
    """Check the `installed` versions of packages by the requirements that deltawave itself declares."""
    findings = []
    for requirement in map(Requirement, requirements):
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        name, version = requirement.name, installed(canonicalize_name(requirement.name))
        if name == "pyspark" and version is None and (client := installed(CLIENT)):
            # It has no extras.
            requirement.name, requirement.extras = CLIENT, set()
            name, version = CLIENT, client
        # Without its marker.
        requirement.marker = None
        remedy = f"pip install '{requirement}'"
        if version is None:
            findings.append(Finding(f"{name} is not installed", remedy))
        elif not requirement.specifier.contains(version, prereleases=True):
            findings.append(Finding(f"{name} {version} does not go with the rest", remedy))
        else:
            findings.append(Finding(f"{name} {version}"))
    return findings


def check_spark_home(spark_home: str | None, pyspark_version: str | None) -> Finding | None:
    """A SPARK_HOME of another version replaces pyspark's own jars; None if it does no harm."""
    if not spark_home or not pyspark_version:
        return None
    cores = sorted(Path(spark_home).glob("jars/spark-core_*.jar"))
    if any(core.stem.endswith(f"-{pyspark_version}") for core in cores):
        return None
    return Finding(
        f"SPARK_HOME={spark_home} holds {cores[0].name if cores else 'no Spark'}, pyspark is {pyspark_version}",
        f"unset SPARK_HOME, or install the pyspark of that Spark (here {pyspark_version}).",
    )


def check_profiles(environ: Mapping[str, str], folder: Path, home: Path) -> list[Finding]:
    """Check the jars of the profile that dbt reads in `folder`, and show the archives of classes of its sessions."""
    findings, outputs = [], {}
    try:
        outputs = sessions(environ, folder, home)
    except ValueError as error:
        problem = f"{error} can't be read, so its jars are not checked"
        findings.append(Finding(problem, "dbt debug says more.", certain=False))
    pyspark_version = installed_version("pyspark")
    for name, settings in outputs.items() if pyspark_version else ():
        for jar in jars.jars(settings, pyspark_version or ""):
            findings.append(
                Finding(
                    f"{name}: {jar.wrong or jar.named}",
                    jars.remedy(pyspark_version or "") if jar.wrong else "",
                    jar.certain,
                )
            )
    if not class_archive.is_wanted(environ):
        return [*findings, Finding(f"no archive of classes: {class_archive.SWITCH} switches it off")]
    java = java_command(environ)
    archives = [class_archive.find(java, settings, environ) for settings in list(outputs.values()) or [{}]]
    by_file = {archive.file: archive for archive in archives if archive is not None}
    return [*findings, *map(_class_archive, by_file.values())]


def _class_archive(archive: class_archive.ClassArchive) -> Finding:
    if archive.exists:
        return Finding(f"archive of classes {archive.file}, {archive.file.stat().st_size / 1e6:.0f} MB")
    if archive.failure.exists():
        remedy = f"{archive.failure} says why; delete that file to try again after the next run."
        return Finding(f"the archive of classes {archive.file} could not be made", remedy, certain=False)
    return Finding(f"archive of classes {archive.file} is made after the next run")


def installed_version(name: str) -> str | None:
    """Version of an installed distribution, None where there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def examine(environ: Mapping[str, str]) -> list[Finding]:
    """Every check, on this machine."""
    declared = metadata.metadata(DISTRIBUTION)
    command = java_command(environ)
    is_spark_3 = (installed_version("pyspark") or installed_version(CLIENT) or "").startswith("3.")
    needs_java = installed_version("pyspark") or not installed_version(CLIENT)
    java = [check_java(command, java_version_output(command), environ.get("JAVA_HOME"))] if needs_java else []
    python, required = declared["Requires-Python"], metadata.requires(DISTRIBUTION) or []
    if is_spark_3:
        python, required = f"{python},{_PYTHON_OF_SPARK_3}", [*required, *WITH_SPARK_3]
    findings = [
        check_python(sys.version_info[:3], python),
        *java,
        *check_packages(required, installed_version),
        *check_profiles(environ, Path.cwd(), Path.home()),
    ]
    spark_home = check_spark_home(environ.get("SPARK_HOME"), installed_version("pyspark"))
    return [*findings, spark_home] if spark_home else findings

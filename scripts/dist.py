"""Builds the wheel and the source distribution, checks them, and lives docs/start.md's five minutes from the wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from walkthrough import CHECKOUT, ROOT, carry_out, differences, environ

DIST = ROOT / "dist"
UV = str(ROOT / ".venv" / "bin" / "uv")
# In an environment of its own, for what it requires.
TWINE = "twine==7.0.0"


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    print("==> Building", flush=True)
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    files = sorted(map(str, DIST.iterdir()))
    print("==> Checking the metadata", flush=True)
    with TemporaryDirectory(prefix="deltawave_twine_") as folder:
        python = str(Path(folder, "bin", "python"))
        subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, folder], check=True)
        subprocess.run([UV, "pip", "install", "--quiet", "--python", python, TWINE], check=True)
        subprocess.run([python, "-m", "twine", "check", "--strict", *files], check=True)
    (wheel,) = DIST.glob("*.whl")
    print("==> docs/start.md from the wheel, in an empty environment (some minutes)", flush=True)
    page = (ROOT / "docs" / "start.md").read_text().replace(f"pip install {CHECKOUT}", f"pip install {wheel}")
    with TemporaryDirectory(prefix="deltawave_dist_") as folder:
        if wrong := list(differences(carry_out(page.replace(CHECKOUT, str(ROOT)), Path(folder), environ("")))):
            sys.exit("\n".join(wrong))
    print(f"==> Ready in {DIST}: {', '.join(Path(file).name for file in files)}")


if __name__ == "__main__":
    main()

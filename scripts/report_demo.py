"""Write a page about the demo's change log; prints where it is.

Arguments are handed on to `deltawave report`, for instance `scripts/report_demo.py --target delta`.
"""

import os
import sys
from pathlib import Path

from deltawave import cli

ROOT = Path(__file__).resolve().parents[1]
LOG = "airports_changes"


def main(options: list[str]) -> int:
    os.chdir(ROOT)
    if "DBT_PROFILES_DIR" not in os.environ:
        options = ["--profiles-dir", "profiles", *options]
    page = Path(os.environ.get("DBT_TARGET_PATH", "target"), f"{LOG}.html").resolve()
    page.parent.mkdir(parents=True, exist_ok=True)
    if cli.main(["report", LOG, "--output", str(page), *options]):
        print("The page is about a log that is there: `make run` builds it.", file=sys.stderr)
        return 1
    print(f"Open {page.as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

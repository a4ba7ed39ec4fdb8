"""Build the documentation of the demo's models as one static page; prints where it is.

Arguments are handed on to dbt, for instance `scripts/build_docs.py --target delta`.
"""

import os
import sys
from pathlib import Path

from dbt.cli.main import dbtRunner

ROOT = Path(__file__).resolve().parents[1]


def main(options: list[str]) -> int:
    os.chdir(ROOT)
    if "DBT_PROFILES_DIR" not in os.environ:
        options = ["--profiles-dir", "profiles", *options]
    target = Path(os.environ.get("DBT_TARGET_PATH", "target")).resolve()
    outcome = dbtRunner().invoke(["--quiet", "docs", "generate", "--static", *options])
    if not outcome.success:
        print("The page describes tables that are there: `make run` builds them.", file=sys.stderr)
        return 1
    print(f"Open {(target / 'static_index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

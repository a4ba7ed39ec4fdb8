"""The benchmark of seeds, at a tiny size."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_seed_and_spark_make_the_same_table() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "seeds.py"), "--rows", "20", "--rounds", "1", "--warm-up", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split(" | ")[0] for line in done.stdout.splitlines()[2:]] == [
        "| Spark reads and writes",
        "| dbt seed",
        "| agate reads",
    ]

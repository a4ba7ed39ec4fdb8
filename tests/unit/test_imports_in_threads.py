"""Threads of dbt import modules of the library at the same time, whichever they need first."""

import random
import subprocess
import sys
from pathlib import Path

import deltawave

ROOT = Path(deltawave.__file__).parent
# Threads that begin at once, and take turns as often as they can.
IMPORT = """
import importlib, sys, threading
import pyspark.sql
sys.setswitchinterval(1e-6)
barrier = threading.Barrier(len(sys.argv) - 1)
failed = []
def load(name):
    barrier.wait()
    try:
        importlib.import_module(name)
    except Exception as error:
        failed.append(f"{name}: {error!r}")
threads = [threading.Thread(target=load, args=[name]) for name in sys.argv[1:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit("; ".join(failed) or 0)
"""


def modules(package: str) -> list[str]:
    found = (ROOT / package).glob("*.py")
    return [f"deltawave.{package}.{file.stem}" for file in found if file.stem != "__init__"]


def test_modules_are_imported_in_threads() -> None:
    names = [name for package in ("rows", "differencing", "meshjoin", "wave", "comparing") for name in modules(package)]
    for _ in range(4):
        chosen = random.sample(names, 8)
        done = subprocess.run([sys.executable, "-c", IMPORT, *chosen], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

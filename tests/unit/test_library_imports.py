"""How the packages of the library and of the laboratory use each other."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [ROOT / "src" / "deltawave", ROOT / "benchmarks" / "laboratory"]


def imported(file: Path, root: str) -> Iterator[str]:
    """What a file imports from below ``root``, wherever in the file: the packages and modules directly below it."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            # from deltawave import jars
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == root else [node.module]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith(f"{root}."))


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_packages_use_each_other_one_way_only(folder: Path) -> None:
    uses: dict[str, set[str]] = {}
    for file in folder.rglob("*.py"):
        own = file.relative_to(folder).with_suffix("").parts[0]
        uses.setdefault(own, set()).update(set(imported(file, folder.name)) - {own})
    assert list(TopologicalSorter(uses).static_order())


def test_the_three_products_share_only_what_is_meant_to_be_shared() -> None:
    products = ("differencing", "meshjoin", "wave")
    for own in products:
        used = {
            name for file in (ROOT / "src" / "deltawave" / own).rglob("*.py") for name in imported(file, "deltawave")
        }
        assert not used.intersection(products) - {own}


def test_no_import_of_the_library_is_hidden() -> None:
    """But for names of packages, whose modules `from_modules` has as data."""
    for file in (ROOT / "src" / "deltawave").rglob("*.py"):
        text = file.read_text() if file.name != "lazily.py" else ""
        assert "import_module" not in text, file
        assert "__import__(" not in text, file


def test_importing_the_package_imports_no_spark() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "import deltawave, sys; print('pyspark' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "False"

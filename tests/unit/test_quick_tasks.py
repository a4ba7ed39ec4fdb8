"""What a worker leaves out between tasks."""

import gc
import os
import sys
import zipfile
import zipimport
from pathlib import Path
from types import SimpleNamespace

import pytest

from dbt.adapters.deltawave.settings import session_settings
from deltawave.quick_tasks import ASKED, quicken_worker, read_archives_once


def test_an_archive_is_read_again_only_if_it_has_changed(tmp_path: Path) -> None:
    reads: list[str] = []

    class Importer(zipimport.zipimporter):
        def invalidate_caches(self) -> None:
            reads.append(self.prefix)
            super().invalidate_caches()

    read_archives_once(Importer)
    archive = tmp_path / "modules.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("first.py", "")
    importer = Importer(str(archive))
    for _ in range(3):
        importer.invalidate_caches()
    assert len(reads) == 1
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("second.py", "")
    os.utime(archive, ns=(1, 1))
    importer.invalidate_caches()
    assert len(reads) == 2
    assert importer.find_spec("second") is not None
    archive.unlink()
    importer.invalidate_caches()
    assert len(reads) == 3


class _Zip(zipimport.zipimporter):
    """In the place of Python's own importer, which stays as it is."""

    def invalidate_caches(self) -> None:
        super().invalidate_caches()


@pytest.mark.parametrize(
    ("module", "asked", "changes"),
    [("pyspark.daemon", True, True), ("pyspark.daemon", False, False), ("pytest", True, False)],
)
def test_only_workers_whose_session_asks_for_it_are_changed(
    monkeypatch: pytest.MonkeyPatch, module: str, asked: bool, changes: bool
) -> None:
    importer, frozen = type("Importer", (_Zip,), {}), list[bool]()
    monkeypatch.setattr(zipimport, "zipimporter", importer)
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(__spec__=SimpleNamespace(name=module)))
    monkeypatch.delenv(ASKED, raising=False)
    if asked:
        monkeypatch.setenv(ASKED, "1")
    quicken_worker(lambda: None)
    assert hasattr(importer.invalidate_caches, "seen") == changes
    assert bool(frozen) == changes


def test_nothing_is_changed_outside_a_worker() -> None:
    quicken_worker(lambda: None)
    assert not hasattr(zipimport.zipimporter.invalidate_caches, "seen")


def test_the_session_of_the_adapter_asks() -> None:
    assert session_settings({}, Path("/data"))[f"spark.executorEnv.{ASKED}"] == "1"

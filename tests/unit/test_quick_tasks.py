"""What a worker leaves out between tasks."""

from __future__ import annotations

import os
import zipfile
import zipimport
from pathlib import Path

from deltawave.differencing.quick_tasks import quicken_worker, read_archives_once


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


def test_nothing_is_changed_outside_a_worker() -> None:
    quicken_worker()
    assert not hasattr(zipimport.zipimporter.invalidate_caches, "seen")

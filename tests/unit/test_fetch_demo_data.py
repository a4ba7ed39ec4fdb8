"""The demo's downloads, without a network: the wheels are made here."""

import hashlib
import zipfile
from pathlib import Path

import fetch_demo_data
import pytest
from fetch_demo_data import Release, Unavailable, fetch

CONTENT = b'"icao","name"\n"00AA","Aero B Ranch Airport"\n'


def release_with_wheel(folder: Path, size: int = len(CONTENT)) -> Release:
    """A release whose wheel lies in the folder of downloads already."""
    wheel = folder / "wheels" / "airportsdata-20250909-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("airportsdata/airports.csv", CONTENT)
    return Release("2025-09-09", hashlib.sha256(wheel.read_bytes()).hexdigest(), size)


def test_a_dump_lands_in_the_folder_of_its_day_unless_it_is_there_whole(tmp_path: Path) -> None:
    release = release_with_wheel(tmp_path)
    assert fetch(release, tmp_path)
    (dump,) = (tmp_path / "airports" / "dump_date=2025-09-09").iterdir()
    assert (dump.name, dump.read_bytes()) == ("airports.csv", CONTENT)
    written = dump.stat().st_mtime_ns
    assert not fetch(release, tmp_path)
    assert dump.stat().st_mtime_ns == written
    dump.write_bytes(CONTENT[:10])
    assert fetch(release, tmp_path)
    assert dump.read_bytes() == CONTENT


def test_a_file_of_another_size_than_promised_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="expected 7"):
        fetch(release_with_wheel(tmp_path, size=7), tmp_path)
    assert not (tmp_path / "airports").exists()


def test_without_a_network_the_message_says_where_to_put_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(Unavailable, match="could not be downloaded") as problem:
        fetch(fetch_demo_data.RELEASES[0], tmp_path)
    assert f"put {fetch_demo_data.RELEASES[0].wheel} into {tmp_path / 'wheels'}" in str(problem.value)
    assert not (tmp_path / "airports").exists()

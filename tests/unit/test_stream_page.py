"""The page about a stream, and the command that writes it."""

import json
from pathlib import Path
from typing import Any

import pytest
from html_pages import Page

from deltawave import cli
from deltawave.meshjoin.stream_page import MicroBatch, as_html, read


def line(number: int, **others: Any) -> str:
    values = {"micro_batch": number, "rows": 1000, "seconds": 2.0, "readings": 1.5, "shed_rows": 0}
    return json.dumps({**values, "peak_bytes": 1 << 20, "lag_seconds": None, "lag_rows": None, **others})


def test_what_a_stream_has_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed, page = tmp_path / "printed.jsonl", tmp_path / "page.html"
    lines = [
        line(0),
        # Printed again after a restart.
        line(1, rows=5),
        line(1, rows=3000, lag_seconds=7.25, lag_rows=20, readings=2),
        json.dumps({"micro_batch": 2}),
        "stopped; the next run continues from here",
        line(3)[:20],
    ]
    printed.write_text("\n".join(lines))
    assert cli.main(["stream-report", str(printed), "--output", str(page)]) == 0
    assert capsys.readouterr().out == f"What the stream took is described in {page}.\n"
    text = Page(page.read_text()).text
    for shown in (
        f"What the stream took: {printed}",
        "micro-batches 2 rows 4,000 rows a second 1,000 seconds 4.0 most readings 2 rows shed 0",
        "longest lag in seconds 7.2",
        "micro-batch 1: 1,500.0",
        "At most 2.0.",
        "1 3,000 2.0 1,500 2 0 1.0 7.2 20",
    ):
        assert shown in text, shown


def test_what_its_folder_keeps(tmp_path: Path) -> None:
    for number in (10, 9, -1):
        folder = tmp_path / f"micro_batch={number}" / "_metrics"
        folder.mkdir(parents=True)
        (folder / "metrics.json").write_text(line(number))
    batches = read(tmp_path)
    # A later pass comes after what it joins.
    assert [batch.number for batch in batches] == [9, 10, -1]
    text = as_html("joined", batches)
    assert "Lag in seconds" not in text
    assert "longest lag" not in text


def test_a_long_stream_has_a_small_page() -> None:
    batches = [MicroBatch(number, number, 1.0, 1.0, lag=1.0) for number in range(10_000)]
    text = as_html("joined", batches)
    assert len(text) < 100_000
    assert "A bar is up to 167 micro-batches." in text
    assert "Not shown: 9,950 older micro-batches." in text


@pytest.mark.parametrize("content", ["", "nothing\n5\nnull\n[]\n", '{"micro_batch": 1}'])
def test_nothing_to_describe(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = tmp_path / "printed.jsonl"
    printed.write_text(content)
    assert cli.main(["stream-report", str(printed), "--output", str(tmp_path / "page.html")]) == 1
    assert "has no figures of micro-batches. Take what `deltawave stream --json` prints" in capsys.readouterr().err
    assert cli.main(["stream-report", str(tmp_path / "none"), "--output", str(tmp_path / "page.html")]) == 1
    assert "No such file" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()

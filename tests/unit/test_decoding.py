"""Row groups are decoded in batches of bounded size, whatever a footer says about the width of rows."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltawave.rows.batches import cut, joined, plain, plain_bytes, step_rows

TEXTS = {
    "of equal length": ["x" * 100] * 64,
    "one of which is long": ["x"] * 40 + ["x" * 5000] + ["x"] * 23,
    "that are empty at first": [""] * 32 + ["x" * 300] * 32,
}


def batch(texts: list[str], is_encoded: bool) -> pa.RecordBatch:
    column = pa.array(texts)
    return pa.RecordBatch.from_pydict(
        {"id": range(len(texts)), "text": column.dictionary_encode() if is_encoded else column}
    )


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("is_encoded", [False, True])
def test_a_batch_has_no_more_bytes_than_it_may(name: str, is_encoded: bool) -> None:
    rows = batch(TEXTS[name], is_encoded)
    found = list(joined(cut([rows, rows], 1000), 1000))
    assert all(plain_bytes(part) <= 1000 or part.num_rows == 1 for part in found)
    texts = [text for part in found for text in plain(part.column("text")).to_pylist()]
    assert texts == 2 * TEXTS[name]
    assert [at for part in found for at in part.column("id").to_pylist()] == 2 * [*range(64)]


def test_a_dictionary_counts_as_what_it_decodes_to() -> None:
    texts = ["x" * 1000, "y" * 1000] * 50
    decoded, encoded = (plain_bytes(batch(texts, is_encoded)) for is_encoded in (False, True))
    assert encoded == pytest.approx(decoded, rel=0.01)


@pytest.mark.parametrize(("row_bytes", "rows"), [(1, 128), (1 << 16, 16), (1 << 30, 1)])
def test_a_step_of_texts_fits_in_a_batch_as_far_as_their_width_is_known(
    tmp_path: Path, row_bytes: int, rows: int
) -> None:
    pq.write_table(pa.table({"text": ["x"] * 10_000}), tmp_path / "texts.parquet")
    group = pq.ParquetFile(tmp_path / "texts.parquet").metadata.row_group(0)
    assert step_rows(group, ["text"], 1 << 20, row_bytes) == rows


def test_wide_values_of_fixed_length_are_counted_as_they_are_stored(tmp_path: Path) -> None:
    column = pa.array([b"x" * 1000] * 5000, pa.binary(1000))
    pq.write_table(pa.table({"value": column}), tmp_path / "values.parquet", use_dictionary=False)
    group = pq.ParquetFile(tmp_path / "values.parquet").metadata.row_group(0)
    assert step_rows(group, ["value"], 1 << 20) <= 1049

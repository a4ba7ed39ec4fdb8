"""Row groups as they were are not decoded: DuckDB compares Parquet files, without Spark, against plain Python."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql.types import LongType, StringType, StructType

from deltawave.differencing import hash_compressed, unchanged_row_groups
from deltawave.differencing.local_engine import LocalEngine
from deltawave.differencing.row_group_checksums import StoredFile
from deltawave.rows.in_place import RowGroups
from deltawave.rows.parquet_files import state_of

Group = list[tuple[int | None, str | None]]

SCHEMA = StructType().add("id", LongType()).add("name", StringType()).add("carried", LongType())
DESCRIBED: Any = {
    "unique_key": ["id"],
    "columns": [{"name": name, "is_compared": name == "name"} for name in SCHEMA.names],
}
OLD: list[Group] = [[(number, "old"), (number + 10, "old")] for number in range(4)]


@dataclass
class Frame:
    """Rows of Parquet files, as far as they are a frame of Spark."""

    paths: Sequence[Path]
    schema: StructType = SCHEMA
    held: Any = None

    @property
    def columns(self) -> list[str]:
        return self.schema.names

    @property
    def sparkSession(self) -> Any:
        return SimpleNamespace(conf={}, sparkContext=SimpleNamespace(defaultParallelism=2))

    def rows(self) -> Counter[Any]:
        return Counter(tuple(row.values()) for path in self.paths for row in pq.read_table(path).to_pylist())


def row_groups(frame: Any) -> RowGroups:
    files = {f"file:{path}": pq.ParquetFile(path) for path in frame.paths}
    groups = [(uri, number) for uri, file in files.items() for number in range(file.num_row_groups)]
    rows = tuple(files[uri].metadata.row_group(number).num_rows for uri, number in groups)
    schema = next(iter(files.values())).schema_arrow
    return RowGroups(tuple(groups), rows, 1, schema, {uri: state_of(uri) for uri in files})


def framed(engine: LocalEngine, select: str, schema: StructType) -> Any:
    path = engine._written(select)
    table = pq.read_table(path).rename_columns(schema.names)
    # Text is returned as bytes.
    for place, field in enumerate(schema):
        if field.dataType == StringType():
            table = table.set_column(place, field.name, table.column(place).cast(pa.string()))
    pq.write_table(table, path)
    return Frame([path], schema, held=engine)


@pytest.fixture(autouse=True, scope="module")
def without_spark() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowGroups, "of", row_groups)
        patch.setattr(LocalEngine, "by_spark", LocalEngine.in_place)
        patch.setattr(LocalEngine, "frame", framed)
        yield


def dump(folder: Path, name: str, *files: Sequence[Group], carried: int = 0, schema: StructType = SCHEMA) -> Any:
    """Files with these row groups."""
    paths = [folder / f"{name}{number}.parquet" for number in range(len(files))]
    kinds = {LongType(): pa.int64(), StringType(): pa.string()}
    fields = pa.schema([(each.name, kinds[each.dataType]) for each in schema])
    for path, groups in zip(paths, files, strict=True):
        with pq.ParquetWriter(path, fields) as writer:
            for group in groups:
                rows = [dict(zip(schema.names, (*row, carried), strict=True)) for row in group]
                writer.write_table(pa.Table.from_pylist(rows, fields))
    return Frame(paths, schema)


def compared(
    kept: Any, new: Any, marks: list[str] | None, described: Any = DESCRIBED
) -> tuple[Counter[Any], list[str] | None]:
    found, measured = hash_compressed.differing_pairs(kept, new, rows=100, marks=marks, **described)
    return found.rows(), measured.get("marks")  # type: ignore[operator]


def seen(old: Any, described: Any = DESCRIBED) -> tuple[Any, list[str]]:
    """The kept hashes of a dump, and what is remembered of its row groups."""
    kept = hash_compressed.kept_hashes(old, count=100, **described)
    differing, marks = compared(kept, old, [], described)
    assert not differing
    assert marks is not None
    return kept, marks


def expected(old: Sequence[Group], new: Sequence[Sequence[Group]]) -> Counter[Any]:
    known = dict(row for group in old for row in group)
    rows = [row for file in new for group in file for row in group]
    copies = Counter(key for key, _ in rows)
    found = [
        (key, name, 0, key in known, True)
        for key, name in rows
        if copies[key] > 1 or key not in known or known[key] != name
    ]
    return Counter(found + [(key, None, None, True, False) for key in known if key not in copies])


def changed(*numbers: int) -> list[Group]:
    return [[(key, "new" if at in numbers else name) for key, name in group] for at, group in enumerate(OLD)]


KEYS = st.none() | st.integers(0, 11)
NAMES = st.sampled_from([None, "", "a", "b"])


@st.composite
def dumps(draw: Any) -> tuple[list[Group], list[list[Group]]]:
    """Row groups of a dump, and two files of the next one."""
    rows = draw(st.lists(st.tuples(KEYS, NAMES), min_size=1, max_size=12, unique_by=lambda row: row[0]))
    size = draw(st.integers(1, 4))
    old = [rows[at : at + size] for at in range(0, len(rows), size)]
    # In any order; some of them twice, some edited or gone; others are new, and may have keys of the old ones.
    new = draw(st.permutations(old))[draw(st.integers(0, 1)) :]
    if draw(st.booleans()):
        new.append(draw(st.sampled_from(old)))
    if new and draw(st.booleans()):
        edited = draw(st.integers(0, len(new) - 1))
        new[edited] = [(key, draw(NAMES)) for key, _ in new[edited]]
    new += draw(st.lists(st.lists(st.tuples(KEYS, NAMES), max_size=4), max_size=3))
    cut = draw(st.integers(0, len(new)))
    return old, [new[:cut], new[cut:]]


@settings(deadline=None, max_examples=60)
@given(dumps(), st.booleans(), st.booleans())
def test_what_differs_is_what_plain_python_finds(drawn: Any, is_first: bool, has_memory: bool) -> None:
    """Row groups that stay, move, come twice and go, and duplicate keys within and across them."""
    old, files = drawn
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        if not has_memory:
            # Then keys and hashes alone are joined.
            patch.setattr("deltawave.differencing.hash_selects._ROW_BYTES", 1 << 40)
        kept, marks = seen(dump(Path(name), "old", old))
        new = dump(Path(name), "new", *files)
        assert compared(kept, new, [] if is_first else marks)[0] == expected(old, files)


class TestReading:
    """Which row groups are decoded."""

    @pytest.fixture(autouse=True)
    def heard(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level("INFO", "deltawave")

    def test_row_groups_as_they_were_are_not_decoded(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Their names are overwritten once they have their marks; DuckDB would fail at that."""
        kept, marks = seen(dump(tmp_path, "old", OLD))
        new = dump(tmp_path, "new", changed(1))
        split = unchanged_row_groups.Marks.split

        def spoiling(*arguments: Any) -> Any:
            parts = split(*arguments)
            (file,) = new.paths
            footer, content = pq.ParquetFile(file).metadata, bytearray(file.read_bytes())
            for chunk in (footer.row_group(number).column(1) for number in (0, 2, 3)):
                begin, size = chunk.dictionary_page_offset, chunk.total_compressed_size
                content[begin : begin + size] = b"\xff" * size
            file.write_bytes(content)
            return parts

        monkeypatch.setattr(unchanged_row_groups.Marks, "split", spoiling)
        found, _ = compared(kept, new, marks)
        assert found == Counter([(1, "new", 0, True, True), (11, "new", 0, True, True)])
        assert "3 of 4 row groups are as they were" in caplog.text

    def test_a_row_group_of_another_size_is_known_the_time_after(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Its bytes are first read when its size is known, and from then on they can be found again."""
        _, marks = seen(dump(tmp_path, "old", OLD))
        new = dump(tmp_path, "new", [*OLD[:3], [(3, "another"), (13, "name")]])
        kept = hash_compressed.kept_hashes(new, count=100, **DESCRIBED)
        for known in (3, 3, 4):
            caplog.clear()
            found, after = compared(kept, new, marks)
            assert (found, f"{known} of 4 row groups are as they were" in caplog.text) == (Counter(), True)
            assert after is not None
            marks = after

    def test_a_column_that_is_not_compared_does_not_count(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        kept, marks = seen(dump(tmp_path, "old", OLD))
        assert not compared(kept, dump(tmp_path, "new", OLD, carried=1), marks)[0]
        assert "4 of 4 row groups are as they were" in caplog.text

    def test_other_sizes_need_no_checksums(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        kept, marks = seen(dump(tmp_path, "old", OLD))
        new = [[(key, f"another name of {key}") for key, _ in group] for group in OLD]
        monkeypatch.setattr(StoredFile, "checksum", lambda *_: pytest.fail("a checksum was computed"))
        assert compared(kept, dump(tmp_path, "new", new), marks)[0].total() == 8

    def test_a_dump_of_too_many_row_groups(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        kept, marks = seen(dump(tmp_path, "old", OLD))
        monkeypatch.setattr(unchanged_row_groups, "_MOST", 3)
        found, after = compared(kept, dump(tmp_path, "new", changed(1)), marks)
        assert (found.total(), after) == (2, None)

    def test_an_empty_row_group_among_others(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        kept, marks = seen(dump(tmp_path, "old", [*OLD, []]))
        assert compared(kept, dump(tmp_path, "new", [[], *changed(1)]), marks)[0].total() == 2
        assert "3 of 5 row groups are as they were" in caplog.text

    def test_unchanged_ones_between_many_others(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(unchanged_row_groups, "_MOST_RANGES", 1)
        kept, marks = seen(dump(tmp_path, "old", OLD))
        assert compared(kept, dump(tmp_path, "new", changed(1)), marks)[0].total() == 2
        assert "as they were" not in caplog.text

    def test_a_column_with_the_name_that_duckdb_uses(self, tmp_path: Path) -> None:
        schema = StructType().add("id", LongType()).add("name", StringType()).add("file_row_number", LongType())
        columns = [{"name": name, "is_compared": name == "name"} for name in schema.names]
        described: Any = {**DESCRIBED, "columns": columns}
        kept, marks = seen(dump(tmp_path, "old", OLD, schema=schema), described)
        found, _ = compared(kept, dump(tmp_path, "new", changed(1), schema=schema), marks, described)
        assert {row[0] for row in found} == {1, 11}

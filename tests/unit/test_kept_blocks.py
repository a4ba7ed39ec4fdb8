"""Kept hashes with blocks: DuckDB compares Parquet files, without Spark, against an oracle in plain Python."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql.types import LongType, StringType, StructField, StructType

from deltawave.differencing import hash_compressed, kept_blocks, local_engine
from deltawave.differencing.in_place import RowGroups, state_of
from deltawave.differencing.local_engine import LocalEngine

Row = tuple[Any, ...]
Block = list[tuple[int | None, str | None]]

SCHEMA = StructType().add("id", LongType()).add("name", StringType()).add("carried", LongType())
DESCRIBED: Any = {
    "unique_key": ["id"],
    "columns": [{"name": name, "is_compared": name == "name"} for name in SCHEMA.names],
}


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
        return Session()

    def rows(self) -> Counter[Row]:
        return Counter(tuple(row.values()) for path in self.paths for row in pq.read_table(path).to_pylist())


class Session:
    conf: dict[str, str] = {}

    class sparkContext:
        defaultParallelism = 2


def plain_row_groups(frame: Any) -> RowGroups:
    files = {f"file:{path}": pq.ParquetFile(path) for path in frame.paths}
    groups = [(uri, number) for uri, file in files.items() for number in range(file.num_row_groups)]
    rows = tuple(files[uri].metadata.row_group(number).num_rows for uri, number in groups)
    schema = next(iter(files.values())).schema_arrow
    return RowGroups(tuple(groups), rows, 1, schema, {uri: state_of(uri) for uri in files})


def framed(engine: LocalEngine, select: str, schema: StructType) -> Any:
    path = engine._written(select)
    table = pq.read_table(path)
    texts = [
        pa.string() if kind.dataType == StringType() else each
        for kind, each in zip(schema, table.schema.types, strict=True)
    ]
    named = pa.schema(list(zip(schema.names, texts, strict=True)))
    pq.write_table(table.rename_columns(schema.names).cast(named), path)
    return Frame([path], schema, held=engine)


@pytest.fixture(autouse=True, scope="module")
def without_spark() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_engine, "plain_row_groups", plain_row_groups)
        patch.setattr(hash_compressed, "reaches", lambda _: True)
        patch.setattr(LocalEngine, "by_spark", LocalEngine.in_place)
        patch.setattr(LocalEngine, "frame", framed)
        yield


def stored(path: Path, blocks: Sequence[Sequence[Row]], schema: StructType = SCHEMA) -> Path:
    """A file with a row group for each block."""
    kinds = {LongType(): pa.int64(), StringType(): pa.string()}
    fields = pa.schema([(each.name, kinds[each.dataType]) for each in schema])
    with pq.ParquetWriter(path, fields) as writer:
        for block in blocks:
            cells = zip(*block, strict=True) if block else [[] for _ in fields]
            writer.write_table(
                pa.table(
                    [pa.array(list(column), each.type) for column, each in zip(cells, fields, strict=True)], fields
                )
            )
    return path


def carrying(blocks: Sequence[Block], carried: int = 0) -> list[list[Row]]:
    return [[(*row, carried) for row in block] for block in blocks]


def dump(folder: Path, name: str, blocks: Sequence[Block], carried: int = 0) -> Any:
    return Frame([stored(folder / f"{name}.parquet", carrying(blocks, carried))])


def logged(folder: Path, changes: Sequence[Row]) -> Any:
    schema = StructType([*SCHEMA.fields, StructField("_change_type", StringType())])
    return Frame([stored(folder / "changes.parquet", [changes], schema)], schema)


def differing(kept: Any, new: Any, patches: Any = None) -> Counter[Row]:
    return hash_compressed.differing_rows(kept, new, rows=100, patches=patches, **DESCRIBED).rows()  # type: ignore[operator]


def kept_hashes(rows: Any) -> Any:
    return hash_compressed.kept_hashes(rows, count=100, **DESCRIBED)


def expected(known: dict[int | None, str | None], new: Sequence[Block]) -> Counter[Row]:
    rows = [row for block in new for row in block]
    copies = Counter(key for key, _ in rows)
    found = [
        (key, name, 0, key in known, True)
        for key, name in rows
        if copies[key] > 1 or key not in known or known[key] != name
    ]
    return Counter(found + [(key, None, None, True, False) for key in known if key not in copies])


KEYS = st.none() | st.integers(0, 11)
NAMES = st.sampled_from([None, "", "a", "b"])
BLOCKS = st.lists(st.lists(st.tuples(KEYS, NAMES), max_size=4), max_size=3)


@st.composite
def snapshots(draw: Any) -> tuple[list[Block], dict[Any, tuple[Any, str]], list[list[Block]]]:
    """Blocks of the old snapshot, changes since, and two files of blocks of the new one."""
    rows = draw(st.lists(st.tuples(KEYS, NAMES), min_size=1, max_size=12, unique_by=lambda row: row[0]))
    size = draw(st.integers(1, 4))
    old = [rows[at : at + size] for at in range(0, len(rows), size)]
    patches = draw(st.dictionaries(KEYS, st.tuples(NAMES, st.sampled_from(["insert", "update", "delete"])), max_size=3))
    # In any order; some of them twice, some edited or gone; others are new, and may have keys of the old ones.
    new = draw(st.permutations(old))[draw(st.integers(0, 1)) :]
    if draw(st.booleans()):
        new.append(draw(st.sampled_from(old)))
    if new and draw(st.booleans()):
        edited = draw(st.integers(0, len(new) - 1))
        new[edited] = [(key, draw(NAMES)) for key, _ in new[edited]]
    new += draw(BLOCKS)
    cut = draw(st.integers(0, len(new)))
    return old, patches, [new[:cut], new[cut:]]


@settings(deadline=None, max_examples=50)
@given(snapshots())
def test_what_differs_is_what_plain_python_finds(drawn: Any) -> None:
    """Blocks that stay, move, come twice and go; duplicate keys within and across blocks; and changes in between."""
    old, patches, files = drawn
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = kept_hashes(dump(folder, "old", old))
        known = {key: value for block in old for key, value in block}
        changed = [(key, value, 0, kind) for key, (value, kind) in patches.items()]
        for key, value, _, kind in changed:
            known[key] = value
            if kind == "delete":
                del known[key]
        later = logged(folder, changed) if changed else None
        new: Any = Frame([stored(folder / f"new{at}.parquet", carrying(blocks)) for at, blocks in enumerate(files)])
        assert differing(kept, new, later) == expected(known, [block for blocks in files for block in blocks])
        if later:
            patched: Any = hash_compressed.patched_hashes(kept, later, count=100, **DESCRIBED)
            assert differing(patched, new) == expected(known, [block for blocks in files for block in blocks])


class TestReading:
    """Which row groups are read."""

    OLD: list[Block] = [[(number, "old"), (number + 10, "old")] for number in range(4)]
    SAID = "{} of {} row groups are as they were when they were hashed"

    @pytest.fixture(autouse=True)
    def heard(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level("INFO", "deltawave")

    def changed(self, *numbers: int) -> list[Block]:
        return [[(key, "new" if at in numbers else name) for key, name in block] for at, block in enumerate(self.OLD)]

    def test_row_groups_as_they_were_are_not_decoded(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Their pages are overwritten once they have their checksums, at which DuckDB would fail."""
        kept = kept_hashes(dump(tmp_path, "old", self.OLD))
        new = dump(tmp_path, "new", self.changed(1))
        without_kept_blocks = kept_blocks.without_kept_blocks

        def spoiling(*arguments: Any) -> Any:
            found = without_kept_blocks(*arguments)
            (file,) = new.paths
            footer, content = pq.ParquetFile(file).metadata, bytearray(file.read_bytes())
            for number in (0, 2, 3):
                for chunk in (footer.row_group(number).column(at) for at in range(2)):
                    begin = chunk.dictionary_page_offset
                    content[begin : begin + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
            file.write_bytes(content)
            return found

        monkeypatch.setattr(kept_blocks, "without_kept_blocks", spoiling)
        monkeypatch.setattr(LocalEngine, "check_files", lambda _: None)
        found = differing(kept, new)
        assert found == Counter([(1, "new", 0, True, True), (11, "new", 0, True, True)])
        assert self.SAID.format(3, 4) in caplog.text

    def test_row_groups_in_other_places(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        kept = kept_hashes(dump(tmp_path, "old", self.OLD))
        moved = [self.OLD[number] for number in (3, 0, 1)]
        assert differing(kept, dump(tmp_path, "new", moved)) == Counter(
            [(key, None, None, True, False) for key in (2, 12)]
        )
        assert self.SAID.format(3, 3) in caplog.text

    def test_a_column_that_is_not_compared_does_not_count(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        kept = kept_hashes(dump(tmp_path, "old", self.OLD))
        assert not differing(kept, dump(tmp_path, "new", self.OLD, carried=1))
        assert self.SAID.format(4, 4) in caplog.text

    def test_a_block_with_a_patched_row_is_read(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        kept = kept_hashes(dump(tmp_path, "old", self.OLD))
        patches = logged(tmp_path, [(2, "new", 0, "update")])
        assert differing(kept, dump(tmp_path, "new", self.OLD), patches) == Counter([(2, "old", 0, True, True)])
        assert self.SAID.format(3, 4) in caplog.text

    def test_a_key_in_a_row_group_as_it_was_and_in_another_one(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        kept = kept_hashes(dump(tmp_path, "old", self.OLD))
        new = [*self.changed(1), [(3, "old")]]
        assert differing(kept, dump(tmp_path, "new", new)) == Counter(
            [(key, "new", 0, True, True) for key in (1, 11)] + [(3, "old", 0, True, True)] * 2
        )
        assert "all row groups are read: a key that differs is in one of those, too" in caplog.text

    def test_other_sizes_need_no_checksums(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        kept = kept_hashes(dump(tmp_path, "old", self.OLD))
        new = [[(key, f"another name of {key}") for key, _ in block] for block in self.OLD]
        monkeypatch.setattr(kept_blocks, "checksum", lambda *_: pytest.fail("a checksum was computed"))
        assert sum(differing(kept, dump(tmp_path, "new", new)).values()) == 8

    def test_hashes_from_before_there_were_blocks(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        kept = kept_hashes(dump(tmp_path, "old", self.OLD))
        fields = [each for each in kept.schema if each.name != "block"]
        path = tmp_path / "kept.parquet"
        pq.write_table(pq.read_table(kept.paths[0]).drop_columns(["block"]), path)
        kept = Frame([path], StructType(fields))
        assert sum(differing(kept, dump(tmp_path, "new", self.changed(1))).values()) == 2
        assert "as they were" not in caplog.text

    def test_no_rows(self, tmp_path: Path) -> None:
        kept = kept_hashes(dump(tmp_path, "old", [[]]))
        assert sum(differing(kept, dump(tmp_path, "new", self.OLD)).values()) == 8
        assert not differing(kept, dump(tmp_path, "new", [[], []]))

    @pytest.mark.parametrize("name", ["filename", "file_row_number"])
    def test_a_column_with_a_name_that_duckdb_would_use(self, tmp_path: Path, name: str) -> None:
        schema = StructType().add("id", LongType()).add("name", StringType()).add(name, LongType())
        old, new = (
            Frame([stored(tmp_path / f"{at}.parquet", carrying(blocks), schema)], schema)
            for at, blocks in enumerate([self.OLD, self.changed(1)])
        )
        described = {**DESCRIBED, "columns": [{"name": each, "is_compared": each == "name"} for each in schema.names]}
        kept: Any = hash_compressed.kept_hashes(old, count=8, **described)  # type: ignore[arg-type]
        found: Any = hash_compressed.differing_rows(kept, new, rows=8, **described)  # type: ignore[arg-type]
        assert {row[0] for row in found.rows()} == {1, 11}

"""Pairs of synthetic snapshots whose differences are known (LG96 5.2), of any size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from laboratory.snapshots.permutation import Permutation
from laboratory.snapshots.swaps import swapped

Keys = npt.NDArray[np.int64]
Versions = npt.NDArray[np.int64]

ORDERS = ("same", "local", "swapped", "full")
# Rows that are generated at a time.
CHUNK = 131_072
SEGMENTS = ["retail", "trade", "public", "farming", "transport", "health", "energy", "other"]
# Bytes of the values of all columns but note, on average.
_FIXED_BYTES = 75
# With more, a chunk's notes would not fit in a column with offsets of 32 bits.
_MOST_BYTES = 16_000


@dataclass(frozen=True)
class GeneratorOptions:
    """The properties of a pair of snapshots; the defaults are those of LG96 Figure 10.

    - ``rows``: records of the earlier snapshot, in order of their keys
    - ``record_bytes``: bytes of a record's values, on average; the column ``note`` fills it up
    - ``update_fraction``, ``insert_fraction``, ``delete_fraction``: shares of ``rows``, 0 to 1
    - ``order``: where the rows of the later snapshot lie: at the ``same`` places, displaced within a ``local`` area,
      ``swapped`` as in the paper, or in ``full`` disorder
    - ``displacement``: dispt_avg in records. Under ``local`` a row is displaced about uniformly by 0 to twice as many
      rows, less at the file's ends; under ``swapped`` it is swapped with a row that far away, and moves on by later
      swaps
    - ``clusters``: in how many places of the file updates and deletes lie; 0 for everywhere
    - ``seed``: equal options give equal snapshots

    The paper generates no inserts and deletes. Raises ``ValueError`` for options that no pair can have.
    """

    rows: int = 650_000
    record_bytes: int = 156
    update_fraction: float = 0.2
    insert_fraction: float = 0.0
    delete_fraction: float = 0.0
    order: str = "local"
    displacement: int = 50_000
    clusters: int = 0
    seed: int = 1996

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name.endswith("_fraction") and not 0 <= value <= 1:
                raise ValueError(f"GeneratorOptions: {each.name} can't be {value!r}; it takes a number from 0 to 1.")
            if each.name in ("rows", "displacement", "clusters", "seed") and value < 0:
                raise ValueError(f"GeneratorOptions: {each.name} can't be {value!r}; it takes a number from 0.")
        if self.order not in ORDERS:
            raise ValueError(f"GeneratorOptions: order can't be {self.order!r}; it takes {', '.join(ORDERS)}.")
        if not _FIXED_BYTES <= self.record_bytes <= _MOST_BYTES:
            raise ValueError(
                f"GeneratorOptions: record_bytes can't be {self.record_bytes!r}; "
                f"it takes a number from {_FIXED_BYTES} to {_MOST_BYTES}."
            )
        if self.update_fraction + self.delete_fraction > 1:
            raise ValueError("GeneratorOptions: more rows are updated and deleted than there are.")


@dataclass(frozen=True, eq=False)
class SnapshotGenerator:
    """The two snapshots, generated again each time that they are read: only a chunk of rows is in memory.

    ``updated`` and ``deleted`` are the sorted keys of those rows, ``inserted`` the keys of new ones: the minimal
    differences. They are in memory; so are, under ``local``, the places of four displacements of rows, under
    ``swapped`` the places of all rows.
    """

    options: GeneratorOptions
    updated: Keys = field(init=False)
    deleted: Keys = field(init=False)
    inserted: Keys = field(init=False)
    # How many rows stand before each deleted one.
    _standing: Keys = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = self.options.rows
        changed = _changed_keys(self.options)
        deletes = min(round(self.options.delete_fraction * rows), len(changed))
        chance = np.random.default_rng([self.options.seed, 2])
        is_deleted = np.zeros(len(changed), dtype=bool)
        is_deleted[chance.choice(len(changed), deletes, replace=False, shuffle=False)] = True
        inserts = round(self.options.insert_fraction * rows)
        object.__setattr__(self, "deleted", changed[is_deleted])
        object.__setattr__(self, "_standing", self.deleted - np.arange(len(self.deleted)))
        object.__setattr__(self, "updated", changed[~is_deleted])
        object.__setattr__(self, "inserted", np.arange(rows, rows + inserts, dtype=np.int64))

    @property
    def new_rows(self) -> int:
        """Records of the later snapshot."""
        return self.options.rows - len(self.deleted) + len(self.inserted)

    def old(self) -> Iterator[pa.RecordBatch]:
        """The earlier snapshot, in order of its keys."""
        for keys in _chunks(self.options.rows):
            yield self._records(keys, np.zeros(len(keys), dtype=np.int64))

    def new(self) -> Iterator[pa.RecordBatch]:
        """The later snapshot, in the order that the options ask for."""
        for keys in self.new_keys():
            yield self._records(keys, _is_in(keys, self.updated).astype(np.int64))

    def new_keys(self) -> Iterator[Keys]:
        """The keys of the later snapshot, in the order of its rows."""
        yield from map(self._keys_of, _places(self.options, self.new_rows))

    def write(self, folder: Path, rows_per_file: int = 10_000_000, rows_per_group: int = 1_000_000) -> None:
        """Write both as Parquet files below ``folder``: ``old/`` and ``new/``, whose names are in the rows' order."""
        for name, batches in (("old", self.old()), ("new", self.new())):
            _write(folder / name, batches, rows_per_file, rows_per_group)

    def _keys_of(self, places: npt.NDArray[np.int64]) -> Keys:
        """The keys at places of the later snapshot in its undisturbed order, in which inserts are evenly spread."""
        inserts = len(self.inserted)
        stays = self.new_rows - inserts
        # Before place p, p * inserts / new_rows of the rows are new ones.
        before = places * inserts // max(self.new_rows, 1)
        is_new = (places + 1) * inserts // max(self.new_rows, 1) > before
        ranks = np.minimum(places - before, max(stays - 1, 0))
        # The n-th row that was not deleted.
        passed = np.searchsorted(self._standing, ranks, side="right")
        keys: Keys = np.where(is_new, self.options.rows + before, ranks + passed)
        return keys

    def _records(self, keys: Keys, versions: Versions) -> pa.RecordBatch:
        """The rows of these keys. An update changes balance, changed_on and note."""
        fixed = _mixed(keys, self.options.seed)
        varied = _mixed(keys * 2 + versions, self.options.seed + 1)
        columns: dict[str, pa.Array] = {
            "account_id": pa.array(keys),
            "branch": pa.array((fixed % 400).astype(np.int32)),
            "name": _text(fixed, 16),
            "segment": pa.DictionaryArray.from_arrays((fixed >> 9) % len(SEGMENTS), SEGMENTS).cast(pa.string()),
            "opened_on": pa.array(((fixed >> 17) % 15_000).astype(np.int32)).cast(pa.date32()),
            "is_active": pa.array((fixed >> 31) % 8 != 0),
            "credit_limit": pa.array(((fixed >> 34) % 1000).astype(np.int64) * 100),
            "rating": pa.array(((fixed >> 44) % 1000) / 8.0),
            "parent_id": pa.array(((fixed >> 20) % (self.options.rows + 1)).astype(np.int64), mask=fixed % 3 == 0),
            "balance": pa.array((varied % 10_000_019).astype(np.int64)),
            "changed_on": pa.array(((varied >> 24) % 20_000).astype(np.int32)).cast(pa.date32()),
            "note": _text(varied, self.options.record_bytes - _FIXED_BYTES),
        }
        return pa.record_batch(columns)


def _changed_keys(options: GeneratorOptions) -> Keys:
    """The sorted keys of the rows that are updated or deleted."""
    count = min(round((options.update_fraction + options.delete_fraction) * options.rows), options.rows)
    if not options.clusters or count == 0:
        return np.sort(Permutation(options.rows, options.seed + 1)(np.arange(count, dtype=np.int64)))
    # As many areas as clusters, each with a run of changed rows somewhere within it, as long as the area's share.
    chance = np.random.default_rng([options.seed, 1])
    clusters = min(options.clusters, count)
    bounds = np.arange(clusters + 1, dtype=np.int64) * options.rows // clusters
    ends = bounds * count // options.rows
    runs = []
    for low, high, size in zip(bounds[:-1], bounds[1:], np.diff(ends), strict=True):
        start = low + chance.integers(0, high - low - size + 1)
        runs.append(np.arange(start, start + size, dtype=np.int64))
    return np.concatenate(runs)


def _places(options: GeneratorOptions, rows: int) -> Iterator[npt.NDArray[np.int64]]:
    """The places of the undisturbed order, in the order in which the later snapshot has them."""
    if options.order == "full":
        permutation = Permutation(rows, options.seed)
        yield from map(permutation, _chunks(rows))
        return
    if options.order == "same" or options.displacement == 0:
        yield from _chunks(rows)
        return
    if options.order == "swapped":
        order = swapped(rows, options.displacement, options.seed)
        yield from (order[low : low + CHUNK] for low in range(0, rows, CHUNK))
        return
    # Sorted by place plus a random number from 0 to four displacements, a row moves by about two displacements at most.
    reach = 4 * options.displacement
    chance = np.random.default_rng([options.seed, 3])
    waiting = np.empty(0, dtype=np.int64)
    sorts = np.empty(0)
    for places in _chunks(rows):
        waiting = np.concatenate([waiting, places])
        sorts = np.concatenate([sorts, places + chance.random(len(places)) * reach])
        # Later places sort later.
        following = places[-1] + 1
        is_due = sorts < following if following < rows else np.ones(len(sorts), dtype=bool)
        due = waiting[is_due][np.argsort(sorts[is_due], kind="stable")]
        waiting, sorts = waiting[~is_due], sorts[~is_due]
        for start in range(0, len(due), CHUNK):
            yield due[start : start + CHUNK]


def _chunks(rows: int) -> Iterator[npt.NDArray[np.int64]]:
    """The numbers from 0 to ``rows`` - 1, a chunk at a time."""
    for low in range(0, rows, CHUNK):
        yield np.arange(low, min(low + CHUNK, rows), dtype=np.int64)


def _is_in(keys: Keys, some: Keys) -> npt.NDArray[np.bool_]:
    """Which keys are among sorted ones."""
    if not len(some):
        return np.zeros(len(keys), dtype=bool)
    places = np.minimum(np.searchsorted(some, keys), len(some) - 1)
    found: npt.NDArray[np.bool_] = some[places] == keys
    return found


def _mixed(values: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.uint64]:
    """Numbers of 64 random-looking bits: splitmix64."""
    mixed = values.astype(np.uint64) + np.uint64((seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) % 2**64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


_LETTERS = np.frombuffer(b"abcdefghijklmnop", dtype=np.uint8)


def _text(numbers: npt.NDArray[np.uint64], length: int) -> pa.Array:
    """Texts of that many letters, four random bits each."""
    words = [_mixed(numbers.astype(np.int64) + place, place) for place in range(-(-length // 16))]
    if not words:
        return pa.array([""] * len(numbers), pa.string())
    packed = np.stack(words, axis=1).view(np.uint8)
    nibbles = np.stack([packed & 15, packed >> 4], axis=2).reshape(len(numbers), -1)[:, :length]
    letters = np.ascontiguousarray(_LETTERS[nibbles])
    offsets = np.arange(0, (len(numbers) + 1) * length, length, dtype=np.int32)
    return pa.StringArray.from_buffers(len(numbers), pa.py_buffer(offsets), pa.py_buffer(letters))


def _write(folder: Path, batches: Iterator[pa.RecordBatch], rows_per_file: int, rows_per_group: int) -> None:
    """Write batches into files of ``rows_per_file`` rows. A row group stays in memory until it is full."""
    folder.mkdir(parents=True)
    groups = _regrouped(batches, rows_per_file, rows_per_group)
    writer: pq.ParquetWriter | None = None
    number = written = 0
    for group in groups:
        if writer is None:
            writer = pq.ParquetWriter(folder / f"part-{number:05}.parquet", group.schema)
            number, written = number + 1, 0
        writer.write_table(group, row_group_size=rows_per_group)
        written += len(group)
        if written >= rows_per_file:
            writer.close()
            writer = None
    if writer is not None:
        writer.close()


def _regrouped(batches: Iterator[pa.RecordBatch], rows_per_file: int, rows_per_group: int) -> Iterator[pa.Table]:
    """The rows as tables of one row group each; none crosses the end of a file."""
    parts: list[pa.RecordBatch] = []
    held = written = 0
    for batch in batches:
        while len(batch):
            part = batch.slice(0, min(rows_per_group, rows_per_file - written) - held)
            parts.append(part)
            held += len(part)
            batch = batch.slice(len(part))
            if held == min(rows_per_group, rows_per_file - written):
                yield pa.Table.from_batches(parts)
                written = (written + held) % rows_per_file
                parts, held = [], 0
    if parts:
        yield pa.Table.from_batches(parts)

"""Selects for DuckDB that hash rows, and compare hashes (LG96 3.1: PHC1)."""

from collections.abc import Iterable, Sequence

import duckdb
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from deltawave.differencing.contract import Columns
from deltawave.differencing.local_engine import LocalEngine, name_in_duckdb, same_values
from deltawave.differencing.unchanged_row_groups import Split

# What a row takes in DuckDB's hash table: both words, its own hash, and pointers to it; and each key, besides its text.
_ROW_BYTES, _KEY_BYTES = 48, 16
# A decimal with more digits is more than one word of 64 bits.
_WORD_DIGITS = 18
# Hashes are words without a sign, and Spark's numbers have one.
_HALF = 1 << 63


class HashSelects:
    """Selects over rows with these columns, of which key and values are compared.

    What a select returns has columns c0, c1, ..., and a key k0, k1, ...: those of the rows may have any name.
    """

    def __init__(self, rows: DataFrame, unique_key: Sequence[str], columns: Columns) -> None:
        self._fields = rows.schema.fields
        places = {field.name: place for place, field in enumerate(self._fields)}
        self._key = [places[name] for name in unique_key]
        # _hashed_columns in _write_hashes.sql says which these are: what the options choose, but the key.
        values = [rows.schema[column["name"]] for column in columns if column["is_compared"]]
        names = [name_in_duckdb(field.name) for field in values]
        low, high = hashes(names, [field.dataType for field in values])
        self._hashes = f"{low} as low, {high} as high"
        self.names = [*unique_key, *(field.name for field in values)]
        keys = [f"{name_in_duckdb(name)} as k{number}" for number, name in enumerate(unique_key)]
        self._keys = ", ".join(keys)

    @property
    def kept_schema(self) -> T.StructType:
        keys = [T.StructField(f"k{number}", self._fields[place].dataType) for number, place in enumerate(self._key)]
        return T.StructType(keys).add("low", "long").add("high", "long")

    def hashed(self, rows: str, condition: str = "true") -> str:
        """The key of rows, with a hash of 128 bits in two words."""
        return f"select {self._keys}, {self._hashes} from ({rows}) where {condition}"

    def patched(self, kept: str, patches: str) -> str:
        """The kept hashes with patches applied."""
        upserted = self.hashed(patches, "_change_type <> encode('delete')")
        return (
            f"select kept.* from ({kept}) as kept anti join ({self.hashed(patches)}) as patch "
            f"on {self._same_key('patch', 'kept')}\nunion all\n{upserted}"
        )

    def differing(self, engine: LocalEngine, kept: str, new: str, memory_bytes: int) -> str:
        """The new rows of the keys whose hashes are not the kept ones, and the keys that no new row has.

        If a hash table of the kept rows fits into memory, the new rows pass by it whole. Otherwise their keys and
        hashes alone are joined, which takes the least room, and the files are read once more.
        """
        ((rows,),) = engine.execute(f"select count(*) from ({new})")
        ((known, text_bytes),) = engine.execute(f"select count(*), {self._text_bytes()} from ({kept})")
        # The rest of the memory is for the rows that are read and written.
        is_small = known * (_ROW_BYTES + _KEY_BYTES * len(self._key)) + text_bytes <= memory_bytes // 4 * 3
        found = self._whole_rows(engine, kept, new) if is_small else None
        keys = self.keys_of(
            found or engine.stored(self._unequal(engine.stored(self._read(new, self._key)), kept, self._key))
        )
        ((added, deleted),) = engine.execute(
            f"select count(*) filter (not was_kept), count(*) filter (not is_there) from ({keys})"
        )
        # Otherwise a kept key has several new rows, all of which are wanted.
        is_unique = rows - added == known - deleted
        if found and is_unique:
            return found
        if not is_unique:
            keys = engine.stored(f"{keys}\nunion all\n{self._repeated(new, kept)}")
        return engine.stored(self._rows_of(keys, new))

    def differing_in(self, engine: LocalEngine, kept: str, memory_bytes: int, parts: Split) -> str | None:
        """The same, of unchanged row groups, whose keys alone are read, and others.

        None if a kept key has several new rows, and one of them is unchanged.
        """
        unchanged = f"select {self._keys} from ({parts.unchanged})"
        others = engine.stored(
            f"select kept.* from ({kept}) as kept anti join ({unchanged}) as same on {self._same_key('same', 'kept')}"
        )
        found = self.differing(engine, others, parts.changed, memory_bytes)
        added = f"select * from ({self.keys_of(found)}) where not was_kept"
        ((known, left, repeated),) = engine.execute(
            f"select (select count(*) from ({kept})), (select count(*) from ({others})), "
            f"(select count(*) from ({kept}) as kept semi join ({added}) as added on {self._same_key('added', 'kept')})"
        )
        return None if parts.rows != known - left or repeated else found

    def _whole_rows(self, engine: LocalEngine, kept: str, new: str) -> str | None:
        """None if that takes more memory than it seemed."""
        places = range(len(self._fields))
        try:
            return engine.stored(self._unequal(self._read(new, places), kept, places))
        except duckdb.OutOfMemoryException:
            return None

    def _read(self, new: str, places: Iterable[int]) -> str:
        """These columns of the new rows, and their hashes."""
        return f"select {', '.join(self._cells(places))}, {self._hashes} from ({new})"

    def _text_bytes(self) -> str:
        """The bytes of all kept keys that are texts."""
        texts = [
            f"coalesce(octet_length(k{number}), 0)"
            for number, place in enumerate(self._key)
            if isinstance(self._fields[place].dataType, (T.StringType, T.BinaryType))
        ]
        return f"coalesce(sum({' + '.join(texts)}), 0)" if texts else "0"

    def keys_of(self, found: str) -> str:
        """The keys of rows that were found, with was_kept and is_there."""
        keys = [f"c{place} as k{number}" for number, place in enumerate(self._key)]
        return f"select {', '.join(keys)}, was_kept, is_there from ({found})"

    def _cells(self, places: Iterable[int]) -> list[str]:
        return [f"{name_in_duckdb(self._fields[place].name)} as c{place}" for place in places]

    def _unequal(self, hashed: str, kept: str, places: Iterable[int]) -> str:
        """The new rows, with these columns, that are not as they were kept, and the kept keys that they lack."""
        key = {place: f"kept.k{number}" for number, place in enumerate(self._key)}
        cells = [
            f"if(is_there, new.c{place}, {key[place]}) as c{place}" if place in key else f"new.c{place}"
            for place in places
        ]
        same = same_values((f"new.c{place}", cell) for place, cell in key.items())
        return (
            f"select {', '.join(cells)}, was_kept is not null as was_kept, is_there is not null as is_there "
            f"from (select *, true as is_there from ({hashed})) as new "
            f"full outer join (select *, true as was_kept from ({kept})) as kept on {same} "
            "where was_kept is null or is_there is null or new.low <> kept.low or new.high <> kept.high"
        )

    def _rows_of(self, keys: str, new: str) -> str:
        """The new rows of these keys, and the keys that no new row has."""
        cells = [f"new.c{place}" for place in range(len(self._fields))]
        alone = [f"null as c{place}" for place in range(len(self._fields))]
        for number, place in enumerate(self._key):
            alone[place] = f"k{number} as c{place}"
        same = same_values((f"new.c{place}", f"found.k{number}") for number, place in enumerate(self._key))
        rows = f"select {', '.join(self._cells(range(len(self._fields))))} from ({new})"
        return (
            f"select {', '.join(cells)}, found.was_kept, true as is_there from ({rows}) as new "
            f"join (select distinct * from ({keys}) where is_there) as found on {same}\n"
            f"union all\nselect {', '.join(alone)}, true, false from ({keys}) where not is_there"
        )

    def with_before(self, differing: str, changes: str, before: Sequence[T.StructField]) -> str:
        """The same rows, each with the last one of its key, unless it was deleted. ``changes``: those of a log."""
        same = same_values(
            (f"differing.c{place}", f"logged.{name_in_duckdb(self._fields[place].name)}") for place in self._key
        )
        cells = [f"logged.{name_in_duckdb(field.name)} as b{number}" for number, field in enumerate(before)]
        return (
            f"select {', '.join(['differing.*', 'logged.change_type', *cells])} from ({differing}) as differing "
            f"left join (select * from ({changes}) where change_type <> encode('delete')) as logged on {same}"
        )

    def _repeated(self, new: str, kept: str) -> str:
        """The kept keys that have several new rows."""
        keys = ", ".join(f"k{number}" for number in range(len(self._key)))
        several = f"select {keys} from (select {self._keys} from ({new})) group by {keys} having count(*) > 1"
        return (
            f"select {keys}, true, true from ({kept}) as kept "
            f"semi join ({several}) as several on {self._same_key('several', 'kept')}"
        )

    def _same_key(self, some: str, others: str) -> str:
        return same_values((f"{some}.k{number}", f"{others}.k{number}") for number in range(len(self._key)))


def hashes(values: Sequence[str], types: Sequence[T.DataType]) -> tuple[str, str]:
    """Two hashes of values. The second takes them in another order: what the one hides, the other shows.

    The hash of a word of 64 bits is one to one, except that one word has the hash of null. DuckDB's hash of a text is
    weak: of texts that differ in two characters, each the last of eight, one pair in 256 shares it. So all texts
    together have one MD5, and their lengths are words.
    """
    words: list[str] = []
    texts: list[str] = []
    for value, kind in zip(values, types, strict=True):
        if isinstance(kind, (T.StringType, T.BinaryType)):
            texts.append(f"coalesce({value}, ''::blob)")
            words.append(f"octet_length({value})")
        elif isinstance(kind, T.DecimalType) and kind.precision > _WORD_DIGITS:
            texts.append(f"coalesce(encode({value}::varchar), ''::blob)")
            words.append(f"length({value}::varchar)")
        else:
            words.append(value)
    low, high = words or ["0"], ["1", *(f"{word}, {word} is null" for word in reversed(words))]
    if texts:
        digest = f"md5_number({_joined(texts)})"
        low, high = [f"({digest} >> 64)::ubigint", *low], [digest, *high]
    return _signed(low), _signed(high)


def _joined(texts: Sequence[str]) -> str:
    """One text of many. An expression of many parts must not be deep."""
    if len(texts) == 1:
        return texts[0]
    middle = len(texts) // 2
    return f"({_joined(texts[:middle])} || {_joined(texts[middle:])})"


def _signed(values: Sequence[str]) -> str:
    """The hash of values, as a number of Spark, which has a sign."""
    return f"(hash({', '.join(values)})::hugeint - {_HALF})::bigint"

"""The full outer join of two stored snapshots (LG96 3.1) by DuckDB, which reads the Parquet files of both."""

import logging
from collections.abc import Sequence

import duckdb
from pyspark.sql import DataFrame

from deltawave.differencing.contract import MEMORY_BYTES, Columns, schema_of_pairs
from deltawave.differencing.local_engine import LocalEngine, name_in_duckdb, or_spark, path_of_location, same_values
from deltawave.differencing.logged_rows import as_stored, key_counts, require_reach, write_files
from deltawave.rows.parquet_files import ChangedFileError, NotInPlaceError

_LOG = logging.getLogger(__name__)


def are_same(
    old: DataFrame, new: DataFrame, *, unique_key: Sequence[str], rows: int, memory_bytes: int = MEMORY_BYTES
) -> bool:
    """Whether both have the same rows; false if only Spark can tell. No key occurs twice in ``old``.

    - ``rows``: how many both have to have
    - ``memory_bytes``: what the join takes; what does not fit waits in temporary files
    """
    try:
        require_reach(new)
        with LocalEngine(new.sparkSession, memory_bytes) as engine:
            join = _Join(engine, old, new, unique_key, new.columns)
            ((old_rows,),) = engine.execute(f"select count(*) from ({join.old})")
            ((new_rows,),) = engine.execute(f"select count(*) from ({join.new})")
            found = old_rows == new_rows == rows and not engine.execute(f"select 1 {join.differing} limit 1")
            engine.check_files()
            return found
    except (NotInPlaceError, ChangedFileError, OSError, duckdb.Error) as error:
        _LOG.debug("Spark compares the rows: %s", error)
        return False


def differing_pairs(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    memory_bytes: int = MEMORY_BYTES,
) -> tuple[DataFrame, dict[str, int]]:
    """Return the rows that differ in a compared column, as ``hash_compressed.differing_pairs`` does.

    With the counts of ``logged_rows.count_keys``, of ``new``, and ``previous_rows``, the number of old rows. If only
    Spark can compare them, there are no counts, and the rows are those of ``new``.
    """
    with or_spark("compares the rows"):
        require_reach(new)
        with LocalEngine(new.sparkSession, memory_bytes) as engine:
            join = _Join(engine, old, new, unique_key, [each["name"] for each in columns if each["is_compared"]])
            ((previous_rows,),) = engine.execute(f"select count(*) from ({join.old})")
            counts = key_counts(engine, join.new_rows, unique_key) | {"previous_rows": previous_rows}
            before = [field for field in new.schema.fields if field.name not in unique_key]
            return engine.frame(join.pairs(), schema_of_pairs(new.schema, before)), counts
    return new, {}


def write(rows: DataFrame, *, folder: str, memory_bytes: int = MEMORY_BYTES) -> bool:
    """Write rows, all of Parquet files, as those of a table in a folder without files; false if Spark has to do it."""

    def select(engine: LocalEngine) -> str:
        if not path_of_location(folder).is_dir():
            raise NotInPlaceError("the table was dropped meanwhile")
        return f"select {', '.join(as_stored(rows))} from ({engine.in_place(rows)})"

    return write_files(rows, select, folder, memory_bytes, "count(*)") is not None


class _Join:
    """The join of two snapshots with the same columns, which have numbers here, since they may have any name."""

    def __init__(
        self, engine: LocalEngine, old: DataFrame, new: DataFrame, unique_key: Sequence[str], compared: Sequence[str]
    ) -> None:
        if old.dtypes != new.dtypes:
            raise NotInPlaceError("the snapshots have other columns")
        self._places = range(len(new.columns))
        places = {name: place for place, name in enumerate(new.columns)}
        self._key = [places[name] for name in unique_key]
        cells = ", ".join(f"{name_in_duckdb(name)} as c{place}" for name, place in places.items())
        self.new_rows = engine.in_place(new)
        self.new = f"select {cells}, true as is_there from ({self.new_rows})"
        self.old = f"select {cells}, true as was_kept from ({engine.in_place(old)})"
        same_key = same_values((f"new.c{place}", f"old.c{place}") for place in self._key)
        values = [places[name] for name in compared if places[name] not in self._key]
        unequal = "".join(f" or new.c{place} is distinct from old.c{place}" for place in values)
        self.differing = (
            f"from ({self.new}) as new full outer join ({self.old}) as old on {same_key} "
            f"where was_kept is null or is_there is null{unequal}"
        )

    def pairs(self) -> str:
        """The columns of ``schema_of_pairs``."""
        cells = [
            f"if(is_there, new.c{place}, old.c{place}) as c{place}" if place in self._key else f"new.c{place}"
            for place in self._places
        ]
        before = [f"old.c{place} as b{place}" for place in self._places if place not in self._key]
        flags = (
            "was_kept is not null as was_kept, is_there is not null as is_there, if(was_kept, 'insert', null) as kind"
        )
        return f"select {', '.join([*cells, flags, *before])} {self.differing}"

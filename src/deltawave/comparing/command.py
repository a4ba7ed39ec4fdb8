"""The command ``deltawave compare``: two files or folders, compared by DuckDB."""

import argparse
import csv
import os
import shutil
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import duckdb

from deltawave.comparing.columns import Options
from deltawave.comparing.compared import compared_by
from deltawave.comparing.comparison import Comparison
from deltawave.comparing.connection import connected
from deltawave.comparing.csv_files import Reading
from deltawave.comparing.delta import as_parquet
from deltawave.comparing.differing_rows import ROW_FORMATS, write_rows
from deltawave.comparing.duck_engine import DuckEngine
from deltawave.comparing.files import engine_of
from deltawave.comparing.paths import STDIN, STDOUT, Table, located, require_encoding
from deltawave.comparing.terminal import Terminal
from deltawave.pages.texts import plain, print_any_text, require_writable
from deltawave.sides import SIDES, Side

_UNTYPED = ("csv", "json")
_Value = TypeVar("_Value")


def run(options: argparse.Namespace) -> int:
    """Compare, and print or write what differs; return 0 if nothing does, 1 if something does, and 2 for an error."""
    print_any_text()
    try:
        if target := _target(options):
            require_writable(target)
        elif not options.output and options.format == "parquet":
            raise ValueError("--format parquet needs a file: give --output.")
        with _temporary() as temporary:
            found = _compared(options, temporary)
        if options.summary:
            print(found.summary)
        if options.format not in ROW_FORMATS and _shows_all(options):
            _show(found, options)
    except BrokenPipeError:
        # What reads has seen enough. Python writes what is left when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except KeyboardInterrupt:
        print("deltawave compare: stopped.", file=sys.stderr)
        return 130
    except (ValueError, OSError, EOFError, RuntimeError, zlib.error, csv.Error, duckdb.Error) as error:
        # A message may quote a row.
        print(f"deltawave compare: {plain(' '.join(_message(error).split()))}", file=sys.stderr)
        return 2
    return int(not found.is_within(options.fail_under))


def _shows_all(options: argparse.Namespace) -> bool:
    """Whether the result is wanted: a summary stands alone on standard output, but beside a file."""
    return bool(options.output) or not options.summary


def _target(options: argparse.Namespace) -> Path | None:
    """The file to write; None for standard output, which opened anew would overwrite the file that it goes to."""
    return Path(options.output) if options.output and options.output not in (STDOUT, "/dev/stdout") else None


def _show(found: Comparison, options: argparse.Namespace) -> None:
    if target := _target(options):
        target.write_text(found.formatted(options.format), encoding="utf-8")
    elif options.format == "text":
        print(found.to_text(Terminal.of(sys.stdout)))
    else:
        print(found.formatted(options.format))


def _write(
    connection: duckdb.DuckDBPyConnection, engine: DuckEngine, options: argparse.Namespace, temporary: Path
) -> None:
    if target := _target(options):
        write_rows(connection, engine, options.format, target)
        return
    target = temporary / "rows"
    write_rows(connection, engine, options.format, target)
    sys.stdout.flush()
    with target.open("rb") as opened:
        shutil.copyfileobj(opened, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _message(error: BaseException) -> str:
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"DuckDB needs more memory or more room for temporary files: {error}"
    if isinstance(error, duckdb.ConversionException):
        why = str(error).split("LINE 1:")[0].strip()
        return f"{why}: the type in which its column is compared can't hold that value. --ignore leaves a column out."
    if "pyspark" in sys.modules or "py4j" in sys.modules:
        from deltawave.spark_errors import message_of

        return message_of(error)
    return str(error)


@contextmanager
def _temporary() -> Iterator[Path]:
    with TemporaryDirectory(prefix="deltawave-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _by_name(option: str, given: Sequence[tuple[str, _Value]]) -> dict[str, _Value]:
    """What an option says of each column. Raises ``ValueError`` for a column that is named twice."""
    names = [name for name, _ in given]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"--{option} is given twice for {name or 'all other columns'}: leave one out.")
    return dict(given)


def _compared(options: argparse.Namespace, temporary: Path) -> Comparison:
    paths: dict[Side, str] = {"old": options.old, "new": options.new}
    if all(path == STDIN for path in paths.values()):
        raise ValueError("Standard input can be one of the tables, and not both.")
    if options.encoding:
        require_encoding(options.encoding)
    given: dict[Side, str | None] = {"old": options.old_format, "new": options.new_format}
    tables: dict[Side, Table] = {}
    for side in SIDES:
        (temporary / f"{side}-files").mkdir()
        tables[side] = located(paths[side], given[side], temporary / f"{side}-files")
    key = [name.strip() for names in options.key for name in names.split(",")] or None
    wanted = Options(
        key=key,
        ignore_columns=options.ignore,
        tolerance=_by_name("tolerance", options.tolerance),
        relative_tolerance=_by_name("relative-tolerance", options.relative_tolerance),
        ignore_case=options.ignore_case,
        ignore_blanks=options.ignore_blanks,
        samples=options.samples,
        rename=_by_name("rename", options.rename),
        numbers=options.numbers,
        counts_only=not _shows_all(options),
        are_files=True,
        has_untyped=any(table.kind in _UNTYPED for table in tables.values()),
    )
    wanted.check()
    readings = {side: Reading(options.separator, options.encoding, options.on_bad_rows == "skip") for side in SIDES}
    ready: Mapping[Side, Table] = as_parquet(tables, temporary)
    names = {side: "standard input" if path == STDIN else path for side, path in paths.items()}
    is_terminal = sys.stderr.isatty()
    with connected(has_progress=is_terminal) as connection:
        engine = engine_of(connection, ready, readings, key or (), temporary)
        found = compared_by(engine, wanted)
        if options.format in ROW_FORMATS and _shows_all(options):
            _write(connection, engine, options, temporary)
    notes = [note for side in SIDES for note in readings[side].notes]
    notes += [note.format(old=names["old"], new=names["new"]) for note in found.notes]
    return replace(found, old_name=names["old"], new_name=names["new"], notes=tuple(dict.fromkeys(notes)))

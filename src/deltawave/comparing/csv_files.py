"""CSV and its kin, read by DuckDB as texts, and what is wrong with a file that can't be read."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

import duckdb

from deltawave.comparing.dialects import DuckDialect
from deltawave.comparing.paths import File, is_binary
from deltawave.pages.texts import short

_SEPARATORS = (",", ";", "\t", "|")
_OF_EXTENSION = {"tsv": "\t", "tab": "\t", "psv": "|"}
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
# In bytes. DuckDB would read sixteen lines of the greatest length at once, even for a few rows.
_LONGEST_LINE, _BUFFER = 1 << 24, 1 << 25
_LONGEST_NAME = 1 << 16
_MOST_SHOWN = 5
# So many show which separator fits.
_FIRST_ROWS = 200
_LINE = re.compile(
    r"CSV Error on Line: (\d+)\n(?:Original Line: (.*?)\n\s*)?"
    r"((?:Expected|Value with|Invalid unicode|Maximum|Possible|Error|Could not)[^\n]*)",
    re.DOTALL,
)
_WIDTH = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_QUOTED = re.compile(r'(?:^|(?<=[^\w\s"]|\t))"(?:[^"]|"")*"')
_ESCAPED_QUOTE = re.compile(rb'(?<!\\)((?:\\\\)*)\\"')
_BLANK_LINE = re.compile(r"\r\n|\r|\n")
_NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
_literal = DuckDialect().literal


@dataclass
class Reading:
    """How files are read.

    - ``separator``, ``encoding``: of values in CSV, and of text files, if a user gives them
    - ``skips``: whether malformed rows of CSV are passed over
    - ``notes``: what was done with the files
    """

    separator: str | None = None
    encoding: str | None = None
    skips: bool = False
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


@dataclass(frozen=True)
class Layout:
    """How a file is laid out.

    - ``separator``: of its values
    - ``names``: those in its header; ``unnamed``: those that it lacks, which are ``_c0``, ``_c1`` and so on
    - ``blank_lines``: how many there are before the header
    """

    separator: str
    names: tuple[str, ...]
    unnamed: tuple[str, ...] = ()
    blank_lines: int = 0


def select(files: Sequence[tuple[File, Layout]], reading: Reading) -> tuple[str, list[str]]:
    """A select of the rows of files, and the names of its columns: those of any file."""
    names = list(
        dict.fromkeys(name for file, layout in files for name in (*layout.names, *(each for each, _ in file.partition)))
    )
    selects = []
    for file, layout in files:
        cells = {name: f"c{place}" for place, name in enumerate(layout.names)}
        cells |= {name: partition_literal(value) for name, value in file.partition}
        columns = ", ".join(f"{cells.get(name, 'null::VARCHAR')} as n{place}" for place, name in enumerate(names))
        # A blank line is no row.
        where = " where c0 is not null" if len(layout.names) == 1 else ""
        selects.append(f"select {columns} from {_source(file, layout, reading)}{where}")
    return " union all ".join(selects), names


def partition_literal(value: str) -> str:
    """A value in the name of a folder, as Hive writes it: nulls by a name of their own, and some characters escaped."""
    return "null::VARCHAR" if value == _NULL_PARTITION else _literal(unquote(value))


def _source(file: File, layout: Layout, reading: Reading) -> str:
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(layout.names)))
    rejects = ", store_rejects = true, rejects_limit = 0" if reading.skips else ""
    return (
        f"read_csv({_literal(escaped(file.path))}, auto_detect = false, header = true, skip = {layout.blank_lines}, "
        f"columns = {{{columns}}}, "
        f"delim = {_literal(layout.separator)}, quote = '\"', escape = '\"', nullstr = '', "
        f"compression = 'none', max_line_size = {_LONGEST_LINE}, "
        f"buffer_size = {_BUFFER}{rejects})"
    )


def escaped(path: Path) -> str:
    """A path in which DuckDB sees no pattern."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path.absolute()))


def layout_of(file: File, reading: Reading) -> Layout:
    """The layout of a file in UTF-8. Raises ``ValueError`` if it has no header."""
    if is_binary(file.head()):
        raise ValueError(f"{file.name} is no text: it has bytes that are zero. Is it another kind of file?")
    whole = _head(file)
    text = whole.lstrip("\r\n")
    if not text.strip():
        raise ValueError(f"{file.name} is empty: it has no line with the names of columns.")
    blank_lines = len(_BLANK_LINE.findall(whole[: len(whole) - len(text)]))
    separator = _separator(text, file, reading)
    try:
        names = _header(text, separator)
    except csv.Error as error:
        wrong = f"{file.name}, line {blank_lines + 1}, has no names of columns that can be read ({error})"
        raise ValueError(f"{wrong}: is a quote not closed?") from error
    empty = [place for place, name in enumerate(names) if not name]
    names = [name or f"_c{place}" for place, name in enumerate(names)]
    unique = _unique(names)
    for name, number in Counter(names).items():
        if number > 1:
            later = [short(own) for given, own in zip(names, unique, strict=True) if given == name != own]
            listed = ", ".join(later[:_MOST_SHOWN]) + (" and so on" if number - 1 > _MOST_SHOWN else "")
            reading.note(f"{file.name}: {number} columns are called {short(name)}; the later ones are {listed}")
    if empty:
        listed = ", ".join(f"_c{place}" for place in empty[:_MOST_SHOWN])
        reading.note(f"{file.name}: columns without a name are called {listed}")
    return Layout(separator, tuple(unique), tuple(unique[place] for place in empty), blank_lines)


def _unique(names: Sequence[str]) -> list[str]:
    """Names of which each later one gets the next free number."""
    taken, numbers = set(names), dict.fromkeys(names, 0)
    unique = []
    for name in names:
        own = name
        numbers[name] += 1
        if numbers[name] > 1:
            while (own := f"{name}_{numbers[name]}") in taken:
                numbers[name] += 1
            taken.add(own)
        unique.append(own)
    return unique


def _head(file: File) -> str:
    """How a file begins. Raises ``ValueError`` if that is not UTF-8."""
    head = file.head()
    try:
        # The last character may be cut.
        return head.decode() if len(head) < 1 << 18 else head[: head.rfind(b"\n") + 1 or None].decode()
    except UnicodeDecodeError as error:
        line = head.count(b"\n", 0, error.start) + 1
        raise ValueError(not_utf8(file.name, line)) from error


def not_utf8(name: str, line: int) -> str:
    return f"{name}, line {line}, is not in UTF-8: give the --encoding, for instance windows-1252."


def _separator(text: str, file: File, reading: Reading) -> str:
    """The separator that is given, or usual for the kind of file, unless the header has another one and not this."""
    given = (reading.separator or "").replace("\\t", "\t")
    usual = given or _OF_EXTENSION.get(file.extension, ",")
    header = _first_line(_QUOTED.sub("", text))
    if given and given in header:
        return given
    fits = {each: _fit(text, each) for each in dict.fromkeys([usual, *_SEPARATORS]) if each == usual or each in header}
    best = max(fits, key=lambda each: (*fits[each], each == usual, header.count(each)))
    others = [each for each in fits if each != best and each in header and min(fits[each])]
    if best != usual or others:
        fitting = f", though {' or '.join(_NAMES[each] for each in others)} would fit" if others else ""
        reading.note(f"{file.name}: values are separated by {_NAMES.get(best, best)}{fitting}")
    return best


def _fit(text: str, separator: str) -> tuple[bool, bool, float]:
    """Whether most of the first rows have as many values as the header, whether these are several, and how many do."""
    if len(separator) != 1:
        return True, True, 1.0
    csv.field_size_limit(_LONGEST_LINE)
    try:
        read = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        header, *rows = map(len, filter(None, islice(read, _FIRST_ROWS)))
    except (csv.Error, ValueError):
        return False, False, 0.0
    # The last one may be cut.
    rows = rows[:-1] or rows
    share = rows.count(header) / len(rows) if rows else 1.0
    return share >= 0.5, header > 1, share


def _first_line(text: str) -> str:
    return re.split(r"[\r\n]", text, maxsplit=1)[0]


def _header(text: str, separator: str) -> list[str]:
    if len(separator) != 1:
        return [name.strip('"') for name in _first_line(text).split(separator)]
    csv.field_size_limit(_LONGEST_NAME)
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])


def problem(error: duckdb.Error, files: Sequence[File]) -> str | None:
    """What is wrong with a file of CSV, where, and what to do; None for an error of another kind."""
    message = str(error)
    found = _LINE.search(message)
    if "state machine" in message:
        names = ", ".join(file.name for file in files[:_MOST_SHOWN])
        return f"{names} has lines that end in several ways, or a quote that is not closed: make all line ends alike."
    if found is None:
        return None
    name = file_of(error, files).name
    number, text, reason = int(found[1]), found[2], found[3].strip()
    if "unicode" in reason:
        return not_utf8(name, number)
    if width := _WIDTH.match(reason):
        wrong = f"has {width[2]} values, and the header has {width[1]} names"
    elif "unterminated quote" in reason:
        wrong = "has a quote that is not closed, or something after a closing quote"
    elif "Maximum line size" in message:
        wrong = f"is longer than {_LONGEST_LINE:,} bytes"
    else:
        wrong = f"can't be read ({' '.join(reason.split())})"
    shown = f": {short(text)}" if text else ""
    return f"{name}, line {number}, {wrong}{shown}. Mend it, or pass over such lines with --on-bad-rows skip."


def file_of(error: duckdb.Error, files: Sequence[File]) -> File:
    """The file that an error is about."""
    text = str(error)
    found = (
        file for file in files if any(f"file = {path}" in text for path in (file.path.absolute(), escaped(file.path)))
    )
    return next(found, files[0])


def with_one_line_end(file: File, layout: Layout, target: Path) -> File:
    """A copy of a file in which all lines end alike, which DuckDB needs. Raises ``ValueError`` for a wrong quote."""
    if len(layout.separator) != 1:
        return file
    with (
        file.path.open(encoding="utf-8", newline="") as opened,
        target.open("w", encoding="utf-8", newline="") as written,
    ):
        # A line may be longer than Python expects.
        csv.field_size_limit(_LONGEST_LINE)
        rows = csv.reader(opened, delimiter=layout.separator, strict=True)
        writer = csv.writer(written, delimiter=layout.separator, lineterminator="\n")
        line = 1
        try:
            for row in rows:
                writer.writerow(row)
                line = rows.line_num + 1
        except csv.Error as error:
            wrong = f"can't be read ({error}): is a quote not closed, or is something after a closing quote"
            raise ValueError(f"{file.name}, line {line}, {wrong}? Mend it, or make all line ends alike.") from error
    return replace(file, path=target)


def has_mixed_line_ends(file: File) -> bool:
    """Whether its lines end in several ways, as far as its beginning shows."""
    head = file.head()
    both = head.count(b"\r\n")
    return both > 0 and (head.count(b"\n") > both or head.count(b"\r") > both)


def is_escaped_by_backslashes(error: duckdb.Error) -> bool:
    """Whether a line may be malformed because its quotes are escaped by backslashes."""
    found = _LINE.search(str(error))
    return found is not None and found[2] is not None and '\\"' in found[2]


def with_doubled_quotes(file: File, target: Path) -> File:
    """A copy of a file with "" for quotes after a backslash. All other backslashes stay: they may be parts of paths."""
    with file.path.open("rb") as opened, target.open("wb") as written:
        written.writelines(_ESCAPED_QUOTE.sub(rb'\1""', line) for line in opened)
    return replace(file, path=target)


def skipped(connection: duckdb.DuckDBPyConnection, files: Sequence[File]) -> list[str]:
    """Notes about the rows that were passed over."""
    found = connection.execute(
        "select file_path, count(distinct line), list(distinct (line, csv_line) order by (line, csv_line))[:5] "
        "from reject_errors join reject_scans using (scan_id, file_id) group by all order by all"
    ).fetchall()
    names = {escaped(file.path): file.name for file in files} | {str(file.path.absolute()): file.name for file in files}
    notes = []
    for path, number, lines in found:
        if path not in names:
            # Of the other table.
            continue
        shown = "; ".join(f"line {line}: {short(text.rstrip())}" for line, text in lines)
        notes.append(f"{names[path]}: {number:,} malformed line(s) passed over, such as {shown}")
    return notes

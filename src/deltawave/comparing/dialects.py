"""What Spark's and DuckDB's SQL say differently. Everything else of a comparison is written once."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from deltawave.comparing.kinds import Kind
from deltawave.sql_text import literal
from deltawave.sql_text import quoted as sparks_quoted

# How many characters of a value are shown.
MOST_CHARACTERS = 1000


class Dialect(ABC):
    """Expressions of one engine. Values are expressions, too."""

    # A regular expression for a run of white space, also that of Unicode.
    blanks: str

    @abstractmethod
    def literal(self, text: str) -> str:
        """A text as a literal."""

    @abstractmethod
    def named(self, kind: Kind) -> str:
        """The name of a type."""

    def cast(self, value: str, kind: Kind) -> str:
        return f"cast({value} as {self.named(kind)})"

    def try_cast(self, value: str, kind: Kind) -> str:
        """Null where the value is not of that type."""
        return f"try_cast({value} as {self.named(kind)})"

    @abstractmethod
    def text(self, value: str, kind: Kind) -> str:
        """A value as a text that all engines write alike; nested ones as JSON, binary ones in hexadecimal digits."""

    @abstractmethod
    def replaced(self, text: str, pattern: str, by: str) -> str:
        """A text with everything that matches a regular expression replaced."""

    @abstractmethod
    def matches(self, text: str, pattern: str) -> str:
        """Whether a whole text matches a regular expression."""

    @abstractmethod
    def apart(self, pair: Sequence[str], kind: Kind) -> str:
        """The exact difference of two numbers of a type, as a double; null where it has too many digits."""

    @abstractmethod
    def in_utc(self, text: str) -> str:
        """A text with a time zone as a timestamp without one, in UTC; null where it is none."""

    @abstractmethod
    def list_of(self, values: Iterable[str]) -> str:
        """Texts as one value, which Python gets as a list."""

    @abstractmethod
    def field(self, value: str, name: str) -> str:
        """A field of a struct."""

    @abstractmethod
    def struct(self, fields: Iterable[tuple[str, str]]) -> str:
        """A struct of named values."""

    @abstractmethod
    def transformed(self, values: str, each: str, by: str) -> str:
        """A list with each value, called ``each``, replaced."""

    def cut(self, text: str) -> str:
        """A text of at most ``MOST_CHARACTERS`` characters."""
        short = f"concat(left({text}, {MOST_CHARACTERS - 1}), '…')"
        return f"case when length({text}) > {MOST_CHARACTERS} then {short} else {text} end"

    def shown(self, value: str, kind: Kind) -> str:
        """A value as a text for people."""
        return self.cut(self.text(value, kind))


def _with_names(value: str, kind: Kind) -> str:
    """A map, which is compared as a list of entries, as a map again."""
    return f"map_from_entries({value})" if kind.name.startswith("map<") else value


class SparkDialect(Dialect):
    blanks = r"(?U)\s+"

    def literal(self, text: str) -> str:
        return literal(text)

    def named(self, kind: Kind) -> str:
        return kind.name

    def text(self, value: str, kind: Kind) -> str:
        if kind.name == "binary":
            return f"hex({value})"
        if kind.is_nested:
            return f"to_json({_with_names(value, kind)}, map('ignoreNullFields', 'false'))"
        return f"cast({value} as string)"

    def replaced(self, text: str, pattern: str, by: str) -> str:
        return f"regexp_replace({text}, {literal(pattern)}, {literal(by)})"

    def matches(self, text: str, pattern: str) -> str:
        whole = literal(rf"\A({pattern})\z")
        return f"({text} rlike {whole})"

    def apart(self, pair: Sequence[str], kind: Kind) -> str:
        wide = Kind("bigint") if kind.is_whole else kind
        one, other = (self.cast(value, wide) for value in pair)
        return f"cast(abs(try_subtract({one}, {other})) as double)"

    def in_utc(self, text: str) -> str:
        return f"cast(to_utc_timestamp(try_cast({text} as timestamp), current_timezone()) as timestamp_ntz)"

    def list_of(self, values: Iterable[str]) -> str:
        return f"array({', '.join(values)})"

    def field(self, value: str, name: str) -> str:
        return f"{value}.{sparks_quoted(name)}"

    def struct(self, fields: Iterable[tuple[str, str]]) -> str:
        return f"named_struct({', '.join(f'{literal(name)}, {value}' for name, value in fields)})"

    def transformed(self, values: str, each: str, by: str) -> str:
        return f"transform({values}, {each} -> {by})"


# By Spark's names; other names are DuckDB's own.
_IN_DUCKDB = {
    "binary": "BLOB",
    "int": "INTEGER",
    "string": "VARCHAR",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "uint": "UINTEGER",
}


class DuckDialect(Dialect):
    blanks = r"[\s\x0b\x{85}\p{Z}]+"

    def literal(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def named(self, kind: Kind) -> str:
        return _IN_DUCKDB.get(kind.name, kind.name)

    def text(self, value: str, kind: Kind) -> str:
        if kind.name == "binary":
            return f"hex({value})"
        if kind.is_nested:
            return f"cast(to_json({_with_names(value, kind)}) as VARCHAR)"
        # In the session's zone, without its offset.
        return f"cast({f'cast({value} as TIMESTAMP)' if kind.name == 'timestamp' else value} as VARCHAR)"

    def replaced(self, text: str, pattern: str, by: str) -> str:
        return f"regexp_replace({text}, {self.literal(pattern)}, {self.literal(by)}, 'g')"

    def matches(self, text: str, pattern: str) -> str:
        return f"regexp_full_match({text}, {self.literal(pattern)})"

    def apart(self, pair: Sequence[str], kind: Kind) -> str:
        wide = Kind("hugeint") if kind.is_whole else kind
        one, other = (self.cast(value, wide) for value in pair)
        return f"abs(try(cast({one} - {other} as DOUBLE)))"

    def in_utc(self, text: str) -> str:
        return f"(try_cast({text} as TIMESTAMP WITH TIME ZONE) at time zone 'UTC')"

    def list_of(self, values: Iterable[str]) -> str:
        return f"[{', '.join(values)}]"

    def field(self, value: str, name: str) -> str:
        return f"struct_extract({value}, {self.literal(name)})"

    def struct(self, fields: Iterable[tuple[str, str]]) -> str:
        return f"struct_pack({', '.join(f'{quoted(name)} := {value}' for name, value in fields)})"

    def transformed(self, values: str, each: str, by: str) -> str:
        return f"list_transform({values}, lambda {each}: {by})"


def quoted(name: str) -> str:
    """A name in DuckDB's double quotes."""
    return '"' + name.replace('"', '""') + '"'

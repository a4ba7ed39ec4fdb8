"""The columns of two tables: which are compared, in which type, and with which options."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real

from deltawave.comparing.kinds import NANOSECONDS, STRING, Kind, common_type
from deltawave.sides import SIDES, Side

Numbers = Mapping[str, float] | float | None
Names = str | Collection[str]
# The columns of a table by their names, in order.
Fields = Mapping[str, Kind]

# Stands for all other columns in a mapping of names to numbers.
_ALL = ""
# Instead of a type: the texts of a column are read as whole or decimal numbers.
NUMBER = Kind("number")
# Types, beside those of numbers, that texts are read as.
_READ = ("date", "timestamp_ntz", "timestamp_ns", "timestamp", "boolean", "time", "uuid")


@dataclass(frozen=True)
class Options:
    """What a user says about a comparison. See :func:`deltawave.compare`."""

    key: Names | None = None
    ignore_columns: Names = ()
    tolerance: Numbers = None
    relative_tolerance: Numbers = None
    ignore_case: Names = ()
    ignore_blanks: Names = ()
    samples: int = 5
    rename: Mapping[str, str] = field(default_factory=dict)
    numbers: bool = False
    # Whether only numbers of rows and columns are wanted: no samples, and nothing that explains them.
    counts_only: bool = False
    # Whether the tables are files, in which a number may be written as text: a tolerance reads it as a number. Whether
    # one is of CSV or JSON, where nobody has chosen the types of numbers.
    are_files: bool = False
    has_untyped: bool = False

    def check(self) -> None:
        """Raise ``ValueError`` for what fits no table."""
        if not isinstance(self.samples, int) or self.samples < 0:
            raise ValueError(f"samples can't be {self.samples!r}: it takes a whole number from 0.")
        self.by_column()

    def by_column(self) -> dict[str, dict[str, float]]:
        """The options of columns, by the names that are given."""
        return {
            "tolerance": _numbered("tolerance", self.tolerance),
            "relative_tolerance": _numbered("relative_tolerance", self.relative_tolerance),
            "ignore_case": _named(self.ignore_case),
            "ignore_blanks": _named(self.ignore_blanks),
        }


@dataclass(frozen=True)
class Column:
    """A column of one or both tables.

    - ``types``: its type in each table that has it; ``places``: the number of its column there
    - ``options``: those of ``compare`` that apply to it, with a tolerance above 0; with 1 if they have no number
    - ``reads_numbers``: whether its texts are compared as numbers in both tables
    """

    name: str
    number: int
    types: Mapping[Side, Kind]
    places: Mapping[Side, int]
    is_key: bool
    is_ignored: bool = False
    options: Mapping[str, float] = field(default_factory=dict)
    reads_numbers: bool = False

    @property
    def is_shared(self) -> bool:
        return len(self.types) == len(SIDES)

    @property
    def is_compared(self) -> bool:
        return self.is_shared and not self.is_key and not self.is_ignored

    @property
    def kind(self) -> Kind:
        """The type in which its values are compared; text for an ignored column of two types."""
        if self.is_ignored and len(set(self.types.values())) > 1:
            return STRING
        return common_type(*self.types.values())

    @property
    def reading(self) -> Kind | None:
        """The type as which texts are read, value by value, so that the text 1.0 equals the number 1.

        ``NUMBER`` stands for whole and decimal numbers.
        """
        others = [kind for kind in self.types.values() if not kind.is_text]
        if self.is_ignored or self.kind != STRING:
            return None
        if len(others) == len(SIDES):
            # Types without a common one, such as a date and a number, are compared as texts.
            is_time = NANOSECONDS in others and all(kind.is_time for kind in others)
            return NANOSECONDS if is_time else NUMBER if all(kind.is_number for kind in others) else None
        if not others:
            return NUMBER if self.reads_numbers else None
        (other,) = others
        if other.is_exact:
            # A text beside a whole or decimal number: '1' equals 1, and so does '1.0'.
            return NUMBER
        return other if other.is_float or other.name in _READ else None

    @property
    def is_number(self) -> bool:
        """Whether a tolerance applies to it."""
        return self.kind.is_number or (self.reading is not None and (self.reading == NUMBER or self.reading.is_float))

    @property
    def is_same_where_equal(self) -> bool:
        """Whether rows that count as equal have the same value: not if a collation or an option decides."""
        is_plain = self.is_key or (self.is_compared and self.reading is None and not self.options)
        return is_plain and "collate" not in self.kind.name

    @property
    def two_types(self) -> dict[str, str]:
        """Its types and that of the comparison; nothing if they are the same."""
        names = [kind.name for kind in (*self.types.values(), self.kind)]
        return {} if names[0] == names[1] else dict(zip(("old", "new", "compared_as"), names, strict=True))


def _named(given: Names) -> dict[str, float]:
    """Names, each with 1, as options of columns are held."""
    return dict.fromkeys(listed(given), 1.0)


def listed(given: Names) -> list[str]:
    """One name or several as a list."""
    return [given] if isinstance(given, str) else list(given)


def _numbered(option: str, given: Numbers) -> dict[str, float]:
    """The numbers of an option, by names. Raises ``ValueError`` for what is no tolerance."""
    by_name: Mapping[str, float] = {} if given is None else given if isinstance(given, Mapping) else {_ALL: given}
    for value in by_name.values():
        if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= value < math.inf:
            raise ValueError(f"{option} can't be {value!r}: it takes a number from 0, or one for each column.")
    return {name: float(value) for name, value in by_name.items()}


def _identities(fields: Mapping[Side, Fields]) -> dict[Side, dict[str, str]]:
    """For each table, what its columns are matched by: their names in lower case, unless these are not unique."""
    lowered = {side: [name.lower() for name in own] for side, own in fields.items()}
    repeated = {name for own in lowered.values() for name in own if own.count(name) > 1} if fields else set()
    return {
        side: {name if name.lower() in repeated else name.lower(): name for name in own} for side, own in fields.items()
    }


def _identity(name: str, known: Mapping[Side, Mapping[str, str]]) -> str:
    """What a name that a user gives is matched by."""
    return name if any(name in own for own in known.values()) else name.lower()


def _identified(option: str, named: Mapping[str, float], known: Mapping[Side, Mapping[str, str]]) -> dict[str, float]:
    """An option of columns by what these are matched by. Raises ``ValueError`` for two values of one column."""
    found: dict[str, float] = {}
    for name, value in named.items():
        if found.setdefault(_identity(name, known), value) != value:
            raise ValueError(f"{option} is given twice for {name}: leave one out.")
    return found


def is_named(column: Column, columns: Iterable[Column], given: Collection[str]) -> bool:
    """Whether a column is among names that a user gives: in any case, unless another column has that very name."""
    exact = {each.name for each in columns}
    others = {name.lower() for name in given if name not in exact}
    return column.name in given or column.name.lower() in others


def renamed(fields: Mapping[Side, Fields], rename: Mapping[str, str]) -> dict[Side, Fields]:
    """The columns with those of the old table renamed. Raises ``ValueError`` for a name that does not fit."""
    known = {name.lower(): name for name in fields["old"]}
    new = {name.lower() for name in fields["new"]}
    taken = dict.fromkeys(known)
    names: dict[str, str] = {}
    for name, other in rename.items():
        if name.lower() not in known:
            raise ValueError(f"rename: the old table has no column {name}. It has: {', '.join(fields['old'])}.")
        if other.lower() not in new:
            raise ValueError(f"rename: the new table has no column {other}. It has: {', '.join(fields['new'])}.")
        if other.lower() in taken and other.lower() != name.lower():
            raise ValueError(f"rename: the old table has a column {other} already.")
        if known[name.lower()] in names:
            raise ValueError(f"rename is given twice for {name}: leave one out.")
        if other.lower() in {each.lower() for each in names.values()}:
            raise ValueError(f"rename: two columns can't both be {other}: leave one out.")
        names[known[name.lower()]] = other
    return {"old": {names.get(name, name): kind for name, kind in fields["old"].items()}, "new": fields["new"]}


def described(fields: Mapping[Side, Fields], options: Options) -> list[Column]:
    """Describe the columns: those of the key, in its order, then the others of the old and of the new table.

    Raises ``ValueError`` for what does not fit the tables.
    """
    known = _identities(fields)
    keys = list(dict.fromkeys(_identity(name, known) for name in listed(options.key or ())))
    ignored = {_identity(name, known): 1.0 for name in listed(options.ignore_columns)}
    by_option = {option: _identified(option, named, known) for option, named in options.by_column().items()}
    if not keys and options.key is not None:
        raise ValueError("key names no column.")
    for name in keys:
        for side in SIDES:
            if name not in known[side]:
                names = ", ".join(fields[side]) or "no columns at all"
                raise ValueError(f"The {side} table has no column {name}, which is in key. It has: {names}.")
            kind = fields[side][known[side][name]]
            if not can_be_key(kind):
                raise ValueError(f"The column {name} is of type {kind.name}, which can't be a key.")
    ordered = dict.fromkeys([*keys, *known["old"], *known["new"]])
    given: Mapping[str, Mapping[str, float]] = {"ignore_columns": ignored, **by_option}
    for option, of_columns in given.items():
        for name in of_columns:
            if name != _ALL and name not in ordered:
                raise ValueError(f"{option}: neither table has a column {name}.")
            if name in keys:
                raise ValueError(f"{option}: {name} is part of the key.")
    places = {side: {name: place for place, name in enumerate(known[side])} for side in SIDES}
    columns = []
    for number, name in enumerate(ordered):
        own = [side for side in SIDES if name in known[side]]
        column = Column(
            known[own[0]][name],
            number,
            {side: fields[side][known[side][name]] for side in own},
            {side: places[side][name] for side in own},
            name in keys,
            name in ignored,
        )
        column = replace(column, reads_numbers=_reads_numbers(name, column, options, by_option))
        columns.append(replace(column, options=_applied(name, column, by_option)))
    return columns


def can_be_key(kind: Kind) -> bool:
    """Whether equal values of this type are found."""
    return not any(word in kind.name for word in ("map<", "variant", "interval"))


def _reads_numbers(name: str, column: Column, options: Options, by_option: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether a user asks that texts be read as numbers: for all columns, or by a tolerance."""
    if not column.is_shared or not all(kind.is_text for kind in column.types.values()):
        return False
    tolerances = (by_option["tolerance"], by_option["relative_tolerance"])
    has_tolerance = column.is_compared and any(name in each or _ALL in each for each in tolerances)
    return options.numbers or (options.are_files and has_tolerance)


def _applied(name: str, column: Column, by_option: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The options that apply to a column; a tolerance of 0 is none."""
    applied: dict[str, float] = {}
    for option, of_columns in by_option.items():
        what = "text" if option.startswith("ignore") else "a number"
        fits = column.kind.is_text if what == "text" else column.is_number
        if name in of_columns and not column.is_compared:
            raise ValueError(f"{option}: {column.name} is not compared: it is ignored, or only one table has it.")
        if name in of_columns and not fits:
            raise ValueError(f"{option}: {column.name} is compared as {column.kind.name}, and has to be {what}.")
        value = of_columns.get(name, of_columns.get(_ALL))
        if column.is_compared and fits and value:
            applied[option] = value
    return applied


def keys_of(columns: Iterable[Column]) -> list[Column]:
    return [column for column in columns if column.is_key]


def compared(columns: Iterable[Column]) -> Sequence[Column]:
    return [column for column in columns if column.is_compared]

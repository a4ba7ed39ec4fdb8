"""When two values count as equal, as SQL for both engines. Columns are numbered: no name of a table gets into a query.

In what type two columns are compared, ``columns.py`` decides: ``Column.kind``, or ``Column.reading`` for texts that are
read value by value.

The cells of a table's row are ``k0``, ``k1``, ... for the key, and ``old_2``, ``new_2``, ... for the other columns.
"""

from collections.abc import Iterable, Sequence

from deltawave.comparing.columns import NUMBER, Column
from deltawave.comparing.dialects import Dialect
from deltawave.comparing.kinds import DOUBLE, STRING, Kind, decimal, struct
from deltawave.sides import SIDES, Side

# The share of a number that rounding explains: 1.01 - 1.0 is not above 0.01. A double has 15 digits, a float 6.
_ROUNDING, _ROUNDING_OF_FLOAT = 1e-15, 1e-6
_PLAIN = r"[+-]?(\d+\.?\d*|\.\d+)"
_WITH_EXPONENT = _PLAIN + r"[eE][+-]?\d{1,3}"
# What a difference of numbers in texts is exact for.
_EXACT, _IS_EXACT = decimal(25, 12), r"-?\d{1,25}(\.\d{1,12})?"
_HAS_ZONE = r".*:\d{2}.*(Z|z|[+-]\d{2}(:?\d{2})?)"
_TIMESTAMP = Kind("timestamp_ntz")


def cell(column: Column, side: Side) -> str:
    """The name of a cell."""
    return f"k{column.number}" if column.is_key else f"{side}_{column.number}"


def differs(column: Column) -> str:
    """The name of the mark that a compared column has where its values differ."""
    return f"differs_{column.number}"


def value(column: Column, side: Side, own: str, dialect: Dialect) -> str:
    """A cell: a table's value in the type in which it is compared. Equal keys have the same cell.

    ``own``: the value in the table's own type
    """
    kind = column.types[side]
    if column.reading is not None:
        # Blanks around what is read, and nothing else.
        found = f"nullif(trim({own}), '')" if kind.is_text else as_text(own, kind, dialect)
    else:
        found = _converted(own, kind, column.kind, dialect)
    return canonical(column, found, dialect) if column.is_key else found


def _converted(own: str, kind: Kind, wanted: Kind, dialect: Dialect, depth: int = 0) -> str:
    """A value in another type, with the parts of nested ones in theirs; fields that it lacks are null."""
    if kind == wanted:
        return own
    if wanted == STRING:
        return as_text(own, kind, dialect)
    if not wanted.parts:
        return dialect.cast(own, wanted)
    if wanted.form == "struct":
        parts = {name.lower(): (name, part) for name, part in kind.parts}
        fields = []
        for name, part in wanted.parts:
            if name.lower() in parts:
                own_name, own_part = parts[name.lower()]
                fields.append((name, _converted(dialect.field(own, own_name), own_part, part, dialect, depth)))
            else:
                fields.append((name, "null"))
        return f"case when {own} is not null then {dialect.struct(fields)} end"
    each = f"p{depth}"
    if wanted.form == "map":
        # A list of entries.
        kind, wanted = struct(kind.parts), struct(wanted.parts)
    else:
        kind, wanted = kind.parts[0][1], wanted.parts[0][1]
    return dialect.transformed(own, each, _converted(each, kind, wanted, dialect, depth + 1))


def as_text(own: str, kind: Kind, dialect: Dialect) -> str:
    """A value as a text that both engines write alike."""
    text = dialect.text(own, kind)
    return number_text(text, dialect) if kind.is_float else text


def canonical(column: Column, cell: str, dialect: Dialect) -> str:
    """A cell in the form in which it is compared: equal ones are the same, without regard to tolerances."""
    if (kind := column.reading) is not None:
        cell = _read(cell, kind, dialect)
    if "ignore_blanks" in column.options:
        cell = f"trim({dialect.replaced(cell, dialect.blanks, ' ')})"
    if "ignore_case" in column.options:
        cell = f"lower({cell})"
    return cell


def _read(text: str, kind: Kind, dialect: Dialect) -> str:
    """A text as that of the value that it reads as; itself where it reads as none."""
    if kind == NUMBER:
        return number_text(text, dialect)
    if kind.is_float:
        return f"coalesce({number_text(dialect.text(dialect.try_cast(text, kind), kind), dialect)}, {text})"
    if kind.name == "timestamp" or not kind.is_time:
        return f"coalesce({dialect.text(dialect.try_cast(text, kind), kind)}, {text})"
    time = (
        f"case when {dialect.matches(text, _HAS_ZONE)} then {dialect.try_cast(dialect.in_utc(text), kind)} "
        f"else {dialect.try_cast(text, _TIMESTAMP if kind.name == 'date' else kind)} end"
    )
    if kind.name == "date":
        day = dialect.cast(time, kind)
        time = f"case when {dialect.cast(day, _TIMESTAMP)} = {time} then {day} end"
    return f"coalesce({dialect.text(time, kind)}, {text})"


def number_text(text: str, dialect: Dialect) -> str:
    """A text that is a number, without what does not count: 007, 7.0, +7 and 7e0 are 7. Of any number of digits."""
    with_exponent = dialect.matches(text, _WITH_EXPONENT)
    exact = dialect.text(dialect.try_cast(text, decimal(20, 18)), decimal(20, 18))
    other = dialect.text(dialect.try_cast(text, DOUBLE), DOUBLE)
    # A decimal that has lost digits is another number.
    is_same = f"{dialect.try_cast(text, DOUBLE)} = {dialect.cast(dialect.try_cast(text, decimal(20, 18)), DOUBLE)}"
    # Doubles lack exponents like 400: then the text says more.
    size, infinite = f"abs({dialect.try_cast(text, DOUBLE)})", dialect.cast("'Infinity'", DOUBLE)
    is_lost = f"{size} = {infinite} or ({size} = 0 and {dialect.matches(text, r'[^eE]*[1-9].*')})"
    with_digits = f"case when {is_lost} then {text} when {is_same} then {_digits(exact, dialect)} else {other} end"
    return (
        f"case when {dialect.matches(text, _PLAIN)} then {_digits(text, dialect)} "
        f"when {with_exponent} then {with_digits} else {text} end"
    )


def _digits(text: str, dialect: Dialect) -> str:
    """A number without zeros at its ends, which don't count."""
    unsigned = dialect.replaced(text, r"^[+-]?0*", "")
    without_zeros = dialect.replaced(unsigned, r"\.?0*$", "")
    shortest = f"case when contains({text}, '.') then {without_zeros} else {unsigned} end"
    sign = f"case when left({text}, 1) = '-' then '-' else '' end"
    return (
        f"case when {shortest} = '' then '0' when left({shortest}, 1) = '.' "
        f"then concat({sign}, '0', {shortest}) else concat({sign}, {shortest}) end"
    )


def numbers_apart(column: Column, pair: Sequence[str], dialect: Dialect) -> str:
    """The difference of two numbers of a column as a double: the exact one of whole and decimal numbers."""
    if column.kind.is_exact:
        return dialect.apart(pair, column.kind)
    apart = dialect.apart([dialect.try_cast(value, DOUBLE) for value in pair], DOUBLE)
    if not column.kind.is_text:
        return apart
    digits = dialect.apart([dialect.try_cast(text, _EXACT) for text in pair], _EXACT)
    return f"case when {_are_exact(pair, dialect)} then {digits} else {apart} end"


def _are_exact(texts: Iterable[str], dialect: Dialect) -> str:
    return " and ".join(dialect.matches(text, _IS_EXACT) for text in texts)


def is_equal(column: Column, dialect: Dialect) -> str:
    """Whether the values of both rows count as equal: null equals null, NaN NaN, and -0.0 0.0."""
    old, new = (canonical(column, cell(column, side), dialect) for side in SIDES)
    is_same = f"({old} is not distinct from {new})"
    tolerance, relative = (column.options.get(option, 0.0) for option in ("tolerance", "relative_tolerance"))
    if not tolerance and not relative:
        return is_same
    one, other = (dialect.try_cast(text, DOUBLE) for text in (old, new))
    apart, rounding = numbers_apart(column, [old, new], dialect), _double(_ROUNDING, dialect)
    if column.kind.name == "float":
        rounding = _double(_ROUNDING_OF_FLOAT, dialect)
    elif column.kind.is_exact:
        rounding = _double(0, dialect)
    elif column.reading == NUMBER:
        rounding = f"case when {_are_exact([old, new], dialect)} then {_double(0, dialect)} else {rounding} end"
    size = f"greatest(abs({one}), abs({other}))"
    # A share of a value is a double, even of exact numbers.
    share = (
        f"({_double(relative, dialect)} + greatest({rounding}, {_double(_ROUNDING, dialect)}))"
        if relative
        else rounding
    )
    allowed = f"greatest({_double(tolerance, dialect)} + {size} * {rounding}, {size} * {share})"
    # NaN is larger than infinity, and equal to itself: neither is near to a number.
    infinite = dialect.cast("'Infinity'", DOUBLE)
    return f"({is_same} or coalesce({apart} < {infinite} and {apart} <= {allowed}, false))"


def _double(number: float, dialect: Dialect) -> str:
    return dialect.cast(f"'{float(number)!r}'", DOUBLE)


def cells(columns: Iterable[Column], side: Side, own: Sequence[str], dialect: Dialect) -> str:
    """A table's cells for a select. ``own``: the values of its columns, by their places."""
    return ", ".join(
        f"{value(column, side, own[column.places[side]], dialect)} as {cell(column, side)}"
        for column in columns
        if side in column.places
    )

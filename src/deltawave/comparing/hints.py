"""What may explain differences: columns that were perhaps renamed, and rows whose key perhaps changed."""

from collections.abc import Sequence
from dataclasses import replace

from deltawave.comparing.columns import Column, compared, keys_of
from deltawave.comparing.comparison import MovedKeys, Rename
from deltawave.comparing.engine import Engine
from deltawave.comparing.equality import canonical, cell, value
from deltawave.comparing.figures import shown_texts, texts_of
from deltawave.sides import SIDES, Side

# The share of pairs of rows in which two names have the same value.
_LEAST_SHARE = 0.95
# Only so many columns of each table are tried, first with so many rows.
_MOST_COLUMNS = 40
_FIRST_ROWS = 1000


def renames(engine: Engine, columns: Sequence[Column], in_both: int) -> list[Rename]:
    """A column of the old table alone, and one of the new table alone, whose values are nearly the same."""
    own = {
        side: [column for column in columns if set(column.types) == {side} and not column.is_ignored][:_MOST_COLUMNS]
        for side in SIDES
    }
    tried = [(old, new) for old in own["old"] for new in own["new"]]
    for rows in (_FIRST_ROWS, in_both):
        if not tried or not in_both:
            return []
        limited = f"(select * from {engine.matched()} limit {rows})" if rows < in_both else engine.matched()
        counts = []
        for old, new in tried:
            pair = replace(old, types={**old.types, **new.types}, places={**old.places, **new.places})
            texts = [
                canonical(pair, value(pair, side, cell(each, side), engine.dialect), engine.dialect)
                for side, each in zip(SIDES, (old, new), strict=True)
            ]
            counts.append(f"count_if({texts[0]} = {texts[1]})")
            counts.append(f"count_if({texts[0]} is not null or {texts[1]} is not null)")
            # Columns that always have the same value have it by chance.
            counts.append(f"coalesce(min({texts[0]}) <> max({texts[0]}), false)")
        (found,) = engine.rows(f"select {', '.join(counts)} from {limited}")
        shares = [
            (found[3 * place] or 0) / found[3 * place + 1] if found[3 * place + 2] else 0.0
            for place in range(len(tried))
        ]
        rated = sorted(zip(shares, tried, strict=True), key=lambda each: -each[0])
        tried = [pair for share, pair in rated if share >= _LEAST_SHARE]
    result: list[Rename] = []
    for (old, new), (share, _) in zip(tried, rated, strict=False):
        if all(old.name != each.old and new.name != each.new for each in result):
            result.append(Rename(old.name, new.name, share))
    return result


def moved_keys(engine: Engine, columns: Sequence[Column], samples: int) -> MovedKeys | None:
    """Rows of only the old table whose compared values are those of one row that only the new table has."""
    values = compared(columns)
    keys = keys_of(columns)
    if not values:
        return None

    def alone(side: Side) -> str:
        """Rows of one table with values that no other such row has."""
        cells = ", ".join(
            f"{canonical(column, cell(column, side), engine.dialect)} as v{column.number}" for column in values
        )
        texts = f"{texts_of(engine, keys, side)} as {side}_key"
        groups = ", ".join(f"v{column.number}" for column in values)
        select = f"select {cells}, {texts} from {engine.pairs} where kind = 'only_{side}'"
        return f"(select {groups}, min({side}_key) as {side}_key from ({select}) group by {groups} having count(*) = 1)"

    same = " and ".join(f"o.v{column.number} is not distinct from n.v{column.number}" for column in values)
    filled = " or ".join(f"o.v{column.number} is not null" for column in values)
    joined = f"{alone('old')} as o join {alone('new')} as n on {same} where {filled}"
    ((number,),) = engine.rows(f"select count(*) from {joined}")
    if not number:
        return None
    rows = engine.rows(f"select old_key, new_key from {joined} order by old_key limit {samples}") if samples else []
    return MovedKeys(number, tuple((shown_texts(keys, old), shown_texts(keys, new)) for old, new in rows))

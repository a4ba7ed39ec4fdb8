"""Dumps of rows that a counter or a time of the source tells to be new, and the models that read them."""

import datetime as dt

NOW = dt.datetime.now(dt.UTC)
BY_TIME = {"strategy": "timestamp", "updated_at": "version"}
BY_FLAG = {"strategy": "timestamp_delete_flag", "updated_at": "version", "delete_flag": "is_gone"}
BY_CLOCK = {"strategy": "timestamp", "updated_at": "changed_at"}
Row = tuple[int, str, int, bool]
Moment = tuple[int, str, dt.timedelta]


def rows(*given: Row) -> str:
    """A dump of (key, name, counter, is it flagged?)."""
    values = [f"({key}, '{name}', {counter}, {str(gone).lower()})" for key, name, counter, gone in given]
    return f"select * from values {', '.join(values)} as dump(account_id, name, version, is_gone)"


def moments(*given: Moment) -> str:
    """A dump of (key, name, how long after now)."""
    values = [f"({key}, '{name}', timestamp '{(NOW + after).isoformat(' ')}')" for key, name, after in given]
    return f"select * from values {', '.join(values)} as dump(account_id, name, changed_at)"


def hours(number: float) -> dt.timedelta:
    return dt.timedelta(hours=number)

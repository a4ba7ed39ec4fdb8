"""Stands in for the package's macros where sqlfluff renders a model: `deltawave.<macro>(...)`.

A subquery in parentheses is valid SQL wherever a macro may stand: as a whole model, in a common
table expression, after `from` and as a value.
"""

from collections.abc import Callable


def __getattr__(macro: str) -> Callable[..., str]:
    if macro.startswith("__"):
        raise AttributeError(macro)
    return lambda *args, **kwargs: "(select 1 as placeholder)"

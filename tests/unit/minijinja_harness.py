"""The package's macros rendered by minijinja, from which dbt 2 forked its Jinja, with ``macro_harness``'s stand-ins.

dbt 2 adds to minijinja what macros need: lists and mappings that ``append`` and ``update`` change, the filter
``format``, ``kwargs``, materializations and tests. Here, Python's own things stand in for these.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import minijinja
from dbt_common.exceptions.macros import MacroReturn
from unit.macro_harness import DEFINITION, ROOT, Macros, Package

COMMENT = re.compile(r"{#.*?#}", re.DOTALL)
# Attributes that begin with an underscore are refused of Python's objects, but not items.
CALL = re.compile(r"\bdeltawave\.(_\w+)\(")
SET = re.compile(r"({%-?\s*set\s+[\w., ]+?\s*=\s*)((?!\s*namespace\()(?!=).*?)(\s*-?%})", re.DOTALL)
BLOCK = re.compile(r"({%-?\s*)(materialization|test)\s+(\w+)[^%(]*(\([^%]*\))?(?=\s*-?%})")
END = re.compile(r"({%-?\s*)end(?:materialization|test)\b")


def adapted(source: str) -> str:
    """The source of a macros' file, with stand-ins for what dbt 2 adds to minijinja."""
    source = BLOCK.sub(
        lambda found: f"{found[1]}macro {found[2]}_{found[3]}{found[4] or '()'}", COMMENT.sub("", source)
    )
    # Names that begin with an underscore can't be imported.
    source = re.sub(r"({%-?\s*macro\s+)(?=_)", r"\1of", source)
    source = CALL.sub(r"deltawave['\1'](", END.sub(r"\1endmacro", source))
    return SET.sub(r"\1own(\2)\3", source)


class _Package(Package):
    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self[name]


class MinijinjaMacros(Macros):
    """``Macros`` by the other engine."""

    def __init__(self, *args: Any, **context: Any) -> None:
        super().__init__(*args, **context)
        # It takes any keyword arguments, as `kwargs`.
        self._macros["_update"] = lambda known, **given: known.update(given)
        filters = {"list": list, "string": str, "format": lambda text, *values: text % values}
        variables = {**self._context, "deltawave": _Package(self), "own": _own, "dict": dict, "range": range}
        self._environment = minijinja.Environment(loader=files().get, globals=variables, filters=filters)

    def _load(self, source: str) -> None:
        for kind, name in DEFINITION.findall(source):
            macro = "test_" * (kind == "test") + name
            # What `replace` has put in its place stays.
            self._macros.setdefault(macro, self._calling(macro))

    def _calling(self, name: str) -> Callable[..., Any]:
        macro = f"of{name}" if name.startswith("_") else name
        text = f"{{% from {_homes()[macro]!r} import {macro} %}}{{{{ {macro}(*args, **kwargs) }}}}"

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return self._environment.render_str(text, args=args, kwargs=kwargs)
            except MacroReturn as returned:
                return returned.value

        return call


def _own(*values: Any) -> Any:
    """What is assigned: minijinja's own lists and mappings become Python's on the way here."""
    return values[0] if len(values) == 1 else values


@cache
def files() -> dict[str, str]:
    """The adapted source of each macros' file, by its path."""
    folder = ROOT / "macros"
    return {str(path.relative_to(folder)): adapted(path.read_text()) for path in sorted(folder.rglob("*.sql"))}


@cache
def _homes() -> dict[str, str]:
    """The file of each macro."""
    return {macro: file for file, text in files().items() for macro in re.findall(r"{%-?\s*macro (\w+)", text)}

"""The operations on a wave index and its constituent indexes (WI 2.2), as values, and their effect on time-sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

Days: TypeAlias = frozenset[int]
NO_DAYS: Days = frozenset()


@dataclass(frozen=True)
class BuildIndex:
    """Build a packed index of ``days``; it replaces an index of that name. Without days: the empty index."""

    index: str
    days: Days

    def __str__(self) -> str:
        return f"{self.index} <- BuildIndex({shown(self.days)})"


@dataclass(frozen=True)
class AddToIndex:
    """Add ``days`` to an index incrementally."""

    index: str
    days: Days

    def __str__(self) -> str:
        return f"AddToIndex({shown(self.days)}, {self.index})"


@dataclass(frozen=True)
class DeleteFromIndex:
    """Delete ``days`` from an index incrementally."""

    index: str
    days: Days

    def __str__(self) -> str:
        return f"DeleteFromIndex({shown(self.days)}, {self.index})"


@dataclass(frozen=True)
class AddIndex:
    """Make an index a constituent of the wave index."""

    index: str

    def __str__(self) -> str:
        return f"AddIndex({self.index})"


@dataclass(frozen=True)
class DropIndex:
    """Remove an index from the wave index, and delete it."""

    index: str

    def __str__(self) -> str:
        return f"DropIndex({self.index})"


@dataclass(frozen=True)
class Copy:
    """Copy an index; the copy replaces an index of its name."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.target} <- {self.source}"


@dataclass(frozen=True)
class Rename:
    """Give an index another name; it replaces an index of that name."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"Rename {self.source} as {self.target}"


Operation: TypeAlias = BuildIndex | AddToIndex | DeleteFromIndex | AddIndex | DropIndex | Copy | Rename


def shown(days: Iterable[int]) -> str:
    """Days as a set in the paper's notation: ``{1, 2}``."""
    return "{" + ", ".join(map(str, sorted(days))) + "}"


def as_json(operation: Operation) -> dict[str, Any]:
    """An operation as a JSON object: its name, its indexes and, in ascending order, its days."""
    fields = {name: sorted(value) if name == "days" else value for name, value in vars(operation).items()}
    return {"operation": type(operation).__name__, **fields}


def from_json(values: Mapping[str, Any]) -> Operation:
    """The operation from the result of :func:`as_json`."""
    fields = {name: frozenset(value) if name == "days" else value for name, value in values.items()}
    kind = next(each for each in get_args(Operation) if each.__name__ == fields["operation"])
    del fields["operation"]
    operation: Operation = kind(**fields)
    return operation


def days_indexed(operations: Iterable[Operation]) -> int:
    """How many days operations index, by BuildIndex or AddToIndex; a day counts each time."""
    return sum(len(each.days) for each in operations if isinstance(each, BuildIndex | AddToIndex))


def applied(operations: Iterable[Operation], indexes: Mapping[str, Days]) -> dict[str, Days]:
    """The time-sets of all indexes, by name, after the operations.

    Raises ``ValueError`` if an operation does not fit: a missing index, a day that is added twice, a deleted day that
    is not there.
    """
    after = dict(indexes)
    for operation in operations:
        _apply(operation, after)
    return after


def _apply(operation: Operation, after: dict[str, Days]) -> None:
    if isinstance(operation, BuildIndex):
        after[operation.index] = operation.days
        return
    name = operation.source if isinstance(operation, Copy | Rename) else operation.index
    if name not in after:
        raise ValueError(f"{operation}: there is no index {name}.")
    days = after[name]
    if isinstance(operation, AddToIndex):
        if days & operation.days:
            raise ValueError(f"{operation}: {name} has {shown(days & operation.days)} already.")
        after[name] = days | operation.days
    elif isinstance(operation, DeleteFromIndex):
        if not operation.days <= days:
            raise ValueError(f"{operation}: {name} does not have {shown(operation.days - days)}.")
        after[name] = days - operation.days
    elif isinstance(operation, DropIndex):
        del after[name]
    elif isinstance(operation, Copy):
        after[operation.target] = days
    elif isinstance(operation, Rename):
        del after[name]
        after[operation.target] = days

"""The operations on a wave index and its constituent indexes (WI 2.2), as values, and their effect on time-sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, get_args

Content = TypeVar("Content")
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

    def added(days: Days, operation: AddToIndex) -> Days:
        if days & operation.days:
            raise ValueError(f"{operation}: {operation.index} has {shown(days & operation.days)} already.")
        return days | operation.days

    def deleted(days: Days, operation: DeleteFromIndex) -> Days:
        if not operation.days <= days:
            raise ValueError(f"{operation}: {operation.index} does not have {shown(operation.days - days)}.")
        return days - operation.days

    return walked(operations, indexes, lambda operation: operation.days, added, deleted)


def walked(
    operations: Iterable[Operation],
    indexes: Mapping[str, Content],
    built: Callable[[BuildIndex], Content],
    added: Callable[[Content, AddToIndex], Content],
    deleted: Callable[[Content, DeleteFromIndex], Content],
) -> dict[str, Content]:
    """What all indexes contain, by name, after the operations; the functions return what an index contains after one.

    Raises ``ValueError`` for an operation on a missing index.
    """
    after = dict(indexes)
    for operation in operations:
        if isinstance(operation, BuildIndex):
            after[operation.index] = built(operation)
            continue
        name = operation.source if isinstance(operation, Copy | Rename) else operation.index
        if name not in after:
            raise ValueError(f"{operation}: there is no index {name}.")
        if isinstance(operation, AddToIndex):
            after[name] = added(after[name], operation)
        elif isinstance(operation, DeleteFromIndex):
            after[name] = deleted(after[name], operation)
        elif isinstance(operation, DropIndex):
            del after[name]
        elif isinstance(operation, Copy):
            after[operation.target] = after[name]
        elif isinstance(operation, Rename):
            after[operation.target] = after.pop(name)
    return after

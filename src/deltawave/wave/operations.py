"""The operations on a wave index and its constituent indexes (WI 2.2), as values, and their effect on time-sets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias, TypeVar, get_args

Content = TypeVar("Content")
Days: TypeAlias = frozenset[int]
NO_DAYS: Days = frozenset()
TEMP = "Temp"


class _Written:
    """An operation as the paper writes it: ``form``, filled in with its fields."""

    form: ClassVar[str]

    def __str__(self) -> str:
        fields = {name: shown(value) if name == "days" else value for name, value in vars(self).items()}
        return self.form.format(**fields)


@dataclass(frozen=True)
class _OfDays(_Written):
    index: str
    days: Days


@dataclass(frozen=True)
class _OfIndex(_Written):
    index: str


@dataclass(frozen=True)
class _OfTwo(_Written):
    """The target replaces an index of its name."""

    source: str
    target: str


class BuildIndex(_OfDays):
    """Build a packed index of ``days``; it replaces an index of that name. Without days: the empty index."""

    form = "{index} <- BuildIndex({days})"


class AddToIndex(_OfDays):
    form = "AddToIndex({days}, {index})"


class DeleteFromIndex(_OfDays):
    form = "DeleteFromIndex({days}, {index})"


class AddIndex(_OfIndex):
    """Make an index a constituent of the wave index."""

    form = "AddIndex({index})"


class DropIndex(_OfIndex):
    """Remove an index from the wave index, and delete it."""

    form = "DropIndex({index})"


class Copy(_OfTwo):
    form = "{target} <- {source}"


class Rename(_OfTwo):
    form = "Rename {source} as {target}"


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
    name = fields.pop("operation")
    operation: Operation = next(kind for kind in get_args(Operation) if kind.__name__ == name)(**fields)
    return operation


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
    """What each index contains after the operations; the functions return what it contains after one of them.

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


def constituent(number: int) -> str:
    """The name of the constituent index I_number; numbers begin at 1."""
    return f"I{number}"


def temporary(number: int) -> str:
    return f"T{number}"


def prepared(number: int) -> str:
    """The name of an index that becomes T_number when the next cluster begins to expire."""
    return f"P{number}"


@dataclass(frozen=True)
class WaveState:
    """A wave index after its newest ``day``: ``indexes`` holds the time-set of each index by name.

    The globals of the algorithms (WI Appendix A) follow from it: Days[i] is the time-set of I_i, last the constituent
    with the newest day, TempUsed the highest T, and DaysToAdd the days that a constituent has and its next replacement
    misses.
    """

    day: int = 0
    indexes: Mapping[str, Days] = field(default_factory=dict)

    @property
    def next_day(self) -> Days:
        return frozenset({self.day + 1})

    @property
    def constituents(self) -> list[Days]:
        return self._numbered("I")

    @property
    def temporaries(self) -> list[Days]:
        """The time-sets of the temporary indexes: Temp, or T in ascending order and then the indexes prepared ahead."""
        if TEMP in self.indexes:
            return [self.indexes[TEMP]]
        return self._numbered("T") + self._numbered("P")

    @property
    def length(self) -> int:
        """How many days the constituents hold (WI 3.3)."""
        return sum(map(len, self.constituents))

    def holding(self, day: int) -> int:
        """The number of the constituent that has a day. Raises ``ValueError`` if there is none."""
        for name, days in self.indexes.items():
            if day in days and name[0] == "I":
                return int(name[1:])
        raise ValueError(f"No constituent has day {day}.")

    def highest(self, kind: str) -> int:
        """The highest number of the indexes whose name begins with ``kind``; 0 if there is none, or only T_0."""
        return max((int(name[1:]) for name in self.indexes if name[0] == kind and name != TEMP), default=0)

    def _numbered(self, kind: str) -> list[Days]:
        names = (name for name in self.indexes if name[0] == kind)
        return [self.indexes[name] for name in sorted(names, key=lambda name: int(name[1:]))]


def clusters(days: range, parts: int) -> Sequence[Days]:
    """Consecutive days split into clusters, the longer ones first; their lengths differ by one day at most."""
    least, longer = divmod(len(days), parts)
    ends = [0]
    for number in range(parts):
        ends.append(ends[-1] + least + (number < longer))
    return [frozenset(days[low:high]) for low, high in pairwise(ends)]

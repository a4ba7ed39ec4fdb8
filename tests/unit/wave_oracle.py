"""The algorithms of WI Appendix A as they stand there, with their globals and the slips corrected, on sets of days."""

from __future__ import annotations

from collections.abc import Iterator


def history(scheme: str, window: int, n: int, last_day: int) -> Iterator[tuple[list[set[int]], list[set[int]]]]:
    """The time-sets of constituents and of temporary indexes (in ascending T), after each of the days W to the last."""
    algorithm = {
        "del": Deletion,
        "reindex": Deletion,
        "reindex_plus": ReindexPlus,
        "reindex_plus_plus": ReindexPlusPlus,
        "wata": Wata,
        "rata": Rata,
    }[scheme](window, n)
    yield algorithm.seen()
    for new in range(window + 1, last_day + 1):
        algorithm.transition(new)
        yield algorithm.seen()


class Deletion:
    """Figure 12; Figure 13 has the same time-sets."""

    def __init__(self, window: int, n: int) -> None:
        self.window, self.n = window, n
        self.days: dict[int, set[int]] = {}
        self.temporary: dict[int, set[int]] = {}
        self.start()

    def start(self) -> None:
        self.clusters(self.window, self.n)

    def clusters(self, count: int, parts: int) -> None:
        low = 1
        for i in range(1, parts + 1):
            size = -(-count // parts) if i <= count % parts else count // parts
            self.days[i] = set(range(low, low + size))
            low += size

    def seen(self) -> tuple[list[set[int]], list[set[int]]]:
        temporary = [set(self.temporary[i]) for i in sorted(self.temporary)]
        return [set(self.days[i]) for i in sorted(self.days)], temporary

    def containing(self, day: int) -> int:
        return next(i for i, days in self.days.items() if day in days)

    def transition(self, new: int) -> None:
        j = self.containing(new - self.window)
        self.days[j] = self.days[j] - {new - self.window} | {new}


class ReindexPlus(Deletion):
    """Figure 14."""

    def start(self) -> None:
        super().start()
        self.temporary[0] = set()
        self.to_add: set[int] = set()

    def transition(self, new: int) -> None:
        j = self.containing(new - self.window)
        if not self.temporary[0]:
            self.to_add = self.days[j] - {new - self.window}
            self.temporary[0] = {new}
            index = {new} | self.to_add
            if not self.to_add:
                self.temporary[0] = set()
        elif not self.to_add:
            index = self.temporary[0] | {new}
            self.temporary[0] = set()
        else:
            self.temporary[0] = self.temporary[0] | {new}
            index = self.temporary[0] | self.to_add
        self.days[j] = self.days[j] - {new - self.window} | {new}
        assert index == self.days[j]
        self.to_add = self.to_add - {new - self.window + 1}


class ReindexPlusPlus(Deletion):
    """Figure 15."""

    def start(self) -> None:
        super().start()
        self.initialize(self.days[1] - {1})

    def initialize(self, days: set[int]) -> None:
        self.temporary = {0: set()}
        for i, day in enumerate(sorted(days, reverse=True), 1):
            self.temporary[i] = self.temporary[i - 1] | {day}
        self.used = len(days)
        self.to_add: set[int] = set()

    def transition(self, new: int) -> None:
        j = self.containing(new - self.window)
        self.days[j] = self.days[j] - {new - self.window} | {new}
        if self.used == 0:
            assert self.temporary[0] | {new} == self.days[j]
            following = self.containing(new - self.window + 1)
            self.initialize(self.days[following] - {new - self.window + 1})
        else:
            self.to_add = self.to_add | {new}
            assert self.temporary.pop(self.used) | {new} == self.days[j]
            self.used -= 1
            self.temporary[self.used] |= self.to_add


class Wata(Deletion):
    """Figure 16."""

    def start(self) -> None:
        self.clusters(self.window - 1, self.n - 1)
        self.days[self.n] = {self.window}
        self.z = {i: len(days) for i, days in self.days.items()}
        self.last = self.n

    def transition(self, new: int) -> None:
        j = self.containing(new - self.window)
        if sum(z for i, z in self.z.items() if i != j) == self.window - 1:
            self.days[j], self.z[j], self.last = {new}, 1, j
            self.thrown_away(new)
        else:
            self.days[self.last].add(new)
            self.z[self.last] += 1
            self.waited(j, new)

    def thrown_away(self, new: int) -> None:
        pass

    def waited(self, j: int, new: int) -> None:
        pass


class Rata(Wata):
    """Figure 17."""

    def start(self) -> None:
        super().start()
        self.initialize(self.days[1] - {1})

    def initialize(self, days: set[int]) -> None:
        ordered = sorted(days, reverse=True)
        self.temporary = {i: set(ordered[:i]) for i in range(1, len(days) + 1)}

    def thrown_away(self, new: int) -> None:
        following = self.containing(new - self.window + 1)
        self.initialize(self.days[following] - {new - self.window + 1})

    def waited(self, j: int, new: int) -> None:
        self.days[j] = self.temporary.pop(max(self.temporary))

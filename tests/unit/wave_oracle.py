"""The algorithms of WI Appendix A as they stand there, with their globals and the slips corrected, on sets of days.

They list their operations as the paper prints them.
"""

from collections.abc import Iterable, Iterator

# After a day: the constituents, the temporary indexes in ascending T, and what was done.
Seen = tuple[list[set[int]], list[set[int]], list[str]]


def history(scheme: str, window: int, n: int, last_day: int) -> Iterator[Seen]:
    """The time-sets and operations of the days W to the last; on day W, only what begins temporary indexes."""
    algorithm = {
        "del": Deletion,
        "reindex": Reindex,
        "reindex_plus": ReindexPlus,
        "reindex_plus_plus": ReindexPlusPlus,
        "wata": Wata,
        "rata": Rata,
    }[scheme](window, n)
    yield algorithm.seen()
    for new in range(window + 1, last_day + 1):
        algorithm.done = []
        algorithm.transition(new)
        yield algorithm.seen()


def shown(days: Iterable[int]) -> str:
    return "{" + ", ".join(map(str, sorted(days))) + "}"


class Deletion:
    """Figure 12."""

    def __init__(self, window: int, n: int) -> None:
        self.window, self.n = window, n
        self.days: dict[int, set[int]] = {}
        self.temporary: dict[int, set[int]] = {}
        self.done: list[str] = []
        self.start()

    def start(self) -> None:
        self.clusters(self.window, self.n)

    def clusters(self, count: int, parts: int) -> None:
        low = 1
        for i in range(1, parts + 1):
            size = -(-count // parts) if i <= count % parts else count // parts
            self.days[i] = set(range(low, low + size))
            low += size

    def build(self, index: str, days: set[int]) -> None:
        self.done.append(f"{index} <- BuildIndex({shown(days)})")

    def add(self, days: set[int], index: str) -> None:
        self.done.append(f"AddToIndex({shown(days)}, {index})")

    def ladder(self, days: set[int]) -> dict[int, set[int]]:
        """Initialize of Figures 15 and 17."""
        found: dict[int, set[int]] = {}
        for i, day in enumerate(sorted(days, reverse=True), 1):
            found[i] = found.get(i - 1, set()) | {day}
            if i == 1:
                self.build("T1", {day})
            else:
                self.done.append(f"T{i} <- T{i - 1}")
                self.add({day}, f"T{i}")
        return found

    def seen(self) -> Seen:
        temporary = [set(self.temporary[i]) for i in sorted(self.temporary)]
        return [set(self.days[i]) for i in sorted(self.days)], temporary, self.done

    def containing(self, day: int) -> int:
        return next(i for i, days in self.days.items() if day in days)

    def replaced(self, new: int) -> int:
        """The cluster in which the new day takes the place of the oldest one."""
        j = self.containing(new - self.window)
        self.days[j] = self.days[j] - {new - self.window} | {new}
        return j

    def transition(self, new: int) -> None:
        j = self.replaced(new)
        self.done.append(f"DeleteFromIndex({shown({new - self.window})}, I{j})")
        self.add({new}, f"I{j}")


class Reindex(Deletion):
    """Figure 13."""

    def transition(self, new: int) -> None:
        j = self.replaced(new)
        self.build(f"I{j}", self.days[j])


class ReindexPlus(Deletion):
    """Figure 14."""

    def start(self) -> None:
        super().start()
        self.temporary[0] = set()
        self.to_add: set[int] = set()
        self.build("Temp", set())

    def transition(self, new: int) -> None:
        j = self.containing(new - self.window)
        if not self.temporary[0]:
            self.to_add = self.days[j] - {new - self.window}
            index = {new} | self.to_add
            if self.to_add:
                self.temporary[0] = {new}
                self.build("Temp", {new})
                self.done.append(f"I{j} <- Temp")
                self.add(self.to_add, f"I{j}")
            else:
                # Nothing of a cluster of one day stays for Temp.
                self.build(f"I{j}", {new})
        elif not self.to_add:
            index = self.temporary[0] | {new}
            self.temporary[0] = set()
            self.done.append(f"I{j} <- Temp")
            self.add({new}, f"I{j}")
            self.build("Temp", set())
        else:
            self.temporary[0] = self.temporary[0] | {new}
            index = self.temporary[0] | self.to_add
            self.add({new}, "Temp")
            self.done.append(f"I{j} <- Temp")
            self.add(self.to_add, f"I{j}")
        self.days[j] = self.days[j] - {new - self.window} | {new}
        assert index == self.days[j]
        self.to_add = self.to_add - {new - self.window + 1}


class ReindexPlusPlus(Deletion):
    """Figure 15."""

    def start(self) -> None:
        super().start()
        self.initialize(self.days[1] - {1})

    def initialize(self, days: set[int]) -> None:
        self.build("T0", set())
        self.temporary = {0: set(), **self.ladder(days)}
        self.used = len(days)
        self.to_add: set[int] = set()

    def transition(self, new: int) -> None:
        j = self.replaced(new)
        self.add({new}, f"T{self.used}")
        self.done.append(f"Rename T{self.used} as I{j}")
        if self.used == 0:
            assert self.temporary[0] | {new} == self.days[j]
            following = self.containing(new - self.window + 1)
            self.initialize(self.days[following] - {new - self.window + 1})
        else:
            self.to_add = self.to_add | {new}
            assert self.temporary.pop(self.used) | {new} == self.days[j]
            self.used -= 1
            self.temporary[self.used] |= self.to_add
            self.add(self.to_add, f"T{self.used}")


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
            self.done.append(f"DropIndex(I{j})")
            self.build(f"I{j}", {new})
            self.done.append(f"AddIndex(I{j})")
            self.thrown_away(new)
        else:
            self.days[self.last].add(new)
            self.z[self.last] += 1
            self.add({new}, f"I{self.last}")
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
        self.temporary = self.ladder(days)

    def thrown_away(self, new: int) -> None:
        following = self.containing(new - self.window + 1)
        self.initialize(self.days[following] - {new - self.window + 1})

    def waited(self, j: int, new: int) -> None:
        used = max(self.temporary)
        self.days[j] = self.temporary.pop(used)
        self.done += [f"DropIndex(I{j})", f"Rename T{used} as I{j}", f"AddIndex(I{j})"]

"""A generated source: rows that come, change, go and come back, and the select by which a model reads them."""

import math
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random

KEYS = ["k1", "k2"]
DEPARTMENTS = 8
# Rows of the last department are outside of every select.
LIMIT = 7

Key = tuple[int | None, str | None]

EVERY_KEY: list[Key] = list(product([None, *range(9)], [None, "", " ", "a", "A", "é"]))[1:]
NAMES = [None, "", " ", "a", "A", "é", "e\u0301", "\u2028", "null", 'it\'s \\ "so"']
NUMBERS = [None, 0.0, -0.0, math.nan, 1.5, math.inf]


@dataclass(frozen=True)
class Row:
    """A row of the source. One that is deleted stays as a tombstone, as in applications that flag what they delete."""

    k1: int | None
    k2: str | None
    oid: int
    name: str | None
    num: float | None
    dep: int
    version: int
    is_deleted: bool = False

    @property
    def key(self) -> Key:
        return self.k1, self.k2


@dataclass
class Source:
    """The source of one model; ``clock`` is the newest version that a row can have."""

    chance: Random
    size: int
    # How often a key may stand more than once.
    copies: int = 1
    # Is the row's number its key?
    renumbers: bool = False
    rows: list[Row] = field(default_factory=list)
    clock: int = 10
    last_oid: int = 0
    # Another table, which a view joins.
    titles: dict[int, str] = field(default_factory=lambda: dict.fromkeys(range(1, DEPARTMENTS), "old"))
    # What the last changes were.
    did: set[str] = field(default_factory=set)

    def fill(self) -> None:
        """The first rows."""
        for key in self.chance.sample(EVERY_KEY, self.size):
            self._insert(key)
        for _ in range(3):
            self._insert(self.chance.choice(self.live()).key if self.copies > 1 else self._free_key())

    def change(self) -> None:
        """An ordinary day: some rows are updated, touched, deleted, inserted, moved and revived."""
        self.clock += 3
        self.did = set()
        while len(self.visible()) < 4:
            self._insert_one()
        for kind in ("update", "update", "restriction", "touch", "delete", "rekey", "revive", "insert"):
            if kind in ("update", "insert") or self.chance.random() < 0.6:
                getattr(self, f"_{kind}_one")()
        if len(self.live()) > 1.3 * self.size:
            for _ in range(3):
                self._delete_one()
        while len(self.live()) < 0.8 * self.size:
            self._insert_one()
        dep = self.chance.randint(1, LIMIT)
        self.titles[dep] = "new" if self.titles[dep] == "old" else "old"
        # A row at the clock, so that a source does not seem to have lost its newest one.
        self._update_one()

    def live(self) -> list[Row]:
        return [row for row in self.rows if not row.is_deleted]

    def visible(self) -> list[Row]:
        """Live rows that every select shows."""
        return [row for row in self.live() if row.dep < LIMIT]

    def put(self, old: Row, **values: object) -> None:
        """Change one row."""
        at = next(number for number, row in enumerate(self.rows) if row is old)
        self.rows[at] = replace(old, **values)

    def twice(self) -> None:
        """A key stands twice, both rows as new as the clock."""
        old = self.chance.choice(self.visible())
        self.put(old, version=self.clock)
        self.rows.append(replace(old, name="twice", version=self.clock, oid=self._next_oid()))
        self.did.add("duplicate key")

    def lose(self, share: float) -> None:
        """Most rows go, flagged; the newest stays."""
        self.clock += 3
        visible = self.visible()
        keep = max(1, int(len(visible) * (1 - share)))
        stays = set(map(id, self.chance.sample(visible, keep)))
        for row in self.live():
            self.put(row, version=self.clock, is_deleted=id(row) not in stays)

    def come_late(self, behind: int) -> None:
        """A row that was committed late: its version is below the clock."""
        old = self.chance.choice([row for row in self.visible() if row.version < self.clock] or self.visible())
        self.put(old, name=self._other(old.name), version=self.clock - behind)
        self._insert(self._free_key(), version=self.clock - behind)

    def set_clock_back(self) -> None:
        """The source's clock goes back: no row is as new as the newest was."""
        self.rows = [replace(row, version=row.version - 5) for row in self.rows]

    def _update_one(self) -> None:
        old = self.chance.choice(self.visible() or self.live())
        changes = {"name": self._other(old.name)} if self.chance.random() < 0.7 else {"num": self._number(old.num)}
        self.put(old, version=self.clock, **changes)
        self.did.add("update")

    def _restriction_one(self) -> None:
        leaving = [row for row in self.live() if row.dep <= LIMIT]
        entering = [row for row in self.live() if row.dep > LIMIT]
        for rows, dep in ((leaving, DEPARTMENTS), (entering, 1)):
            if rows:
                self.put(self.chance.choice(rows), dep=dep, version=self.clock)
        if leaving and entering:
            self.did.add("restriction")

    def _touch_one(self) -> None:
        self.put(self.chance.choice(self.live()), version=self.clock)

    def _delete_one(self) -> None:
        self.put(self.chance.choice(self.live()), version=self.clock, is_deleted=True)
        self.did.add("delete")
        self.rows = [row for row in self.rows if not row.is_deleted or row.version >= self.clock - 12]

    def _insert_one(self) -> None:
        key = (
            self.chance.choice(self.live()).key if self.copies > 1 and self.chance.random() < 0.3 else self._free_key()
        )
        self._insert(key)
        self.did.add("insert")

    def _revive_one(self) -> None:
        # A row that lives on under another key is not revived under the previous one.
        living = {row.oid for row in self.live()}
        deleted = [row for row in self.rows if row.is_deleted and row.version < self.clock and row.oid not in living]
        if deleted:
            old = self.chance.choice(deleted)
            self.put(old, is_deleted=False, version=self.clock, dep=1)
            self.did.add("revival")

    def _rekey_one(self) -> None:
        """A row gets another key; the previous one is flagged."""
        old = self.chance.choice(self.visible())
        k1, k2 = self._free_key()
        self.put(old, is_deleted=True, version=self.clock)
        oid = self._next_oid() if self.renumbers else old.oid
        self.rows.append(replace(old, k1=k1, k2=k2, oid=oid, version=self.clock))
        self.did.add("changed key")

    def _insert(self, key: Key, version: int | None = None) -> None:
        name, num = self.chance.choice(NAMES), self.chance.choice(NUMBERS)
        dep = self.chance.randint(1, DEPARTMENTS)
        self.rows.append(Row(*key, self._next_oid(), name, num, dep, self.clock if version is None else version))

    def _free_key(self) -> Key:
        """A key that no row has; where all are taken, the oldest tombstone goes."""
        while len(taken := {row.key for row in self.rows}) == len(EVERY_KEY):
            self.rows.remove(min((row for row in self.rows if row.is_deleted), key=lambda row: row.version))
        return self.chance.choice([key for key in EVERY_KEY if key not in taken])

    def _next_oid(self) -> int:
        self.last_oid += 1
        return self.last_oid

    def _other(self, name: str | None) -> str | None:
        return self.chance.choice([other for other in NAMES if other != name])

    def _number(self, number: float | None) -> float | None:
        return self.chance.choice([other for other in (None, 1.5, 2.5, math.nan) if repr(other) != repr(number)])

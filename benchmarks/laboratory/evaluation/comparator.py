"""The message comparator of LG96 5.2: which messages of an algorithm are wrong, and which are unnecessary.

A warehouse that holds the earlier snapshot applies the messages one after another. As in LG96 1.1, it ignores an insert
of a key that it holds; a delete or an update of a key that it does not hold changes nothing either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deltawave.rows.hashing import Hashes
from laboratory.evaluation.hashed import DELETE, INSERT, UPDATE, Messages, Snapshot

Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Comparison:
    """The effect of messages, compared with the minimal set of differences: one message for each key that differs.

    - ``messages``: how many there are
    - ``expected``: keys that differ between the snapshots
    - ``correct``: of these, keys that any number of messages brings to the later snapshot's state
    - ``missed``: the others of these
    - ``damaged``: keys that do not differ between the snapshots, but do after the messages
    - ``useless_delete_insert_pairs``: a delete, later an insert, of a key that both snapshots hold (1.1). They are
      correct; if the row is the same both messages are extra, if it was updated one of them is
    - ``useless_insert_delete_pairs``: the same in the opposite order (1.1), which loses the row
    """

    messages: int
    expected: int
    correct: int
    missed: int
    damaged: int
    useless_delete_insert_pairs: int
    useless_insert_delete_pairs: int

    @property
    def extra(self) -> int:
        """Extra messages (5.2): those beyond the one that each correct difference needs."""
        return self.messages - self.correct

    @property
    def is_right(self) -> bool:
        """Whether the messages turn the earlier snapshot into the later one."""
        return self.missed == self.damaged == 0


def compare(messages: Messages, old: Snapshot, new: Snapshot) -> Comparison:
    """Count the messages that are right, missing, harmful and unnecessary."""
    keys, places = np.unique(np.concatenate([old.keys, new.keys, messages.keys]), return_inverse=True)
    at_old, at_new, at_messages = np.split(places.ravel(), [len(old), len(old) + len(new)])
    before = _State.of(len(keys), at_old, old.values)
    wanted = _State.of(len(keys), at_new, new.values)
    order = np.argsort(at_messages, kind="stable")
    sequences = _Sequences(at_messages[order], messages.take(order))
    differs = before.differs(wanted)
    is_wrong = sequences.applied(before).differs(wanted)
    delete_insert, insert_delete = sequences.useless_pairs(before.is_there & wanted.is_there)
    return Comparison(
        messages=len(messages),
        expected=int(np.count_nonzero(differs)),
        correct=int(np.count_nonzero(differs & ~is_wrong)),
        missed=int(np.count_nonzero(differs & is_wrong)),
        damaged=int(np.count_nonzero(~differs & is_wrong)),
        useless_delete_insert_pairs=delete_insert,
        useless_insert_delete_pairs=insert_delete,
    )


def true_differences(old: Snapshot, new: Snapshot) -> Messages:
    """The minimal set of messages: one for each key that differs, deletes first."""
    keys, places = np.unique(np.concatenate([old.keys, new.keys]), return_inverse=True)
    at_old, at_new = np.split(places.ravel(), [len(old)])
    before, after = _State.of(len(keys), at_old, old.values), _State.of(len(keys), at_new, new.values)
    kinds = np.where(before.is_there, np.where(after.is_there, UPDATE, DELETE), INSERT).astype(np.int8)
    differing = np.flatnonzero(before.differs(after))
    return Messages(kinds, keys, after.values).take(differing).deletes_first()


@dataclass(frozen=True, eq=False)
class _State:
    """For each key, whether there is a row, and the hash of its values, which is 0 if there is none."""

    is_there: Mask
    values: Hashes

    @classmethod
    def of(cls, keys: int, places: Places, values: Hashes) -> _State:
        is_there, there = np.zeros(keys, dtype=bool), np.zeros(keys, dtype=np.uint64)
        is_there[places], there[places] = True, values
        return cls(is_there, there)

    def differs(self, other: _State) -> Mask:
        found: Mask = (self.is_there != other.is_there) | (self.values != other.values)
        return found


@dataclass(frozen=True, eq=False)
class _Sequences:
    """Messages in order of their keys' numbers, messages of one key in order of arrival."""

    keys: Places
    messages: Messages

    def applied(self, before: _State) -> _State:
        """The state after these messages.

        Only a key's messages after its last delete count: the first insert, unless there still is a row, and the last
        update after that.
        """
        count = len(before.is_there)
        kinds, places = self.messages.kinds, np.arange(len(self.keys))
        last_delete = self._last(kinds == DELETE, count)
        stays = before.is_there & (last_delete < 0)
        first_insert = self._first((kinds == INSERT) & (places > last_delete[self.keys]), count)
        is_there = stays | (first_insert >= 0)
        begin = np.where(stays, -1, first_insert)
        last_update = self._last((kinds == UPDATE) & is_there[self.keys] & (places > begin[self.keys]), count)
        values = np.where(stays, before.values, 0)
        for place in (begin, last_update):
            values[place >= 0] = self.messages.values[place[place >= 0]]
        return _State(is_there, values)

    def useless_pairs(self, are_held: Mask) -> tuple[int, int]:
        """Delete-insert and insert-delete pairs of these keys. A message belongs to one pair at most."""
        at = np.flatnonzero((self.messages.kinds != UPDATE) & are_held[self.keys])
        keys, kinds = self.keys[at], self.messages.kinds[at]
        follows = np.zeros(len(at), dtype=bool)
        follows[1:] = keys[1:] == keys[:-1]
        turns = follows.copy()
        turns[1:] &= kinds[1:] != kinds[:-1]
        # Alternating deletes and inserts of a key: every second one ends a pair like the first.
        pairs = (np.bincount(keys[turns], minlength=len(are_held)) + 1) // 2
        first = kinds[~follows]
        own = pairs[keys[~follows]]
        return int(own[first == DELETE].sum()), int(own[first == INSERT].sum())

    def _last(self, mask: Mask, count: int) -> Places:
        """For each key the place of the last of these messages, or -1."""
        found = np.full(count, -1, dtype=np.intp)
        at = np.flatnonzero(mask)
        # If several values have one place, numpy keeps the last.
        found[self.keys[at]] = at
        return found

    def _first(self, mask: Mask, count: int) -> Places:
        found = np.full(count, -1, dtype=np.intp)
        at = np.flatnonzero(mask)[::-1]
        found[self.keys[at]] = at
        return found

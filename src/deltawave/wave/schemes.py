"""The six schemes (WI 3, 4 and Appendix A): how days are clustered, and the operations of a transition."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from deltawave.wave import operations as op
from deltawave.wave.operations import (
    NO_DAYS,
    TEMP,
    Days,
    Operation,
    WaveState,
    clusters,
    constituent,
    prepared,
    temporary,
)


@dataclass(frozen=True)
class WaveIndex:
    """A scheme with its window and its number of constituents.

    - ``scheme``: ``del``, ``reindex``, ``reindex_plus``, ``reindex_plus_plus``, ``wata`` (WATA*) or ``rata`` (RATA*)
    - ``window``: W, in days, at least 1
    - ``constituents``: n, from 1 (``wata`` and ``rata``: 2) to W
    - ``spread``: whether ``reindex_plus_plus`` and ``rata`` build the temporary indexes of the next cluster on the days
      before, instead of all on one day (WI 4.2, 4.3). It can differ from one transition to the next. With two
      constituents of ``rata``, or one of ``reindex_plus_plus``, the next cluster is not complete before

    Raises ``ValueError`` for anything else.
    """

    scheme: str
    window: int
    constituents: int
    spread: bool = False

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise ValueError(f"scheme {self.scheme!r}: take one of {', '.join(SCHEMES)}.")
        for option, allowed in refused(self.scheme, self.window, self.constituents).items():
            raise ValueError(f"{option} {getattr(self, option)}: {self.scheme} takes {allowed}.")

    @property
    def rules(self) -> "Scheme":
        return SCHEMES[self.scheme]

    @property
    def longest(self) -> int:
        """The most days that are indexed: W, or more if expired days wait for others (Theorem 2)."""
        return self.window if self.rules.is_hard else self.window + (self.window - 2) // (self.constituents - 1)

    def leaving(self, state: WaveState) -> tuple[str, int]:
        """The constituent with the oldest day, which leaves the window when the next day comes, and that day: d_new-W.

        Each scheme drops it in its own transition.
        """
        expired = state.day + 1 - self.window
        return constituent(state.holding(expired)), expired

    def next_cluster(self, state: WaveState) -> Days:
        """The days of the constituent that expires after the one with the day that leaves."""
        number = state.holding(state.day + 1 - self.window)
        return state.indexes[constituent(number % self.constituents + 1)]


def refused(scheme: str, window: int, constituents: int) -> dict[str, str]:
    """The option that does not suit the scheme, with what it may be; empty if both do."""
    least = SCHEMES[scheme].least
    if window < least:
        return {"window": f"{least} or more"}
    return {} if least <= constituents <= window else {"constituents": f"{least} to {window} (the window)"}


@dataclass(frozen=True)
class Scheme:
    """One of the six schemes (WI 3 and 4, Appendix A).

    - ``transition``: the operations after which the next day can be queried
    - ``preparation``: the operations for later days; only schemes that have it prepare indexes of the next cluster
    - ``first_preparation``: temporary indexes for the clusters of the first W days
    - ``layout``: these clusters, from W and n (Start in WI Figure 12)
    - ``least``: the least n
    - ``is_hard``: whether exactly the last W days are indexed, not more
    - ``rebuilds``: whether days are never added to an index, so that it is packed
    - ``needs``: which temporary indexes a state has to have: their days by name, or None if the days may differ. Its
      arguments: the state, and the days of the constituent that expires next, without the one that expires. Schemes
      without it have no temporary indexes
    """

    transition: Callable[[WaveIndex, WaveState], Iterable[Operation]]
    preparation: Callable[[WaveIndex, WaveState], Iterable[Operation]] | None = None
    first_preparation: Callable[[Sequence[Days]], Iterable[Operation]] = lambda _layout: ()
    layout: Callable[[int, int], Sequence[Days]] = lambda window, n: clusters(range(1, window + 1), n)
    least: int = 1
    is_hard: bool = True
    rebuilds: bool = False
    needs: Callable[[WaveState, Days], Mapping[str, Days | None]] | None = None


# -- DEL: delete the expired day, add the new one (WI 3.1, Figure 12).


def _del_transition(wave: WaveIndex, state: WaveState) -> Iterable[Operation]:
    name, expired = wave.leaving(state)
    return op.DeleteFromIndex(name, frozenset({expired})), op.AddToIndex(name, state.next_day)


# -- REINDEX: rebuild the constituent whose day expired (WI 3.2, Figure 13).


def _reindex_transition(wave: WaveIndex, state: WaveState) -> Iterable[Operation]:
    name, expired = wave.leaving(state)
    return (op.BuildIndex(name, state.indexes[name] - {expired} | state.next_day),)


# -- REINDEX+: new days of a cluster are kept in a temporary index, and indexed once (WI 4.1, Figure 14).


def _plus_transition(wave: WaveIndex, state: WaveState) -> Iterator[Operation]:
    name, expired = wave.leaving(state)
    kept, new = state.indexes[TEMP], state.next_day
    if to_add := state.indexes[name] - kept - {expired}:
        yield op.AddToIndex(TEMP, new) if kept else op.BuildIndex(TEMP, new)
        yield op.Copy(TEMP, name)
        yield op.AddToIndex(name, to_add)
    elif kept:
        # The cluster ends with this day.
        yield op.Copy(TEMP, name)
        yield op.AddToIndex(name, new)
        yield op.BuildIndex(TEMP, NO_DAYS)
    else:
        yield op.BuildIndex(name, new)


# -- Of REINDEX++ and RATA*: the temporary index T_k has the k newest days of a cluster, but never its oldest day.


def initialize(cluster: Days, ready: int = 0) -> Iterator[Operation]:
    """T_1 with the newest day, T_2 with the two newest, and so on (Initialize in WI Figures 15 and 17).

    P_1 to P_ready were prepared before, and are only renamed.
    """
    for number in range(1, ready + 1):
        yield op.Rename(prepared(number), temporary(number))
    for number in range(ready + 1, len(cluster)):
        yield from _next_one(cluster, number, temporary)


def prepare(state: WaveState, cluster: Days, most: int) -> Iterator[Operation]:
    """Up to ``most`` missing indexes of those that will replace a cluster; each indexes one day (WI 4.3)."""
    first = state.highest("P") + 1
    for number in range(first, min(first + most, len(cluster))):
        yield from _next_one(cluster, number, prepared)


def _next_one(days: Days, number: int, name: Callable[[int], str]) -> Iterator[Operation]:
    day = frozenset({sorted(days)[-number]})
    if number == 1:
        yield op.BuildIndex(name(1), day)
    else:
        yield op.Copy(name(number - 1), name(number))
        yield op.AddToIndex(name(number), day)


# -- REINDEX++: a constituent's next replacements are prepared, and miss only the new day (WI 4.2, Figure 15).


def _plus_plus_transition(wave: WaveIndex, state: WaveState) -> Iterable[Operation]:
    replacement = temporary(state.highest("T"))
    return op.AddToIndex(replacement, state.next_day), op.Rename(replacement, wave.leaving(state)[0])


def _plus_plus_preparation(wave: WaveIndex, state: WaveState) -> Iterator[Operation]:
    (name, expired), used = wave.leaving(state), state.highest("T")
    days = state.indexes[name] - {expired} | state.next_day
    following = wave.next_cluster(state) if wave.constituents > 1 else days
    if not used:
        yield op.BuildIndex(temporary(0), NO_DAYS)
        yield from initialize(following, state.highest("P"))
        return
    # Only the next replacement needs the new days of the cluster now; the other temporary indexes can wait.
    yield from _catch_up(state, used - 1, days, len(days))
    # With one constituent, the cluster that expires next is not complete before its temporary indexes are needed.
    if wave.spread and wave.constituents > 1:
        most = _share(len(days), len(following) - 1) - len(_missing(state, used - 1, days))
        for earlier in range(used - 2, -1, -1):
            yield from _catch_up(state, earlier, days, most)
            most -= min(most, len(_missing(state, earlier, days)))
        yield from prepare(state, following, most)


def _share(cluster: int, following: int) -> int:
    """How many days to index ahead on each day of a cluster, so that the work is spread evenly.

    In a cluster, the temporary indexes get 1 + 2 + ... + (cluster - 1) new days, and ``following`` new ones are built,
    of one day each. An even share is always enough: by day k only 1 + 2 + ... + k of these are needed.
    """
    return ceil((cluster * (cluster - 1) / 2 + following) / cluster)


def _missing(state: WaveState, number: int, days: Days) -> list[int]:
    """The new days of a cluster that T_number still misses; it has its ``number`` old days from the beginning."""
    old = state.highest("T") - number
    return sorted(frozenset(sorted(days)[old:]) - state.indexes[temporary(number)])


def _catch_up(state: WaveState, number: int, days: Days, most: int) -> Iterator[Operation]:
    missing = _missing(state, number, days)[:most]
    if missing:
        yield op.AddToIndex(temporary(number), frozenset(missing))


def _plus_plus_needs(state: WaveState, staying: Days) -> Mapping[str, Days | None]:
    used = state.highest("T")
    return {**{temporary(number): None for number in range(used)}, temporary(used): staying}


# -- WATA*: wait until every day of a constituent expired, and throw it away (WI 3.3, Figure 16).


def soft_layout(window: int, constituents: int) -> Sequence[Days]:
    """The first W - 1 days in n - 1 clusters, and day W in the last one, which grows."""
    return [*clusters(range(1, window), constituents - 1), frozenset({window})]


def _is_thrown_away(wave: WaveIndex, state: WaveState) -> bool:
    """Whether all days of the constituent with the expired day have expired; the others hold W - 1 days (Figure 16)."""
    name, expired = wave.leaving(state)
    return max(state.indexes[name]) == expired


def _wata_transition(wave: WaveIndex, state: WaveState) -> Iterable[Operation]:
    if not _is_thrown_away(wave, state):
        return (op.AddToIndex(constituent(state.holding(state.day)), state.next_day),)
    # The new day begins another constituent in its place.
    name, _ = wave.leaving(state)
    return op.DropIndex(name), op.BuildIndex(name, state.next_day), op.AddIndex(name)


# -- RATA*: as WATA*, but a constituent with expired days is replaced by one without them (WI 4.3, Figure 17).


def _rata_transition(wave: WaveIndex, state: WaveState) -> Iterator[Operation]:
    yield from _wata_transition(wave, state)
    if not _is_thrown_away(wave, state):
        name, _ = wave.leaving(state)
        yield from (op.DropIndex(name), op.Rename(temporary(state.highest("T")), name), op.AddIndex(name))


def _rata_preparation(wave: WaveIndex, state: WaveState) -> Iterable[Operation]:
    # With two constituents, the cluster that expires next still grows until the day before its replacements are needed.
    if _is_thrown_away(wave, state):
        return initialize(wave.next_cluster(state), state.highest("P"))
    return prepare(state, wave.next_cluster(state), int(wave.spread and wave.constituents > 2))


def _rata_needs(_state: WaveState, staying: Days) -> Mapping[str, Days | None]:
    return {temporary(number): frozenset(sorted(staying)[-number:]) for number in range(1, len(staying) + 1)}


SCHEMES = {
    "del": Scheme(_del_transition),
    "reindex": Scheme(_reindex_transition, rebuilds=True),
    "reindex_plus": Scheme(
        _plus_transition,
        first_preparation=lambda _layout: (op.BuildIndex(TEMP, NO_DAYS),),
        needs=lambda _state, _staying: {TEMP: None},
    ),
    "reindex_plus_plus": Scheme(
        _plus_plus_transition,
        _plus_plus_preparation,
        first_preparation=lambda layout: (op.BuildIndex(temporary(0), NO_DAYS), *initialize(layout[0])),
        needs=_plus_plus_needs,
    ),
    "wata": Scheme(_wata_transition, layout=soft_layout, least=2, is_hard=False),
    "rata": Scheme(
        _rata_transition,
        _rata_preparation,
        first_preparation=lambda layout: initialize(layout[0]),
        layout=soft_layout,
        least=2,
        needs=_rata_needs,
    ),
}

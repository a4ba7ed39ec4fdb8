"""Which days the models of a variant have: all events in an order of chance, or one short history."""

from dataclasses import replace
from random import Random

from declarations import declarations
from events import (
    AFTER_DECISION,
    BEFORE_DECISION,
    BEGIN,
    NAMES,
    ORDINARY,
    Day,
    Event,
    error_at,
    events,
    first_events,
    same,
    short_events,
)
from histories import History
from source import Source

from models import MODELS, VARIANTS, Model


class Draw:
    """The histories of a variant's models, the events that have to happen to them, and why some of these do not."""

    def __init__(self, seed: int, variant: str, models: list[Model]) -> None:
        self.chance = Random(f"{seed} {variant}")
        self.variant = variant
        self.histories = {model.name: History(model, _source(seed, model)) for model in models}
        self.declared = declarations()[models[0].strategy]
        self.reasons: dict[str, str] = {}
        # The models to which events have happened.
        self.covered: dict[str, str] = {}
        self.failures: list[str] = []
        self.expected: list[str] = []

    def uncovered(self) -> list[str]:
        """Events that have happened to no model, and for which there is no reason."""
        return [name for name in self.expected if name not in self.covered and name not in self.reasons]

    def check(self) -> None:
        """Assert that all days went as expected, and that no event was left out."""
        print(self.table())
        assert not self.failures, "\n\n".join(self.failures)
        assert not self.uncovered()

    def table(self) -> str:
        """Which model each event has happened to, or why it has not."""
        found = self.reasons | self.covered
        return "\n".join(f"{self.variant:22} {name:28} {found.get(name, 'missing')}" for name in self.expected)

    def fail(self, name: str, day: Day, why: str) -> None:
        """The model has no more days; the others do."""
        self.histories[name].days = []
        self.failures.append(f"{name}, {day.event}: {why}")
        print(self.failures[-1])

    def has_failed(self, name: str) -> bool:
        return any(failure.startswith(f"{name}, ") for failure in self.failures)

    def _fitting(self, event: Event) -> list[Model]:
        """The models to which an event can happen."""
        models = [history.model for history in self.histories.values()]
        fitting = [model for model in models if event.unless(model, self.declared) is None]
        if not fitting:
            reasons = {event.unless(model, self.declared) for model in models}
            self.reasons[event.name] = "; ".join(sorted(filter(None, reasons)))
        return fitting


def all_events(seed: int, variant: str) -> Draw:
    """Every event for one model of the variant to which it can happen, in an order of chance."""
    draw = Draw(seed, variant, [model for model in MODELS.values() if model.variant == variant])
    draw.expected = [*NAMES, *ORDINARY]
    chance, histories = draw.chance, list(draw.histories.values())
    drawn: dict[str, list[list[Day]]] = {name: [] for name in draw.histories}
    # An error costs a day: a draw has three of the steps for each variant, and each step for several variants.
    begin = Random(f"{seed} steps").randrange(len(BEFORE_DECISION)) + VARIANTS.index(variant)
    steps = {BEFORE_DECISION[(begin + 2 * place) % len(BEFORE_DECISION)] for place in range(3)}
    draw.reasons |= {error_at(step): "in another draw" for step in BEFORE_DECISION if step not in steps}
    some = [event for event in events() if event.name not in draw.reasons]
    chance.shuffle(some)
    # Those that fit few models first.
    for event in sorted(some, key=lambda each: len(draw._fitting(each))):
        if fitting := draw._fitting(event):
            model = min(fitting, key=lambda each: sum(map(len, drawn[each.name])))
            drawn[model.name].append(event.days(model))
            # Of events of one name one is enough.
            draw.reasons.pop(event.name, None)
    _draw_errors([days for each in drawn.values() for days in each], chance)
    for history in histories:
        order = drawn[history.model.name]
        chance.shuffle(order)
        history.days = [Day("first load"), *(day for days in order for day in days)]
        if history is histories[0]:
            history.days.insert(0, Day(BEGIN, change=same, flag="--empty", is_idle=True))
        if history.days[-1].stops_at:
            # It shows what the stopped run has left.
            history.days.append(Day("ordinary"))
    return draw


def _draw_errors(drawn: list[list[Day]], chance: Random) -> None:
    """An error after the decision for some of those whose last day decides: the next run completes the batch."""
    able = [days for days in drawn if days[-1].surely_decides]
    for step, days in zip(AFTER_DECISION, chance.sample(able, len(AFTER_DECISION)), strict=True):
        days[-1] = replace(days[-1], stops_at=step)


def short(seed: int, variant: str) -> Draw:
    """The main events for the first model of the variant, in one order."""
    steps = [*BEFORE_DECISION, *AFTER_DECISION]
    return _in_order(seed, variant, short_events(variant, steps[VARIANTS.index(variant) % len(steps)]))


def first_batches(seed: int, variant: str) -> Draw:
    """The first batches of the first model of the variant, one of which is stopped after its decision."""
    return _in_order(seed, variant, first_events(AFTER_DECISION[seed % len(AFTER_DECISION)]))


def _in_order(seed: int, variant: str, some: list[Event]) -> Draw:
    model = next(model for model in MODELS.values() if model.variant == variant)
    draw = Draw(seed, variant, [model])
    # The first day of an event: those that follow undo it.
    draw.histories[model.name].days = [event.days(model)[0] for event in some if draw._fitting(event)]
    draw.expected = [*dict.fromkeys(event.name for event in some), "insert", "update", "delete"]
    return draw


def _source(seed: int, model: Model) -> Source:
    copies = 2 if model.duplicate_keys == "multiset" else 1
    return Source(Random(f"{seed} {model.name}"), model.size, copies=copies, renumbers=model.strategy == "view")

"""Advice on a wave index as text."""

from __future__ import annotations

from deltawave.wave.advice import WaveAdvice
from deltawave.wave.costs import TableCost, WaveCost

_HEAD = ("scheme", "constituents", "technique", "work", "transition", "probe", "scan", "space")


def advice_lines(advice: WaveAdvice) -> list[str]:
    """The best option of each scheme, a partitioned table, and the recommendation; a wave index with its config."""
    given = advice.table.parameters
    rows = [_HEAD, ("partitioned table", "", "", *_figures(advice.table, advice.table.max_space))]
    rows += map(_row, advice.by_scheme)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return [
        f"Wave indexes of {given.window} days, the best of each scheme, and a table with a partition for each day",
        "",
        *table,
        "",
        "  work: seconds of a day's preparation, transition, probes and scans; transition: until a day is ready;",
        "  probe, scan: seconds of one; space: MB at most, during a transition",
        "",
        *_recommended(advice),
    ]


def _recommended(advice: WaveAdvice) -> list[str]:
    best = advice.best
    if advice.takes_table or best is None:
        if best is None:
            return ["Take a partitioned table: no wave index meets the needs."]
        reason = f"the best wave index, {_named(best)}, takes {best.total_work:,.1f} s of work a day"
        return [
            f"Take a partitioned table: it takes {advice.table.total_work:,.1f} s of work a day, {reason}.",
            "Insert each new day as a partition of the day column, and drop the oldest partition.",
        ]
    return [
        f"Take {_named(best)}.",
        "",
        "  {{ config(",
        "      materialized='wave_index',",
        f"      scheme='{best.scheme}',",
        f"      window={best.parameters.window},",
        f"      constituents={best.constituents},",
        f"      update_technique='{best.technique}',",
        "      day_column='<day>',",
        "      search_field='<field>',",
        "  ) }}",
    ]


def _named(option: WaveCost) -> str:
    plural = "s" * (option.constituents > 1)
    return f"{option.scheme} with {option.constituents} constituent{plural}, {option.technique}"


def _row(option: WaveCost) -> tuple[str, ...]:
    space = option.max_space + option.max_transition_space
    return option.scheme, str(option.constituents), option.technique, *_figures(option, space)


def _figures(option: WaveCost | TableCost, space: float) -> tuple[str, ...]:
    # A day of few rows takes less than a second.
    form = ",.0f" if option.total_work >= 1000 else ",.2f"
    work, transition = (format(value, form) for value in (option.total_work, option.transition))
    return work, transition, f"{option.probe:.3f}", f"{option.scan:,.1f}", f"{space:,.0f}"

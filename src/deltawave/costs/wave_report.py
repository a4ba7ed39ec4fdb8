"""Advice on a wave index as text."""

from __future__ import annotations

from deltawave.costs.wave import WaveCost
from deltawave.costs.wave_advice import WaveAdvice

_HEAD = ("scheme", "constituents", "technique", "work", "transition", "probe", "scan", "space")


def advice_lines(advice: WaveAdvice) -> list[str]:
    """The best option of each scheme, the recommended one, and its configuration."""
    rows = [_HEAD, *map(_row, advice.by_scheme)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    best = advice.best
    return [
        f"Wave indexes of {best.parameters.window} days, the best of each scheme",
        "",
        *table,
        "",
        "  work: seconds of a day's preparation, transition, probes and scans; transition: until a day is ready;",
        "  probe, scan: seconds of one; space: MB at most, during a transition",
        "",
        f"Take {best.scheme} with {best.constituents} constituent{'s' * (best.constituents > 1)}, {best.technique}.",
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


def _row(option: WaveCost) -> tuple[str, ...]:
    return (
        option.scheme,
        str(option.constituents),
        option.technique,
        f"{option.total_work:,.0f}",
        f"{option.transition:,.0f}",
        f"{option.probe:.3f}",
        f"{option.scan:,.1f}",
        f"{option.max_space + option.max_transition_space:,.0f}",
    )

"""Results of the benchmark of wave indexes as JSON, tables and charts."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laboratory.plots import LineChart, draw_bars, draw_lines
from laboratory.wave.ranking import Agreement, agreement

# The case studies whose data these are.
CASES = {"lineitem": ("TPC-D", "no queries"), "postings": ("SCAM", "search engine", "no queries")}
MODELS = {"predicted": "model", "predicted_with_fixed": "with fixed costs"}
Results = Sequence[dict[str, Any]]

# What docs/wave_costs.md publishes: the methods, the columns, and the query mixes that the models are to rank.
PUBLISHED_METHODS = {
    "del/in_place": "",
    "del/packed_shadow": "",
    "reindex/packed_shadow": "",
    "reindex_plus/packed_shadow": "",
    "reindex_plus_plus/packed_shadow": "",
    "wata/in_place": "",
    "wata/packed_shadow": "",
    "rata/packed_shadow": "",
    "partitioned": "one table, a partition for each day, dropped daily",
    "delta": "one Delta table, delete and insert",
    "rewritten": "one table, rewritten",
}
_PUBLISHED_SECONDS = {"lineitem": {"probe": "probe", "scan": "Q1 of all days"}, "postings": {"probe": "probe"}}
_PUBLISHED_MIXES = {"lineitem": ("TPC-D", "no queries"), "postings": ("no queries",)}


def write_report(results: Results, parameters: dict[str, Any], folder: Path) -> None:
    """Write ``results.json``, ``parameters.json``, ``results.md``, ``published.md``, and a chart of each case."""
    (folder / "results.json").write_text(json.dumps(list(results), indent=2) + "\n")
    (folder / "parameters.json").write_text(json.dumps(parameters, indent=2) + "\n")
    (folder / "results.md").write_text(tables(results, parameters))
    (folder / "published.md").write_text(published(results))
    for case in CASES[results[0]["data"]]:
        _draw(results, case, folder)


def tables(results: Results, parameters: dict[str, Any]) -> str:
    """The results as Markdown."""
    first = results[0]
    head = (
        f"{first['data']}, W = {first['window']}, n = {first['constituents']}, local[2], "
        f"Python {platform.python_version()}, {os.cpu_count()} cores."
    )
    parts = [head, _parameter_table(parameters), _measure_table(results), _space_table(results)]
    for case in CASES[first["data"]]:
        parts += [f"Total work, {case}, seconds a day", _work_table(results, case), _agreements(results, case)]
    return "\n\n".join(parts) + "\n"


def published(results: Results) -> str:
    """The tables of docs/wave_costs.md, from this run: measured seconds and MB, and how well the models rank them."""
    data = results[0]["data"]
    seconds = {"transition": "transition", "preparation": "preparation", **_PUBLISHED_SECONDS[data]}
    rows = []
    for result in results:
        if (label := PUBLISHED_METHODS.get(result["method"])) is None:
            continue
        measured = result["measured"]
        # Another way to keep a window prepares nothing.
        cells = ["" if label and name == "preparation" else f"{measured[name]:.2f}" for name in seconds]
        rows.append([label or f"`{result['method']}`", *cells, f"{measured['space']:,.0f}"])
    ranks = []
    for case in _PUBLISHED_MIXES[data]:
        found = [rankings(results, case, model)["all"] for model in MODELS]
        ranks.append([case, *(text for each in found for text in _rank(each))])
    heads = ["query mix", *(text for label in MODELS.values() for text in (label, "tau"))]
    return "\n\n".join([_table(["method", *seconds.values(), "MB"], rows), _table(heads, ranks)]) + "\n"


def _rank(found: Agreement) -> tuple[str, str]:
    return f"{len(found.wrong)} of {found.pairs}", f"{found.tau:.2f}"


def _parameter_table(parameters: dict[str, Any]) -> str:
    rows = []
    for name in ("packed", "unpacked", "build", "add", "delete", "copy", "smart_copy", "seek", "transfer", "bucket"):
        rows.append([f"`{name}`", *(f"{parameters[kind][name]:.4g}" for kind in ("of_one_day", "per_day"))])
    rows += [[f"fixed: {name}", "", f"{seconds:.4g}"] for name, seconds in parameters["per_day"]["fixed"].items()]
    return _table(["parameter", "of one day", "per day of many"], rows)


def _measure_table(results: Results) -> str:
    """Seconds, each with the model's prediction and its prediction with fixed costs."""
    names = ("transition", "preparation", "probe", "scan", "scan_newest")
    rows = [[f"`{result['method']}`", *(_beside(result, name, ".2f") for name in names)] for result in results]
    return _table(["method", *(name.replace("_", " ") for name in names)], rows)


def _space_table(results: Results) -> str:
    names = ("space", "most_space", "transition_space", "most_transition_space")
    rows = []
    for result in results:
        rows.append([f"`{result['method']}`", *(_predicted_space(result, name) for name in names)])
    return _table(["MB", *(name.replace("_", " ") for name in names)], rows)


def _predicted_space(result: dict[str, Any], name: str) -> str:
    predicted = f" ({result['predicted'][name]:,.0f})" if result["predicted"] else ""
    return f"{result['measured'][name]:,.0f}{predicted}"


def _beside(result: dict[str, Any], name: str, form: str) -> str:
    reported = format(result["measured"][name], form)
    if not result["predicted"]:
        return reported
    return f"{reported} ({', '.join(format(result[model][name], form) for model in MODELS)})"


def _work_table(results: Results, case: str) -> str:
    rows = []
    for result in _in_order(results, case):
        work = result["total_work"]
        cells = [f"{work[kind][case]:,.2f}" if kind in work else "" for kind in ("measured", *MODELS)]
        rows.append([f"`{result['method']}`", *cells])
    return _table(["method", "measured", *MODELS.values()], rows)


def _in_order(results: Results, case: str) -> list[dict[str, Any]]:
    return sorted(results, key=lambda result: float(result["total_work"]["measured"][case]))


def rankings(results: Results, case: str, model: str) -> dict[str, Agreement]:
    """How well a model ranks the total work of a case: of all methods, and of those with one technique."""
    found = {}
    waves = [result for result in results if result["predicted"]]
    for technique in ("", *dict.fromkeys(result["method"].partition("/")[2] for result in waves)):
        of_it = [result for result in waves if result["method"].endswith(technique)]
        measured, predicted = (
            {result["method"]: result["total_work"][kind][case] for result in of_it} for kind in ("measured", model)
        )
        found[technique or "all"] = agreement(predicted, measured)
    return found


def _agreements(results: Results, case: str) -> str:
    rows = []
    for model, label in MODELS.items():
        for technique, found in rankings(results, case, model).items():
            widest = "; ".join(f"`{less}` < `{more}`" for less, more in found.wrong[:3])
            rows.append([label, technique, str(found.pairs), str(len(found.wrong)), f"{found.tau:.2f}", widest])
    return _table(["model", "technique", "pairs", "in the wrong order", "tau", "the widest, as measured"], rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|---{'|---:' * (len(head) - 1)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _draw(results: Results, case: str, folder: Path) -> None:
    name = case.lower().replace(" ", "_").replace("-", "_")
    ordered = _in_order(results, case)
    title = f"{case}, W = {results[0]['window']}, n = {results[0]['constituents']}"
    bars = {result["method"]: result["total_work"]["measured"][case] for result in reversed(ordered)}
    peers = [result["method"] for result in results if not result["predicted"]]
    draw_bars(bars, title, "seconds of work a day, measured", peers, folder / f"work_{name}.svg")
    waves = [result for result in ordered if result["predicted"]]
    curves = {
        label: [result["total_work"][kind][case] for result in waves]
        for kind, label in (("measured", "measured"), *MODELS.items())
    }
    x = list(range(1, len(waves) + 1))
    label = "methods, by measured work"
    chart = LineChart(title, label, "seconds of work a day", x, curves, logarithmic=True, has_points=True)
    draw_lines(chart, folder / f"model_{name}.svg")

"""The experiments of LG96 5.2 with the window algorithm: how many extra messages it gives (Figures 11 to 13).

Pairs of snapshots are those of the generator, with the paper's swaps. Only the key and a version of a record are
generated: the size of the rest determines how many records a buffer holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from laboratory.evaluation.comparator import compare
from laboratory.evaluation.displacement import MatchedPositions
from laboratory.evaluation.hashed import Messages, Snapshot
from laboratory.evaluation.window_messages import WindowBuffers, WindowMessages
from laboratory.snapshots.generator import GeneratorOptions, SnapshotGenerator
from laboratory.snapshots.swaps import swapped

MB = 2**20
# Records of 156 bytes; Figure 12 prints other numbers for the smaller files.
FILES = {"50 MB": 325_000, "75 MB": 487_500, "100 MB": 650_000}
# The paper's dist_crit (Figure 12).
PAPER_CRITICAL = {"50 MB": 0.44, "75 MB": 0.34, "100 MB": 0.24}
PAIR = GeneratorOptions(order="swapped")
# The largest input blocks that the paper tries: fewer steps, and the same number of messages.
BUFFERS = WindowBuffers(block_bytes=80 * 2**10)
TENTH = replace(PAIR, rows=PAIR.rows // 10, displacement=PAIR.displacement // 10)
TENTH_BUFFERS = WindowBuffers(aging_bytes=0.8 * MB)


@dataclass(frozen=True)
class Measurement:
    """One run of the window algorithm over one pair of snapshots.

    - ``rows``, ``record_bytes``, ``swapped_over``: of the pair; the last is dispt_avg, in records
    - ``aging_bytes``, ``block_bytes``: of the window
    - ``distance``, ``average_displacement`` (records): of the pair, measured (LG96 equations 3 and 5)
    - ``divergence``: r of D(r, d), where d is an aging buffer, in input blocks (LG95 4.5)
    - ``peak_waiting``: records that an aging buffer has to hold so that there is no extra message
    - ``peak_rows``: records that the fuller aging buffer held, the intermediate data
    - ``messages``, ``extra_messages``, ``useless_pairs``: the comparator's counts, with deletes sorted first
    """

    rows: int
    record_bytes: float
    swapped_over: int
    aging_bytes: float
    block_bytes: float
    distance: float
    average_displacement: float
    divergence: float
    peak_waiting: int
    peak_rows: int
    messages: int
    extra_messages: int
    useless_pairs: int


def measure(options: GeneratorOptions, buffers: WindowBuffers) -> Measurement:
    """Generate a pair, let the window find its differences, and compare these with the true ones.

    Raises ``RuntimeError`` if the messages do not turn the earlier snapshot into the later one.
    """
    made = SnapshotGenerator(options)
    old_keys = np.arange(options.rows)
    new_keys = np.concatenate([np.empty(0, dtype=np.int64), *made.new_keys()])
    old = pa.record_batch({"key": old_keys, "version": np.zeros(len(old_keys), dtype=np.int8)})
    new = pa.record_batch({"key": new_keys, "version": np.isin(new_keys, made.updated).astype(np.int8)})
    positions = MatchedPositions.of(old_keys, new_keys)
    window = WindowMessages([old], [new], ["key"], buffers)
    messages = Messages.of(window, ["key"]).deletes_first()
    found = compare(messages, Snapshot.of([old], ["key"]), Snapshot.of([new], ["key"]))
    if not found.is_right:
        raise RuntimeError(f"The window misses {found.missed} differences, and damages {found.damaged} rows.")
    return Measurement(
        rows=options.rows,
        record_bytes=buffers.record_bytes,
        swapped_over=options.displacement,
        aging_bytes=buffers.aging_bytes,
        block_bytes=buffers.block_bytes,
        distance=positions.distance,
        average_displacement=positions.average_displacement,
        divergence=positions.divergence(buffers.aging_bytes // buffers.block_bytes, buffers.block_rows),
        peak_waiting=positions.peak_waiting,
        peak_rows=max(window.peak_rows.values()),
        messages=found.messages,
        extra_messages=found.extra,
        useless_pairs=found.useless_delete_insert_pairs,
    )


Report = Callable[[Measurement], None]


def figure_11(reported: Report = lambda found: None) -> dict[str, list[Measurement]]:
    """Extra messages by distance, for three files and aging buffers of 8 MB.

    ``reported`` is called with each measurement, as soon as it is made.
    """
    shares = [number / 100 for number in (1, 2, 3, 4, 5, *range(6, 17), 18, 20)]
    found: dict[str, list[Measurement]] = {name: [] for name in FILES}
    for name, rows in FILES.items():
        for share in shares:
            options = replace(PAIR, rows=rows, displacement=round(share * rows))
            found[name].append(_measured(options, BUFFERS, reported))
    return found


def figure_13(reported: Report = lambda found: None) -> list[Measurement]:
    """Extra messages by the size of an aging buffer, 1 to 16 MB, for the file of 100 MB."""
    buffers = [replace(BUFFERS, aging_bytes=size * MB) for size in (*range(1, 13), 12.8, *range(13, 17))]
    return [_measured(PAIR, each, reported) for each in buffers]


def block_sizes(reported: Report = lambda found: None) -> list[Measurement]:
    """The same by the size of an input block, 8 to 80 KB (5.2, no figure); a tenth of the file and of the buffers."""
    buffers = [replace(TENTH_BUFFERS, block_bytes=size * 2**10) for size in (8, 16, 32, 80)]
    return [_measured(TENTH, each, reported) for each in buffers]


def record_sizes(reported: Report = lambda found: None) -> dict[str, list[Measurement]]:
    """The same by the size of a record, 78 to 624 bytes (5.2, no figure); a tenth of the file and of the buffers.

    Once with aging buffers for the same number of records, and once with buffers of the same number of bytes.
    """
    by_bytes = [replace(TENTH_BUFFERS, record_bytes=size) for size in (78, 156, 312, 624)]
    records = TENTH_BUFFERS.aging_bytes / TENTH_BUFFERS.record_bytes
    by_records = [replace(each, aging_bytes=records * each.record_bytes) for each in by_bytes]
    return {
        name: [_measured(TENTH, each, reported) for each in buffers]
        for name, buffers in (("same number of records", by_records), ("same number of bytes", by_bytes))
    }


@dataclass(frozen=True)
class Critical:
    """A row of Figure 12: where extra messages begin, with aging buffers of 8 MB.

    - ``last_without``, ``first_with``: the distances of Figure 11 on both sides of it
    - ``distance``, ``displacement_mb``: dist_crit and disp_crit in MB (equation 6, with whole records of 156 bytes),
      where the records that wait just fit in the buffer
    - ``paper_distance``, ``paper_displacement_mb``: the paper's dist_crit, and the displacement by equation 6 with the
      true number of records
    - ``paper_record_bytes``: bytes of a record in the paper's aging buffer, if that is just full at its dist_crit
    """

    file: str
    rows: int
    last_without: float | None
    first_with: float | None
    distance: float
    displacement_mb: float
    paper_distance: float
    paper_displacement_mb: float
    paper_record_bytes: float


def figure_12(measured: dict[str, list[Measurement]]) -> list[Critical]:
    """The critical distance and displacement of each file of Figure 11."""
    rows = []
    for name, found in measured.items():
        size, record_mb = found[0].rows, BUFFERS.record_bytes / MB
        capacity = found[0].aging_bytes / found[0].record_bytes
        ours = _pair(size, shortest_swaps(size, lambda pair, most=capacity: pair.peak_waiting > most))  # type: ignore[misc]
        theirs = _pair(size, swaps_of_distance(size, PAPER_CRITICAL[name]))
        without = [each.distance for each in found if not each.extra_messages]
        with_extra = [each.distance for each in found if each.extra_messages]
        rows.append(
            Critical(
                file=name,
                rows=size,
                last_without=max(without, default=None),
                first_with=min(with_extra, default=None),
                distance=ours.distance,
                displacement_mb=ours.average_displacement * record_mb,
                paper_distance=PAPER_CRITICAL[name],
                paper_displacement_mb=PAPER_CRITICAL[name] * size / 2 * record_mb,
                paper_record_bytes=found[0].aging_bytes / theirs.peak_waiting,
            )
        )
    return rows


def swaps_of_distance(rows: int, distance: float) -> int:
    """Over how many records to swap so that snapshots of ``rows`` records have this distance, at most about 0.6."""
    return shortest_swaps(rows, lambda pair: pair.distance > distance)


def shortest_swaps(rows: int, is_far: Callable[[MatchedPositions], bool]) -> int:
    """The fewest records to swap over so that a pair of ``rows`` records is far apart, exact to ``rows`` / 2,000."""
    near, far = 0, rows // 2
    while far - near > max(1, rows // 2000):
        middle = (near + far) // 2
        near, far = (near, middle) if is_far(_pair(rows, middle)) else (middle, far)
    return far


def _pair(rows: int, displacement: int) -> MatchedPositions:
    return MatchedPositions.of(np.arange(rows), swapped(rows, displacement, PAIR.seed))


def _measured(options: GeneratorOptions, buffers: WindowBuffers, reported: Report) -> Measurement:
    found = measure(options, buffers)
    reported(found)
    return found


def extra_by_distance(found: Sequence[Measurement]) -> tuple[list[float], list[int]]:
    """A curve of Figure 11, in order of the distance."""
    ordered = sorted(found, key=lambda each: each.distance)
    return [each.distance for each in ordered], [each.extra_messages for each in ordered]

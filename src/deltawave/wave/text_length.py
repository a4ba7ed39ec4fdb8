"""The length of a decision's text: some metastores limit the characters of a view's text."""

from __future__ import annotations

from datetime import date, timedelta

from deltawave.differencing.comparable import literal
from deltawave.wave.execution import Naming
from deltawave.wave.pending import Work
from deltawave.wave.steps import step
from deltawave.wave.tables import Day, WaveRecord, WaveSpec, as_comment

# A metastore in Derby, like Spark's embedded one, keeps 32,700; a decision's own record takes some hundred of them.
MOST_TEXT = 32_000
_ATTEMPT = "0" * 12


def full_length(spec: WaveSpec, schema: str, model: str) -> int:
    """The characters of a decision when the window has grown to its W days, for names and days of usual lengths."""
    record, longest = WaveRecord(spec), 0
    for number in range(1, spec.index.window + 1):
        value = str(date(2000, 1, 1) + timedelta(days=number)) if spec.day_type == "date" else f"{number:08}"
        works = [Work("take", (Day(value, 1_000_000, "0" * 16),)), Work("prepare")]
        for batch, work in enumerate(works, 2 * number - 1):
            if work.kind == "take" or record.pending:
                made = step(record, spec, work, "", Naming(schema, model, batch, _ATTEMPT))
                record = made.record
                if number == spec.index.window:
                    text = made.view({"batch_id": batch, "attempt": _ATTEMPT})
                    # The decision's record has it as SQL text within JSON text.
                    longest = max(longest, len(literal(as_comment({"select": text}))))
    return longest

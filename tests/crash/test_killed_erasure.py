"""An erasure that is killed at any step, and repeated, leaves all rows but those; readers see them before or after."""

import json
from pathlib import Path

import history
import pytest
from jvm import QUICK_JVM
from killed_project import Model, open_project, run
from kills import TEXT
from object_store import ObjectStore

STEPS = ("decide", "place", "record", "publish", "clean", "end")
DUMPS = 2
# With files that are not written again.
OPTION = "snapshot_date='dump_date', pre_hook='set spark.sql.files.maxRecordsPerFile = 5'"


@pytest.mark.s3
def test_an_erasure_is_killed_at_each_step(tmp_path: Path, object_store: ObjectStore | None) -> None:
    models = [f"killed_at_{step}" for step in STEPS]
    text = TEXT.format(strategy="outer_join", option=OPTION, columns="*", comparison="<=")
    with open_project(
        "parquet", dict.fromkeys(models, Model(text)), tmp_path / "erased", QUICK_JVM, object_store
    ) as project:
        dumps = history.dumps(DUMPS)
        reader = project.reader(dumps)
        run(project, DUMPS)
        changes = history.log(dumps)
        region, account = erased = min(change.key for change in changes if change.key[0] is not None)
        kept = {change for change in changes if change.key != erased}
        for number, step in enumerate((*STEPS, None)):
            arguments = {
                "models": models[max(0, number - 1) : number + 1],
                "key": {"region": region, "account_id": account},
            }
            stops = {models[number]: f"{DUMPS + 1}:{step}"} if step else {}
            erasing = project.dbt(
                DUMPS, "erase_all", "--args", json.dumps(arguments), stops=stops, command="run-operation"
            )
            if step:
                erasing.wait_for(f"STOPPED {models[number]} AT {stops[models[number]]}")
                erasing.kill()
            else:
                assert erasing.finish() == 0, erasing.output
        run(project, DUMPS)
        reader.stop()
        before, after = (history.sizes(rows) for rows in (changes, kept))
        for model in models:
            assert reader.log(model) == kept, model
            counts = [poll["counts"] for poll in reader.polls(model) if "error" not in poll]
            seen = [count for count in counts if count not in ({}, {"1": before["1"]})]
            assert all(count in (before, after) for count in seen), model
            assert seen[0] == before, model
            assert seen == sorted(seen, key=[before, after].index), f"{model}: rows came back"
        left = {name for name in reader.tables if "__slice_" in name or "__keys_" in name}
        assert not left

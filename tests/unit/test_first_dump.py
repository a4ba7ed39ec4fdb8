"""The dump of a run, step by step: when it is read again, and when its source is remembered."""

from collections.abc import Callable
from typing import Any

import pytest
from unit.macro_harness import Macros, Relation, make_job


class Steps(Macros):
    """The macro of a batch, whose steps do nothing unless they are replaced."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        own = name in ("_compare_dump", "_settled_source", "_settled_source_of") or name in self._macros
        return super().__getattr__(name) if own else lambda *_, **__: None


class Run:
    """A run whose source has these fingerprints, one each time that it is looked at."""

    def __init__(self, fingerprints: list[str | None], is_idle: bool = False) -> None:
        self.repeatable: list[bool] = []
        self.discarded: list[None] = []
        self.remembered: list[str | None] = []
        self.committed: list[str | None] = []
        looks = iter(fingerprints)

        def begin(job: Any, state: Any, dump: Any, expected_rows: Any, is_repeatable: bool) -> dict[str, Any]:
            self.repeatable.append(is_repeatable)
            reading = {"is_idle": is_idle, "unlanded": "select" if is_repeatable else None}
            return {
                "is_first": True,
                "expected_rows": None,
                "reading": reading,
                "result": {"quarantined": 0, "measured": {}},
            }

        macros = Steps(config={"contract": {}})
        macros.replace(
            _source_fingerprint=lambda *_: next(looks),
            _begin_batch=begin,
            _macro_named=lambda name: lambda *_: None,
            _count_landed={"checksum": None},
            _discard=lambda *_: self.discarded.append(None),
            _remember_source=lambda job, state, source, parts: self.remembered.append(source),
            _commit_record=lambda job, batch, last, source: {"source": source},
            _commit=lambda job, batch, record, last: self.committed.append(record["source"]),
        )
        job = {"name": "x", "settings": {"expected_rows": None}, "strategy": {}}
        macros._compare_dump(job, {"record": None, "names": []}, {})
        assert not [*looks]


@pytest.mark.parametrize(
    ("fingerprints", "repeatable", "source"),
    [
        (["a", "a"], [True], "a"),
        (["a", "b", "b", "b"], [True, False], "b"),
        # It changes each time, or nobody can tell any more.
        (["a", "b", "c", "d"], [True, False], None),
        (["a", None, None], [True, False], None),
        ([None], [False], None),
    ],
)
def test_a_first_dump_is_read_as_one_state(
    fingerprints: list[str | None], repeatable: list[bool], source: str | None
) -> None:
    run = Run(fingerprints)
    assert run.repeatable == repeatable
    assert len(run.discarded) == len(repeatable) - 1
    assert run.committed == [source]


@pytest.mark.parametrize(("fingerprints", "source"), [(["a", "a"], "a"), (["a", "b"], None)])
def test_a_source_with_nothing_to_compare_is_remembered(fingerprints: list[str | None], source: str | None) -> None:
    run = Run(fingerprints, is_idle=True)
    assert (run.remembered, len(run.discarded), run.committed) == ([source], 1, [])


@pytest.mark.parametrize(("is_plain", "is_repeatable"), [(True, True), (False, True), (True, False)])
def test_only_columns_of_files_are_not_copied(is_plain: bool, is_repeatable: bool) -> None:
    """A limit, or row_number() among equals, may give other rows in each reading."""
    called: list[str] = []
    created: list[str] = []

    def call(function: str, relations: dict[str, str], options: dict[str, Any]) -> bool:
        called.append(relations["frame"])
        return is_plain

    macros = Macros()
    macros.adapter.call_library = call
    macros.replace(
        _create_slice=lambda job, batch, select: created.append(select),
        _mark_attempt=lambda job, batch: created.append("nothing"),
        _counted_in_files={"rows": 7},
    )
    id_column = {"name": "id", "data_type": "int"}
    settings = {"snapshot_date": None, "unique_key": ["id"]}
    strategy = {"library": "deltawave.differencing.hash_compressed"}
    job = make_job(sql="select id from t -- all", columns=[id_column], settings=settings, strategy=strategy)
    landed = Relation.create("dev", "x__slice_1_own")
    batch = {"is_repeatable": is_repeatable, "columns": [id_column | {"in_new": True}], "landed": landed}
    reading = macros.default___differences_by_hashes(job, batch, None)
    is_read_again = is_plain and is_repeatable
    assert len(called) == is_repeatable
    assert all("select id from t -- all\n" in select for select in called)
    assert ["select id from t -- all" in select for select in created] == [not is_read_again]
    assert (reading["unlanded"] is not None, reading["is_whole"]) == (is_read_again, True)
    assert reading["counted"] == {"rows": 7}
    assert ("select id from t -- all\n" in str(reading["incoming"])) is is_read_again

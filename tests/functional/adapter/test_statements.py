"""How many statements a batch of a small table takes: each costs a tenth of a second, however little it does."""

from workbench import MODEL, Workbench

ROWS = """
    select
        id as account_id,
        if(id < {0}, {0}, 0) as amount,
        timestamp'2026-01-01' + make_dt_interval(if(id < {0}, {0}, 0)) as seen
    from range(400)
"""
# With changes and without, at most.
STATEMENTS = {
    "outer_join": (8, 1),
    "hash_compressed": (8, 1),
    "timestamp": (15, 9),
    "ranges": (16, 10),
    "row_checksum": (13, 7),
}
OPTIONS = {"timestamp": {"updated_at": "seen"}, "ranges": {"range_key": "account_id"}}


def test_a_small_batch_takes_few(bench: Workbench) -> None:
    models = {strategy: f"by_{strategy}" for strategy in STATEMENTS}
    for strategy, model in models.items():
        bench.add_differential(model, strategy=strategy, **OPTIONS.get(strategy, {}))
    for changed in (0, 5):
        bench.build(ROWS.format(changed), "--exclude", MODEL)
    for place, message in enumerate(("1 batch: 0 inserts, 0 deletes, 7 updates", "no changes")):
        done = bench.build(ROWS.format(7), "--exclude", MODEL)
        for strategy, model in models.items():
            assert done.messages[model] == message
            found = bench.statements(model)
            assert len(found) <= STATEMENTS[strategy][place], found

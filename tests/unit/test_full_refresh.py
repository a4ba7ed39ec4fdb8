"""What --full-refresh does to a change log: a new one, the same one with a warning, or a refusal."""

from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, make_job


def run(option: bool | None, **args: Any) -> tuple[bool, list[str]]:
    """Whether a run with --full-refresh and these arguments starts a new log, and its warnings."""
    macros = Macros(flags=SimpleNamespace(FULL_REFRESH=True), invocation_args_dict=args)
    job = make_job("accounts", settings={"full_refresh": option})
    return macros._starts_generation(job, {"batch_id": 7}), macros.warnings


@pytest.mark.parametrize(
    "selected",
    [
        ("accounts",),
        ("orders", "accounts+"),
        ("2+accounts",),
        ("@accounts",),
        ("accounts+1,tag:nightly",),
        ("fqn:shop.logs.accounts",),
        ("logs.accounts",),
        ("path:models/logs/accounts.sql",),
        ("+models/accounts.sql",),
        ("file:accounts.sql",),
        "orders accounts",
    ],
)
def test_a_run_that_names_the_log_is_refused(selected: Any) -> None:
    with pytest.raises(CompilationError, match=r"its 7 batch\(es\) may no longer exist.*--exclude accounts"):
        run(None, select=selected)


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"select": ()},
        {"select": ("+orders", "tag:nightly", "path:models/accounts", "models/accounts/")},
        {"select": ("source:legacy.accounts+", "accounts_report", "old_accounts", "accounts*")},
        {"selector": "accounts", "exclude": ("accounts_report",)},
    ],
)
def test_a_run_of_more_goes_on_with_the_log_and_warns(args: dict[str, Any]) -> None:
    starts, warnings = run(None, **args)
    assert not starts
    (warning,) = warnings
    assert warning.startswith("accounts: --full-refresh did not rebuild this model, which continues from batch 7:")


@pytest.mark.parametrize("option", [True, False])
def test_the_option_decides_without_a_word(*, option: bool) -> None:
    assert run(option, select=("accounts",)) == (option, [])

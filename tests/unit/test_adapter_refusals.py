"""Errors of the package's macros, as dbt's own generators of macros lead to them."""

from types import SimpleNamespace
from typing import Any

import pytest
from dbt.clients.jinja import MacroGenerator

from dbt.adapters.deltawave.errors import RefusalError
from dbt.adapters.deltawave.impl import DeltawaveAdapter


class Calls(MacroGenerator):
    """A macro that calls a Python function."""

    def __init__(self, name: str, node: Any, call: Any) -> None:
        macro = SimpleNamespace(name=name, original_file_path=f"macros/{name}.sql", unique_id=name)
        super().__init__(macro, {}, node)
        self._call = call

    def get_macro(self) -> Any:
        return self._call


def test_the_model_is_named_while_dbt_parses_it() -> None:
    """dbt adds the node only where it runs one."""
    model = SimpleNamespace(
        name="late",
        resource_type="model",
        original_file_path="models/late.sql",
        depends_on=SimpleNamespace(add_macro=lambda _: None),
    )
    macro = SimpleNamespace(**vars(model) | {"resource_type": "macro", "name": "report"})
    message_of_model = "Usage Error in model late (models/late.sql)"
    for node, message in ((model, message_of_model), (macro, "Usage Error"), (None, "Usage Error")):
        inner = Calls("_stop", node, lambda: DeltawaveAdapter.fail(None, "Usage", "no such day"))
        with pytest.raises(RefusalError) as caught:
            Calls("probe", node, inner)()
        assert str(caught.value) == f"{message}\n  no such day"
        # Where dbt does add it, the message has it once.
        caught.value.add_node(model)
        assert str(caught.value) == f"{message_of_model}\n  no such day"

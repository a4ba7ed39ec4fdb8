"""A wrong configuration is reported before any statement runs."""

import re

from bad_input import messages

NO_KEY = messages("Configuration")["no key"]
# Of each model, its options; each wrong one of those that are selected is reported, of the others there is a warning.
MODELS = {
    "good": "unique_key='id'",
    "bad": "enabled=true",
    "misspelt": "unique_key='id', owner='bi', ignore_column=['seen_at']",
    "unselected": "enabled=true",
}
RUN = """
from dbt.cli.main import dbtRunner

for command in ("run --select bad misspelt good", "run --select misspelt", "build", "compile"):
    print("outcome", dbtRunner().invoke(command.split()).success)
"""


def test_error_comes_before_any_statement(own_process):
    own_process.profile()
    own_process.install_package()
    for name, options in MODELS.items():
        config = f"{{{{ config(materialized='differential', {options}) }}}}"
        own_process.write(f"models/{name}.sql", f"{config} select 1 as id, 2 as seen_at")
    output = own_process.python(RUN).stdout
    several, first, one, second, build, third, compiling, fourth, _ = re.split(r"^outcome (\w+)$", output, flags=re.M)
    assert [first, second, third, fourth] == ["False"] * 4
    assert f"bad: {NO_KEY}" in build
    assert f"bad: {NO_KEY}" in compiling

    warned, _, refused = several.partition("Encountered an error")
    assert f"bad: {NO_KEY}" in refused
    assert "misspelt: 'ignore_column' is not an option" in refused
    assert f"unselected: {NO_KEY}" in warned
    assert "unselected" not in refused

    start = "Configuration Error in model misspelt (models/misspelt.sql)\n  misspelt: 'ignore_column' is not an option"
    assert start in one
    assert "macro" not in one.partition("Encountered an error")[2]
    assert "called by macro _refuse_misspelt" in (own_process.root / "logs" / "dbt.log").read_text()
    # dbt's first statement creates its schema.
    assert not (own_process.root / "spark_data" / "warehouse" / "own.db").exists()

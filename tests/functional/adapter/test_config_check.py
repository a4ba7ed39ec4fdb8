"""A wrong configuration is reported before any statement runs."""

STUB = """
{% macro check_differential_config(name, config) %}
  {% if config.get('unique_key') is none and config.get('meta', {}).get('deltawave') is none %}
    {{ exceptions.raise_compiler_error("model " ~ name ~ ": unique_key is missing") }}
  {% endif %}
{% endmacro %}

{% materialization differential, default %}
  {% call statement('main') %} create or replace view {{ this }} as {{ sql }} {% endcall %}
  {{ return({'relations': [this]}) }}
{% endmaterialization %}
"""

RUN = """
from dbt.cli.main import dbtRunner

for command in ({commands}):
    result = dbtRunner().invoke(command.split())
    print("outcome", command, result.success, result.exception)
"""


def _project(own_process, good, bad):
    own_process.profile()
    own_process.write("dbt_packages/deltawave/dbt_project.yml", "name: deltawave\nversion: '1.0'\n")
    own_process.write("dbt_packages/deltawave/macros/stub.sql", STUB)
    own_process.write("models/good.sql", good)
    own_process.write("models/bad.sql", bad)


def _has_schema(own_process):
    """Whether dbt has created its schema: its first statement."""
    return (own_process.root / "spark_data" / "warehouse" / "own.db").exists()


def test_error_comes_before_any_statement(own_process):
    _project(
        own_process,
        good="{{ config(materialized='differential', meta={'deltawave': {}}) }} select 1 as id",
        bad="{{ config(materialized='differential') }} select 1 as id",
    )
    output = own_process.python(RUN.format(commands="'run', 'build', 'compile'")).stdout
    for command in ("run", "build", "compile"):
        assert f"outcome {command} False" in output
    assert output.count("model bad: unique_key is missing") >= 3
    assert not _has_schema(own_process)


def test_so_does_a_misspelt_option(own_process):
    own_process.profile()
    own_process.install_package()
    config = "{{ config(materialized='differential', unique_key='id', owner='bi', ignore_column=['seen_at']) }}"
    own_process.write("models/log.sql", config + " select 1 as id, 2 as seen_at")
    output = own_process.python(RUN.format(commands="'run',")).stdout
    assert "outcome run False" in output
    assert "Configuration Error in model log (models/log.sql)\n  log: 'ignore_column' is not an option" in output
    assert "macro" not in output.partition("Encountered an error")[2]
    assert "called by macro _refuse_misspelt" in (own_process.root / "logs" / "dbt.log").read_text()
    assert not _has_schema(own_process)


def test_all_selected_models_are_refused_at_once(own_process):
    _project(own_process, good="select 1 as id", bad="{{ config(materialized='differential') }} select 1 as id")
    own_process.write("models/worse.sql", "{{ config(materialized='differential') }} select 2 as id")
    own_process.write("models/unselected.sql", "{{ config(materialized='differential') }} select 3 as id")
    output = own_process.python(RUN.format(commands="'run --select bad worse good',")).stdout
    refused, warned = (output.partition("Encountered an error")[place] for place in (2, 0))
    assert "model bad: unique_key is missing" in refused
    assert "model worse: unique_key is missing" in refused
    assert "model unselected: unique_key is missing" in warned
    assert "model unselected" not in refused
    assert not _has_schema(own_process)

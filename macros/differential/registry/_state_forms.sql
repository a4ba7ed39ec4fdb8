{#
  The forms of a previous state, with which the next batch is compared, each declared once. Other macros depend on what
  a form can do, never on its name.

    after        what it is written after: dump (a whole one, as it lands), slice (the rows so far), or none: the engine
                 chooses it in a special case
    write        the macro that writes it: write(job, batch, table, rows, columns), which returns facts for the record.
                 rows: a select, after a slice in the form itself; none: nothing is written
    of_rows      of_rows(job, batch, rows): rows in the form, as a select; none: the rows themselves
    patched      patched(job, batch, last): the state with the log's changes since, as a select in the form; none: it is
                 not patched
    read         read(job, batch, state): all of its rows with the key's hash, as a relation; none: only the log has
                 them in that way
    fingerprint  fingerprint(job, batch): what it depends on besides the rows; states with different ones cannot be
                 compared
    has_rows     its table has whole rows, a part of which can be read
    is_dump      a dump's own rows: they also hold changes that were not logged
    has_ranges   in the key's order, so that key ranges can be cut and read
    fixed_by     the options that determine the fingerprint, for messages
    is_gone      only earlier versions have written it
#}
{%- macro _state_forms() -%}
  {%- set form = {
    'after': none, 'write': none, 'of_rows': none, 'patched': none, 'read': none, 'fingerprint': none,
    'has_rows': false, 'is_dump': false,
    'has_ranges': false, 'fixed_by': none, 'is_gone': false,
  } -%}
  {%- set copy = dict(form, write='_write_copy', read='_read_copy', has_rows=true, is_dump=true) -%}
  {%- set compared = 'compare_columns, ignore_columns and columns' -%}
  {{ return({
    'copy': dict(copy, after='dump'),
    'accepted': copy,
    'ordered': dict(copy, is_gone=true),
    'files': dict(form, is_dump=true, is_gone=true),
    'base': dict(form, after='slice', write='_write_base', patched='_patched_base', has_rows=true, has_ranges=true),
    'checksums': dict(
      form, after='slice', write='_write_checksums', of_rows='_checksums_of_rows', patched='_patched_checksums',
      fingerprint='_fingerprint_of_checksums',
      fixed_by=compared,
    ),
    'hashes': dict(
      form, after='slice', write='_write_hashes', of_rows='_hashes_of', patched='_patched_hashes',
      fingerprint='_fingerprint_of_hashes',
      fixed_by='compare_columns, ignore_columns, columns, Spark master and version of DuckDB',
    ),
    'log': form,
  }) }}
{%- endmacro -%}

{# The declaration of a state's form. #}
{%- macro _form_of(state) -%}{{ return(deltawave._state_forms()[state.kind]) }}{%- endmacro -%}

{# The declaration of the form that a strategy keeps. #}
{%- macro _form_for(strategy) -%}{{ return(deltawave._state_forms()[strategy.keeps]) }}{%- endmacro -%}

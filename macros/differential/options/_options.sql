{#
  Every option of a differential model, declared once: {name: {default, is, values, selects, meaning}}. `is` names the
  check of its value (see _allowed_value). `selects`: a different value changes which rows are selected, or what counts
  as a change. `meaning`: what a column named by the option means for a row; such a column cannot be part of the key.
#}
{%- macro _options() -%}{{ return(adapter.dispatch('_options', 'deltawave')()) }}{%- endmacro -%}

{%- macro default___options() -%}
  {{ return({
    'unique_key': {'default': none, 'is': 'columns'},
    'strategy': {'default': 'auto', 'is': 'choice', 'values': ['auto'] + deltawave._strategies().keys() | list},
    'updated_at': {'default': none, 'is': 'name', 'selects': true, 'meaning': 'when a row was touched'},
    'delete_flag': {'default': none, 'is': 'name', 'selects': true, 'meaning': 'whether a row is deleted'},
    'overlap': {'default': none, 'is': 'overlap'},
    'null_timestamp': {'default': 'fail', 'is': 'choice', 'values': ['fail', 'insert']},
    'future_timestamp': {'default': 'warn', 'is': 'choice', 'values': ['warn', 'fail', 'accept']},
    'row_id': {'default': none, 'is': 'name', 'selects': true},
    'range_rows': {'default': none, 'is': 'count'},
    'ranges_per_run': {'default': none, 'is': 'count'},
    'memory_bytes': {'default': 1073741824, 'is': 'count'},
    'relations': {'default': none, 'is': 'relations', 'selects': true},
    'root': {'default': none, 'is': 'name', 'selects': true},
    'constant_relations': {'default': [], 'is': 'names'},
    'compare_columns': {'default': none, 'is': 'columns'},
    'ignore_columns': {'default': none, 'is': 'columns'},
    'tolerance': {'default': none, 'is': 'tolerance'},
    'before_image': {'default': 'auto', 'is': 'choice', 'values': ['auto', 'require', 'none']},
    'duplicate_keys': {'default': 'fail', 'is': 'choice', 'values': ['fail', 'quarantine', 'multiset']},
    'on_schema_change': {
      'default': 'ignore', 'is': 'choice', 'values': ['ignore', 'fail', 'append_new_columns', 'sync_all_columns'],
    },
    'max_delete_fraction': {'default': 0.5, 'is': 'fraction'},
    'max_update_fraction': {'default': none, 'is': 'fraction'},
    'max_insert_fraction': {'default': none, 'is': 'ratio'},
    'allow_empty': {'default': false, 'is': 'choice', 'values': [false, true]},
    'expected_rows': {'default': none, 'is': 'rows'},
    'snapshot_date': {'default': none, 'is': 'name'},
    'snapshot_order': {'default': none, 'is': 'choice', 'values': [none, 'number', 'text']},
    'redelivery': {'default': 'warn', 'is': 'choice', 'values': ['warn', 'replace']},
    'warn_after': {'default': none, 'is': 'age'},
    'every': {'default': none, 'is': 'choice', 'values': [none, 'day', 'weekday']},
    'erased': {'default': 'error', 'is': 'choice', 'values': ['error', 'skip']},
    'retain': {'default': none, 'is': 'retention'},
    'initial_load': {'default': 'inserts', 'is': 'choice', 'values': ['inserts', 'baseline']},
    'state_schema': {'default': none, 'is': 'name'},
    'remote': {'default': none, 'is': 'name'},
    'file_format': {'default': 'parquet', 'is': 'choice', 'values': ['parquet', 'delta', 'iceberg']},
    'full_refresh': {'default': none, 'is': 'choice', 'values': [none, false, true]},
  }) }}
{%- endmacro -%}

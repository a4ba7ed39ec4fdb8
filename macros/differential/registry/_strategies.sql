{#
  Every strategy, declared once: what it reads and keeps, how it compares, and what it requires of a model. The engine,
  the options, diff, advise and the docs read it. A project adds its own strategy by a macro default___strategies that
  returns dict(deltawave.default___strategies(), mine=deltawave._strategy(...)).
#}
{%- macro _strategies() -%}{{ return(adapter.dispatch('_strategies', 'deltawave')()) }}{%- endmacro -%}

{%- macro default___strategies() -%}
  {%- set of_time = ['updated_at', 'overlap', 'null_timestamp', 'future_timestamp', 'row_id', 'range_rows'] -%}
  {%- set of_ranges = ['range_rows', 'ranges_per_run'] -%}
  {#-
    These strategies read a row only when it has changed: one in quarantine would stay there until its next change.
  -#}
  {%- set no_duplicates = {'duplicate_keys': ['fail']} -%}
  {{ return({
    'outer_join': deltawave._strategy(
      reads='dump', reader='_whole_dump', comparison='_changes_by_outer_join', keeps='copy', sees_deletes='all',
      source='CH98 3.1; LG96 3.1',
      options=['memory_bytes'],
    ),
    'union': deltawave._strategy(
      reads='dump', reader='_whole_dump', comparison='_changes_by_union', keeps='copy', sees_deletes='all',
      source='CH98 3.1, Figure 1',
      allows={'duplicate_keys': ['fail', 'quarantine']},
    ),
    'sort_merge': deltawave._strategy(
      reads='dump', reader='_whole_dump', comparison='_changes_by_sort_merge', keeps='copy', sees_deletes='all',
      source='LG96 3.1',
      allows={'duplicate_keys': ['fail', 'quarantine']},
    ),
    'timestamp': deltawave._strategy(
      reads='slice', reader='_slice_by_time', keeps='base', ranges='lookup', sees_deletes='none', source='CH98 3.2',
      resumes='select',
      options=of_time, requires={'updated_at': 'changed_at'}, allows=no_duplicates,
    ),
    'timestamp_delete_flag': deltawave._strategy(
      reads='slice', reader='_slice_by_time', keeps='base', ranges='lookup', sees_deletes='flagged', source='CH98 3.2',
      resumes='select',
      options=of_time + ['delete_flag'], requires={'updated_at': 'changed_at', 'delete_flag': 'is_deleted'},
      allows=no_duplicates,
    ),
    'row_checksum': deltawave._strategy(
      reads='differences', reader='_differences_by_row_checksums', keeps='checksums', checksums='rows',
      sees_deletes='all', before_images='log', source='CH98 3.3',
    ),
    'hash_compressed': deltawave._strategy(
      reads='differences', reader='_differences_by_hashes', keeps='hashes', checksums='rows', sees_deletes='all',
      before_images='log', source='LG96 3.1', library='deltawave.differencing.hash_compressed',
      elsewhere='row_checksum', options=['memory_bytes'],
    ),
    'ranges': deltawave._strategy(
      reads='slice', reader='_slice_by_ranges', keeps='base', ranges='compared', sees_deletes='all', source='CH98 3.4',
      resumes='strategy',
      options=of_ranges,
    ),
    'range_checksum': deltawave._strategy(
      reads='slice', reader='_slice_by_range_checksums', keeps='base', ranges='compared', checksums='ranges',
      sees_deletes='all',
      source='CH98 3.6', resumes='strategy', options=of_ranges,
    ),
    'view': deltawave._strategy(
      reads='logs', reader='_slice_by_view', keeps='base', ranges='lookup', sees_deletes='all', source='CH98 4',
      resumes='select',
      check='_check_relations', options=['relations', 'root', 'constant_relations', 'range_rows'],
      requires={'relations': '{orders_changes: {order_id: order_id}}', 'root': 'orders_changes'},
      allows=dict(no_duplicates, remote=[none]),
    ),
  }) }}
{%- endmacro -%}

{#
  The declaration of a strategy. _check_declaration refuses other traits than these, and contradictions.

    reads          dump: the whole select; differences: the whole select, of which only the rows that differ are
                   written; slice: a part of it per run, rows outside stay as they are; logs: the rows that change logs
                   name
    reader         the macro that reads: reader(job, batch, last), which returns _reading(...). A reader of differences
                   has to land the whole dump (is_whole) where _has_drifted, and if it returns changes, the landed rows
                   need was_kept
    comparison     the macro that computes the changes between two sides, see _changes_between; for Python, the dotted
                   path of a function
    compares       sql or python
    keeps          the form of the state with which the next batch is compared, see _state_forms: copy (placed by the
                   key's hash if Spark joins it), base (in key order, patched by the log), checksums (one per key,
                   patched by the log), hashes (keys and hashes that a library compares, patched by the log)
    ranges         lookup: rows of the state are found by key ranges; compared: key ranges are compared; none
    checksums      what is compared by checksums: rows, ranges, or none
    sees_deletes   all, flagged or none
    before_images  always; log: as far as the log has them
    resumes        what a batch may resume from. strategy: its strategy's progress; select: the same, but only under the
                   same select; none
    options        options that it reads, besides those that all strategies read; others refuse them
    requires       required options, each with an example
    allows         allowed values of options; others are refused
    library        for hashes: the Python module that computes and compares them, and reads the log's files, see
                   _hashes_of and _files_of_log
    elsewhere      for a library: the strategy that is taken where it does not reach the rows
    check          a macro that checks the settings as a whole: check(model_name, settings)
    source         the paper's section
#}
{%- macro _strategy(
    reads, reader, keeps, sees_deletes, source, comparison='_changes_by_outer_join', compares='sql', ranges=none,
    checksums=none, before_images='always', resumes=none, options=[], requires={}, allows={}, library=none,
    elsewhere=none, check=none
) -%}
  {{ return({
    'reads': reads,
    'reader': reader,
    'comparison': comparison,
    'compares': compares,
    'keeps': keeps,
    'ranges': ranges,
    'checksums': checksums,
    'sees_deletes': sees_deletes,
    'before_images': before_images,
    'resumes': resumes,
    'options': options,
    'requires': requires,
    'allows': dict(deltawave._limits(reads, compares), **allows),
    'library': library,
    'elsewhere': elsewhere,
    'check': check,
    'source': source,
  }) }}
{%- endmacro -%}

{# Does it read the whole select in each run? #}
{%- macro _reads_whole(strategy) -%}{{ return(strategy.reads in ['dump', 'differences']) }}{%- endmacro -%}

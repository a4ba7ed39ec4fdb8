{#
  Removes rows by their key from a change log and from what is kept beside it: before images, superseded logs, merged
  partitions, states and their hashes, quarantined rows, and the tables that follow the log. Killed at any step, it is run
  again. A dump that brings an erased key back is refused, see erased.

    dbt run-operation deltawave.erase --args '{model: accounts_changes, keys: [4711]}'

  keys: values of the key; of a key of several columns, mappings of its columns to values. where: a condition on the
  key's columns instead. dry_run: only print where such rows are. also: change logs, joined streams and wave indices that
  were made of the log and have the same key. Only the user knows that: a column of the same name may be another key.
#}
{%- macro erase(model, keys=none, where=none, dry_run=false, also=[]) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- set work = deltawave._open_maintenance('erase', model) -%}
  {%- if work.record.is_baseline -%}
    {%- do deltawave._fail('baseline_log', {'macro': 'erase', 'model': work.job.name}) -%}
  {%- endif -%}
  {%- set node = deltawave._model_node('erase', model) -%}
  {#- All are opened first, so that nothing is done if one of them can't be. -#}
  {%- set erasures = [] -%}
  {%- set also = [also] if also is string else also -%}
  {%- for log in [{'node': node, 'work': work}] + deltawave._logs_after(node, work, also) -%}
    {%- do erasures.append(deltawave._open_erasure(log.node, log.work, keys, where)) -%}
  {%- endfor -%}
  {%- set subject, columns = erasures[0].subject, erasures[0].columns -%}
  {%- set key = deltawave._key_of(work) -%}
  {%- set waves = deltawave._waves_after(node, key, also) -%}
  {%- set streams = deltawave._streams_after(node, key, also) -%}
  {%- set found = erasures[1:] | map(attribute='node') | map(attribute='name') | list
      + waves | map(attribute='job') | map(attribute='name') | list + streams | map(attribute='name') | list -%}
  {%- if also | reject('in', found) | list -%}
    {%- do deltawave._fail('not_erased_along', {
      'model': work.job.name, 'others': also | reject('in', found) | join(', '), 'key': key | join(', '),
    }) -%}
  {%- endif -%}
  {%- set places = deltawave._measured_places(
    deltawave._places_of_streams(work.job, streams) + deltawave._places_of_followers(waves), subject, columns
  ) -%}
  {%- if dry_run -%}
    {%- for erasure in erasures -%}
      {%- do deltawave._print_places(
        erasure.work.job, erasure.places + erasure.following + (places if loop.first else [])
      ) -%}
    {%- endfor -%}
    {{ return(none) }}
  {%- endif -%}

  {%- set erased = [] -%}
  {#- A log before those that it was made of: a run in between compares it with rows that are still there. -#}
  {%- for erasure in erasures | reverse -%}
    {%- do erased.extend(deltawave._erase_from(erasure, places if loop.last else [])) -%}
  {%- endfor -%}
  {%- do erased.extend(deltawave._erase_from_streams(work.job, streams, places, subject, columns)) -%}
  {#- Last, since a run before would load the days again from what still had the rows. -#}
  {%- do erased.extend(deltawave._erase_from_waves(waves, subject)) -%}
  {%- set others = deltawave._other_readers(node, erased) -%}
  {%- set places = places + deltawave._places_of_others(work.job, others) -%}
  {%- if places -%}
    {%- do deltawave._write_receipt(work.job, 'erase', places, erasures[0].note.at) -%}
  {%- endif -%}
  {%- for erasure in erasures -%}
    {%- do deltawave._drop_table(erasure.work.job, erasure.note.table) -%}
  {%- endfor -%}
  {%- do deltawave._warn_of_other_readers(node, others) -%}
{%- endmacro -%}

{# What one change log and its followers have of the subject. columns: of the key. #}
{%- macro _open_erasure(node, work, keys, where) -%}
  {%- set subject = deltawave._subject(work, keys, where) -%}
  {%- set columns = deltawave._key_columns(work.job, work.record.columns) -%}
  {%- set following = deltawave._places_of_followers(deltawave._followers_with_key(node, work)) -%}
  {{ return({
    'node': node, 'work': work, 'subject': subject, 'columns': columns,
    'places': deltawave._measured_places(deltawave._places_of(work.job), subject, columns),
    'following': deltawave._measured_places(following, subject, columns),
  }) }}
{%- endmacro -%}

{# Erases from one change log and its followers. others: places that get their receipts later. Returns the models' names. #}
{%- macro _erase_from(erasure, others) -%}
  {%- set job, subject, columns = erasure.work.job, erasure.subject, erasure.columns -%}
  {#- First, so that a dump which is compared while this runs does not bring the rows back. -#}
  {%- do deltawave._remember_erased(job, subject, erasure.places, columns) -%}
  {%- set note = deltawave._note_erasing(job, subject, erasure.places + erasure.following + others) -%}
  {%- do erasure.update(note=note) -%}
  {%- set record = deltawave._erase_from_log(erasure.work, subject) -%}
  {%- do deltawave._drop_superseded(job, record) -%}
  {%- do deltawave._drop_leftovers(job, record) -%}
  {#- Once more: a run that had read the log before may have decided since. -#}
  {%- set followers = deltawave._followers_with_key(erasure.node, erasure.work) -%}
  {%- set following = deltawave._measured_places(deltawave._places_of_followers(followers), subject, columns) -%}
  {%- for follower in followers -%}
    {%- do deltawave._erase_from_follower(follower, following[loop.index0], subject, record) -%}
  {%- endfor -%}
  {%- do deltawave._take_noted(note, following) -%}
  {%- do deltawave._write_receipt(job, 'erase', erasure.places + following, note.at) -%}
  {{ return([job.name] + followers | map(attribute='job') | map(attribute='name') | list) }}
{%- endmacro -%}

{#
  VBD (CH98 4): the change log of a join, from the change logs of its relations. The mapped columns of a changed row,
  before and after the change, show which rows of the view it may touch. The rows with their anchors (the root's mapped
  columns) are selected again and compared with the previous ones. So an unmatched row of a left join disappears when a
  partner comes, and returns when that is deleted.
#}
{%- macro default___slice_by_view(job, batch, last) -%}
  {%- set last_progress = batch.resumed -%}
  {%- do deltawave._require_own_relations(job, batch) -%}
  {%- set between = deltawave._nodes_between(job) -%}
  {%- set relations = deltawave._joined_relations(job, batch, last_progress, between) -%}
  {%- set progress = {'code': {}, 'batches': {}, 'attempts': {}} -%}
  {%- for node in between -%}{%- do progress.code.update({node.unique_id: node.code}) -%}{%- endfor -%}
  {%- for relation in relations -%}
    {%- do progress.batches.update({relation.name: relation.last_batch}) -%}
    {%- do progress.attempts.update({relation.name: relation.last_attempt}) -%}
  {%- endfor -%}
  {%- do deltawave._require_fresh(job, batch, between, relations, last_progress) -%}
  {#- The state is valid for the rest of the view only under the same code, and for logs that were not empty. -#}
  {%- if batch.compares_all or last_progress.code != progress.code or 0 in last_progress.batches.values() -%}
    {%- do deltawave._create_slice(
      job, batch, 'select ' ~ deltawave._dump_names(batch) | join(', ') ~ ' from (\n' ~ job.sql ~ '\n)'
    ) -%}
    {%- do deltawave._require_same_logs(job, batch, relations) -%}
    {%- do deltawave._require_anchors(job, batch, batch.landed) -%}
    {%- set old = deltawave._previous_slice(job, batch, last) if last else none -%}
    {{ return(deltawave._reading(incoming=batch.landed, old=old, progress=progress)) }}
  {%- endif -%}
  {%- set moved = [] -%}
  {%- for relation in relations -%}
    {%- do deltawave._require_not_behind(job, batch, relation, last_progress.batches[relation.name]) -%}
    {%- if relation.last_batch > last_progress.batches[relation.name] -%}
      {%- do moved.append(dict(relation, last_read=last_progress.batches[relation.name])) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if not moved and not deltawave._is_own(batch, last.state) -%}
    {{ return(deltawave._reading(incoming=batch.landed, is_idle=true)) }}
  {%- endif -%}
  {%- set reading = deltawave._anchored_rows(job, batch, last, relations[0], moved, progress) -%}
  {%- do deltawave._require_same_logs(job, batch, relations) -%}
  {{ return(reading) }}
{%- endmacro -%}

{# Stops if a log was rewritten while this run read it: deletes of a batch that has expired would never be read. #}
{%- macro _require_same_logs(job, batch, relations) -%}
  {%- for log in relations | map(attribute='published') | select | unique(attribute='name') -%}
    {%- do deltawave._require_same_log(job, batch, log) -%}
  {%- endfor -%}
{%- endmacro -%}

{# The view's rows of the touched anchors, and the previous ones: anchors are part of the key on both sides. #}
{%- macro _anchored_rows(job, batch, last, root, moved, progress) -%}
  {%- set anchors = deltawave._create_anchors(job, batch, last, root, moved) -%}
  {%- set condition = deltawave._has_few_values(deltawave._few_values(job, anchors, root.view_columns)) -%}
  {%- set on_anchor = deltawave._equal_columns(root.anchors, 'touched', root.anchors, 'anchors') -%}
  {%- set select -%}
select
    {{ deltawave._dump_names(batch, 'touched') | join(',\n    ') }}
from (
    {{ deltawave._indented(job.sql) }}
) as touched
left semi join {{ anchors }} as anchors
    on {{ on_anchor }}
where {{ condition }}
  {%- endset -%}
  {%- do deltawave._create_slice(job, batch, select) -%}
  {%- set old -%}
(
    select touched.*
    from {{ deltawave._indented(deltawave._previous_slice(job, batch, last, condition)) }} as touched
    left semi join {{ anchors }} as anchors
        on {{ on_anchor }}
)
  {%- endset -%}
  {{ return(deltawave._reading(incoming=batch.landed, old=old, progress=progress)) }}
{%- endmacro -%}

{#
  VBD (CH98 4): the change log of a join, from the change logs of its relations. A changed row tells by its mapped columns which rows of
  the view it may touch, as it was and as it is. The rows of their anchors (the root's mapped columns) are selected again and
  compared with those that were kept. So an unmatched row of a left join goes when a partner comes, and comes back when it goes.
#}
{%- macro _slice_by_view(job, batch, last) -%}
  {%- set relations = deltawave._joined_relations(job, batch, deltawave._last_progress(job, last).batches or {}) -%}
  {%- set progress = {'select': local_md5(job.sql), 'batches': {}} -%}
  {%- for relation in relations -%}{%- do progress.batches.update({relation.name: relation.last_batch}) -%}{%- endfor -%}
  {%- do batch.update(progress=progress) -%}
  {%- set seen = none if batch.is_first else deltawave._seen_batches(job, last, progress) -%}
  {%- if seen is none -%}
    {%- do deltawave._land_whole_view(job, batch, last) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set moved = [] -%}
  {%- for relation in relations -%}
    {%- do deltawave._require_not_behind(job, batch, relation, seen[relation.name]) -%}
    {%- if relation.last_batch > seen[relation.name] -%}
      {%- do moved.append(dict(relation, seen=seen[relation.name])) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set is_idle = not moved and batch.kept_side == last.kept -%}
  {%- if not is_idle -%}
    {%- do deltawave._create_anchors(job, batch, last, relations[0], moved) -%}
    {%- do deltawave._land_anchored_rows(job, batch, last, relations[0]) -%}
  {%- endif -%}
  {%- do batch.update(is_idle=is_idle) -%}
{%- endmacro -%}

{#
  The batches that the last run saw, {relation: batch}; none where what was kept says nothing of the rest of the view: another strategy,
  other relations, another select, a log that was empty. Then the whole view is compared.
#}
{%- macro _seen_batches(job, last, progress) -%}
  {%- set seen = deltawave._last_progress(job, last) -%}
  {%- if deltawave._is_accepted(job) or seen.select != progress.select -%}
    {{ return(none) }}
  {%- endif -%}
  {%- if seen.batches.keys() | sort != progress.batches.keys() | sort or 0 in seen.batches.values() -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return(seen.batches) }}
{%- endmacro -%}

{%- macro _land_whole_view(job, batch, last) -%}
  {%- do deltawave._create_slice(job, batch, 'select ' ~ deltawave._dump_names(batch) | join(', ') ~ ' from (\n' ~ job.sql ~ '\n)') -%}
  {%- do deltawave._require_anchors(job, batch, batch.landed) -%}
  {%- if not batch.is_first -%}
    {%- do batch.update(old=deltawave._kept_slice(job, batch, last)) -%}
  {%- endif -%}
{%- endmacro -%}

{# The view's rows of the anchors that changes touched, and the kept ones. The anchors lie in the key, so both sides can be searched. #}
{%- macro _land_anchored_rows(job, batch, last, root) -%}
  {%- set anchors = deltawave._attempt_relation(job, batch.anchors) -%}
  {%- set condition = deltawave._few_values(job, anchors, root.view_columns) -%}
  {%- set on_anchor = deltawave._equal_columns(root.anchors, 'touched', root.anchors, 'anchors') -%}
  {%- set select -%}
select
    {{ deltawave._dump_names(batch, 'touched') | join(',\n    ') }}
from (
    {{ deltawave._indented(deltawave._rows_with_values(job, anchors, root.view_columns)) }}
) as touched
left semi join {{ anchors }} as anchors
    on {{ on_anchor }}
where {{ condition }}
  {%- endset -%}
  {%- do deltawave._create_slice(job, batch, select) -%}
  {%- set old -%}
(
    select touched.*
    from {{ deltawave._indented(deltawave._kept_slice(job, batch, last, condition)) }} as touched
    left semi join {{ anchors }} as anchors
        on {{ on_anchor }}
)
  {%- endset -%}
  {%- do batch.update(old=old) -%}
{%- endmacro -%}

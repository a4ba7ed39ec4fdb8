{#
  The versions of each key, as common table expressions of which the last is `versions`. changes: a select of log rows,
  with _opens_version, which says whether a change ends the version before it.

  A version is the last of its changes, with the batches (_opened_by, _closed_by) and their times (_opened_at,
  _closed_at) that it lasted from and to. Those that a delete opened are among them.
#}
{%- macro _versions(changes, keys) -%}
  {%- set by_key = deltawave._quoted_list(keys) | join(', ') -%}
  {%- set in_version = 'partition by ' ~ by_key ~ ', `_version` order by `_batch_id` desc' -%}
with changes as (
    {{ deltawave._indented(changes) }}
),

-- Within a batch deletes come before inserts (LG96 1.1).
numbered as (
    select
        changes.*,
        sum(if(`_opens_version`, 1, 0)) over (
            partition by {{ by_key }}
            order by `_batch_id`, if(`_change_type` = 'delete', 0, 1)
            rows between unbounded preceding and current row
        ) as `_version`
    from changes
),

placed as (
    select
        numbered.*,
        -- Of the change that opened the version: in this order it is the last one.
        last_value(`_batch_id`) over ({{ in_version }} rows between unbounded preceding and unbounded following) as `_opened_by`,
        last_value(`_batch_at`) over ({{ in_version }} rows between unbounded preceding and unbounded following) as `_opened_at`,
        row_number() over ({{ in_version }}) as `_recency`
    from numbered
),

versions as (
    select
        placed.*,
        lead(`_opened_by`) over (partition by {{ by_key }} order by `_version`) as `_closed_by`,
        lead(`_opened_at`) over (partition by {{ by_key }} order by `_version`) as `_closed_at`
    from placed
    where `_recency` = 1
)
{%- endmacro -%}

{#
  Does a change end the version before it? A backfill or an update of untracked columns does not. An update whose
  changed columns the log does not record may be of tracked ones.
#}
{%- macro _opens_version(track_columns) -%}
  {%- if not track_columns -%}{{ return('not ' ~ deltawave._is_backfill()) }}{%- endif -%}
  {%- set tracked = [] -%}
  {%- for name in track_columns -%}{%- do tracked.append(deltawave._literal(name | lower)) -%}{%- endfor -%}
  {{ return(
    "`_change_type` <> 'update' or coalesce(exists(`_changed_columns`, name -> lower(name) in (" ~ tracked | join(', ')
      ~ ')), true)'
  ) }}
{%- endmacro -%}

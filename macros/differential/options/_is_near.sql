{#
  Does a key differ from the option only by case, dashes, a plural, words cut off or added (max_deletes, ignore_cols, unique_key_columns), or a
  letter or two?
#}
{%- macro _is_near(given, option) -%}
  {%- set theirs = deltawave._words_of_option(given) -%}
  {%- set ours = deltawave._words_of_option(option) -%}
  {%- set pairs = zip(theirs, ours) | list -%}
  {%- set apart = [] -%}
  {%- for one, other in pairs if not (one.startswith(other) or other.startswith(one)) -%}{%- do apart.append(one) -%}{%- endfor -%}
  {%- if pairs | length > 1 and not apart -%}
    {{ return(true) }}
  {%- endif -%}
  {%- set one, other = theirs | join, ours | join -%}
  {%- set bound = 1 if other | length < 12 else 2 -%}
  {{ return((one | length - other | length) | abs <= bound and deltawave._edit_distance(one, other) <= bound) }}
{%- endmacro -%}

{# In lower case and the singular. #}
{%- macro _words_of_option(name) -%}
  {%- set words = [] -%}
  {%- for word in modules.re.split('[^a-z0-9]+', name | lower) -%}{%- do words.append(word.removesuffix('s')) -%}{%- endfor -%}
  {{ return(words | select | list) }}
{%- endmacro -%}

{# The number of letters to insert, delete, replace or swap with a neighbour. #}
{%- macro _edit_distance(one, other) -%}
  {%- set rows = namespace(before=none, last=range(other | length + 1) | list) -%}
  {%- for letter in one -%}
    {%- set i = loop.index0 -%}
    {%- set row = [i + 1] -%}
    {%- for theirs in other -%}
      {%- set j = loop.index0 -%}
      {%- set costs = [row[j] + 1, rows.last[j + 1] + 1, rows.last[j] + (0 if letter == theirs else 1)] -%}
      {%- if i > 0 and j > 0 and letter == other[j - 1] and theirs == one[i - 1] -%}
        {%- do costs.append(rows.before[j - 1] + 1) -%}
      {%- endif -%}
      {%- do row.append(costs | min) -%}
    {%- endfor -%}
    {%- set rows.before = rows.last -%}
    {%- set rows.last = row -%}
  {%- endfor -%}
  {{ return(rows.last[-1]) }}
{%- endmacro -%}

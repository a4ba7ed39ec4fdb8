{#
  The name of an encoding, checked. In all of them, bytes below 128 are ASCII, so that the end of a line is found
  before its bytes are decoded.
#}
{%- macro _encoding(name, given) -%}
  {%- set known = ['utf-8', 'us-ascii'] -%}
  {%- for part in range(1, 17) if part != 12 -%}{%- do known.append('iso-8859-' ~ part) -%}{%- endfor -%}
  {%- for page in range(1250, 1259) -%}{%- do known.append('windows-' ~ page) -%}{%- endfor -%}
  {%- do known.extend(['cp437', 'cp850', 'cp852', 'cp858', 'koi8-r']) -%}
  {%- set aliases = {
    'utf8': 'utf-8', 'ascii': 'us-ascii', 'latin1': 'iso-8859-1', 'latin-1': 'iso-8859-1', 'cp1252': 'windows-1252',
  } -%}
  {%- set encoding = 'utf-8' if given is none else given | string | lower | replace('_', '-') -%}
  {%- set encoding = aliases.get(encoding, encoding) -%}
  {%- if encoding not in known -%}
    {%- do deltawave._refuse_value(name, 'encoding', given, known | join(', ')) -%}
  {%- endif -%}
  {{ return(encoding) }}
{%- endmacro -%}

{#
  The text of a line. Spark reads lines as bytes, whatever they mean. It decodes few encodings itself, and silently
  replaces bytes that it can't decode; so bytes of other encodings are read as ISO-8859-1, which has a character for
  each byte, and these characters are exchanged.
#}
{%- macro _decoded(encoding, line) -%}
  {%- if encoding == 'utf-8' -%}
    {#- Without the byte order mark, with which some programs begin a file. -#}
    {{ return("trim(leading '\\ufeff' from make_valid_utf8(" ~ line ~ '))') }}
  {%- endif -%}
  {%- set from, to = [], [] -%}
  {%- for byte in range(128, 256) -%}
    {%- set code = '\\u00' ~ '%02x' | format(byte) -%}
    {%- set latin = fromjson('"' ~ code ~ '"') -%}
    {%- if latin.encode is not defined -%}
      {%- do deltawave._fail('encoding_of_dbt', {'encoding': encoding}) -%}
    {%- endif -%}
    {%- set character = latin.encode('iso-8859-1').decode(encoding, 'replace') -%}
    {%- if character != latin -%}
      {#- Written as numbers: not every metastore keeps text other than ASCII. -#}
      {%- do from.append(code) -%}
      {%- do to.append('\\u' ~ character.encode('utf-16-be').hex()) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set decoded = "decode(cast(" ~ line ~ " as binary), 'ISO-8859-1')" -%}
  {%- set is_ascii = 'is_valid_utf8(' ~ line ~ ') and char_length(' ~ line ~ ') = octet_length(' ~ line ~ ')' -%}
  {#- Exchanging characters takes most of the time of a read, and most lines have none to exchange. -#}
  {%- set decoded = "translate(" ~ decoded ~ ", '" ~ from | join ~ "', '" ~ to | join ~ "')" if from else decoded -%}
  {{ return('if(' ~ is_ascii ~ ', ' ~ line ~ ', ' ~ decoded ~ ')') }}
{%- endmacro -%}

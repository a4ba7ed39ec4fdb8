"""Texts without secrets."""

import re
from collections.abc import Iterable, Mapping

HIDDEN = "*****"

_SECRET = r"(?:password|passwd|token|secret|access[._-]?key)"
_SECRET_KEY = re.compile(_SECRET, re.IGNORECASE)
# key = 'value', "key": "value", key 'value' (SQL options), ?key=value (URLs)
_SECRET_PAIR = re.compile(
    rf"""(?P<key>[\w.\-]*{_SECRET}[\w.\-]*["'`]?)
        (?P<gap>\s*(?:[=-]>|=|:)\s*|\s+(?=["']))
        (?P<value>"[^"]*"|'[^']*'|[^\s&;,)}}\]]+)""",
    re.IGNORECASE | re.VERBOSE,
)
# scheme://user:password@host, and Oracle's jdbc:oracle:thin:user/password@host
_URL_CREDENTIALS = re.compile(
    r"(?P<scheme>\b[a-z][\w+.\-]*:(?:[\w+.\-]+:)*(?://)?)[^\s/@:'\"]+[:/][^\s/@'\"]+@", re.IGNORECASE
)


def is_secret(name: str) -> bool:
    """Whether the name of a setting suggests a secret."""
    return _SECRET_KEY.search(name) is not None


def secret_values(settings: Mapping[str, object]) -> list[str]:
    """Return the values of settings whose names suggest a secret."""
    return [str(value) for key, value in settings.items() if value and is_secret(key)]


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Blank out ``secrets``, values of secret-looking keys, and credentials in URLs."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _URL_CREDENTIALS.sub(lambda match: f"{match['scheme']}{HIDDEN}@", text)
    return _SECRET_PAIR.sub(lambda match: f"{match['key']}{match['gap']}{HIDDEN}", text)

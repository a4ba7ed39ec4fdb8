"""Spark's exceptions as messages that a dbt user can act on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from py4j.protocol import Py4JJavaError

HIDDEN = "*****"

_SECRET_KEY = re.compile(r"password|passwd|token|secret|access.?key", re.IGNORECASE)
# key = 'value', key: value, "key" "value", key=value in a URL
_SECRET_PAIR = re.compile(
    r"""(?P<key>[\w.\-]*(?:password|passwd|token|secret|access[._-]?key)[\w.\-]*["'`]?)
        (?P<gap>\s*(?:=>|=|:)\s*|\s+(?=["']))
        (?P<value>"[^"]*"|'[^']*'|[^\s&;,)}\]]+)""",
    re.IGNORECASE | re.VERBOSE,
)
_URL_CREDENTIALS = re.compile(r"(?P<scheme>[a-z][\w+.\-]*:(?:[\w+.\-]+:)*//)[^\s/@:'\"]+:[^\s/@'\"]+@", re.IGNORECASE)
_ORACLE_CREDENTIALS = re.compile(r"(?P<scheme>jdbc:oracle:\w+:)[^\s/@:'\"]+/[^\s/@'\"]+@", re.IGNORECASE)
_STACK = re.compile(r"^(?:\s+at |\s*\.\.\. \d+ more|\s*Driver stacktrace:|\s*JVM stacktrace:)")
_JAVA_CLASS = re.compile(r"^(?:Caused by: |: )?(?:[a-z_]\w*\.)+[A-Z]\w*(?:Exception|Error)?: ")


def secret_values(settings: Mapping[str, object]) -> list[str]:
    """Return the values of settings whose names speak of a secret."""
    return [str(value) for key, value in settings.items() if value and _SECRET_KEY.search(key)]


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Blank out ``secrets``, values of secret-looking keys, and credentials in URLs."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _URL_CREDENTIALS.sub(lambda match: f"{match['scheme']}{HIDDEN}@", text)
    text = _ORACLE_CREDENTIALS.sub(lambda match: f"{match['scheme']}{HIDDEN}@", text)
    return _SECRET_PAIR.sub(lambda match: f"{match['key']}{match['gap']}{HIDDEN}", text)


def readable(error: BaseException, secrets: Iterable[str] = ()) -> str:
    """Return the message of ``error`` with its error class and without the JVM's stack."""
    text = str(error.java_exception.toString()) if isinstance(error, Py4JJavaError) else str(error)
    lines = []
    for line in text.splitlines():
        if line.startswith("JVM stacktrace:"):
            break
        if not _STACK.match(line):
            lines.append(line)
    message = "\n".join(lines).strip() or type(error).__name__
    return redact(_JAVA_CLASS.sub("", message), secrets)

"""Reports of errors in the Python code of a user or of the library, with the lines that led to them."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

import pyspark

import deltawave
from dbt.adapters.deltawave.errors import readable
from deltawave.redaction import redact

# If installed, it is among the packages whose lines mean nothing to a user.
LIBRARY = Path(deltawave.__file__).parent
_FOREIGN = (sysconfig.get_path("stdlib"), str(Path(__file__).parent), str(Path(pyspark.__file__).parent), "<frozen ")


def is_theirs(file: str, homes: Iterable[Path] = ()) -> bool:
    """Return whether ``file`` is of deltawave's library, in ``homes``, or in no installed package."""
    if any(Path(file).is_relative_to(home) for home in (LIBRARY, *homes)):
        return True
    return not file.startswith(_FOREIGN) and "site-packages" not in file


def report(
    what: str, error: Exception, secrets: Iterable[str], is_shown: Callable[[traceback.FrameSummary], bool]
) -> str:
    """Return that ``what`` failed, why, and those lines on the way to ``error`` that ``is_shown`` lets through."""
    secrets = list(secrets)
    message = readable(error, secrets)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if is_shown(frame) and f'"{frame.filename}", line {frame.lineno},' not in message
    ]
    where = redact("".join(traceback.format_list(frames)), secrets)
    return f"{what} failed with {type(error).__name__}: {message}\n{where}".rstrip()

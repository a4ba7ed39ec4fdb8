"""The file for a page or another long text."""

import errno
import os
import sys
from io import TextIOWrapper
from pathlib import Path


def require_writable(output: str | Path) -> None:
    """Raise ``OSError`` if a file can't be written, without writing it: before the work that it is for."""
    file = Path(output).absolute()
    if not file.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file.parent))
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))


def print_any_text() -> None:
    """Let ``print`` escape characters that the terminal's encoding lacks, instead of failing."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")

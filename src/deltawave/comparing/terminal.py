"""What a terminal can show."""

import os
import shutil
from dataclasses import dataclass
from typing import IO

RED, GREEN, BOLD, _END = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True)
class Terminal:
    """How wide lines are, in characters, or None for any width; and whether there are colors."""

    width: int | None = None
    has_colors: bool = False

    @classmethod
    def of(cls, stream: IO[str]) -> "Terminal":
        """That of a stream. Files and other programs get whole lines without colors."""
        if not stream.isatty():
            return cls()
        # See no-color.org.
        has_colors = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(shutil.get_terminal_size().columns, has_colors)

    def styled(self, text: str, style: str) -> str:
        """A text in a color, or bold, if there are colors."""
        return f"{style}{text}{_END}" if self.has_colors and text else text


PLAIN = Terminal()

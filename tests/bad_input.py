"""The messages in the tables of docs/bad_input.md, for which the tests of bad input look."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "bad_input.md"


def messages(section: str) -> dict[str, str]:
    """The message of each kind of bad input in a section of the page."""
    text = PAGE.read_text().split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    return {kind: message.strip("`") for kind, message, _ in rows}

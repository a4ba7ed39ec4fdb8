"""A hook of MkDocs, for links to files outside docs/: on a repository's page they work, the site has no such files.

Each becomes its text and the file's path. One to a missing file is a warning, which `mkdocs build --strict` refuses.
"""

from __future__ import annotations

import logging
import os.path
import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)\s#]+)[^)\s]*\)")

# Strict builds count the warnings below this name.
logger = logging.getLogger("mkdocs.site_links")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    docs = Path(config["docs_dir"])

    def without_link(link: re.Match[str]) -> str:
        text, target = link.groups()
        file = Path(os.path.normpath(docs / Path(page.file.src_uri).parent / target))
        if file.is_relative_to(docs):
            return link[0]
        if not file.exists():
            logger.warning("%s links to %s, which does not exist.", page.file.src_uri, target)
        return f"{text} (`{os.path.relpath(file, docs.parent)}`)"

    return LINK.sub(without_link, markdown)

"""A headless Chromium, in which tests look at pages. It reaches no network."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

_ENSURE = Path(__file__).resolve().parents[1] / "scripts" / "ensure_chromium.sh"
# Root has no sandbox.
_ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Raises ``RuntimeError`` with what to do if there is none and it can't be installed."""
    found = subprocess.run([str(_ENSURE)], capture_output=True, text=True, check=False)
    if found.returncode:
        raise RuntimeError(found.stderr)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found.stdout.strip(), args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Browser, file: Path, **look: Any) -> Iterator[Page]:
    """A page from its file. At the end it must have reported no problem, and asked for no other file.

    ``look``: options of a context, such as ``color_scheme`` and ``viewport``
    """
    context = browser.new_context(**look)
    problems: list[str] = []
    addresses: set[str] = set()
    context.on("console", lambda message: problems.append(message.text))
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on("request", lambda request: addresses.add(request.url))
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        yield page
    finally:
        context.close()
    assert problems == []
    assert addresses <= {file.as_uri()}

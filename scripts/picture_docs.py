"""Make the pictures of pages, of the terminal and of dbt docs in docs/figures: `make pictures`.

The pages are those that tests/browser looks at. The terminal shows what a `dbt run` of some of the demo's models
prints. dbt docs are those of the same tables, which are made in a temporary folder.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from html import escape
from io import BytesIO
from pathlib import Path

from browser.test_pages_in_chromium import DESKTOP, LOOKS, PAGES
from chromium import chromium, opened
from PIL import Image
from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures"
WIDTH = 800
MODEL = "airports_changes"
RUN = ["dbt", "run", "--select", "stg_airports", MODEL, "airports"]
PROFILE = """
deltawave:
  target: local
  outputs:
    local: {{type: deltawave, schema: dev, data_dir: "{}"}}
"""
# What a program prints to color the text that follows.
COLOR = re.compile(r"\x1b\[([\d;]*)m")
COLORS = {"31": "#f48771", "32": "#89d185", "33": "#e5c07b"}
TERMINAL = """<!doctype html>
<meta charset="utf-8">
<style>
pre {{ display: inline-block; margin: 0; padding: 16px; background: #1e1e1e; color: #d4d4d4;
  font: 14px/1.4 "DejaVu Sans Mono", monospace; }}
</style>
<pre><span>{}</span></pre>
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        environment = prepared(folder)
        try:
            pictures = {**dict(pages(browser, folder)), **dict(demo(browser, folder, environment))}
        except subprocess.CalledProcessError as error:
            print(error.stdout, error.stderr, f"Failed: {error}", sep="\n", file=sys.stderr)
            return 1
    for name, picture in pictures.items():
        image = Image.open(BytesIO(picture)).convert("RGB")
        image.thumbnail((WIDTH, image.height), Image.Resampling.LANCZOS)
        # With a palette a file is a third as large.
        image.quantize(256).save(FIGURES / f"{name}.png", optimize=True)
        print(f"Made docs/figures/{name}.png")
    return 0


def prepared(folder: Path) -> dict[str, str]:
    """The environment in which dbt writes into this folder only, and in colors."""
    (folder / "profiles.yml").write_text(PROFILE.format(folder / "spark_data"), encoding="utf-8")
    return {
        # The modules of tests have names of their own.
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "DBT_PROFILES_DIR": str(folder),
        "DBT_TARGET_PATH": str(folder / "target"),
        "DBT_LOG_PATH": str(folder / "logs"),
        "DBT_USE_COLORS": "true",
        "DELTAWAVE_AIRPORTS_DATABASE": "false",
    }


def pages(browser: Browser, folder: Path) -> Iterator[tuple[str, bytes]]:
    for name, page in (("report_page", "log"), ("comparison_page", "comparison")):
        file = folder / f"{name}.html"
        file.write_text(PAGES[page][0](), encoding="utf-8")
        with opened(browser, file, **LOOKS["light"]) as shown:
            yield name, shown.screenshot(full_page=True)


def demo(browser: Browser, folder: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    printed(["dbt", "run-operation", "create_external_sources"], environment)
    file = folder / "terminal.html"
    file.write_text(terminal(f"$ {shlex.join(RUN)}\n{printed(RUN, environment)}"), encoding="utf-8")
    with opened(browser, file, viewport=DESKTOP) as shown:
        yield "terminal", shown.locator("pre").screenshot()

    # Compiling would ask for tables of models that were not run.
    printed(["python", "scripts/build_docs.py", "--no-compile"], environment)
    page = browser.new_page(viewport=DESKTOP)
    lineage = f"#!/model/model.deltawave.{MODEL}?g_v=1&g_i=1%2B{MODEL}%2B1"
    page.goto((folder / "target" / "static_index.html").as_uri() + lineage)
    page.locator("canvas").first.wait_for()
    # The graph moves to its place, and nothing reports its end.
    page.wait_for_timeout(5_000)
    yield "dbt_docs", page.screenshot()


def printed(command: list[str], environment: Mapping[str, str]) -> str:
    """What a program of this environment prints."""
    program = Path(sys.executable).with_name(command[0])
    done = subprocess.run(
        [program, *command[1:]], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def terminal(text: str) -> str:
    """A page that shows a text as a terminal does."""
    colored = COLOR.sub(
        lambda code: f'</span><span style="color: {COLORS.get(code[1], "inherit")}">', escape(text.rstrip())
    )
    return TERMINAL.format(colored)


if __name__ == "__main__":
    sys.exit(main())

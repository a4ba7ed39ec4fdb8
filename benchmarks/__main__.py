"""Lists the commands of this folder: python benchmarks."""

from __future__ import annotations

import ast
from pathlib import Path

for file in sorted(Path(__file__).parent.glob("[!_]*.py")):
    text = ast.get_docstring(ast.parse(file.read_text())) or ""
    print(f"  {file.name:24}{text.splitlines()[0]}")

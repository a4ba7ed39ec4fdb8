"""Numbered accounts, of which one is changed, for models that read slices."""

from workbench import MODEL, Workbench

NUMBERED = "select id as account_id, if(id = {changed}, 'new', 'old') as name from range({rows})"


def table(changed: int, rows: int = 100) -> str:
    """Numbered accounts of which one is changed."""
    return NUMBERED.format(changed=changed, rows=rows)


def kept(bench: Workbench, kind: str, model: str = MODEL) -> set[str]:
    """The tables of that kind that the model keeps."""
    return {name for name in bench.names(model) if name.startswith(f"{model}__{kind}_")}

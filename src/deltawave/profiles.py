"""The sessions that a dbt profile describes, read without dbt."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

# The only Jinja that is rendered here; a value with other Jinja is not known.
_ENV_VAR = re.compile(r"""\{\{\s*env_var\(\s*(["'])(?P<name>.*?)\1\s*(?:,\s*(["'])(?P<default>.*?)\3\s*)?\)\s*\}\}""")

# Of stock dbt-spark, and of ours, where it is the default.
_IN_PROCESS = (("spark", "session"), ("deltawave", "session"))


def sessions(environ: Mapping[str, str], folder: Path, home: Path) -> dict[str, dict[str, str]]:
    """The settings of each output that runs Spark in the process of dbt, by `profile.target`.

    They are those of the project in `folder`, if there is one, otherwise of all profiles, in the profiles.yml that dbt
    would read in `folder`, or in profiles/. Raises `ValueError` with the name of a file that is not YAML, and where.
    """
    named = environ.get("DBT_PROFILES_DIR")
    folders = [Path(named)] if named else [folder, folder / "profiles", home / ".dbt"]
    file = next((file for file in (each / "profiles.yml" for each in folders) if file.is_file()), None)
    wanted = _profile_of_project(folder)
    found = {}
    for profile, content in _mapping(file and _load(file)).items():
        for target, output in _mapping(_mapping(content).get("outputs")).items():
            described = _mapping(output)
            is_in_process = (described.get("type"), described.get("method", "session")) in _IN_PROCESS
            if is_in_process and wanted in (None, profile):
                found[f"{profile}.{target}"] = {
                    str(key): _ENV_VAR.sub(lambda call: environ.get(call["name"], call["default"] or ""), value)
                    for key, value in _mapping(described.get("server_side_parameters")).items()
                    if isinstance(value, str)
                }
    return found


def _profile_of_project(folder: Path) -> str | None:
    """The profile that dbt_project.yml names, in `folder` or the nearest one above."""
    files = (each / "dbt_project.yml" for each in (folder, *folder.parents))
    project = next((file for file in files if file.is_file()), None)
    try:
        profile = _mapping(project and _load(project)).get("profile")
    except ValueError:
        return None
    return profile if isinstance(profile, str) and "{{" not in profile else None


def _load(file: Path) -> Any:
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        # Not the message: it shows a line of the file, which may hold a password.
        where = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"{file}{where}") from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ValueError(str(file)) from error


def _mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}

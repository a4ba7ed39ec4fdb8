"""The sessions that a dbt profile describes, read without dbt."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

# The only Jinja that is rendered here; a value with other Jinja is not known.
_ENV_VAR = re.compile(r"""\{\{\s*env_var\(\s*(["'])(?P<name>.*?)\1\s*(?:,\s*(["'])(?P<default>.*?)\3\s*)?\)\s*\}\}""")

# Of stock dbt-spark, and of ours, where it is the default.
_IN_PROCESS = (("spark", "session"), ("deltawave", "session"))


@dataclass(frozen=True)
class Output:
    """An output of a profile that runs Spark in the process of dbt."""

    name: str
    settings: dict[str, str]


class Unreadable(Exception):
    """A file of profiles that is not YAML, and where it fails."""


def profiles_file(environ: Mapping[str, str], folder: Path, home: Path) -> Path | None:
    """The profiles.yml that dbt would take in `folder`, otherwise the one in profiles/, as this project has."""
    named = environ.get("DBT_PROFILES_DIR")
    folders = [Path(named)] if named else [folder, folder / "profiles", home / ".dbt"]
    return next((file for file in (each / "profiles.yml" for each in folders) if file.is_file()), None)


def sessions(file: Path, folder: Path, environ: Mapping[str, str]) -> list[Output]:
    """The outputs in `file` that run Spark in the process: those of the profile of the project in `folder`, if there is
    one, otherwise of all profiles. Raises `Unreadable`."""
    profiles = _mapping(_load(file))
    if wanted := _profile_of_project(folder):
        profiles = {name: profile for name, profile in profiles.items() if name == wanted}
    return list(_outputs(profiles, environ))


def _outputs(profiles: dict[Any, Any], environ: Mapping[str, str]) -> Iterator[Output]:
    for profile, content in profiles.items():
        for target, output in _mapping(_mapping(content).get("outputs")).items():
            kept = _mapping(output)
            if (kept.get("type"), kept.get("method", "session")) in _IN_PROCESS:
                parameters = _mapping(kept.get("server_side_parameters"))
                settings = {
                    str(key): _rendered(value, environ) for key, value in parameters.items() if isinstance(value, str)
                }
                yield Output(f"{profile}.{target}", settings)


def _profile_of_project(folder: Path) -> str | None:
    """The profile that dbt_project.yml names, in `folder` or the nearest one above."""
    for each in (folder, *folder.parents):
        project = each / "dbt_project.yml"
        if project.is_file():
            try:
                profile = _mapping(_load(project)).get("profile")
            except Unreadable:
                return None
            return profile if isinstance(profile, str) and "{{" not in profile else None
    return None


def _load(file: Path) -> Any:
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        # Not the message: it shows a line of the file, which may hold a password.
        where = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise Unreadable(f"{file}{where}") from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise Unreadable(str(file)) from error


def _mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _rendered(value: str, environ: Mapping[str, str]) -> str:
    return _ENV_VAR.sub(lambda call: environ.get(call["name"], call["default"] or ""), value)

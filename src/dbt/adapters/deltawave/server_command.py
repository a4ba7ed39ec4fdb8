"""`deltawave server`: starts, shows or stops the Spark that dbt commands of a project share."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from dbt.cli.resolvers import default_profiles_dir, default_project_dir
from dbt.config.project import load_raw_project
from dbt.config.runtime import load_profile
from dbt.flags import set_from_args
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave import server
from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.settings import session_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="deltawave server", description="Keep Spark running between dbt commands.")
    parser.add_argument("action", choices=["start", "status", "stop"])
    parser.add_argument("--project-dir", type=Path, default=default_project_dir(), metavar="FOLDER")
    profiles = os.environ.get("DBT_PROFILES_DIR") or default_profiles_dir()
    parser.add_argument("--profiles-dir", type=Path, default=profiles, metavar="FOLDER")
    parser.add_argument("--target", help="of the profile (default: the profile's own)")
    idle = "minutes without a command after which it ends (default: 60)"
    parser.add_argument("--idle-minutes", type=float, default=server.IDLE_MINUTES, metavar="N", help=idle)
    options = parser.parse_args(arguments)
    try:
        credentials = credentials_of(options.project_dir, options.profiles_dir, options.target)
        print(run(options.action, credentials, options.idle_minutes))
    except DbtRuntimeError as error:
        print(f"deltawave server: {error.msg}", file=sys.stderr)
        return 1
    return 0


def credentials_of(project: Path, profiles: Path, target: str | None) -> DeltawaveCredentials:
    """The target of the project's profile; raises ``DbtRuntimeError`` for another type than deltawave."""
    set_from_args(argparse.Namespace(PROJECT_DIR=str(project), PROFILES_DIR=str(profiles)), None)
    credentials = load_profile(str(project), {}, target_override=target).credentials
    if not isinstance(credentials, DeltawaveCredentials):
        raise DbtRuntimeError(f"The target is of type {credentials.type}: a server is for type deltawave.")
    described = load_raw_project(str(project))
    credentials.anchor(str(project), described.get("clean-targets", [described.get("target-path", "target")]))
    return credentials


def run(action: str, credentials: DeltawaveCredentials, idle_minutes: float) -> str:
    """Do it, and return a message. Raises ``DbtRuntimeError``, also for a start where one runs with other settings."""
    if action == "stop":
        ended = server.stop(credentials.data_dir)
        return f"The server has ended: process {ended.process}." if ended else "No server runs."
    found = server.running(credentials.data_dir)
    if found is None:
        if action == "status":
            return "No server runs."
        found = server.start(credentials, idle_minutes)
        return f"The server has started: process {found.process}, port {found.port}. dbt commands use it from now on."
    runs = f"A server runs: process {found.process}, port {found.port}, tables in {credentials.data_dir}."
    others = found.others(session_settings(credentials.server_side_parameters, Path(credentials.data_dir)))
    if others and action == "start":
        raise DbtRuntimeError(f"{runs} It was started with other settings: {', '.join(others)}. Stop it first.")
    return runs


if __name__ == "__main__":
    sys.exit(main())

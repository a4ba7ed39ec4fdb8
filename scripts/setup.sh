#!/bin/sh
# Makes or updates .venv: exactly what requirements.lock names, and this project as an editable
# install. Touches nothing outside the project's folder except the caches of pip and uv.
set -eu
cd "$(dirname "$0")/.."

say() { printf '==> %s\n' "$*"; }

venv_is_ours() {
    # In a copied or moved folder, launchers start the Python of the old path.
    grep -qsF "$(pwd -P)/.venv/" .venv/bin/pip || return 1
    made_with=$(.venv/bin/python -c "$version" 2>/dev/null) || return 1
    [ -z "${PYTHON:-}" ] || [ "$made_with" = "$("$python" -c "$version")" ]
}

version='import sys; print("%d.%d" % sys.version_info[:2])'
python=$(scripts/find_python.sh)
if ! venv_is_ours; then
    say "Making .venv with $python ($("$python" -c "$version"))"
    rm -rf .venv
    "$python" -m venv .venv
fi
. scripts/network.sh

say "Installing the installer"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
    --only-binary :all: -r scripts/bootstrap.lock

say "Installing what requirements.lock names (the first time, some 600 MB are downloaded)"
# Progress bars for a terminal; no list of 90 packages in a log file.
[ -t 2 ] && quiet="" || quiet=--quiet
.venv/bin/uv pip sync $quiet --python .venv/bin/python --require-hashes \
    --build-constraints scripts/bootstrap.lock requirements.lock

say "Installing deltawave itself, editable"
.venv/bin/uv pip install --quiet --python .venv/bin/python \
    --no-build-isolation --no-deps --editable .

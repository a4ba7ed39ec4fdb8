#!/bin/sh
# Prints the path of a Python 3.10 to 3.13 that can make virtual environments.
# PYTHON, if set, is the only candidate. A name on the PATH may be a shim that fails, so each
# candidate is run first.
set -u

version='import sys; print("%d.%d" % sys.version_info[:2])'
if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
else
    set -- python3.12 python3.11 python3.13 python3.10 python3 python
fi

seen=""
for candidate in "$@"; do
    found=$("$candidate" -c "$version" 2>/dev/null) || continue
    case $found in
    3.10 | 3.11 | 3.12 | 3.13)
        if "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
            "$candidate" -c 'import sys; print(sys.executable)'
            exit 0
        fi
        seen="$seen
    $candidate is Python $found without venv (Debian, Ubuntu: apt-get install python$found-venv)"
        ;;
    *) seen="$seen
    $candidate is Python $found" ;;
    esac
done

cat >&2 <<EOF
No usable Python: deltawave needs 3.10, 3.11, 3.12 or 3.13. Tried: $*${seen:+
Found, but no use:$seen}
What to do, one of:
    Debian, Ubuntu   apt-get install python3 python3-venv
    Fedora           dnf install python3.12
    macOS            brew install python@3.12
    elsewhere        make PYTHON=/path/to/python3.12
EOF
exit 1

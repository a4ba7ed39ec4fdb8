#!/bin/sh
# Ends with a Java that Spark can use, or with a message that says what to do.
# Java is installed only where there is none at all, the machine is Debian-like, and we are root
# (a container, a CI machine); otherwise the user decides.
set -eu
cd "$(dirname "$0")/.."

if [ -z "${JAVA_HOME:-}" ] && ! command -v java >/dev/null &&
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "==> Installing a Java runtime with apt-get"
    apt-get update -qq
    # Newer Debian releases have 21 only.
    for package in openjdk-17-jre-headless openjdk-21-jre-headless; do
        if DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
            "$package" >/dev/null; then
            break
        fi
    done
fi
exec .venv/bin/deltawave doctor --quiet

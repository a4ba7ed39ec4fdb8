#!/bin/sh
# Prints the path of a Chromium or Chrome, in which tests look at pages, or ends with a message that says what to do.
# It is installed only where there is none at all, the machine is Debian-like, and we are root
# (a container, a CI machine); otherwise the user decides.
set -eu

find_chromium() {
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" && return
    done
    return 1
}

find_chromium && exit

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "==> Installing Chromium with apt-get" >&2
    apt-get update -qq >&2
    # Texts need a font, which Chromium only recommends.
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 \
        chromium fonts-dejavu-core >&2
    find_chromium && exit
fi

cat >&2 <<'END'
There is no Chromium or Chrome, in which the tests look at pages. Install one (Debian: apt-get install chromium;
Fedora: dnf install chromium; macOS: brew install --cask chromium), or name its program in CHROMIUM.
END
exit 1

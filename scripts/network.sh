# Sourced, not run. Lets pip and uv reach a package index through a proxy that has a certificate
# authority of its own, whichever of the usual variables names it, and lets uv use the index that
# pip is configured for.

system_bundle=""
for bundle in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt \
    /etc/ssl/ca-bundle.pem; do
    if [ -r "$bundle" ]; then
        system_bundle=$bundle
        break
    fi
done

named_bundle=${SSL_CERT_FILE:-${PIP_CERT:-${REQUESTS_CA_BUNDLE:-${CURL_CA_BUNDLE:-}}}}
if [ -n "$named_bundle" ]; then
    export SSL_CERT_FILE="$named_bundle"
fi
# pip reads this one after its own --cert, PIP_CERT and pip.conf, so it overrides none of them.
if [ -n "${named_bundle:-$system_bundle}" ]; then
    export REQUESTS_CA_BUNDLE="${REQUESTS_CA_BUNDLE:-${named_bundle:-$system_bundle}}"
fi
# Without a system store this would leave uv with no certificate at all.
if [ -n "$system_bundle" ] || [ "$(uname -s)" = Darwin ]; then
    export UV_SYSTEM_CERTS=1
fi

if [ -z "${UV_DEFAULT_INDEX:-}" ] && [ -x .venv/bin/python ]; then
    pip_index=${PIP_INDEX_URL:-$(.venv/bin/python -m pip config get global.index-url 2>/dev/null)} ||
        pip_index=""
    if [ -n "$pip_index" ]; then
        export UV_DEFAULT_INDEX="$pip_index"
    fi
fi

"""Databases that models read through JDBC: the profile's ``remotes``."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave.errors import first_hint, readable
from dbt.adapters.deltawave.settings import as_spark_value
from deltawave.redaction import secret_values
from deltawave.sql_text import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Remote = Mapping[str, str]

_SHAPE = "It takes a mapping of names to mappings with url, user, password and other options of Spark's JDBC source."


class _Kind(NamedTuple):
    """The databases behind one kind of URL; Derby's driver comes with Spark."""

    dialect: str | None = None
    driver: str | None = None
    package: str | None = None


_KINDS = {
    "jdbc:postgresql:": _Kind("postgresql", "org.postgresql.Driver", "org.postgresql:postgresql"),
    "jdbc:mysql:": _Kind("mysql", "com.mysql.cj.jdbc.Driver", "com.mysql:mysql-connector-j"),
    "jdbc:mariadb:": _Kind("mysql", "org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client"),
    "jdbc:derby:": _Kind("derby"),
}

_REFUSED = {
    "query": "the select of a model determines what is read",
    "dbtable": "the select of a model determines what is read",
    "pushDownPredicate": "the database would find other rows than Spark, by its own rules for text",
}

_NO_DRIVER = re.compile(r"ClassNotFoundException|No suitable driver")
_HINTS = (
    (
        re.compile(r"password authentication failed|no password was provided|Access denied|authentication fail", re.I),
        "Check its user and password.",
    ),
    (
        re.compile(r"database .* does not exist|Unknown database|Database .* not found", re.I),
        "Check the database in its url.",
    ),
    (
        re.compile(r"refused|timed out|unknown ?host|unreachable|attempt failed|Communications link|starting up", re.I),
        "Check that the server runs, and host and port in its url.",
    ),
)
_CODEC = "org.apache.commons.codec"
# What checksums need of a Derby database, which has no hash functions of its own, but accepts those of Java and of
# Spark's jars.
DERBY_FUNCTIONS = {
    name: f"create function {name} (value {takes}) returns {returns} parameter style java no sql language java "
    f"deterministic returns null on null input external name '{method}'"
    for name, takes, returns, method in (
        ("deltawave_hash", "varchar(32672)", "bigint", f"{_CODEC}.digest.MurmurHash2.hash64"),
        ("deltawave_bytes", "varchar(3000)", "varchar(3000) for bit data", f"{_CODEC}.binary.StringUtils.getBytesUtf8"),
        ("deltawave_hex", "varchar(16000) for bit data", "varchar(32000)", f"{_CODEC}.binary.Hex.encodeHexString"),
        ("deltawave_bits", "double", "bigint", "java.lang.Double.doubleToLongBits"),
    )
}

_MISSING_FUNCTION = re.compile(r"'(?:\w+\.)?(?P<name>DELTAWAVE_\w+)' is not recognized as a function", re.IGNORECASE)
# Spark's messages repeat the query, which for checksums has a part for each range.
_QUERY = re.compile(r"SELECT \* FROM \(.{2000,}\) SPARK_GEN_SUBQ_\d+", re.DOTALL)
_URL_SECRET = re.compile(r"(?:password|passwd|secret|token)[^=&;]*=(?P<value>[^&;]+)", re.IGNORECASE)
_URL_LOGIN = re.compile(r"//[^/?;@]*?:(?P<value>[^/?;]+)@")
_URL_HOST = re.compile(r"//(?:[^/?;@]*@)?(?P<value>[^/?;]+)")
_URL_USER = re.compile(r"(?:[?&;]user=|//)(?P<value>[^/?&;:@=]+)(?=[&;]|:[^/?;]*@|$)", re.IGNORECASE)


def checked(remotes: Any) -> dict[str, dict[str, str]]:
    """Return the profile's ``remotes``, values spelt as Spark reads them; no error shows a value."""
    if remotes is None:
        return {}
    if not isinstance(remotes, Mapping):
        raise DbtRuntimeError(f"remotes in the profile can't be a {type(remotes).__name__}. {_SHAPE}")
    found = {}
    for name, options in remotes.items():
        begin = f"remotes in the profile: '{name}'"
        if not isinstance(options, Mapping):
            raise DbtRuntimeError(f"{begin} can't be a {type(options).__name__}. {_SHAPE}")
        remote = {str(key): as_spark_value(value) for key, value in options.items() if value is not None}
        if not remote.get("url", "").startswith("jdbc:"):
            example = "for instance jdbc:postgresql://host:5432/database"
            raise DbtRuntimeError(f"{begin} needs a url that begins with jdbc:, {example}.")
        for option, reason in _REFUSED.items():
            if option.lower() in map(str.lower, remote):
                raise DbtRuntimeError(f"{begin} can't have '{option}'; {reason}.")
        found[str(name)] = remote
    return found


def find(remotes: Mapping[str, Remote], name: str) -> Remote:
    """Return the remote of that name; the error lists the known ones."""
    if name not in remotes:
        known = ", ".join(sorted(remotes)) or "none"
        raise DbtRuntimeError(f"There is no remote '{name}' in the profile. Under remotes it has: {known}.")
    return remotes[name]


def dialect(name: str, remote: Remote) -> str:
    """Return the dialect of the database: postgresql, mysql or derby."""
    known = _kind(remote).dialect
    if known is None:
        scheme = ":".join(remote["url"].split(":")[:2])
        raise DbtRuntimeError(f"Remote '{name}': no dialect is known for {scheme}. Known are: {', '.join(_KINDS)}.")
    return known


def secrets(remotes: Mapping[str, Remote]) -> list[str]:
    """Return the texts that no message may show: passwords, and users where a database's message names them."""
    found = []
    for remote in remotes.values():
        found += secret_values({key: value for key, value in remote.items() if key.lower() != "url"})
        parts = [match["value"] for pattern in (_URL_SECRET, _URL_LOGIN) for match in pattern.finditer(remote["url"])]
        found += [*parts, *map(unquote, parts)]
        named = {key.lower(): value for key, value in remote.items()}
        users = [named.get("user"), *(match["value"] for match in _URL_USER.finditer(remote["url"]))]
        for user in filter(None, users):
            # Not the name alone, which may be a word in other messages.
            found += [f"{word} {quote}{user}{quote}" for word in ("user", "role") for quote in "\"'"]
            found.append(f"user={user}")
    return list(dict.fromkeys(found))


def explained(message: str, remotes: Mapping[str, Remote]) -> str:
    """Return the message of a failed statement, with the remote's name if it could not be reached."""
    hint = first_hint(_HINTS, message)
    for name, remote in remotes.items():
        host = _URL_HOST.search(remote["url"])
        if hint and host and re.search(rf"\b{re.escape(host['value'])}\b", message):
            return _unreadable(name, message)
    return message


def create_view(session: "SparkSession", name: str, remote: Remote, query: str, view: str) -> dict[str, int]:
    """Make ``view`` a temporary view over ``query``, which runs at the remote whenever the view is read.

    Returns the lengths of its columns that are padded with blanks: ``{"code": 5}`` for a char(5).
    Raises ``DbtRuntimeError`` that names the remote and shows no secret.
    """
    # Ends a line comment at the query's end, which would hide what Spark appends, and shows who asks.
    commented = f"{query.strip().removesuffix(';')}\n/* deltawave: {view.replace('*/', '')} */"
    try:
        frame = session.read.format("jdbc").options(**_options(remote), query=commented).load()
        frame.createOrReplaceTempView(quoted(view))
        fields = frame.schema.fields
    except Exception as error:
        raise DbtRuntimeError(_failure(name, remote, error)) from error
    # Spark gives these columns the type string, and their declared type in metadata.
    declared = {field.name: str(field.metadata.get("__CHAR_VARCHAR_TYPE_STRING", "")) for field in fields}
    found = {name: re.fullmatch(r"char\((\d+)\)", written) for name, written in declared.items()}
    return {name: int(match[1]) for name, match in found.items() if match}


def _kind(remote: Remote) -> _Kind:
    return next((kind for scheme, kind in _KINDS.items() if remote["url"].startswith(scheme)), _Kind())


def _options(remote: Remote) -> dict[str, str]:
    # A timestamp without a time zone stays one. Spark pushes down no comparison: the database would compare text by a
    # collation, and timestamps in its own time zone. Conditions that the database has to evaluate are in the view's
    # query.
    options = {"preferTimestampNTZ": "true", **remote, "pushDownPredicate": "false"}
    kind = _kind(remote)
    if kind.driver is not None and "driver" not in {key.lower() for key in remote}:
        # DriverManager does not look where spark.jars.packages puts a driver.
        options["driver"] = kind.driver
    if kind.dialect == "mysql" and not any(re.search("timezone", text, re.I) for text in (remote["url"], *remote)):
        # Otherwise the driver would take the server's local time for that of the JVM.
        options |= {"connectionTimeZone": "UTC", "forceConnectionTimeZoneToSession": "true"}
    if remote["url"].startswith("jdbc:mariadb:"):
        # Spark uses MySQL's quotes only for a URL of MySQL; with MariaDB's, "name" would be read as text.
        url = "jdbc:mysql:" + remote["url"].removeprefix("jdbc:mariadb:")
        options["url"] = f"{url}{'&' if '?' in url else '?'}permitMysqlScheme"
    return options


def _failure(name: str, remote: Remote, error: Exception) -> str:
    message = _QUERY.sub("SELECT ...", readable(error, secrets({name: remote})))
    if _NO_DRIVER.search(f"{error} {message}"):
        driver = _options(remote).get("driver", "JDBC driver")
        package = _kind(remote).package or "<group>:<artifact>"
        setting = f"spark.jars.packages: {package}:<version> to server_side_parameters of the profile"
        return f"Remote '{name}': Spark finds no {driver}. Add {setting}."
    missing = _MISSING_FUNCTION.search(message)
    if missing and (statement := DERBY_FUNCTIONS.get(missing["name"].lower())):
        return f"Remote '{name}': the Derby database misses a function. Create it there once: {statement}"
    return _unreadable(name, message)


def _unreadable(name: str, message: str) -> str:
    parts = [f"Remote '{name}' can't be read.", first_hint(_HINTS, message), f"Spark's message: {message}"]
    return " ".join(filter(None, parts))

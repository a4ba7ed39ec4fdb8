"""The profile's remotes: what is accepted, and what no message shows."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave import DeltawaveCredentials
from dbt.adapters.deltawave.remotes import _options, checked, dialect, explained, secrets
from deltawave.redaction import redact

LEGACY = {"url": "jdbc:postgresql://db:5432/erp", "user": "clerk", "password": "hunter2"}


def test_values_are_spelt_for_spark():
    credentials = DeltawaveCredentials(
        schema="dev", remotes={"legacy": LEGACY | {"fetchsize": 1000, "x": True, "y": None}}
    )
    assert credentials.remotes == {"legacy": LEGACY | {"fetchsize": "1000", "x": "true"}}


def test_no_remotes():
    assert DeltawaveCredentials(schema="dev", remotes=None).remotes == {}


def test_debug_shows_no_remote():
    credentials = DeltawaveCredentials(schema="dev", remotes={"legacy": LEGACY})
    assert "hunter2" not in f"{credentials!r} {dict(credentials.connection_info())}"


@pytest.mark.parametrize(
    ("remotes", "message"),
    [
        ([LEGACY], "remotes in the profile can't be a list. It takes a mapping of names"),
        ({"legacy": "jdbc:postgresql://clerk:hunter2@db/erp"}, "'legacy' can't be a str"),
        ({"legacy": {"user": "clerk", "password": "hunter2"}}, "'legacy' needs a url that begins with jdbc:"),
        (
            {"legacy": LEGACY | {"url": "postgresql://clerk:hunter2@db/erp"}},
            "'legacy' needs a url that begins with jdbc:",
        ),
        ({"legacy": LEGACY | {"dbTable": "accounts"}}, "'legacy' can't have 'dbtable'; the select of a model"),
        ({"legacy": LEGACY | {"pushdownpredicate": True}}, "'legacy' can't have 'pushDownPredicate'; the database"),
    ],
)
def test_what_is_refused_shows_no_value(remotes, message):
    with pytest.raises(DbtRuntimeError) as refused:
        DeltawaveCredentials(schema="dev", remotes=remotes)
    assert message in str(refused.value)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("jdbc:postgresql://db/erp", "postgresql"),
        ("jdbc:mysql://db/erp", "mysql"),
        ("jdbc:mariadb://db/erp", "mysql"),
        ("jdbc:derby:erp", "derby"),
    ],
)
def test_dialect(url, name):
    assert dialect("legacy", {"url": url}) == name


@pytest.mark.parametrize(
    ("remote", "text"),
    [
        (LEGACY, 'FATAL: password authentication failed for user "clerk" by hunter2'),
        ({"url": "jdbc:mysql://clerk:hunter2@db/erp"}, "Access denied for user 'clerk'@'10.0.0.1' (hunter2)"),
        ({"url": "jdbc:postgresql://db/erp?user=clerk&password=hun%74er2"}, 'role "clerk": hunter2, hun%74er2'),
        ({"url": "jdbc:derby:erp;user=clerk;password=hunter2"}, "jdbc:derby:erp;user=clerk;password=hunter2"),
        (LEGACY | {"trustStorePassword": "hunter2", "password": ""}, "store hunter2 of user 'clerk'"),
    ],
)
def test_secrets_are_hidden(remote, text):
    shown = redact(text, secrets(checked({"legacy": remote})))
    assert "*****" in shown
    assert "clerk" not in shown
    assert "hunter2" not in shown
    assert "hun%74er2" not in shown


def test_other_mentions_of_a_users_name_stay():
    assert redact("no column `clerk` in clerk.accounts", secrets({"legacy": LEGACY})) == (
        "no column `clerk` in clerk.accounts"
    )


def test_a_statement_that_reaches_no_remote_names_it():
    message = "Job aborted: Connection to db:5432 refused."
    assert explained(message, {"legacy": LEGACY}).startswith(
        "Remote 'legacy' can't be read. Check that the server runs"
    )
    for other in ("Connection to mydb:5432 refused.", "no table db:5432.accounts"):
        assert explained(other, {"legacy": LEGACY}) == other


def test_options_of_spark():
    always = {"pushDownPredicate": "false"}
    assert _options(LEGACY) == LEGACY | always | {"driver": "org.postgresql.Driver", "preferTimestampNTZ": "true"}
    own = LEGACY | {"Driver": "example.Driver", "preferTimestampNTZ": "false"}
    assert _options(own) == own | always


@pytest.mark.parametrize(
    ("url", "given"),
    [
        ("jdbc:mariadb://db/erp", "jdbc:mysql://db/erp?permitMysqlScheme"),
        ("jdbc:mariadb://db/erp?useSsl=true", "jdbc:mysql://db/erp?useSsl=true&permitMysqlScheme"),
    ],
)
def test_spark_quotes_for_mariadb_as_for_mysql(url, given):
    options = _options({"url": url})
    assert (options["url"], options["driver"]) == (given, "org.mariadb.jdbc.Driver")


@pytest.mark.parametrize(
    ("remote", "zone"),
    [
        ({"url": "jdbc:mysql://db/erp"}, "UTC"),
        ({"url": "jdbc:mariadb://db/erp"}, "UTC"),
        ({"url": "jdbc:mysql://db/erp?serverTimezone=Asia/Tokyo"}, None),
        ({"url": "jdbc:mariadb://db/erp", "connectionTimeZone": "SERVER"}, "SERVER"),
        (LEGACY, None),
    ],
)
def test_time_stamps_of_mysql_are_read_in_utc(remote, zone):
    options = _options(remote)
    assert options.get("connectionTimeZone") == zone
    assert options.get("forceConnectionTimeZoneToSession") == ("true" if zone == "UTC" else None)

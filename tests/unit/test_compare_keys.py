"""The key of two tables is found: in tables like those that everybody knows, with the key hidden."""

import random
import string
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import public_tables
import pyarrow as pa
import pytest

import deltawave
from deltawave import cli

Row = dict[str, Any]
_random = random.Random(7)


def word(length: int = 6) -> str:
    return "".join(_random.choices(string.ascii_lowercase, k=length))


def pick(*values: Any) -> Any:
    return _random.choice(values)


def money(most: float = 1000) -> float:
    return round(_random.uniform(1, most), 2)


def day(number: int = 0) -> date:
    return date(2020, 1, 1) + timedelta(days=number or _random.randrange(1500))


def code(letters: int) -> Callable[[int], str]:
    """Different codes for different numbers."""

    def made(number: int) -> str:
        digits = []
        for _ in range(letters):
            number, digit = divmod(number, 26)
            digits.append(string.ascii_uppercase[digit])
        return "".join(digits)

    return made


def grid(*sizes: int) -> Callable[[int], tuple[int, ...]]:
    def place(number: int) -> tuple[int, ...]:
        found = []
        for size in reversed(sizes):
            number, part = divmod(number, size)
            found.append(part)
        return tuple(reversed(found))

    return place


iata, ident, ticker = code(3), code(4), code(5)
lines, days_of, states = grid(100, 5), grid(25, 20), grid(50, 10)
trips, seats = grid(20, 5, 5), grid(10, 10, 5)

# The name of each table, its key, and its row of each number.
TABLES: list[tuple[str, str, Callable[[int], Row]]] = [
    (
        "airports",
        "id",
        lambda n: {
            "id": 6000 + n,
            "ident": ident(n),
            "type": pick("small", "large"),
            "name": word(),
            "latitude_deg": _random.uniform(-90, 90),
            "longitude_deg": _random.uniform(-180, 180),
            "iata_code": None if n % 3 else iata(n),
        },
    ),
    (
        "openflights",
        "iata",
        lambda n: {
            "name": word(),
            "city": word(),
            "country": pick("US", "DE"),
            "iata": iata(n),
            "lat": _random.uniform(-90, 90),
            "lon": _random.uniform(-180, 180),
            "alt": n,
        },
    ),
    (
        "countries",
        "alpha_3",
        lambda n: {
            "name": f"land {word(8)}",
            "alpha_3": iata(n),
            "population": _random.randrange(10**8),
            "area": money(10**6),
        },
    ),
    (
        "customers",
        "customer_id",
        lambda n: {
            "customer_id": n,
            "first_name": word(),
            "last_name": word(),
            "email": f"{word()}{n}@x.org",
            "created": day(),
        },
    ),
    (
        "lineitem",
        "l_orderkey,l_linenumber",
        lambda n: {
            "l_orderkey": lines(n)[0] * 4 + 1,
            "l_partkey": _random.randrange(200),
            "l_suppkey": _random.randrange(20),
            "l_linenumber": lines(n)[1] + 1,
            "l_quantity": _random.randrange(1, 50),
            "l_extendedprice": money(90000),
            "l_shipdate": day(),
            "l_comment": word(20),
        },
    ),
    (
        "orders",
        "o_orderkey",
        lambda n: {
            "o_orderkey": n * 4,
            "o_custkey": _random.randrange(150),
            "o_orderstatus": pick("O", "F"),
            "o_totalprice": money(10**5),
            "o_orderdate": day(),
            "o_comment": word(30),
        },
    ),
    (
        "partsupp",
        "ps_partkey,ps_suppkey",
        lambda n: {
            "ps_partkey": lines(n)[0],
            "ps_suppkey": lines(n)[1] * 7,
            "ps_availqty": _random.randrange(9999),
            "ps_supplycost": money(),
            "ps_comment": word(25),
        },
    ),
    (
        "prices",
        "date,symbol",
        lambda n: {
            "date": day(days_of(n)[0] + 1),
            "symbol": ticker(days_of(n)[1]),
            "open": money(),
            "high": money(),
            "low": money(),
            "close": money(),
            "volume": _random.randrange(10**7),
        },
    ),
    (
        "covid",
        "date,state",
        lambda n: {
            "date": day(states(n)[0] + 1),
            "state": f"State {states(n)[1]}",
            "fips": states(n)[1],
            "cases": n * 3,
            "deaths": n // 7,
        },
    ),
    (
        "titanic",
        "PassengerId",
        lambda n: {
            "PassengerId": n + 1,
            "Survived": pick(0, 1),
            "Pclass": pick(1, 2, 3),
            "Name": f"{word()}, Mr. {word()}",
            "Age": pick(None, 22.0, 38.5),
            "Ticket": str(_random.randrange(999)),
            "Fare": money(80),
        },
    ),
    (
        "diamonds with numbers",
        "",
        lambda n: {
            "carat": pick(0.2, 0.3),
            "cut": pick("Ideal", "Good"),
            "color": pick(*"DEF"),
            "price": pick(300, 301, 302),
        },
    ),
    (
        "cars",
        "vin",
        lambda n: {
            "model": pick("a", "b"),
            "vin": f"{ticker(n)}{n:08}",
            "year": pick(2019, 2020),
            "price": money(30000),
        },
    ),
    (
        "books",
        "isbn",
        lambda n: {
            "title": f"{word()} {word()}",
            "author": word(),
            "isbn": f"978{n:010}",
            "pages": _random.randrange(900),
        },
    ),
    (
        "movies",
        "movieId",
        lambda n: {"movieId": n, "title": f"{word()} ({1990 + n % 30})", "genres": pick("Drama", "Comedy|Drama")},
    ),
    (
        "ratings",
        "userId,movieId",
        lambda n: {
            "userId": lines(n)[0],
            "movieId": lines(n)[1] * 11,
            "rating": pick(3.0, 4.5),
            "timestamp": 10**9 + _random.randrange(10**6),
        },
    ),
    (
        "taxi zones",
        "LocationID",
        lambda n: {
            "LocationID": n + 1,
            "Borough": pick("Queens", "Bronx"),
            "Zone": f"{word()} {word()}",
            "service_zone": pick("Boro", "Yellow"),
        },
    ),
    (
        "flights",
        "month,day,flight",
        lambda n: {
            "year": 2013,
            "month": 1 + trips(n)[1],
            "day": 1 + trips(n)[2],
            "carrier": pick("UA", "AA"),
            "flight": 100 + trips(n)[0],
            "dep_delay": _random.randrange(-5, 99),
            "air_time": money(300),
        },
    ),
    (
        "weather",
        "origin,time_hour",
        lambda n: {
            "origin": ("EWR", "JFK", "LGA", "BOS", "SFO")[n % 5],
            "time_hour": f"2013-01-{1 + n // 120:02} {n // 5 % 24:02}:00:00",
            "temp": money(90),
            "humid": money(100),
            "wind_speed": money(30),
        },
    ),
    (
        "stock",
        "warehouse,sku",
        lambda n: {
            "warehouse": f"W{lines(n)[1]}",
            "sku": f"SKU-{lines(n)[0]:05}",
            "quantity": _random.randrange(40),
            "updated": day(),
        },
    ),
    ("pandas' index", "code", lambda n: {"Unnamed: 0": n, "code": ident(n), "city": word(), "value": money()}),
    (
        "dbt's surrogate",
        "order_item_key",
        lambda n: {
            "order_item_key": f"{_random.getrandbits(128):032x}",
            "order_id": n // 3,
            "product": word(3),
            "amount": money(),
        },
    ),
    (
        "events",
        "event_id",
        lambda n: {
            "ts": f"2024-01-01T{n // 60 % 24:02}:{n % 60:02}:{_random.randrange(60):02}",
            "event_id": f"{_random.getrandbits(64):016x}",
            "user_id": _random.randrange(60),
            "kind": pick("view", "click"),
        },
    ),
    (
        "election",
        "state,county",
        lambda n: {
            "state": f"S{lines(n)[1]}",
            "county": f"County {lines(n)[0]}",
            "votes": _random.randrange(10**5),
            "share": _random.random(),
        },
    ),
    (
        "periodic table",
        "AtomicNumber",
        lambda n: {
            "AtomicNumber": n + 1,
            "Symbol": ticker(n)[:3] + str(n),
            "Element": word(9),
            "AtomicMass": money(290),
        },
    ),
    (
        "world bank",
        "Country Code,Indicator Code,Year",
        lambda n: {
            "Country Name": f"Land {seats(n)[0]}",
            "Country Code": iata(seats(n)[0]),
            "Indicator Code": f"SP.POP.{seats(n)[1]}",
            "Year": 2000 + seats(n)[2],
            "Value": money(10**7),
        },
    ),
    (
        "github issues",
        "number",
        lambda n: {
            "title": f"{word()} {word()} fails",
            "number": n + 100,
            "state": pick("open", "closed"),
            "comments": _random.randrange(20),
            "created_at": str(day()),
        },
    ),
    (
        "employees",
        "emp_no",
        lambda n: {
            "emp_no": 10001 + n,
            "birth_date": day(),
            "first_name": word(),
            "last_name": word(),
            "gender": pick("M", "F"),
            "hire_date": day(),
        },
    ),
    (
        "salaries",
        "emp_no,from_date",
        lambda n: {
            "emp_no": 10001 + lines(n)[0],
            "salary": 40000 + _random.randrange(300) * 100,
            "from_date": day(1 + lines(n)[1] * 365 + lines(n)[0] % 9),
            "to_date": day(366 + lines(n)[1] * 365 + lines(n)[0] % 9),
        },
    ),
    (
        "stations",
        "station_id",
        lambda n: {
            "name": f"{word()} St",
            "station_id": str(500 + n),
            "lat": 40 + _random.random(),
            "lon": -74 + _random.random(),
            "capacity": pick(19, 27, 35),
        },
    ),
    (
        "exchange rates",
        "date,currency",
        lambda n: {
            "date": str(day(days_of(n)[0] + 1)),
            "currency": iata(days_of(n)[1]),
            "rate": _random.uniform(0.1, 120),
        },
    ),
    (
        "geonames",
        "geonameid",
        lambda n: {
            "geonameid": 3_000_000 + n * 3,
            "name": word(),
            "latitude": _random.uniform(-90, 90),
            "longitude": _random.uniform(-180, 180),
            "population": _random.randrange(10**6),
        },
    ),
    ("words", "word", lambda n: {"word": f"{word()}{n}", "count": _random.randrange(10**6), "share": _random.random()}),
]


def mutated(old: list[Row], key: list[str]) -> list[Row]:
    """The next state: some rows are gone, and a twentieth of the values that are no key are others."""
    new = [dict(row) for row in old if _random.random() > 0.05]
    for row in new:
        for name, value in row.items():
            if name not in key and _random.random() < 0.05:
                row[name] = _random.choice(old)[name] if value is not None else None
        if "Unnamed: 0" in row:
            row["Unnamed: 0"] = new.index(row)
    _random.shuffle(new)
    return new


def typed_or_not(rows: list[Row], as_text: bool) -> pa.Table:
    if as_text:
        rows = [{name: None if value is None else str(value) for name, value in row.items()} for row in rows]
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize("as_text", [False, True])
def test_keys_are_found(as_text: bool) -> None:
    """Of every other table with types, of the others as texts."""
    wrong = []
    for name, key, row in TABLES[as_text::2]:
        old = [row(number) for number in range(500)]
        new = mutated(old, key.split(","))
        found = deltawave.compare(typed_or_not(old, as_text), typed_or_not(new, as_text), samples=0)
        if sorted(found.key) != sorted(filter(None, key.split(","))):
            wrong.append((name, key, found.key))
    assert wrong == []


def test_what_would_be_the_key_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where few rows repeat it: rows are compared as a bag, and the result says why."""
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    rows = [f"{number},{number % 7}" for number in range(500)]
    old.write_text("\n".join(["player_id,wins", *rows, "3,3", "4,4", ""]))
    new.write_text("\n".join(["player_id,wins", *rows, ""]))
    assert cli.main(["compare", str(old), str(new)]) == 1
    assert f"player_id would be the key, but 2 row(s) of {old} repeat its values" in capsys.readouterr().out


@pytest.mark.parametrize("as_text", [False, True])
def test_keys_of_public_tables_are_found(as_text: bool) -> None:
    """Of every other one with types, of the others as texts. Where there is none, the result says so."""
    wrong = []
    for name in list(public_tables.TABLES)[as_text::2]:
        old, new = (typed_or_not(rows, as_text) for rows in public_tables.states(name))
        found = deltawave.compare(old, new, samples=0)
        if sorted(found.key) not in public_tables.keys(name):
            wrong.append((name, found.key))
        assert found.key_is == ("found" if found.key else "none")
    assert wrong == []

"""Tables that everybody knows, with their documented columns and keys, and generated rows. Some have no key."""

import random
import string
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

Row = dict[str, Any]
_random = random.Random(11)
# So many rows has an old table, and so many of them come later.
ROWS, LATER = 500, 20


def word(length: int = 7) -> str:
    return "".join(_random.choices(string.ascii_lowercase, k=length))


def words(number: int) -> str:
    return " ".join(word(_random.randrange(3, 9)) for _ in range(number))


def pick(*values: Any) -> Any:
    return _random.choice(values)


def whole(most: int) -> int:
    return int(_random.paretovariate(1.2) * most / 50) % most


def some(most: int) -> int:
    return _random.randrange(most)


def money(most: float = 1000) -> float:
    return round(_random.uniform(0.5, most), 2)


def day(number: int) -> date:
    return date(2013, 1, 1) + timedelta(days=number)


def at(hours: float) -> datetime:
    return datetime(2013, 1, 1) + timedelta(hours=hours)


def code(number: int, letters: int) -> str:
    """Different ones for different numbers, in no order."""
    number = number * 7919 % 26**letters
    return "".join(string.ascii_uppercase[number // 26**place % 26] for place in range(letters))


def nothing(chance: float, value: Any) -> Any:
    return None if _random.random() < chance else value


def flights(n: int) -> Row:
    hour, flight = n // 12, n % 12
    return {
        "year": 2013,
        "month": 1 + hour // 18 // 28,
        "day": 1 + hour // 18 % 28,
        "dep_time": nothing(0.03, 500 + some(1800)),
        "sched_dep_time": (5 + hour % 18) * 100 + pick(0, 15, 30, 45),
        "dep_delay": nothing(0.03, float(whole(120) - 8)),
        "arr_delay": nothing(0.03, float(whole(150) - 20)),
        "carrier": ("UA", "AA", "B6", "DL")[flight % 4],
        "flight": 1000 + flight // 4 * 37 + hour % 18 * 3,
        "tailnum": nothing(0.01, f"N{100 + some(300)}UA"),
        "origin": pick("EWR", "JFK", "LGA"),
        "dest": pick("ORD", "ATL", "LAX", "BOS"),
        "air_time": nothing(0.03, float(30 + some(400))),
        "distance": float(100 + some(2400)),
        "hour": float(5 + hour % 18),
        "time_hour": at(24 * (hour // 18) + 5 + hour % 18),
    }


def batting(n: int) -> Row:
    player, stint = n // 5, n % 5
    return {
        "playerID": f"{code(player, 5).lower()}01",
        "yearID": 1990 + stint - (stint == 3),
        "stint": 1 + (stint == 3),
        "teamID": pick("BOS", "NYA", "CHN", "DET"),
        "lgID": pick("AL", "NL"),
        "G": some(162),
        "AB": whole(600),
        "R": whole(120),
        "H": whole(200),
        "HR": whole(50),
        "RBI": whole(130),
        "SB": whole(60),
        "SO": whole(180),
    }


def adult(n: int) -> Row:
    _random.seed(n // 2)
    return {
        "age": 17 + some(60),
        "workclass": pick("Private", "State-gov", "?"),
        "fnlwgt": 20000 + some(90) * 1000,
        "education": pick("HS-grad", "Bachelors", "Masters"),
        "education-num": pick(9, 13, 14),
        "marital-status": pick("Never-married", "Divorced"),
        "occupation": pick("Sales", "Tech-support", "?"),
        "sex": pick("Male", "Female"),
        "capital-gain": pick(0, 0, 0, 7688),
        "hours-per-week": pick(40, 40, 50, 20),
        "income": pick("<=50K", ">50K"),
    }


_AT_BAT = {"G": 8, "AB": 30, "R": 8, "H": 12, "2B": 4, "3B": 2, "HR": 4, "RBI": 9, "SB": 4, "BB": 9, "SO": 12, "SH": 2}

# The key, with other documented ones after a bar, and the row of each number.
TABLES: dict[str, tuple[str, Callable[[int], Row]]] = {
    "nycflights13 flights": ("time_hour,carrier,flight", flights),
    "nycflights13 planes": (
        "tailnum",
        lambda n: {
            "tailnum": f"N{10000 + n * 7}",
            "year": nothing(0.02, 1985 + some(28)),
            "type": "Fixed wing multi engine",
            "manufacturer": pick("BOEING", "AIRBUS", "EMBRAER"),
            "model": pick("737-824", "A320-214", "EMB-145LR"),
            "engines": 2,
            "seats": pick(55, 149, 182),
            "speed": None,
            "engine": pick("Turbo-fan", "Turbo-jet"),
        },
    ),
    "nycflights13 airports": (
        "faa",
        lambda n: {
            "faa": code(n, 3),
            "name": f"{words(1)} Rgnl Airport",
            "lat": _random.uniform(20, 70),
            "lon": _random.uniform(-170, -65),
            "alt": whole(9000),
            "tz": pick(-5, -6, -8),
            "dst": pick("A", "U", "N"),
            "tzone": pick("America/New_York", "America/Chicago"),
        },
    ),
    "nycflights13 weather": (
        "origin,time_hour",
        lambda n: {
            "origin": ("EWR", "JFK", "LGA")[n % 3],
            "year": 2013,
            "month": 1 + n // 3 // 24 // 28,
            "day": 1 + n // 3 // 24 % 28,
            "hour": n // 3 % 24,
            "temp": round(_random.uniform(20, 99), 2),
            "humid": money(100),
            "wind_dir": nothing(0.1, some(36) * 10),
            "precip": pick(0.0, 0.0, 0.01),
            "pressure": nothing(0.1, 1000 + some(300) / 10),
            "time_hour": at(n // 3),
        },
    ),
    "nycflights13 airlines": ("carrier", lambda n: {"carrier": code(n, 2), "name": f"{word()} Airlines Inc."}),
    "TPC-H nation": (
        "n_nationkey",
        lambda n: {"n_nationkey": n, "n_name": code(n, 6), "n_regionkey": n % 5, "n_comment": words(8)},
    ),
    "TPC-H supplier": (
        "s_suppkey",
        lambda n: {
            "s_suppkey": n + 1,
            "s_name": f"Supplier#{n + 1:09}",
            "s_address": words(3),
            "s_nationkey": some(25),
            "s_phone": f"{some(25) + 10}-{some(999)}-{some(999)}-{some(9999)}",
            "s_acctbal": money(9999),
            "s_comment": words(8),
        },
    ),
    "TPC-H customer": (
        "c_custkey",
        lambda n: {
            "c_custkey": n + 1,
            "c_name": f"Customer#{n + 1:09}",
            "c_address": words(3),
            "c_nationkey": some(25),
            "c_phone": f"{some(25) + 10}-{some(999)}-{some(999)}-{some(9999)}",
            "c_acctbal": money(9999),
            "c_mktsegment": pick("BUILDING", "MACHINERY"),
            "c_comment": words(8),
        },
    ),
    "TPC-H part": (
        "p_partkey",
        lambda n: {
            "p_partkey": n + 1,
            "p_name": words(5),
            "p_mfgr": f"Manufacturer#{1 + some(5)}",
            "p_brand": f"Brand#{11 + some(40)}",
            "p_type": pick("PROMO BURNISHED COPPER", "LARGE BRUSHED BRASS"),
            "p_size": 1 + some(50),
            "p_container": pick("JUMBO PKG", "LG CASE"),
            "p_retailprice": money(2000),
            "p_comment": words(2),
        },
    ),
    "TPC-H partsupp": (
        "ps_partkey,ps_suppkey",
        lambda n: {
            "ps_partkey": 1 + n // 4,
            "ps_suppkey": 1 + (n // 4 + n % 4 * 25) % 100,
            "ps_availqty": some(9999),
            "ps_supplycost": money(),
            "ps_comment": words(12),
        },
    ),
    "TPC-H orders": (
        "o_orderkey",
        lambda n: {
            "o_orderkey": n // 8 * 32 + n % 8,
            "o_custkey": 1 + some(150),
            "o_orderstatus": pick("O", "F", "P"),
            "o_totalprice": money(400000),
            "o_orderdate": day(some(2400)),
            "o_orderpriority": pick("1-URGENT", "5-LOW"),
            "o_clerk": f"Clerk#{some(1000):09}",
            "o_shippriority": 0,
            "o_comment": words(6),
        },
    ),
    "TPC-H lineitem": (
        "l_orderkey,l_linenumber",
        lambda n: {
            "l_orderkey": n // 4 * 4 + 1,
            "l_partkey": 1 + some(200),
            "l_suppkey": 1 + some(10),
            "l_linenumber": 1 + n % 4,
            "l_quantity": float(1 + some(50)),
            "l_extendedprice": money(90000),
            "l_discount": some(11) / 100,
            "l_tax": some(9) / 100,
            "l_returnflag": pick("A", "N", "R"),
            "l_linestatus": pick("O", "F"),
            "l_shipdate": day(some(2500)),
            "l_commitdate": day(some(2500)),
            "l_receiptdate": day(some(2500)),
            "l_shipmode": pick("AIR", "RAIL"),
            "l_comment": words(4),
        },
    ),
    "TPC-DS store_sales": (
        "ss_item_sk,ss_ticket_number",
        lambda n: {
            "ss_sold_date_sk": nothing(0.04, 2450816 + some(1800)),
            "ss_sold_time_sk": nothing(0.04, 28800 + some(40000)),
            "ss_item_sk": 1 + n % 10 * 9 + n // 10 % 9,
            "ss_customer_sk": nothing(0.04, 1 + some(1000)),
            "ss_store_sk": nothing(0.04, 1 + some(6)),
            "ss_ticket_number": 1 + n // 10,
            "ss_quantity": nothing(0.04, 1 + some(100)),
            "ss_wholesale_cost": money(100),
            "ss_list_price": money(200),
            "ss_sales_price": money(200),
            "ss_net_profit": money(900) - 400,
        },
    ),
    "TPC-DS customer": (
        "c_customer_sk|c_customer_id",
        lambda n: {
            "c_customer_sk": n + 1,
            "c_customer_id": f"AAAAAAAA{code(n, 4)}BAAA",
            "c_current_addr_sk": 1 + some(500),
            "c_first_name": nothing(0.03, pick("James", "Mary", "John")),
            "c_last_name": nothing(0.03, word()),
            "c_birth_year": nothing(0.03, 1930 + some(60)),
            "c_birth_country": pick("CHILE", "TOGO"),
            "c_email_address": f"{word()}.{word()}@{word()}.com",
        },
    ),
    "TPC-DS item": (
        "i_item_sk",
        lambda n: {
            "i_item_sk": n + 1,
            "i_item_id": f"AAAAAAAA{code(n // 2, 4)}BAAA",
            "i_rec_start_date": pick(day(0), day(900)),
            "i_rec_end_date": nothing(0.5, day(899)),
            "i_item_desc": words(9),
            "i_current_price": money(99),
            "i_brand": pick("amalgimporto #1", "edu packscholar #2"),
            "i_category": pick("Music", "Home"),
            "i_product_name": words(1),
        },
    ),
    "TPC-DS inventory": (
        "inv_date_sk,inv_item_sk,inv_warehouse_sk",
        lambda n: {
            "inv_date_sk": 2450815 + n // 50 * 7,
            "inv_item_sk": 1 + n % 50 // 5 * 2,
            "inv_warehouse_sk": 1 + n % 5,
            "inv_quantity_on_hand": nothing(0.05, some(1000)),
        },
    ),
    "Chinook Track": (
        "TrackId",
        lambda n: {
            "TrackId": n + 1,
            "Name": words(3),
            "AlbumId": 1 + n // 11,
            "MediaTypeId": 1 + some(3),
            "GenreId": 1 + some(20),
            "Composer": nothing(0.3, words(2)),
            "Milliseconds": 150000 + some(300000),
            "Bytes": 3000000 + some(9000000),
            "UnitPrice": pick(0.99, 1.99),
        },
    ),
    "Chinook InvoiceLine": (
        "InvoiceLineId",
        lambda n: {
            "InvoiceLineId": n + 1,
            "InvoiceId": 1 + n // 5,
            "TrackId": 2 + n * 4,
            "UnitPrice": pick(0.99, 1.99),
            "Quantity": 1,
        },
    ),
    "Chinook PlaylistTrack": (
        "PlaylistId,TrackId",
        lambda n: {"PlaylistId": 1 + n // 60, "TrackId": 3000 + n % 60 * 7},
    ),
    "Northwind Orders": (
        "OrderID",
        lambda n: {
            "OrderID": 10248 + n,
            "CustomerID": code(some(90), 5),
            "EmployeeID": 1 + some(9),
            "OrderDate": day(n // 2),
            "RequiredDate": day(n // 2 + 28),
            "ShippedDate": nothing(0.03, day(n // 2 + some(20))),
            "ShipVia": 1 + some(3),
            "Freight": money(300),
            "ShipName": words(2),
            "ShipCity": pick("Reims", "Lyon"),
        },
    ),
    "Northwind Order Details": (
        "OrderID,ProductID",
        lambda n: {
            "OrderID": 10248 + n // 3,
            "ProductID": 1 + (n // 3 * 5 + n % 3 * 11) % 77,
            "UnitPrice": pick(14.0, 9.8, 34.8),
            "Quantity": 1 + some(60),
            "Discount": pick(0.0, 0.0, 0.05, 0.15),
        },
    ),
    "Northwind Customers": (
        "CustomerID",
        lambda n: {
            "CustomerID": code(n, 5),
            "CompanyName": f"{words(2)} {n}",
            "ContactName": words(2),
            "ContactTitle": pick("Owner", "Sales Agent"),
            "City": pick("Berlin", "London"),
            "Country": pick("Germany", "UK"),
            "Phone": f"030-{some(9999999)}",
            "Fax": nothing(0.3, "030-0076545"),
        },
    ),
    "Sakila film_actor": (
        "actor_id,film_id",
        lambda n: {
            "actor_id": 1 + n // 25,
            "film_id": 1 + n % 25 * 7 + n // 25 % 4,
            "last_update": datetime(2006, 2, 15, 5, 5, 3),
        },
    ),
    "Sakila rental": (
        "rental_id",
        lambda n: {
            "rental_id": n + 1,
            "rental_date": at(n / 7),
            "inventory_id": 1 + some(4581),
            "customer_id": 1 + some(599),
            "return_date": nothing(0.02, at(n / 7 + 24 + some(200))),
            "staff_id": pick(1, 2),
            "last_update": datetime(2006, 2, 15, 21, 30, 53),
        },
    ),
    "Sakila inventory": (
        "inventory_id",
        lambda n: {
            "inventory_id": n + 1,
            "film_id": 1 + n // 5,
            "store_id": 1 + n % 5 // 3,
            "last_update": datetime(2006, 2, 15, 5, 9, 17),
        },
    ),
    "iris": (
        "",
        lambda n: {
            "Sepal.Length": 4 + some(35) / 10,
            "Sepal.Width": 2 + some(20) / 10,
            "Petal.Length": 1 + some(40) / 10,
            "Petal.Width": some(24) / 10,
            "Species": ("setosa", "versicolor", "virginica")[n % 3],
        },
    ),
    "mtcars": (
        "model",
        lambda n: {
            "model": f"{pick('Merc', 'Fiat', 'Toyota')} {n}{code(n, 1)}",
            "mpg": 10 + some(240) / 10,
            "cyl": pick(4, 6, 8),
            "disp": 70 + some(4000) / 10,
            "hp": 50 + some(280),
            "drat": 2.7 + some(200) / 100,
            "wt": 1.5 + some(390) / 100,
            "qsec": 14.5 + some(840) / 100,
            "vs": pick(0, 1),
            "am": pick(0, 1),
            "gear": pick(3, 4, 5),
            "carb": 1 + some(8),
        },
    ),
    "Titanic": (
        "PassengerId",
        lambda n: {
            "PassengerId": n + 1,
            "Survived": pick(0, 1),
            "Pclass": pick(1, 2, 3),
            "Name": f"{word().title()}, Mr. {word().title()}",
            "Sex": pick("male", "female"),
            "Age": nothing(0.2, float(some(80))),
            "SibSp": whole(8),
            "Parch": whole(6),
            "Ticket": pick(str(some(400000)), f"PC {17000 + some(700)}"),
            "Fare": money(500),
            "Cabin": nothing(0.77, f"C{some(148)}"),
            "Embarked": pick("S", "C", "Q"),
        },
    ),
    "GTFS stops": (
        "stop_id",
        lambda n: {
            "stop_id": f"{100 + n // 3}{('', 'N', 'S')[n % 3]}",
            "stop_code": None,
            "stop_name": f"{n // 3} St",
            "stop_lat": 40.5 + n // 3 / 1000,
            "stop_lon": -74 + n // 3 / 700,
            "location_type": int(n % 3 == 0),
            "parent_station": str(100 + n // 3) if n % 3 else None,
        },
    ),
    "GTFS stop_times": (
        "trip_id,stop_sequence",
        lambda n: {
            "trip_id": f"AFA23GEN-1038-Sunday-00_{n // 20:06}_1..S03R",
            "arrival_time": f"{n // 20 % 24:02}:{n % 20 * 2:02}:00",
            "departure_time": f"{n // 20 % 24:02}:{n % 20 * 2:02}:30",
            "stop_id": f"{101 + n % 20}S",
            "stop_sequence": 1 + n % 20,
            "pickup_type": 0,
            "drop_off_type": 0,
        },
    ),
    "GTFS trips": (
        "trip_id",
        lambda n: {
            "route_id": pick("1", "2", "A"),
            "service_id": pick("Sunday", "Weekday"),
            "trip_id": f"AFA23GEN-1038-{n * 50:06}_1..S03R",
            "trip_headsign": pick("South Ferry", "Van Cortlandt"),
            "direction_id": n % 2,
            "shape_id": pick("1..S03R", "1..N03R"),
        },
    ),
    "OurAirports airports": (
        "id|ident",
        lambda n: {
            "id": 6523 + n * 3,
            "ident": f"K{code(n, 3)}",
            "type": pick("small_airport", "heliport", "closed"),
            "name": f"{words(2)} Airport",
            "latitude_deg": _random.uniform(-60, 70),
            "longitude_deg": _random.uniform(-180, 180),
            "elevation_ft": nothing(0.2, whole(9000)),
            "continent": "NA",
            "iso_country": "US",
            "iso_region": pick("US-PA", "US-KS"),
            "municipality": nothing(0.1, word()),
            "scheduled_service": pick("no", "no", "yes"),
            "iata_code": nothing(0.8, code(n, 3)),
            "home_link": None,
            "keywords": nothing(0.8, word()),
        },
    ),
    "OurAirports runways": (
        "id",
        lambda n: {
            "id": 269408 + n,
            "airport_ref": 6523 + n // 2 * 3,
            "airport_ident": f"K{code(n // 2, 3)}",
            "length_ft": nothing(0.02, 800 + some(100) * 100),
            "width_ft": nothing(0.05, pick(50, 75, 150)),
            "surface": pick("ASPH", "TURF", "CON"),
            "lighted": pick(0, 1),
            "closed": pick(0, 0, 1),
            "le_ident": f"{1 + some(18):02}",
            "he_ident": f"{19 + some(18)}",
        },
    ),
    "ISO 3166 countries": (
        "alpha-2|alpha-3|country-code|name",
        lambda n: {
            "name": f"{word(8).title()} {n}",
            "alpha-2": code(n, 2),
            "alpha-3": code(n, 3),
            "country-code": f"{n * 4 % 997:03}",
            "region": pick("Europe", "Asia", "Africa"),
            "sub-region": pick("Southern Asia", "Northern Europe"),
            "region-code": pick("150", "142", "002"),
        },
    ),
    "MovieLens ratings": (
        "userId,movieId",
        lambda n: {
            "userId": 1 + n // 20,
            "movieId": 1 + n % 20 * 47 + n // 20 % 5,
            "rating": pick(3.0, 4.0, 4.5, 5.0),
            "timestamp": 964980000 + some(10**6),
        },
    ),
    "MovieLens movies": (
        "movieId",
        lambda n: {
            "movieId": 1 + n * 3,
            "title": f"{words(2)} ({1950 + some(60)})",
            "genres": pick("Drama", "Comedy|Drama", "Action"),
        },
    ),
    "MovieLens tags": (
        "userId,movieId,tag",
        lambda n: {
            "userId": 1 + n // 25,
            "movieId": 100 + n % 25 // 5 * 31,
            "tag": ("funny", "atmospheric", "quirky", "sci-fi", "dark comedy")[n % 5],
            "timestamp": 1139000000 + some(10**6),
        },
    ),
    "UCI Adult": ("", adult),
    "Lahman Batting": ("playerID,yearID,stint", batting),
    "Lahman People": (
        "playerID",
        lambda n: {
            "playerID": f"{code(n, 5).lower()}01",
            "birthYear": nothing(0.02, 1880 + some(120)),
            "birthCountry": pick("USA", "D.R."),
            "nameFirst": pick("Hank", "Don"),
            "nameLast": word().title(),
            "weight": 150 + some(90),
            "height": 66 + some(12),
            "bats": pick("R", "L", "B"),
            "debut": day(some(9000)),
            "retroID": nothing(0.02, f"{code(n, 5).lower()}001"),
            "bbrefID": nothing(0.01, f"{code(n, 5).lower()}01"),
        },
    ),
    "Palmer penguins": (
        "",
        lambda n: {
            "species": ("Adelie", "Gentoo", "Chinstrap")[n % 3],
            "island": pick("Biscoe", "Dream"),
            "bill_length_mm": nothing(0.01, 32 + some(200) / 10),
            "bill_depth_mm": nothing(0.01, 13 + some(80) / 10),
            "flipper_length_mm": nothing(0.01, 172 + some(60)),
            "body_mass_g": nothing(0.01, 2700 + some(70) * 50),
            "sex": nothing(0.03, pick("male", "female")),
            "year": pick(2007, 2008, 2009),
        },
    ),
    "gapminder": (
        "country,year",
        lambda n: {
            "country": f"{code(n // 12, 7).title()}",
            "continent": ("Asia", "Africa", "Europe")[n // 12 % 3],
            "year": 1952 + n % 12 * 5,
            "lifeExp": round(_random.uniform(30, 82), 3),
            "pop": 100000 + some(10**8),
            "gdpPercap": round(_random.uniform(300, 40000), 4),
        },
    ),
    "babynames": (
        "year,sex,name",
        lambda n: {
            "year": 1990 + n // 100,
            "sex": "FM"[n // 50 % 2],
            "name": code(n % 50, 5).title(),
            "n": 5 + whole(20000),
            "prop": _random.random() / 1000,
        },
    ),
    "NYT us-counties": (
        "date,county,state",
        lambda n: {
            "date": day(n // 60),
            "county": ("Adams", "Lincoln", "Jackson", "Clay", "New York City", "Lee")[n % 6],
            "state": f"State {n // 6 % 10}",
            "fips": None if n % 6 == 4 else f"{n % 60 * 17 + 1001:05}",
            "cases": whole(9000),
            "deaths": whole(300),
        },
    ),
    "ggplot2 diamonds": (
        "",
        lambda n: (
            {
                "carat": 0.2 + some(40) / 100,
                "cut": pick("Ideal", "Premium"),
                "color": pick(*"DEF"),
                "clarity": pick("SI1", "VS2"),
                "depth": 60 + some(30) / 10,
                "table": 55.0 + some(6),
                "price": 326 + some(40),
                "x": 4 + some(20) / 100,
                "y": 4 + some(20) / 100,
                "z": 2.5 + some(10) / 100,
            }
            | (
                {}
                if n % 50
                else {
                    "carat": 0.23,
                    "cut": "Ideal",
                    "color": "E",
                    "clarity": "SI2",
                    "depth": 61.5,
                    "table": 55.0,
                    "price": 326,
                    "x": 3.95,
                    "y": 3.98,
                    "z": 2.43,
                }
            )
        ),
    ),
    # Of many whole numbers, which could be parts of a key by what they are.
    "Baseball Databank BattingPost": (
        "yearID,round,playerID",
        lambda n: {
            "yearID": 1990 + n // 80,
            "round": ("ALDS1", "ALCS", "NLCS", "WS")[n % 4],
            "playerID": f"{code(n // 4 % 20, 5).lower()}01",
            "teamID": code(n // 4 % 20 // 5, 3),
            "lgID": ("AL", "NL")[n // 4 % 2],
            **{name: whole(most) for name, most in _AT_BAT.items()},
        },
    ),
    "NYC yellow taxi trips": (
        "",
        lambda n: (
            {
                "VendorID": pick(1, 2),
                "tpep_pickup_datetime": at(some(300) / 60),
                "tpep_dropoff_datetime": at(some(300) / 60 + 0.25),
                "passenger_count": pick(1.0, 1.0, 2.0, None),
                "trip_distance": whole(900) / 100,
                "PULocationID": 1 + some(263),
                "DOLocationID": 1 + some(263),
                "payment_type": pick(1, 2),
                "fare_amount": 3.5 + some(40) / 2,
                "tip_amount": pick(0.0, 2.0),
                "total_amount": 8.3 + some(60) / 2,
            }
            if n % 40
            else {
                "VendorID": 2,
                "tpep_pickup_datetime": at(1),
                "tpep_dropoff_datetime": at(1.5),
                "passenger_count": 1.0,
                "trip_distance": 0.0,
                "PULocationID": 264,
                "DOLocationID": 264,
                "payment_type": 2,
                "fare_amount": 52.0,
                "tip_amount": 0.0,
                "total_amount": 52.8,
            }
        ),
    ),
}


def keys(name: str) -> list[list[str]]:
    """The keys of a table, each with its names in order; one without names if it has none."""
    return [sorted(filter(None, key.split(","))) for key in TABLES[name][0].split("|")]


def states(name: str) -> tuple[list[Row], list[Row]]:
    """Two states of a table: rows come and go, and a twentieth of the values that are no key are others."""
    _random.seed(name)
    key, row = TABLES[name]
    every = list(_rows(row))
    old, new = every[:ROWS], [dict(each) for each in every if _random.random() > 0.05]
    for each in new:
        for column, value in each.items():
            if column not in key.replace("|", ",").split(",") and value is not None and _random.random() < 0.05:
                each[column] = _random.choice(every)[column]
    _random.shuffle(new)
    return old, new


def _rows(row: Callable[[int], Row]) -> Iterator[Row]:
    return map(row, range(ROWS + LATER))

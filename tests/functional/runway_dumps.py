"""Dated dumps of a table of runways: real ones if they are given, otherwise similar generated ones."""

import gzip
import os
import random
from collections.abc import Iterator
from pathlib import Path

_ENDS = [
    f"{end}_{name}"
    for end in ("le", "he")
    for name in ("ident", "latitude_deg", "longitude_deg", "elevation_ft", "heading_degT", "displaced_threshold_ft")
]
_RUNWAY = ["airport_ref", "airport_ident", "length_ft", "width_ft", "surface", "lighted", "closed"]
HEADER = ["id", *_RUNWAY, *_ENDS]
TEXT = {"airport_ident", "surface", "le_ident", "he_ident"}
# Days from the first of May: with a month's end, a day without changes, and a gap.
DAYS = [30, 31, 32, 33, 37]
UNCHANGED = 33
SURFACES = ["ASPH-G", "TURF", "GRVL", "gravel, dirt", 'the "old" one', "C:\\strip", " piste en béton ", "砂利", "null"]

Row = tuple[str | None, ...]


def given() -> Path | None:
    """The folder of runways_<date>.csv.gz that DELTAWAVE_RUNWAYS names, if it is set."""
    folder = os.environ.get("DELTAWAVE_RUNWAYS")
    return Path(folder) if folder else None


def dumps() -> Iterator[tuple[str, str]]:
    """Yield (date, text of the CSV) of every dump, in order."""
    folder = given()
    if folder is None:
        yield from made_up()
        return
    for file in sorted(folder.glob("runways_*.csv.gz")):
        with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
            yield file.name.removeprefix("runways_").removesuffix(".csv.gz"), lines.read()


def line(row: Row) -> str:
    """A row as the source writes it: text in quotes, nothing for what is missing."""
    cells = zip(HEADER, row, strict=True)
    return ",".join(
        "" if cell is None else '"' + cell.replace('"', '""') + '"' if name in TEXT else cell for name, cell in cells
    )


def made_up(runways: int = 500, seed: int = 1996) -> Iterator[tuple[str, str]]:
    """Yield one dump per day: runways come, go and change, except on one day without changes."""
    chance = random.Random(seed)
    rows = {str(key): make_row(chance, str(key)) for key in range(200000, 200000 + runways)}
    for number, day in enumerate(DAYS):
        if number > 0 and day != UNCHANGED:
            for key in chance.sample(sorted(rows), chance.randrange(0, 9)):
                del rows[key]
            for key in chance.sample(sorted(rows), chance.randrange(1, 80)):
                rows[key] = change_row(chance, rows[key])
            for key in range(300000 + 100 * number, 300000 + 100 * number + chance.randrange(0, 15)):
                rows[str(key)] = make_row(chance, str(key))
        order = list(rows)
        chance.shuffle(order)
        header = ",".join(f'"{name}"' for name in HEADER)
        date = f"2026-05-{day:02}" if day <= 31 else f"2026-06-{day - 31:02}"
        yield date, "\n".join([header, *(line(rows[key]) for key in order), ""])


def make_row(chance: random.Random, key: str) -> Row:
    return (key, *(make_cell(chance, name) for name in HEADER[1:]))


def change_row(chance: random.Random, row: Row) -> Row:
    """Change one to three cells; some become empty, some get a value."""
    cells = list(row)
    for place in chance.sample(range(1, len(HEADER)), chance.randrange(1, 4)):
        while cells[place] == row[place]:
            cells[place] = make_cell(chance, HEADER[place])
    return tuple(cells)


def make_cell(chance: random.Random, name: str) -> str | None:
    if chance.random() < 0.3:
        return None
    if name == "surface":
        return chance.choice(SURFACES)
    if name in TEXT:
        return f"{chance.randrange(36):02}{chance.choice('LRC')}"
    return chance.choice([str(chance.randrange(15000)), f"{chance.uniform(-180, 180):.6f}"])

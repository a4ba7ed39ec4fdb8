"""The demo's source as a database: a day's dump replaces that of the day before."""

import pytest
from demo_database import load
from sources import Derby, Job

HEADER = '"icao","iata","name","city","subd","country","elevation","lat","lon","tz","lid"\n'


def write(folder, day, *lines):
    dump = folder / f"dump_date={day}" / "airports.csv"
    dump.parent.mkdir()
    dump.write_text(HEADER + "".join(f"{line}\n" for line in lines))
    return dump


@pytest.fixture
def days(tmp_path):
    same = '"00AA","","Aero ""B"" Ranch","Leoti","Kansas","US",3435,38.70402,-101.47391,"America/Chicago","00AA"'
    moved = '"SCTC","{}","Maquehue","Temuco","","CL",304,-38.7668,-72.6371,"America/Santiago",""'
    gone = '"ZZZZ","","Closed","","","XX",0,0.0,0.0,"UTC",""'
    return write(tmp_path, "1", same, moved.format("ZCO"), gone), write(tmp_path, "2", same, moved.format(""))


def test_a_day_replaces_another(spark, tmp_path, days):
    url = f"jdbc:derby:{tmp_path / 'legacy'}"
    found = []
    for day, count in zip(days, (3, 2), strict=True):
        assert load(spark, day, url) == count
        job = Job(spark, Derby(spark, url), "select * from legacy.airports")
        columns = job.columns("ICAO")
        found.append(job.checksums(columns, [None, ["S"], ["Z"]]))
    assert [{number: count for number, (count, _) in day.items()} for day in found] == [
        {1: 1, 2: 1, 3: 1},
        {1: 1, 2: 1},
    ]
    # Of the rows that stayed, only the one that changed has another checksum.
    assert found[0][1] == found[1][1]
    assert found[0][2] != found[1][2]
    (row,) = job.rows(columns, (["0"], ["1"]))
    assert (row["NAME"], row["IATA"], row["ELEVATION"]) == ('Aero "B" Ranch', "", 3435.0)

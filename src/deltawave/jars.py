"""Do the jars that a Spark session loads fit the installed pyspark?

The name of such a jar shows the Scala that it is compiled for, and often the Spark: `delta-spark_4.1_2.13`. Another
Spark fails with a linkage error that mentions neither.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PACKAGES = "spark.jars.packages"
FILES = "spark.jars"
REMOTE = "spark.remote"

# The jars that were seen to work with each Spark, by table format; others have none, or none was tried.
JARS: Mapping[str, Mapping[str, str]] = {
    "3.5": {
        "delta": "io.delta:delta-spark_2.12:3.3.3",
        "iceberg": "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.11.0",
    },
    "4.0": {
        "delta": "io.delta:delta-spark_4.0_2.13:4.4.0",
        "iceberg": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
    },
    "4.1": {
        "delta": "io.delta:delta-spark_4.1_2.13:4.4.0",
        "iceberg": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
    },
    "4.2": {"delta": "io.delta:delta-spark_4.2_2.13:4.4.0"},
    "4.3": {},
}
_OLD_SCALA = {"3.5": "2.12"}
# The Hadoop in the jars of each pyspark: modules of another one look for what that lacks.
_HADOOP = {"3.5": "3.3.4", "4.0": "3.4.1", "4.1": "3.4.2", "4.2": "3.5.0", "4.3": "3.5.0"}


def scala(pyspark: str) -> str:
    """The Scala that a version of pyspark is made with."""
    return _OLD_SCALA.get(minor(pyspark), "2.13")


def remedy(pyspark: str) -> str:
    """Which jars go with a version of pyspark."""
    spark = minor(pyspark)
    tested = JARS.get(spark)
    if tested is None:
        return f"No jar was tried with pyspark {spark}; pyspark {', '.join(JARS)} were tried."
    lines = [f"Tested together are pyspark {spark} and", *(f"    {jar}" for jar in tested.values())]
    if missing := [table_format for table_format in ("delta", "iceberg") if table_format not in tested]:
        others = " or ".join(other for other in JARS if all(each in JARS[other] for each in missing))
        what = " and ".join(missing)
        no_jar = f"There was no jar of {what} for pyspark {spark} yet: pyspark {others} has one."
        lines = [*(lines if tested else []), no_jar]
    return "\n".join(lines)


_JINJA = "{{"
_SCALA = re.compile(r"_(2\.1\d)(?!\d)")
_SPARK = re.compile(r"spark(?:-(?:common|extensions|runtime|shaded))?[-_]?([3-9]\.\d+)(?=[-_]|$)")
# These reach so deep into Spark that each of their jars is made for one minor version of it.
_DEEP = re.compile(r"delta-(?:core|spark)|iceberg-spark")


@dataclass(frozen=True)
class Jar:
    """A jar of a session as the profile spells it, and why it does not fit or, unless `certain`, may not."""

    named: str
    wrong: str = ""
    certain: bool = True


def jars(settings: Mapping[str, str], pyspark: str) -> list[Jar]:
    """The jars that a session with `settings` loads, checked against pyspark's version; none through Spark Connect."""
    if REMOTE in settings:
        return []
    packages = [_of_coordinates(named, pyspark) for named in _listed(settings, PACKAGES)]
    # An address may hold a password: the file's name says enough.
    files = [named.rpartition("/")[2] for named in _listed(settings, FILES)]
    return packages + [_checked(file, file.removesuffix(".jar"), pyspark) for file in files]


def minor(version: str) -> str:
    """`4.1` of `4.1.4`."""
    return ".".join(version.split(".")[:2])


def _listed(settings: Mapping[str, str], key: str) -> list[str]:
    value = settings.get(key, "")
    parts = [value] if _JINJA in value else value.split(",")
    return [part.strip() for part in parts if part.strip()]


def _of_coordinates(named: str, pyspark: str) -> Jar:
    """`group:artifact:version`; Spark takes a slash for the first colon, too."""
    group, artifact, version = [*re.split("[:/]", named), "", ""][:3]
    if group == "org.apache.hadoop" and version != (own := _HADOOP.get(minor(pyspark), version)):
        return Jar(named, f"{named} is of Hadoop {version}; pyspark {pyspark} has Hadoop {own}.", certain=False)
    # Spark's own modules have its version.
    is_sparks_own = group == "org.apache.spark" and _SCALA.search(artifact)
    return _checked(named, artifact, pyspark, minor(version) if is_sparks_own else None)


def _checked(named: str, name: str, pyspark: str, of_spark: str | None = None) -> Jar:
    here = {"Spark": minor(pyspark), "Scala": scala(pyspark)}
    if named.replace("/", ":") in JARS.get(here["Spark"], {}).values():
        return Jar(named)
    spark_found, scala_found = _SPARK.search(name), _SCALA.search(name)
    spark, of_scala = of_spark or (spark_found and spark_found[1]), scala_found and scala_found[1]
    is_deep = bool(of_spark or _DEEP.match(name))
    found = {"Spark": spark, "Scala": of_scala}
    wrong = [f"{what} {version}" for what, version in found.items() if version not in (None, here[what])]
    ours = f"pyspark {pyspark} is Spark {here['Spark']} with Scala {here['Scala']}."
    if wrong:
        certain = is_deep or of_scala not in (None, here["Scala"])
        return Jar(named, f"{named} is made for {' and '.join(wrong)}; {ours}", certain)
    if _JINJA in named or (is_deep and not spark):
        return Jar(named, f"{named} does not say which Spark it is made for; {ours}", certain=False)
    return Jar(named)

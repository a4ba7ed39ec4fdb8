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

SPARK = "4.1"
SCALA = "2.13"
TESTED = (
    "io.delta:delta-spark_4.1_2.13:4.4.0",
    "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
)
REMEDY = "\n".join((f"Tested together are pyspark {SPARK} and", *(f"    {jar}" for jar in TESTED)))

_JINJA = "{{"
_SCALA = re.compile(r"_(2\.1\d)(?!\d)")
_SPARK = re.compile(r"spark(?:-(?:common|extensions|runtime|shaded))?[-_]?([3-9]\.\d+)(?=[-_]|$)")
# These reach so deep into Spark that each of their jars is made for one minor version of it.
_DEEP = re.compile(r"delta-(?:core|spark)|iceberg-spark")


@dataclass(frozen=True)
class Jar:
    """A jar of a session as the profile spells it, and what its name shows."""

    said: str
    scala: str | None
    spark: str | None
    is_deep: bool


@dataclass(frozen=True)
class Misfit:
    """Why a jar does not fit, or, where it is not `certain`, may not."""

    why: str
    certain: bool = True


def jars(settings: Mapping[str, str]) -> list[Jar]:
    """The jars that a session with `settings` loads, without the jars of a Spark Connect server."""
    if REMOTE in settings:
        return []
    return [
        *map(_of_coordinates, _listed(settings, PACKAGES)),
        *map(_of_file, _listed(settings, FILES)),
    ]


def misfit(jar: Jar, pyspark: str) -> Misfit | None:
    """Judge a jar by the version of pyspark; None if it fits."""
    here = {"Spark": minor(pyspark), "Scala": SCALA}
    told = {"Spark": jar.spark, "Scala": jar.scala}
    wrong = [f"{what} {version}" for what, version in told.items() if version not in (None, here[what])]
    ours = f"pyspark {pyspark} is Spark {here['Spark']} with Scala {SCALA}."
    if wrong:
        certain = jar.is_deep or jar.scala not in (None, SCALA)
        return Misfit(f"{jar.said} is made for {' and '.join(wrong)}; {ours}", certain)
    if _JINJA in jar.said or (jar.is_deep and not jar.spark):
        return Misfit(f"{jar.said} does not tell which Spark it is made for; {ours}", certain=False)
    return None


def minor(version: str) -> str:
    """`4.1` of `4.1.4`."""
    return ".".join(version.split(".")[:2])


def _listed(settings: Mapping[str, str], key: str) -> list[str]:
    value = settings.get(key, "")
    parts = [value] if _JINJA in value else value.split(",")
    return [part.strip() for part in parts if part.strip()]


def _of_coordinates(said: str) -> Jar:
    """`group:artifact:version`; Spark takes a slash for the first colon, too."""
    group, artifact, version = [*re.split("[:/]", said), "", ""][:3]
    jar = _named(said, artifact)
    if group == "org.apache.spark" and jar.scala:
        # Spark's own modules have its version.
        return Jar(said, jar.scala, minor(version), is_deep=True)
    return jar


def _of_file(said: str) -> Jar:
    # An address may hold a password: the file's name says enough.
    file = said.rpartition("/")[2]
    return _named(file, file.removesuffix(".jar"))


def _named(said: str, name: str) -> Jar:
    scala, spark = _SCALA.search(name), _SPARK.search(name)
    return Jar(said, scala and scala[1], spark and spark[1], bool(_DEEP.match(name)))

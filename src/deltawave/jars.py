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
TESTED = ("io.delta:delta-spark_4.1_2.13:4.4.0", "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0")
REMEDY = "\n".join((f"Tested together are pyspark {SPARK} and", *(f"    {jar}" for jar in TESTED)))

_JINJA = "{{"
_SCALA = re.compile(r"_(2\.1\d)(?!\d)")
_SPARK = re.compile(r"spark(?:-(?:common|extensions|runtime|shaded))?[-_]?([3-9]\.\d+)(?=[-_]|$)")
# These reach so deep into Spark that each of their jars is made for one minor version of it.
_DEEP = re.compile(r"delta-(?:core|spark)|iceberg-spark")


@dataclass(frozen=True)
class Jar:
    """A jar of a session.

    - `said`: as the profile spells it
    - `wrong`: why it does not fit, or, where that is not `certain`, may not; empty if it fits
    """

    said: str
    wrong: str = ""
    certain: bool = True


def jars(settings: Mapping[str, str], pyspark: str) -> list[Jar]:
    """The jars that a session with `settings` loads, without the jars of a Spark Connect server, judged by the version
    of pyspark."""
    if REMOTE in settings:
        return []
    return [
        *(_of_coordinates(said, pyspark) for said in _listed(settings, PACKAGES)),
        *(_of_file(said, pyspark) for said in _listed(settings, FILES)),
    ]


def minor(version: str) -> str:
    """`4.1` of `4.1.4`."""
    return ".".join(version.split(".")[:2])


def _listed(settings: Mapping[str, str], key: str) -> list[str]:
    value = settings.get(key, "")
    parts = [value] if _JINJA in value else value.split(",")
    return [part.strip() for part in parts if part.strip()]


def _of_coordinates(said: str, pyspark: str) -> Jar:
    """`group:artifact:version`; Spark takes a slash for the first colon, too."""
    group, artifact, version = [*re.split("[:/]", said), "", ""][:3]
    # Spark's own modules have its version.
    is_sparks_own = group == "org.apache.spark" and _SCALA.search(artifact)
    return _judged(said, artifact, pyspark, minor(version) if is_sparks_own else None)


def _of_file(said: str, pyspark: str) -> Jar:
    # An address may hold a password: the file's name says enough.
    file = said.rpartition("/")[2]
    return _judged(file, file.removesuffix(".jar"), pyspark)


def _judged(said: str, name: str, pyspark: str, of_spark: str | None = None) -> Jar:
    here = {"Spark": minor(pyspark), "Scala": SCALA}
    spark, scala = of_spark or _first(_SPARK, name), _first(_SCALA, name)
    is_deep = bool(of_spark or _DEEP.match(name))
    wrong = [f"{what} {told}" for what, told in (("Spark", spark), ("Scala", scala)) if told not in (None, here[what])]
    ours = f"pyspark {pyspark} is Spark {here['Spark']} with Scala {SCALA}."
    if wrong:
        certain = is_deep or scala not in (None, SCALA)
        return Jar(said, f"{said} is made for {' and '.join(wrong)}; {ours}", certain)
    if _JINJA in said or (is_deep and not spark):
        return Jar(said, f"{said} does not tell which Spark it is made for; {ours}", certain=False)
    return Jar(said)


def _first(pattern: re.Pattern[str], name: str) -> str | None:
    found = pattern.search(name)
    return found and found[1]

"""Daily batches for wave indexes (WI 6): TPC-H's LINEITEM by SUPPKEY, and postings of skewed words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.wave.schemes import WaveIndex
from deltawave.wave.tables import WaveSpec
from deltawave.wave.wave_table import columns_of
from laboratory.meshjoin.data import Zipf

DAY = "day"


@dataclass(frozen=True)
class Batches:
    """The batches of ``days``, one Parquet folder each in ``folder``.

    - ``scale``: TPC-H's scale factor, over all days; for postings, a fraction of SCAM's 70,000 articles per day
    """

    folder: Path
    days: range
    scale: float
    search_field: ClassVar[str]

    def tables(self) -> Iterator[pa.Table]:
        """The rows of each day."""
        raise NotImplementedError

    def values(self, count: int) -> list[Any]:
        """Search values."""
        raise NotImplementedError

    def scanned(self, rows: DataFrame) -> DataFrame:
        """The query that scans rows."""
        raise NotImplementedError

    def having(self, value: Any) -> Any:
        """The condition that a row has a search value."""
        return F.col(self.search_field) == F.lit(value)

    def write(self) -> None:
        """Write the batches."""
        for day, table in zip(self.days, self.tables(), strict=True):
            place = self.folder / f"{DAY}={day}"
            place.mkdir(parents=True)
            pq.write_table(table, place / "rows.parquet")

    def frame(self, session: SparkSession, days: Sequence[int]) -> DataFrame:
        """The rows of some days, as a source delivers them."""
        paths = [str(self.folder / f"{DAY}={day}") for day in days]
        return session.read.option("basePath", str(self.folder)).parquet(*paths)

    def spec(self, session: SparkSession, index: WaveIndex, technique: str) -> WaveSpec:
        """The specification of a wave index of them."""
        columns = columns_of(self.frame(session, self.days[:1]))
        # As in the paper, expired days of a soft window are read.
        return WaveSpec(index, technique, DAY, self.search_field, columns, clip=False)


@dataclass(frozen=True)
class LineItem(Batches):
    """LINEITEM in batches of equal size, in the order of orders; the scan is Q1, the Pricing Summary Report."""

    search_field: ClassVar[str] = "l_suppkey"

    def tables(self) -> Iterator[pa.Table]:
        made = self.folder.with_suffix(".made")
        beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        generator = shutil.which("tpchgen-cli", path=beside)
        if generator is None:
            raise ValueError("tpchgen-cli is not installed: run `make setup`.")
        options = ("--tables=lineitem", f"--scale-factor={self.scale}", f"--output-dir={made}", "--quiet")
        subprocess.run([generator, "parquet", *options], check=True)
        rows = pq.read_table(made / "lineitem.parquet")
        shutil.rmtree(made)
        for place in range(len(self.days)):
            first, last = (len(rows) * number // len(self.days) for number in (place, place + 1))
            yield rows.slice(first, last - first)

    def values(self, count: int) -> list[Any]:
        # TPC-H has 10,000 suppliers per unit of its scale.
        return [int(key) for key in np.random.default_rng(1).integers(1, max(2, int(10_000 * self.scale)), count)]

    def scanned(self, rows: DataFrame) -> DataFrame:
        price, discount, tax = map(F.col, ("l_extendedprice", "l_discount", "l_tax"))
        quantity = F.col("l_quantity")
        return (
            rows.where(F.col("l_shipdate") <= F.lit(date(1998, 9, 2)))
            .groupBy("l_returnflag", "l_linestatus")
            .agg(
                F.sum(quantity),
                F.sum(price),
                F.sum(price * (1 - discount)),
                F.sum(price * (1 - discount) * (1 + tax)),
                F.avg(quantity),
                F.avg(price),
                F.avg(discount),
                F.count(F.lit(1)),
            )
            .orderBy("l_returnflag", "l_linestatus")
        )


@dataclass(frozen=True)
class Postings(Batches):
    """Articles of 20 words, whose frequencies are skewed as 1 / rank; the scan reads each article of the newest day."""

    search_field: ClassVar[str] = "words"
    vocabulary: ClassVar[int] = 20_000
    words_per_article: ClassVar[int] = 20

    @cached_property
    def _words(self) -> Zipf:
        return Zipf(self.vocabulary, 1.0)

    def tables(self) -> Iterator[pa.Table]:
        random = np.random.default_rng(2)
        names = pa.array([f"word{number}" for number in range(self.vocabulary)])
        count = max(1, int(70_000 * self.scale))
        offsets = pa.array(np.arange(0, (count + 1) * self.words_per_article, self.words_per_article, dtype=np.int32))
        for day in self.days:
            words = names.take(pa.array(self._words.draw(count * self.words_per_article, random)))
            articles = np.arange(count, dtype=np.int64) + day * count
            yield pa.table({"article": articles, "words": pa.ListArray.from_arrays(offsets, words)})

    def values(self, count: int) -> list[Any]:
        return [f"word{number}" for number in self._words.draw(count, np.random.default_rng(1))]

    def having(self, value: Any) -> Any:
        return F.array_contains(self.search_field, F.lit(value))

    def scanned(self, rows: DataFrame) -> DataFrame:
        longest = F.expr("aggregate(words, 0, (longest, word) -> greatest(longest, length(word)))")
        return rows.agg(F.count(F.lit(1)), F.sum("article"), F.max(longest))


DATA: dict[str, type[Batches]] = {"lineitem": LineItem, "postings": Postings}

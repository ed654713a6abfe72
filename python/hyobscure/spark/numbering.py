"""Numbers and ranks that do not depend on partitions.

Rows are sorted over all partitions and written, each with its partition and its place there. Counts by
partition, which are small, then give the number of rows before it. No task sees more than one partition,
however skewed the keys.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from .storage import Work

# Of monotonically_increasing_id: the partition above, the place in it below.
_PLACE_BITS = 33


class Numbered(NamedTuple):
    frame: DataFrame
    count: int


def _sorted_with_place(frame: DataFrame, keys: list[Column]) -> DataFrame:
    ordered = frame.repartitionByRange(*keys).sortWithinPartitions(*keys)
    return ordered.withColumn("at", F.monotonically_increasing_id())


def _partition() -> Column:
    return F.shiftright("at", _PLACE_BITS).alias("partition")


def numbered(frame: DataFrame, keys: list[Column], number: str, work: Work, name: str) -> Numbered:
    """The rows with their number 0, 1, ... by the keys, which differ for all rows."""
    stored = work.store(name, _sorted_with_place(frame, keys))
    before, shifts = 0, []
    for partition, rows in sorted(stored.groupBy(_partition()).count().collect()):
        shifts.append((partition, before - (partition << _PLACE_BITS)))
        before += rows
    shift_of = work.spark.createDataFrame(shifts, "partition long, shift long")
    found = stored.withColumn("partition", _partition()).join(F.broadcast(shift_of), "partition")
    return Numbered(found.select(*frame.columns, (F.col("at") + F.col("shift")).alias(number)), before)


def ranked(frame: DataFrame, cell: str, keys: list[Column], work: Work, name: str) -> tuple[DataFrame, dict[int, int]]:
    """The rows with their rank 0, 1, ... among those of the same cell; and how many each cell has."""
    stored = work.store(name, _sorted_with_place(frame, [F.col(cell), *keys]))
    runs = stored.groupBy(cell, _partition()).agg(F.count("*"), F.min("at")).collect()
    shifts, sizes = [], {}
    for number, of_cell in groupby(sorted(runs), key=itemgetter(0)):
        before = 0
        for _, partition, rows, first in of_cell:
            shifts.append((number, partition, before - first))
            before += rows
        sizes[number] = before
    shift_of = work.spark.createDataFrame(shifts, f"{cell} int, partition long, shift long")
    found = stored.withColumn("partition", _partition()).join(F.broadcast(shift_of), [cell, "partition"])
    return found.select(*frame.columns, (F.col("at") + F.col("shift")).alias("rank")), sizes

"""People numbered in the order of their ids, whatever the partitions.

The people are sorted over all partitions and written, each with its partition and its rank among those of it who
are kept. What each partition holds, which is little, then gives the number of people before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .storage import Work
from .tasks import Task

KEPT = 0  # in the column `state`; anything else is a reason to leave the person out


@dataclass(frozen=True)
class NumberedPeople:
    """(partition, rank, id, secret, state, ...) of everybody, in the order of ids."""

    frame: DataFrame
    states: dict[int, int]  # how many have each
    again: int  # rows whose id occurred before
    kept: int
    secrets: list[tuple]  # of the kept people: value and people, ascending
    before: dict[int, int]  # kept people before each partition

    def kept_frame(self) -> DataFrame:
        return self.frame.filter(F.col("state") == KEPT)

    def bounds(self, people: int) -> list[str]:
        """The ids of every so many kept people, without the first of all."""
        starts = sorted((before, partition) for partition, before in self.before.items())
        firsts = np.array([before for before, _ in starts])
        wanted = []
        for number in range(people, self.kept, people):
            before, partition = starts[int(np.searchsorted(firsts, number, side="right")) - 1]
            wanted.append((partition, number - before))
        if not wanted:
            return []
        places = self.frame.sparkSession.createDataFrame(wanted, "partition int, rank long")
        found = self.kept_frame().join(F.broadcast(places), ["partition", "rank"]).select("id").collect()
        return sorted((row["id"] for row in found), key=str.encode)


def number_people(everybody: DataFrame, work: Work, name: str) -> NumberedPeople:
    """Of (id, secret, state, ...). The same person twice is only counted."""
    ordered = everybody.repartitionByRange("id").sortWithinPartitions("id")
    fields = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in everybody.schema.fields)
    task = _Rank()
    stored = work.store(name, ordered.mapInArrow(task, f"partition int, rank long, again boolean, {fields}"))
    by_partition = stored.groupBy("partition", "state").agg(
        F.count("*").alias("people"), F.sum(F.col("again").cast("long")).alias("again")
    )
    by_secret = stored.filter(F.col("state") == KEPT).groupBy("secret").agg(F.count("*").alias("people"))
    found = (
        by_partition.withColumn("secret", F.lit(None).cast(everybody.schema["secret"].dataType))
        .unionByName(by_secret, allowMissingColumns=True)
        .collect()
    )
    rows = [row for row in found if row["partition"] is not None]
    states: dict[int, int] = {}
    kept_in: dict[int, int] = {}
    for row in rows:
        states[row["state"]] = states.get(row["state"], 0) + row["people"]
        kept_in.setdefault(row["partition"], 0)
        kept_in[row["partition"]] += row["people"] if row["state"] == KEPT else 0
    before, total = {}, 0
    for partition in sorted(kept_in):
        if kept_in[partition]:
            before[partition] = total
        total += kept_in[partition]
    secrets = sorted((row["secret"], row["people"]) for row in found if row["partition"] is None)
    return NumberedPeople(stored, states, sum(row["again"] or 0 for row in rows), total, secrets, before)


@dataclass(frozen=True)
class _Rank(Task):
    """Rows of one partition, ordered by id: each with the partition, its rank among the kept, and whether its id
    occurred before."""

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        partition, kept_before, last = TaskContext.get().partitionId(), 0, None
        for batch in batches:
            if batch.num_rows == 0:
                continue
            kept = np.asarray(pc.equal(batch.column("state"), KEPT))
            ids = batch.column("id")
            earlier = pa.concat_arrays([pa.array([last], pa.string()), ids.slice(0, len(ids) - 1).cast(pa.string())])
            again = pc.fill_null(pc.equal(ids.cast(pa.string()), earlier), False)
            rank = kept_before + np.cumsum(kept) - 1
            kept_before += int(kept.sum())
            last = ids[-1].as_py()
            columns = [pa.array(np.full(len(ids), partition, np.int32)), pa.array(rank.astype(np.int64)), again]
            names = ["partition", "rank", "again", *batch.schema.names]
            yield pa.RecordBatch.from_arrays([*columns, *batch.columns], names=names)

"""`fine` where the rows of people are on many machines: what the core asks of them (bindings/cluster_rows.h)."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from hyobscure._core import kernels

from . import blobs
from .fit_tasks import (
    PEOPLE,
    CutPools,
    LearnPools,
    SendRows,
    SolveTogether,
    SolveWards,
    Spreads,
    content,
    objects,
)
from .storage import Work

_WARDS_OF_FRAME = 256  # whose people leave the driver at once: 0.15 MB a full ward


class ClusterRows:
    """The rows of all people, in blocks."""

    def __init__(
        self, spec: kernels.Spec, work: Work, rows: DataFrame, y: np.ndarray, columns: int, values: int
    ) -> None:
        self.spec, self.work, self.rows, self.y, self.columns, self.values = spec, work, rows, y, columns, values
        self.tasks = int(work.spark.conf.get("spark.sql.shuffle.partitions"))
        self._names: dict[str, int] = {}

    def pools(self, pool_of_person: np.ndarray, pools: int) -> ClusterPools:
        return ClusterPools(self, pool_of_person, pools)

    def send(self, part_of_person: np.ndarray, parts: int, name: str) -> DataFrame:
        task = SendRows(part_of_person, parts)
        return self.store(name, self.rows.mapInArrow(task, task.schema))

    def store(self, name: str, frame: DataFrame) -> DataFrame:
        """Under a name that no table has yet."""
        number = self._names[name] = self._names.get(name, 0) + 1
        return self.work.store(f"{name}-{number}", frame)


class ClusterPools:
    """The people of some pools. Parts of them, pools or wards, are each in one task, in the order of the people."""

    def __init__(self, rows: ClusterRows, pool_of_person: np.ndarray, pools: int) -> None:
        self.of, self.work, self.y = rows, rows.work, rows.y
        self.pool_of_person, self.count = pool_of_person, pools
        self.sizes = np.bincount(pool_of_person, minlength=pools)
        self._by_pool: DataFrame | None = None
        self.wards: DataFrame | None = None
        self.people: DataFrame | None = None
        self.solved: list[DataFrame] = []  # channels, of each time that wards were solved
        self.last: dict[int, int] = {}  # of these, where the channel of a ward is

    # --- pools

    @property
    def by_pool(self) -> DataFrame:
        if self._by_pool is None:
            self._by_pool = self.of.send(self.pool_of_person, self.count, "pools")
        return self._by_pool

    def cut(self, most: int, keys: list[str]) -> Iterator[np.ndarray]:
        """Of the people of each pool the ward that they are in."""
        large = np.flatnonzero(self.sizes > most)
        found = {}
        if len(large):
            self.work.step("wards")
            task = CutPools(self.of.spec, self.of.columns, self.of.values, most, tuple(keys))
            of_large = self.by_pool.filter(F.col("bucket").isin(large.tolist()))
            found = _answers(blobs.by_bucket(of_large, min(self.of.tasks, len(large))).mapInArrow(task, task.schema))
        for pool in range(self.count):
            wards = found.get(pool)
            yield np.zeros(self.sizes[pool], np.uint32) if wards is None else np.frombuffer(wards, np.uint32)

    def learn(self, key: str) -> Iterator[kernels.LearnedPool]:
        self.work.step("learned attacker")
        task = LearnPools(self.of.columns, self.of.values, key)
        by_pool = blobs.by_bucket(self.by_pool, min(self.of.tasks, self.count))
        found = _answers(by_pool.mapInArrow(task, task.schema))
        for pool in range(self.count):
            yield pickle.loads(found.pop(pool))

    # --- wards

    def gather(self, ward_of_person: np.ndarray, wards: int) -> None:
        self.work.step("people of wards")
        self.wards, self.count_of_wards = self.of.send(ward_of_person, wards, "wards"), wards

    def describe(self, people: list[kernels.WardPeople]) -> None:
        frames = []
        for first in range(0, len(people), _WARDS_OF_FRAME):
            some = list(enumerate(people[first : first + _WARDS_OF_FRAME], first))
            frames.append(self.of.store("described", objects(self.work.spark, PEOPLE, some)))
        self.people = reduce(DataFrame.unionByName, frames)

    def spreads(self) -> list[float]:
        task = Spreads(self.of.spec, self.of.columns)
        wards = blobs.by_bucket(self.wards, min(self.of.tasks, self.count_of_wards))
        found = _answers(wards.mapInArrow(task, task.schema))
        return [pickle.loads(found[ward]) for ward in range(self.count_of_wards)]

    def begin(self, how: kernels.WardTerms) -> None:
        """From here on wards are solved like this, each from nothing the first time."""
        self.how, self.solved, self.last = how, [], {}

    def solve(self, wards: np.ndarray, prices: np.ndarray, tolerances: np.ndarray) -> list[tuple]:
        """Figures of each ward. Channels stay on the cluster, where the next time begins with them."""
        self.work.step("choosing donors")
        chosen = wards.tolist()
        given = [_of(self.wards, chosen), _of(self.people, chosen), *self._starts(chosen)]
        orders = dict(zip(chosen, zip(prices.tolist(), tolerances.tolist())))
        task = SolveWards(self.of.spec, self.of.columns, self.how, orders)
        together = blobs.by_bucket(reduce(DataFrame.unionByName, given), min(self.of.tasks, len(chosen)))
        self.solved.append(self.of.store("solved", together.mapInArrow(task, task.schema)))
        self.last |= dict.fromkeys(chosen, len(self.solved) - 1)
        found = {row["bucket"]: row["note"] for row in self.solved[-1].select("bucket", "note").collect()}
        return [pickle.loads(found[ward]) for ward in chosen]

    def _starts(self, wards: list[int]) -> Iterator[DataFrame]:
        for number, table in enumerate(self.solved):
            mine = [ward for ward in wards if self.last.get(ward) == number]
            if mine:
                yield _of(table, mine).withColumn("note", F.lit(None).cast("binary"))

    def channels(self) -> Iterator[tuple[int, kernels.WardChannel]]:
        """The last one of each ward, in no order."""
        for table in self._starts(list(range(self.count_of_wards))):
            for row in table.select("bucket", "payload").toLocalIterator():
                yield row["bucket"], content([blobs.unpacked(pa.py_buffer(row["payload"]))])

    def together(self, how: kernels.WardTerms, budget: float) -> kernels.SolvedWards:
        self.work.step("choosing donors")
        task = SolveTogether(self.of.spec, self.of.columns, how, budget)
        given = self.wards.unionByName(self.people)
        return pickle.loads(_answers(blobs.by_bucket(given, 1).mapInArrow(task, task.schema))[0])


def _of(frame: DataFrame, parts: list[int]) -> DataFrame:
    return frame.filter(F.col("bucket").isin(parts))


def _answers(frame: DataFrame) -> dict[int, bytes]:
    return {row["bucket"]: bytes(row["payload"]) for row in frame.select("bucket", "payload").collect()}

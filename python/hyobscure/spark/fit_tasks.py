"""Methods that look at each person, on the executors: all of it in one task, or the wards of `fine` in many."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from hyobscure._core import kernels

from . import arrow, blobs
from .tasks import Task, batch_of, blocks, numbers

if TYPE_CHECKING:
    from .census import Census

ROWS, PEOPLE, START, SOLVED = range(20, 24)  # what a blob of a ward, or of a pool, holds

_ROWS_TOGETHER = 1 << 14  # people's rows, of a kilobyte perhaps, that wait for their part


def cores_of_task() -> int:
    return max(1, TaskContext.get().cpus())


def _values(block: pa.RecordBatch) -> np.ndarray:
    return numbers(block, "y").astype(np.uint32)


@dataclass(frozen=True)
class Values(Task):
    """Value and cluster of each person."""

    model: kernels.Model | None

    schema = "block long, y binary, cluster binary"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for first, block in blocks(batches):
            cluster = np.zeros(0, np.uint32) if self.model is None else self.model.assign(arrow.rows(block))
            content = {"y": _values(block), "cluster": cluster}
            packed = {name: pa.array([found.tobytes()], pa.binary()) for name, found in content.items()}
            yield batch_of(block=[first], **packed)


@dataclass(frozen=True)
class FitPeople(Task):
    """All rows that come, in one task and in their order, give the mechanism."""

    spec: kernels.Spec
    census: Census
    pair_sums: bytes

    schema = "mechanism string"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from .fit import solver_of

        found = [(_values(block), arrow.rows(block)) for _, block in blocks(batches)]
        if not found:  # Spark may ask about a partition that is empty
            return
        y, rows = np.concatenate([y for y, _ in found]), arrow.joined([each for _, each in found])
        solver = solver_of(self.census, self.spec, self.census.secrets.space_again(self.spec))
        solver.set_pair_sums(self.pair_sums)
        text = solver.solve_people(y, self.census.model.assign(rows), rows, None, cores_of_task())
        yield batch_of(mechanism=pa.array([text], pa.string()))


# --- pools and wards


@dataclass(frozen=True)
class SendRows(Task):
    """Everybody's row, to the part of the people that they are in."""

    part_of_person: np.ndarray
    parts: int

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer = blobs.Packer(ROWS, self.parts, max(_ROWS_TOGETHER, 8 * self.parts))
        for first, block in blocks(batches):
            u = np.arange(first, first + block.num_rows, dtype=np.int64)
            columns = {name: block.column(name) for name in ("y", "items", "values")}
            yield from packer.add(batch_of(u=u, **columns), self.part_of_person[u])
        yield from packer.rest()


@dataclass(frozen=True)
class _Part(Task):
    """One answer of each part, from its people in their order."""

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part, kinds in blobs.groups(batches):
            people = blobs.as_one(kinds[ROWS])
            people = people.take(pa.array(np.argsort(numbers(people, "u"))))
            yield blobs.blob([part], SOLVED, [self.answer(part, people)])

    def answer(self, part: int, people: pa.RecordBatch) -> bytes:
        raise NotImplementedError


@dataclass(frozen=True)
class CutPools(_Part):
    """Of each person of a pool the ward that they are in."""

    spec: kernels.Spec
    columns: int
    values: int
    most: int
    keys: tuple[str, ...]

    def answer(self, part: int, people: pa.RecordBatch) -> bytes:
        rows, threads = arrow.rows(people), cores_of_task()
        key = self.keys[part]
        wards = kernels.cut_pool(self.spec, rows, self.columns, _values(people), self.values, self.most, key, threads)
        return wards.tobytes()


@dataclass(frozen=True)
class LearnPools(_Part):
    """What a model of other people of the pool says of each."""

    columns: int
    values: int
    key: str

    def answer(self, part: int, people: pa.RecordBatch) -> bytes:
        u = numbers(people, "u").astype(np.uint32)
        rows, threads = arrow.rows(people), cores_of_task()
        learned = kernels.learn_pool(rows, self.columns, _values(people), u, self.values, self.key, threads)
        return pickle.dumps(learned)


@dataclass(frozen=True)
class Spreads(_Part):
    """The mean distance between some people of each ward."""

    spec: kernels.Spec
    columns: int

    def answer(self, part: int, people: pa.RecordBatch) -> bytes:
        return pickle.dumps(kernels.ward_spread(self.spec, arrow.rows(people), self.columns))


def _rows_in_order(found: list[pa.RecordBatch]) -> arrow.Rows:
    people = blobs.as_one(found)
    return arrow.rows(people.take(pa.array(np.argsort(numbers(people, "u")))))


def content(found: list[pa.RecordBatch]) -> object:
    """Of a blob that holds one object."""
    return pickle.loads(found[0].column("content")[0].as_buffer())


def holding(each: object) -> bytes:
    """The payload of a blob that holds one object."""
    return blobs.packed(batch_of(content=pa.array([pickle.dumps(each)], pa.binary())))


def objects(spark: SparkSession, kind: int, of_part: list[tuple[int, object]]) -> DataFrame:
    """From the driver, one object for each of some parts of the people."""
    rows = [(part, kind, bytearray(holding(each)), None) for part, each in of_part]
    return spark.createDataFrame(rows, blobs.SCHEMA)


@dataclass(frozen=True)
class SolveWards(Task):
    """Each ward at its price of distance: its channel, and what it comes to as a note."""

    spec: kernels.Spec
    columns: int
    how: kernels.WardTerms
    orders: dict[int, tuple[float, float]]  # price and tolerance of each ward

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for ward, kinds in blobs.groups(batches):
            price, tolerance = self.orders[ward]
            start = content(kinds[START]) if START in kinds else None
            people, rows = content(kinds[PEOPLE]), _rows_in_order(kinds[ROWS])
            figures, channel = kernels.solve_ward(
                self.spec, rows, self.columns, people, self.how, price, tolerance, start, cores_of_task()
            )
            yield _solved(ward, channel, figures)


def _solved(ward: int, channel: kernels.WardChannel, figures: tuple) -> pa.RecordBatch:
    columns = [
        pa.array([ward], pa.int32()),
        pa.array([START], pa.int32()),  # of the next time
        pa.array([holding(channel)], pa.binary()),
        pa.array([pickle.dumps(figures)], pa.binary()),
    ]
    return pa.RecordBatch.from_arrays(columns, names=["bucket", "kind", "payload", "note"])


@dataclass(frozen=True)
class SolveTogether(Task):
    """All wards that come, in one task and in their order, as one problem."""

    spec: kernels.Spec
    columns: int
    how: kernels.WardTerms
    budget: float

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, people = [], []
        for _, kinds in blobs.groups(batches):
            rows.append(_rows_in_order(kinds[ROWS]))
            people.append(content(kinds[PEOPLE]))
        if not rows:
            return
        threads = cores_of_task()
        found = kernels.solve_wards_together(self.spec, rows, self.columns, people, self.how, self.budget, threads)
        yield blobs.blob([0], SOLVED, [pickle.dumps(found)])

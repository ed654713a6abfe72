"""The census, on the executors: clusters, counts and exact sums of cells."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hyobscure._core import kernels

from . import arrow, blobs
from .tasks import BLOCK, Task, batch_of, blocks, numbers

_MOST_BYTES = 512 << 20  # of sums in a task: fewer would be handed on again and again
_PARTS_OF_BATCH = 64  # one may take a megabyte


@dataclass(frozen=True)
class Choose(Task):
    """The rows of some of the people, who are ascending; of all of them where these are none."""

    people: np.ndarray | None

    schema = "block long, payload binary"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for first, block in blocks(batches):
            rows = block.select(["items", "values"])
            if self.people is not None:
                begin, end = np.searchsorted(self.people, [first, first + block.num_rows])
                if begin == end:
                    continue
                rows = rows.take(pa.array(self.people[begin:end].astype(np.int64) - first))
            yield batch_of(block=[first // BLOCK], payload=pa.array([blobs.packed(rows)], pa.binary()))


@dataclass(frozen=True)
class Cluster(Task):
    """All rows that come, in one task, give the cluster model."""

    spec: kernels.Spec
    columns: int
    sampled: bool

    schema = "model binary"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        given = [arrow.rows(block) for _, block in blocks(batches)]
        if given:  # Spark may ask about a partition that is empty
            model = kernels.cluster(arrow.joined(given), self.columns, self.spec, self.sampled)
            yield batch_of(model=pa.array([pickle.dumps(model)], pa.binary()))


@dataclass(frozen=True)
class Extent(Task):
    columns: int

    schema = "entry double, square double"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _, block in blocks(batches):
            entry, square = kernels.extent(arrow.rows(block), self.columns)
            yield batch_of(entry=[entry], square=[square])


@dataclass(frozen=True)
class ClusterSizes(Task):
    """People and the first of them by cluster."""

    model: kernels.Model

    schema = "cluster int, people long, first long"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        people = np.zeros(self.model.clusters, np.int64)
        firsts = np.full(self.model.clusters, np.iinfo(np.int64).max)
        for first, block in blocks(batches):
            labels = self.model.assign(arrow.rows(block))
            people += np.bincount(labels, minlength=len(people))
            np.minimum.at(firsts, labels, first + np.arange(len(labels)))
        there = np.flatnonzero(people)
        yield batch_of(cluster=there.astype(np.int32), people=people[there], first=firsts[there])


@dataclass(frozen=True)
class AddCells(Task):
    """Counts of the cells (those without item) and exact sums by item, of the people of one partition."""

    spec: kernels.Spec
    model: kernels.Model
    people: int
    extent: tuple[float, float]

    schema = "item long, cell int, people long, payload binary"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sums = kernels.CellSums(self.spec, self.model.columns, self.people, self.extent)
        people = np.zeros(0, np.int64)
        for _, block in blocks(batches):
            rows = arrow.rows(block)
            cell = numbers(block, "y") * self.model.clusters + self.model.assign(rows)
            sums.add(rows, cell.astype(np.uint32))
            people = _added(people, np.bincount(cell))
            if sums.memory > _MOST_BYTES:
                yield from self._parts(*sums.parts())
        yield from self._parts(*sums.parts())
        yield self._counts(people)

    def _counts(self, people: np.ndarray) -> pa.RecordBatch:
        cells = np.flatnonzero(people)
        return batch_of(
            item=pa.nulls(len(cells), pa.int64()),
            cell=cells.astype(np.int32),
            people=people[cells],
            payload=pa.nulls(len(cells), pa.binary()),
        )

    def _parts(self, items: np.ndarray, payloads: list[bytes]) -> Iterator[pa.RecordBatch]:
        for begin in range(0, len(items), _PARTS_OF_BATCH):
            some = slice(begin, begin + _PARTS_OF_BATCH)
            yield _sums(items[some], payloads[some])


def _added(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    total = np.zeros(max(len(one), len(other)), np.int64)
    total[: len(one)] += one
    total[: len(other)] += other
    return total


@dataclass(frozen=True)
class JoinCells(Task):
    """Sums of the same item from several partitions, sorted by item, become one. Counts, first, stay as they are."""

    schema = AddCells.schema

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sums = _Counts(batches)
        for batch in arrow.between_groups(sums, lambda batch: numbers(batch, "item")):
            items, payloads = kernels.join_parts(
                numbers(batch, "item").astype(np.uint32), batch.column("payload").to_pylist()
            )
            yield _sums(items, payloads)
        yield from sums.counts


class _Counts:
    """Batches without the counts in them, which are put aside."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self.batches, self.counts = batches, []

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self.batches:
            if batch.column("item").null_count:
                is_count = batch.column("item").is_null()
                self.counts.append(batch.filter(is_count))
                batch = batch.filter(pc.invert(is_count))
            yield batch


def _sums(items: np.ndarray, payloads: list[bytes]) -> pa.RecordBatch:
    return batch_of(
        item=items.astype(np.int64),
        cell=pa.nulls(len(items), pa.int32()),
        people=pa.nulls(len(items), pa.int64()),
        payload=pa.array(payloads, pa.binary()),
    )

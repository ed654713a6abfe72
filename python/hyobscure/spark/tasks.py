"""What runs on the executors: batches in, kernels, batches out. Nothing here loops over people."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast

from hyobscure._core import kernels
from hyobscure._errors import InputError

from . import arrow
from .errors import carried

BLOCK = kernels.FINGERPRINT_BLOCK  # people whose fingerprint is taken together
_MOST_BYTES = 512 << 20  # of sums in a task: fewer would be handed on again and again
_PARTS_OF_BATCH = 64  # one may take a megabyte
_SIGN = np.uint64(1 << 63)


class Task:
    """A function for mapInArrow. Refusals of the kernels reach the driver."""

    schema: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            yield from self.run(batches)
        except InputError as error:
            raise carried(error) from None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError


def _batch(**columns: object) -> pa.RecordBatch:
    arrays = [column if isinstance(column, pa.Array) else pa.array(column) for column in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def _numbers(batch: pa.RecordBatch, name: str) -> np.ndarray:
    return batch.column(name).to_numpy(zero_copy_only=False)


def _signed(hashes: np.ndarray) -> np.ndarray:
    """Spark has no unsigned numbers: 64 bits as a signed number in the same order."""
    return (np.asarray(hashes, np.uint64) ^ _SIGN).view(np.int64)


@dataclass(frozen=True)
class Assemble(Task):
    """People (without item) and their entries, in the order of u, become one row per person.

    The last person of a block carries the hash of the block. Blocks must come whole.
    """

    spec: kernels.Spec
    exact_secrets: np.ndarray  # ascending
    value_of_secret: np.ndarray
    columns: int

    schema = "u long, id string, y int, items array<int>, values array<double>, hash string"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for block in arrow.whole_groups(batches, lambda batch: _numbers(batch, "u") // BLOCK):
            yield self._rows(block)

    def _rows(self, block: pa.RecordBatch) -> pa.RecordBatch:
        is_person = block.column("item").is_null()
        people, entries = block.filter(is_person), block.filter(pc.invert(is_person))
        u = _numbers(people, "u")
        y = self.value_of_secret[np.searchsorted(self.exact_secrets, _numbers(people, "secret"))]
        counts = np.bincount(_numbers(entries, "u") - u[0], minlength=len(u))
        rows = kernels.merge_events(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            _numbers(entries, "item").astype(np.uint32),
            _numbers(entries, "value"),
            self.spec,
        )
        self._check(rows)
        starts, items, values = rows
        ids = people.column("id")
        block_hash = kernels.fingerprint_block(arrow.texts(ids), y, rows)
        return _batch(
            u=u,
            id=ids,
            y=y.astype(np.int32),
            items=arrow.list_of(starts, items.view(np.int32)),
            values=arrow.list_of(starts, values),
            hash=pa.array([None] * (len(u) - 1) + [block_hash], pa.string()),
        )

    def _check(self, rows: arrow.Rows) -> None:
        """Of rows without entries the spec decides, when all are known."""
        starts, items, values = rows
        kernels.check_rows((np.unique(starts), items, values), self.columns, self.spec)


@dataclass(frozen=True)
class Cluster(Task):
    """All rows that come, in one task, give the cluster model."""

    spec: kernels.Spec
    columns: int
    sampled: bool

    schema = "model binary"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        given = [arrow.rows(batch) for batch in batches]
        if given:  # Spark may ask about a partition that is empty
            model = kernels.cluster(arrow.joined(given), self.columns, self.spec, self.sampled)
            yield _batch(model=pa.array([pickle.dumps(model)], pa.binary()))


@dataclass(frozen=True)
class Extent(Task):
    columns: int

    schema = "entry double, square double"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            entry, square = kernels.extent(arrow.rows(batch), self.columns)
            yield _batch(entry=[entry], square=[square])


@dataclass(frozen=True)
class ClusterSizes(Task):
    """People and the first of them by cluster."""

    model: Broadcast

    schema = "cluster int, people long, first long"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            labels = self.model.value.assign(arrow.rows(batch))
            clusters, inverse = np.unique(labels, return_inverse=True)
            first = np.full(len(clusters), np.iinfo(np.int64).max)
            np.minimum.at(first, inverse, _numbers(batch, "u"))
            yield _batch(cluster=clusters.astype(np.int32), people=np.bincount(inverse), first=first)


@dataclass(frozen=True)
class AddCells(Task):
    """Counts of the cells (those without item) and exact sums by item, of the people of one partition."""

    spec: kernels.Spec
    model: Broadcast
    people: int
    extent: tuple[float, float]

    schema = "item long, cell int, people long, payload binary"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        model = self.model.value
        sums = kernels.CellSums(self.spec, model.columns, self.people, self.extent)
        people = np.zeros(0, np.int64)
        for batch in batches:
            rows = arrow.rows(batch)
            cell = _numbers(batch, "y") * model.clusters + model.assign(rows)
            sums.add(rows, cell.astype(np.uint32))
            people = _added(people, np.bincount(cell))
            if sums.memory > _MOST_BYTES:
                yield from self._parts(*sums.parts())
        yield from self._parts(*sums.parts())
        yield self._counts(people)

    def _counts(self, people: np.ndarray) -> pa.RecordBatch:
        cells = np.flatnonzero(people)
        return _batch(
            item=pa.nulls(len(cells), pa.int64()),
            cell=cells.astype(np.int32),
            people=people[cells],
            payload=pa.nulls(len(cells), pa.binary()),
        )

    def _parts(self, items: np.ndarray, payloads: list[bytes]) -> Iterator[pa.RecordBatch]:
        for begin in range(0, len(items), _PARTS_OF_BATCH):
            some = slice(begin, begin + _PARTS_OF_BATCH)
            count = len(items[some])
            yield _batch(
                item=items[some].astype(np.int64),
                cell=pa.nulls(count, pa.int32()),
                people=pa.nulls(count, pa.int64()),
                payload=pa.array(payloads[some], pa.binary()),
            )


def _added(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    total = np.zeros(max(len(one), len(other)), np.int64)
    total[: len(one)] += one
    total[: len(other)] += other
    return total


@dataclass(frozen=True)
class JoinCells(Task):
    """Sums of the same item from several partitions, sorted by item, become one."""

    schema = "item long, payload binary"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in arrow.between_groups(batches, lambda batch: _numbers(batch, "item")):
            items, payloads = kernels.join_parts(
                _numbers(batch, "item").astype(np.uint32), batch.column("payload").to_pylist()
            )
            yield _batch(item=items.astype(np.int64), payload=pa.array(payloads, pa.binary()))


@dataclass(frozen=True)
class Draw(Task):
    """Each person's own cell and order in it, and cell and place of the donor: by ids and key alone."""

    mechanism: Broadcast  # its text
    spec: kernels.Spec
    publishes_hashes: bool  # new ids, or rows in an order of hashes

    schema = (
        "u long, id string, group int, own_cell int, hash1 long, hash2 long, donor_cell int, place long, "
        "retained boolean, published1 long, published2 long"
    )

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        draws = kernels.Draws(self.mechanism.value)
        for batch in batches:
            ids = arrow.texts(batch.column("id"))
            y = _numbers(batch, "y").astype(np.uint32)
            drawn = draws.draw(ids, y, draws.model.assign(arrow.rows(batch)))
            first, second = draws.published(ids, self.spec) if self.publishes_hashes else (y * 0, y * 0)
            yield _batch(
                u=batch.column("u"),
                id=batch.column("id"),
                group=drawn["group"],
                own_cell=drawn["own_cell"],
                hash1=_signed(drawn["hash1"]),
                hash2=_signed(drawn["hash2"]),
                donor_cell=drawn["donor_cell"],
                place=drawn["place"],
                retained=drawn["retained"].astype(bool),
                published1=_signed(first),
                published2=_signed(second),
            )

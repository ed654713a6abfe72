"""A release, on the executors: draws, donors and rows.

Donors of a cell are numbered in the order of their keyed hashes. These are uniform, so ranges of hashes are parts of
equal size, however skewed cells are: what each part holds of each cell gives the rank of anybody in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from hyobscure._core import kernels

from . import arrow, blobs
from .tasks import COUNTS, Task, batch_of, blocks, numbers, signed

DONORS, TAKERS, RECORDS, PAIRS, ROWS = range(10, 15)
COLLISION = "hyobscure: two new ids are the same"

_MOST_TAKERS = 1 << 14  # whose rows are fetched at once


@dataclass(frozen=True)
class HashPeople(Task):
    """What a ledger knows people by."""

    salt: str

    schema = "hash long"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _, block in blocks(batches):
            yield batch_of(hash=signed(kernels.person_hashes(arrow.texts(block.column("id")), self.salt)))


def _part(hashes: np.ndarray, bits: int) -> np.ndarray:
    """Of 2^bits parts of equal width, the one that each is in."""
    return (hashes >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(len(hashes), np.int64)


@dataclass(frozen=True)
class CountCells(Task):
    """People by own cell and part of the hashes."""

    mechanism: str
    bits: int

    schema = "cell int, part int, people long"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        draws = kernels.Draws(self.mechanism)
        counts = np.zeros(len(draws.cell_people) << self.bits, np.int64)
        for _, block in blocks(batches):
            drawn = _drawn(draws, block)
            part = _part(drawn["hash1"], self.bits)
            counts += np.bincount((drawn["own_cell"].astype(np.int64) << self.bits) + part, minlength=len(counts))
        there = np.flatnonzero(counts)
        cell, part = (there >> self.bits).astype(np.int32), (there & ((1 << self.bits) - 1)).astype(np.int32)
        yield batch_of(cell=cell, part=part, people=counts[there])


def _drawn(draws: kernels.Draws, block: pa.RecordBatch) -> dict[str, np.ndarray]:
    y = numbers(block, "y").astype(np.uint32)
    return draws.draw(arrow.texts(block.column("id")), y, draws.model.assign(arrow.rows(block)))


@dataclass(frozen=True)
class SendDraws(Task):
    """Each person, as a donor, to the part of their hash; and as a taker to the part that their donor is in."""

    mechanism: str
    spec: kernels.Spec
    bits: int
    starts: np.ndarray  # people before each part of each cell, of all cells in their order
    cells: np.ndarray  # people before each cell
    publishes_hashes: bool  # new ids, or rows in an order of hashes
    keeps_ids: bool

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        draws, parts = kernels.Draws(self.mechanism), 1 << self.bits
        donors, takers = blobs.Packer(DONORS, parts), blobs.Packer(TAKERS, parts)
        for first, block in blocks(batches):
            drawn = _drawn(draws, block)
            u = first + np.arange(block.num_rows)
            own = _part(drawn["hash1"], self.bits)
            columns = {name: drawn[name] for name in ("hash1", "hash2")}
            yield from donors.add(batch_of(cell=drawn["own_cell"], **columns, u=u), own)
            yield from takers.add(*self._takers(draws, block, drawn, u, own))
        yield from donors.rest()
        yield from takers.rest()

    def _slot(self, place: np.ndarray) -> np.ndarray:
        """The last part that begins there: not an empty one."""
        return np.searchsorted(self.starts, place, side="right") - 1

    def _takers(
        self, draws: kernels.Draws, block: pa.RecordBatch, drawn: dict, u: np.ndarray, own: np.ndarray
    ) -> tuple[pa.RecordBatch, np.ndarray]:
        place = self.cells[drawn["donor_cell"]] + drawn["place"]
        slot = self._slot(place)
        mine = (drawn["own_cell"].astype(np.int64) << self.bits) + own
        beside = np.zeros(len(u), bool)
        if draws.draw_others:
            # From the own place on it is the next one. Parts are ordered, and the last place of the own part is
            # never before the own: only inside the own part is the order to be looked at.
            last = np.append(self.starts[1:], np.iinfo(np.int64).max)[slot] == place + 1
            place = place + ((slot > mine) | ((slot == mine) & last))
            slot = self._slot(place)
            beside = (drawn["retained"] == 0) & (slot == mine) & ~last
        at = place - self.starts[slot]
        retained = drawn["retained"].astype(bool)
        first, second = u.astype(np.uint64), np.zeros(len(u), np.uint64)
        ids = block.column("id")
        if self.publishes_hashes:
            first, second = kernels.published_hashes(draws.key, arrow.texts(ids), self.spec)
        taker = {
            "cell": drawn["donor_cell"],
            "at": at,
            "beside": beside,
            "donor": np.where(retained, u, -1),  # known for those who keep their own row
            "u": u,
            "group": drawn["group"],
            "first": first,
            "second": second,
        }
        if draws.draw_others:
            taker |= {"hash1": drawn["hash1"], "hash2": drawn["hash2"]}
        if self.keeps_ids:
            taker["id"] = ids
        return batch_of(**taker), np.where(retained, own, slot & ((1 << self.bits) - 1))


@dataclass(frozen=True)
class Pair(Task):
    """Takers find their donors, and go where these have their rows."""

    people_of_bucket: int
    buckets: int

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer, unchanged = blobs.Packer(PAIRS, self.buckets), 0
        for _, kinds in blobs.groups(batches):
            if TAKERS not in kinds:
                continue
            takers = blobs.as_one(kinds[TAKERS])
            donor = numbers(takers, "donor").copy()
            seeking = donor < 0
            if seeking.any():
                donor[seeking] = _found(blobs.as_one(kinds[DONORS]), takers, seeking)
            unchanged += int((donor == numbers(takers, "u")).sum())
            names = [name for name in takers.schema.names if name not in _SOUGHT_BY]
            paired = batch_of(donor=donor, **{name: takers.column(name) for name in names})
            yield from packer.add(paired, donor // self.people_of_bucket)
        yield from packer.rest()
        yield blobs.notes(COUNTS, [json.dumps({"task": TaskContext.get().partitionId(), "unchanged": unchanged})])


_SOUGHT_BY = ("cell", "at", "beside", "donor", "hash1", "hash2")


def _found(donors: pa.RecordBatch, takers: pa.RecordBatch, seeking: np.ndarray) -> np.ndarray:
    """Ids decide where hashes of 128 bits are the same: never."""
    cell, first, second = (numbers(donors, name) for name in ("cell", "hash1", "hash2"))
    order = np.lexsort((second, first, cell))
    place = np.searchsorted(cell[order], numbers(takers, "cell")[seeking]) + numbers(takers, "at")[seeking]
    beside = np.asarray(takers.column("beside"))[seeking]
    if beside.any():
        mine, mine_too = (numbers(takers, name)[seeking][beside] for name in ("hash1", "hash2"))
        there = order[place[beside]]
        behind = (first[there] > mine) | ((first[there] == mine) & (second[there] >= mine_too))
        place[beside] += behind
    return numbers(donors, "u")[order][place]


@dataclass(frozen=True)
class Places:
    """Where a row of the release is: the task that writes it, by what the rows are in the order of."""

    tasks: int  # a power of two
    people: int
    by_hash: bool
    keys: tuple[int, ...]  # that Spark sends to each task

    def task_of(self, first: np.ndarray) -> np.ndarray:
        if self.by_hash:
            return _part(first, self.tasks.bit_length() - 1)
        return first.astype(np.int64) * self.tasks // self.people

    def keyed(self, packed: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        keys = np.array(self.keys, np.int32)
        for batch in packed:
            tasks = numbers(batch, "bucket")
            columns = {name: batch.column(name) for name in batch.schema.names}
            yield batch_of(**{**columns, "bucket": pa.array(keys[tasks])})


@dataclass(frozen=True)
class SendPeople(Task):
    """Takers go to the task that writes their row."""

    places: Places

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer = blobs.Packer(ROWS, self.places.tasks)
        for batch in batches:
            for payload in batch.column("payload"):
                people = blobs.unpacked(payload)
                yield from self.places.keyed(packer.add(people, self.places.task_of(numbers(people, "first"))))
        yield from self.places.keyed(packer.rest())


@dataclass(frozen=True)
class Fetch(Task):
    """The donor's cells, for each taker, to the task that writes them."""

    places: Places

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer = blobs.Packer(ROWS, self.places.tasks)
        for _, kinds in blobs.groups(batches):
            if PAIRS not in kinds:
                continue
            records = blobs.as_one(sorted(kinds[RECORDS], key=lambda each: each.column("who")[0].as_py()))
            who = numbers(records, "who")
            cells = records.select(records.schema.names[1:])
            takers = blobs.as_one(kinds[PAIRS])
            for begin in range(0, takers.num_rows, _MOST_TAKERS):
                rows = _fetched(cells, who, takers.slice(begin, _MOST_TAKERS))
                task = self.places.task_of(numbers(rows, "first"))
                yield from self.places.keyed(packer.add(rows, task))
        yield from self.places.keyed(packer.rest())


def _fetched(cells: pa.RecordBatch, who: np.ndarray, takers: pa.RecordBatch) -> pa.RecordBatch:
    donor = numbers(takers, "donor")
    begin, end = np.searchsorted(who, donor), np.searchsorted(who, donor, side="right")
    count = end - begin
    before = np.cumsum(count) - count
    taker = np.repeat(np.arange(len(donor)), count)
    taken = cells.take(pa.array(np.arange(len(taker)) - before[taker] + begin[taker]))
    names = [name for name in takers.schema.names if name not in ("donor", "u")]
    heads = takers.select(names).take(pa.array(taker))
    return batch_of(**{name: heads.column(name) for name in names}, **dict(zip(taken.schema.names, taken.columns)))


@dataclass(frozen=True)
class WriteRows(Task):
    """The rows of a part of the release, in their order: (id, label, cells), those of `columns`."""

    columns: tuple[str, ...]
    labels: dict[str, list[str]]  # of each column of labels, by group
    keeps_ids: bool
    with_second: bool  # new ids of 32 digits, as 16 are not enough
    one_per_person: bool

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [blobs.unpacked(payload) for batch in batches for payload in batch.column("payload")]
        if not found:
            return
        rows = blobs.as_one(found)
        first, second = numbers(rows, "first"), numbers(rows, "second")
        # A person's rows came together, in the order of their content, and stay so.
        order = np.lexsort((second, first))
        first, second = first[order], second[order]
        if self.one_per_person and not (self.keeps_ids or self.with_second) and np.any(first[1:] == first[:-1]):
            raise RuntimeError(COLLISION)
        for begin in range(0, len(order), 1 << 16):
            some = slice(begin, begin + (1 << 16))
            batch = rows.take(pa.array(order[some]))
            yield batch_of(**{name: self._column(name, batch, first[some], second[some]) for name in self.columns})

    def _column(self, name: str, batch: pa.RecordBatch, first: np.ndarray, second: np.ndarray) -> pa.Array:
        if name == "id":
            return self._ids(batch, first, second)
        if name in self.labels:
            return pa.array(self.labels[name], pa.string()).take(batch.column("group"))
        return batch.column(name)

    def _ids(self, batch: pa.RecordBatch, first: np.ndarray, second: np.ndarray) -> pa.Array:
        if self.keeps_ids:
            return batch.column("id")
        digits = np.stack([first, second], axis=1) if self.with_second else first
        text = digits.astype(">u8").tobytes().hex().encode()
        width = 32 if self.with_second else 16
        offsets = np.arange(len(first) + 1, dtype=np.int32) * width
        return pa.StringArray.from_buffers(len(first), pa.py_buffer(offsets), pa.py_buffer(text))

"""Who publishes whose features, where that takes more than the person and counts: lists of donors, or all rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from hyobscure._core import kernels

from . import arrow, blobs
from .fit_tasks import content, cores_of_task
from .release_tasks import PAIRS
from .tasks import BLOCK, COUNTS, Task, batch_of, blocks, numbers

PERSONS, LISTS = range(30, 32)


@dataclass(frozen=True)
class Takers:
    """What a release must know of those whose donors were drawn."""

    key: str
    spec: kernels.Spec
    publishes_hashes: bool  # new ids, or rows in an order of hashes
    keeps_ids: bool

    def paired(self, ids: pa.Array, first: int, group: np.ndarray, donor: np.ndarray) -> pa.RecordBatch:
        """Of people who follow each other from `first` on."""
        u = first + np.arange(len(ids))
        one, other = u.astype(np.uint64), np.zeros(len(u), np.uint64)
        if self.publishes_hashes:
            one, other = kernels.published_hashes(self.key, arrow.texts(ids), self.spec)
        taker = {"u": u, "group": group.astype(np.int32), "first": one, "second": other}
        if self.keeps_ids:
            taker["id"] = ids
        return batch_of(donor=donor.astype(np.int64), **taker)


@dataclass(frozen=True)
class _Pairs(Task):
    """Takers with their donors, to where these have their rows; and how many are their own."""

    takers: Takers
    people_of_bucket: int
    buckets: int

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer, unchanged = blobs.Packer(PAIRS, self.buckets), 0
        for pairs in self.drawn(batches):
            donor = numbers(pairs, "donor")
            unchanged += int((donor == numbers(pairs, "u")).sum())
            yield from packer.add(pairs, donor // self.people_of_bucket)
        yield from packer.rest()
        yield blobs.notes(COUNTS, [json.dumps({"task": TaskContext.get().partitionId(), "unchanged": unchanged})])

    def drawn(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError


@dataclass(frozen=True)
class DrawOfLists(_Pairs):
    """Blocks of people come with the lists that are theirs."""

    key_and_retain: tuple[str, list[float]]

    def drawn(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for block, kinds in blobs.groups(batches):
            ids = kinds[PERSONS][0].column("id")
            group, donor = kernels.draw_of_lists(self.key_and_retain, arrow.texts(ids), content(kinds[LISTS]))
            yield self.takers.paired(ids, block * BLOCK, group, donor)


@dataclass(frozen=True)
class DrawOfRows(_Pairs):
    """All people come, in one task and in their order."""

    mechanism: str

    def drawn(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [block for _, block in blocks(batches)]
        if not found:
            return
        people = blobs.as_one(found)
        ids, y = people.column("id"), numbers(people, "y").astype(np.uint32)
        rows, threads = arrow.rows(people), cores_of_task()
        group, donor = kernels.draw_of_rows(self.mechanism, arrow.texts(ids), y, rows, threads)
        yield self.takers.paired(ids, 0, group, donor)


@dataclass(frozen=True)
class SendIds(Task):
    """The ids of each block of people."""

    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for first, block in blocks(batches):
            yield blobs.blob([first // BLOCK], PERSONS, [blobs.packed(block.select(["id"]))])

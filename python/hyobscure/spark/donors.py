"""Donors of people who draw from lists of their own, or by the distances of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import DataFrame

from hyobscure._core import kernels

from . import blobs
from .donor_tasks import LISTS, DrawOfLists, DrawOfRows, SendIds, Takers
from .fit import values_of
from .fit_tasks import objects
from .reading import Reading
from .storage import Work
from .tasks import BLOCK

_BLOCKS_OF_FRAME = 16  # lists of so many blocks of people leave the driver at once: 4 MB a block, about


def pairs_of_lists(reading: Reading, draws: kernels.Draws, takers: Takers, work: Work) -> DataFrame:
    """Each block of people gets the lists that are theirs, and nobody else's."""
    y, _ = values_of(reading)
    listed = kernels.ListedPeople(draws, y)
    lists = reduce(DataFrame.unionByName, _stored_lists(listed, reading.people, work))
    send = SendIds()
    ids = reading.rows.select("block", "payload").mapInArrow(send, send.schema)
    task = DrawOfLists(takers, reading.people_of_bucket, reading.buckets, listed.key_and_retain())
    tasks = int(work.spark.conf.get("spark.sql.shuffle.partitions"))
    blocks = blobs.by_bucket(ids.unionByName(lists), min(tasks, -(-reading.people // BLOCK)))
    return blocks.mapInArrow(task, task.schema)


def _stored_lists(listed: kernels.ListedPeople, people: int, work: Work) -> Iterator[DataFrame]:
    of_frame = _BLOCKS_OF_FRAME * BLOCK
    for first in range(0, people, of_frame):
        of_block = []
        for begin in range(first, min(people, first + of_frame), BLOCK):
            of_block.append((begin // BLOCK, listed.lists(begin, min(people, begin + BLOCK))))
        yield work.store(f"lists-{first // of_frame}", objects(work.spark, LISTS, of_block))


def pairs_of_rows(reading: Reading, mechanism: str, takers: Takers) -> DataFrame:
    """All in one task: methods that compare all people of a group are for as many as fit in one."""
    task = DrawOfRows(takers, reading.people_of_bucket, reading.buckets, mechanism)
    rows = reading.rows.select("block", "payload")
    return rows.repartition(1).sortWithinPartitions("block").mapInArrow(task, task.schema)

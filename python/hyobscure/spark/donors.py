"""Donors of people who draw from lists of their own, or by the distances of all rows."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame

from hyobscure._core import kernels

from . import blobs
from .donor_tasks import LISTS, DrawOfLists, DrawOfRows, SendIds, Takers
from .fit import values_of
from .fit_tasks import holding
from .reading import Reading
from .storage import Work
from .tasks import BLOCK

_BLOCKS_OF_FRAME = 16  # lists of so many blocks of people leave the driver at once: 4 MB a block, about


def pairs_of_lists(reading: Reading, mechanism: str, takers: Takers, work: Work) -> DataFrame:
    """Each block of people gets the lists that are theirs, and nobody else's."""
    y, _ = values_of(reading)
    listed = kernels.ListedPeople(mechanism, y)
    lists = work.store("lists", reduce(DataFrame.unionByName, _frames(listed, reading.people, work)))
    send = SendIds()
    ids = reading.rows.select("block", "payload").mapInArrow(send, send.schema)
    task = DrawOfLists(takers, reading.people_of_bucket, reading.buckets, listed.key_and_retain())
    tasks = int(work.spark.conf.get("spark.sql.shuffle.partitions"))
    blocks = blobs.by_bucket(ids.unionByName(lists), min(tasks, -(-reading.people // BLOCK)))
    return blocks.mapInArrow(task, task.schema)


def _frames(listed: kernels.ListedPeople, people: int, work: Work) -> list[DataFrame]:
    frames = []
    for first in range(0, people, _BLOCKS_OF_FRAME * BLOCK):
        rows = []
        for begin in range(first, min(people, first + _BLOCKS_OF_FRAME * BLOCK), BLOCK):
            lists = listed.lists(begin, min(people, begin + BLOCK))
            rows.append((begin // BLOCK, LISTS, bytearray(holding(lists)), None))
        frames.append(work.spark.createDataFrame(rows, blobs.SCHEMA))
    return frames


def pairs_of_rows(reading: Reading, mechanism: str, takers: Takers) -> DataFrame:
    """All in one task: methods that compare all people of a group are for as many as fit in one."""
    task = DrawOfRows(takers, reading.people_of_bucket, reading.buckets, mechanism)
    rows = reading.rows.select("block", "payload")
    return rows.repartition(1).sortWithinPartitions("block").mapInArrow(task, task.schema)

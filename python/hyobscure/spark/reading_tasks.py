"""Reading, on the executors: rows go to the range of ids that their person is in, and become blocks of people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from hyobscure._core import kernels

from . import arrow, blobs
from .tasks import BLOCK, CELLS, COUNTS, ENTRIES, ITEM, PEOPLE, Task, batch_of, blocks, numbers


@dataclass(frozen=True)
class BucketPeople(Task):
    """Who is read, by the range of ids that they are in; and those left out, who are not unknown."""

    bounds: pa.Array
    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer = blobs.Packer(PEOPLE, len(self.bounds) + 1)
        for batch in batches:
            yield from packer.add(batch, _buckets(batch, self.bounds, "id"))
        yield from packer.rest()


@dataclass(frozen=True)
class BucketRows(Task):
    """Rows of people, who are in the column `person`, by the range of ids; without those of nobody."""

    kind: int
    bounds: pa.Array
    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer = blobs.Packer(self.kind, len(self.bounds) + 1)
        for batch in map(_of_somebody, batches):
            yield from packer.add(batch, _buckets(batch, self.bounds))
        yield from packer.rest()


@dataclass(frozen=True)
class BucketEntries(Task):
    """The same of (person, item, value, value_missing, ...), with the items that occur and counts of what is wrong."""

    bounds: pa.Array
    schema = blobs.SCHEMA

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer, seen = blobs.Packer(ENTRIES, len(self.bounds) + 1), _Seen()
        for batch in batches:
            batch = _of_somebody(seen.complete(batch))
            yield from packer.add(batch, _buckets(batch, self.bounds))
        yield from packer.rest()
        yield from seen.found()


class _Seen:
    """What a task has met among events."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(("read", "incomplete", "no_number", "not_finite", "negative"), 0)
        self.items = pa.array([], pa.string())

    def complete(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The item is null where anything is, from here on."""
        item, value, missing = (batch.column(name) for name in ("item", "value", "value_missing"))
        gone = pc.or_(pc.is_null(item), missing)
        incomplete = pc.or_(gone, pc.is_null(batch.column("person")))
        null, given = np.asarray(pc.is_null(value)), value.to_numpy(zero_copy_only=False)
        self.counts["read"] += batch.num_rows
        self.counts["incomplete"] += _how_many(incomplete)
        self.counts["no_number"] += int((~np.asarray(missing) & null).sum())
        self.counts["not_finite"] += int((~null & ~np.isfinite(given)).sum())
        self.counts["negative"] += int((~null & (given < 0)).sum())
        self._add_items(item.filter(pc.invert(incomplete)) if _how_many(incomplete) else item)
        if _how_many(gone):
            item = pc.if_else(gone, pa.scalar(None, pa.string()), item)
        columns = {name: batch.column(name) for name in batch.schema.names if name != "value_missing"}
        return batch_of(**{**columns, "item": item})

    def _add_items(self, item: pa.Array) -> None:
        new = pc.unique(item)
        new = new.filter(pc.invert(pc.is_in(new, value_set=self.items)))
        if len(new):
            self.items = pa.concat_arrays([self.items, new])

    def found(self) -> Iterator[pa.RecordBatch]:
        words = self.items.to_pylist()
        for begin in range(0, len(words), 4096):
            yield blobs.notes(ITEM, words[begin : begin + 4096])
        yield blobs.notes(COUNTS, [json.dumps({**self.counts, "task": TaskContext.get().partitionId()})])


def _of_somebody(batch: pa.RecordBatch) -> pa.RecordBatch:
    person = batch.column("person")
    return batch.filter(person.is_valid()) if person.null_count else batch


def _buckets(batch: pa.RecordBatch, bounds: pa.Array, name: str = "person") -> np.ndarray:
    return kernels.parts_of_texts(arrow.texts(batch.column(name)), arrow.texts(bounds))


def _how_many(condition: pa.Array) -> int:
    return pc.sum(condition).as_py() or 0


@dataclass(frozen=True)
class Assemble(Task):
    """What came of each range of ids becomes rows: a block of people each, in the order of ids.

    `payload` has (id, y, items, values) of the block; `records`, for a release, the cells of its people's rows as
    they were, in the order of their content.
    """

    spec: kernels.Spec
    exact_secrets: np.ndarray | list[str]  # ascending numbers, or keys
    value_of_secret: np.ndarray
    items: pa.Array  # ascending
    people_of_bucket: int
    cells: tuple[str, ...]  # of a release
    cells_of_people: bool  # they are in rows of their own, one per person

    schema = (
        "bucket int, block long, people int, entries long, empty int, unknown long, used binary, hash string, "
        "payload binary, records binary"
    )

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for bucket, kinds in blobs.groups(batches):
            yield from self._rows(bucket, kinds)

    def _rows(self, bucket: int, kinds: dict[int, list[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
        people = blobs.as_one(kinds[PEOPLE]) if PEOPLE in kinds else None
        entries = blobs.as_one(kinds[ENTRIES]) if ENTRIES in kinds else None
        if people is None:
            yield self._row(bucket, unknown=entries.num_rows)
            return
        people = people.take(pc.array_sort_indices(people.column("id")))
        kept = np.asarray(people.column("kept"))
        number = np.where(kept, np.cumsum(kept) - 1, -1)  # among the kept of the bucket
        count = int(kept.sum())
        who, items, values, cells, unknown = self._entries(people, number, entries)
        if count == 0:
            yield self._row(bucket, unknown=unknown)
            return
        chosen = people.filter(pa.array(kept))
        starts, order = kernels.order_by_key(who.astype(np.uint32), count)
        rows = kernels.merge_events(starts, items[order], values[order], self.spec)
        self._check(rows)
        y = self.value_of_secret[self._exact(chosen.column("secret"))].astype(np.uint32)
        records = self._records(people, number, who, cells, kinds)
        used = np.packbits(np.bincount(items, minlength=len(self.items)) > 0).tobytes()
        for begin in range(0, count, BLOCK):
            end = min(begin + BLOCK, count)
            yield self._block(bucket, begin, end, chosen, y, rows, records, used, unknown)
            used, unknown = None, 0

    def _exact(self, secrets: pa.Array) -> np.ndarray:
        if isinstance(self.exact_secrets, list):
            return kernels.find_texts(arrow.texts(secrets), arrow.texts(pa.array(self.exact_secrets, pa.string())))
        return np.searchsorted(self.exact_secrets, secrets.to_numpy(zero_copy_only=False))

    def _entries(self, people: pa.RecordBatch, number: np.ndarray, entries: pa.RecordBatch | None) -> tuple:
        """By entry of the kept: who, item, value; its cells; and how many belong to nobody."""
        if entries is None:
            nothing = np.empty(0, np.uint32)
            return nothing, nothing, np.empty(0), None, 0
        found = kernels.find_texts(arrow.texts(entries.column("person")), arrow.texts(people.column("id")))
        unknown = int((found < 0).sum())
        who = np.where(found < 0, -1, number[found])
        used = (who >= 0) & np.asarray(entries.column("item").is_valid())
        if not used.all():
            entries, who = entries.filter(pa.array(used)), who[used]
        coded = entries.column("item").dictionary_encode()
        number_of = np.asarray(pc.index_in(coded.dictionary, value_set=self.items).fill_null(0), np.uint32)
        items = number_of[np.asarray(coded.indices)] if len(number_of) else np.empty(0, np.uint32)
        return who, items, numbers(entries, "value"), entries, unknown

    def _check(self, rows: arrow.Rows) -> None:
        """Of rows without entries the spec decides, when all are known."""
        starts, items, values = rows
        kernels.check_rows((np.unique(starts), items, values), len(self.items), self.spec)

    def _records(
        self,
        people: pa.RecordBatch,
        number: np.ndarray,
        who: np.ndarray,
        entries: pa.RecordBatch | None,
        kinds: dict[int, list[pa.RecordBatch]],
    ) -> tuple[np.ndarray, pa.RecordBatch] | None:
        """The cells of a release, ordered by person and content; and the person of each."""
        if not self.cells:
            return None
        if self.cells_of_people:
            cells = blobs.as_one(kinds[CELLS])
            found = kernels.find_texts(arrow.texts(cells.column("person")), arrow.texts(people.column("id")))
            who = number[found]
            cells, who = cells.filter(pa.array(who >= 0)), who[who >= 0]
        else:
            cells = entries
        columns = [cells.column(name) for name in self.cells]
        keys = [who] if self.cells_of_people else [*_keys_of(columns), who]
        order = np.lexsort(keys)
        names = [f"cell{i}" for i in range(len(columns))]
        batch = pa.RecordBatch.from_arrays([column.take(pa.array(order)) for column in columns], names=names)
        return who[order], batch

    def _block(
        self,
        bucket: int,
        begin: int,
        end: int,
        people: pa.RecordBatch,
        y: np.ndarray,
        rows: arrow.Rows,
        records: tuple[np.ndarray, pa.RecordBatch] | None,
        used: bytes | None,
        unknown: int,
    ) -> pa.RecordBatch:
        starts, items, values = rows
        first, last = starts[begin], starts[end]
        mine = (starts[begin : end + 1] - first, items[first:last], values[first:last])
        ids = people.column("id").slice(begin, end - begin)
        payload = {
            "id": ids,
            "y": y[begin:end].astype(np.int32),
            "items": arrow.list_of(mine[0], mine[1].view(np.int32)),
            "values": arrow.list_of(mine[0], mine[2]),
        }
        return self._row(
            bucket,
            block=(bucket * self.people_of_bucket + begin) // BLOCK,
            people=end - begin,
            entries=int(last - first),
            empty=int((np.diff(mine[0]) == 0).sum()),
            unknown=unknown,
            used=used,
            hash=kernels.fingerprint_block(arrow.texts(ids), y[begin:end], mine),
            payload=blobs.packed(batch_of(**payload)),
            records=_records_of(records, begin, end, bucket * self.people_of_bucket),
        )

    def _row(self, bucket: int, **given: object) -> pa.RecordBatch:
        columns = []
        for name, kind in _TYPES_OF_BLOCKS.items():
            value = bucket if name == "bucket" else given.get(name)
            columns.append(pa.array([value], kind))
        return pa.RecordBatch.from_arrays(columns, names=list(_TYPES_OF_BLOCKS))


_TYPES_OF_BLOCKS = {
    "bucket": pa.int32(),
    "block": pa.int64(),
    "people": pa.int32(),
    "entries": pa.int64(),
    "empty": pa.int32(),
    "unknown": pa.int64(),
    "used": pa.binary(),
    "hash": pa.string(),
    "payload": pa.binary(),
    "records": pa.binary(),
}


def _keys_of(columns: list[pa.Array]) -> list[np.ndarray]:
    """For np.lexsort: the first column is compared first."""
    return [key for column in reversed(columns) for key in blobs.null_last(column)]


def _records_of(records: tuple[np.ndarray, pa.RecordBatch] | None, begin: int, end: int, first: int) -> bytes | None:
    if records is None:
        return None
    who, cells = records
    low, high = np.searchsorted(who, [begin, end])
    mine = cells.slice(low, high - low)
    people = pa.array((who[low:high] + first).astype(np.int64))
    return blobs.packed(pa.RecordBatch.from_arrays([people, *mine.columns], names=["who", *mine.schema.names]))


@dataclass(frozen=True)
class Renumber(Task):
    """Blocks whose items are known by other numbers, in the same order."""

    number_of_item: np.ndarray

    schema = Assemble.schema

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            payloads, hashes = [], []
            for payload in batch.column("payload"):
                block = blobs.unpacked(payload)
                starts, items, values = arrow.rows(block)
                rows = (starts, self.number_of_item[items], values)
                y = numbers(block, "y").astype(np.uint32)
                hashes.append(kernels.fingerprint_block(arrow.texts(block.column("id")), y, rows))
                changed = batch_of(
                    id=block.column("id"),
                    y=block.column("y"),
                    items=arrow.list_of(starts, rows[1].view(np.int32)),
                    values=block.column("values"),
                )
                payloads.append(blobs.packed(changed))
            new = {"payload": pa.array(payloads, pa.binary()), "hash": pa.array(hashes, pa.string())}
            names = batch.schema.names
            yield pa.RecordBatch.from_arrays([new.get(name, batch.column(name)) for name in names], names=names)


@dataclass(frozen=True)
class WithoutEntries(Task):
    """The ids of people whose rows are empty."""

    schema = "id string"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _, block in blocks(batches):
            starts, _, _ = arrow.rows(block)
            yield batch_of(id=block.column("id").filter(pa.array(np.diff(starts) == 0)))


@dataclass(frozen=True)
class Ids(Task):
    """The ids of all people."""

    schema = "id string"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _, block in blocks(batches):
            yield batch_of(id=block.column("id"))

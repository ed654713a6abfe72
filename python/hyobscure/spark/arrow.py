"""Arrow batches of Spark as the arrays that the kernels take, without copies where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

Texts = tuple[np.ndarray, np.ndarray]  # offsets, bytes
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]  # starts, items, values


def texts(column: pa.Array) -> Texts:
    if len(column) == 0:
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    _, offsets, data = column.buffers()
    begin = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    content = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return begin - begin[0], content[begin[0] : begin[-1]]


def rows(batch: pa.RecordBatch) -> Rows:
    items, values = batch.column("items"), batch.column("values")
    starts = np.asarray(items.offsets, np.int64)
    return starts - starts[0], np.asarray(items.flatten()).view(np.uint32), np.asarray(values.flatten())


def joined(all_rows: Iterable[Rows]) -> Rows:
    starts, items, values = zip(*all_rows)
    ends = np.cumsum([0] + [len(part) for part in items])
    starts = [part[:-1] + before for part, before in zip(starts, ends)] + [ends[-1:]]
    return np.concatenate(starts), np.concatenate(items), np.concatenate(values)


def list_of(starts: np.ndarray, values: np.ndarray) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(starts.astype(np.int32)), pa.array(values))


Key = Callable[[pa.RecordBatch], np.ndarray]


def between_groups(batches: Iterable[pa.RecordBatch], key: Key) -> Iterator[pa.RecordBatch]:
    """The same rows in batches that end where a key does: Spark may have cut between rows of one key."""
    waiting: list[pa.RecordBatch] = []
    last = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        keys = key(batch)
        begin = int(np.append(np.flatnonzero(keys != keys[-1]), -1).max()) + 1  # of the last key
        if begin > 0 or (waiting and keys[-1] != last):
            yield _as_one([*waiting, batch.slice(0, begin)])
            waiting = []
        waiting.append(batch.slice(begin))
        last = keys[-1]
    if waiting:
        yield _as_one(waiting)


def whole_groups(batches: Iterable[pa.RecordBatch], key: Key) -> Iterator[pa.RecordBatch]:
    """Neighbouring rows of the same key as one batch each."""
    for batch in between_groups(batches, key):
        bounds = [0, *(np.flatnonzero(np.diff(key(batch))) + 1), batch.num_rows]
        for begin, end in zip(bounds, bounds[1:]):
            yield batch.slice(begin, end - begin)


def _as_one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    table = pa.Table.from_batches(batches).combine_chunks()
    return pa.RecordBatch.from_arrays([column.chunk(0) for column in table.columns], schema=table.schema)

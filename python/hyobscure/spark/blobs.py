"""Many rows as the bytes of one: what Spark moves, stores and shuffles between our tasks.

Spark spends a microsecond on every row that it converts, compares or moves. So tasks pack their rows by the task
that they are for, thousands together, and Spark sees few rows of some kilobytes: (bucket, kind, payload).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from hyobscure._core import kernels


SCHEMA = "bucket int, kind int, payload binary, note binary"  # notes are small, and read without the payloads
ROWS = 16  # of blobs that are read or handed to a task at once: Spark counts rows, not bytes

_SEED = 42  # of Spark's hash
_MASK = (1 << 32) - 1


def packed(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def unpacked(payload: pa.Scalar | bytes) -> pa.RecordBatch:
    content = payload.as_buffer() if isinstance(payload, pa.Scalar) else payload
    with pa.ipc.open_stream(content) as reader:
        return reader.read_next_batch()


def as_one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Of the same schema, at least one."""
    if len(batches) == 1:
        return batches[0]
    table = pa.Table.from_batches(batches).combine_chunks()
    columns = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in table.columns]
    return pa.RecordBatch.from_arrays(columns, schema=table.schema)


def blob(buckets: list[int], kind: int, payloads: list[bytes]) -> pa.RecordBatch:
    return _row(buckets, kind, pa.array(payloads, pa.binary()), pa.nulls(len(buckets), pa.binary()))


def notes(kind: int, texts: list[str]) -> pa.RecordBatch:
    """What a task has to say beside its blobs, to the driver."""
    content = pa.array([text.encode() for text in texts], pa.binary())
    return _row([-1] * len(texts), kind, pa.nulls(len(texts), pa.binary()), content)


def noted(frame: DataFrame, *kinds: int) -> list[tuple[int, str]]:
    """The different notes of these kinds."""
    found = frame.filter(frame["kind"].isin(*kinds)).select("kind", "note").distinct().collect()
    return [(row["kind"], bytes(row["note"]).decode()) for row in found]


def _row(buckets: list[int], kind: int, payload: pa.Array, note: pa.Array) -> pa.RecordBatch:
    columns = [pa.array(buckets, pa.int32()), pa.array([kind] * len(buckets), pa.int32()), payload, note]
    return pa.RecordBatch.from_arrays(columns, names=["bucket", "kind", "payload", "note"])


class Packer:
    """Rows that wait for their buckets until there are enough of them."""

    def __init__(self, kind: int, buckets: int, enough: int | None = None) -> None:
        self.kind, self.buckets = kind, buckets
        # A blob costs half a kilobyte beside its rows.
        self.enough = enough or max(1 << 17, 64 * buckets)
        self._waiting: list[tuple[pa.RecordBatch, np.ndarray]] = []
        self._rows = 0

    def add(self, batch: pa.RecordBatch, bucket_of_row: np.ndarray) -> Iterator[pa.RecordBatch]:
        if batch.num_rows:
            self._waiting.append((batch, bucket_of_row.astype(np.uint32)))
            self._rows += batch.num_rows
        if self._rows >= self.enough:
            yield from self.rest()

    def rest(self) -> Iterator[pa.RecordBatch]:
        if not self._waiting:
            return
        batch = as_one([each for each, _ in self._waiting])
        starts, order = kernels.order_by_key(np.concatenate([bucket for _, bucket in self._waiting]), self.buckets)
        self._waiting, self._rows = [], 0
        ordered = batch.take(pa.array(order))
        full = np.flatnonzero(np.diff(starts))
        for begin in range(0, len(full), ROWS):
            some = full[begin : begin + ROWS]
            payloads = [packed(ordered.slice(starts[b], starts[b + 1] - starts[b])) for b in some]
            yield blob(some.tolist(), self.kind, payloads)


def by_bucket(frame: DataFrame, tasks: int) -> DataFrame:
    """Each bucket in one task, its kinds in their order."""
    return frame.repartition(tasks, "bucket").sortWithinPartitions("bucket", "kind")


def groups(batches: Iterable[pa.RecordBatch], *names: str) -> Iterator[tuple[int, dict[int, list[pa.RecordBatch]]]]:
    """Bucket by bucket, what was packed of each kind. Rows come in the order of buckets."""
    current, found = None, {}
    for batch in batches:
        payloads = batch.column("payload")
        for row, (bucket, kind) in enumerate(zip(batch.column("bucket").to_pylist(), batch.column("kind").to_pylist())):
            if current is not None and bucket != current:
                yield current, found
                found = {}
            current = bucket
            found.setdefault(kind, []).append(unpacked(payloads[row]))
    if current is not None:
        yield current, found


def _murmur(number: int) -> int:
    """Spark's hash of a long: Murmur3, x86, 32 bits, of its two halves."""

    def mixed(k: int) -> int:
        k = k * 0xCC9E2D51 & _MASK
        k = (k << 15 | k >> 17) & _MASK
        return k * 0x1B873593 & _MASK

    h = _SEED
    for half in (number & _MASK, number >> 32 & _MASK):
        h ^= mixed(half)
        h = (h << 13 | h >> 19) & _MASK
        h = (h * 5 + 0xE6546B64) & _MASK
    h ^= 8
    h = (h ^ h >> 16) * 0x85EBCA6B & _MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & _MASK
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h


def keys_of_tasks(tasks: int) -> list[int]:
    """A number for each task that Spark's hash sends to this very one: the order of tasks, and so of the files that
    they write, is ours without a sample of the data."""
    keys: dict[int, int] = {}
    number = 0
    while len(keys) < tasks:
        keys.setdefault(_murmur(number) % tasks, number)
        number += 1
    return [keys[task] for task in range(tasks)]


class small_batches:  # noqa: N801
    """Jobs inside read blobs, and hand them to tasks, in small numbers."""

    _KEYS = ("spark.sql.execution.arrow.maxRecordsPerBatch", "spark.sql.parquet.columnarReaderBatchSize")

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def __enter__(self) -> None:
        self.before = {key: self.spark.conf.get(key) for key in self._KEYS}
        for key in self._KEYS:
            self.spark.conf.set(key, str(ROWS))

    def __exit__(self, *_: object) -> None:
        for key, value in self.before.items():
            self.spark.conf.set(key, value)


def null_last(column: pa.Array) -> list[np.ndarray]:
    """Keys of np.lexsort, the last being the first to be compared: ascending, not-a-number and then null behind."""
    if pa.types.is_floating(column.type):
        missing = np.asarray(column.is_null())
        return [np.nan_to_num(column.to_numpy(zero_copy_only=False), nan=np.inf), _is_nan(column), missing]
    if pa.types.is_string(column.type):
        coded = column.dictionary_encode()
        rank = np.empty(len(coded.dictionary) + 1, np.int64)
        rank[np.asarray(pc.array_sort_indices(coded.dictionary))] = np.arange(len(coded.dictionary))
        rank[-1] = len(coded.dictionary)
        return [rank[np.asarray(coded.indices.fill_null(len(coded.dictionary)))]]
    ranks = pc.rank(column, sort_keys="ascending", null_placement="at_end", tiebreaker="dense")
    return [np.asarray(ranks, np.int64)]


def _is_nan(column: pa.Array) -> np.ndarray:
    return np.asarray(pc.fill_null(pc.is_nan(column), False))


def only(frame: DataFrame, kind: int) -> DataFrame:
    return frame.filter(frame["kind"] == kind)

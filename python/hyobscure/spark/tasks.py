"""What runs on the executors: batches in, kernels, batches out. Nothing in Python loops over people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from hyobscure._core import kernels
from hyobscure._errors import InputError

from . import blobs
from .errors import carried

BLOCK = kernels.FINGERPRINT_BLOCK  # people whose fingerprint is taken together
_SIGN = np.uint64(1 << 63)

# What a blob holds.
PEOPLE, ENTRIES, CELLS, ITEM, COUNTS = range(5)


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


def batch_of(**columns: object) -> pa.RecordBatch:
    arrays = [column if isinstance(column, pa.Array) else pa.array(column) for column in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def numbers(batch: pa.RecordBatch, name: str) -> np.ndarray:
    return batch.column(name).to_numpy(zero_copy_only=False)


def signed(hashes: np.ndarray) -> np.ndarray:
    """Spark has no unsigned numbers: 64 bits as a signed number in the same order."""
    return (np.asarray(hashes, np.uint64) ^ _SIGN).view(np.int64)


def blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The first person's number, and the rows, of each block."""
    for batch in batches:
        payloads = batch.column("payload")
        for row, block in enumerate(batch.column("block").to_pylist()):
            yield block * BLOCK, blobs.unpacked(payloads[row])

"""Batches as the kernels take them, wherever Spark has cut."""

import numpy as np
import pyarrow as pa

from hyobscure.spark import arrow


def batch(**columns):
    return pa.RecordBatch.from_pydict(columns)


def test_texts_of_a_slice_are_those_of_the_slice():
    offsets, content = arrow.texts(pa.array(["left out", "ä", "", "bc"]).slice(1))
    assert offsets.tolist() == [0, 2, 2, 4]
    assert content.tobytes() == "äbc".encode()


def test_texts_of_nobody():
    offsets, content = arrow.texts(pa.array([], pa.string()))
    assert offsets.tolist() == [0] and len(content) == 0


def test_rows_of_a_slice_begin_at_zero():
    whole = pa.RecordBatch.from_arrays(
        [pa.array([[7], [1, 2], [], [3]], pa.list_(pa.int32())), pa.array([[9.0], [1.0, 2.0], [], [3.0]])],
        ["items", "values"],
    )
    starts, items, values = arrow.rows(whole.slice(1))
    assert starts.tolist() == [0, 2, 2, 3]
    assert items.tolist() == [1, 2, 3] and items.dtype == np.uint32
    assert values.tolist() == [1.0, 2.0, 3.0]


def test_rows_join_in_their_order():
    one = (np.array([0, 1]), np.array([5], np.uint32), np.array([0.5]))
    other = (np.array([0, 0, 2]), np.array([1, 2], np.uint32), np.array([1.0, 2.0]))
    starts, items, values = arrow.joined([one, other])
    assert starts.tolist() == [0, 1, 1, 3]
    assert items.tolist() == [5, 1, 2] and values.tolist() == [0.5, 1.0, 2.0]


def test_a_group_is_whole_wherever_batches_end():
    keys = np.repeat(np.arange(6), [1, 4, 2, 1, 7, 3])
    random = np.random.default_rng(1)
    for _ in range(50):
        cuts = np.sort(random.integers(0, len(keys) + 1, 5))
        parts = [batch(key=part.tolist(), row=list(range(len(part)))) for part in np.split(keys, cuts)]
        parts = [
            part if part.num_rows else part.cast(pa.schema([("key", "int64"), ("row", "int64")])) for part in parts
        ]
        groups = list(arrow.whole_groups(parts, lambda each: np.asarray(each.column("key"))))
        assert [group.column("key").to_pylist() for group in groups] == [keys[keys == key].tolist() for key in range(6)]

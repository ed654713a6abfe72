"""Numbers of people against a sort in memory; packed rows against the rows."""

import math

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import functions as F

from hyobscure.spark import blobs
from hyobscure.spark.numbering import number_people
from hyobscure.spark.storage import Work


@pytest.fixture(params=[1, 23])
def partitions(spark, request):
    """So many partitions, and no joining of small ones."""
    settings = {
        "spark.sql.shuffle.partitions": request.param,
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    }
    before = {key: spark.conf.get(key) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    yield request.param
    for key, value in before.items():
        spark.conf.set(key, value)


SCHEMA = "id string, secret double, state int"


def test_people_are_numbered_by_the_binary_order_of_their_ids(spark, work, partitions):
    ids = [str(number * 7 % 1000) for number in range(500)] + ["", "Ä", "a", "Z", "\U0001f600", "\uffee"]
    rows = [(each, float(number % 3), 0 if number % 5 else 2) for number, each in enumerate(ids)]
    frame = spark.createDataFrame(rows, SCHEMA).repartition(partitions)
    with Work(spark, work) as folder:
        found = number_people(frame, folder, "people")
        kept = sorted((each for each, _, state in rows if state == 0), key=str.encode)
        assert found.kept == len(kept) and found.states == {0: len(kept), 2: len(ids) - len(kept)}
        assert found.secrets == [(value, sum(r[1] == value and r[2] == 0 for r in rows)) for value in (0.0, 1.0, 2.0)]
        numbers = {row["id"]: found.before[row["partition"]] + row["rank"] for row in found.kept_frame().collect()}
        assert [each for each, _ in sorted(numbers.items(), key=lambda pair: pair[1])] == kept
        assert sorted(numbers.values()) == list(range(len(kept)))
        assert found.bounds(90) == kept[90::90] and found.bounds(len(kept)) == []


def test_who_occurs_again_is_found_wherever_batches_end(spark, work, partitions):
    rows = [(f"p{number % 70}", 1.0, 0) for number in range(200)]
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "3")
    try:
        with Work(spark, work) as folder:
            assert number_people(spark.createDataFrame(rows, SCHEMA), folder, "people").again == 130
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_nobody_is_numbered_where_there_is_nobody(spark, work):
    with Work(spark, work) as folder:
        found = number_people(spark.createDataFrame([], SCHEMA), folder, "people")
        assert found.kept == 0 and found.states == {} and found.secrets == []


def test_spark_sends_our_keys_to_the_tasks_that_they_are_for(spark):
    for tasks in (1, 4, 32):
        keys = spark.createDataFrame([(key,) for key in blobs.keys_of_tasks(tasks)], "key int")
        sent = keys.select("key", F.pmod(F.hash(F.col("key").cast("long")), F.lit(tasks)).alias("task")).collect()
        assert [row["task"] for row in sorted(sent, key=lambda row: row["task"])] == list(range(tasks))
        assert [row["key"] for row in sorted(sent, key=lambda row: row["task"])] == blobs.keys_of_tasks(tasks)


def test_packed_rows_are_all_there_in_their_order():
    random = np.random.default_rng(3)
    packer, sent, expected = blobs.Packer(7, 5, enough=40), [], {}
    for batch in range(30):
        count = int(random.integers(0, 9))
        bucket = random.integers(0, 5, count)
        rows = [None if random.random() < 0.2 else f"{batch}-{row}" for row in range(count)]
        for where, row in zip(bucket.tolist(), rows):
            expected.setdefault(where, []).append(row)
        names = {
            "text": pa.array(rows, pa.string()),
            "list": pa.array([[row] * 2 for row in rows], pa.list_(pa.string())),
        }
        sent += packer.add(pa.RecordBatch.from_arrays(list(names.values()), names=list(names)), bucket)
    sent += packer.rest()
    found: dict = {}
    for batch in sent:
        assert set(batch.column("kind").to_pylist()) == {7}
        for bucket, payload in zip(batch.column("bucket").to_pylist(), batch.column("payload")):
            rows = blobs.unpacked(payload)
            found.setdefault(bucket, []).extend(rows.column("text").to_pylist())
            assert rows.column("list").to_pylist() == [[text] * 2 for text in rows.column("text").to_pylist()]
    assert found == expected


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["b", None, "Ä", "", "b", "a"]),
        pa.array([3.0, None, math.nan, -0.5, math.inf, 3.0]),
        pa.array([3, None, -(1 << 62), (1 << 62) + 1, 1 << 62, 3]),
        pa.array([True, None, False, True, False, None]),
        pa.array([3, None, 1, 2, 5, 3], pa.date32()),
    ],
)
def test_cells_are_ordered_as_spark_orders_them(spark, column):
    """Ascending, not-a-number behind all numbers, null last."""
    kind = {"string": "string", "double": "double", "int64": "long", "bool": "boolean", "date32[day]": "date"}
    values = column.to_pylist()
    frame = spark.createDataFrame(list(enumerate(values)), f"row int, cell {kind[str(column.type)]}")
    ordered = frame.orderBy(F.col("cell").asc_nulls_last(), "row").collect()
    assert np.lexsort(blobs.null_last(column)).tolist() == [row["row"] for row in ordered]

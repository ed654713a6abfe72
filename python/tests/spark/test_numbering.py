"""Numbers and ranks against a sort in memory."""

import pytest
from pyspark.sql import functions as F

from hyobscure.spark.numbering import numbered, ranked
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


def test_people_are_numbered_by_the_binary_order_of_their_ids(spark, work, partitions):
    ids = [str(number * 7 % 1000) for number in range(500)] + ["", "Ä", "a", "Z", "\U0001f600", "\uffee"]
    frame = spark.createDataFrame([(each,) for each in ids], "id string").repartition(partitions)
    with Work(spark, work) as folder:
        found, count = numbered(frame, [F.col("id")], "u", folder, "people")
        assert count == len(ids)
        by_number = [row["id"] for row in found.orderBy("u").collect()]
        assert by_number == sorted(ids, key=str.encode)
        assert sorted(row["u"] for row in found.collect()) == list(range(len(ids)))


def test_nobody_is_numbered_where_there_is_nobody(spark, work):
    with Work(spark, work) as folder:
        found, count = numbered(spark.createDataFrame([], "id string"), [F.col("id")], "u", folder, "people")
        assert count == 0 and found.count() == 0


def test_ranks_in_cells_of_any_size(spark, work, partitions):
    """Nine in ten are in one cell, which is then cut by every partition; others have one person."""
    people = [(3 if number % 10 else number, number * 7919 % 2003) for number in range(1000)]
    frame = spark.createDataFrame(people, "cell int, hash long").repartition(partitions)
    with Work(spark, work) as folder:
        found, sizes = ranked(frame, "cell", [F.col("hash")], folder, "ranks")
        by_cell: dict[int, list[int]] = {}
        for cell, number in sorted(people):
            by_cell.setdefault(cell, []).append(number)
        assert sizes == {cell: len(numbers) for cell, numbers in by_cell.items()}
        expected = {(cell, number, rank) for cell, numbers in by_cell.items() for rank, number in enumerate(numbers)}
        assert {tuple(row) for row in found.collect()} == expected

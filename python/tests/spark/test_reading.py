"""The rules of reading: the fingerprint of what Spark has read is that of what DuckDB has read."""

import numpy as np
import pyarrow as pa
import pytest
from made import LONG_SPEC, WIDE_SPEC, long_tables, wide_tables, write

from hyobscure._core import kernels
from hyobscure.spark.blobs import unpacked
from hyobscure.spark.reading import read
from hyobscure.spark.storage import Work
from hyobscure.spark.table import Table


def read_by_spark(spark, made, work):
    people, events = made.frames(spark, 3)
    spec = kernels.Spec(made.spec.read_text(), "spec.toml", {})
    with Work(spark, work) as folder:
        reading = read(Table(people, "people"), Table(events, "events") if events else None, spec, folder)
        blocks = reading.rows.orderBy("block").collect()
        return reading, [row for block in blocks for row in unpacked(block["payload"]).to_pylist()]


def messy_long_tables():
    """Repeated and incomplete events, events of nobody, people without secret or events, rare secrets."""
    tables = long_tables(260, seed=11)
    random = np.random.default_rng(2)
    events, people = tables["events"], tables["people"]
    again = events.take(pa.array(random.integers(0, len(events), 200)))
    again = again.set_column(2, "stars", pa.array(random.integers(0, 6, 200) + 0.25))
    unknown = events.slice(0, 30).set_column(0, "user", pa.array(range(10_000, 10_030)))
    incomplete = events.slice(30, 20).set_column(1, "film", pa.nulls(20, pa.string()))
    silent = pa.table({"user": pa.array([1, 2, 4, 5]), "age": pa.array([20, 21, 22, 49])})
    nameless = pa.table({"user": pa.array([7, 8]), "age": pa.nulls(2, pa.int64())})
    rare = pa.table({"user": pa.array([10, 11, 13]), "age": pa.array([90, 90, 91])})  # 91: one person
    of_rare = pa.table(
        {
            "user": [10, 13],
            "film": ["film 3", "film of nobody else"],
            "stars": [2.0, 3.0],
            "day": pa.nulls(2, pa.int32()),
            "unnamed": [0.0, 0.0],
        }
    )
    zeros = pa.table(
        {
            "user": [1, 1],
            "film": ["film 1", "only zeros"],
            "stars": [0.0, 0.0],
            "day": pa.nulls(2, pa.int32()),
            "unnamed": [0.0, 0.0],
        }
    )
    return {
        "people": pa.concat_tables([people, silent, nameless, rare]),
        "events": pa.concat_tables([events, again, unknown, incomplete, of_rare, zeros]),
    }


MESSY_SPEC = (
    LONG_SPEC.replace(
        "[events]",
        'without_events = "leave-out"\n\n[events]\nrepeated = "mean"\n'
        'missing = "leave-out"\nunknown_people = "leave-out"',
    )
    + """
[secret]
missing = "leave-out"
fewest_people = 2
atoms = 12
"""
)


@pytest.mark.parametrize("change", [("", ""), ('"mean"', '"max"'), ("fewest_people = 2", "keep = [22, 45]")])
def test_messy_events_read_as_by_the_command_line(spark, work, tmp_path, change):
    made = write(tmp_path / "messy", MESSY_SPEC.replace(*change), **messy_long_tables())
    reading, _ = read_by_spark(spark, made, work)
    assert reading.fingerprint == made.fingerprint()
    assert reading.counts["events_unknown"] == 30
    assert reading.counts["events_incomplete"] == 20
    assert reading.counts["people_without_events"] > 0


def test_counted_events(spark, work, tmp_path):
    spec = LONG_SPEC.replace('value = "stars"\n', "")
    made = write(tmp_path / "counted", spec, **long_tables(200, seed=8))
    reading, rows = read_by_spark(spark, made, work)
    assert reading.fingerprint == made.fingerprint()
    assert set(value for row in rows for value in row["values"]) == {1.0}


@pytest.mark.parametrize(
    "change",
    [
        ('missing = "category"', 'missing = "leave-out"'),
        ('missing = "category"', 'missing = "zero"\nscale = "none"'),
    ],
)
def test_wide_cells_read_as_by_the_command_line(spark, work, tmp_path, change):
    made = write(tmp_path / "wide", WIDE_SPEC.replace(*change), **wide_tables(300, seed=21))
    reading, _ = read_by_spark(spark, made, work)
    assert reading.fingerprint == made.fingerprint()


def test_blocks_that_tasks_cut_in_any_way(spark, work, tmp_path):
    """More people than a block of the fingerprint holds."""
    random = np.random.default_rng(4)
    people = pa.table(
        {
            "id": [f"p{number}" for number in range(9000)],
            "age": random.integers(20, 50, 9000),
            "hours": random.integers(0, 60, 9000),
        }
    )
    spec = (
        WIDE_SPEC[: WIDE_SPEC.index("features")].replace('"ID"', '"id"')
        + 'features = ["hours"]\n'
        + WIDE_SPEC[WIDE_SPEC.index("\n[groups]") :].replace("[20, 500]", "[20, 9000]")
    )
    made = write(tmp_path / "blocks", spec, people=people)
    reading, rows = read_by_spark(spark, made, work)
    assert reading.fingerprint == made.fingerprint()
    assert [row["id"] for row in rows] == sorted(people["id"].to_pylist())

"""Executors that die and tasks that run twice change nothing."""

import time

import pyarrow as pa
from cluster import KillsAnExecutor, wait_until
from made import rows_of
from pyspark import TaskContext

import hyobscure.spark as hs


def publish(made, frames, folder, work):
    hs.publish(*frames, hs.Mechanism.load(made.fitted()), folder, spec=made.spec, work=work, accept_leakage=True)
    return [rows_of(folder / name) for name in ("people.parquet", "events.parquet")]


def expected(made):
    return [rows_of(made.published() / name) for name in ("people.parquet", "events.parquet")]


def test_an_executor_is_killed_in_the_middle_of_publishing(spark, cluster, long, work, tmp_path):
    with KillsAnExecutor(cluster, tmp_path / "work", "pairs") as killer:
        found = publish(long, long.frames(spark, 4), tmp_path / "release", work)
    assert killer.killed is not None
    assert killer.killed not in cluster.executors()
    assert found == expected(long)
    wait_until(lambda: len(cluster.executors()) == 2, 60, "the executor came back")


def stalls_at_first(folder):
    """The first attempt at a partition sleeps until another overtakes it; attempts leave a trace."""

    def work(batches):
        context = TaskContext.get()
        attempt = context.attemptNumber()
        with open(f"{folder}/{context.stageId()}-{context.partitionId()}-{attempt}", "w"):
            pass
        for batch in batches:
            if context.partitionId() == 0 and attempt == 0:
                time.sleep(6)
            yield pa.RecordBatch.from_arrays(batch.columns, schema=batch.schema)

    return work


def test_tasks_that_run_twice_at_once(spark, long, work, tmp_path):
    attempts = tmp_path / "attempts"
    attempts.mkdir()
    people, events = long.frames(spark, 6)
    slow = people.mapInArrow(stalls_at_first(str(attempts)), people.schema)
    assert publish(long, [slow, events], tmp_path / "release", work) == expected(long)
    overtaken = [path for path in attempts.iterdir() if path.name.endswith("-0-1")]
    assert overtaken, "no task was started a second time"

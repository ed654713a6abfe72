"""Executors that die and tasks that run twice change nothing."""

import os
import signal
import threading
import time

import pyarrow as pa
from cluster import wait_until
from made import rows_of
from pyspark import TaskContext

import hyobscure.spark as hs


def publish(made, frames, folder, work):
    hs.publish(*frames, hs.Mechanism.load(made.fitted()), folder, spec=made.spec, work=work, accept_leakage=True)
    return [rows_of(folder / name) for name in ("people.parquet", "events.parquet")]


def expected(made):
    return [rows_of(made.published() / name) for name in ("people.parquet", "events.parquet")]


class KillsAnExecutor(threading.Thread):
    """Once a table of this name is being written."""

    def __init__(self, cluster, work, table):
        super().__init__(daemon=True)
        self.cluster, self.work, self.table = cluster, work, table
        self.killed = None
        self.ended = threading.Event()

    def run(self):
        while not self.ended.is_set():
            if any(self.work.glob(f"*/{self.table}")):
                self.killed = self.cluster.executors()[0]
                os.kill(self.killed, signal.SIGKILL)
                return
            time.sleep(0.005)


def test_an_executor_is_killed_in_the_middle_of_publishing(spark, cluster, long, work, tmp_path):
    wait_until(lambda: len(cluster.executors()) == 2, 60, "two executors")
    killer = KillsAnExecutor(cluster, tmp_path / "work", "pairs")
    killer.start()
    try:
        found = publish(long, long.frames(spark, 4), tmp_path / "release", work)
    finally:
        killer.ended.set()
        killer.join()
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

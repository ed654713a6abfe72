"""A standalone Spark cluster on loopback: a master and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable

import pyspark
from pyspark.sql import SparkSession

HOME = pathlib.Path(pyspark.__file__).parent

# Short runs: less time for compilers, less memory for their threads.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait_until(true: Callable[[], bool], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)


class Cluster:
    def __init__(self, folder: pathlib.Path, workers: int = 2, memory: str = "700m") -> None:
        self.folder, self.expected = folder, workers
        self.port, self.page, *pages = free_ports(2 + workers)
        self.processes: list[subprocess.Popen] = []
        self._start("127.0.0.1", "master.Master", "--port", self.port, "--webui-port", self.page)
        for number, page in enumerate(pages, 1):
            # Each under a host of its own: Spark never runs a task twice at once on one host.
            places = ["--webui-port", page, "--work-dir", folder / "work"]
            sizes = ["--cores", 1, "--memory", memory]
            self._start(f"127.0.0.{number}", "worker.Worker", *places, *sizes, self.address)
        wait_until(self._has_workers, 90, "the workers did not come up")

    @property
    def address(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def _start(self, host: str, what: str, *words: object) -> None:
        environment = {
            **os.environ,
            "SPARK_HOME": str(HOME),
            "SPARK_LOCAL_IP": host,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": QUICK_JAVA,
            "PYSPARK_PYTHON": sys.executable,
        }
        command = [HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{what}", "--host", host, *words]
        with open(self.folder / f"{what}-{len(self.processes)}.log", "w") as log:
            self.processes.append(subprocess.Popen(list(map(str, command)), env=environment, stdout=log, stderr=log))

    def _has_workers(self) -> bool:
        if any(process.poll() is not None for process in self.processes):
            raise RuntimeError(f"Spark did not start, see {self.folder}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.page}/json/", timeout=5) as answer:
                return json.load(answer)["aliveworkers"] == self.expected
        except OSError:
            return False

    def session(self, **settings: object) -> SparkSession:
        builder = SparkSession.builder.master(self.address).appName("hyobscure")
        fixed = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.executor.cores": 1,
            "spark.sql.warehouse.dir": self.folder / "warehouse",
            "spark.executorEnv.PYSPARK_PYTHON": sys.executable,
        }
        for key, value in {**fixed, **settings}.items():
            builder = builder.config(key, str(value))
        os.environ["PYSPARK_PYTHON"] = sys.executable
        return builder.getOrCreate()

    def executors(self) -> list[int]:
        """Their process ids."""
        found = [pid for process in self.processes[1:] for pid in children(process.pid)]
        return [pid for pid in found if "CoarseGrainedExecutorBackend" in command_of(pid)]

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


class KillsAnExecutor(threading.Thread):
    """Once a table of this name is being written."""

    def __init__(self, cluster: Cluster, work: pathlib.Path, table: str) -> None:
        super().__init__(daemon=True)
        self.cluster, self.work, self.table = cluster, work, table
        self.killed: int | None = None
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.is_set():
            if any(self.work.glob(f"*/{self.table}")):
                self.killed = self.cluster.executors()[0]
                os.kill(self.killed, signal.SIGKILL)
                return
            time.sleep(0.005)

    def __enter__(self) -> KillsAnExecutor:
        wait_until(lambda: len(self.cluster.executors()) == 2, 60, "two executors")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.join()


def children(parent: int) -> list[int]:
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, in parentheses, may hold anything; then come state and parent.
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(status.parent.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


def command_of(pid: int) -> str:
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""

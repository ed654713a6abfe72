"""Whether the machines of a cluster have what the tasks need, before a job with data runs."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import pyarrow as pa
import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import hyobscure

from .errors import refusal
from .storage import Storage, Work, is_connect

_TASKS = 4  # so that more than one machine is asked, where there are more
_ON_ALL = "Install the same on the driver and on all machines of the cluster: "


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str  # a sentence that is true when it passes
    passed: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class Cluster:
    """What `check` found out."""

    session: str  # "classic" or "Spark Connect", with the version
    findings: list[Finding] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return all(finding.passed for finding in self.findings)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        lines = [self.session]
        for finding in self.findings:
            lines.append(f"{'ok     ' if finding.passed else 'MISSING'}  {finding.name}: {finding.detail}")
            if not finding.passed:
                lines.append(f"         {finding.remedy}")
        return "\n".join(lines)


def check(spark: SparkSession, work: str | None = None) -> Cluster:
    """Runs one tiny job, and tells whether driver and executors have what HyObscure needs, and the same of it.

    With `work` also whether tables can be written there and deleted again.

    >>> print(hs.check(spark, work="hdfs:///private/tmp"))  # doctest: +SKIP
    Spark 3.5.9, classic
    ok       PySpark is 3.5 or 4: 3.5.9
    ok       tasks run Python with PyArrow: 2 processes
    ...
    """
    kind = "Spark Connect" if is_connect(spark) else "classic"
    found = [_version_of_spark(spark)]
    if found[0].passed:
        found += _of_tasks(spark)
    if work is not None and all(finding.passed for finding in found):
        found.append(_of_work(spark, work))
    return Cluster(f"Spark {spark.version}, {kind}", found)


# Sessions that were looked at already. They come and go in a notebook.
_checked: WeakKeyDictionary[SparkSession, bool] = WeakKeyDictionary()


def require(spark: SparkSession) -> None:
    """Refuses a session whose machines lack something. Once for a session."""
    if spark in _checked:
        return
    for finding in check(spark).findings:
        if not finding.passed:
            raise refusal("Spark", f"{finding.name} is not so: {finding.detail}", finding.remedy)
    _checked[spark] = True


def _version_of_spark(spark: SparkSession) -> Finding:
    major, minor = (int(part) for part in re.findall(r"\d+", spark.version)[:2])
    same = pyspark.__version__.split(".")[:2] == spark.version.split(".")[:2]
    detail = spark.version if same else f"PySpark {pyspark.__version__} in front of Spark {spark.version}"
    return Finding(
        "PySpark is 3.5 or 4",
        same and ((major, minor) == (3, 5) or major == 4),
        detail,
        f"pip install 'pyspark=={spark.version}' if the cluster has 3.5 or 4; else take another cluster.",
    )


# --- tasks


def _looked_at() -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function that executors can run without this package: it is sent as it is, not by its name."""

    def look(batches):  # noqa: ANN001, ANN202
        import json as js
        import os
        import platform
        import socket

        import pyarrow

        found = {"host": socket.gethostname(), "process": os.getpid(), "Python": platform.python_version()}
        found["PyArrow"] = pyarrow.__version__
        try:
            import pyspark

            found["PySpark"] = pyspark.__version__
        except Exception as error:
            found["PySpark"] = f"cannot be imported ({type(error).__name__})"
        try:
            import hyobscure

            found["hyobscure"] = hyobscure.__version__
        except Exception as error:
            found["hyobscure"] = f"cannot be imported ({type(error).__name__})"
        for _ in batches:
            pass
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([js.dumps(found)])], names=["found"])

    look.__module__ = "__main__"
    return look


def _of_tasks(spark: SparkSession) -> list[Finding]:
    name = "tasks run Python with PyArrow"
    try:
        rows = spark.range(0, _TASKS, 1, _TASKS).mapInArrow(_looked_at(), "found string").collect()
    except Exception as error:
        if not isinstance(error, PySparkException) and type(error).__name__ != "Py4JJavaError":
            raise
        return [_of_failure(name, str(error))]
    machines = [json.loads(row["found"]) for row in rows]
    processes = len({(machine["host"], machine["process"]) for machine in machines})
    findings = [Finding(name, True, f"{processes} process{'es' * (processes > 1)}")]
    findings.append(_same(machines, "Python", platform.python_version(), digits=2))
    findings.append(_same(machines, "PySpark", pyspark.__version__, digits=2))
    findings.append(_same(machines, "PyArrow", pa.__version__, digits=1))
    findings.append(_same(machines, "hyobscure", hyobscure.__version__, digits=9))
    return findings


def _same(machines: list[dict], what: str, mine: str, digits: int) -> Finding:
    """The versions agree in so many of their numbers."""

    def beginning(version: str) -> list[str]:
        return version.split(".")[:digits]

    others = sorted({machine[what] for machine in machines if beginning(machine[what]) != beginning(mine)})
    where = sorted({machine["host"] for machine in machines if machine[what] in others})
    return Finding(
        f"{what} is the same on driver and executors",
        not others,
        mine if not others else f"{mine} on the driver, {', '.join(others)} on {', '.join(where)}",
        f"{_ON_ALL}{what} {mine}.",
    )


_FAILURES = [
    ("PYTHON_VERSION_MISMATCH|different version in worker", "executors have another Python than the driver"),
    ("No module named '?pyarrow|PyArrow >= |PACKAGE_NOT_INSTALLED", "executors have no PyArrow, or one too old"),
    ("No module named '?numpy|No module named '?pandas", "executors have no NumPy or pandas"),
    ("Cannot run program|error=2, No such file", "executors have no Python at the path that they were given"),
]


def _of_failure(name: str, message: str) -> Finding:
    for pattern, detail in _FAILURES:
        if re.search(pattern, message):
            return Finding(
                name,
                False,
                detail,
                f"{_ON_ALL}Python {platform.python_version()} with hyobscure {hyobscure.__version__}, PySpark "
                f"{pyspark.__version__} and PyArrow {pa.__version__}; spark.pyspark.python names it.",
            )
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return Finding(name, False, lines[0][:300] if lines else "the job failed", "Look into the logs of the executors.")


# --- work


def _of_work(spark: SparkSession, work: str) -> Finding:
    """What Spark writes is what single files are looked for: on Connect, tasks must see the same folder."""
    name, remedy = "work can be written", "Name a folder that driver and executors all can write, by its whole path."
    try:
        with Work(spark, work) as folder:
            stored = folder.store("check", spark.range(0, 2, 1, 2)).count()
            seen = Storage(spark).names(folder.path)
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        return Finding(name, False, lines[0][:300], remedy)
    passed = stored == 2 and seen == ["check"]
    return Finding(name, passed, work if passed else f"{work} is another folder on each machine", remedy)

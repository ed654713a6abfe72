"""A session is looked at before a job with data runs."""

import json
import subprocess
import sys

import pytest

import hyobscure.spark as hs
from hyobscure._errors import InputError
from hyobscure.spark import machines as looking


def test_a_session_with_all_that_is_needed(spark, work):
    found = hs.check(spark, work=work)
    assert found.passed and bool(found), str(found)
    assert str(found).splitlines()[0] == f"Spark {spark.version}, classic"
    assert "hyobscure is the same on driver and executors" in str(found) and "work can be written" in str(found)


def test_work_that_cannot_be_written(spark, tmp_path):
    (tmp_path / "file").write_text("")
    found = hs.check(spark, work=str(tmp_path / "file"))
    assert not found.passed and "MISSING  work can be written" in str(found)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"hyobscure": "cannot be imported (ModuleNotFoundError)"}, "hyobscure is the same"),
        ({"Python": "3.9.1"}, "Python is the same"),
        ({"PyArrow": "9.0.0"}, "PyArrow is the same"),
    ],
)
def test_machines_that_lack_something(spark, long, work, monkeypatch, change, problem):
    """What executors tell is changed on its way."""
    told = json.loads
    monkeypatch.setattr(looking, "_checked", {})
    monkeypatch.setattr(looking.json, "loads", lambda text: {**told(text), **change})
    with pytest.raises(InputError) as refused:
        looking.require(spark)
    assert problem in str(refused.value) and list(change.values())[0] in str(refused.value)
    assert "Install the same on the driver and on all machines" in refused.value.remedy


WITHOUT_THE_PACKAGE = """
import pickle, sys
sys.modules["hyobscure"] = None  # as if it were not installed
look = pickle.load(sys.stdin.buffer)
print([batch.to_pylist() for batch in look([])])
"""


def test_executors_without_the_package_can_say_so():
    from pyspark import cloudpickle

    sent = cloudpickle.dumps(looking._looked_at())
    done = subprocess.run([sys.executable, "-c", WITHOUT_THE_PACKAGE], input=sent, capture_output=True, check=False)
    assert b"cannot be imported (ModuleNotFoundError)" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("message", "detail"),
    [
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version", "another Python than the driver"),
        ("ModuleNotFoundError: No module named 'pyarrow'", "no PyArrow"),
        ('Cannot run program "/opt/python": error=2, No such file or directory', "no Python at the path"),
    ],
)
def test_jobs_that_fail_are_explained(message, detail):
    assert detail in looking._of_failure("tasks", message).detail

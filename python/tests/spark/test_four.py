"""The essentials under PySpark 4, ANSI SQL and Spark Connect at once: run in an environment of its own.

One local server, one session, small data. With PySpark 3.5 there is nothing to run here.
"""

import json
import os
import sys

import pyspark
import pytest
from made import program, rows_of

import hyobscure.spark as hs
from hyobscure._errors import InputError

pytestmark = pytest.mark.skipif(pyspark.__version__.startswith("3."), reason="needs PySpark 4")


@pytest.fixture(scope="module")
def connect():
    from pyspark.sql import SparkSession

    settings = {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.shuffle.partitions": 2,
        "spark.ui.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.memory": "900m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.remote("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, str(value))
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_the_session_is_what_these_tests_are_about(connect, work):
    found = hs.check(connect, work=work)
    assert found.passed, str(found)
    assert "Spark Connect" in found.session and found.session.startswith("Spark 4")
    assert connect.conf.get("spark.sql.ansi.enabled") == "true"


@pytest.mark.parametrize("name", ["long", "wide"])
def test_the_same_mechanism_and_release(connect, request, work, tmp_path, name):
    made = request.getfixturevalue(name)
    people, events = made.frames(connect)
    mechanism = hs.fit(hs.census(people, events, spec=made.spec, work=work))
    assert mechanism.text == made.fitted().read_text()
    folder = tmp_path / "release"
    hs.publish(people, events, mechanism, folder, spec=made.spec, work=work, accept_leakage=True)
    for table in ["people.parquet", "events.parquet"][: 1 + made.is_long]:
        assert rows_of(folder / table) == rows_of(made.published() / table)
    found = hs.verify(folder, people, events, spec=made.spec, work=work)
    assert found.passed, [check for check in found.checks if not check.passed]
    assert json.loads(program("verify", folder, "--against", made.spec, "--json"))["passed"]
    with pytest.raises(InputError, match="exists already"):
        hs.publish(people, events, mechanism, folder, spec=made.spec, work=work, accept_leakage=True)


def test_the_ledger(connect, long, work, tmp_path):
    """Mechanisms of the same people under two secret keys."""
    text = long.spec.read_text().replace("seed = 7\n", "")
    spec = text.replace("[release]", f'[release]\nledger = "{tmp_path / "ledger"}"')
    people, events = long.frames(connect)
    census = hs.census(people, events, spec=spec, work=work)
    hs.publish(people, events, hs.fit(census), tmp_path / "one", spec=spec, work=work, accept_leakage=True)
    with pytest.raises(InputError, match="would be drawn for a second time"):
        hs.publish(people, events, hs.fit(census), tmp_path / "two", spec=spec, work=work, accept_leakage=True)


def test_refusals_of_tasks_and_of_what_connect_cannot_do(connect, long, work):
    people, events = long.frames(connect)
    with pytest.raises(InputError, match="events.repeated"):
        hs.census(people, events.union(events.limit(1)), spec=long.spec, work=work)
    with pytest.raises(InputError, match="Spark Connect does not reach single files of hdfs:"):
        hs.census(people, events, spec=long.spec, work="hdfs:///tmp")

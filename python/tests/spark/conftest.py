"""One cluster for all tests: starting it takes longer than most of them."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from cluster import QUICK_JAVA, Cluster  # noqa: E402
from made import LONG_SPEC, WIDE_SPEC, long_tables, wide_tables, write  # noqa: E402


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def spark(cluster):
    session = cluster.session(
        **{
            "spark.executor.memory": "600m",
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": 4,
            "spark.task.maxFailures": 8,
            "spark.executor.extraJavaOptions": QUICK_JAVA,
            "spark.driver.extraJavaOptions": QUICK_JAVA,
            "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than such small tables
            # Every stage of every test may be run twice at once.
            "spark.speculation": "true",
            "spark.speculation.quantile": 0.5,
            "spark.speculation.multiplier": 1.5,
        }
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def work(tmp_path):
    """Where tables between jobs go; nothing may be left of them."""
    folder = tmp_path / "work"
    yield str(folder)
    assert not folder.exists() or not list(folder.iterdir())


@pytest.fixture(scope="session")
def long(tmp_path_factory):
    return write(tmp_path_factory.mktemp("long") / "data", LONG_SPEC, **long_tables())


@pytest.fixture(scope="session")
def wide(tmp_path_factory):
    return write(tmp_path_factory.mktemp("wide") / "data", WIDE_SPEC, **wide_tables())

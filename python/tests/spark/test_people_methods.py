"""Methods that look at each person: byte-equal to the command line, in one task and by wards in many.

One data set and two readings of it by the command line serve all, since what takes time is Spark's jobs.
"""

import sys

import pytest
from cluster import KillsAnExecutor
from made import LONG_SPEC, long_tables, program, rows_of, write

import hyobscure.spark as hs
from hyobscure._errors import InputError

# Groups of unlike size: seven of eight people are in one.
SPEC = LONG_SPEC.replace('"exact"', '"fine"').replace("count = 3", "fixed = [[20, 45], [46, 49]]")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return write(tmp_path_factory.mktemp("people") / "data", SPEC, **long_tables(400, seed=31))


@pytest.fixture(scope="module")
def census(spark, made, tmp_path_factory):
    return hs.census(*made.frames(spark, 3), spec=made.spec, work=str(tmp_path_factory.mktemp("census")))


def by_command_line(made, **settings):
    """Its mechanism under other settings."""
    name = "-".join(f"{key}-{value}" for key, value in settings.items())
    file = made.folder / f"{name}.json"
    if not file.exists():
        flags = [word for key, value in settings.items() for word in (f"--{key.replace('_', '.')}", value)]
        program("fit", made.spec, "-o", file, *flags)
    return file


def release_of_command_line(made, mechanism, folder):
    program("publish", made.spec, "-m", mechanism, "-o", folder, "--accept-leakage")
    return rows_of_release(folder)


def rows_of_release(folder):
    return [rows_of(folder / name) for name in ("people.parquet", "events.parquet")]


class partitions_of:  # noqa: N801
    """Jobs inside shuffle into so many partitions."""

    def __init__(self, spark, partitions):
        self.spark, self.settings = spark, {"spark.sql.shuffle.partitions": partitions}

    def __enter__(self):
        self.before = {key: self.spark.conf.get(key) for key in self.settings}
        for key, value in self.settings.items():
            self.spark.conf.set(key, value)

    def __exit__(self, *_):
        for key, value in self.before.items():
            self.spark.conf.set(key, value)


@pytest.mark.parametrize("method", ["fine", "dp", "simp"])
def test_in_one_task(spark, made, census, work, tmp_path, method):
    tables = made.frames(spark, 5)
    mechanism = hs.fit(census, *tables, work=work, method_name=method)
    theirs = by_command_line(made, method_name=method)
    assert mechanism.text == theirs.read_text()
    if method == "dp":  # it draws as simp does
        return
    release = hs.publish(*tables, mechanism, tmp_path / "release", spec=made.spec, work=work, accept_leakage=True)
    expected = release_of_command_line(made, theirs, tmp_path / "expected")
    assert rows_of_release(tmp_path / "release") == expected
    assert 0 <= release.people_unchanged < 400


@pytest.mark.parametrize(
    ("most", "partitions", "killed"),
    [(100, 1, None), (44, 7, None), (44, 64, "solved-2")],
)
def test_by_wards(spark, cluster, made, census, work, tmp_path, monkeypatch, most, partitions, killed):
    """Wards of 100 are solved as one problem, those of 44 one by one at a common price of distance.

    With 64 partitions many are empty."""
    monkeypatch.setattr(sys.modules["hyobscure.spark.fit"], "_PEOPLE_OF_ONE_TASK", 0)
    tables = made.frames(spark, partitions)
    with partitions_of(spark, partitions):
        if killed:
            with KillsAnExecutor(cluster, tmp_path / "work", killed) as killer:
                mechanism = hs.fit(census, *tables, work=work, method_ward=most)
            assert killer.killed is not None
            assert killer.killed not in cluster.executors()
        else:
            mechanism = hs.fit(census, *tables, work=work, method_ward=most)
    assert mechanism.text == by_command_line(made, method_ward=most).read_text()
    assert "were cut into wards" in mechanism.text


def test_an_executor_is_killed_while_donors_come_from_lists(spark, cluster, made, work, tmp_path):
    theirs = by_command_line(made, method_ward=44)
    with KillsAnExecutor(cluster, tmp_path / "work", "pairs") as killer:
        release = hs.publish(
            *made.frames(spark, 3),
            hs.Mechanism.load(theirs),
            tmp_path / "release",
            spec=made.spec,
            work=work,
            accept_leakage=True,
        )
    assert killer.killed is not None
    assert rows_of_release(tmp_path / "release") == release_of_command_line(made, theirs, tmp_path / "expected")
    found = hs.verify(release.folder, *made.frames(spark), spec=made.spec, work=work)
    assert found.passed, [check for check in found.checks if not check.passed]


def test_what_a_method_that_looks_at_people_needs(spark, made, census, work, monkeypatch):
    with pytest.raises(InputError, match="looks at each person, and a census has none"):
        hs.fit(census)
    people, events = made.frames(spark)
    with pytest.raises(InputError, match="was taken of other data"):
        hs.fit(census, people, events.filter("stars < 5"), work=work)
    monkeypatch.setattr(sys.modules["hyobscure.spark.fit"], "_PEOPLE_OF_ONE_TASK", 399)
    with pytest.raises(InputError, match="which one task does, for at most 399 people"):
        hs.fit(census, people, events, work=work, method_name="dp")
    with pytest.raises(InputError, match="method.self_donor"):
        hs.fit(census, people, events, work=work, method_self_donor="never", method_ward=44)

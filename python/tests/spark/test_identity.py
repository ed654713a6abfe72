"""Command line = Spark: the same mechanism, byte for byte, and the same release, row for row in order."""

import json

import pytest
from made import LONG_SPEC, long_tables, program, rows_of, wide_tables, write

import hyobscure.spark as hs


@pytest.fixture(params=["long", "wide"])
def made(request):
    return request.getfixturevalue(request.param)


def tables_of(made):
    return ["people.parquet", "events.parquet"][: 1 + made.is_long]


def assert_same_release(made, folder):
    for name in tables_of(made):
        expected = rows_of(made.published() / name)
        assert len(expected) > 100
        assert rows_of(folder / name) == expected


def test_the_mechanism_is_the_command_lines(spark, made, work):
    census = hs.census(*made.frames(spark, 3), spec=made.spec, work=work)
    assert hs.fit(census).text == made.fitted().read_text()


def test_a_census_serves_other_budgets(spark, long, work, tmp_path):
    census = hs.census(*long.frames(spark), spec=long.spec, work=work)
    other = write(tmp_path / "other", LONG_SPEC.replace("budget_share = 0.5", "budget_share = 0.2"), **long_tables())
    assert hs.fit(census, channel_budget_share=0.2).text == other.fitted().read_text()


def test_the_release_is_the_command_lines_and_verifies(spark, made, work, tmp_path):
    people, events = made.frames(spark)
    mechanism = hs.Mechanism.load(made.fitted())
    release = hs.publish(
        people, events, mechanism, tmp_path / "release", spec=made.spec, work=work, accept_leakage=True
    )
    assert release.people == len(rows_of(made.published() / "people.parquet"))
    assert_same_release(made, tmp_path / "release")
    assert sorted(path.name for path in (tmp_path / "release").glob("[!.]*")) == sorted(
        ["manifest.json", *tables_of(made)]
    )
    found = hs.verify(release.folder, people, events, spec=made.spec, work=work)
    assert found.passed, [check for check in found.checks if not check.passed]
    assert json.loads(program("verify", release.folder, "--against", made.spec, "--json"))["passed"]


@pytest.mark.parametrize("partitions", [1, 7, 64])
def test_partitions_do_not_show(spark, long, work, tmp_path, partitions):
    """64 partitions of 300 people: many are empty."""
    settings = {"spark.sql.shuffle.partitions": partitions, "spark.sql.adaptive.enabled": "false"}
    before = {key: spark.conf.get(key) for key in settings}
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        hs.publish(
            *long.frames(spark, partitions),
            hs.Mechanism.load(long.fitted()),
            tmp_path / "release",
            spec=long.spec,
            work=work,
            accept_leakage=True,
        )
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
    assert_same_release(long, tmp_path / "release")


ALIKE_SPEC = """
[people]
file = "people.parquet"
id = "id"
secret = "age"
features = ["hours"]

[groups]
count = 2
people = [20, 500]
values = [4, 40]

[channel]
clusters = 2
distance = "squared-euclidean"
budget_share = 0.9

[method]
name = "exact"
retain = 0.1
seed = 3

[release]
ids = "keep"
order = "shuffled"
"""


def test_people_who_are_nearly_all_alike(spark, work, tmp_path):
    """Two cells hold nearly everybody, and some keep their own row."""
    people = wide_tables(500)["people"]
    hours = [70 if number % 50 == 0 else number % 2 for number in range(len(people))]
    people = people.set_column(people.column_names.index("hours"), "hours", [hours])
    made = write(tmp_path / "alike", ALIKE_SPEC, people=people)
    census = hs.census(*made.frames(spark, 5), spec=made.spec, work=work)
    assert census.counts.sum(axis=1).max() > 0.95 * len(people)
    mechanism = hs.fit(census)
    assert mechanism.text == made.fitted().read_text()
    hs.publish(*made.frames(spark, 5), mechanism, tmp_path / "release", spec=made.spec, work=work, accept_leakage=True)
    assert_same_release(made, tmp_path / "release")
    nameless = write(
        tmp_path / "nameless", ALIKE_SPEC.replace('ids = "keep"\norder = "shuffled"', 'ids = "drop"'), people=people
    )
    hs.publish(
        *nameless.frames(spark), mechanism, tmp_path / "dropped", spec=nameless.spec, work=work, accept_leakage=True
    )
    assert_same_release(nameless, tmp_path / "dropped")

"""Command line = Spark: the same mechanism, byte for byte, and the same release, row for row in order."""

import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import LONG_SPEC, WIDE_SPEC, long_tables, program, rows_of, wide_tables, write

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
        ["manifest.json", "groups.csv", "README.txt", *tables_of(made)]
    )
    theirs = made.published()
    for name in ("groups.csv", "README.txt"):
        assert (tmp_path / "release" / name).read_bytes() == (theirs / name).read_bytes(), name
    found = hs.verify(release.folder, people, events, spec=made.spec, work=work)
    assert found.passed, [check for check in found.checks if not check.passed]
    checked = json.loads(program("verify", release.folder, "--against", made.spec, "-m", made.fitted(), "--json"))
    assert checked["passed"] and checked["mode"] == "mechanism"


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


@pytest.mark.parametrize("method", ["random", "frapp"])
def test_methods_that_draw_any_other_person(spark, work, tmp_path, monkeypatch, method):
    """Hashes are cut into four parts: donors may be in the next one."""
    monkeypatch.setattr(sys.modules["hyobscure.spark.publish"], "_PEOPLE_OF_PART", 60)
    spec = LONG_SPEC.replace('"exact"', f'"{method}"')
    made = write(tmp_path / method, spec, **long_tables(220, seed=31))
    census = hs.census(*made.frames(spark, 3), spec=made.spec, work=work)
    mechanism = hs.fit(census)
    assert mechanism.text == made.fitted().read_text()
    release = hs.publish(
        *made.frames(spark, 3), mechanism, tmp_path / "release", spec=made.spec, work=work, accept_leakage=True
    )
    assert_same_release(made, tmp_path / "release")
    assert 0 < release.people_unchanged < 220


@pytest.mark.parametrize(
    ("secret", "kind", "limits"),
    [
        ('secret = "job"', '"categorical"', "values = [2, 4]"),
        ('secret = ["age", "job"]', '["ordered", "categorical"]', "values = [10, 200]"),
    ],
)
def test_secrets_that_are_names_or_several(spark, work, tmp_path, secret, kind, limits):
    spec = (
        WIDE_SPEC.replace('secret = "age"', secret)
        .replace('"job", ', "")
        .replace("values = [4, 30]", limits)
        .replace("count = 3", "count = 2")
        .replace("[groups]", f'[secret]\nkind = {kind}\nmissing = "leave-out"\n\n[groups]')
    )
    made = write(tmp_path / "made", spec, **wide_tables(300, seed=9))
    census = hs.census(*made.frames(spark, 3), spec=made.spec, work=work)
    mechanism = hs.fit(census)
    assert mechanism.text == made.fitted().read_text()
    folder = tmp_path / "release"
    hs.publish(*made.frames(spark, 3), mechanism, folder, spec=made.spec, work=work, accept_leakage=True)
    assert_same_release(made, folder)
    found = hs.verify(folder, *made.frames(spark), spec=made.spec, work=work)
    assert found.passed, [check for check in found.checks if not check.passed]
    assert json.loads(program("verify", folder, "--against", made.spec, "--json"))["passed"]
    part = sorted((folder / "people.parquet").glob("*.parquet"))[0]
    people = pq.read_table(part, partitioning=None)
    labels = people.columns[1].to_pylist()
    other = next(label for label in labels if label != labels[0])
    pq.write_table(people.set_column(1, people.column_names[1], pa.array([other, *labels[1:]])), part)
    assert not hs.verify(folder, *made.frames(spark), spec=made.spec, work=work).passed


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


def test_people_who_are_nearly_all_alike(spark, work, tmp_path, monkeypatch):
    """Two cells hold nearly everybody, and some keep their own row. Hashes are cut into eight parts."""
    monkeypatch.setattr(sys.modules["hyobscure.spark.publish"], "_PEOPLE_OF_PART", 70)
    monkeypatch.setattr(sys.modules["hyobscure.spark.publish"], "_FEWEST_ROWS", 100)
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

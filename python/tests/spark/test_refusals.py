"""What cannot be done is refused with place, cause and remedy, and no message quotes a cell."""

import pyarrow as pa
import pytest
from made import LONG_SPEC, WIDE_SPEC, long_tables, wide_tables, write

import hyobscure.spark as hs
from hyobscure._errors import InputError


@pytest.mark.parametrize(
    ("section", "setting", "what"),
    [
        ("[channel]", 'distance = "jaccard"', "channel.distance"),
        ("[channel]", 'clusters = "auto"', "channel.clusters"),
        ("[channel]", 'budget = "at most 2 % of rating RMSE"', "channel.budget"),
        ("[method]", "within_groups = false", "method.within_groups"),
        ("[people]", 'keep = ["job"]', "people.keep"),
        ("[people]", 'missing = "mean"', "people.missing"),
        ("[secret]", 'kind = "spatial"\nlatitude = "lat"\nlongitude = "lon"', "secret.kind"),
    ],
)
def test_what_is_not_distributed(spark, long, work, section, setting, what):
    key = setting.split(" =")[0]
    lines = [line for line in LONG_SPEC.splitlines() if not line.startswith((f"{key} =", "budget"))]
    spec = "\n".join(lines) + ("" if section in lines else f"\n{section}\n")
    spec = spec.replace(section, f"{section}\n{setting}")
    with pytest.raises(InputError) as refused:
        hs.census(*long.frames(spark), spec=spec, work=work)
    assert refused.value.place.column == what
    assert refused.value.problem and refused.value.remedy.endswith(".")


def census_of(spark, folder, spec, work, **tables):
    made = write(folder / "made", spec, **tables)
    return hs.census(*made.frames(spark), spec=made.spec, work=work)


def changed(table, column, row, value):
    cells = table[column].to_pylist()
    cells[row] = value
    return table.set_column(table.column_names.index(column), column, pa.array(cells))


LONG, WIDE = long_tables(60), wide_tables(60)["people"]


@pytest.mark.parametrize(
    ("people", "events", "column", "problem"),
    [
        (
            changed(LONG["people"], "user", 5, None),
            LONG["events"],
            "user",
            "the id is missing (1 row in all)",
        ),
        (
            changed(LONG["people"], "user", 5, LONG["people"]["user"][6].as_py()),
            LONG["events"],
            "user",
            "a person occurs again (1 row too many)",
        ),
        (
            changed(LONG["people"], "age", 5, None),
            LONG["events"],
            "age",
            "the secret is missing (1 person in all)",
        ),
        (
            LONG["people"],
            changed(LONG["events"], "film", 9, None),
            "",
            "an event has an empty cell (1 event in all)",
        ),
        (
            LONG["people"],
            changed(LONG["events"], "stars", 9, -61.5),
            "stars",
            "the value is negative (1 event in all)",
        ),
        (
            LONG["people"],
            changed(LONG["events"], "stars", 9, float("nan")),
            "stars",
            "expected a finite number",
        ),
        (
            LONG["people"],
            changed(LONG["events"], "user", 9, 999_983),
            "user",
            "the person is not in the people table (1 event of such people)",
        ),
        (LONG["people"], LONG["events"].slice(0, 0), "", "there are no events in it"),
        (LONG["people"].slice(0, 0), LONG["events"], "", "there are no people in it"),
    ],
)
def test_long_data_that_cannot_be_read(spark, work, tmp_path, people, events, column, problem):
    with pytest.raises(InputError) as refused:
        census_of(spark, tmp_path, LONG_SPEC, work, people=people, events=events)
    assert refused.value.place.column == column
    assert problem in refused.value.problem
    assert "61.5" not in str(refused.value) and "999983" not in str(refused.value)


def test_a_repeated_event_is_refused_by_the_executor_that_finds_it(spark, work, tmp_path):
    events = pa.concat_tables([LONG["events"], LONG["events"].slice(4, 1)])
    with pytest.raises(InputError, match="events.repeated"):
        census_of(spark, tmp_path, LONG_SPEC, work, people=LONG["people"], events=events)


@pytest.mark.parametrize(
    ("people", "column", "problem"),
    [
        (changed(WIDE, "hours", 3, None), "hours", "the cell is empty (1 cell in all)"),
        (changed(WIDE, "income", 3, float("inf")), "income", "expected a finite number"),
        (WIDE.drop_columns(["job"]), "job", "there is no such column"),
    ],
)
def test_wide_data_that_cannot_be_read(spark, work, tmp_path, people, column, problem):
    full = pa.array([value or 1.0 for value in people["income"].to_pylist()])
    people = people.set_column(people.column_names.index("income"), "income", full)
    with pytest.raises(InputError) as refused:
        census_of(spark, tmp_path, WIDE_SPEC.replace('missing = "category"', ""), work, people=people)
    assert refused.value.place.column == column
    assert problem in refused.value.problem


def test_two_columns_that_differ_in_case_only(spark, wide, work):
    people, _ = wide.frames(spark)
    twice = people.select("*", people["hours"].alias("HOURS"))
    with pytest.raises(InputError, match="there are two columns so named"):
        hs.census(twice, spec=wide.spec, work=work)


def test_other_data_than_the_mechanism_was_made_for(spark, long, work, tmp_path):
    people, events = long.frames(spark)
    fewer = people.filter("age < 45")
    spec = long.spec.read_text().replace("[events]", '[events]\nunknown_people = "leave-out"')
    with pytest.raises(InputError, match="was made for other data"):
        hs.publish(
            fewer,
            events,
            hs.Mechanism.load(long.fitted()),
            tmp_path / "release",
            spec=spec,
            work=work,
            accept_leakage=True,
        )
    assert not (tmp_path / "release").exists()


def test_a_path_where_the_text_of_a_mechanism_belongs_is_called_that(spark, long, work, tmp_path):
    people, events = long.frames(spark)
    for path in ("mechanism.json", str(tmp_path / "m.json"), tmp_path / "m.json", ""):
        with pytest.raises(InputError, match="Mechanism.load"):
            hs.publish(people, events, path, tmp_path / "release", spec=long.spec, work=work)


def test_a_release_is_not_overwritten(spark, long, work, tmp_path):
    (tmp_path / "release").mkdir()
    with pytest.raises(InputError, match="exists already"):
        hs.publish(
            *long.frames(spark),
            hs.Mechanism.load(long.fitted()),
            tmp_path / "release",
            spec=long.spec,
            work=work,
            accept_leakage=True,
        )
    with pytest.raises(InputError, match="is no release"):
        hs.publish(
            *long.frames(spark),
            hs.Mechanism.load(long.fitted()),
            tmp_path / "release",
            spec=long.spec,
            work=work,
            accept_leakage=True,
            force=True,
        )


@pytest.mark.parametrize(
    ("setting", "what"), [('ids = "drop"', "release.ids"), ('order = "shuffled"', "release.order")]
)
def test_releases_that_are_not_written(spark, long, work, tmp_path, setting, what):
    spec = long.spec.read_text().replace('ids = "keep"', setting)
    with pytest.raises(InputError) as refused:
        hs.publish(
            *long.frames(spark),
            hs.Mechanism.load(long.fitted()),
            tmp_path / "release",
            spec=spec,
            work=work,
            accept_leakage=True,
        )
    assert refused.value.place.column == what


def test_a_secret_key_needs_somebody_who_remembers_the_draw(spark, long, work, tmp_path):
    unseeded = long.not_from_a_seed()
    with pytest.raises(InputError) as refused:
        hs.publish(*long.frames(spark), unseeded, tmp_path / "release", spec=long.spec, work=work, accept_leakage=True)
    assert refused.value.place.column == "release.ledger"


def test_what_the_census_settled(spark, long, work):
    census = hs.census(*long.frames(spark), spec=long.spec, work=work)
    with pytest.raises(InputError, match="was settled by the census"):
        hs.fit(census, channel_clusters=9)


def test_a_weak_mechanism_is_refused_unless_the_leakage_is_accepted(spark, long, work, tmp_path):
    mechanism = hs.Mechanism.load(long.fitted())
    with pytest.raises(InputError, match="weaker than it should be"):
        hs.publish(*long.frames(spark), mechanism, tmp_path / "release", spec=long.spec, work=work)
    assert not (tmp_path / "release").exists()

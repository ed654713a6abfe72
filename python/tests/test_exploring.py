"""Before anything is fitted: inspection, a first spec, methods side by side. The program says the same."""

import json
import pickle

import numpy as np
import pandas
import polars
import pytest
from conftest import LONG, QUICK

import hyobscure
from hyobscure import HyObscure, InputError


def without_times(facts):
    """All but what depends on the clock."""
    return {key: value for key, value in facts.items() if key not in ("seconds", "estimate")}


def test_an_inspection_says_what_the_program_says(wide, program, tmp_path):
    wide.to_parquet(tmp_path / "people.parquet", index=False)
    (tmp_path / "spec.toml").write_text(
        '[people]\nquery = "SELECT * FROM \'people.parquet\'"\nid = "who"\nsecret = "age"\nkeep = ["gender"]\n'
        'features = ["visits", "height", "town"]\n[groups]\npeople = [40, 200]\nvalues = [3, 30]\n[channel]\nclusters = 5\n'
        '[method]\nname = "exact"\nseed = 7\n'
    )
    theirs = json.loads(program("inspect", "spec.toml", "--json", cwd=tmp_path))
    ours = HyObscure(id="who", keep=["gender"], **QUICK).inspect(wide, "age")
    assert without_times(ours.facts) == without_times(theirs)
    assert set(ours.estimate) == set(theirs["estimate"])
    assert all(seconds is None or seconds >= 0 for seconds in ours.estimate.values())
    from_file = hyobscure.inspect(spec=tmp_path / "spec.toml")
    assert without_times(from_file.facts) == without_times(theirs)


@pytest.mark.parametrize("kind", ["pandas", "polars", "numpy"])
def test_what_is_recommended_can_be_fitted(wide, numbers, kind):
    X, y = numbers if kind == "numpy" else (wide.drop(columns="height"), "age")
    names = {} if kind == "numpy" else {"id": "who"}
    if kind == "polars":
        X = polars.from_pandas(X)
    found = hyobscure.inspect(X, y, **names)
    assert set(found.recommended) == {"groups", "people", "values", "budget_share"}
    assert repr(found.recommended["people"]) in repr(found) and "the recommended limits" in repr(found)
    model = HyObscure(**found.recommended, **names, method="exact", clusters=5, random_state=1).fit(X, y)
    assert len(model.groups_) == found.recommended["groups"] == len(found.facts["groups"])
    k, alpha = found.recommended["people"]
    assert all(k <= group["people"] <= alpha for group in model.groups_)
    lowest, highest = found.facts["smallest_budget"], found.facts["largest_budget"]
    expected = lowest + found.recommended["budget_share"] * (highest - lowest)
    assert model.facts_["budget"] == pytest.approx(expected, rel=0.2)  # of its own clusters, not of ten


def test_limits_that_are_asked_for_are_looked_at(wide):
    found = HyObscure(id="who", **QUICK).inspect(wide.drop(columns="height"), "age")
    assert "of your spec" in repr(found)
    assert all(40 <= group["people"] <= 200 for group in found.facts["groups"])


def test_columns_that_nobody_may_publish_are_shown_and_not_refused(wide):
    mailed = wide.assign(mail=[f"p{i}@example.org" for i in range(len(wide))])
    with pytest.raises(InputError, match="mail"):
        HyObscure(id="who", **QUICK, budget=0.2).fit(mailed, "age")
    found = hyobscure.inspect(mailed, "age", id="who")
    refused = {column["name"] for column in found.columns if column["refused"]}
    assert "mail" in refused and "example.org" not in repr(found) + found._repr_html_()
    frame = found.to_frame()
    assert list(frame["name"]) == [column["name"] for column in found.columns]
    assert len(found.to_frame("options")) == len(found.options)
    with pytest.raises(InputError, match="columns, options, groups"):
        found.to_frame("rows")


def test_few_people_are_recommended_one_group():
    settings = {"people.allow_identifying": ["x0", "x1"], "channel.distance": "euclidean"}
    X = np.arange(8.0).reshape(4, 2)
    found = hyobscure.inspect(X, [30, 31, 30, 31], clusters=2, settings=settings)
    assert found.recommended["groups"] == 1
    assert (
        len(
            HyObscure(**found.recommended, settings=settings, method="xobf", clusters=2)
            .fit(X, [30, 31, 30, 31])
            .groups_
        )
        == 1
    )


def test_an_inspection_leaves_the_model_alone(numbers):
    model = HyObscure(0.15, **QUICK)
    before = dict(vars(model))
    model.inspect(*numbers)
    assert vars(model) == before


# --- a first spec


def test_a_first_spec_of_files_is_that_of_the_program(long, program, tmp_path):
    people, events = long
    people.to_csv(tmp_path / "people.csv", index=False)
    events.to_csv(tmp_path / "events.csv", index=False)
    program("init", "people.csv", "events.csv", "--secret", "age", "-o", "theirs.toml", cwd=tmp_path)
    start = hyobscure.init(tmp_path / "people.csv", tmp_path / "events.csv", secret="age", folder=tmp_path)
    here = str(tmp_path) + "/"
    assert start.toml.replace(here, "") == (tmp_path / "theirs.toml").read_text()
    assert start.secret == "age" and start.people == len(people)
    file = start.save(tmp_path / "ours.toml")
    model = HyObscure.from_spec(file, method="exact", random_state=1).fit()
    assert model.facts_["people"] == len(people)
    with pytest.raises(InputError, match="force=True"):
        start.save(file)
    start.save(file, force=True)
    with pytest.raises(InputError, match="named from"):
        start.save(tmp_path / "elsewhere" / "spec.toml")


def test_names_of_files_start_at_the_folder(long, tmp_path, monkeypatch):
    people, events = long
    (tmp_path / "data").mkdir()
    people.to_csv(tmp_path / "data" / "people.csv", index=False)
    events.to_csv(tmp_path / "data" / "events.csv", index=False)
    monkeypatch.chdir(tmp_path)
    start = hyobscure.init("data/people.csv", "data/events.csv", secret="age", folder="data")
    assert start.settings["people.file"] == "people.csv"
    assert HyObscure.from_spec(start.save("data/spec.toml"), method="exact", random_state=1).fit().leakage_ > 0


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_first_description_of_data_frames_is_that_of_their_files(wide, kind, tmp_path):
    wide = wide.rename(columns={"who": "id"})
    wide.to_parquet(tmp_path / "people.parquet", index=False)
    of_file = hyobscure.init(tmp_path / "people.parquet", secret="age")
    table = {"pandas": lambda: wide, "polars": lambda: polars.from_pandas(wide)}.get(
        kind, lambda: polars.from_pandas(wide).to_arrow()
    )()
    start = hyobscure.init(table, secret="age")
    same = {key: value for key, value in of_file.settings.items() if key != "people.file"}
    assert {key: value for key, value in start.settings.items() if key != "people.query"} == same
    assert start.left_out == of_file.left_out
    model = HyObscure(**{**start.arguments, "method": "exact", "random_state": 1}).fit(table, start.secret)
    assert model.facts_["people"] == len(wide)
    assert "nobody may infer age" in repr(start)
    with pytest.raises(InputError, match="arguments"):
        start.save(tmp_path / "spec.toml")


def test_rows_without_an_id_and_dates_of_birth(tmp_path):
    random = np.random.default_rng(6)
    born = random.integers(1950, 2000, 200)
    people = pandas.DataFrame(
        {
            "birth": pandas.to_datetime([f"{year}-0{1 + i % 9}-15" for i, year in enumerate(born)]),
            "visits": random.poisson(1 + (2000 - born) / 10),
            "town": pandas.Categorical(random.choice(["North", "South"], 200)),
        }
    )
    start = hyobscure.init(people, secret="birth")
    assert start.secret == "birth_year" and start.arguments["id"] == "row"
    model = HyObscure(**{**start.arguments, "method": "exact", "random_state": 1}).fit(people, start.secret)
    with model.publish() as release:
        assert release.verify().passed
    assert model.transform(people).shape == (200, 2)

    no_dates = people.drop(columns="birth").assign(age=2020 - born)
    start = hyobscure.init(no_dates, secret="age")
    assert "id" not in start.arguments and "people.query" not in start.arguments["settings"]
    assert "town" in start.arguments["settings"]["people.features"]
    HyObscure(**{**start.arguments, "method": "exact", "random_state": 1}).fit(no_dates, start.secret)


def test_a_first_description_of_events_in_memory(long):
    people, events = long
    start = hyobscure.init(people, events, secret="age")
    assert start.settings["events.person"] == "user" and start.settings["events.item"] == "film"
    model = HyObscure(**{**start.arguments, "method": "exact", "random_state": 1}).fit(
        people, start.secret, events=events
    )
    assert model.facts_["people"] == len(people)


def test_what_cannot_be_guessed_is_said_in_words_of_python(wide, numbers):
    with pytest.raises(InputError, match='secret="COLUMN"'):
        hyobscure.init(wide[["visits", "town"]])
    with pytest.raises(InputError, match="recommended"):
        hyobscure.init(numbers[0])
    with pytest.raises(InputError, match="careful, balanced or useful"):
        hyobscure.init(wide, secret="age", care="much")
    with pytest.raises(InputError, match="two kinds"):
        hyobscure.init(wide, "events.csv")


# --- methods side by side


def test_a_comparison_is_that_of_the_program(wide, program, tmp_path):
    (tmp_path / "spec.toml").write_text(
        '[people]\nquery = "SELECT * FROM \'people.parquet\'"\nid = "who"\nsecret = "age"\n'
        'features = ["gender", "visits", "height", "town"]\n[groups]\npeople = [40, 200]\nvalues = [3, 30]\n'
        '[channel]\nclusters = 5\n[method]\nname = "exact"\nseed = 7\n'
    )
    wide.to_parquet(tmp_path / "people.parquet", index=False)
    flags = ("--methods", "exact,random", "--points", "3", "-o", "theirs", "--json")
    theirs = json.loads(program("compare", "spec.toml", *flags, cwd=tmp_path))
    allowed = {"people.allow_identifying": ["height"]}
    found = HyObscure(id="who", settings=allowed, **QUICK).compare(wide, "age", methods=["exact", "random"], points=3)
    assert found.methods == ["exact", "random"] and found.complete
    for mine, other in zip(found.facts["methods"], theirs["methods"], strict=True):
        for point, same in zip(mine["points"], other["points"], strict=True):
            assert {**point, "seconds": 0} == {**same, "seconds": 0}
    frame = found.to_frame()
    assert len(frame) == sum(len(curve) for curve in found.frontiers.values())
    assert list(frame["leakage_bits"][: len(found["exact"])]) == list(found["exact"]["leakage_bits"])
    found.save(tmp_path / "ours")
    assert {file.name for file in (tmp_path / "ours").iterdir()} == {
        file.name for file in (tmp_path / "theirs").iterdir()
    }
    with pytest.raises(InputError, match="force=True"):
        found.save(tmp_path / "ours")
    with pytest.raises(InputError, match="audit=True"):
        found.to_frame("audits")


def test_a_comparison_can_be_audited_and_plotted(numbers):
    import matplotlib

    matplotlib.use("Agg")
    settings = {"audit.releases": 2, "audit.attackers": ["forest"], "audit.scenarios": ["I"]}
    budget = [0.15]
    model = HyObscure(settings=settings, **QUICK)
    found = model.compare(*numbers, methods="exact", budgets=budget, audit=True)
    rows = found.to_frame("audits")
    assert "random forest I" in list(rows["what"]) and (rows["mean"] >= 0).any()
    axes = found.plot()
    assert list(axes.lines[0].get_ydata()) == list(found["exact"]["leakage_bits"])
    assert "exact" in found._repr_html_() and "exact" in repr(found)
    matplotlib.pyplot.close("all")


def test_errors_of_a_comparison_name_its_arguments(numbers):
    model = HyObscure(**QUICK)
    with pytest.raises(InputError) as refused:
        model.compare(*numbers, methods=["exactly"])
    assert refused.value.place.source == "methods"
    with pytest.raises(InputError) as refused:
        model.compare(*numbers, methods=["exact"], budgets=[-1])
    assert refused.value.place.source == "budgets" and "hyobscure.inspect" in refused.value.remedy


def test_long_data_is_explored_too(long):
    people, events = long
    model = HyObscure(id="user", settings=LONG, **QUICK)
    assert model.inspect(people, "age", events=events).facts["items"] == 40
    found = model.compare(people, "age", events=events, methods=["exact"], points=2)
    assert len(found["exact"]) == 2
    assert pickle.loads(pickle.dumps(found["exact"])).points == found["exact"].points

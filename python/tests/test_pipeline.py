"""A secret beside the target of a pipeline, searches over settings, threads as scikit-learn counts them."""

import numpy as np
import pytest
from conftest import QUICK
from sklearn import config_context
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline

import hyobscure
from hyobscure import HyObscure, InputError

WIDE = {**QUICK, "id": "who", "settings": {"channel.budget_share": 0.5, "people.allow_identifying": ["height"]}}


def test_a_pipeline_keeps_its_target(wide):
    people = wide.drop(columns="gender")
    target = (wide["gender"] == "f").to_numpy()
    pipeline = make_pipeline(
        HyObscure(
            secret="age",
            settings={**WIDE["settings"], "people.features": ["visits", "height"]},
            **{**QUICK, "id": "who"},
        ),
        RandomForestClassifier(n_estimators=20, random_state=0),
    )
    guessed = pipeline.fit(people, target).predict(people)
    assert guessed.dtype == bool and set(guessed) <= {True, False}
    hidden = pipeline[0]
    alone = HyObscure(**{**WIDE, "settings": hidden.settings}).fit(people, "age")
    assert hidden.groups_ == alone.groups_ and hidden.leakage_ == alone.leakage_
    assert list(pipeline[:-1].transform(people).columns) == ["visits", "height"]


def test_the_target_is_not_looked_at(wide):
    once = HyObscure(secret="age", **WIDE).fit(wide, np.zeros(len(wide)))
    again = HyObscure(secret="age", **WIDE).fit(wide)
    assert (
        once.groups_ == again.groups_
        and once.score(wide, None) == again.score(wide, np.ones(len(wide))) == -once.leakage_
    )


def test_a_secret_of_an_array_goes_through_a_pipeline(numbers):
    X, y = numbers
    target = X.sum(axis=1)
    with config_context(enable_metadata_routing=True):
        hide = HyObscure(0.15, **QUICK).set_fit_request(secret=True, events=False)
        pipeline = make_pipeline(hide, RandomForestRegressor(n_estimators=10, random_state=0))
        guessed = pipeline.fit(X, target, secret=y).predict(X)
    assert guessed.shape == y.shape
    assert pipeline[0].groups_ == HyObscure(0.15, **QUICK).fit(X, y).groups_


def test_a_secret_that_is_given_twice_is_refused(wide):
    with pytest.raises(InputError, match="Give it once"):
        HyObscure(secret="age", **WIDE).fit(wide, secret="visits")
    with pytest.raises(InputError, match="`secret`"):
        HyObscure(**WIDE).fit(wide)


def test_a_secret_of_files_can_be_another_one(tmp_path):
    hyobscure.synth(tmp_path / "data", people=240, items=60, entries=12)
    with pytest.raises(InputError, match="nonesuch"):
        HyObscure.from_spec(tmp_path / "data" / "spec.toml", secret="nonesuch").fit()


def test_a_search_compares_settings_on_the_same_people(numbers):
    X, y = numbers
    search = GridSearchCV(
        HyObscure(0.15, **QUICK), {"groups": [2, 3], "clusters": [3, 5]}, cv=hyobscure.SamePeople()
    ).fit(X, y)
    results = search.cv_results_
    for groups, clusters, score in zip(
        results["param_groups"], results["param_clusters"], results["mean_test_score"], strict=True
    ):
        model = HyObscure(0.15, **{**QUICK, "groups": groups, "clusters": clusters}).fit(X, y)
        assert score == -model.leakage_
    assert search.best_score_ == max(results["mean_test_score"]) == -search.best_estimator_.leakage_


def test_a_use_can_be_the_score(numbers):
    X, y = numbers
    model = HyObscure(0.15, **QUICK).fit(X, y)
    score = hyobscure.use_scorer("item means", releases=2)
    found = hyobscure.audit(model, attacker="forest", scenario="I", releases=2)
    [loss] = [use["loss"]["mean"] for use in found.utilities if use["name"] == "item means"]
    assert score(model, X, y) == -loss < 0
    with pytest.raises(InputError, match="item means"):
        hyobscure.use_scorer("nonesuch", releases=2)(model, X, y)
    with pytest.raises(InputError, match="SamePeople"):
        score(model, X[::-1], y)


def test_other_people_have_no_score(numbers):
    X, y = numbers
    model = HyObscure(0.15, **QUICK).fit(X, y)
    for people in (X[:100], X[::-1]):
        with pytest.raises(InputError, match="SamePeople"):
            model.score(people, y[: len(people)])
    with pytest.raises(NotFittedError):
        HyObscure(0.15, **QUICK).score(X, y)
    with pytest.raises(InputError, match="SamePeople"):
        GridSearchCV(HyObscure(0.15, **QUICK), {"groups": [2]}, cv=KFold(2), error_score="raise").fit(X, y)


@pytest.mark.parametrize("n_jobs, threads", [(None, 0), (1, 1), (3, 3)])
def test_threads_are_counted_as_scikit_learn_does(n_jobs, threads, numbers):
    from hyobscure._dataset import threads_of

    assert threads_of(n_jobs) == threads
    model = HyObscure(0.15, n_jobs=n_jobs, **QUICK).fit(*numbers)
    assert model.leakage_ == HyObscure(0.15, **QUICK).fit(*numbers).leakage_


def test_threads_below_zero_are_all_cores_but_some(monkeypatch, numbers):
    from hyobscure._dataset import threads_of

    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    assert [threads_of(n) for n in (-1, -2, -8, -20)] == [8, 7, 1, 1]
    for wrong in (0, 1.5, "all", True):
        with pytest.raises(InputError, match="n_jobs"):
            HyObscure(0.15, n_jobs=wrong, **QUICK).fit(*numbers)

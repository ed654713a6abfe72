"""Arguments that contradict each other, are misspelt, or belong to a fit that failed: said, and nothing half done."""

import warnings

import numpy as np
import pytest
from conftest import QUICK

from hyobscure import HyObscure, InputError, LeakageWarning, synth, verify


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    "argument, key, value",
    [
        ("budget", "channel.budget", 0.9),
        ("people", "groups.people", [2, 300]),
        ("clusters", "channel.clusters", 3),
        ("method", "method.name", "random"),
        ("random_state", "method.seed", 1),
        ("y", "people.secret", "age"),
    ],
)
def test_a_key_that_is_given_twice_is_refused(numbers, argument, key, value):
    error = refusal(lambda: HyObscure(budget=0.15, **QUICK, settings={key: value}).fit(*numbers))
    assert key in str(error) and argument in str(error) and "Give it once" in error.remedy


def test_a_setting_alone_is_taken(numbers):
    arguments = {name: value for name, value in QUICK.items() if name != "clusters"}
    model = HyObscure(budget=0.15, settings={"channel.clusters": 3}, **arguments).fit(*numbers)
    assert model.facts_["people"] == len(numbers[1])


def test_settings_of_verify_that_nothing_reads_are_refused(model, tmp_path):
    model.publish(tmp_path / "release")
    assert "typo" in str(refusal(lambda: verify(tmp_path / "release", typo=1)))
    assert "secret__keep" in str(refusal(lambda: verify(tmp_path / "release", secret__keep=[1, 2])))
    synth(tmp_path / "data", people=240, items=60, entries=12)
    assert "typo" in str(refusal(lambda: verify(tmp_path / "release", tmp_path / "data" / "spec.toml", typo=1)))
    assert verify(tmp_path / "release").passed


@pytest.mark.parametrize("spoil", ["budget", "columns", "names", "stopped"])
def test_a_refit_that_fails_leaves_the_model_as_it_was(numbers, wide, spoil):
    X, y = numbers
    model = HyObscure(budget=0.15, **QUICK).fit(X, y)
    before = dict(vars(model))
    hidden = model.transform(X)
    if spoil == "budget":
        model.budget = -1
        with pytest.raises(InputError):
            model.fit(X, y)
        model.budget = 0.15
    elif spoil == "columns":
        with pytest.raises(ValueError):
            model.fit(np.full((len(y), 3), np.nan), y)
    elif spoil == "names":
        with pytest.raises(InputError):
            model.fit(wide.drop(columns="age"), wide["age"].to_numpy())  # a unique text among the features

    else:

        class Enough(Exception):
            pass

        def stop(stage, done, total):
            raise Enough

        model.progress = stop
        with pytest.raises(Enough):
            model.fit(X[:, :4], y)
        model.progress = False
    assert {name: id(value) for name, value in vars(model).items()} == {
        name: id(value) for name, value in before.items()
    }
    assert np.array_equal(model.transform(X), hidden)


def test_a_pool_below_k_is_warned_of(wide):
    settings = {"channel.budget_share": 0.5, "groups.limits_for": "groups", "people.allow_identifying": ["height"]}
    with pytest.warns(LeakageWarning, match="smallest pool"):
        model = HyObscure(id="who", keep=["gender"], settings=settings, **QUICK).fit(wide, "age")
    assert 0 < model.facts_["smallest_pool"] < QUICK["people"][0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", LeakageWarning)
        HyObscure(id="who", settings=settings, **{**QUICK, "people": (2, 200)}).fit(wide, "age")

"""HyObscure is an estimator like any other, as far as a mechanism for given people can be."""

import pickle

import numpy as np
import pytest
from conftest import QUICK
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyobscure import HyObscure

# For the data of any check: one group of all people, a distance that knows rows of zeros and negative numbers.
ANY_DATA = HyObscure(
    people=(1, 100_000),
    values=(1, 100_000),
    groups=1,
    clusters=2,
    method="xobf",
    random_state=0,
    settings={"channel.budget_share": 0.5, "channel.distance": "euclidean"},
)
FOR_ITS_PEOPLE = "a mechanism is for the people that it was fitted to: others, fewer or reordered ones are refused"
NEEDS_ENTRIES = "a sparse matrix is long data, and a person without any entry is refused unless people.without_events says otherwise"
EXPECTED = {
    "check_methods_subset_invariance": FOR_ITS_PEOPLE,
    "check_fit_idempotent": FOR_ITS_PEOPLE,
    "check_methods_sample_order_invariance": FOR_ITS_PEOPLE,
    "check_estimator_sparse_array": NEEDS_ENTRIES,
    "check_estimator_sparse_matrix": NEEDS_ENTRIES,
    "check_estimator_sparse_tag": NEEDS_ENTRIES,
}


@parametrize_with_checks([ANY_DATA], expected_failed_checks=lambda _: EXPECTED, xfail_strict=True)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_it_stands_in_a_pipeline(numbers):
    X, y = numbers
    old = (y > 40).astype(int)
    pipeline = make_pipeline(
        StandardScaler(),
        HyObscure(settings={"channel.budget_share": 0.5, "channel.distance": "euclidean"}, **QUICK),
        RandomForestClassifier(random_state=0),
    )
    pipeline.set_params(hyobscure__values=(1, 2), hyobscure__people=(1, 200), hyobscure__groups=1)
    assert pipeline.fit(X, old).predict(X).shape == old.shape


def test_a_clone_knows_arguments_and_nothing_learned(model):
    other = clone(model)
    assert other.get_params() == model.get_params()
    assert not hasattr(other, "mechanism_")


def test_a_pickle_applies_the_same_mechanism(model, numbers):
    X, _ = numbers
    other = pickle.loads(pickle.dumps(model))
    assert (other.transform(X) == model.transform(X)).all()
    assert other.leakage_ == model.leakage_


def test_what_is_learned_adds_up(model, numbers):
    _, y = numbers
    counts = np.bincount(y)
    entropy = -sum(p * np.log2(p) for p in counts[counts > 0] / len(y))
    assert model.facts_["secret_entropy_bits"] == pytest.approx(entropy, abs=1e-9)
    sizes = np.array([group["people"] for group in model.groups_])
    assert sizes.sum() == len(y) and sizes.min() >= 40 and sizes.max() <= 200
    # Leakage by the groups is their entropy, since a value lies in one group.
    shares = sizes / sizes.sum()
    assert model.facts_["leakage_groups_bits"] == pytest.approx(-(shares * np.log2(shares)).sum(), abs=1e-9)
    assert model.facts_["leakage_groups_bits"] <= model.leakage_ <= entropy
    assert 0 <= model.gap_ < 1e-6
    for channel, group in zip(model.channels_, model.groups_):
        assert channel["people"] == group["people"]
        assert channel["probabilities"].sum(axis=1) == pytest.approx(1, abs=1e-9)


def test_arguments_are_keys_of_the_spec(wide):
    model = HyObscure(
        0.3,
        groups=2,
        people=(50, 150),
        values=(4, 30),
        clusters=3,
        method="xobf",
        random_state=9,
        id="who",
        keep=["gender"],
        settings={"secret.atoms": 50, "method.balanced": False},
    )
    assert model._dataset_of(wide, "age", None, reset=True).source().settings == {
        "people.query": '"SELECT * FROM people"',
        "people.id": '"who"',
        "people.secret": '"age"',
        "people.features": '["visits", "height", "town"]',
        "people.keep": '["gender"]',
        "secret.atoms": "50",
        "groups.count": "2",
        "groups.people": "[50, 150]",
        "groups.values": "[4, 30]",
        "channel.clusters": "3",
        "channel.budget": "0.3",
        "method.name": '"xobf"',
        "method.balanced": "false",
        "method.seed": "9",
    }


def test_the_channel_of_people_is_sparse(numbers):
    X, y = numbers
    quick = {**QUICK, "method": "fine"}
    model = HyObscure(budget=0.15, **quick).fit(X, y)
    for channel in model.channels_:
        assert channel["kind"] == "people"
        assert np.asarray(channel["probabilities"].sum(axis=1)).ravel() == pytest.approx(1, abs=1e-9)


def test_the_frontier_falls_and_starts_where_the_groups_do(model):
    frontier = model.frontier(points=4)
    leakage = frontier["leakage_bits"]
    assert len(frontier) == 4 and (np.diff(frontier["budget"]) > 0).all()
    assert (np.diff(leakage) <= 1e-9).all()
    assert (leakage >= frontier["leakage_groups_bits"] - 1e-9).all()


def test_features_have_their_names(wide):
    model = HyObscure(id="who", keep=["gender"], settings={"channel.budget_share": 0.4}, **QUICK).fit(wide, "age")
    assert list(model.feature_names_in_) == list(wide.columns)
    assert list(model.get_feature_names_out()) == ["visits", "height", "town"]

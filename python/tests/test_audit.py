"""Bring your own attacker: the core's splits, publications and controls are used for it too."""

import zipfile

import numpy as np
import pytest
from conftest import QUICK
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

import hyobscure
from hyobscure import HyObscure, InputError


def attack(target, attacker, **options):
    found = hyobscure.audit(target, attacker=attacker, **{"scenario": "I", "releases": 4, **options})
    return found.attacks[0]


def test_a_forest_of_scikit_learn_errs_like_ours(model):
    """Both are forests of 100 trees with the same conventions, on the same splits and draws."""
    found = hyobscure.audit(
        model, attacker=["forest", RandomForestRegressor(n_estimators=100)], scenario="I", releases=4
    )
    ours, theirs = found.attacks
    assert (ours["attacker"], theirs["attacker"]) == ("random forest", "RandomForestRegressor")
    for figure in ("group_only", "nothing"):  # made by the core alone
        assert ours[figure] == theirs[figure]
    for figure in ("published", "unobscured"):
        assert theirs[figure]["mean"] == pytest.approx(ours[figure]["mean"], rel=0.1)


def test_an_attacker_finds_what_leaks_by_construction():
    """Features that are the age itself: an attacker with the true ones makes no error, and the controls say so."""
    random = np.random.default_rng(2)
    y = random.integers(20, 60, 200)
    X = np.column_stack([y, 100 - y, random.integers(0, 3, 200)]).astype(float)
    model = HyObscure(
        settings={
            "channel.budget_share": 1.0,
            "channel.distance": "euclidean",
            "people.allow_identifying": ["x0", "x1"],
        },
        **QUICK,
    ).fit(X, y)
    seen = attack(model, Ridge(alpha=1e-6))
    assert seen["unobscured"]["mean"] < 0.1
    assert seen["published"]["mean"] > 1  # the features leak nothing at this budget
    assert seen["unobscured_advantage"]["low"] > 0


class Spy(RegressorMixin, BaseEstimator):
    """Remembers what attackers are shown."""

    seen: list = []

    def fit(self, X, y):
        Spy.seen.append((X.shape, np.array(y)))
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.mean_)


def test_an_attacker_sees_features_and_group_of_the_known_people_alone(model, numbers):
    X, y = numbers
    Spy.seen.clear()
    seen = attack(model, Spy(), known=0.25, releases=2)
    assert seen["known_people"] == 50 and seen["tested_people"] == 150
    for shape, ages in Spy.seen:
        assert shape[0] == 50 and shape[1] == X.shape[1] + 1  # and a column with the group
        assert set(ages) <= set(y)


def test_a_guess_is_moved_into_the_group(model):
    """The group says more than the mean of all, so even a dummy has a smaller error than the guess that knows nothing."""
    seen = attack(model, DummyRegressor())
    assert seen["published"]["mean"] < seen["nothing"]["mean"]
    assert seen["published"] == seen["unobscured"]


@pytest.mark.parametrize(
    "attacker", [RandomForestClassifier(n_estimators=30), GaussianNB(), HistGradientBoostingRegressor(max_iter=20)]
)
def test_classifiers_and_models_without_sparse_rows_attack_too(model, attacker):
    seen = attack(model, attacker, releases=2)
    assert seen["attacker"] == type(attacker).__name__
    assert 0 < seen["published"]["mean"] < seen["nothing"]["mean"] * 1.2


def test_a_classifier_guesses_the_number_of_least_expected_error():
    """Against every value tried in turn."""
    from hyobscure.auditing import _medians

    random = np.random.default_rng(4)
    values = np.sort(random.choice(100, 9, replace=False)).astype(float)
    probabilities = random.dirichlet(np.full(9, 0.3), 200)
    errors = np.abs(values[:, None] - values) @ probabilities.T  # guess x row
    guesses = _medians(probabilities, values)
    chosen = errors[np.searchsorted(values, guesses), np.arange(200)]
    assert chosen == pytest.approx(errors.min(axis=0), abs=1e-9)


def test_a_seed_gives_the_same_attack_again(model):
    once, again = (attack(model, RandomForestRegressor(n_estimators=20), releases=2) for _ in range(2))
    assert once == again


def test_scenario_two_and_all_of_the_core(model):
    found = hyobscure.audit(model, scenario="II", releases=2)
    assert [(each["attacker"], each["scenario"]) for each in found.attacks] == [
        ("boosted trees", "II"),
        ("linear model", "II"),
    ]
    assert found.informed["error"] <= found.informed["group_only"]


def test_a_secret_by_name_needs_a_classifier(wide):
    towns = wide.drop(columns=["age"])
    settings = {"secret.kind": "categorical", "channel.budget_share": 0.5}
    model = HyObscure(
        id="who", people=(20, 240), values=(2, 2), method="exact", clusters=4, random_state=1, settings=settings
    ).fit(towns, "town")
    seen = attack(model, RandomForestClassifier(n_estimators=20), releases=2)
    assert 0 <= seen["unobscured"]["mean"] <= 1
    with pytest.raises(InputError, match="regressor cannot guess"):
        attack(model, Ridge())


def test_an_error_of_the_attacker_is_raised_as_it_is(model):
    class Broken(Spy):
        def fit(self, X, y):
            raise ZeroDivisionError("of the attacker")

    with pytest.raises(ZeroDivisionError, match="of the attacker"):
        attack(model, Broken())


def test_what_is_no_attacker_is_refused(model):
    with pytest.raises(InputError, match="no model of scikit-learn"):
        attack(model, object())
    with pytest.raises(InputError, match="forest"):
        attack(model, "forrest")


def test_a_release_is_audited_and_reported(model, tmp_path):
    release = model.publish(tmp_path / "release")
    found = release.audit(attacker="forest", scenario="I", releases=2)
    assert "random forest" in repr(found) and "random forest" in found._repr_html_()
    release.report(tmp_path / "report.html", audit=found)
    page = (tmp_path / "report.html").read_text()
    assert "random forest" in page and page.startswith("<!")
    assert (tmp_path / "report.html").stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="report.html"):
        release.report(tmp_path / "report.html")


def test_the_evidence_has_what_the_publisher_states_and_names_the_gaps(tmp_path):
    X = np.random.default_rng(0).poisson(3, (200, 12))
    ages = np.random.default_rng(1).integers(20, 60, 200)
    model = HyObscure(
        budget_share=0.8,
        people=(40, 160),
        values=(5, 30),
        method="exact",
        random_state=1,
        settings={"context.approver": "the board, 3 of 5"},
    )
    release = model.fit(X, ages).publish(tmp_path / "release", accept_leakage=True)
    evidence = release.evidence(release.audit(attacker="linear", scenario="I", releases=2))
    state = {question["key"]: question["state"] for question in evidence.questions}
    assert state["approver"] == "stated" and state["recipient"] == "not stated" and state["average_risk"] == "open"
    assert {gap["key"] for gap in evidence.gaps} >= {"recipient", "harm"}
    assert len(evidence.to_frame()) == len(evidence.questions)
    assert "microaggregation" in str(evidence.to_frame("techniques")).lower()
    assert "the board, 3 of 5" in evidence._repr_html_() and "Who gets the release?" in repr(evidence)
    assert any("seed" in sentence for sentence in evidence.verdict["failed"])
    release.bundle(tmp_path / "bundle.zip")
    names = zipfile.ZipFile(tmp_path / "bundle.zip").namelist()
    assert names[0] == "README.txt" and {"manifest.json", "facts.json", "report.html", "spec.toml"} <= set(names)
    with pytest.raises(InputError, match="bundle.zip"):
        release.bundle(tmp_path / "bundle.zip")


def test_a_release_that_was_written_before_is_audited_from_its_files(tmp_path):
    hyobscure.synth(tmp_path / "data", people=200, items=60, entries=20, dependence=0.9)
    spec = tmp_path / "data" / "spec.toml"
    spec.write_text(spec.read_text() + '\n[release]\nids = "keep"\n')  # files alone: rows are compared by id
    HyObscure.from_spec(spec, method="exact", random_state=1).fit().publish(tmp_path / "release")
    release = hyobscure.Release.read(tmp_path / "release", spec)
    assert release.verify().passed and len(release.people) == 200
    found = release.audit(attacker=Ridge(), scenario="II", releases=2)
    assert not found.facts["redrawn"] and found.informed is None
    assert found.attacks[0]["tested_people"] == 100


def test_one_figure_for_all_attacks(model):
    found = hyobscure.audit(model, attacker=["forest", Ridge()], scenario=["I", "II"], releases=4)
    shares = [attack["advantage"]["mean"] / attack["group_only"]["mean"] for attack in found.attacks]
    strongest = found.attacks[int(np.argmax(shares))]
    gain = found.gain
    assert gain.mean == max(shares) and gain.attacks == len(found.attacks) == 4
    assert gain.attack == f"{strongest['attacker']}, scenario {strongest['scenario']}"
    assert gain.low <= gain.mean <= gain.high
    frame = found.to_frame()
    assert list(frame["advantage_mean"]) == [attack["advantage"]["mean"] for attack in found.attacks]
    assert len(found.to_frame("uses")) == len(found.utilities)
    with pytest.raises(InputError, match="attacks, uses or known entries"):
        found.to_frame("all")


def test_attacks_are_plotted_with_their_intervals(model):
    import matplotlib

    matplotlib.use("Agg")
    found = hyobscure.audit(model, attacker="forest", scenario="I", releases=4)
    axes = found.plot()
    release, truth = axes.containers
    assert list(release.lines[0].get_xdata()) == [found.attacks[0]["advantage"]["mean"]]
    assert list(truth.lines[0].get_xdata()) == [found.attacks[0]["unobscured_advantage"]["mean"]]
    ends = release.lines[2][0].get_segments()[0][:, 0]
    assert list(ends) == pytest.approx([found.attacks[0]["advantage"]["low"], found.attacks[0]["advantage"]["high"]])
    matplotlib.pyplot.close("all")


def test_who_looks_for_a_row_is_there_beside_the_controls(model):
    found = hyobscure.audit(model, attacker="linear", scenario="known-part", releases=2)
    assert [attack["scenario"] for attack in found.attacks] == ["II (10 % known)", "II (90 % known)"]
    assert [entries["known"] for entries in found.known_entries["of"]] == [2, 4, 8, 16]
    for entries in found.known_entries["of"]:
        assert 0 <= entries["own_row"]["low"] <= entries["own_row"]["mean"] <= entries["own_row"]["high"] <= 1
    assert 0 <= found.matching["auc"]["mean"] <= 1
    assert found.beyond_the_sample["leakage"]["low"] <= found.beyond_the_sample["leakage"]["bits"]
    assert len(found.to_frame("known entries")) == 4
    without = hyobscure.audit(model, attacker="linear", scenario="I", row_attacks=[], releases=2)
    assert without.known_entries is None and without.matching is None
    assert len(without.to_frame("known entries")) == 0

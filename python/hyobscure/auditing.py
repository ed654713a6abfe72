"""Attacks on a release by models of scikit-learn, beside their controls."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Literal, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from . import _core, _frames, _html
from ._errors import InputError
from ._progress import Progress, reports
from ._words import in_python
from .estimator import HyObscure
from .release import Release

_NAMES = ("forest", "boosting", "linear", "paper-boosting")


class Gain(NamedTuple):
    """What the strongest attacker gains from the published features over the group alone, as a share of the error that the
    group leaves: 0 is nothing, 1 all. `low` and `high` are the 95 % interval of that attack by itself (None where it was not
    repeated); the strongest of several is above 0 by chance more often than one."""

    mean: float
    low: float | None
    high: float | None
    attack: str
    attacks: int  #: of how many it is the strongest


class Audit:
    """What attackers found, and what the release is still good for.

    `attacks` has a dict for each attacker and scenario: the error on the release (`published`) beside the controls: the same
    attack on true features (`unobscured`), the best guess from the group alone (`group_only`) and from nothing (`nothing`).
    `advantage` is what the features leaked: group_only - published. Each is a mean with its 95 % interval. `power` is the
    smallest advantage that would have been found nine times out of ten; None where not even that of true features would.

    `known_entries` says how often somebody who knows 2, 4, 8 or 16 entries of a person finds the person's own row, and what it
    then says; `matching` how well a person's whole true row finds the id; `beyond_the_sample` what all this would be for people
    drawn again. None where it was not measured. The keys are those of docs/formats.md.
    """

    def __init__(self, found: _core.Audit) -> None:
        self._core = found
        self.facts: dict[str, Any] = json.loads(found.json)
        self.attacks: list[dict[str, Any]] = self.facts["attacks"]
        self.utilities: list[dict[str, Any]] = self.facts["utilities"]
        self.informed: dict[str, Any] | None = self.facts.get("informed")
        self.known_entries: dict[str, Any] | None = self.facts.get("known_entries")
        self.matching: dict[str, Any] | None = self.facts.get("matching")
        self.beyond_the_sample: dict[str, Any] = self.facts["beyond_the_sample"]
        self.notes: list[str] = self.facts["notes"]

    @property
    def gain(self) -> Gain | None:
        """One figure for all attacks: that of the strongest. None where nobody attacked, or the group leaves no error."""
        gains = [_gain_of(attack, len(self.attacks)) for attack in self.attacks if attack["group_only"]["mean"]]
        return max(gains, key=lambda gain: gain.mean, default=None)

    def to_frame(self, table: Literal["attacks", "uses", "known entries"] = "attacks") -> Any:
        """A row for each attacker and scenario, for each use of the release, or for each number of known entries, with their
        means and intervals."""
        tables = {
            "attacks": self.attacks,
            "uses": self.utilities,
            "known entries": self.known_entries["of"] if self.known_entries else [],
        }
        if table not in tables:
            raise InputError.of("table", "there is no such table", "Take attacks, uses or known entries.")
        return _frames.frame(tables[table])

    def plot(self, ax: Any = None) -> Any:
        """As `hyobscure.plot_attacks` does."""
        from .plots import plot_attacks

        return plot_attacks(self, ax=ax)

    def __repr__(self) -> str:
        return in_python(self._core.text)

    def _repr_html_(self) -> str:
        return _html.audit(self)


def _gain_of(attack: dict[str, Any], attacks: int) -> Gain:
    left, advantage = attack["group_only"]["mean"], attack["advantage"]
    low, high = (None if advantage[end] is None else advantage[end] / left for end in ("low", "high"))
    name = f"{attack['attacker']}, scenario {attack['scenario']}"
    return Gain(advantage["mean"] / left, low, high, name, attacks)


def audit(
    target: HyObscure | Release,
    X: Any = None,
    y: Any = None,
    *,
    attacker: Any = None,
    scenario: str | list[str] | None = None,
    row_attacks: str | list[str] | None = None,
    releases: int | None = None,
    minutes: float | None = None,
    known: float | None = None,
    folds: int | None = None,
    shadow: int | None = None,
    task: str | None = None,
    events: Any = None,
    progress: Progress = None,
) -> Audit:
    """Tries to infer the secret from what is published: features, group and kept columns.

    Parameters
    ----------
    target : a fitted HyObscure, or a Release
        Every repetition has its own split of the people and, where the mechanism is known, its own draw.
    X, y, events : the people, where the model does not know them
    attacker : a classifier or regressor of scikit-learn, "boosting", "linear", "forest", "paper-boosting", or a list of these
        A classifier guesses the median of the values that it expects where the secret is a number.
    scenario : "I", "II", "known-part" or a list of these
        I: the attacker learns from true features and secrets of some people; II: from the release and true secrets of some
        people in it; known-part: the same, of 10 % and of 90 % of them.
    row_attacks : "known-entries", "matching" or a list of these
        Attacks that look for a person's row: with 2, 4, 8 and 16 known entries of it, and with the whole of it.
    releases, minutes, known, folds, shadow, task : keys of [audit]: see docs/settings.md

    Splits, publications, controls and intervals are made by the core, in the same way for all attackers. Models without a
    `random_state` of their own get a seed for each training.

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> import hyobscure
    >>> random = np.random.default_rng(0)
    >>> ages = random.integers(20, 60, 200)
    >>> X = random.poisson(1 + 4 * np.abs(np.sin(ages[:, None] / 9 + np.arange(8))))
    >>> model = hyobscure.HyObscure(budget=0.15, people=(40, 160), values=(5, 30), method="exact", random_state=1).fit(X, ages)
    >>> found = hyobscure.audit(model, attacker=KNeighborsRegressor(), scenario="I", releases=3)
    >>> [attack["attacker"] for attack in found.attacks]
    ['KNeighborsRegressor']
    >>> found.attacks[0]["unobscured"]["mean"] < found.attacks[0]["nothing"]["mean"]
    True
    """
    dataset, mechanism, folder, default = _people(target, X, y, events)
    named, own = _attackers(attacker)
    source = dataset.source(
        audit__attackers=named,
        audit__scenarios=[scenario] if isinstance(scenario, str) else scenario,
        audit__row_attacks=[row_attacks] if isinstance(row_attacks, str) else row_attacks,
        audit__releases=releases,
        audit__minutes=minutes,
        audit__known=known,
        audit__folds=folds,
        audit__shadow=shadow,
        audit__task=task,
    )
    with reports(default if progress is None else progress) as report:
        return Audit(_core.audit(source, mechanism, folder, own, report))


def _people(target: Any, X: Any, y: Any, events: Any) -> tuple:
    if isinstance(target, Release):
        return target._original(), target._mechanism, target._files(), target._progress
    if isinstance(target, HyObscure) and hasattr(target, "mechanism_"):
        return target._people(X, y, events), target.mechanism_, "", target.progress
    raise InputError.of("target", "this is neither a fitted HyObscure nor a Release", "Call fit first.")


def _attackers(attacker: Any) -> tuple[list[str] | None, list[tuple[str, Callable]]]:
    """Names of the core's, and functions that learn for the caller's."""
    if attacker is None:
        return None, []
    chosen = attacker if isinstance(attacker, (list, tuple)) else [attacker]
    named = [each for each in chosen if isinstance(each, str)]
    own = [(type(each).__name__, _learner(each)) for each in chosen if not isinstance(each, str)]
    return named, own


def _rows(rows: tuple) -> scipy.sparse.csr_matrix:
    starts, items, values, columns = rows
    return scipy.sparse.csr_matrix((values, items, starts), shape=(len(starts) - 1, columns))


def _learner(estimator: Any) -> Callable:
    """A function of (rows, labels, classes, seed) that gives a function of rows; classes 0 means numbers."""
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
        raise InputError.of(
            "attacker",
            "this is no model of scikit-learn",
            f"Give a classifier or regressor, or one of {', '.join(_NAMES)}.",
        )
    dense = not get_tags(estimator).input_tags.sparse

    def seen(rows: tuple) -> Any:
        matrix = _rows(rows)
        return matrix.toarray() if dense else matrix

    def learn(rows: tuple, labels: np.ndarray, classes: int, seed: int) -> Callable:
        model = clone(estimator)
        if "random_state" in model.get_params() and model.get_params()["random_state"] is None:
            model.set_params(random_state=seed % 2**32)
        if not classes and not is_classifier(model):
            model.fit(seen(rows), labels)
            return lambda tested: _numbers(model.predict(seen(tested)))
        if not is_classifier(model):
            raise InputError.of("attacker", "a regressor cannot guess a secret that is no number", "Give a classifier.")
        values, which = np.unique(labels, return_inverse=True)
        model.fit(seen(rows), which)
        if classes:
            return lambda tested: _probabilities(model, seen(tested), len(values))
        return lambda tested: _numbers(_medians(_probabilities(model, seen(tested), len(values)), values))

    return learn


def _numbers(predicted: Any) -> np.ndarray:
    return np.ascontiguousarray(np.asarray(predicted, dtype=np.float64).reshape(-1, 1))


def _probabilities(model: Any, rows: Any, classes: int) -> np.ndarray:
    """Rows x classes; certainty where the model has no probabilities."""
    if hasattr(model, "predict_proba"):
        return np.ascontiguousarray(model.predict_proba(rows), dtype=np.float64)
    return np.eye(classes)[np.asarray(model.predict(rows), dtype=np.int64)]


def _medians(probabilities: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The guess of least expected absolute error."""
    below = np.cumsum(probabilities, axis=1)
    return values[np.argmax(below >= below[:, -1:] / 2, axis=1)]

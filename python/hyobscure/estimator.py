"""HyObscure in the shape of scikit-learn: `fit` finds a mechanism, `transform` and `publish` apply it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from . import _core, _dataset, _html, _tables
from ._errors import (
    HyObscureWarning,
    InputError,
    LeakageWarning,
    OwnRowsWarning,
    SeededWarning,
    WeakPoolWarning,
    path_of,
)
from ._progress import Progress, reports
from ._words import in_python
from .frontier import Frontier
from .release import Release

if TYPE_CHECKING:
    from .exploring import Comparison, Inspection

_FRONTIER_POINTS = 9


class StoppedEarlyWarning(HyObscureWarning, ConvergenceWarning):
    """The mechanism is the best that was found so far, and not the optimum."""


class HyObscure(TransformerMixin, BaseEstimator):
    """Hides a secret (y) in a table about people (X): each person's secret is published as a group, and each
    person's features as those of a donor of the same group, drawn through a channel that leaks least about the secret.

    All arguments are keys of the spec (`hyobscure.settings()`, docs/settings.md) and mean what they mean on the command
    line; `None` is the default of the key.

    Parameters
    ----------
    budget : float or str
        Largest expected distance between published and true features; or what the release must still be good for, such
        as ``"at most 2 % of rating RMSE"``. Required, unless there is a budget_share.
    budget_share : float
        Instead of a budget: 0 is the smallest distance that the first groups can reach, 1 the one at which features leak
        nothing. `hyobscure.inspect` recommends limits of groups, and shows the distances.
    groups : int
        Number of groups; the smallest that the limits allow by default.
    people : (int, int)
        k and alpha: fewest and most people per group. Required.
    values : (int, int)
        l and beta: fewest and most distinct secrets per group. Required.
    clusters : int or "auto"
        Clusters of people with similar features.
    method : str
        "fine" (the default), "exact", "hyobscure" and others.
    random_state : int or RandomState
        A seed, for trials only: anyone who knows it can undo the release. By default the operating system's randomness.
    secret : str or tuple of str
        Column of X that nobody may infer (several: grouped together). With it y is left alone: it is the target of the
        models behind this one in a pipeline. Without it y is the secret.
    id : str
        Column of X that identifies people; the number of the row by default.
    keep : list of str
        Columns of X that are published unchanged.
    settings : dict
        Any other key by its full name, such as ``{"channel.distance": "euclidean"}``.
    spec : path
        A spec.toml to start from; `fit()` then reads its files.
    memory : str
        Memory for the whole work, such as "2GB"; what exceeds it goes to files that vanish.
    n_jobs : int
        Threads; all cores by default, as with -1. The result does not depend on it.
    progress : bool or function
        True: bars of tqdm. A function is called with (stage, done, total).

    Attributes
    ----------
    mechanism_ : the mechanism, private: anyone who holds it can undo the release
    groups_ : list of dict, with label, people and values
    channels_ : list of dict, how the people of each group find their donors
    leakage_ : float, all that the release leaks about the exact secret to an informed attacker, in bits
    max_lift_ : float, the largest factor by which a published row raises the probability of any value above its share in the
        group, for an informed attacker; `lifts()` has each person's
    gap_ : float, the proven distance of what was minimised (the features' leakage; threat both: a weighted sum) from its
        optimum for these groups, in bits; or None
    facts_ : dict, all figures of the fit, as `hyobscure fit --json` prints them
    frontier_ : Frontier, leakage by budget, traced when it is first asked for
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from hyobscure import HyObscure
    >>> random = np.random.default_rng(0)
    >>> ages = random.integers(20, 60, 300)
    >>> X = random.poisson(1 + 4 * np.abs(np.sin(ages[:, None] / 9 + np.arange(8))))
    >>> model = HyObscure(budget=0.12, people=(60, 120), values=(5, 20), method="exact", random_state=1)
    >>> hidden = model.fit_transform(X, ages)
    >>> hidden.shape
    (300, 8)
    >>> [group["label"] for group in model.groups_]  # doctest: +ELLIPSIS
    ['...']
    >>> release = model.publish()
    >>> release.verify().passed
    True
    """

    mechanism_: _core.Mechanism
    groups_: list[dict[str, Any]]
    leakage_: float
    gap_: float | None
    facts_: dict[str, Any]
    converged_: bool
    _frontier: tuple[_core.Mechanism, Frontier] | None = None

    def __init__(
        self,
        budget: float | str | None = None,
        *,
        budget_share: float | None = None,
        groups: int | None = None,
        people: tuple[int, int] | None = None,
        values: tuple[int, int] | None = None,
        clusters: int | str | None = None,
        method: str | None = None,
        random_state: Any = None,
        secret: str | tuple[str, ...] | None = None,
        id: str | None = None,
        keep: Iterable[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        spec: str | os.PathLike[str] | None = None,
        memory: str | None = None,
        n_jobs: int | None = None,
        progress: Progress = False,
    ) -> None:
        self.budget = budget
        self.budget_share = budget_share
        self.groups = groups
        self.people = people
        self.values = values
        self.clusters = clusters
        self.method = method
        self.random_state = random_state
        self.secret = secret
        self.id = id
        self.keep = keep
        self.settings = settings
        self.spec = spec
        self.memory = memory
        self.n_jobs = n_jobs
        self.progress = progress

    @classmethod
    def from_spec(cls, spec: str | os.PathLike[str], **arguments: Any) -> HyObscure:
        """For the files that a spec.toml names; arguments win over the file. Call `fit()` next.

        >>> import hyobscure, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hyobscure.synth(folder + "/data", people=300, items=80, entries=20)
        ...     model = hyobscure.HyObscure.from_spec(folder + "/data/spec.toml", method="exact", random_state=1).fit()
        >>> model.facts_["people"]
        300
        """
        return cls(spec=spec, **arguments)

    # --- before the fit

    def inspect(self, X: Any = None, y: Any = None, *, events: Any = None, secret: Any = None) -> Inspection:
        """What is in the data, what it leaks today, which limits it can meet, and what a fit would take: see
        `hyobscure.inspect`. Nothing is learned."""
        from .exploring import inspect_model

        return inspect_model(self, self._dataset_unfitted(X, y, events, secret))

    def compare(
        self,
        X: Any = None,
        y: Any = None,
        *,
        events: Any = None,
        secret: Any = None,
        methods: Sequence[str] = (),
        budgets: Sequence[float] = (),
        points: int = 7,
        audit: bool = False,
    ) -> Comparison:
        """Every method over a sweep of budgets, with the other arguments of this model: see `hyobscure.compare`. Nothing is
        learned."""
        from .exploring import compare_model

        dataset = self._dataset_unfitted(X, y, events, secret)
        return compare_model(self, dataset, methods, budgets, points, audit)

    def _dataset_unfitted(self, X: Any, y: Any, events: Any, secret: Any) -> _dataset.Dataset:
        return clone(self)._dataset_of(X, self._secret_of(y, secret), events, reset=True)

    # --- fit

    def fit(self, X: Any = None, y: Any = None, *, events: Any = None, secret: Any = None) -> HyObscure:
        """Finds groups and channels.

        Parameters
        ----------
        X : the people, one row each
            A table of pandas, polars, pyarrow or DuckDB, a 2-D array, or a sparse matrix (person x item). All columns
            but those of id, secret and `keep` are features. None: the files of `spec`.
        y : the secret
            One value for each row, or the name of a column of X (a tuple of names: several secrets). Where `secret` is given,
            here or to the model, y is the target of a pipeline, and not looked at.
        events : for long data, a table with one row per event
            Name its columns with ``settings={"events.person": ..., "events.item": ..., "events.value": ...}``.
        secret : the secret beside a target y, in the same forms.

        Ctrl-C raises KeyboardInterrupt. If there is a best answer so far, the model has it, and ``converged_`` is False.
        """
        before = dict(vars(self))
        try:
            hidden = self._secret_of(y, secret)
            dataset = self._dataset_of(X, hidden, events, reset=True)
            source = dataset.source()
            with reports(self.progress) as report:
                fitted = _core.fit(source, report)
        except BaseException:  # a model that was fitted before is still that model, with its columns
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        self._take(fitted.mechanism, json.loads(fitted.json))
        self._fitted, self._source, self._hidden, self._kept_dataset = fitted, source, hidden, dataset
        self._feature_columns = dataset.features if _tables.is_frame(X) else None
        self._is_long = events is not None
        if fitted.stopped:
            raise KeyboardInterrupt
        self._warn_of_weakness()
        return self

    def _secret_of(self, y: Any, secret: Any) -> Any:
        """What to hide: `secret` where one is given, or else y."""
        if secret is not None and self.secret is not None:
            raise InputError.of("secret", "is given to the model as well", "Give it once.")
        hidden = secret if secret is not None else self.secret
        return y if hidden is None else hidden

    def _warn_of_weakness(self) -> None:
        """Once per reason, at the line of the user's that called fit."""
        found: list[tuple[str, type[Warning]]] = []
        if not self.converged_:
            why = self.facts_["note"] or "it did not converge"
            found.append((f"The answer is weaker than asked for: {why}", StoppedEarlyWarning))
        if (
            self.facts_["limits_for"] == "groups"
            and 0 < self.facts_["smallest_pool"] < self.facts_["limits"]["people"][0]
        ):
            pool = self.facts_["smallest_pool"]
            text = (
                f"The smallest pool, people with the same group and the same kept cells, has {pool} people: "
                "fewer than the groups must have"
            )
            found.append((text, WeakPoolWarning))
        for shortfall in self.facts_["shortfalls"]:
            own_rows = "publish their own row" in shortfall
            text = f"The mechanism is weaker than it should be: {in_python(shortfall)}"
            found.append((text, OwnRowsWarning if own_rows else LeakageWarning))
        for text, category in found:
            warnings.warn(text, category, stacklevel=_level_of_caller())

    def _take(self, mechanism: _core.Mechanism, facts: dict[str, Any]) -> None:
        self.mechanism_ = mechanism
        self.facts_ = facts
        self.groups_ = facts["groups"]
        self.leakage_ = facts["leakage_bits"]
        self.gap_ = facts["gap_bits"]
        self.max_lift_ = facts["max_lift"]
        self.converged_ = mechanism.converged

    def _dataset_of(self, X: Any, y: Any, events: Any, reset: bool) -> _dataset.Dataset:
        """The people, checked as scikit-learn does, with all settings."""
        dataset = _dataset.from_arguments(self.get_params(deep=False))
        reset = reset or not hasattr(self, "n_features_in_")  # a mechanism that was loaded does not know the columns
        if X is None and dataset.file and (y is None or y is self.secret):
            dataset.set("people.secret", self.secret, "secret")
            dataset.kind = _tables.installed_kind()
            return dataset
        if X is not None and y is None:
            raise InputError.of(
                "y",
                "HyObscure requires y to be passed, but the target y is None",
                "Give the secret: an array, or the name of a column of X; or `secret` where y is a target.",
            )
        if _tables.is_frame(X):
            self._check_frame(X, reset)
        elif X is not None:
            X = validate_data(self, X, reset=reset, accept_sparse="csr", ensure_min_samples=2)
            y = y if isinstance(y, (str, tuple)) or _tables.is_frame(y) else _checked_secret(y)
            if not isinstance(y, (str, tuple)) and len(y) != X.shape[0]:
                raise _other_rows(X.shape[0], len(y), reset)
        _dataset.add_people(dataset, X, y, events)
        return dataset

    def _check_frame(self, X: Any, reset: bool) -> None:
        if _tables.kind_of(X) in ("pandas", "polars") and not hasattr(X, "collect"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return
        names = np.asarray(_tables.column_names(X), dtype=object)
        if reset:
            self.feature_names_in_, self.n_features_in_ = names, len(names)
        elif list(names) != list(self.feature_names_in_):
            raise InputError.of("X", "the columns differ from those that were fitted", "Give the same people.")

    # --- what was learned

    @property
    def channels_(self) -> list[dict[str, Any]]:
        check_is_fitted(self)
        return [_channel(facts) for facts in self.mechanism_.channels()]

    @property
    def frontier_(self) -> Frontier:
        check_is_fitted(self)
        if self._frontier is None or self._frontier[0] is not self.mechanism_:
            self._frontier = (self.mechanism_, self.frontier())
        return self._frontier[1]

    def frontier(self, points: int = _FRONTIER_POINTS) -> Frontier:
        """The trade-off of the method: leakage by budget, on the same census."""
        check_is_fitted(self)
        if getattr(self, "_fitted", None) is None:
            raise InputError.of(
                "frontier", "a mechanism that was loaded has no census", "Call fit on the people first."
            )
        with reports(self.progress) as report:
            return Frontier.of(json.loads(self._fitted.frontier(self._source, points, report)))

    def lifts(self, X: Any = None, y: Any = None, *, events: Any = None) -> dict[str, np.ndarray]:
        """What each person's draw does to the probability of the own value, as factors above its share in the group:
        ``id``, ``expected`` over the draw, ``largest`` over all rows that may be published under the person, and
        ``by_group``, what the group alone does against the share among all people. Private. People are those of `fit`
        unless they are given.
        """
        check_is_fitted(self)
        dataset = self._people(X, y, events)
        with reports(self.progress) as report:
            columns = _core.own_lifts(dataset.source(), self.mechanism_, report)
        return {name: np.asarray(column) for name, column in columns.items()}

    # --- apply

    def transform(self, X: Any, y: Any = None) -> Any:
        """For each person, in the order given, the features of the donor: the same draw that `publish` writes.

        A mechanism is for the people that it was made for: X must be those of `fit`. The secret is remembered from `fit`;
        a mechanism that was loaded needs it again, as y. Not a release: publish what `publish` writes.
        """
        check_is_fitted(self)
        if self.spec is not None or self._is_long:
            raise InputError.of("X", "people of files or with events have no features beside them", "Call publish.")
        dataset = self._dataset_of(X, self._secret_again(y, None), None, reset=False)
        with reports(self.progress) as report:
            donors, _ = _core.drawn_rows(dataset.source(), self.mechanism_, report)
        return _tables.take(dataset.people, donors, dataset.features)

    def _secret_again(self, y: Any, secret: Any) -> Any:
        """That of fit, where it is not given again."""
        if secret is None and (y is None or self.secret is not None):
            return self._hidden if self.secret is None else self.secret
        return self._secret_of(y, secret)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """`fit`, then the donors' features of the same people."""
        return self.fit(X, y, **fit_params).transform(X)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the bits that the release leaks about the secret: greater is better, so that a search over settings can compare.

        Only people of the fit have a score: a search takes ``cv=hyobscure.SamePeople()``. At one budget it compares groups,
        methods and clusters; over several budgets the largest leaks least, so weigh the use of the release as well.
        """
        check_is_fitted(self)
        hidden = self._secret_again(None if self._hidden is not None else y, None)
        try:
            dataset = self._dataset_of(X, hidden, None, reset=False)
            with reports(self.progress) as report:
                _core.check_people(dataset.source(), self.mechanism_, report)
        except InputError as error:
            raise InputError.of(
                "score",
                "these are other people than those of fit, who alone have a score",
                "Give the people of fit; to search over settings, take cv=hyobscure.SamePeople().",
            ) from error
        return -self.leakage_

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        features = getattr(self, "_feature_columns", None)
        return names if features is None else np.asarray(features, dtype=object)

    def publish(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        X: Any = None,
        y: Any = None,
        events: Any = None,
        secret: Any = None,
        force: bool = False,
        second_draw: bool = False,
        other_people: bool = False,
        accept_leakage: bool = False,
        sign: str | os.PathLike[str] | None = None,
    ) -> Release:
        """Applies the mechanism: the release, checked by `Release.verify`.

        With a folder it is written there, with the same bytes as the command line writes; without, it lives as long as the
        object, or until its `close`. People are those of `fit` unless they are given. The draws belong to the mechanism:
        publishing again gives the same release. Unless there is a seed, the ledger (`release.ledger`) remembers who was
        published, and another draw of the same people is refused; `second_draw` publishes it nevertheless, and
        `other_people` says that these only have the same ids, which is believed unless the rows say otherwise. The ledger of people
        in memory is the user's, in `~/.local/share/hyobscure`, that of a spec lies beside it. A mechanism that `fit` warned of
        is refused too; `accept_leakage` publishes it, and the manifest says so. `sign` is a signing key of `hyobscure keygen`:
        the release then says who published it. A folder that stays brings a warning where the mechanism has a seed, or was
        stopped early.
        """
        check_is_fitted(self)
        where = None if folder is None else path_of(folder, "folder", "Give people by their names: X=..., y=....")
        dataset = self._people(X, y, events, secret)
        temporary = None
        if where is None:
            temporary = tempfile.TemporaryDirectory(prefix="hyobscure-release-")
            where = os.path.join(temporary.name, "release")
        source = dataset.source() if temporary is None else dataset.source(release__format="parquet")
        with reports(self.progress) as report:
            facts = _core.publish(
                source,
                self.mechanism_,
                where,
                force,
                second_draw,
                other_people,
                accept_leakage,
                "" if sign is None else path_of(sign, "sign"),
                temporary is None,
                report,
            )
        if temporary is None:
            self._warn_of_release()
        return Release(Path(where), json.loads(facts), dataset, self.mechanism_, self.progress, temporary)

    def _warn_of_release(self) -> None:
        """What the files of a release cannot take back."""
        if self.mechanism_.seeded:
            text = (
                "The draws of this release come from random_state: anyone who knows it can undo them. It is for trials"
            )
            warnings.warn(text, SeededWarning, stacklevel=_level_of_caller())
        if not self.converged_:
            text = "This release is of a mechanism that was stopped early"
            warnings.warn(text, StoppedEarlyWarning, stacklevel=_level_of_caller())

    def _people(self, X: Any, y: Any, events: Any, secret: Any = None) -> _dataset.Dataset:
        """Those given, or else those of fit."""
        if X is not None or (self.spec is not None and getattr(self, "_kept_dataset", None) is None):
            return self._dataset_of(X, self._secret_again(y, secret), events, reset=False)
        if getattr(self, "_kept_dataset", None) is None:
            raise InputError.of("X", "this model was loaded, and does not know its people", "Give X and y.")
        return self._kept_dataset

    # --- files

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the mechanism file of the command line. Private: readable by its owner only.

        A pickle of the model is as private, and holds the secrets too.
        """
        check_is_fitted(self)
        self.mechanism_.save(path_of(file, "file"))

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for handle in ("_fitted", "_source", "_kept_dataset", "_frontier"):  # people stay where they are
            state.pop(handle, None)
        return state

    # --- how scikit-learn and notebooks see it

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.secret is None
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "mechanism_")

    def _repr_html_(self) -> str:
        if not hasattr(self, "mechanism_"):
            return f"<pre>{_html.text(repr(self))}</pre>"
        return _html.mechanism(self)


def _level_of_caller() -> int:
    """For warnings: how many calls above the one that asks the first outside of this package and of scikit-learn's wrappers is."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("hyobscure", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level


def _other_rows(rows: int, secrets: int, reset: bool) -> InputError:
    if reset:
        return InputError.of("y", f"has {secrets} values, and X has {rows} rows", "Give one value for each row.")
    return InputError.of(
        "X",
        f"has {rows} rows, and the mechanism was made for {secrets} people",
        "Give exactly the people that it was fitted to, or fit again.",
    )


def _checked_secret(y: Any) -> np.ndarray:
    if scipy.sparse.issparse(y):
        raise InputError.of("y", "a sparse matrix is no secret", "Give one value for each row.")
    y = column_or_1d(np.asarray(y), warn=True)
    if y.dtype.kind in "fc":
        check_array(y.reshape(-1, 1), input_name="y")
    return y


def _channel(facts: dict[str, Any]) -> dict[str, Any]:
    """Probabilities of donors as a sparse matrix."""
    if facts["kind"] != "people":
        return facts
    people = facts["people"]
    matrix = scipy.sparse.csr_matrix(
        (facts.pop("probabilities"), facts.pop("donors"), facts.pop("starts")), shape=(people, people)
    )
    return {**facts, "probabilities": matrix}


def load(file: str | os.PathLike[str], **arguments: Any) -> HyObscure:
    """A mechanism from its file. Arguments are those of `HyObscure`: `spec`, `id` and all others that say how the people are
    read.

    `publish(X=..., y=...)` and `transform(X, y)` need the people that it was made for.
    """
    model = HyObscure(**arguments)
    mechanism = _core.Mechanism.load(path_of(file, "file"))
    model._take(mechanism, json.loads(mechanism.json))
    model._hidden, model._is_long = None, False
    return model

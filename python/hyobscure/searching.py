"""Searches over settings with scikit-learn, on the people whom a mechanism is for."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np
from sklearn.utils.validation import _num_samples

from ._errors import InputError
from .auditing import audit
from .estimator import HyObscure


class SamePeople:
    """The `cv` of a search over settings: one split, all people on both sides.

    A mechanism is for the people that it was made for, so there are no others to score it on. At one budget the score, minus the
    bits that the release leaks, compares groups, methods and clusters.

    >>> import numpy as np
    >>> import hyobscure
    >>> from sklearn.model_selection import GridSearchCV
    >>> random = np.random.default_rng(0)
    >>> ages = random.integers(20, 60, 200)
    >>> X = random.poisson(1 + 4 * np.abs(np.sin(ages[:, None] / 9 + np.arange(8))))
    >>> model = hyobscure.HyObscure(0.15, people=(40, 160), values=(5, 30), method="exact", random_state=1)
    >>> search = GridSearchCV(model, {"groups": [2, 3]}, cv=hyobscure.SamePeople()).fit(X, ages)
    >>> search.best_params_  # fewer groups leak less
    {'groups': 2}
    """

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        everybody = np.arange(_num_samples(X))
        yield everybody, everybody

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return 1

    def __repr__(self) -> str:
        return "SamePeople()"


def use_scorer(use: str, *, releases: int = 3) -> Callable[[HyObscure, Any, Any], float]:
    """A score for searches: minus what a use of the release loses against true features, such as "rating prediction",
    "recommendation", "item means" or, with ``settings={"audit.task": ...}``, the task. It is measured as `hyobscure.audit` does,
    in `releases` repetitions, on the people of the fit. Beside the leakage it says which budget is worth it.

    >>> import numpy as np
    >>> import hyobscure
    >>> from sklearn.model_selection import GridSearchCV
    >>> random = np.random.default_rng(0)
    >>> ages = random.integers(20, 60, 200)
    >>> X = random.poisson(1 + 4 * np.abs(np.sin(ages[:, None] / 9 + np.arange(8))))
    >>> model = hyobscure.HyObscure(people=(40, 160), values=(5, 30), method="exact", random_state=1)
    >>> scores = {"privacy": hyobscure.HyObscure.score, "use": hyobscure.use_scorer("item means", releases=2)}
    >>> search = GridSearchCV(model, {"budget_share": [0.2, 0.8]}, scoring=scores, refit="privacy", cv=hyobscure.SamePeople())
    >>> search.fit(X, ages).best_params_  # farther donors leak less; what that costs stands in cv_results_["mean_test_use"]
    {'budget_share': 0.8}
    """

    def score(model: HyObscure, X: Any, y: Any = None) -> float:
        model.score(X, y)  # refuses other people
        found = audit(model, attacker="forest", scenario="I", releases=releases)
        losses = {each["name"]: each["loss"]["mean"] for each in found.utilities if "loss" in each}
        if use not in losses:
            raise InputError.of("use", "is not measured for these people", f"Take one of {', '.join(losses)}.")
        return -float(losses[use])

    return score

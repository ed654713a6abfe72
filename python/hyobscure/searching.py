"""Searches over settings with scikit-learn, on the people whom a mechanism is for."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from sklearn.utils.validation import _num_samples


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

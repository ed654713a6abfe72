"""HyObscure: publish data about people so that attackers cannot infer what each person keeps private.

    from hyobscure import HyObscure

    model = HyObscure(budget=0.4, people=(100, 400), values=(4, 12)).fit(X, y)
    release = model.publish("release")
    release.verify()

Everything is decided by the C++ library that the command line runs too: the same mechanism and manifest files, bit for bit.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from . import _core
from ._errors import (
    HyObscureWarning,
    InputError,
    LeakageWarning,
    OwnRowsWarning,
    Place,
    SeededWarning,
    WeakPoolWarning,
    path_of,
)
from ._progress import Progress, reports

if TYPE_CHECKING:
    from .auditing import Audit, Gain, audit
    from .estimator import HyObscure, StoppedEarlyWarning, load
    from .evidence import Evidence
    from .exploring import Comparison, Inspection, Start, compare, init, inspect
    from .frontier import Frontier
    from .plots import plot_attacks, plot_channel, plot_comparison, plot_frontier, plot_groups
    from .searching import SamePeople, use_scorer
    from .release import Check, Release, Verification, verify

__all__ = [
    "Audit",
    "Check",
    "Comparison",
    "Evidence",
    "Frontier",
    "Gain",
    "HyObscure",
    "HyObscureWarning",
    "InputError",
    "Inspection",
    "LeakageWarning",
    "OwnRowsWarning",
    "Place",
    "Release",
    "SamePeople",
    "SeededWarning",
    "Start",
    "StoppedEarlyWarning",
    "Verification",
    "WeakPoolWarning",
    "__version__",
    "audit",
    "compare",
    "init",
    "inspect",
    "load",
    "plot_attacks",
    "plot_channel",
    "plot_comparison",
    "plot_frontier",
    "plot_groups",
    "settings",
    "synth",
    "use_scorer",
    "verify",
]

__version__: str = _core.version()

# Loaded when they are first asked for: tasks of a Spark cluster need none of them, nor pandas and scikit-learn.
_PLACES = {
    "auditing": ("Audit", "Gain", "audit"),
    "evidence": ("Evidence",),
    "estimator": ("HyObscure", "StoppedEarlyWarning", "load"),
    "exploring": ("Comparison", "Inspection", "Start", "compare", "init", "inspect"),
    "frontier": ("Frontier",),
    "plots": ("plot_attacks", "plot_channel", "plot_comparison", "plot_frontier", "plot_groups"),
    "release": ("Check", "Release", "Verification", "verify"),
    "searching": ("SamePeople", "use_scorer"),
}


if not TYPE_CHECKING:  # a checker knows the names above, and that there are no others

    def __getattr__(name: str) -> object:
        for place, names in _PLACES.items():
            if name in names:
                found = getattr(import_module(f".{place}", __name__), name)
                globals()[name] = found
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def settings() -> list[_core.Setting]:
    """All keys of a spec: name, type, default, help and choices.

    >>> import hyobscure
    >>> [setting.name for setting in hyobscure.settings() if setting.name.startswith("groups.")]
    ['groups.count', 'groups.people', 'groups.values', 'groups.fixed', 'groups.first', 'groups.shape', 'groups.limits_for']
    """
    return _core.settings()


def synth(
    folder: str | os.PathLike[str],
    *,
    kind: str = "ratings",
    people: int = 1000,
    seed: int = 1,
    dependence: float = 0.5,
    items: int = 1500,
    entries: int = 110,
    parquet: bool = False,
    force: bool = False,
    progress: Progress = False,
) -> None:
    """Writes synthetic people and a spec.toml that fits them, as `hyobscure synth` does; `kind` is "ratings", "tabular" or
    "check-ins"."""
    with reports(progress) as report:
        _core.synth(path_of(folder, "folder"), kind, people, seed, dependence, items, entries, parquet, force, report)

"""Plots with matplotlib. Each draws on `ax`, or on a new figure, and returns the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from ._errors import InputError
from .frontier import Frontier

if TYPE_CHECKING:
    from .auditing import Audit
    from .exploring import Comparison


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise InputError.of("matplotlib", "is not installed", "pip install hyobscure[plots]") from None
    return pyplot.subplots()[1]


def plot_frontier(target: Any, ax: Any = None) -> Any:
    """Leakage by budget, in all and by the groups alone. `target`: a fitted HyObscure, whose budget is marked, or a Frontier."""
    frontier = target if isinstance(target, Frontier) else target.frontier_
    ax = _axes(ax)
    ax.plot(frontier["budget"], frontier["leakage_bits"], marker="o", label="in all")
    ax.plot(frontier["budget"], frontier["leakage_groups_bits"], linestyle="--", label="by the groups")
    if not isinstance(target, Frontier):
        ax.plot(
            [target.facts_["budget"]],
            [target.leakage_],
            marker="*",
            markersize=12,
            linestyle="",
            label="this mechanism",
        )
    ax.set_xlabel("budget (largest expected distance)")
    ax.set_ylabel("leakage (bits)")
    ax.set_title(f"Trade-off of {frontier.method}")
    ax.legend()
    return ax


def plot_comparison(comparison: Comparison, ax: Any = None) -> Any:
    """Leakage by budget of every method, and that of the groups alone."""
    ax = _axes(ax)
    for name, frontier in comparison.frontiers.items():
        if len(frontier) > 0:
            ax.plot(frontier["budget"], frontier["leakage_bits"], marker="o", label=name)
    groups = [level for frontier in comparison.frontiers.values() for level in frontier["leakage_groups_bits"]]
    if groups:
        ax.axhline(min(groups), linestyle="--", linewidth=1, color="gray", label="groups alone")
    ax.set_xlabel("budget (largest expected distance)")
    ax.set_ylabel("leakage (bits)")
    ax.set_title("Methods side by side")
    ax.legend()
    return ax


def plot_attacks(audit: Audit, ax: Any = None) -> Any:
    """What each attacker gains over the guess from the group alone, with its 95 % interval: from the release, and from the true
    features, which is what the release takes away. Left of zero is no gain."""
    ax = _axes(ax)
    names = [f"{attack['attacker']}, {attack['scenario']}" for attack in audit.attacks]
    series = (("advantage", "the release", -0.12), ("unobscured_advantage", "true features", 0.12))
    for key, label, shift in series:
        gains = [attack.get(key) for attack in audit.attacks]
        rows = [(place + shift, gain) for place, gain in enumerate(gains) if gain and gain["mean"] is not None]
        if not rows:
            continue
        means = np.array([gain["mean"] for _, gain in rows])
        low = np.array([gain["mean"] if gain["low"] is None else gain["low"] for _, gain in rows])
        high = np.array([gain["mean"] if gain["high"] is None else gain["high"] for _, gain in rows])
        whiskers = np.maximum(0, np.vstack([means - low, high - means]))
        ax.errorbar(means, [place for place, _ in rows], xerr=whiskers, fmt="o", capsize=3, label=label)
    ax.axvline(0, linewidth=1, color="gray")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel(f"gain over the group: {audit.facts['error']}")
    ax.set_title("What attackers gain")
    ax.legend()
    return ax


def plot_groups(model: Any, ax: Any = None) -> Any:
    """People of each group, with the limits k and alpha where the model has them as arguments."""
    ax = _axes(ax)
    labels = [group["label"] for group in model.groups_]
    ax.bar(range(len(labels)), [group["people"] for group in model.groups_])
    ax.set_xticks(
        range(len(labels)),
        labels,
        rotation=30 if max(map(len, labels)) > 8 else 0,
        ha="right" if max(map(len, labels)) > 8 else "center",
    )
    for limit in model.people or ():
        ax.axhline(limit, linestyle="--", linewidth=1, color="gray")
    ax.set_ylabel("people")
    ax.set_title("Groups")
    return ax


def plot_channel(model: Any, group: int = 0, ax: Any = None) -> Any:
    """Probabilities of one pool's channel: from the own cluster (or person) to that of the donor."""
    channel = model.channels_[group]
    if "probabilities" not in channel:
        raise InputError.of(
            "channel", f"donors of this method are drawn by rule ({channel['kind']})", "There is no table to plot."
        )
    ax = _axes(ax)
    matrix = channel["probabilities"]
    if scipy.sparse.issparse(matrix):
        entries = matrix.tocoo()
        drawn = ax.scatter(
            entries.col, entries.row, c=entries.data, s=max(0.5, 2000 / matrix.shape[0] ** 1.2), marker="s"
        )
        ax.invert_yaxis()
        ax.set_xlabel("donor")
        ax.set_ylabel("person")
    else:
        drawn = ax.imshow(np.asarray(matrix), vmin=0)
        ax.set_xticks(range(len(channel["clusters"])), channel["clusters"])
        ax.set_yticks(range(len(channel["clusters"])), channel["clusters"])
        ax.set_xlabel("cluster of the donor")
        ax.set_ylabel("own cluster")
    ax.figure.colorbar(drawn, ax=ax, label="probability")
    label = model.groups_[group]["label"] if len(model.channels_) == len(model.groups_) else f"pool {group}"
    ax.set_title(f"Channel of {label}")
    return ax

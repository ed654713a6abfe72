"""Plots with matplotlib. Each draws on `ax`, or on a new figure, and returns the axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from ._errors import InputError
from .frontier import Frontier


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

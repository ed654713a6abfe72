#!/usr/bin/env python3
"""Pictures of the experiments from their tables: plot.py [results folder] [pictures folder].

Needs matplotlib (python3 -m venv venv && venv/bin/pip install matplotlib); the program itself does not.
"""

import csv
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

HERE = pathlib.Path(__file__).resolve().parent
INK = "#7a7f87"  # readable on white and on black
COLOURS = {
    "hyobscure": "#d1495b",
    "exact": "#8f5fd0",
    "fine": "#2a9d5c",
    "xobf": "#e08e2b",
    "ygen": "#b8860b",
    "privcheck": "#3d7fd6",
    "dp": "#1aa3b5",
    "simp": "#9aa02c",
    "frapp": "#c665a5",
    "random": "#8a7a6b",
}

plt.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "hyobscure",
        "font.size": 9,
        "font.family": "sans-serif",
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "text.color": INK,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "axes.titlesize": 9,
    }
)


def read(file):
    return list(csv.DictReader(file.read_text().splitlines()[1:]))


def good(rows):
    return [row for row in rows if not row["reason"]]


def number(row, key):
    return float(row[key]) if row[key] else float("nan")


def methods_of(rows):
    return [method for method in COLOURS if any(row["method"] == method for row in rows)]


def save(figure, pictures, name):
    figure.tight_layout()
    figure.savefig(pictures / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def points(axes, rows, x, y, low, high):
    """One marker a mechanism, its interval as a bar; budgets of a method are joined."""
    for method in methods_of(rows):
        own = sorted((row for row in rows if row["method"] == method), key=lambda row: number(row, x))
        xs, ys = [number(row, x) for row in own], [number(row, y) for row in own]
        below = [max(0, number(row, y) - number(row, low)) for row in own]
        above = [max(0, number(row, high) - number(row, y)) for row in own]
        axes.errorbar(
            xs, ys, yerr=[below, above], fmt="o-", ms=3.5, lw=1, elinewidth=0.5, color=COLOURS[method], label=method
        )


def trade_off(rows, pictures, name, attacks):
    """What the release costs its users, and what the attacker gains over a guess from the group alone; a dash is what it
    gains on true features with the same groups."""
    rows = good(rows)
    columns = 2 if len(attacks) > 1 else 1
    figure, grid = plt.subplots(
        -(-len(attacks) // columns),
        columns,
        figsize=(4.2 * columns, 3.1 * -(-len(attacks) // columns)),
        squeeze=False,
        sharey=True,
    )
    for axes, (attack, title) in zip(grid.flat, attacks):
        points(axes, rows, "rmse_loss", f"{attack}_advantage", f"{attack}_advantage_low", f"{attack}_advantage_high")
        axes.axhline(0, color=INK, lw=1, ls="--")
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set(title=title, xlabel="loss of rating RMSE", ylabel="years gained by the attacker")
    for method in methods_of(rows):
        own = [row for row in rows if row["method"] == method]
        for axes, (attack, _) in zip(grid.flat, attacks):
            for row in own:
                axes.plot(
                    number(row, "rmse_loss"),
                    number(row, f"{attack}_unobscured_advantage"),
                    "_",
                    ms=7,
                    color=COLOURS[method],
                )
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=5, fontsize=8)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.savefig(pictures / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def leakage(rows, pictures, name):
    """Bits of the features against the distance they cost."""
    rows = good(rows)
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.2))
    for axis, key, label in (
        (axes[0], "leakage_bits", "all leakage, bits"),
        (axes[1], "leakage_features_bits", "of it from features, bits"),
    ):
        for method in methods_of(rows):
            own = sorted((row for row in rows if row["method"] == method), key=lambda row: number(row, "distance"))
            axis.plot(
                [number(row, "distance") for row in own],
                [number(row, key) for row in own],
                "o-",
                ms=3.5,
                lw=1,
                color=COLOURS[method],
                label=method,
            )
        axis.set(xlabel="expected distance", ylabel=label)
        axis.xaxis.set_major_locator(MaxNLocator(5))
    axes[1].legend(fontsize=7, ncols=2)
    save(figure, pictures, name)


def sweep(rows, pictures, name, key, label):
    """Error of the forest with its controls, and bits, for each value of the swept key."""
    values = list(dict.fromkeys(row[key] for row in rows))
    rows = good(rows)
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.2))
    for method in methods_of(rows):
        own = {row[key]: row for row in rows if row["method"] == method}
        xs = [i for i, value in enumerate(values) if value in own]
        chosen = [own[values[i]] for i in xs]
        ys = [number(row, "forest_I_error") for row in chosen]
        error = [
            [number(row, "forest_I_error") - number(row, "forest_I_low") for row in chosen],
            [number(row, "forest_I_high") - number(row, "forest_I_error") for row in chosen],
        ]
        axes[0].errorbar(
            xs, ys, yerr=error, fmt="o-", ms=3.5, lw=1, elinewidth=0.5, color=COLOURS[method], label=method
        )
        axes[0].plot(
            xs,
            [number(row, "forest_I_group_only") for row in chosen],
            "x--",
            ms=4,
            lw=0.8,
            color=COLOURS[method],
            label="guess from its groups",
        )
        axes[1].plot(
            xs, [number(row, "leakage_bits") for row in chosen], "o-", ms=3.5, lw=1, color=COLOURS[method], label=method
        )
        axes[1].plot(
            xs,
            [number(row, "leakage_groups_bits") for row in chosen],
            "x--",
            ms=4,
            lw=0.8,
            color=COLOURS[method],
            label="of it by the groups",
        )
    for axis, text in zip(axes, ("error of the forest, years (scenario I)", "leakage, bits")):
        axis.set_xticks(range(len(values)), values, rotation=0 if len(values) < 6 else 25)
        axis.set(xlabel=label, ylabel=text)
        axis.legend(fontsize=7)
    save(figure, pictures, name)


def scalability(rows, pictures, name):
    rows = good(rows)
    people = [number(row, "synthetic.people") for row in rows]
    figure, axes = plt.subplots(figsize=(4.6, 3.2))
    for key, colour, label in (
        ("read_seconds", "#3d7fd6", "reading"),
        ("census_seconds", "#e08e2b", "census"),
        ("method_seconds", "#d1495b", "cross-iteration"),
    ):
        axes.loglog(people, [number(row, key) for row in rows], "o-", ms=3.5, lw=1, color=colour, label=label)
    total = [sum(number(row, key) for key in ("read_seconds", "census_seconds", "method_seconds")) for row in rows]
    axes.loglog(people, total, "s--", ms=3, lw=1, color=INK, label="together")
    axes.set(xlabel="people", ylabel="seconds")
    axes.legend(fontsize=7)
    save(figure, pictures, name)


def convergence(rows, pictures, name):
    rules = [rule for rule in ("paper", "budget") if any(row["method.acceptance"] == rule for row in rows)]
    budgets = sorted({row["budget"] for row in rows}, key=float)
    figure, grid = plt.subplots(1, len(rules), figsize=(4.2 * len(rules), 3.1), squeeze=False, sharey=True)
    for axes, rule in zip(grid.flat, rules):
        for colour, budget in zip(("#3d7fd6", "#e08e2b", "#d1495b"), budgets):
            own = [row for row in good(rows) if row["budget"] == budget and row["method.acceptance"] == rule]
            for seed in sorted({row["method.seed"] for row in own}):
                run = [row for row in own if row["method.seed"] == seed and row["method"] == "hyobscure"]
                axes.plot(
                    [int(row["round"]) for row in run],
                    [number(row, "leakage_bits") for row in run],
                    "o-",
                    ms=3,
                    lw=1,
                    color=colour,
                    label=f"budget {budget}" if seed == "1" else None,
                )
                best = [row for row in own if row["method"] == "exact" and row["method.seed"] == seed]
                if best:
                    axes.axhline(number(best[-1], "leakage_bits"), color=colour, lw=0.8, ls=":")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set(title=f"acceptance rule: {rule}", xlabel="round", ylabel="leakage, bits")
        axes.legend(fontsize=7)
    save(figure, pictures, name)


BOTH = [("forest_I", "random forest, scenario I"), ("forest_II", "random forest, scenario II")]
ALL = BOTH + [("boosting_I", "XGBoost, scenario I"), ("boosting_II", "XGBoost, scenario II")]
PICTURES = {
    "trade-off": lambda rows, to: (trade_off(rows, to, "trade-off", ALL), leakage(rows, to, "trade-off-leakage")),
    "cross-iteration": lambda rows, to: (
        trade_off(rows, to, "cross-iteration", BOTH),
        leakage(rows, to, "cross-iteration-leakage"),
    ),
    "groups": lambda rows, to: sweep(rows, to, "groups", "groups.count", "number of groups"),
    "same-groups": lambda rows, to: (trade_off(rows, to, "same-groups", ALL), leakage(rows, to, "same-groups-leakage")),
    "clusters": lambda rows, to: sweep(rows, to, "clusters", "channel.clusters", "number of clusters"),
    "people-limits": lambda rows, to: sweep(
        rows, to, "people-limits", "groups.people", "fewest, most people of a group"
    ),
    "value-limits": lambda rows, to: sweep(rows, to, "value-limits", "groups.values", "fewest, most values of a group"),
    "scalability": lambda rows, to: scalability(rows, to, "scalability"),
    "convergence": lambda rows, to: convergence(rows, to, "convergence"),
}


def main():
    results = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results"
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE.parent / "docs" / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        file = results / f"{name}.csv"
        if file.exists():
            draw(read(file), pictures)


if __name__ == "__main__":
    main()

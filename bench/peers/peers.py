"""What a publisher would use instead, on the same people in one run.

usage: peers.py path/to/hyobscure [--sizes 1e3,1e4,1e5] [--timeout 600] [--long-sizes 1e3] [--pairwise PROGRAM]

Needs anonypy, pandas and scikit-learn in the Python that runs it. Wide people (synth --kind tabular; the secret is the age):
  ours          fit --method exact, publish
  as published  the authors' algorithm: the table of all pairs' distances by definition (its time alone; ours needs no such table),
                then fit --method hyobscure --method.acceptance paper, publish
  Mondrian      k = 10, and k = 10 with l = 4, by anonypy
ARX is not here: none of the names tried in Maven Central, Debian and PyPI has it (docs/dependencies.md).

The attacker is the same for all: a forest that learns from half of the people, whose published rows and exact ages it knows,
and guesses the ages of the other half. `years off` is its mean error: from the published features alone, from the ages that the
release shows (the median age of the group that it names, or of the class whose exact ages it lists) and from both. `own age` is the
mean chance to hit somebody's exact age by a draw from the ages of the group or class. `error` is the mean distance of published from
true numbers in standard deviations; `R2` is how well a linear model that learned income from the other numbers and the
age of published rows predicts the incomes of other people.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from measured import identity

NUMBERS = ["hours", "income", "visits"]
REGIONS = ["centre", "east", "north", "south", "west"]
TAGS = ["games", "garden", "music", "opera", "sport", "travel"]
K, L = 10, 4
JUDGED = 20_000  # people whom the attacker and the analyst look at


class Failed(Exception):
    """What a peer ended with instead of a table."""


def measured(timeout, *command):
    """Seconds and peak megabytes; a small program in between, see there."""
    words = [sys.executable, HERE.parent / "measured.py", "timeout", timeout, *command]
    taken = json.loads(
        subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True).stdout
    )
    if taken["code"] == 124:
        raise Failed(f"more than {timeout:.0f} s, {taken['peak_mb']:,.0f} MB so far")
    if taken["code"] != 0:
        raise Failed(f"ends after {taken['wall']:.0f} s: {(taken['output'].strip().splitlines() or [''])[-1][:120]}")
    return taken["wall"], taken["peak_mb"]


def shares(cells, names, separator=";"):
    """For every name, how much of what a cell shows has it: a class shows several values, separated by semicolons."""
    shown = [[set(value.split("|")) for value in str(cell).split(separator)] for cell in cells]
    return np.array([[np.mean([name in value for value in values]) for name in names] for values in shown])


class Table:
    """Published rows as numbers, in the order of the true ones; `group` is whom the release shows a person's age together with."""

    def __init__(self, numbers, regions, likes, group, true_age, exact_age):
        self.numbers, self.sets = numbers, np.hstack([shares(regions, REGIONS), shares(likes, TAGS)])
        beside = pd.DataFrame({"group": np.asarray(group), "age": np.asarray(true_age)})
        self.age = beside.groupby("group")["age"].transform("median").to_numpy(float)
        same = beside.groupby(["group", "age"])["age"].transform("size") / beside.groupby("group")["age"].transform(
            "size"
        )
        self.own_age = float(same.mean())
        self.analyst_age = np.asarray(true_age, float) if exact_age else self.age

    def features(self):
        return np.hstack([self.numbers, self.sets])

    def everything(self):
        return np.hstack([self.features(), self.age[:, None]])


def original(people):
    return Table(people[NUMBERS].to_numpy(float), people["region"], people["likes"], people["age"], people["age"], True)


def forest():
    return RandomForestRegressor(100, min_samples_leaf=5, n_jobs=2, random_state=1)


def halves(count):
    order = np.random.default_rng(1).permutation(count)[:JUDGED]
    return order[: len(order) // 2], order[len(order) // 2 :]


def attack_error(features, ages):
    known, asked = halves(len(ages))
    guess = forest().fit(features[known], ages[known]).predict(features[asked])
    return float(np.mean(np.abs(guess - ages[asked])))


def guess_error(ages):
    known, asked = halves(len(ages))
    return float(np.mean(np.abs(np.median(ages[known]) - ages[asked])))


def income_score(published, ages, fresh):
    """Learned from published rows, judged on people who are in no release: the rows of a release are those of its own people, so
    a half of them that is kept back would come back as donors. From numbers alone, with the age in the form in which it is published:
    the sets that a class shows have no like among single people."""
    income, rows = NUMBERS.index("income"), halves(len(ages))[0]
    age_of = dict(zip(ages, published.analyst_age))
    shown = np.array([age_of.get(age, np.nan) for age in fresh.age])
    usable = ~np.isnan(shown)
    known = np.column_stack([np.delete(published.numbers, income, axis=1), published.analyst_age])[rows]
    asked = np.column_stack([np.delete(fresh.numbers, income, axis=1), shown])[usable]
    model = LinearRegression().fit(known, published.numbers[rows, income])
    return r2_score(fresh.numbers[usable, income], model.predict(asked))


def print_row(name, seconds, peak, table, true, fresh, is_release=True):
    ages = true.age
    away = np.abs(table.numbers - true.numbers) / true.numbers.std(axis=0)
    shown = (
        f"{np.mean(np.abs(table.age - ages)):.2f} | {attack_error(table.everything(), ages):.2f}"
        if is_release
        else "0 | 0"
    )
    print(
        f"| {len(ages):,} | {name} | {seconds} | {peak} | {attack_error(table.features(), ages):.2f} | {shown} | "
        f"{table.own_age:.3f} | {away.mean():.2f} | {income_score(table, ages, fresh):.3f} |",
        flush=True,
    )


def failed_row(people, name, failure):
    print(f"| {people:,} | {name} | {failure} | | | | | | | |", flush=True)


def ours(options, people, data, folder, method, name, before=(0.0, 0.0)):
    spec, mechanism, release = data / "spec.toml", folder / f"{name}.json", folder / name
    words = [*method, "--release.ledger", "none", "-q"]
    fit = measured(options.timeout, options.program, "fit", spec, *words, "-o", mechanism)
    publish = measured(options.timeout, options.program, "publish", spec, *words, "-m", mechanism, "-o", release)
    measured(
        options.timeout, options.program, "verify", release, "--against", spec, "-q"
    )  # a wrong release has no speed
    published = people[["id"]].merge(
        pd.read_csv(release / "people.csv", keep_default_na=False), on="id", validate="1:1"
    )
    table = Table(
        published[NUMBERS].to_numpy(float),
        published["region"],
        published["likes"],
        published["age"],
        people["age"],
        False,
    )
    return fit[0] + publish[0] + before[0], max(fit[1], publish[1], before[1]), table


def mondrian(options, people, data, folder, l):
    output = folder / f"mondrian-{l}.csv"
    taken = measured(options.timeout, sys.executable, HERE / "mondrian.py", data / "people.csv", "age", output, K, l)
    shown = pd.read_csv(output, keep_default_na=False)
    assert shown.groupby("class").size().min() >= K and shown.groupby("class")["age"].nunique().min() >= l
    return *taken, Table(
        shown[NUMBERS].to_numpy(float), shown["region"], shown["likes"], shown["class"], people["age"], True
    )


def fresh_people(options, folder):
    measured(
        options.timeout,
        options.program,
        "synth",
        "--kind",
        "tabular",
        "--people",
        JUDGED,
        "--seed",
        2,
        "-q",
        "-o",
        folder / "fresh",
    )
    return original(pd.read_csv(folder / "fresh" / "people.csv", keep_default_na=False))


def wide(options, size, folder):
    data = folder / "wide"
    measured(options.timeout, options.program, "synth", "--kind", "tabular", "--people", size, "-q", "-o", data)
    people = pd.read_csv(data / "people.csv", keep_default_na=False)
    true, fresh = original(people), fresh_people(options, folder)
    print_row("the data as they are", "", "", true, true, fresh, is_release=False)

    def as_published():
        table = measured(options.timeout, options.pairwise, data / "spec.toml", options.table_gb)
        return ours(
            options, people, data, folder, ["--method", "hyobscure", "--method.acceptance", "paper"], "paper", table
        )

    for name, run in {
        "ours, `exact`": lambda: ours(options, people, data, folder, ["--method", "exact"], "exact"),
        "as published, all pairs": as_published,
        f"Mondrian, k = {K}": lambda: mondrian(options, people, data, folder, 0),
        f"Mondrian, k = {K}, l = {L}": lambda: mondrian(options, people, data, folder, L),
    }.items():
        try:
            seconds, peak, table = run()
            print_row(name, f"{seconds:.1f}", f"{peak:,.0f}", table, true, fresh)
        except Failed as failure:
            failed_row(size, name, failure)
    print(f"| {size:,} | guessing | | | {guess_error(true.age):.2f} | | | | | |", flush=True)


def write_wide(data, output):
    """Events as one column an item: what a tool for tables needs."""
    people = pd.read_csv(data / "people.csv").set_index("id")
    ratings = pd.read_csv(data / "events.csv").pivot_table(
        index="person", columns="item", values="rating", fill_value=0
    )
    people.join(ratings).rename_axis("id").reset_index().to_csv(output, index=False)


def long(options, size, folder):
    """Ratings of 1,500 items: time and memory alone, since most tools for tables do not get that far."""
    data, spec, table = folder / "long", folder / "long" / "spec.toml", folder / "long-as-wide.csv"
    measured(options.timeout, options.program, "synth", "--people", size, "-q", "-o", data)
    write_wide(data, table)
    fit = ["fit", spec, "--release.ledger", "none", "-q", "--force", "-o", folder / "long.json"]
    for name, command in {
        "ours, `exact`: fit": [options.program, *fit, "--method", "exact"],
        "as published: fit": [options.program, *fit, "--method", "hyobscure", "--method.acceptance", "paper"],
        "as published: all pairs": [options.pairwise, spec, options.table_gb],
        f"Mondrian, k = {K}, l = {L}": [sys.executable, HERE / "mondrian.py", table, "age", folder / "long.csv", K, L],
    }.items():
        try:
            seconds, peak = measured(options.timeout, *command)
            print(f"| {size:,} | {name} | {seconds:.1f} | {peak:,.0f} |", flush=True)
        except Failed as failure:
            print(f"| {size:,} | {name} | {failure} | |", flush=True)


def sizes(text):
    return [int(float(size)) for size in text.split(",") if size]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--sizes", default="1e3,1e4,1e5", type=sizes)
    parser.add_argument("--long-sizes", default="1e3,1e4", type=sizes)
    parser.add_argument("--timeout", default=600, type=float, help="seconds that a command may take")
    parser.add_argument("--table-gb", default=4, type=float, help="largest table of all pairs")
    parser.add_argument("--pairwise", type=pathlib.Path, help="bench/pairwise_distances beside the program otherwise")
    options = parser.parse_args()
    options.program = options.program.resolve()
    options.pairwise = (options.pairwise or options.program.parent / "bench" / "pairwise_distances").resolve()
    return options


def main():
    options = read_options()
    print("| people | | seconds | peak MB | years off: features | shown ages | both | own age | error | R2 |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    program = identity(options.program)
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            wide(options, size, pathlib.Path(folder))
    print("\n| people, 1,500 items | | seconds | peak MB |\n| ---: | --- | ---: | ---: |")
    for size in options.long_sizes:
        with tempfile.TemporaryDirectory() as folder:
            long(options, size, pathlib.Path(folder))
    if identity(options.program) != program:
        sys.exit(f"{options.program} was built again during the run: these tables mix two programs")


if __name__ == "__main__":
    main()

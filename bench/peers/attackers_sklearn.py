"""Our trained attackers against ordinary ones of scikit-learn, on a release that leaks: attackers_sklearn.py HYOBSCURE

2,000 people of `synth`, published in two groups by method `random` with 45 % own rows. On the same random halves, in both scenarios of the audit:
histogram boosting with absolute error, early stopping and the median of the group as start; logistic regression on a truncated
singular value decomposition within the group (its median is the guess); nearest neighbours within the group. What each gains over the
median of the group, in years, with the interval over people that the audit has (attack.md, "The interval"). Ours are those of
`hyobscure audit` on the same mechanism. Ends with 1 where ours are weaker than the best of theirs by more than two standard errors.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

OWN_ROWS = 0.45
TWO_GROUPS = ["--groups", 2, "--groups.people", "200,1500", "--groups.values", "4,50"]
COMPONENTS = 40


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return done.stdout


def people_of(folder):
    with open(folder / "people.csv") as file:
        return {row["id"]: row["age"] for row in csv.DictReader(file)}


def rows_of(folder, ids, items):
    person = {name: n for n, name in enumerate(ids)}
    entries = []
    with open(folder / "events.csv") as file:
        for row in csv.DictReader(file):
            entries.append((person[row["person"]], items.setdefault(row["item"], len(items)), float(row["rating"])))
    r, c, v = zip(*entries)
    return r, c, v


def as_matrix(entries, people, items):
    r, c, v = entries
    return csr_matrix((v, (r, c)), shape=(people, items))


def published(program, folder, people, seed):
    """Ages, groups, true rows and one published draw for every repetition's seed."""
    data = folder / "data"
    run(program, "synth", "--people", people, "-o", data, "-q")
    words = [*TWO_GROUPS, "--method", "random", "--method.parameter", 1 - OWN_ROWS, "--release.ledger", "none", "-q"]
    run(program, "fit", data / "spec.toml", *words, "--method.seed", seed, "-o", folder / "m.json")
    run(program, "publish", data / "spec.toml", *words, "-m", folder / "m.json", "-o", folder / "release",
        "--release.ids", "keep", "--accept-leakage")  # fmt: skip
    ages, groups, items = people_of(data), people_of(folder / "release"), {}
    ids = sorted(ages)
    true, release = rows_of(data, ids, items), rows_of(folder / "release", ids, items)
    names = sorted(set(groups.values()))
    return (
        np.array([float(ages[name]) for name in ids]),
        np.array([names.index(groups[name]) for name in ids]),
        as_matrix(true, len(ids), len(items)),
        as_matrix(release, len(ids), len(items)),
    )


def medians(ages, groups, known):
    return np.array([np.median(ages[known][groups[known] == g]) for g in range(groups.max() + 1)])


def boosting(rows, ages, groups, known, tested, seen):
    """Of what the group leaves: scikit-learn's takes no start of its own for every row."""
    start = medians(ages, groups, known)
    model = HistGradientBoostingRegressor(loss="absolute_error", early_stopping=True, random_state=0)
    model.fit(np.column_stack([rows[known].toarray(), groups[known]]), ages[known] - start[groups[known]])
    return start[groups[tested]] + model.predict(np.column_stack([seen[tested].toarray(), groups[tested]]))


def median_of(values, weights):
    order = np.argsort(values)
    sums = np.cumsum(weights[:, order], axis=1)
    return values[order][(sums >= 0.5 * sums[:, -1:]).argmax(axis=1)]


def logistic(rows, ages, groups, known, tested, seen):
    reduction = TruncatedSVD(COMPONENTS, random_state=0).fit(rows[known])
    scale = StandardScaler().fit(reduction.transform(rows[known]))
    z, z_seen = (scale.transform(reduction.transform(x)) for x in (rows, seen))
    guess = np.zeros(len(ages))
    for g in range(groups.max() + 1):
        mine, asked = known[groups[known] == g], tested[groups[tested] == g]
        model = LogisticRegression(C=0.01, max_iter=500).fit(z[mine], ages[mine])
        guess[asked] = median_of(model.classes_, model.predict_proba(z_seen[asked]))
    return guess[tested]


def neighbours(rows, ages, groups, known, tested, seen):
    guess = np.zeros(len(ages))
    for g in range(groups.max() + 1):
        mine, asked = known[groups[known] == g], tested[groups[tested] == g]
        model = NearestNeighbors(n_neighbors=min(30, len(mine)), metric="cosine").fit(rows[mine])
        guess[asked] = np.median(ages[mine][model.kneighbors(seen[asked], return_distance=False)], axis=1)
    return guess[tested]


def gains(learn, ages, groups, true, release, scenario, repetitions):
    """Mean gain over the group's median and its standard error, people weighed as often as they were tested."""
    sums, counts = np.zeros(len(ages)), np.zeros(len(ages))
    for r in range(repetitions):
        order = np.random.default_rng(r).permutation(len(ages))
        halves = [order[: len(ages) // 2], order[len(ages) // 2 :]]
        for known, tested in [halves] if scenario == "I" else [halves, halves[::-1]]:
            rows = true if scenario == "I" else release
            guess = learn(rows, ages, groups, known, tested, release)
            alone = medians(ages, groups, known)[groups[tested]]
            sums[tested] += np.abs(alone - ages[tested]) - np.abs(guess - ages[tested])
            counts[tested] += 1
    mean = sums.sum() / counts.sum()
    return mean, np.sqrt(((sums - mean * counts) ** 2).sum()) / counts.sum()


def ours(program, folder, seed, repetitions):
    """The audit of the files: the same one draw."""
    words = [
        *TWO_GROUPS,
        "--method",
        "random",
        "--method.parameter",
        1 - OWN_ROWS,
        "--method.seed",
        seed,
        "--release.ids",
        "keep",
    ]
    found = json.loads(
        run(
            program,
            "audit",
            folder / "data" / "spec.toml",
            folder / "release",
            *words,
            "--audit.releases",
            repetitions,
            "--audit.attackers",
            "boosting,linear,forest,paper-boosting",
            "--json",
        )  # fmt: skip
    )
    for attack in found["attacks"]:
        gain = attack["advantage"]
        yield f"ours, {attack['attacker']}", attack["scenario"], gain["mean"], (gain["high"] - gain["low"]) / 2 / 1.96


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--people", default=2000, type=int)
    parser.add_argument("--repetitions", default=3, type=int)
    parser.add_argument("--seed", default=1, type=int)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        given = published(options.program, folder, options.people, options.seed)
        for name, learn in {
            "histogram boosting": boosting,
            "logistic regression": logistic,
            "neighbours": neighbours,
        }.items():
            for scenario in ("I", "II"):
                rows.append((name, scenario, *gains(learn, *given, scenario, options.repetitions)))
        rows += ours(options.program, folder, options.seed, options.repetitions)
    print("| attacker | scenario | gain over the group, years |\n| --- | --- | ---: |")
    for name, scenario, gain, error in rows:
        print(f"| {name} | {scenario} | {gain:.3f} ± {1.96 * error:.3f} |")
    weaker = False
    for scenario in ("I", "II"):
        mine, theirs = (
            max((gain, error) for name, s, gain, error in rows if s == scenario and name.startswith("ours") == is_ours)
            for is_ours in (True, False)
        )
        weaker |= mine[0] < theirs[0] - 2 * np.hypot(mine[1], theirs[1])
        print(f"scenario {scenario}: best of ours {mine[0]:.3f}, best of theirs {theirs[0]:.3f}")
    sys.exit(1 if weaker else 0)


if __name__ == "__main__":
    main()

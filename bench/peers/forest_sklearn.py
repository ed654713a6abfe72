"""Our forest against scikit-learn's, on the same splits: forest_sklearn.py ATTACK_MODELS [splits]

MovieLens ages with 4 and 2 published groups (MAE), MovieLens occupations (error of the first guess), Adult ages
(30,000 people, one-hot and numeric columns). HYOBSCURE_DATA names the folder of the data. Needs scikit-learn:
python3 -m venv build/venv && build/venv/bin/pip install scikit-learn
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

DATA = pathlib.Path(os.environ.get("HYOBSCURE_DATA", pathlib.Path(__file__).parents[3] / "shared" / "data"))


def movielens():
    """Ages 18 to 50 and films that people of at least two ages rated, as the authors have it."""
    users = [line.split("|") for line in (DATA / "movielens-100k/u.user").read_text().splitlines()]
    age = {int(user[0]): int(user[1]) for user in users}
    occupation = {int(user[0]): user[3] for user in users}
    ratings, ages = {}, {}
    for line in (DATA / "movielens-100k/u.data").read_text().splitlines():
        user, film, rating, _ = map(int, line.split())
        ratings.setdefault(user, {})[film] = rating
        ages.setdefault(film, set()).add(age[user])
    column = {film: i for i, film in enumerate(sorted(film for film in ages if len(ages[film]) >= 2))}
    people = sorted(user for user in age if 18 <= age[user] <= 50)
    rows = np.zeros((len(people), len(column)))
    for r, user in enumerate(people):
        for film, rating in ratings[user].items():
            if film in column:
                rows[r, column[film]] = rating
    names = sorted({occupation[user] for user in people})
    return rows, np.array([age[user] for user in people]), np.array([names.index(occupation[user]) for user in people])


def adult():
    """Ages 18 to 60; categories one-hot, numbers as they are."""
    with open(DATA / "adult/adult.data") as file:
        table = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15 and 18 <= int(row[0]) <= 60]
    columns = []
    for c in range(1, 14):
        cells = [row[c] for row in table]
        if c in (2, 4, 10, 11, 12):
            columns.append(np.array(cells, dtype=float))
        else:
            columns.extend(np.array([cell == name for cell in cells], dtype=float) for name in sorted(set(cells)))
    return np.column_stack(columns), np.array([int(row[0]) for row in table])


def write(file, rows, labels):
    sparse = csr_matrix(rows)
    sparse.sort_indices()
    with open(file, "w") as out:
        for r, label in enumerate(labels):
            span = slice(sparse.indptr[r], sparse.indptr[r + 1])
            entries = zip(sparse.indices[span], sparse.data[span])
            out.write(f"{label} " + " ".join(f"{i}:{v:g}" for i, v in entries) + "\n")


def ours(program, kind, rows, labels, training, tested, seed):
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("training", "tested")]
        write(files[0], rows[training], labels[training])
        write(files[1], rows[tested], labels[tested])
        done = subprocess.run(
            [program, "forest", kind, *map(str, files), str(seed)], capture_output=True, text=True, check=True
        )
    return np.array(done.stdout.split(), dtype=float), float(done.stderr)


def theirs(kind, rows, labels, training, tested, seed):
    model = (RandomForestRegressor if kind == "number" else RandomForestClassifier)(100, random_state=seed, n_jobs=2)
    begin = time.perf_counter()
    model.fit(rows[training], labels[training])
    seconds = time.perf_counter() - begin
    return model.predict(rows[tested]), seconds


def compare(program, name, kind, rows, labels, splits, share=0.5):
    error = (lambda p, y: np.abs(p - y).mean()) if kind == "number" else (lambda p, y: (p != y).mean())
    found = []
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(labels))
        cut = int(len(labels) * share)
        training, tested = order[:cut], order[cut:]
        (a, a_seconds), (b, b_seconds) = (
            ours(program, kind, rows, labels, training, tested, seed),
            theirs(kind, rows, labels, training, tested, seed),
        )
        found.append((error(a, labels[tested]), error(b, labels[tested]), a_seconds, b_seconds))
    mine, peer, my_seconds, peer_seconds = np.mean(found, axis=0)
    print(
        f"{name:28} ours {mine:.4f}  scikit-learn {peer:.4f}  ({100 * (mine / peer - 1):+.2f} %)  "
        f"training {my_seconds:.2f} s against {peer_seconds:.2f} s",
        flush=True,
    )
    return abs(mine / peer - 1) <= 0.02


def main(program, splits=8):
    rows, ages, occupations = movielens()
    four, two = np.digitize(ages, [25, 35, 45]), (ages >= 30).astype(int)
    agree = [
        compare(program, "MovieLens, 4 groups", "number", np.column_stack([rows, four]), ages, splits),
        compare(program, "MovieLens, 2 groups", "number", np.column_stack([rows, two]), ages, splits),
        compare(program, "MovieLens, occupation", "class", np.column_stack([rows, four]), occupations, splits),
    ]
    rows, ages = adult()
    agree.append(compare(program, "Adult, age", "number", rows, ages, 1))
    sys.exit(0 if all(agree) else 1)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))

"""The installed package as its users meet it, on people that are made here."""

import os
import pathlib
import subprocess

import numpy as np
import pandas
import pytest

import hyobscure

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("HYOBSCURE_PROGRAM", SOURCE / "build" / "hyobscure"))

# Fast, and the same on every machine: one seed, the method without a person-level channel.
QUICK = dict(people=(40, 200), values=(3, 30), method="exact", clusters=5, random_state=7)


def make_wide(people=240, seed=3):
    """Ages, and numbers, a category and a set that know of them."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 60, people)
    return pandas.DataFrame(
        {
            "who": [f"p{number:04d}" for number in random.permutation(people)],
            "age": age,
            "gender": random.choice(["f", "m"], people),
            "visits": random.poisson(1 + age / 12),
            "height": np.round(random.normal(170, 9, people), 1),
            "town": np.where(age + random.normal(0, 8, people) > 40, "North", "South"),
        }
    )


def make_long(people=240, seed=3):
    """People with an age, and what they rated, which knows of it."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 60, people)
    who = pandas.DataFrame({"user": np.arange(people) * 3 + 1, "age": age})
    liked = random.random((people, 40)) < 0.15 + 0.35 * np.exp(
        -(((np.arange(40) * 1.0 + 20) - age[:, None]) ** 2) / 200
    )
    liked[:, 0] = True  # each person has an event
    person, item = np.nonzero(liked)
    events = pandas.DataFrame(
        {
            "user": who["user"].to_numpy()[person],
            "film": [f"film {i}" for i in item],
            "stars": random.integers(1, 6, len(item)),
        }
    )
    return who, events.sample(frac=1, random_state=1, ignore_index=True)


LONG = {"events.person": "user", "events.item": "film", "events.value": "stars"}


@pytest.fixture(autouse=True)
def ledgers_of_tests(tmp_path, monkeypatch):
    """Each test forgets whom the others published, and leaves the user's own ledger alone."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-of-the-user"))


@pytest.fixture(scope="session")
def wide():
    return make_wide()


@pytest.fixture(scope="session")
def long():
    return make_long()


@pytest.fixture(scope="session")
def numbers():
    """X and y as arrays."""
    random = np.random.default_rng(5)
    y = random.integers(20, 60, 200)
    return random.poisson(1 + 4 * np.abs(np.sin(y[:, None] / 9 + np.arange(6)))).astype(float), y


@pytest.fixture(scope="session")
def model(numbers):
    X, y = numbers
    return hyobscure.HyObscure(budget=0.15, **QUICK).fit(X, y)


@pytest.fixture
def program():
    """The command line; the tests that compare with it say so where it is not built."""
    if not PROGRAM.exists():
        pytest.skip(f"there is no program {PROGRAM}: build it, or set HYOBSCURE_PROGRAM")

    def run(*arguments, cwd=None):
        done = subprocess.run(
            [str(PROGRAM), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def groups_of_labels(labels, ages):
    """Every label covers the ages of the people who have it: an oracle of its own, from the labels as a reader understands them."""
    for label, age in zip(labels, ages):
        words = label.replace(" or less", "").replace(" or more", "").split("-")
        low = -np.inf if label.endswith("or less") else float(words[0])
        high = np.inf if label.endswith("or more") else float(words[-1])
        if not low <= age <= high:
            return False
    return True

"""People made for these tests, and what the command line gives for them."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = pathlib.Path(os.environ.get("HYOBSCURE_PROGRAM", SOURCE / "build" / "hyobscure"))


def program(*words: object) -> str:
    done = subprocess.run([PROGRAM, *map(str, words), "-q"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), (
        done.stdout + done.stderr
    )  # 3: weaker than it should be, which these tests are not about
    return done.stdout


@dataclass(frozen=True)
class Made:
    """A folder with people.parquet, perhaps events.parquet, and spec.toml."""

    folder: pathlib.Path

    @property
    def spec(self) -> pathlib.Path:
        return self.folder / "spec.toml"

    @property
    def is_long(self) -> bool:
        return (self.folder / "events.parquet").exists()

    def frames(self, spark, partitions: int | None = None):
        """People and events (or None), as Spark reads them or in so many partitions."""
        names = ["people.parquet", "events.parquet"][: 1 + self.is_long]
        frames = [spark.read.parquet(str(self.folder / name)) for name in names]
        if partitions:
            frames = [frame.repartition(partitions) for frame in frames]
        return frames if self.is_long else [*frames, None]

    def fitted(self) -> pathlib.Path:
        """The command line's mechanism."""
        file = self.folder / "mechanism.json"
        if not file.exists():
            program("fit", self.spec, "-o", file)
        return file

    def not_from_a_seed(self) -> str:
        """The same mechanism, but that its key is said to be secret, with a seal that fits."""
        stated = {name: value for name, value in json.loads(self.fitted().read_text()).items() if name != "seal"}
        entries = json.dumps(stated | {"seeded": False})[:-1]
        return f'{entries},\n "seal": "{hashlib.sha256(entries.encode()).hexdigest()}"\n}}\n'

    def fingerprint(self) -> str:
        return json.loads(self.fitted().read_text())["data_fingerprint"]

    def published(self) -> pathlib.Path:
        """The command line's release."""
        folder = self.folder / "release"
        if not folder.exists():
            program("publish", self.spec, "-m", self.fitted(), "-o", folder, "--accept-leakage")
        return folder


def rows_of(path: pathlib.Path) -> list[tuple]:
    """Of a Parquet file, or of a folder of part files in the order of their names."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    tables = [pq.read_table(file, partitioning=None) for file in files]
    return [row for table in tables for row in zip(*(column.to_pylist() for column in table.columns))]


def write(folder: pathlib.Path, spec: str, **tables: pa.Table) -> Made:
    folder.mkdir(parents=True)
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    (folder / "spec.toml").write_text(spec)
    return Made(folder)


LONG_SPEC = """
[people]
file = "people.parquet"
id = "user"
secret = "age"

[events]
file = "events.parquet"
person = "user"
item = "film"
value = "stars"
time = "day"

[groups]
count = 3
people = [20, 400]
values = [3, 30]

[channel]
clusters = 4
distance = "jensen-shannon"
budget_share = 0.5

[method]
name = "exact"
seed = 7

[release]
ids = "keep"
"""

WIDE_SPEC = """
[people]
file = "people.parquet"
id = "ID"
secret = "age"
features = ["income", "hours", "job", "zip", "languages", "tags", "flag"]
categorical = ["zip"]
sets = ["languages"]
missing = "category"

[groups]
count = 3
people = [20, 500]
values = [4, 30]

[channel]
clusters = 4
distance = "squared-euclidean"
budget_share = 0.5

[method]
name = "exact"
seed = 9

[release]
ids = "replace"
"""


def long_tables(people: int = 300, seed: int = 3) -> dict[str, pa.Table]:
    """Ids are numbers, whose order as texts is another; tastes know of the age."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 50, people)
    films = np.arange(60)
    likes = random.random((people, 60)) < 0.05 + 0.4 * np.exp(-((films * 0.5 + 20 - age[:, None]) ** 2) / 60)
    likes[:, 0] = True  # each person has an event
    person, film = np.nonzero(likes)
    order = random.permutation(len(person))
    person, film = person[order], film[order]
    user = random.permutation(people) * 3
    day = [None if gone else int(day) for gone, day in zip(random.random(len(film)) < 0.1, film * 7 % 31)]
    events = pa.table(
        {
            "user": user[person],
            "film": [f"film {number}" for number in film],
            "stars": random.integers(0, 6, len(film)) + 0.0,
            "day": pa.array(day, pa.int32()),
            "unnamed": random.random(len(film)),
        }
    )
    zeros_only = set(range(people)) - set(person[np.asarray(events["stars"]) > 0])
    keep = pa.array([who not in zeros_only for who in range(people)])
    return {
        "people": pa.table({"user": user, "age": age}).filter(keep),
        "events": events.filter(pa.array([who not in zeros_only for who in person])),
    }


def wide_tables(people: int = 400, seed: int = 5) -> dict[str, pa.Table]:
    random = np.random.default_rng(seed)
    age = random.integers(20, 60, people)
    income = np.round(random.gamma(2, 20, people) + age, 3)
    words, tags = ["de", "en", "fr", "it"], ["x", "y", "z"]
    return {
        "people": pa.table(
            {
                "id": random.permutation(people) * 7,
                "age": pa.array(age, pa.int32()),
                "income": pa.array(
                    [None if gone else value for gone, value in zip(random.random(people) < 0.05, income)]
                ),
                "hours": pa.array(random.integers(0, 80, people), pa.int16()),
                "job": random.choice(["nurse", "clerk", "Übersetzer", "", "a|b"], people),
                "zip": pa.array(random.integers(0, 5, people), pa.int32()),
                "languages": ["|".join(random.choice(words, random.integers(0, 4))) or None for _ in range(people)],
                "tags": [list(random.choice(tags, random.integers(0, 3))) for _ in range(people)],
                "flag": random.random(people) < 0.3,
                "unnamed": random.random(people),
            }
        )
    }

"""From a census to a mechanism: on the driver, and where methods look at each person, on the executors."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pyspark.sql import DataFrame

from hyobscure._core import kernels

from .blobs import small_batches
from .census import Census, tables_of
from .errors import refusal, refusals_of_tasks
from .fit_tasks import FitPeople, Values
from .machines import require
from .reading import Reading, read
from .settings import SpecText, looks_at_people, refuse_undistributed, word
from .storage import Work
from .wards import ClusterRows

# So many people fit in one task, with the distances of all pairs of a group.
_PEOPLE_OF_ONE_TASK = 20_000


@dataclass(frozen=True)
class Mechanism:
    """What fit finds and publish applies: the content of the mechanism file, the same as the command line's.

    Private: it holds the key of the draws.
    """

    text: str = field(repr=False)
    source: str = field(default="", compare=False)  # the file it was read from, for the ledger

    def __post_init__(self) -> None:
        if isinstance(self.text, os.PathLike) or not self.text.lstrip().startswith("{"):
            raise refusal(
                "mechanism",
                "is no text of a mechanism, which begins with {",
                "If it is the path of a file, give Mechanism.load(path).",
            )

    @staticmethod
    def load(file: str | os.PathLike) -> Mechanism:
        return Mechanism(Path(file).read_text(encoding="utf-8"), os.path.abspath(file))

    def save(self, file: str | os.PathLike) -> None:
        """Readable by its owner only."""
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(self.text)


# The census fixes all that reading, clusters and distances depend on.
_SETTLED = (
    "people.",
    "events.",
    "secret.",
    "channel.clusters",
    "channel.distance",
    "channel.normalise",
    "channel.starts",
    "method.seed",
)


def fit(
    census: Census,
    people: DataFrame | None = None,
    events: DataFrame | None = None,
    *,
    work: str | None = None,
    **settings: object,
) -> Mechanism:
    """Finds the mechanism, as the command line does.

    Methods on clusters need the census alone. Methods that look at each person (`fine`, `dp`, `simp`) also need
    the tables that the census was taken of, and `work`, a folder that the driver and all executors can write.

    Settings are keys of the spec with an underscore for the dot: fit(census, channel_budget=0.4,
    groups_people=[100, 400]).
    """
    written = census.spec.with_settings(settings)
    for key in written.overrides:
        if key.startswith(_SETTLED):
            raise refusal(key, "was settled by the census", "Take another census with a spec that says so.")
    parsed = written.parsed()
    refuse_undistributed(parsed, written.name)
    if not looks_at_people(parsed):
        solver = solver_of(census, parsed)
        solver.add(census.items, census.payloads)
        return Mechanism(solver.solve())
    if people is None or work is None:
        raise refusal(
            written.name,
            f"method.name = {parsed.get('method.name')} looks at each person, and a census has none",
            "Give fit the tables too, as in fit(census, people, events, work=...); or take exact.",
            "method.name",
        )
    tables = tables_of(people, events, parsed, written.name)
    require(people.sparkSession)
    with Work(people.sparkSession, work) as folder, refusals_of_tasks():
        reading = read(*tables, parsed, folder)
        if reading.fingerprint != census.fingerprint:
            raise refusal("census", "was taken of other data", "Take another, of the tables as they are now.")
        with small_batches(folder.spark):
            return Mechanism(_fit_people(census, written, reading, folder))


def solver_of(census: Census, spec: kernels.Spec, space: kernels.Space | None = None) -> kernels.Solver:
    secrets = census.secrets
    return kernels.Solver(
        spec,
        census.model,
        secrets.low,
        secrets.high,
        secrets.centre,
        secrets.distinct,
        census.counts,
        census.entries,
        census.extent,
        census.fingerprint,
        space or secrets.space,
    )


def _fit_people(census: Census, written: SpecText, reading: Reading, work: Work) -> str:
    spec = written.parsed()
    rows = reading.rows.select("block", "payload")
    solver = solver_of(census, spec)
    solver.add(census.items, census.payloads)
    if reading.people <= _PEOPLE_OF_ONE_TASK:
        work.step("method, in one task")
        task = FitPeople(spec, census.without_parts(), solver.pair_sums())
        found = rows.repartition(1).sortWithinPartitions("block").mapInArrow(task, task.schema).collect()
        return found[0]["mechanism"]
    if word(spec, "method.name") != "fine":
        raise refusal(
            written.name,
            f"method.name = {spec.get('method.name')} compares all people of a group, which one task does, for at most "
            f"{_PEOPLE_OF_ONE_TASK:,} people",
            "Take fine, which compares them by wards, or run it with the command line on one machine.",
            "method.name",
        )
    work.step("people of wards")
    y, clusters = values_of(reading, census.model)
    engine = ClusterRows(spec, work, rows, y, reading.columns, census.secrets.atoms)
    return solver.solve_people(y, clusters, None, engine)


def values_of(reading: Reading, model: kernels.Model | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Value and cluster of each person, in their order: eight bytes of each."""
    task = Values(model)
    found = reading.rows.select("block", "payload").mapInArrow(task, task.schema).collect()
    found.sort(key=lambda row: row["block"])
    parts = [np.frombuffer(row[name], np.uint32) for name in ("y", "cluster") for row in found]
    return np.concatenate(parts[: len(found)]), np.concatenate(parts[len(found) :])

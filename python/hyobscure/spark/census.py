"""The census: clusters, counts and exact sums of the cells, from which the driver solves."""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass, field, replace
from operator import itemgetter

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from hyobscure._core import kernels

from .blobs import small_batches
from .census_tasks import AddCells, Choose, Cluster, ClusterSizes, Extent, JoinCells
from .errors import refusal, refusals_of_tasks
from .machines import require
from .reading import Reading, Secrets, read
from .settings import SpecText, refuse_undistributed
from .storage import Work, cores_of
from .table import Table

_MOST_PASSES = 10  # as in census/kmeans.cpp


@dataclass(frozen=True)
class Census:
    """All that fit needs; its size does not depend on the number of people. Private, as the data is."""

    spec: SpecText
    people: int
    columns: int
    entries: int
    secrets: Secrets
    fingerprint: str
    model: kernels.Model
    counts: np.ndarray  # people by cluster and value
    items: np.ndarray
    payloads: list[bytes] = field(repr=False)  # exact sums of the cells, one an item
    extent: tuple[float, float]
    read: dict[str, int] = field(default_factory=dict)  # people and events read and left out

    def without_parts(self) -> Census:
        """For a task that knows what the sums come to."""
        nothing = np.zeros(0, np.uint32)
        return replace(self, items=nothing, payloads=[], secrets=self.secrets.without_space())


def census(people: DataFrame, events: DataFrame | None = None, *, spec: str | os.PathLike, work: str) -> Census:
    """Clusters the people and measures the cells, in passes over the data on the executors.

    `spec` is a spec file or its text; the tables are those of [people] and [events]. `work` is a folder that
    the driver and all executors can write: tables between passes go there, and are deleted at the end.
    """
    written = SpecText.read(spec)
    parsed = written.parsed()
    refuse_undistributed(parsed, written.name)
    tables = tables_of(people, events, parsed, written.name)
    require(people.sparkSession)
    with Work(people.sparkSession, work) as folder, refusals_of_tasks():
        reading = read(*tables, parsed, folder)
        with small_batches(folder.spark):
            folder.step("clusters")
            model = _clusters(reading, parsed)
            folder.step("cells")
            extent = _extent(reading, parsed)
            counts, items, payloads = _cells(reading, parsed, model, extent, folder.spark)
    return Census(
        written,
        reading.people,
        reading.columns,
        reading.entries,
        reading.secrets,
        reading.fingerprint,
        model,
        counts,
        items,
        payloads,
        extent,
        reading.counts,
    )


def tables_of(people: DataFrame, events: DataFrame | None, spec: kernels.Spec, name: str) -> tuple[Table, Table | None]:
    if spec.is_long and events is None:
        raise refusal("events", f"{name} has a section [events], and no events are given", "Give both DataFrames.")
    if not spec.is_long and events is not None:
        raise refusal("events", f"{name} has no section [events]", "Add it, or leave the events out.")
    return Table(people, "people"), None if events is None else Table(events, "events")


# --- clusters


def _clusters(reading: Reading, spec: kernels.Spec) -> kernels.Model:
    chosen = kernels.sample(reading.people, spec)
    choose = Choose(None if chosen is None else np.asarray(chosen, np.int64))
    rows = reading.rows.select("block", "payload").mapInArrow(choose, choose.schema)
    task = Cluster(spec, reading.columns, chosen is not None)
    found = rows.repartition(1).sortWithinPartitions("block").mapInArrow(task, task.schema).collect()
    return _numbered_canonically(pickle.loads(found[0]["model"]), reading)


def _numbered_canonically(model: kernels.Model, reading: Reading) -> kernels.Model:
    """By size, the largest first.

    New numbers may move rows that are half-way between two centres, and moved rows may ask for new numbers:
    until both agree, or a cluster would be left empty.
    """
    sizes, firsts = _sizes(model, reading)
    for _ in range(_MOST_PASSES):
        order = kernels.canonical_order(sizes, firsts)
        if np.all(np.diff(order) > 0):
            break
        renumbered = model.reorder(order)
        sizes, firsts = _sizes(renumbered, reading)
        if np.any(sizes == 0):
            break
        model = renumbered
    return model


def _sizes(model: kernels.Model, reading: Reading) -> tuple[np.ndarray, np.ndarray]:
    task = ClusterSizes(model)
    rows = reading.rows.select("block", "payload").mapInArrow(task, task.schema)
    found = rows.groupBy("cluster").agg(F.sum("people"), F.min("first")).collect()
    sizes, firsts = np.zeros(model.clusters, np.int64), np.zeros(model.clusters, np.int64)
    for cluster, people, first in found:
        sizes[cluster], firsts[cluster] = people, first
    return sizes, firsts


# --- cells


def _extent(reading: Reading, spec: kernels.Spec) -> tuple[float, float]:
    """Largest entry and largest square of a row: what bounds the exact sums of squared distances."""
    if spec.distance != "squared-euclidean":
        return 0.0, 0.0
    task = Extent(reading.columns)
    found = reading.rows.select("block", "payload").mapInArrow(task, task.schema)
    return tuple(found.agg(F.max("entry"), F.max("square")).first())


def _cells(
    reading: Reading, spec: kernels.Spec, model: kernels.Model, extent: tuple[float, float], spark: SparkSession
) -> tuple[np.ndarray, np.ndarray, list[bytes]]:
    """Sums are exact integers: partial ones may be joined in any order and give the same bits."""
    task, join = AddCells(spec, model, reading.people, extent), JoinCells()
    # Every task hands on the sums of all items: as few tasks as there are cores.
    cores = cores_of(spark)
    rows = reading.rows.select("block", "payload").coalesce(cores)
    partial = rows.mapInArrow(task, task.schema).repartition(cores, "item").sortWithinPartitions("item")
    counts = np.zeros((model.clusters, reading.secrets.atoms))
    found = []
    for row in partial.mapInArrow(join, join.schema).collect():
        if row["item"] is None:
            counts[row["cell"] % model.clusters, row["cell"] // model.clusters] += row["people"]
        else:
            found.append((row["item"], row["payload"]))
    found.sort(key=itemgetter(0))
    return counts, np.array([item for item, _ in found], np.uint32), [bytes(payload) for _, payload in found]

"""The release: all people draw on the executors, and one join brings each of them their donor."""

from __future__ import annotations

import hashlib
import os
import uuid
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from hyobscure._core import kernels

from .census import Mechanism, tables_of
from .errors import refusal, refusals_of_tasks
from .events import is_used
from .numbering import numbered, ranked
from .reading import Reading, read
from .settings import SpecText, refuse_undistributed, refuse_unpublishable
from .storage import NOTHING_BUT_PARTS, Storage, Work
from .table import Table
from .tasks import Draw

_PEOPLE, _EVENTS, _MANIFEST = "people.parquet", "events.parquet", "manifest.json"


@dataclass(frozen=True)
class Release:
    folder: str
    people: int
    events: int  # long data
    people_unchanged: int  # people who drew themselves as donor; private
    manifest: str


def publish(
    people: DataFrame,
    events: DataFrame | None,
    mechanism: Mechanism | str,
    folder: str | os.PathLike,
    *,
    spec: str | os.PathLike,
    work: str,
    force: bool = False,
    accept_leakage: bool = False,
) -> Release:
    """Applies the mechanism to the people it was made for.

    Writes `folder` with people.parquet/, for long data events.parquet/, and manifest.json. The rows are those
    of the command line's release, in the same order over the part files in the order of their names. All
    appears at once or nothing does; the donors are deleted with the tables in `work`. A
    mechanism that `fit` called weaker than it should be is refused unless `accept_leakage`.
    """
    text = mechanism.text if isinstance(mechanism, Mechanism) else mechanism
    written = SpecText.read(spec)
    parsed = written.parsed()
    draws = kernels.Draws(text)
    refuse_undistributed(parsed, written.name)
    refuse_unpublishable(parsed, written.name, draws.seeded)
    if not accept_leakage:
        draws.refuse_shortfalls()
    tables = tables_of(people, events, parsed, written.name)
    target = _Target(people.sparkSession, str(folder), force)
    with Work(people.sparkSession, work) as tables_between, refusals_of_tasks():
        reading = read(*tables, parsed, tables_between)
        _refuse_other_data(reading, draws)
        return _Publisher(*tables, parsed, text, draws, reading, tables_between).publish(target)


def _refuse_other_data(reading: Reading, draws: kernels.Draws) -> None:
    if reading.fingerprint != draws.fingerprint:
        raise refusal(
            "mechanism",
            "was made for other data",
            "Run fit again, or give the data and the spec that it was made from.",
        )


class _Target:
    """The folder of the release, filled under another name beside it."""

    def __init__(self, spark: SparkSession, folder: str, force: bool) -> None:
        self.storage, self.folder = Storage(spark), folder.rstrip("/")
        self.staged = f"{self.folder}.{uuid.uuid4().hex}"
        self.replaces = self.storage.exists(self.folder)
        if self.replaces and not force:
            raise refusal(self.folder, "exists already", "Name another folder, or give force=True.")
        if self.replaces and not self.storage.exists(f"{self.folder}/{_MANIFEST}"):
            raise refusal(self.folder, "exists and is no release", "Name another folder.")

    def __enter__(self) -> _Target:
        return self

    def __exit__(self, kind: type | None, *_: object) -> None:
        if kind is not None:
            self.storage.delete(self.staged)

    def commit(self) -> None:
        if self.replaces:
            self.storage.delete(self.folder)
        if not self.storage.rename(self.staged, self.folder):
            raise refusal(self.folder, "could not be written", "Check that its parent folder exists.")


class _Publisher:
    def __init__(
        self,
        people: Table,
        events: Table | None,
        spec: kernels.Spec,
        mechanism: str,
        draws: kernels.Draws,
        reading: Reading,
        work: Work,
    ) -> None:
        self.people, self.events, self.spec, self.mechanism = people, events, spec, mechanism
        self.draws, self.reading, self.work = draws, reading, work
        self.keeps_ids = spec.ids == "keep"
        self.in_order_of_ids = self.keeps_ids and spec.order == "sorted"

    def publish(self, target: _Target) -> Release:
        self.work.step("draws and donors")
        paired = self._pair(self._rank())
        unchanged = paired.filter(F.col("id") == F.col("donor")).count()
        release = self._place(paired)
        self.work.step("release")
        with target:
            files = [self._write(target, _PEOPLE, self._people_of(release), [])]
            self._refuse_changed_source(files[0][1])
            if self.spec.is_long:
                contents = [F.col(f"cell{i}") for i in range(len(self._event_columns()))]
                files.append(self._write(target, _EVENTS, self._events_of(release), contents))
            manifest = self._manifest(files)
            target.storage.write_text(f"{target.staged}/{_MANIFEST}", manifest)
            target.commit()
        return Release(target.folder, self.reading.people, files[1][1] if self.spec.is_long else 0, unchanged, manifest)

    # --- who publishes whose features

    def _rank(self) -> DataFrame:
        """Each person's draw, and the rank in the own cell: by keyed hashes of ids."""
        broadcast = self.work.spark.sparkContext.broadcast(self.mechanism)
        task = Draw(broadcast, self.spec, not self.in_order_of_ids)
        drawn = self.reading.rows.mapInArrow(task, task.schema)
        keys = [F.col("hash1"), F.col("hash2"), F.col("id")]
        people, sizes = ranked(drawn, "own_cell", keys, self.work, "draws")
        counted = {cell: int(size) for cell, size in enumerate(self.draws.cell_people) if size > 0}
        if sizes != counted:
            raise refusal(
                "mechanism",
                "its groups and clusters do not hold the people that it counted",
                "Run fit again with this data.",
            )
        return people

    def _pair(self, people: DataFrame) -> DataFrame:
        """One join, keyed by cell and place: no key has more rows than people who drew it, however large the cell."""
        own = F.col("retained")
        takers = people.select(
            "u",
            "id",
            "group",
            "published1",
            "published2",
            F.when(own, F.col("own_cell")).otherwise(F.col("donor_cell")).alias("cell"),
            F.when(own, F.col("rank")).otherwise(F.col("place")).alias("place"),
        )
        donors = people.select(
            F.col("own_cell").alias("cell"), F.col("rank").alias("place"), F.col("id").alias("donor")
        )
        return self.work.store("pairs", takers.join(donors, ["cell", "place"]).drop("cell", "place"))

    def _place(self, paired: DataFrame) -> DataFrame:
        """(place, published, label, donor): a row of the release each, place being its number."""
        labels = self.work.spark.createDataFrame(list(enumerate(self.draws.labels)), "group int, label string")
        if self.in_order_of_ids:
            placed = paired.withColumn("place", F.col("u"))
        else:
            keys = [F.col("published1"), F.col("published2"), F.col("id")]
            placed = numbered(paired, keys, "place", self.work, "places").frame
        published = F.col("id") if self.keeps_ids else self._new_id(paired)
        found = placed.join(F.broadcast(labels), "group").select(
            "place", published.alias("published"), "label", "donor"
        )
        return self.work.store("release", found)

    def _new_id(self, paired: DataFrame) -> Column:
        """16 hexadecimal digits, or 32 where those collide."""
        collide = paired.select("published1").distinct().count() < self.reading.people
        return F.concat(_hex("published1"), _hex("published2")) if collide else _hex("published1")

    # --- rows

    def _id_as(self, kind: T.DataType) -> Column:
        """Ids that are kept have the type of their column; new ones are text."""
        return F.col("published").cast(kind) if self.keeps_ids else F.col("published")

    def _people_of(self, release: DataFrame) -> DataFrame:
        spec, people = self.spec, self.people
        columns = [F.col("label").alias(people.name(spec.secrets[0]))]
        if spec.ids != "drop":
            columns.insert(0, self._id_as(people.type(spec.id)).alias(people.name(spec.id)))
        if spec.is_long:
            return release.select("place", *columns)
        cells = [people.cell(name).alias(f"cell{i}") for i, name in enumerate(spec.features)]
        donors = people.frame.select(people.text(spec.id).alias("donor"), *cells)
        names = [F.col(f"cell{i}").alias(people.name(name)) for i, name in enumerate(spec.features)]
        return release.join(donors, "donor").select("place", *columns, *names)

    def _event_columns(self) -> list[str]:
        return [name for name in (self.spec.item, self.spec.value, self.spec.time) if name]

    def _events_of(self, release: DataFrame) -> DataFrame:
        """The donor's events, cells unchanged: named cell0, ... until they are in order."""
        spec, events = self.spec, self.events
        cells = [events.cell(name).alias(f"cell{i}") for i, name in enumerate(self._event_columns())]
        donors = events.frame.filter(is_used(events, spec)).select(events.text(spec.person).alias("donor"), *cells)
        person = self._id_as(events.type(spec.person)).alias(events.name(spec.person))
        return release.select("place", "donor", person).join(donors, "donor").drop("donor")

    def _write(self, target: _Target, name: str, rows: DataFrame, contents: list[Column]) -> tuple[str, int, str]:
        """Part files in the order of places and then of contents; name, rows and hash of the table."""
        order = [F.col("place"), *(content.asc_nulls_last() for content in contents)]
        ordered = rows.repartitionByRange("place").sortWithinPartitions(*order).drop("place")
        if contents:
            ordered = ordered.toDF(ordered.columns[0], *map(self.events.name, self._event_columns()))
        path = f"{target.staged}/{name}"
        ordered.write.option("compression", "zstd").options(**NOTHING_BUT_PARTS).parquet(path)
        spark = self.work.spark
        return name, spark.read.parquet(path).count(), hash_of_parts(spark, path)

    def _refuse_changed_source(self, written: int) -> None:
        if written != self.reading.people:
            raise refusal(self.people.place, "changed while it was published", "Publish again when it is at rest.")

    # --- the manifest

    def _manifest(self, files: list[tuple[str, int, str]]) -> str:
        spec, people, events = self.spec, self.people, self.events
        columns = {"id": people.name(spec.id), "secret": people.name(spec.secrets[0])}
        if spec.is_long:
            roles = {"person": spec.person, "item": spec.item, "value": spec.value, "time": spec.time}
            columns |= {role: events.name(name) for role, name in roles.items() if name}
        features = [people.name(name) for name in spec.features]
        return kernels.manifest(self.draws, spec, columns, features, self.reading.secrets.are_whole_numbers, files)


def _hex(name: str) -> Column:
    """Of the unsigned number that the signed one stands for."""
    return F.lower(F.lpad(F.hex(F.col(name).bitwiseXOR(F.lit(-(1 << 63)))), 16, "0"))


def hash_of_parts(spark: SparkSession, path: str) -> str:
    """SHA-256 of the SHA-256 of the part files, in the order of their names."""
    files = spark.read.format("binaryFile").option("pathGlobFilter", "*.parquet").load(path)
    hashes = files.select("path", F.sha2("content", 256).alias("hash")).collect()
    return hashlib.sha256("".join(row["hash"] for row in sorted(hashes)).encode()).hexdigest()

"""The release: all people draw on the executors, and one join brings each of them their donor."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import reduce

import numpy as np
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from hyobscure._core import kernels
from hyobscure._errors import InputError

from .blobs import by_bucket, keys_of_tasks, noted, only, small_batches
from .census import tables_of
from .donor_tasks import Takers
from .donors import pairs_of_lists, pairs_of_rows
from .errors import refusal, refusals_of_tasks
from .fit import Mechanism
from .ledger import Ledger
from .machines import require
from .reading import Reading, read
from .release_tasks import (
    COLLISION,
    PAIRS,
    RECORDS,
    CountCells,
    Fetch,
    Pair,
    Places,
    SendDraws,
    SendPeople,
    WriteRows,
)
from .settings import SpecText, refuse_undistributed, refuse_unpublishable
from .storage import NOTHING_BUT_PARTS, Storage, Work, cores_of
from .table import Table
from .tasks import COUNTS

GROUP_COLUMN = "group"  # holds the labels of several secrets
_PEOPLE, _EVENTS, _MANIFEST = "people.parquet", "events.parquet", "manifest.json"

_PEOPLE_OF_PART = 1 << 16  # of a part of the hashes, about
_ROWS_OF_TASK = 2_000_000  # of the release, which a task holds at once
_FEWEST_ROWS = 20_000  # that are worth a file


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
    second_draw: bool = False,
    accept_leakage: bool = False,
    sign: str | os.PathLike | None = None,
) -> Release:
    """Applies the mechanism to the people it was made for.

    Writes `folder` with people.parquet/, for long data events.parquet/, groups.csv, README.txt and manifest.json.
    The rows are those of the command line's release, in the same order over the part files in the order of their names. All
    appears at once or nothing does; the donors are deleted with the tables in `work`. A
    mechanism that `fit` called weaker than it should be is refused unless `accept_leakage`.

    Unless the mechanism is seeded, the ledger that the spec names (release.ledger, a folder on shared storage)
    remembers whom it drew for. Another draw of some of the same people is refused; with `second_draw` it is
    published, and the manifest says so.

    `sign` is a file of the driver, a signing key of `hyobscure keygen`: the release then says who published it.
    """
    key = None if sign is None else kernels.SigningKey.read(os.fspath(sign))
    mechanism = mechanism if isinstance(mechanism, Mechanism) else Mechanism(mechanism)
    written = SpecText.read(spec)
    parsed = written.parsed()
    draws = kernels.Draws(mechanism.text)
    refuse_undistributed(parsed, written.name)
    refuse_unpublishable(parsed, written.name)
    if not accept_leakage:
        draws.refuse_shortfalls()
    tables = tables_of(people, events, parsed, written.name)
    spark = people.sparkSession
    require(spark)
    ledger = Ledger.of(parsed, written.name, draws, spark)
    with _Target(spark, folder, force) as target, Work(spark, work) as between, refusals_of_tasks():
        reading = read(*tables, parsed, between, with_cells=True)
        _refuse_other_data(reading, draws)
        publisher = _Publisher(*tables, parsed, mechanism.text, draws, reading, between, key)
        if ledger is None:
            release = publisher.write(target, 0)
            target.commit()
            return release
        between.step("ledger")
        source = mechanism.source or f"the mechanism of draw {draws.name[:12]}"
        with ledger.claim(reading.rows, draws, target.folder, source, second_draw) as claim:
            release = publisher.write(target, claim.earlier_draws)
            claim.hold()
            target.commit()
            claim.appeared()
            return release


def _refuse_other_data(reading: Reading, draws: kernels.Draws) -> None:
    if reading.fingerprint != draws.fingerprint:
        raise refusal(
            "mechanism",
            "was made for other data",
            "Run fit again, or give the data and the spec that it was made from.",
        )


class _Target:
    """The folder of the release, filled under another name beside it.

    A file beside it says that somebody is about to make it: of two publications into one folder the second is
    refused before it reads any data.
    """

    def __init__(self, spark: SparkSession, folder: str | os.PathLike, force: bool) -> None:
        self.storage, self.force = Storage(spark), force
        self.folder = self.storage.whole(folder)
        self.staged = f"{self.folder}.{uuid.uuid4().hex}"
        self.mark = f"{self.folder}.publishing"
        self.replaces = False

    def __enter__(self) -> _Target:
        self._refuse_what_is_there()
        who = {
            "driver": f"{socket.gethostname()}, process {os.getpid()}",
            "began": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC"),
            "token": uuid.uuid4().hex,
        }
        try:
            first = self.storage.write_new(self.mark, json.dumps(who))
        except OSError as error:
            raise refusal(self.folder, f"cannot be made ({error})", "Check that its parent folder exists.") from None
        if not first:
            raise self._taken()
        try:
            self._refuse_what_is_there()  # it may have appeared since
        except BaseException:
            self.storage.delete(self.mark)
            raise
        return self

    def _refuse_what_is_there(self) -> None:
        self.replaces = self.storage.exists(self.folder)
        if self.replaces and not self.force:
            raise refusal(self.folder, "exists already", "Name another folder, or give force=True.")
        if self.replaces and not self.storage.exists(f"{self.folder}/{_MANIFEST}"):
            raise refusal(self.folder, "exists and is no release", "Name another folder.")

    def _taken(self) -> InputError:
        try:
            who = json.loads(self.storage.read_text(self.mark))
            by = f"{who['driver']}, since {who['began']}"
        except (OSError, ValueError, KeyError):  # it has just ended, or has not yet said who it is
            by = "another driver"
        return refusal(
            self.folder,
            f"another publication is about to make it ({by})",
            f"Wait for it, or name another folder. If its driver died, delete {self.mark}.",
        )

    def __exit__(self, *_: object) -> None:
        self.storage.delete(self.staged)
        self.storage.delete(self.mark)

    def commit(self) -> None:
        aside = f"{self.staged}.old"
        if self.replaces:
            self.storage.rename_new(self.folder, aside)
        if not self.storage.rename_new(self.staged, self.folder):
            if self.replaces:
                self.storage.rename_new(aside, self.folder)
            raise refusal(
                self.folder,
                "could not get its name: something else has appeared there, or it cannot be written",
                "Look at what is there, and publish again, into another folder perhaps.",
            )
        if self.replaces:
            self.storage.delete(aside)


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
        key: kernels.SigningKey | None,
    ) -> None:
        self.people, self.events, self.spec, self.mechanism = people, events, spec, mechanism
        self.draws, self.reading, self.work, self.key = draws, reading, work, key
        self.keeps_ids = spec.ids == "keep"
        self.in_order_of_ids = self.keeps_ids and spec.order == "sorted"

    def write(self, target: _Target, earlier_draws: int) -> Release:
        with small_batches(self.work.spark):
            self.work.step("draws and donors")
            pairs, unchanged = self._pair()
            self.work.step("release")
            try:
                self._write_tables(target, pairs, with_second=False)
            except Exception as error:
                if COLLISION not in str(error):
                    raise
                self._write_tables(target, pairs, with_second=True)
        files = files_of(self.work.spark, target.staged, [_PEOPLE, _EVENTS][: 1 + self.spec.is_long])
        self._refuse_changed_source(files[0][1])
        manifest, beside = self._manifest(files, earlier_draws)
        for name, text in beside.items():
            target.storage.write_text(f"{target.staged}/{name}", text)
        target.storage.write_text(f"{target.staged}/{_MANIFEST}", manifest)
        if self.key is not None:
            target.storage.write_text(f"{target.staged}/{kernels.SIGNATURE_FILE}", self.key.sign(manifest))
        return Release(target.folder, self.reading.people, files[1][1] if self.spec.is_long else 0, unchanged, manifest)

    # --- who publishes whose features

    def _pair(self) -> tuple[DataFrame, int]:
        """Takers with their donors, by the bucket that these are in; and how many are their own."""
        if self.draws.by == "cells":
            paired = self._pair_by_cells()
        else:
            takers = Takers(self.draws.key, self.spec, not self.in_order_of_ids, self.keeps_ids)
            if self.draws.by == "lists":
                paired = pairs_of_lists(self.reading, self.draws, takers, self.work)
            else:
                paired = pairs_of_rows(self.reading, self.mechanism, takers)
        pairs = self.work.store("pairs", paired)
        return only(pairs, PAIRS), sum(json.loads(text)["unchanged"] for _, text in noted(pairs, COUNTS))

    def _pair_by_cells(self) -> DataFrame:
        reading, spark = self.reading, self.work.spark
        tasks = min(int(spark.conf.get("spark.sql.shuffle.partitions")), reading.buckets)
        bits = max(0, (reading.people // _PEOPLE_OF_PART).bit_length())
        rows = reading.rows.select("block", "payload")
        starts, cells = self._places_in_cells(rows, bits)
        send = SendDraws(self.mechanism, self.spec, bits, starts, cells, not self.in_order_of_ids, self.keeps_ids)
        pair = Pair(reading.people_of_bucket, reading.buckets)
        sent = by_bucket(rows.mapInArrow(send, send.schema), min(tasks, 1 << bits))
        return sent.mapInArrow(pair, pair.schema)

    def _places_in_cells(self, rows: DataFrame, bits: int) -> tuple[np.ndarray, np.ndarray]:
        """People before each part of the hashes of each cell, and before each cell, of all in their order."""
        task = CountCells(self.mechanism, bits)
        found = rows.mapInArrow(task, task.schema).groupBy("cell", "part").agg(F.sum("people")).collect()
        counts = np.zeros((len(self.draws.cell_people), 1 << bits), np.int64)
        for cell, part, people in found:
            counts[cell, part] = people
        if not np.array_equal(counts.sum(axis=1), self.draws.cell_people):
            raise refusal(
                "mechanism",
                "its groups and clusters do not hold the people that it counted",
                "Run fit again with this data.",
            )
        flat = counts.ravel()
        starts = np.cumsum(flat) - flat
        return starts, starts[:: 1 << bits]

    # --- rows

    def _write_tables(self, target: _Target, pairs: DataFrame, with_second: bool) -> None:
        names = [f"cell{i}" for i in range(len(self.reading.cells))]
        records = self.reading.rows.select(
            "bucket",
            F.lit(RECORDS).alias("kind"),
            F.col("records").alias("payload"),
            F.lit(None).cast("binary").alias("note"),
        ).filter(F.col("payload").isNotNull())
        tasks = min(int(self.work.spark.conf.get("spark.sql.shuffle.partitions")), self.reading.buckets)
        fetched = by_bucket(records.unionByName(pairs), tasks)
        ids = [] if self.spec.ids == "drop" else ["id"]
        parts = [f"part{axis}" for axis in range(len(self.spec.secrets))] if len(self.spec.secrets) > 1 else []
        if not self.spec.is_long:
            places = self._places(self.reading.entries)
            fetch = Fetch(places)
            rows = fetched.mapInArrow(fetch, fetch.schema)
            self._write(target, _PEOPLE, rows, places, [*ids, "label", *parts, *names], with_second)
            return
        places = self._places(self.reading.people)
        send = SendPeople(places)
        self._write(target, _PEOPLE, pairs.mapInArrow(send, send.schema), places, [*ids, "label", *parts], with_second)
        places = self._places(self.reading.entries)
        fetch = Fetch(places)
        rows = fetched.mapInArrow(fetch, fetch.schema)
        self._write(target, _EVENTS, rows, places, ["id", *names], with_second)

    def _places(self, rows: int) -> Places:
        """So many tasks that each can hold its rows, and not fewer than there are cores for."""
        most = max(2 * cores_of(self.work.spark), rows // _ROWS_OF_TASK)
        tasks = 1 << min(most, max(1, rows // _FEWEST_ROWS)).bit_length() - 1
        return Places(tasks, self.reading.people, not self.in_order_of_ids, tuple(keys_of_tasks(tasks)))

    def _write(
        self, target: _Target, name: str, rows: DataFrame, places: Places, columns: list[str], with_second: bool
    ) -> None:
        """Part files in the order of the release."""
        labels = {"label": self.draws.labels}
        labels |= {f"part{axis}": each for axis, each in enumerate(self.draws.part_labels)}
        task = WriteRows(tuple(columns), labels, self.keeps_ids, with_second, one_per_person=name == _PEOPLE)
        fields = [self._field(name, column) for column in columns]
        schema = T.StructType([T.StructField(column, kind) for column, _, kind in fields])
        here = rows.repartition(places.tasks, F.col("bucket").cast("long")).mapInArrow(task, schema)
        named = here.select(*(self._named(*field, name) for field in fields))
        # It is there already where ids collided.
        writer = named.write.mode("overwrite").option("compression", "zstd").options(**NOTHING_BUT_PARTS)
        writer.parquet(f"{target.staged}/{name}")

    def _field(self, table: str, column: str) -> tuple[str, str, T.DataType]:
        """What a task calls it, what the release calls it, and its type."""
        spec = self.spec
        if column == "id":
            source = self.people if table == _PEOPLE else self.events
            return column, source.name(spec.id if table == _PEOPLE else spec.person), T.StringType()
        if column == "label":
            several = len(spec.secrets) > 1
            return column, GROUP_COLUMN if several else self.people.name(spec.secrets[0]), T.StringType()
        if column.startswith("part"):
            return column, self.people.name(spec.secrets[int(column.removeprefix("part"))]), T.StringType()
        source = self.events if spec.is_long else self.people
        wanted = self.reading.cells[int(column.removeprefix("cell"))]
        return column, source.name(wanted), source.type(wanted)

    def _named(self, column: str, name: str, kind: T.DataType, table: str) -> Column:
        """Ids that are kept have the type of their column; new ones are text."""
        if column == "id" and self.keeps_ids:
            kind = self.people.type(self.spec.id) if table == _PEOPLE else self.events.type(self.spec.person)
            return F.col(column).cast(kind).alias(name)
        return F.col(column).alias(name)

    def _refuse_changed_source(self, written: int) -> None:
        if written != self.reading.people:
            raise refusal(self.people.place, "changed while it was published", "Publish again when it is at rest.")

    # --- the manifest

    def _manifest(self, files: list[tuple[str, int, str]], earlier_draws: int) -> tuple[str, dict[str, str]]:
        """Its text, and the files that follow from it."""
        spec, people, events = self.spec, self.people, self.events
        columns = {"id": people.name(spec.id), "secret": people.name(spec.secrets[0])}
        if spec.is_long:
            roles = {"person": spec.person, "item": spec.item, "value": spec.value, "time": spec.time}
            columns |= {role: events.name(name) for role, name in roles.items() if name}
        features = [people.name(name) for name in spec.features]
        whole = self.reading.secrets.are_whole_numbers
        parts = [people.name(name) for name in spec.secrets] if len(spec.secrets) > 1 else []
        return kernels.manifest(self.draws, spec, columns, features, whole, files, earlier_draws, parts)


def files_of(spark: SparkSession, folder: str, names: list[str]) -> list[tuple[str, int, str]]:
    """Name, rows and hash of tables: the SHA-256 of the SHA-256 of the part files, in the order of their names."""
    tables = [spark.read.parquet(f"{folder}/{name}").agg(F.count("*")) for name in names]
    rows = reduce(
        lambda one, other: one.unionByName(other),
        [table.toDF("rows").withColumn("place", F.lit(place)) for place, table in enumerate(tables)],
    )
    count = {row["place"]: row["rows"] for row in rows.collect()}
    parts = spark.read.format("binaryFile").load([f"{folder}/{name}/*.parquet" for name in names])
    found = sorted(
        (row["path"], row["hash"]) for row in parts.select("path", F.sha2("content", 256).alias("hash")).collect()
    )
    hashes = ["".join(each for path, each in found if path.split("/")[-2] == name) for name in names]
    return [
        (name, count[place], hashlib.sha256(joined.encode()).hexdigest())
        for place, (name, joined) in enumerate(zip(names, hashes))
    ]

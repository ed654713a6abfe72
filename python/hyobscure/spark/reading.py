"""From DataFrames to numbered people and sparse rows, by the rules of src/hyobscure/data/read/."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from hyobscure._core import kernels

from .errors import plural, refusal, refusals_of_tasks
from .events import read_events
from .features import Features
from .numbering import Numbered, numbered
from .settings import interval, word
from .storage import Work
from .table import Table, is_finite
from .tasks import BLOCK, Assemble


@dataclass(frozen=True)
class Secrets:
    """What the secret can be, ascending: exact values, and the atoms that they were joined to."""

    exact: np.ndarray
    atom_of_exact: np.ndarray
    low: np.ndarray
    high: np.ndarray
    centre: np.ndarray
    distinct: np.ndarray

    @property
    def atoms(self) -> int:
        return len(self.low)

    @property
    def are_whole_numbers(self) -> bool:
        return bool(np.all(self.exact == np.floor(self.exact)))


@dataclass(frozen=True)
class Reading:
    """The people who were read, and their rows: (u, id, y, items, values), zeros left out."""

    rows: DataFrame
    people: int
    columns: int
    entries: int
    secrets: Secrets
    fingerprint: str
    counts: dict[str, int] = field(default_factory=dict)


def read(people: Table, events: Table | None, spec: kernels.Spec, work: Work) -> Reading:
    """Reads the people of the spec and their features. The result depends on the tables' content alone."""
    with refusals_of_tasks():
        return _Reader(people, events, spec, work).read()


class _Reader:
    def __init__(self, people: Table, events: Table | None, spec: kernels.Spec, work: Work) -> None:
        self.people, self.events, self.spec, self.work = people, events, spec, work
        self.features = None if spec.is_long else Features(people, spec)
        self.counts: dict[str, int] = {}

    def read(self) -> Reading:
        everybody = self._project()
        self.work.step("people")
        self._check(everybody)
        kept = self._number(self._keep(everybody), "people")
        self.work.step("entries")
        entries = self._entries(everybody, kept)
        items = self._items(entries, "items")
        rows = self._assemble(kept, entries, items, "rows")
        empty, count = _empty_rows_and_entries(rows)
        if empty > 0 and self.spec.is_long:
            kept, has_rare = self._leave_out_empty(kept, rows, empty)
            entries = self._of_new_numbers(entries, kept)
            items = self._items(entries, "items-again") if has_rare else items
            rows = self._assemble(kept, entries, items, "rows-again")
            _, count = _empty_rows_and_entries(rows)
        elif empty > 0 and self.spec.distance == "jensen-shannon":
            raise refusal(
                self.people.place,
                f"all features are zero ({plural(empty, 'person', 'people')} in all), and Jensen-Shannon "
                "cannot compare such a row",
                "Leave such people out, or choose another distance (channel.distance).",
            )
        return Reading(
            rows.drop("hash"),
            kept.count,
            items.count,
            count,
            self.secrets,
            self._fingerprint(rows),
            self.counts,
        )

    # --- people

    def _project(self) -> DataFrame:
        spec, people = self.spec, self.people
        columns = [
            people.text(spec.id).alias("id"),
            (people.number(spec.secrets[0]) + F.lit(0.0)).alias("secret"),  # -0 and 0 are one value
            people.cell(spec.secrets[0]).isNull().alias("secret_missing"),
        ]
        if self.features:
            columns += self.features.cells()
        return people.frame.select(*columns)

    def _check(self, everybody: DataFrame) -> None:
        missing, secret = F.col("secret_missing"), F.col("secret")
        no_secret = [~missing & secret.isNull(), ~is_finite(secret), missing]
        read, ids, *found = everybody.agg(F.count("*"), F.count("id"), *map(_count, no_secret)).first()
        self.counts["people_read"] = read
        if read == 0:
            raise refusal(self.people.place, "there are no people in it", "Check the table.")
        if ids < read:
            raise refusal(
                self.people.place,
                f"the id is missing ({plural(read - ids, 'row', 'rows')} in all)",
                "Give every person an id.",
                self.spec.id,
            )
        again = everybody.groupBy("id").count().agg(F.sum(F.col("count") - 1)).first()[0]
        if again > 0:
            raise refusal(
                self.people.place,
                f"a person occurs again ({plural(again, 'row', 'rows')} too many)",
                "Keep one row per person; events belong in [events].",
                self.spec.id,
            )
        self._check_secrets(*found)

    def _check_secrets(self, no_number: int, not_finite: int, without: int) -> None:
        for bad, problem in (
            (no_number, "expected a number"),
            (not_finite, "expected a finite number, not NaN or infinity"),
        ):
            if bad > 0:
                raise refusal(
                    self.people.place,
                    f"{problem} ({plural(bad, 'cell is', 'cells are')} not)",
                    "Correct the cells.",
                    self.spec.secrets[0],
                )
        self.counts["people_without_secret"] = without
        if without > 0 and word(self.spec, "secret.missing") == "refuse":
            raise refusal(
                self.people.place,
                f"the secret is missing ({plural(without, 'person', 'people')} in all)",
                'Fill it in, or set secret.missing = "leave-out".',
                self.spec.secrets[0],
            )

    def _keep(self, everybody: DataFrame) -> DataFrame:
        """The people to protect; those left out are counted."""
        kept = everybody.filter(~F.col("secret_missing")).drop("secret_missing")
        limits = interval(self.spec, "secret.keep")
        if limits:
            kept = self._leave_out(kept, ~F.col("secret").between(*limits), "people_outside")
        if self.features and word(self.spec, "people.missing") == "leave-out":
            kept = self._leave_out(kept, self.features.has_empty_cell(), "people_incomplete")
        kept, _ = self._leave_out_rare(kept)
        return kept

    def _leave_out(self, kept: DataFrame, condition: Column, what: str) -> DataFrame:
        self.counts[what] = kept.filter(condition).count()
        return kept.filter(~condition)

    def _leave_out_rare(self, kept: DataFrame) -> tuple[DataFrame, bool]:
        fewest = self.spec.fewest_people
        if fewest == 1:
            return kept, False
        people = kept.groupBy("secret").count()
        rare = people.filter(F.col("count") < fewest).agg(F.coalesce(F.sum("count"), F.lit(0))).first()[0]
        self.counts["people_with_rare_secret"] = self.counts.get("people_with_rare_secret", 0) + rare
        common = people.filter(F.col("count") >= fewest).select("secret")
        return kept.join(common, "secret", "left_semi"), rare > 0

    def _number(self, kept: DataFrame, name: str) -> Numbered:
        return numbered(kept, [F.col("id")], "u", self.work, name)

    def _leave_out_empty(self, kept: Numbered, rows: DataFrame, empty: int) -> tuple[Numbered, bool]:
        """The people with events, under new numbers; and whether a secret became rare without the others."""
        if word(self.spec, "people.without_events") == "refuse":
            raise refusal(
                self.people.place,
                f"{plural(empty, 'person has', 'people have')} no events, or only zeros",
                'Add their events, or set people.without_events = "leave-out".',
            )
        self.counts["people_without_events"] = empty
        with_events = kept.frame.join(rows.filter(F.size("items") > 0).select("u"), "u", "left_semi")
        left, has_rare = self._leave_out_rare(with_events.withColumnRenamed("u", "old_u"))
        return self._number(left, "people-again"), has_rare

    # --- features

    def _entries(self, everybody: DataFrame, kept: Numbered) -> DataFrame:
        """(u, item, value) of the people, in any order and with repetitions."""
        if self.features:
            self.features.look_at(kept.frame)
            return self.features.entries(kept.frame)
        ids = kept.frame.select("id", "u")
        if kept.count < self.counts["people_read"]:  # a person left out is not unknown
            ids = everybody.select("id").join(ids, "id", "left").fillna(-1, ["u"])
        return read_events(self.events, self.spec, ids, self.work, self.counts)

    def _items(self, entries: DataFrame, name: str) -> Numbered:
        """Items are numbered in the order of their texts."""
        items = entries.select("item").distinct()
        return numbered(items, [F.col("item")], "number", self.work, name)

    def _of_new_numbers(self, entries: DataFrame, kept: Numbered) -> DataFrame:
        numbers = kept.frame.select("u", "old_u")
        return entries.withColumnRenamed("u", "old_u").join(numbers, "old_u").select("u", "item", "value")

    def _assemble(self, kept: Numbered, entries: DataFrame, items: Numbered, name: str) -> DataFrame:
        self.work.step("rows")
        self.secrets = self._find_secrets(kept.frame)
        self._refuse_too_little(kept.count)
        heads = kept.frame.select(
            "u",
            "id",
            "secret",
            F.lit(None).cast("int").alias("item"),
            F.lit(None).cast("double").alias("value"),
        )
        cells = entries.join(F.broadcast(items.frame), "item").select(
            "u",
            F.lit(None).cast("string").alias("id"),
            F.lit(None).cast("double").alias("secret"),
            F.col("number").cast("int").alias("item"),
            "value",
        )
        together = heads.unionByName(cells).repartition(F.floor(F.col("u") / self._people_of_part(kept.count)))
        task = Assemble(self.spec, self.secrets.exact, self.secrets.atom_of_exact, items.count)
        return self.work.store(name, together.sortWithinPartitions("u", "item").mapInArrow(task, task.schema))

    def _people_of_part(self, people: int) -> int:
        """A few parts per partition balance them; every part holds whole blocks."""
        partitions = int(self.work.spark.conf.get("spark.sql.shuffle.partitions"))
        return BLOCK * max(1, people // (4 * partitions * BLOCK))

    # --- the secret

    def _find_secrets(self, kept: DataFrame) -> Secrets:
        found = sorted(kept.groupBy("secret").count().collect())
        exact = np.array([row[0] for row in found], np.float64)
        people = np.array([row[1] for row in found], np.int64)
        atom = np.asarray(kernels.cut_into_atoms(people, self.spec.atoms), np.uint32)
        starts = np.flatnonzero(np.diff(atom, prepend=-1))
        ends = np.append(starts[1:], len(atom)) - 1
        weight = np.bincount(atom, people)
        return Secrets(
            exact,
            atom,
            exact[starts],
            exact[ends],
            np.bincount(atom, people * exact) / weight,
            np.bincount(atom).astype(np.float64),
        )

    def _refuse_too_little(self, people: int) -> None:
        remedy = "Check secret.keep and what was left out."
        if people == 0:
            raise refusal(self.people.place, "nobody is left to protect", remedy)
        if people == 1:
            raise refusal(self.people.place, "there is only one person: nobody can be a donor for another", remedy)
        if len(self.secrets.exact) == 1:
            raise refusal(
                self.people.place,
                "all people have the same secret: there is nothing to infer",
                remedy,
                self.spec.secrets[0],
            )

    # --- the whole

    def _fingerprint(self, rows: DataFrame) -> str:
        """From the hashes of the blocks, which are few, in the order of u."""
        blocks = rows.filter(F.col("hash").isNotNull()).select("u", "hash").collect()
        hashes = [block["hash"] for block in sorted(blocks)]
        return kernels.fingerprint(hashes, self.secrets.low, self.secrets.high)


def _empty_rows_and_entries(rows: DataFrame) -> tuple[int, int]:
    size = F.size("items")
    return tuple(rows.agg(_count(size == 0), F.coalesce(F.sum(size), F.lit(0))).first())


def _count(condition: Column) -> Column:
    return F.count(F.when(condition, True))

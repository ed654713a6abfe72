"""From DataFrames to blocks of people with their rows, by the rules of src/hyobscure/data/read/."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from hyobscure._core import kernels

from . import blobs
from .errors import plural, refusal, refusals_of_tasks
from .events import entries_of, event_columns, refuse_bad_events, refuse_unknown
from .features import Features
from .numbering import KEPT, NumberedPeople, number_people
from .reading_tasks import Assemble, BucketEntries, BucketPeople, BucketRows, Ids, Renumber, WithoutEntries
from .settings import interval, is_one_number, kinds_of, word
from .storage import Work, cores_of
from .table import Table, is_finite
from .tasks import BLOCK, CELLS, COUNTS, ENTRIES, ITEM

_MOST_BLOCKS = 8  # of people in a task: their events must fit into it

# Why somebody is not kept.
_NO_ID, _NO_SECRET, _NO_NUMBER, _NOT_FINITE, _OUTSIDE, _INCOMPLETE, _RARE, _WITHOUT_ENTRIES = range(1, 9)


@dataclass(frozen=True)
class Secrets:
    """What the secret can be: exact values, and the values that they were joined to."""

    exact: np.ndarray | list[str]  # ascending numbers; keys (secret_key) where it is no single number
    atom_of_exact: np.ndarray
    low: np.ndarray
    high: np.ndarray
    centre: np.ndarray
    distinct: np.ndarray
    space: kernels.Space | None = None
    cells: tuple[list, list, np.ndarray] | None = None  # of a space: what it is made of

    def without_space(self) -> Secrets:
        """For another machine, which makes the space again."""
        return replace(self, space=None)

    def space_again(self, spec: kernels.Spec) -> kernels.Space | None:
        return None if self.cells is None else kernels.space(spec, *self.cells)

    @property
    def atoms(self) -> int:
        return len(self.low)

    @property
    def are_whole_numbers(self) -> bool:
        return self.cells is None and bool(np.all(self.exact == np.floor(self.exact)))

    @staticmethod
    def of_numbers(found: list[tuple[float, int]], spec: kernels.Spec) -> Secrets:
        exact = np.array([secret for secret, _ in found], np.float64)
        count = np.array([people for _, people in found], np.int64)
        atom = np.asarray(kernels.cut_into_atoms(count, spec.atoms), np.uint32)
        starts = np.flatnonzero(np.diff(atom, prepend=-1))
        ends = np.append(starts[1:], len(atom)) - 1
        weight = np.bincount(atom, count)
        centre = np.bincount(atom, count * exact) / weight
        return Secrets(exact, atom, exact[starts], exact[ends], centre, np.bincount(atom).astype(np.float64))

    @staticmethod
    def of_keys(found: list[tuple[str, int]], spec: kernels.Spec) -> Secrets:
        of_key = [json.loads(key) for key, _ in found]
        count = np.array([people for _, people in found], np.int64)
        numbers, names = [], []
        for axis, kind in enumerate(kinds_of(spec)):
            column = [each[axis] for each in of_key]
            numbers.append([float(cell) for cell in column] if kind == "ordered" else [])
            names.append(column if kind == "categorical" else [])
        space = kernels.space(spec, numbers, names, count)
        keys = [key for key, _ in found]
        cells = numbers, names, count
        return Secrets(keys, space.value_of_key, space.low, space.high, space.centre, space.distinct, space, cells)


def secret_of(people: Table, spec: kernels.Spec) -> list[Column]:
    """(secret, secret_missing, secret_wrong): the number, or a key of several cells; and why it cannot be one."""
    parts, missing, wrong = [], F.lit(False), F.lit(0)
    for axis, (name, kind) in enumerate(zip(spec.secrets, kinds_of(spec))):
        if kind == "ordered":
            number = people.number(name) + F.lit(0.0)  # -0 and 0 are one value
            empty = people.cell(name).isNull()
            bad = F.when(~empty & number.isNull(), _NO_NUMBER + 10 * axis).when(
                ~is_finite(number), _NOT_FINITE + 10 * axis
            )
            wrong = F.when(wrong == 0, F.coalesce(bad, F.lit(0))).otherwise(wrong)
            parts.append(number)
        else:
            text = people.text(name)
            parts.append(F.when(text != "", text))  # a category without a letter could not be published
            empty = parts[-1].isNull()
        missing = missing | empty
    secret = parts[0] if is_one_number(spec) else F.to_json(F.array(*(part.cast("string") for part in parts)))
    return [secret.alias("secret"), missing.alias("secret_missing"), wrong.alias("secret_wrong")]


@dataclass(frozen=True)
class Reading:
    """The people who were read, in blocks: (bucket, block, payload, records), as Assemble has them."""

    rows: DataFrame
    people: int
    columns: int
    entries: int
    secrets: Secrets
    fingerprint: str
    counts: dict[str, int] = field(default_factory=dict)
    people_of_bucket: int = BLOCK
    cells: list[str] = field(default_factory=list)  # the columns of `records`, by their names in the spec

    @property
    def buckets(self) -> int:
        return -(-self.people // self.people_of_bucket)


def read(people: Table, events: Table | None, spec: kernels.Spec, work: Work, with_cells: bool = False) -> Reading:
    """Reads the people of the spec and their features; `with_cells` also the cells that a release is made of.

    The result depends on the tables' content alone.
    """
    with refusals_of_tasks():
        return _Reader(people, events, spec, work, with_cells).read()


def read_ids(people: Table, events: Table | None, spec: kernels.Spec, work: Work) -> DataFrame:
    """(id) of the people who are kept; features are looked at only where they decide."""
    with refusals_of_tasks():
        return _Reader(people, events, spec, work, False).read_ids()


@dataclass(frozen=True)
class _Blocks:
    """What Assemble has made, and what it said about it."""

    frame: DataFrame
    said: list  # rows without payloads, in the order of blocks
    items: list[str]

    @property
    def entries(self) -> int:
        return sum(row["entries"] or 0 for row in self.said)

    @property
    def empty(self) -> int:
        return sum(row["empty"] or 0 for row in self.said)

    @property
    def unknown(self) -> int:
        return sum(row["unknown"] or 0 for row in self.said)

    def used_items(self) -> np.ndarray:
        used = np.zeros(len(self.items), bool)
        for row in self.said:
            if row["used"]:
                used |= np.unpackbits(np.frombuffer(row["used"], np.uint8), count=len(used)).astype(bool)
        return used


class _Reader:
    def __init__(self, people: Table, events: Table | None, spec: kernels.Spec, work: Work, with_cells: bool) -> None:
        self.people, self.events, self.spec, self.work, self.with_cells = people, events, spec, work, with_cells
        self.features = None if spec.is_long else Features(people, spec)
        self.counts: dict[str, int] = {}

    def read_ids(self) -> DataFrame:
        if self.spec.is_long and word(self.spec, "people.without_events") == "leave-out":
            task = Ids()
            with blobs.small_batches(self.work.spark):
                blocks = self.read().rows.select("block", "payload")
                return self.work.store("ids", blocks.mapInArrow(task, task.schema))
        return self._people().kept_frame().select("id")

    def _people(self) -> NumberedPeople:
        self.work.step("people")
        people = number_people(self._project(), self.work, "people")
        self._check(people)
        return self._without_rare(people, "people-common")

    def read(self) -> Reading:
        people = self._people()
        self._find_secrets(people)
        self.work.step("rows")
        found = self._assemble(people, "rows")
        if found.empty > 0 and self.spec.is_long:
            people, found = self._without_empty(people, found)
        elif found.empty > 0 and self.spec.distance == "jensen-shannon":
            raise refusal(
                self.people.place,
                f"all features are zero ({plural(found.empty, 'person', 'people')} in all), and Jensen-Shannon "
                "cannot compare such a row",
                "Leave such people out, or choose another distance (channel.distance).",
            )
        hashes = [row["hash"] for row in found.said if row["hash"] is not None]
        return Reading(
            found.frame.filter(F.col("block").isNotNull()).select("bucket", "block", "payload", "records"),
            people.kept,
            len(found.items),
            found.entries,
            self.secrets,
            kernels.fingerprint(hashes, self.secrets.low, self.secrets.high, self.secrets.space),
            self.counts,
            self._people_of_bucket(people.kept),
            (event_columns(self.spec) if self.spec.is_long else list(self.spec.features)) if self.with_cells else [],
        )

    # --- people

    def _project(self) -> DataFrame:
        spec, people = self.spec, self.people
        cells = self.features.cells() if self.features else []
        found = people.frame.select(people.text(spec.id).alias("id"), *secret_of(people, spec), *cells)
        return found.select("id", "secret", self._state().alias("state"), *(f"c{i}" for i in range(len(cells))))

    def _state(self) -> Column:
        secret = F.col("secret")
        state = (
            F.when(F.col("id").isNull(), _NO_ID)
            .when(F.col("secret_wrong") > 0, F.col("secret_wrong"))
            .when(F.col("secret_missing"), _NO_SECRET)
        )
        limits = interval(self.spec, "secret.keep")
        if limits:
            state = state.when(~secret.between(*limits), _OUTSIDE)
        if self.features and word(self.spec, "people.missing") == "leave-out":
            state = state.when(self.features.has_empty_cell(), _INCOMPLETE)
        return state.otherwise(KEPT)

    def _check(self, found: NumberedPeople) -> None:
        states, place = found.states, self.people.place
        read = self.counts["people_read"] = sum(states.values())
        if read == 0:
            raise refusal(place, "there are no people in it", "Check the table.")
        if states.get(_NO_ID, 0) > 0:
            raise refusal(
                place,
                f"the id is missing ({plural(states[_NO_ID], 'row', 'rows')} in all)",
                "Give every person an id.",
                self.spec.id,
            )
        if found.again > 0:
            raise refusal(
                place,
                f"a person occurs again ({plural(found.again, 'row', 'rows')} too many)",
                "Keep one row per person; events belong in [events].",
                self.spec.id,
            )
        for axis, name in enumerate(self.spec.secrets):
            for state, problem in (
                (_NO_NUMBER, "expected a number"),
                (_NOT_FINITE, "expected a finite number, not NaN or infinity"),
            ):
                wrong = states.get(state + 10 * axis, 0)
                if wrong > 0:
                    cells = plural(wrong, "cell is", "cells are")
                    raise refusal(place, f"{problem} ({cells} not)", "Correct the cells.", name)
        without = self.counts["people_without_secret"] = states.get(_NO_SECRET, 0)
        if without > 0 and word(self.spec, "secret.missing") == "refuse":
            raise refusal(
                place,
                f"the secret is missing ({plural(without, 'person', 'people')} in all)",
                'Fill it in, or set secret.missing = "leave-out".',
                self.spec.secrets[0],
            )
        for state, what in ((_OUTSIDE, "people_outside"), (_INCOMPLETE, "people_incomplete")):
            if states.get(state, 0) > 0:
                self.counts[what] = states[state]

    def _without_rare(self, people: NumberedPeople, name: str) -> NumberedPeople:
        """Without those whose secret too few share; the same object where there are none."""
        rare = [(secret, count) for secret, count in people.secrets if count < self.spec.fewest_people]
        if self.spec.fewest_people > 1:
            before = self.counts.get("people_with_rare_secret", 0)
            self.counts["people_with_rare_secret"] = before + sum(count for _, count in rare)
        if not rare:
            return people
        kind = "double" if is_one_number(self.spec) else "string"
        values = self.work.spark.createDataFrame([(secret, _RARE) for secret, _ in rare], f"secret {kind}, rare int")
        marked = self._everybody(people).join(F.broadcast(values), "secret", "left")
        state = F.when((F.col("state") == KEPT) & F.col("rare").isNotNull(), F.col("rare")).otherwise(F.col("state"))
        return number_people(self._with_state(marked, state), self.work, name)

    def _everybody(self, people: NumberedPeople) -> DataFrame:
        return people.frame.drop("partition", "rank", "again")

    def _with_state(self, frame: DataFrame, state: Column) -> DataFrame:
        cells = [name for name in frame.columns if name.startswith("c") and name[1:].isdigit()]
        return frame.select("id", "secret", state.alias("state"), *cells)

    def _without_empty(self, people: NumberedPeople, found: _Blocks) -> tuple[NumberedPeople, _Blocks]:
        """The people with events, under new numbers. Items stay, unless a secret became rare without the others."""
        if word(self.spec, "people.without_events") == "refuse":
            raise refusal(
                self.people.place,
                f"{plural(found.empty, 'person has', 'people have')} no events, or only zeros",
                'Add their events, or set people.without_events = "leave-out".',
            )
        self.counts["people_without_events"] = found.empty
        task = WithoutEntries()
        with blobs.small_batches(self.work.spark):
            blocks = found.frame.filter("empty > 0").select("block", "payload")
            ids = self.work.store("without-events", blocks.mapInArrow(task, task.schema))
        marked = self._everybody(people).join(ids.withColumn("silent", F.lit(True)), "id", "left")
        state = F.when((F.col("state") == KEPT) & F.col("silent"), _WITHOUT_ENTRIES).otherwise(F.col("state"))
        again = number_people(self._with_state(marked, state), self.work, "people-again")
        left = self._without_rare(again, "people-common-again")
        self._find_secrets(left)
        return left, self._assemble(left, "rows-again", found.items if left is again else None)

    def _people_of_bucket(self, people: int) -> int:
        """A few buckets per task balance them; each holds whole blocks."""
        tasks = self._tasks()
        return BLOCK * min(_MOST_BLOCKS, max(1, people // (4 * tasks * BLOCK)))

    def _tasks(self) -> int:
        return int(self.work.spark.conf.get("spark.sql.shuffle.partitions"))

    # --- rows

    def _assemble(self, people: NumberedPeople, name: str, items: list[str] | None = None) -> _Blocks:
        """`items` are numbered whether they occur or not; else those that do."""
        size = self._people_of_bucket(people.kept)
        bounds = pa.array(people.bounds(size), pa.string())
        packed, cells = self._pack(people, bounds)
        stored = self.work.store(f"{name}-packed", packed)
        there = self._what_is_there(stored)
        kept = items is not None
        task = Assemble(
            self.spec,
            self.secrets.exact,
            self.secrets.atom_of_exact,
            pa.array(items if kept else there, pa.string()),
            size,
            tuple(cells),
            self.features is not None,
        )
        buckets = min(self._tasks(), len(bounds) + 1)
        with blobs.small_batches(self.work.spark):
            rows = blobs.by_bucket(stored.filter(F.col("kind") <= CELLS), buckets).mapInArrow(task, task.schema)
            found = self._said(self.work.store(name, rows), items if kept else there)
        if self.events:
            self.counts["events_unknown"] = found.unknown
            refuse_unknown(self.events, self.spec, found.unknown)
        used = found.used_items()
        return found if kept or used.all() else self._renumbered(found, used, f"{name}-renumbered")

    def _said(self, frame: DataFrame, items: list[str]) -> _Blocks:
        said = frame.drop("payload", "records").collect()
        return _Blocks(frame, sorted(said, key=lambda row: -1 if row["block"] is None else row["block"]), items)

    def _pack(self, people: NumberedPeople, bounds: pa.Array) -> tuple[DataFrame, list[str]]:
        """Everything that is read, by range of ids; and where the cells of a release are."""
        task = BucketPeople(bounds)
        everybody = people.frame.select("id", "secret", (F.col("state") == KEPT).alias("kept"))
        packed = everybody.mapInArrow(task, task.schema)
        if self.events:
            entries, cells = entries_of(self.events, self.spec, self.with_cells)
        else:
            kept = people.kept_frame()
            self.features.look_at(kept)
            entries = self.features.entries(kept).withColumn("value_missing", F.lit(False))
            cells = []
        task = BucketEntries(bounds)
        packed = packed.unionByName(entries.mapInArrow(task, task.schema))
        if self.features and self.with_cells:
            cells = [f"cell{i}" for i in range(len(self.spec.features))]
            columns = [self.people.cell(name).alias(cell) for name, cell in zip(self.spec.features, cells)]
            rows = self.people.frame.select(self.people.text(self.spec.id).alias("person"), *columns)
            task = BucketRows(CELLS, bounds)
            packed = packed.unionByName(rows.mapInArrow(task, task.schema))
        return packed, cells

    def _what_is_there(self, stored: DataFrame) -> list[str]:
        """The items, in the order of their texts; events that cannot be used are refused."""
        notes = blobs.noted(stored, ITEM, COUNTS)
        found: dict[str, int] = {}
        for text in (text for kind, text in notes if kind == COUNTS):
            for what, count in json.loads(text).items():
                found[what] = found.get(what, 0) + count
        if self.events:
            found = {"read": 0, "incomplete": 0, "no_number": 0, "not_finite": 0, "negative": 0} | found
            self.counts["events_read"], self.counts["events_incomplete"] = found["read"], found["incomplete"]
            refuse_bad_events(self.events, self.spec, found)
        return sorted((text for kind, text in notes if kind == ITEM), key=str.encode)

    def _renumbered(self, found: _Blocks, used: np.ndarray, name: str) -> _Blocks:
        """Without the items that only people who are left out have."""
        task = Renumber(np.maximum(np.cumsum(used) - 1, 0).astype(np.uint32))
        items = [item for item, is_used in zip(found.items, used) if is_used]
        with blobs.small_batches(self.work.spark):
            rows = found.frame.filter(F.col("block").isNotNull()).mapInArrow(task, task.schema)
            return self._said(self.work.store(name, rows), items)

    # --- the secret

    def _find_secrets(self, people: NumberedPeople) -> None:
        self._refuse_too_little(people)
        number = Secrets.of_numbers if is_one_number(self.spec) else Secrets.of_keys
        self.secrets = number(people.secrets, self.spec)

    def _refuse_too_little(self, people: NumberedPeople) -> None:
        remedy = "Check secret.keep and what was left out."
        if people.kept == 0:
            raise refusal(self.people.place, "nobody is left to protect", remedy)
        if people.kept == 1:
            raise refusal(self.people.place, "there is only one person: nobody can be a donor for another", remedy)
        if len(people.secrets) == 1:
            raise refusal(
                self.people.place,
                "all people have the same secret: there is nothing to infer",
                remedy,
                self.spec.secrets[0],
            )

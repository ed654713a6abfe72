"""Wide data: feature columns as entries (person, item, value)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from hyobscure._core import kernels

from .errors import plural, refusal
from .settings import word
from .table import Table, is_finite

NUMERIC, CATEGORICAL, SET = "numeric", "categorical", "set"


@dataclass(frozen=True)
class Feature:
    name: str  # as the spec calls it, and so its items
    cell: str  # what its cells are called here
    kind: str


class Features:
    """Cells become entries: a number under the name of its column, a category or word under its own."""

    def __init__(self, people: Table, spec: kernels.Spec) -> None:
        self.people, self.spec = people, spec
        self.missing, self.scale = word(spec, "people.missing"), word(spec, "people.scale")
        self.all = [Feature(name, f"c{i}", self._kind(name)) for i, name in enumerate(spec.features)]
        self.range_of: dict[str, tuple[float, float]] = {}

    def _kind(self, name: str) -> str:
        kind = self.people.type(name)
        if name in self.spec.sets or isinstance(kind, T.ArrayType):
            return SET
        if name in self.spec.categorical or isinstance(kind, T.StringType):
            return CATEGORICAL
        if not self.people.is_number(name):
            raise refusal(
                self.people.place,
                f"a cell of type {kind.simpleString()} is no number",
                "Cast the column, or list it in people.categorical.",
                name,
            )
        return NUMERIC

    def cells(self) -> list[Column]:
        return [self._cell(feature).alias(feature.cell) for feature in self.all]

    def _cell(self, feature: Feature) -> Column:
        if feature.kind == NUMERIC:
            return self.people.number(feature.name)
        if feature.kind == CATEGORICAL:
            return self.people.text(feature.name)
        if isinstance(self.people.type(feature.name), T.ArrayType):
            return self.people.cell(feature.name).cast("array<string>")
        return F.split(self.people.text(feature.name), re.escape(self.spec.set_separator), -1)

    def has_empty_cell(self) -> Column:
        empty = [F.col(feature.cell).isNull() for feature in self.all if feature.kind != SET]
        return reduce(lambda one, other: one | other, empty, F.lit(False))

    # --- what the cells hold, of the people to protect

    def look_at(self, kept: DataFrame) -> None:
        """Refuses cells that cannot be used, and learns the range of numbers."""
        wanted = [(feature, *check) for feature in self.all for check in self._checks(feature)]
        numbers = [feature.cell for feature in self.all if feature.kind == NUMERIC]
        counts = [F.count(F.when(check[1], True)) for check in wanted]
        found = kept.agg(F.count("*"), *counts, *(bound(cell) for cell in numbers for bound in (F.min, F.max))).first()
        bad, ranges = found[1 : 1 + len(wanted)], found[1 + len(wanted) :]
        for (feature, _, problem, remedy), count in zip(wanted, bad):
            if count > 0:
                raise refusal(
                    self.people.place,
                    f"{problem} ({plural(count, 'cell', 'cells')} in all)",
                    remedy,
                    feature.name,
                )
        self.range_of = dict(zip(numbers, zip(ranges[::2], ranges[1::2])))

    def _checks(self, feature: Feature) -> list[tuple[Column, str, str]]:
        cell, checks = F.col(feature.cell), []
        if feature.kind == NUMERIC:
            checks.append((~is_finite(cell), "expected a finite number, not NaN or infinity", "Correct the cell."))
            if self.spec.distance == "jensen-shannon" and self.scale == "none":
                checks.append(
                    (
                        cell < 0,
                        "the value is negative, and Jensen-Shannon needs values of at least zero",
                        "Correct it, or choose another distance (channel.distance).",
                    )
                )
        if feature.kind != SET and self.missing == "refuse":
            checks.append(
                (
                    cell.isNull(),
                    "the cell is empty",
                    "Fill it in, or choose what empty cells mean with people.missing.",
                )
            )
        return checks

    # --- entries

    def entries(self, kept: DataFrame) -> DataFrame:
        """After look_at."""
        parts = [part for feature in self.all for part in self._entries_of(feature)]
        if not parts:
            return kept.sparkSession.createDataFrame([], "person string, item string, value double")
        listed = F.flatten(F.array(*parts))
        entries = kept.select(F.col("id").alias("person"), F.explode(listed).alias("entry"))
        return entries.select("person", "entry.item", "entry.value")

    def _entries_of(self, feature: Feature) -> list[Column]:
        cell = F.col(feature.cell)
        if feature.kind == SET:
            words = F.array_distinct(
                F.filter(F.coalesce(cell, F.array().cast("array<string>")), lambda word: word != "")
            )
            return [F.transform(words, lambda word: _entry(F.concat(F.lit(f"{feature.name} has "), word), F.lit(1.0)))]
        if feature.kind == CATEGORICAL:
            parts = [_where(cell.isNotNull(), F.concat(F.lit(f"{feature.name} = "), cell), F.lit(1.0))]
        else:
            low, width = self._scale(feature)
            if width is None or width == 0:  # nothing that distinguishes people
                return []
            parts = [_where(cell.isNotNull(), F.lit(feature.name), (cell - low) / width)]
        if self.missing == "category":
            parts.append(_where(cell.isNull(), F.lit(f"{feature.name} is missing"), F.lit(1.0)))
        return parts

    def _scale(self, feature: Feature) -> tuple[float, float | None]:
        if self.scale == "none":
            return 0.0, 1.0
        low, high = self.range_of[feature.cell]
        return (0.0, None) if low is None else (low, high - low)


def _entry(item: Column, value: Column) -> Column:
    return F.struct(item.alias("item"), value.alias("value"))


def _where(condition: Column, item: Column, value: Column) -> Column:
    """A list with the entry, or an empty one."""
    entry = F.array(_entry(item, value))
    return F.filter(entry, lambda _: condition)

"""Long data: events that are features."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from hyobscure._core import kernels

from .errors import plural, refusal
from .settings import word
from .storage import Work
from .table import Table, is_finite


def read_events(events: Table, spec: kernels.Spec, ids: DataFrame, work: Work, counts: dict[str, int]) -> DataFrame:
    """(u, item, value) of the events that are complete and of people to protect.

    `ids` has all of the people table: (id, u), -1 for people left out.
    """
    projected = _project(events, spec)
    _check(events, spec, projected, counts)
    found = projected.join(ids, projected["person"] == ids["id"], "left")
    used = F.col("u").isNull() | ((F.col("u") >= 0) & ~F.col("incomplete"))
    stored = work.store("entries", found.filter(F.col("person").isNotNull() & used).select("u", "item", "value"))
    _refuse_unknown(events, spec, stored, counts)
    return stored.filter(F.col("u").isNotNull())


def is_used(events: Table, spec: kernels.Spec) -> Column:
    """True of the events that are features and so may be published; that the person is one of them aside."""
    used = events.cell(spec.item).isNotNull()
    return used & events.cell(spec.value).isNotNull() if spec.value else used


def _project(events: Table, spec: kernels.Spec) -> DataFrame:
    value = events.number(spec.value) if spec.value else F.lit(1.0)
    value_missing = events.cell(spec.value).isNull() if spec.value else F.lit(False)
    projected = events.frame.select(
        events.text(spec.person).alias("person"),
        events.text(spec.item).alias("item"),
        value.alias("value"),
        value_missing.alias("value_missing"),
    )
    incomplete = F.col("person").isNull() | F.col("item").isNull() | F.col("value_missing")
    return projected.withColumn("incomplete", incomplete)


def _check(events: Table, spec: kernels.Spec, projected: DataFrame, counts: dict[str, int]) -> None:
    value = F.col("value")
    conditions = [
        F.lit(True),
        F.col("incomplete"),
        ~F.col("value_missing") & value.isNull(),
        ~is_finite(value),
        value < 0,
    ]
    read, incomplete, no_number, not_finite, negative = projected.agg(
        *(F.count(F.when(condition, True)) for condition in conditions)
    ).first()
    counts["events_read"], counts["events_incomplete"] = read, incomplete
    if read == 0:
        raise refusal(events.place, "there are no events in it", "Check the table.")
    if incomplete > 0 and word(spec, "events.missing") == "refuse":
        raise refusal(
            events.place,
            f"an event has an empty cell ({plural(incomplete, 'event', 'events')} in all)",
            'Fill it in, or set events.missing = "leave-out".',
        )
    if no_number > 0:
        raise refusal(
            events.place,
            f"expected a number ({plural(no_number, 'cell', 'cells')} are not)",
            "Correct the cells.",
            spec.value,
        )
    if not_finite > 0:
        raise refusal(events.place, "expected a finite number, not NaN or infinity", "Correct the cell.", spec.value)
    if negative > 0 and spec.distance == "jensen-shannon":
        raise refusal(
            events.place,
            f"the value is negative ({plural(negative, 'event', 'events')} in all), and Jensen-Shannon "
            "needs values of at least zero",
            "Correct them, or choose another distance (channel.distance).",
            spec.value,
        )


def _refuse_unknown(events: Table, spec: kernels.Spec, stored: DataFrame, counts: dict[str, int]) -> None:
    unknown = stored.filter(F.col("u").isNull()).count()
    counts["events_unknown"] = unknown
    if unknown > 0 and word(spec, "events.unknown_people") == "refuse":
        raise refusal(
            events.place,
            f"the person is not in the people table ({plural(unknown, 'event', 'events')} of such people)",
            'Add the people, or set events.unknown_people = "leave-out".',
            spec.person,
        )

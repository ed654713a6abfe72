"""Long data: events that are features."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from hyobscure._core import kernels

from .errors import plural, refusal
from .settings import word
from .table import Table


def entries_of(events: Table, spec: kernels.Spec, with_cells: bool) -> tuple[DataFrame, list[str]]:
    """(person, item, value, value_missing) of all events; and where their published cells are, unchanged."""
    value = events.number(spec.value) if spec.value else F.lit(1.0)
    columns = [
        events.text(spec.person).alias("person"),
        events.text(spec.item).alias("item"),
        value.alias("value"),
        (events.cell(spec.value).isNull() if spec.value else F.lit(False)).alias("value_missing"),
    ]
    cells = []
    for number, name in enumerate(event_columns(spec) if with_cells else []):
        if name == spec.item and isinstance(events.type(name), T.StringType):
            cells.append("item")
        elif name == spec.value and isinstance(events.type(name), T.DoubleType):
            cells.append("value")
        else:
            cells.append(f"cell{number}")
            columns.append(events.cell(name).alias(cells[-1]))
    return events.frame.select(*columns), cells


def event_columns(spec: kernels.Spec) -> list[str]:
    return [name for name in (spec.item, spec.value, spec.time) if name]


def is_used(events: Table, spec: kernels.Spec) -> Column:
    """True of the events that are features and so may be published; that the person is one of them aside."""
    used = events.cell(spec.item).isNotNull()
    return used & events.cell(spec.value).isNotNull() if spec.value else used


def refuse_bad_events(events: Table, spec: kernels.Spec, found: dict[str, int]) -> None:
    """By what the tasks that read them have counted."""
    if found["read"] == 0:
        raise refusal(events.place, "there are no events in it", "Check the table.")
    if found["incomplete"] > 0 and word(spec, "events.missing") == "refuse":
        raise refusal(
            events.place,
            f"an event has an empty cell ({plural(found['incomplete'], 'event', 'events')} in all)",
            'Fill it in, or set events.missing = "leave-out".',
        )
    if found["no_number"] > 0:
        raise refusal(
            events.place,
            f"expected a number ({plural(found['no_number'], 'cell', 'cells')} are not)",
            "Correct the cells.",
            spec.value,
        )
    if found["not_finite"] > 0:
        raise refusal(events.place, "expected a finite number, not NaN or infinity", "Correct the cell.", spec.value)
    if found["negative"] > 0 and spec.distance == "jensen-shannon":
        raise refusal(
            events.place,
            f"the value is negative ({plural(found['negative'], 'event', 'events')} in all), and Jensen-Shannon "
            "needs values of at least zero",
            "Correct them, or choose another distance (channel.distance).",
            spec.value,
        )


def refuse_unknown(events: Table, spec: kernels.Spec, unknown: int) -> None:
    if unknown > 0 and word(spec, "events.unknown_people") == "refuse":
        raise refusal(
            events.place,
            f"the person is not in the people table ({plural(unknown, 'event', 'events')} of such people)",
            'Add the people, or set events.unknown_people = "leave-out".',
            spec.person,
        )

"""Rows of figures as a data frame of the library that is installed."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from . import _tables


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Figures inside of figures as columns of their own: {"a": {"mean": 1}} has the column a_mean."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            cells.update({f"{name}_{inner}": cell for inner, cell in flat(value).items()})
        elif not isinstance(value, (list, tuple)):
            cells[name] = value
    return cells


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """A frame of pandas, or else of polars or pyarrow. Columns in the order in which they are first met; lists are left out."""
    cells = [flat(row) for row in rows]
    names = list(dict.fromkeys([*(columns or ()), *(name for row in cells for name in row)]))
    return _tables.to_kind({name: [row.get(name) for row in cells] for name in names}, _tables.installed_kind())

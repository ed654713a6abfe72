"""The trade-off of a method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Frontier:
    """What a method gives for each budget. `frontier["leakage_bits"]` is a column of the points."""

    method: str
    points: list[dict[str, Any]] = field(repr=False)
    complete: bool = True
    note: str = ""

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Frontier:
        return cls(facts["method"], facts["points"], facts.get("complete", True), facts.get("note", ""))

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, column: str) -> np.ndarray:
        return np.array([np.nan if point[column] is None else point[column] for point in self.points])

    def to_frame(self) -> Any:
        """A row for each budget."""
        from . import _frames

        return _frames.frame(self.points, ["budget", "distance", "leakage_bits"])

    def _repr_html_(self) -> str:
        from . import _html

        return _html.frontier(self)

    def plot(self, ax: Any = None) -> Any:
        """As `hyobscure.plot_frontier` does."""
        from .plots import plot_frontier

        return plot_frontier(self, ax=ax)

"""What the caller can correct, and what should be known."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ._words import in_python


class Place(NamedTuple):
    """Where in the input a problem is. Parts that do not apply are empty or zero."""

    source: str = ""  #: file, table or argument
    row: int = 0  #: counted from 1
    column: str = ""


class InputError(ValueError):
    """Input that the caller can correct: where (`place`), what (`problem`) and how (`remedy`).

    The text never quotes a cell: it ends up in logs, and a cell is a person's data.

    >>> import hyobscure
    >>> try:
    ...     hyobscure.HyObscure(budget="little").fit([[1.0], [2.0]], [30, 40])
    ... except hyobscure.InputError as error:
    ...     print(error.place.source)
    budget
    """

    def __init__(
        self,
        message: str,
        place: Place | tuple[str, int, str] = Place(),
        problem: str = "",
        remedy: str = "",
    ) -> None:
        super().__init__(message)
        self.place = Place(*place)
        self.problem = problem
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), tuple(self.place), self.problem, self.remedy)

    @classmethod
    def of(cls, source: str, problem: str, remedy: str) -> InputError:
        return cls(f"{source}: {problem}. {remedy}", Place(source), problem, remedy)

    @classmethod
    def of_core(cls, message: str, place: tuple[str, int, str], problem: str, remedy: str) -> InputError:
        """What the core refuses, which knows the command line's words."""
        source, row, column = place
        return cls(in_python(message), Place(in_python(source), row, column), in_python(problem), in_python(remedy))


class HyObscureWarning(UserWarning):
    """What all warnings of this package are."""


class LeakageWarning(HyObscureWarning):
    """The mechanism hides less than it should: unless the leakage is accepted, `publish` refuses what falls short."""


class OwnRowsWarning(LeakageWarning):
    """More people than `channel.most_own_rows` are expected to publish their own row."""


class WeakPoolWarning(LeakageWarning):
    """A pool, people with the same group and the same kept cells, has fewer people than the groups must have."""


class SeededWarning(HyObscureWarning):
    """The draws come from a seed: anyone who knows it can undo the release, which is for trials."""


def path_of(value: Any, argument: str, remedy: str = "Give the name of a file or folder.") -> str:
    """A path as text. A table in the place of a path, as by a slip in the order of arguments, is refused."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    raise InputError.of(argument, f"expected a path, and got {type(value).__module__}.{type(value).__name__}", remedy)

"""What the caller can correct."""

from __future__ import annotations

from typing import NamedTuple


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

    def __init__(self, message: str, place: Place | tuple = Place(), problem: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.place = Place(*place)
        self.problem = problem
        self.remedy = remedy

    def __reduce__(self):
        return type(self), (str(self), tuple(self.place), self.problem, self.remedy)

    @classmethod
    def of(cls, source: str, problem: str, remedy: str) -> InputError:
        return cls(f"{source}: {problem}. {remedy}", Place(source), problem, remedy)


class LeakageWarning(UserWarning):
    """The mechanism hides less than it should; `publish` refuses it unless the leakage is accepted."""

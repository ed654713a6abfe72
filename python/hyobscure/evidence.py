"""What a release answers to those who must judge it."""

from __future__ import annotations

from typing import Any, Literal

from . import _frames, _html
from ._errors import InputError


class Evidence:
    """The questions of ISO/IEC 27559:2022, of the WP29's Opinion 05/2014 and of the ICO's guidance, with answers. Evidence, not a
    verdict: no answer says that a law or a standard is met.

    `questions` has a dict for each: `key`, `source`, `clause`, `topic`, `question`, `state` ("answered", "stated" by the
    publisher, "open": for the reader to judge, "not measured", "not stated"), `answer` and, where there is one, `figure`.
    `techniques` are named as in ISO/IEC 20889:2018. `verdict` is the first screen of the report: the sentences `failed`,
    `open`, `passes`, `not_measured` and `not_stated`.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        found = facts["evidence"]
        self.headline: str = found["headline"]
        self.questions: list[dict[str, Any]] = found["questions"]
        self.techniques: list[dict[str, Any]] = found["techniques"]
        self.verdict: dict[str, Any] = facts["verdict"]

    @property
    def gaps(self) -> list[dict[str, Any]]:
        """Questions without an answer."""
        return [question for question in self.questions if question["state"].startswith("not ")]

    def to_frame(self, table: Literal["questions", "techniques"] = "questions") -> Any:
        """A row for each question, or for each technique."""
        if table not in ("questions", "techniques"):
            raise InputError.of("table", "there is no such table", "Take questions or techniques.")
        return _frames.frame(self.questions if table == "questions" else self.techniques)

    def __repr__(self) -> str:
        return "\n".join([self.headline, *(f"  {gap['question']} {gap['state']}" for gap in self.gaps)])

    def _repr_html_(self) -> str:
        return _html.evidence(self)

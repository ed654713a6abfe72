"""The spec, as the kernels read it, and what of it Spark does not do."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hyobscure._core import kernels

from .errors import refusal


@dataclass(frozen=True)
class SpecText:
    """What the user wrote, and what is given beside it."""

    text: str
    name: str
    overrides: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def read(spec: str | os.PathLike) -> SpecText:
        """A file, or the TOML itself where it has more than one line."""
        if isinstance(spec, str) and "\n" in spec:
            return SpecText(spec, "spec")
        try:
            return SpecText(Path(spec).read_text(encoding="utf-8"), str(spec))
        except OSError:
            raise refusal(str(spec), "cannot be read", "Correct the path or its permissions.") from None

    def parsed(self) -> kernels.Spec:
        return kernels.Spec(self.text, self.name, dict(self.overrides))

    def with_settings(self, settings: Mapping[str, object]) -> SpecText:
        given = {_key(name): _toml(value) for name, value in settings.items()}
        return SpecText(self.text, self.name, {**self.overrides, **given})


def _key(name: str) -> str:
    """groups_count -> groups.count: names of sections have no underscore."""
    return name if "." in name else name.replace("_", ".", 1)


def _toml(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def word(spec: kernels.Spec, key: str) -> str:
    """A key that holds one of a few words, or none."""
    return spec.get(key).strip('"')


def interval(spec: kernels.Spec, key: str) -> tuple[float, float] | None:
    text = spec.get(key)
    return None if text == "none" else tuple(map(float, json.loads(text)))


def kinds_of(spec: kernels.Spec) -> list[str]:
    """Of each secret."""
    kinds = spec.secret_kinds
    return kinds if len(kinds) == len(spec.secrets) else kinds * len(spec.secrets)


def is_one_number(spec: kernels.Spec) -> bool:
    return kinds_of(spec) == ["ordered"]


def looks_at_people(spec: kernels.Spec) -> bool:
    """Whether the method needs more than counts."""
    return word(spec, "method.name") in ("fine", "dp", "simp")


_ALONE = "Run it with the command line on one machine."

# key, what is not distributed, what to do about it
_UNDISTRIBUTED_WORDS = [
    (
        "channel.distance",
        ("euclidean", "jaccard"),
        "needs all pairs of people",
        "Set channel.distance to jensen-shannon, squared-euclidean or hamming.",
    ),
    (
        "channel.clusters",
        ("auto",),
        "takes a census for each number that it tries",
        "Give a number, such as 10; the command line finds one from a sample of the people.",
    ),
    (
        "people.missing",
        ("mean",),
        "adds up a column in the order of the people",
        "Fill the cells in, or choose another meaning of empty cells with people.missing.",
    ),
]


def refuse_undistributed(spec: kernels.Spec, name: str) -> None:
    if "spatial" in spec.secret_kinds:
        raise refusal(
            name, "Spark hides numbers and categories, and secret.kind says that one is a place", _ALONE, "secret.kind"
        )
    for key in ("secret.hierarchy", "secret.similarity", "secret.order"):
        if word(spec, key) not in ("none", "", "[]"):
            raise refusal(name, f"{key} is not distributed", "Leave it out, or run it with the command line.", key)
    for key, words, cause, remedy in _UNDISTRIBUTED_WORDS:
        if word(spec, key) in words:
            raise refusal(name, f"{key} = {spec.get(key)} {cause}, which is not distributed", remedy, key)
    if spec.keep:
        raise refusal(name, "people.keep is not distributed", _ALONE, "people.keep")
    if spec.get("method.within_groups") == "false":
        raise refusal(
            name,
            "donors from all groups are for comparisons, which are not distributed",
            "Leave method.within_groups out: a release takes donors from the person's own group.",
            "method.within_groups",
        )
    if spec.get("channel.budget").startswith('"'):
        raise refusal(
            name,
            "a budget by task is found by audits, which are not distributed",
            "Give channel.budget as a number, or channel.budget_share.",
            "channel.budget",
        )


def refuse_unpublishable(spec: kernels.Spec, name: str) -> None:
    if spec.is_long and spec.ids == "drop":
        raise refusal(
            name,
            "events need an id that names their person",
            'Set release.ids = "replace": the new ids tell nothing.',
            "release.ids",
        )
    if spec.is_long and spec.order == "shuffled":
        raise refusal(
            name,
            "Spark writes a person's events in the order of their content only",
            'Set release.order = "sorted".',
            "release.order",
        )

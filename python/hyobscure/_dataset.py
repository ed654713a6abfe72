"""From arguments and tables to a source of the core: keys of the spec as texts, tables as Arrow."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Mapping

import numpy as np

from . import _core, _tables
from ._errors import InputError

# Arguments that are keys of the spec.
KEYS = {
    "budget": "channel.budget",
    "budget_share": "channel.budget_share",
    "groups": "groups.count",
    "people": "groups.people",
    "values": "groups.values",
    "clusters": "channel.clusters",
    "method": "method.name",
    "id": "people.id",
    "keep": "people.keep",
}

_TYPES = {setting.name: setting.type for setting in _core.settings()}


def as_text(key: str, value: Any) -> str:
    """A value as a flag of the command line would have it."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if _TYPES.get(key, "").endswith("list of texts"):
        return json.dumps([value] if isinstance(value, str) else list(value), ensure_ascii=False)
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, list, tuple)):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return repr(value)


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no value of a setting")


@dataclass
class Dataset:
    """People with all that was asked for them. `source` gives it to the core."""

    file: str = ""
    keys: list[tuple[str, str, str]] = field(default_factory=list)  # key, text, how the user wrote it
    tables: list[_core.ArrowTable] = field(default_factory=list)
    memory: str = ""
    threads: int = 0
    kind: str = ""  # the library that the people came from
    people: Any = None
    events: Any = None
    features: list[str] = field(default_factory=list)

    def set(self, key: str, value: Any, written: str = "") -> None:
        if value is None:
            return
        written = written or key
        for other in (earlier for name, _, earlier in self.keys if name == key):
            raise InputError.of(written, f"is given as {other} as well", "Give it once.")
        self.keys.append((key, as_text(key, value), written))

    def has(self, key: str) -> bool:
        return any(name == key for name, _, _ in self.keys)

    def value(self, key: str) -> Any:
        """What a key was given as a list of names."""
        texts = [text for name, text, _ in self.keys if name == key]
        return json.loads(texts[-1]) if texts else []

    def source(self, **further: Any) -> _core.Source:
        """`further`: keys with __ for the point, such as audit__known=0.3."""
        more = [(name.replace("__", "."), value) for name, value in further.items() if value is not None]
        keys = self.keys + [(key, as_text(key, value), key) for key, value in more]
        return _core.Source(self.file, keys, self.tables, self.memory, self.threads)

    def add_settings(self, settings: Mapping[str, Any] | None) -> None:
        for key, value in (settings or {}).items():
            self.set(key, value, f"settings[{key!r}]")


def from_arguments(arguments: Mapping[str, Any]) -> Dataset:
    """`arguments`: those of HyObscure, without the people."""
    dataset = Dataset(
        file=os.fspath(arguments["spec"]) if arguments["spec"] is not None else "",
        memory=arguments["memory"] or "",
        threads=threads_of(arguments["n_jobs"]),
    )
    for name, key in KEYS.items():
        dataset.set(key, arguments[name], name)
    dataset.set("method.seed", _seed(arguments["random_state"]), "random_state")
    dataset.add_settings(arguments["settings"])
    return dataset


def threads_of(n_jobs: int | None) -> int:
    """As scikit-learn counts: -1 is all cores, -2 all but one. The core's 0 is all cores."""
    if n_jobs is None:
        return 0
    if not isinstance(n_jobs, (int, np.integer)) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise InputError.of(
            "n_jobs", "expected a whole number other than 0", "Give a number of threads, or -1 for all cores."
        )
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))


def _seed(random_state: Any) -> int | None:
    if random_state is None or isinstance(random_state, (int, np.integer)):
        return None if random_state is None else int(random_state)
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    return int(random_state.randint(2**31 - 1))


def _names(value: Any) -> list[str] | None:
    """Names of columns, as opposed to their content."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple) and value and all(isinstance(name, str) for name in value):
        return list(value)
    return None


def _add_secrets(table: _core.ArrowTable, y: Any) -> list[str]:
    """Columns beside those of X; returns what they are called."""
    taken = {name.lower() for name in table.names}
    several = _tables.is_frame(y) and hasattr(y, "columns")
    columns = [(name, y[name]) for name in _tables.column_names(y)] if several else [(getattr(y, "name", None), y)]
    names = []
    for name, cells in columns:
        name = str(name) if isinstance(name, str) and name else "secret"
        if name.lower() in taken:
            raise InputError.of(
                "y",
                "X has a column of the same name, which would be published as a feature",
                "Take it out of X, or give its name as y.",
            )
        _tables.add_column(table, cells, name)
        names.append(name)
    return names


def add_people(dataset: Dataset, X: Any, y: Any, events: Any) -> None:
    """The tables of memory, and the keys that say what is in them."""
    if X is None:
        raise InputError.of("X", "there are no people", "Give a table, or a spec that names files.")
    if dataset.file:
        raise InputError.of("X", "people come from the spec", "Call fit() without people, or leave `spec` out.")
    dataset.kind = _tables.kind_of(X)
    dataset.people = X
    if dataset.kind == "scipy":
        _add_sparse(dataset, X, y)
        return
    if dataset.kind == "numpy":
        dataset.features = [f"x{column}" for column in range(X.shape[1])]
        people = _tables.array_table("people", X, dataset.features)
    else:
        people = _tables.frame_table("people", X)
    columns = people.names
    secrets = _names(y)
    if secrets is None:
        secrets = _add_secrets(people, y)
    dataset.tables = [people]
    dataset.set("people.secret", secrets, "y")
    _add_ids(dataset, columns + secrets)
    if events is not None:
        dataset.events = events
        dataset.tables.append(_tables.frame_table("events", events))
        dataset.set("events.query", "SELECT * FROM events", "events")
        return
    if dataset.kind != "numpy":
        dataset.features = dataset.value("people.features") or _other_columns(dataset, columns, secrets)
    if not dataset.has("people.features"):
        dataset.set("people.features", dataset.features, "X")


def add_tables(people: Any, events: Any) -> list[_core.ArrowTable]:
    """Data frames as tables that a query can select from."""
    tables = [_tables.frame_table("people", people)]
    if events is not None:
        tables.append(_tables.frame_table("events", events))
    return tables


def _other_columns(dataset: Dataset, columns: list[str], secrets: list[str]) -> list[str]:
    """All columns of a wide table that have no other role."""
    roles = {*secrets, *dataset.value("people.keep")}
    texts = {key: text for key, text, _ in dataset.keys}
    roles |= {texts.get(key, "") for key in ("people.id", "secret.latitude", "secret.longitude")}
    return [column for column in columns if column not in roles]


def _add_ids(dataset: Dataset, columns: list[str]) -> None:
    """Without an id column, the number of the row is the id."""
    query = "SELECT * FROM people"
    if not dataset.has("people.id"):
        name = "id" if "id" not in {column.lower() for column in columns} else "row"
        query = f'SELECT hyo_row AS "{name}", * FROM people'
        dataset.set("people.id", name, "id")
    if not dataset.has("people.query"):
        dataset.set("people.query", query, "X")


def _add_sparse(dataset: Dataset, X: Any, y: Any) -> None:
    if _names(y) is not None:
        raise InputError.of("y", "a sparse matrix has no columns with names", "Give the secrets as an array.")
    people = _core.ArrowTable("people")
    secrets = _add_secrets(people, y)
    if people.rows != X.shape[0]:
        raise InputError.of(
            "y", f"has {people.rows} values, and X has {X.shape[0]} rows", "Give one value for each row."
        )
    dataset.tables = [people, _tables.sparse_table("events", X)]
    dataset.set("people.secret", secrets, "y")
    _add_ids(dataset, secrets)
    for key, value in {"query": "SELECT * FROM events", "person": "person", "item": "item", "value": "value"}.items():
        dataset.set(f"events.{key}", value, "X")

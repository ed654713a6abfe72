"""Before anything is fitted: what the data leaks, which limits it can meet, what each method would give."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Literal, Sequence

from . import _core, _frames, _html, _tables
from ._dataset import Dataset, add_tables, threads_of
from ._errors import InputError, path_of
from ._progress import Progress, reports
from ._words import in_python
from .frontier import Frontier

if TYPE_CHECKING:
    from .estimator import HyObscure


class Inspection:
    """What is in the data, what it leaks today, which limits it can meet, and what the work would take.

    `facts` is what `hyobscure inspect --json` prints. `columns` has a dict for each column: what it leaks by itself, and why it
    may not be published. `options` says what numbers of groups admit. `estimate` has seconds and bytes of `fit`, `publish`
    and `audit` on this machine. `recommended` are arguments of `HyObscure` that these people can meet: limits of
    groups, and a share of the range of sensible budgets (0: as near to the true features as can be; 1: so far that they leak
    nothing).
    """

    def __init__(self, found: _core.InspectedPeople) -> None:
        self.facts: dict[str, Any] = json.loads(found.json)
        self.columns: list[dict[str, Any]] = self.facts["columns"]
        self.options: list[dict[str, Any]] = self.facts["options"]
        self.estimate: dict[str, float | None] = self.facts["estimate"]
        self.recommended: dict[str, Any] = {}
        if (advice := self.facts.get("recommendation")) is not None:
            self.recommended = {
                "groups": advice["groups"],
                "people": tuple(int(limit) for limit in advice["people"]),
                "values": tuple(int(limit) for limit in advice["values"]),
                "budget_share": _core.budget_share_of(advice["budget"] or "balanced"),
            }
        self._text = found.text

    def to_frame(self, table: Literal["columns", "options", "groups"] = "columns") -> Any:
        """`columns`, `options` or the groups that the limits give, as a data frame."""
        tables = {"columns": self.columns, "options": self.options, "groups": self.facts.get("groups", [])}
        if table not in tables:
            raise InputError.of("table", "there is no such table", f"Take one of {', '.join(tables)}.")
        return _frames.frame(tables[table])

    def __repr__(self) -> str:
        text = in_python(self._text)
        if not self.recommended:
            return text
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.recommended.items())
        return f"{text}\nNext: HyObscure({arguments})\n"

    def _repr_html_(self) -> str:
        return _html.inspection(self)


def inspect(X: Any = None, y: Any = None, *, events: Any = None, secret: Any = None, **arguments: Any) -> Inspection:
    """What is in the data, what it leaks about the secret today, which limits it can meet, and what a fit would take.

    People and secret are given as to `HyObscure.fit`; arguments are those of `HyObscure`. Without limits (`people`, `values`)
    those that are recommended are looked at. Columns that nobody may publish are shown, and not refused.

    >>> import numpy as np
    >>> import hyobscure
    >>> random = np.random.default_rng(0)
    >>> ages = random.integers(20, 60, 300)
    >>> X = random.poisson(1 + 4 * np.abs(np.sin(ages[:, None] / 9 + np.arange(8))))
    >>> found = hyobscure.inspect(X, ages)
    >>> sorted(found.recommended)
    ['budget_share', 'groups', 'people', 'values']
    >>> model = hyobscure.HyObscure(**found.recommended, method="exact", random_state=1).fit(X, ages)
    """
    from .estimator import HyObscure

    return HyObscure(**arguments).inspect(X, y, events=events, secret=secret)


# --- a first spec


class Start:
    """A first description of data that nobody has described yet, with a reason for each guess: read it before you publish.

    `arguments` are those of `HyObscure` for the tables that were looked at, `secret` what to hide in them. Of files, `toml` is
    the spec: `save` writes it, `HyObscure.from_spec` reads it. `reasons` says why, by the name of a key; `left_out` which
    columns are not published, and why.
    """

    def __init__(self, found: _core.StartingSpec, folder: Path | None) -> None:
        self.toml: str = found.toml
        self.people: int = found.people
        self.secret: str | tuple[str, ...] = found.secret[0] if len(found.secret) == 1 else tuple(found.secret)
        self.reasons: dict[str, str] = {key: in_python(reason) for key, reason in found.reasons.items()}
        self.left_out: dict[str, str] = dict(found.left_out)
        self.settings: dict[str, Any] = {key: json.loads(text) for key, text in found.settings}
        self._folder = folder

    @property
    def arguments(self) -> dict[str, Any]:
        """For `HyObscure(**arguments).fit(table, secret)`."""
        from ._dataset import KEYS

        settings = dict(self.settings)
        settings.pop("people.secret", None)
        query = settings.get("people.query", "")
        if query == 'SELECT * FROM "people"':
            del settings["people.query"]
        elif query.endswith('* FROM "people"'):  # rows are numbered, as fit does by itself
            del settings["people.query"], settings["people.id"]
        settings.pop("events.query", None)
        names = {key: name for name, key in KEYS.items()}
        arguments = {names[key]: value for key, value in settings.items() if key in names}
        further = {key: value for key, value in settings.items() if key not in names}
        for name in ("people", "values"):
            arguments[name] = tuple(arguments[name])
        return {**arguments, "settings": further}

    def save(self, file: str | os.PathLike[str] = "spec.toml", *, force: bool = False) -> Path:
        """Writes the spec, in the folder that it was made for: names of files start there."""
        target = Path(path_of(file, "file"))
        if self._folder is None:
            raise InputError.of("save", "a spec names files, and these are tables in memory", "Use `arguments`.")
        if target.resolve().parent != self._folder.resolve():
            raise InputError.of(
                str(target),
                f"the files of this spec are named from {self._folder}",
                "Save it there, or call init with `folder`.",
            )
        _core.write_spec(os.fspath(target), self.toml, force)
        return target

    def __repr__(self) -> str:
        return self.toml if self._folder is not None else _start_text(self)

    def _repr_html_(self) -> str:
        return f"<pre>{_html.text(repr(self))}</pre>"


def _start_text(start: Start) -> str:
    words = [f"{start.people} people; nobody may infer {start.secret}"]
    words += [f"Not published: {column} ({because})" for column, because in start.left_out.items()]
    arguments = ",\n".join(f"    {name}={value!r}" for name, value in start.arguments.items())
    return "\n".join(words) + f"\nHyObscure(\n{arguments},\n).fit(people, {start.secret!r})\n"


def init(
    people: Any,
    events: Any = None,
    *,
    secret: str | None = None,
    care: Literal["careful", "balanced", "useful"] = "balanced",
    folder: str | os.PathLike[str] = ".",
    memory: str | None = None,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Start:
    """Guesses how files or data frames are to be read, which columns identify people, what the secret is, and limits that these
    people can meet.

    Parameters
    ----------
    people, events : names of files, or data frames
        One row per person; for long data one row per event beside them.
    secret : str
        The column that nobody may infer; guessed by its name otherwise.
    care : "careful", "balanced" or "useful"
        How far published features may be from the true ones.
    folder : path
        Where the spec will stand: it names files from there.

    >>> import hyobscure, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = folder + "/data"
    ...     hyobscure.synth(data, people=300, items=80, entries=20)
    ...     start = hyobscure.init(data + "/people.csv", data + "/events.csv", secret="age", folder=data)
    ...     model = hyobscure.HyObscure.from_spec(start.save(data + "/first.toml"), method="exact", random_state=1).fit()
    >>> start.secret, start.settings["events.person"]
    ('age', 'person')
    """
    files = isinstance(people, (str, os.PathLike))
    if events is not None and isinstance(events, (str, os.PathLike)) != files:
        raise InputError.of("events", "people and events are of two kinds", "Give two files, or two tables.")
    tables = [] if files else _tables_of(people, events)
    where = Path(path_of(folder, "folder"))
    with reports(progress) as report:
        found = _core.starting_spec(
            os.fspath(people) if files else "people",
            "" if events is None else os.fspath(events) if files else "events",
            secret or "",
            care,
            os.fspath(where),
            tables,
            memory or "",
            threads_of(n_jobs),
            report,
        )
    return Start(found, where if files else None)


def _tables_of(people: Any, events: Any) -> list[_core.ArrowTable]:
    if not _tables.is_frame(people):
        raise InputError.of(
            "people",
            "an array or matrix has no names to guess by",
            "Give a data frame, or ask `hyobscure.inspect(X, y).recommended` for limits.",
        )
    return add_tables(people, events)


# --- methods side by side


class Comparison:
    """Leakage by budget of every method, on the same people and groups. `comparison["fine"]` is the frontier of one method."""

    def __init__(self, found: _core.Compared, dataset: Dataset, progress: Progress) -> None:
        self._core = found
        self._dataset = dataset
        self._progress = progress
        self.facts: dict[str, Any] = json.loads(found.json)
        self.complete: bool = found.complete
        self.frontiers: dict[str, Frontier] = {curve["method"]: Frontier.of(curve) for curve in self.facts["methods"]}

    @property
    def methods(self) -> list[str]:
        return list(self.frontiers)

    def __getitem__(self, method: str) -> Frontier:
        return self.frontiers[method]

    def to_frame(self, table: Literal["points", "audits"] = "points") -> Any:
        """A row for each method and budget: its leakage, or, of a comparison with `audit`, what attackers and users find."""
        if table == "points":
            rows = [{"method": name, **point} for name, curve in self.frontiers.items() for point in curve.points]
            return _frames.frame(rows, ["method", "budget", "distance", "leakage_bits"])
        if table != "audits" or "audits" not in self.facts:
            raise InputError.of("table", "there is no such table", "Take points, or audits after compare(audit=True).")
        return _frames.frame(_audited_rows(self.facts["audits"]))

    def plot(self, ax: Any = None) -> Any:
        """As `hyobscure.plot_comparison` does."""
        from .plots import plot_comparison

        return plot_comparison(self, ax=ax)

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes comparison.csv, comparison.json and report.html, as the command line does. Private: counts finer than a
        release."""
        with reports(self._progress) as report:
            self._core.save(self._dataset.source(), path_of(folder, "folder"), force, report)

    def __repr__(self) -> str:
        return in_python(self._core.text)

    def _repr_html_(self) -> str:
        return _html.comparison(self)


def _audited_rows(audits: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    for point in audits:
        place = {"method": point["method"], "budget": point["budget"], "leakage_bits": point["leakage_bits"]}
        for attack in point["audit"]["attacks"]:
            yield {**place, "what": f"{attack['attacker']} {attack['scenario']}", **attack["published"]}
        for use in point["audit"]["utilities"]:
            if "loss" in use:
                yield {**place, "what": f"loss of {use['name']}", **use["loss"]}


def compare(
    X: Any = None,
    y: Any = None,
    *,
    events: Any = None,
    secret: Any = None,
    methods: Sequence[str] = (),
    budgets: Sequence[float] = (),
    points: int = 7,
    audit: bool = False,
    **arguments: Any,
) -> Comparison:
    """Every method over a sweep of budgets, on the same people, groups and distances.

    People and secret are given as to `HyObscure.fit`; further arguments are those of `HyObscure`. `methods`: all that there are
    when empty. `budgets`, or `points` of them over the sensible range. `audit`: each is attacked and used as well, as
    `settings={"audit.releases": ...}` says.

    >>> import numpy as np
    >>> import hyobscure
    >>> random = np.random.default_rng(0)
    >>> ages = random.integers(20, 60, 200)
    >>> X = random.poisson(1 + 4 * np.abs(np.sin(ages[:, None] / 9 + np.arange(8))))
    >>> found = hyobscure.compare(X, ages, methods=["exact", "random"], points=3, people=(40, 160), values=(5, 30), random_state=1)
    >>> found.methods
    ['exact', 'random']
    >>> bool(found["exact"]["leakage_bits"].min() <= found["random"]["leakage_bits"].min() + 1e-9)
    True
    """
    from .estimator import HyObscure

    return HyObscure(**arguments).compare(
        X, y, events=events, secret=secret, methods=methods, budgets=budgets, points=points, audit=audit
    )


def inspect_model(model: HyObscure, dataset: Dataset) -> Inspection:
    with reports(model.progress) as report:
        return Inspection(_core.inspect(dataset.source(), report))


def compare_model(
    model: HyObscure, dataset: Dataset, methods: Sequence[str], budgets: Sequence[float], points: int, audit: bool
) -> Comparison:
    with reports(model.progress) as report:
        found = _core.compare(
            dataset.source(),
            [methods] if isinstance(methods, str) else list(methods),
            [float(budget) for budget in budgets],
            points,
            audit,
            report,
        )
    return Comparison(found, dataset, model.progress)

"""A release: what may be given away, and the evidence for it."""

from __future__ import annotations

import json
import os
import tempfile
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse

from . import _core, _frames, _html, _tables
from ._errors import InputError, path_of
from ._progress import Progress, reports
from ._words import in_python
from .evidence import Evidence

if TYPE_CHECKING:
    from ._dataset import Dataset
    from .auditing import Audit


class Check(NamedTuple):
    """One thing that was looked at: a sentence that is true when it passed."""

    name: str
    passed: bool
    detail: str
    warning: bool = False


class Verification:
    """The independent check of a release, from its files. It is true when no check failed."""

    def __init__(self, facts: dict, text: str) -> None:
        self.checks = [
            Check(check["name"], check["passed"], check.get("detail", ""), check.get("warning", False))
            for check in facts["checks"]
        ]
        self.passed = bool(facts["passed"])
        self._text = in_python(text)

    def to_frame(self) -> Any:
        """A row for each check."""
        return _frames.frame([check._asdict() for check in self.checks])

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return _html.verification(self)


class Release:
    """The published people (and events), in the type that went in.

    `people` and `events` are tables as they stand in the files, by published id; `X` and `y` are their features and the labels
    of their groups. For arrays and sparse matrices `people` is a dict of columns.

    A release without a folder has its files in a temporary one, until `close` or the end of a `with` block. A pickle holds what
    is published, and nothing of the original or the mechanism.

    >>> import numpy as np
    >>> import hyobscure
    >>> random = np.random.default_rng(0)
    >>> ages = random.integers(20, 60, 200)
    >>> X = random.poisson(1 + 4 * np.abs(np.sin(ages[:, None] / 9 + np.arange(8))))
    >>> model = hyobscure.HyObscure(0.15, people=(40, 160), values=(5, 30), method="exact", random_state=1).fit(X, ages)
    >>> with model.publish() as release:
    ...     X_published, labels = release.X, release.y
    >>> X_published.shape, len(labels)
    ((200, 8), 200)
    """

    def __init__(
        self,
        folder: Path,
        facts: dict[str, Any] | None,
        dataset: Dataset | None,
        mechanism: _core.Mechanism | None,
        progress: Progress,
        temporary: Any = None,
    ) -> None:
        self.folder = folder
        #: what `hyobscure publish --json` prints; private, unlike the files. None of one that was read
        self.facts = facts
        self._dataset: Dataset | None = dataset
        self._mechanism = mechanism
        self._progress = progress
        self._closed = False
        self._temporary = temporary  # removes the folder with this object

    @classmethod
    def read(
        cls, folder: str | os.PathLike[str], spec: str | os.PathLike[str], *, progress: Progress = False
    ) -> Release:
        """One that was written before, with the spec of the original. Its mechanism is not known: an audit attacks the one release
        in every repetition.

        >>> import hyobscure, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hyobscure.synth(folder + "/data", people=300, items=80, entries=20)
        ...     model = hyobscure.HyObscure.from_spec(folder + "/data/spec.toml", method="exact", random_state=1).fit()
        ...     _ = model.publish(folder + "/release")
        ...     release = hyobscure.Release.read(folder + "/release", folder + "/data/spec.toml")
        ...     len(release.people)
        300
        """
        from ._dataset import Dataset

        dataset = Dataset(file=path_of(spec, "spec"), kind=_tables.installed_kind())
        return cls(Path(path_of(folder, "folder")), None, dataset, None, progress)

    # --- its life

    def close(self) -> None:
        """Removes the files of a release without a folder. Tables that were read stay."""
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None
            self._closed = True

    def __enter__(self) -> Release:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """What is published, and nothing of the original, the mechanism or its key."""
        state: dict[str, Any] = {"manifest": self.manifest, "people": self.people, "groups": self.groups, "y": self.y}
        state["events"] = self.events
        if self.manifest["shape"] != "long" or self._original().kind == "scipy":
            state["X"] = self.X
        if self._temporary is None:
            return {"tables": state, "folder": self.folder}
        return {"tables": state, "files": {file.name: file.read_bytes() for file in self.folder.iterdir()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        temporary, folder = None, state.get("folder")
        if folder is None:
            temporary = tempfile.TemporaryDirectory(prefix="hyobscure-release-")
            folder = Path(temporary.name) / "release"
            folder.mkdir()
            for name, content in state["files"].items():
                (folder / name).write_bytes(content)
        Release.__init__(self, folder, None, None, None, False, temporary)
        vars(self).update(state["tables"])  # as if they had been read

    def _files(self) -> str:
        if self._closed:
            raise InputError.of("release", "is closed: its files are gone", "Publish it again, or into a folder.")
        return os.fspath(self.folder)

    def _original(self) -> Dataset:
        if self._dataset is None:
            raise InputError.of(
                "release",
                "comes from a pickle, which knows nothing of the original",
                "Publish into a folder, and give it with the spec: `Release.read(folder, spec)`.",
            )
        return self._dataset

    # --- the tables

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the release says about itself; part of it."""
        manifest: dict[str, Any] = json.loads((Path(self._files()) / "manifest.json").read_text())
        return manifest

    @property
    def _columns(self) -> dict:
        return self.manifest["columns"]

    @cached_property
    def people(self) -> Any:
        """One row per person: id, label of the group, kept columns and, of wide data, the donor's features."""
        if self._original().kind not in ("numpy", "scipy"):
            return self._table("people")
        names = [self._columns[role] for role in ("id", "secret") if self._columns.get(role)]
        return {name: self._column("people", name) for name in names}

    @cached_property
    def events(self) -> Any:
        """Long data: the donor's events under each person. None for wide data."""
        if self.manifest["shape"] != "long":
            return None
        if self._original().kind == "scipy":
            return {name: self._column("events", name) for name in ("person", "item", "value")}
        return self._table("events")

    @cached_property
    def groups(self) -> Any:
        """Label and people of each group."""
        groups = self.manifest["groups"]
        columns = {name: [group[name] for group in groups] for name in ("label", "people")}
        return _tables.to_kind(columns, self._original().kind)

    @cached_property
    def X(self) -> Any:
        """The published features: a row for each of `people`."""
        kind = self._original().kind
        if kind == "scipy":
            return self._sparse()
        if self.manifest["shape"] == "long":
            raise InputError.of("X", "long data has its features in events", "Use `events`.")
        if kind == "numpy":
            numbers = _core.release_numbers(self._source(), self._files(), "people", self._columns["features"], None)
            return numbers.astype(self._original().people.dtype)
        return _select(self.people, self._columns["features"])

    @cached_property
    def y(self) -> Any:
        """The published labels: one for each of `people`."""
        return _column(self.people, self._columns["secret"])

    def _source(self) -> _core.Source:
        return self._original().source()

    def _table(self, name: str) -> Any:
        with reports(self._progress) as report:
            rows = _core.release_rows(self._source(), self._files(), name, report)
        table = _tables.to_kind(rows, self._original().kind)
        original = self._original().people if name == "people" else self._original().events
        if original is None:  # files
            return table
        known = _tables.column_names(original)
        return _tables.with_types_of(
            table, original, [column for column in self._original_columns(name) if column in known]
        )

    def _original_columns(self, table: str) -> list[str]:
        """Those whose cells are the original's: not labels, nor new ids."""
        columns = self._columns
        if table == "people":
            ids, cells = columns.get("id"), [*columns.get("keep", []), *columns.get("features", [])]
        else:
            ids, cells = columns.get("person"), [columns.get(role) for role in ("item", "value", "time")]
        return [column for column in [ids if self.manifest["ids"] == "keep" else None, *cells] if column]

    def _column(self, table: str, name: str) -> np.ndarray:
        """Of an array or matrix: ids are numbers unless they were replaced."""
        texts = name == self._columns["secret"] or (
            self.manifest["ids"] == "replace" and name in (self._columns["id"], self._columns.get("person"))
        )
        if texts:
            return np.asarray(_core.release_texts(self._source(), self._files(), table, name, None))
        numbers = _core.release_numbers(self._source(), self._files(), table, [name], None)[:, 0]
        return numbers if name == "value" else numbers.astype(np.int64)

    def _sparse(self) -> Any:
        original = self._original().people
        people, events = self.people[self._columns["id"]], self.events
        order = np.argsort(people, kind="stable")
        rows = order[np.searchsorted(people[order], events["person"])]
        matrix = scipy.sparse.csr_matrix(
            (events["value"].astype(original.dtype), (rows, events["item"])), shape=(len(people), original.shape[1])
        )
        return matrix.asformat(original.format)

    # --- the evidence

    def verify(self, *, redraw: bool = False, signed_by: str | os.PathLike[str] | None = None) -> Verification:
        """Checks the files, alone and against the original: groups as large as the true ones (where ids are kept, each person
        under the group of the true secret), every row of features that of a person of the same group, nothing exact. With
        `redraw` the mechanism's figures are computed again too, and the release is drawn again and compared byte by byte. With
        `signed_by`, a public key of `hyobscure keygen`, the release must be signed with it. One from a pickle is checked from
        its files alone."""
        if redraw and self._mechanism is None:
            raise InputError.of("redraw", "the mechanism is not known", "Ask the release that `publish` returned.")
        source = None if self._dataset is None else self._source()
        with reports(self._progress) as report:
            facts, text = _core.verify(
                self._files(), source, self._mechanism if redraw else None, _key_file(signed_by), report
            )
        return Verification(json.loads(facts), text)

    def audit(self, **options: Any) -> Audit:
        """Attacks the release as machine-learning attackers would: see `hyobscure.audit`."""
        from .auditing import audit

        return audit(self, **options)

    def aligned(self) -> tuple[Any, Any]:
        """Features and labels as they are published for each row that `fit` got, in the order of these rows. Private: it says
        whose published row is whose.

        For people of a data frame or an array. Of long data, people keep their ids with ``settings={"release.ids": "keep"}``.
        """
        if self._mechanism is None or self._original().people is None:
            raise InputError.of("aligned", "there are no rows of a table to align with", "Fit a table, and publish it.")
        if self._original().events is not None:
            raise InputError.of(
                "aligned", "events have no rows of people", 'Join by ids, with settings={"release.ids": "keep"}.'
            )
        with reports(self._progress) as report:
            donors, groups = _core.drawn_rows(self._source(), self._mechanism, report)
        dataset = self._original()
        labels = np.asarray([group["label"] for group in json.loads(self._mechanism.json)["groups"]], dtype=object)[
            groups
        ]
        return _tables.take(dataset.people, donors, dataset.features), labels

    def evidence(self, audit: Audit | None = None) -> Evidence:
        """The questions of ISO/IEC 27559, of the WP29 and of the ICO, and what this release answers. What only you know is stated
        in the settings: ``settings={"context.recipient": "..."}``."""
        with reports(self._progress) as report:
            facts = _core.report_facts(self._source(), self._mechanism, self._files(), _core_of(audit), report)
        return Evidence(json.loads(facts))

    def report(
        self,
        file: str | os.PathLike[str],
        audit: Audit | None = None,
        *,
        pdf: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> None:
        """Writes everything about the release on one HTML page, and with `pdf` prints it by an installed Chromium. They hold
        counts finer than the release: not part of it."""
        self._write_report(file, pdf, None, audit, force)

    def bundle(self, file: str | os.PathLike[str], audit: Audit | None = None, *, force: bool = False) -> None:
        """Writes a zip archive for a party that is to repeat the audit: manifest, report, facts, settings and versions, without
        paths, keys, ids and cells. Not for the public."""
        self._write_report(None, None, file, audit, force)

    def _write_report(self, html: Any, pdf: Any, bundle: Any, audit: Audit | None, force: bool) -> None:
        with reports(self._progress) as report:
            _core.write_report(
                _output(html, "file"),
                _output(pdf, "pdf"),
                _output(bundle, "file"),
                force,
                self._source(),
                self._mechanism,
                self._files(),
                _core_of(audit),
                report,
            )

    def __repr__(self) -> str:
        size = ", ".join(f"{file['name']}: {file['rows']} rows" for file in self.manifest["files"])
        return f"Release({size}; {len(self.manifest['groups'])} groups)"

    def _repr_html_(self) -> str:
        return _html.release(self)


def verify(
    folder: str | os.PathLike[str],
    spec: str | os.PathLike[str] | None = None,
    *,
    mechanism: str | os.PathLike[str] | None = None,
    signed_by: str | os.PathLike[str] | None = None,
    progress: Progress = False,
    **settings: Any,
) -> Verification:
    """Checks a written release from its files, and against the data of a spec where one is given. With the file of its
    `mechanism` beside the spec, figures are computed and the release is drawn again. With `signed_by`, a public
    key of `hyobscure keygen`, it must be signed with it. Settings are keys of the spec with __ for the point.

    >>> import hyobscure, tempfile
    >>> from hyobscure import HyObscure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hyobscure.synth(folder + "/data", people=300, items=80, entries=20)
    ...     model = HyObscure.from_spec(folder + "/data/spec.toml", method="exact", random_state=1).fit()
    ...     release = model.publish(folder + "/release")
    ...     hyobscure.verify(folder + "/release", folder + "/data/spec.toml").passed
    True
    """
    source = None
    if spec is None and settings:
        name = next(iter(settings))
        raise InputError.of(
            name, "is no argument, or a key of a spec, and no spec is given", "Take it out, or give `spec`."
        )
    if spec is not None:
        from ._dataset import Dataset

        source = Dataset(file=path_of(spec, "spec")).source(**settings)
    if mechanism is not None and spec is None:
        raise InputError.of("mechanism", "needs the original beside it", "Give `spec` as well.")
    made_by = None if mechanism is None else _core.Mechanism.load(path_of(mechanism, "mechanism"))
    with reports(progress) as report:
        facts, text = _core.verify(path_of(folder, "folder"), source, made_by, _key_file(signed_by), report)
    return Verification(json.loads(facts), text)


def _output(file: str | os.PathLike[str] | None, name: str) -> str:
    return "" if file is None else path_of(file, name)


def _core_of(audit: Audit | None) -> _core.Audit | None:
    return None if audit is None else audit._core


def _key_file(file: str | os.PathLike[str] | None) -> str:
    return "" if file is None else path_of(file, "signed_by")


def _select(frame: Any, columns: list[str]) -> Any:
    kind = _tables.kind_of(frame)
    if kind == "duckdb":
        return frame.select(*columns)
    return frame.select(columns) if kind in ("polars", "pyarrow") else frame[columns]


def _column(frame: Any, column: str) -> Any:
    if _tables.kind_of(frame) == "duckdb":
        return frame.select(column)
    return frame[column]

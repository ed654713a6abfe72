"""Checks a written release, by itself and against the original tables. Takes nothing from publish."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from hyobscure._core import kernels

from .census import tables_of
from .errors import refusal, refusals_of_tasks
from .machines import require
from .reading import read_ids, secret_of
from .settings import SpecText, kinds_of
from .storage import Storage, Work
from .table import Table, is_finite, number_in, quoted

# The one table of checks, which the command line and the documents have as well.
_RULES = {rule["key"]: rule for rule in kernels.check_rules()}


# Files that follow from the manifest, with the check of each.
_BESIDE = {"groups.csv": "groups-canonical", "README.txt": "readme-canonical"}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. Texts name files, columns, groups and numbers, never a cell."""

    name: str  # a sentence that is true when the check passes
    passed: bool
    detail: str
    warning: bool = False  # the steward should know, but the release is what it says it is
    key: str = ""  # its row in the table of checks (docs/verify.md)


@dataclass
class Verification:
    checks: list[Check] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return all(check.passed or check.warning for check in self.checks)

    def __bool__(self) -> bool:
        return self.passed

    def add(self, key: str, wrong: list[str], detail: str, subject: str = "") -> None:
        """A check of the table, by its key. Passes when nothing was found wrong."""
        rule = _RULES[key]
        name = rule["name"].replace("{}", subject)
        self.checks.append(Check(name, not wrong, "; ".join(wrong) or detail, rule["warning"], key))

    def add_count(self, key: str, wrong: int, of_what: str, detail: str) -> None:
        self.add(key, [f"{wrong} {of_what}"] if wrong else [], detail)


def verify(
    folder: str | os.PathLike,
    people: DataFrame | None = None,
    events: DataFrame | None = None,
    *,
    spec: str | os.PathLike | None = None,
    work: str | None = None,
    signed_by: str | os.PathLike | None = None,
) -> Verification:
    """Checks the release in `folder` by itself.

    With the original tables, their spec and a folder for `work` also that people, groups and donors are the
    true ones. With `signed_by`, a public key of `hyobscure keygen`, the release must be signed with it.
    """
    spark = SparkSession.active() if people is None else people.sparkSession
    release = _Release(spark, Storage(spark).whole(folder))
    findings = Verification()
    _check_signature(release, signed_by, findings)
    if _check_alone(release, findings) and people is not None:
        if spec is None or work is None:
            raise refusal("verify", "the original needs its spec and a folder for work", "Give spec= and work=.")
        if release.manifest["rows"] == "composed":
            raise refusal(
                "verify",
                "rows of this release are composed, which Spark does not compare with the original yet",
                "Use `hyobscure verify FOLDER --against SPEC` on one machine.",
            )
        written = SpecText.read(spec)
        parsed = written.parsed()
        tables = tables_of(people, events, parsed, written.name)
        require(spark)
        with Work(spark, work) as between, refusals_of_tasks():
            _Original(release, *tables, parsed, between).check(findings)
    return findings


class _Release:
    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark, self.folder, self.storage = spark, folder, Storage(spark)
        if not self.storage.exists(f"{folder}/manifest.json"):
            raise refusal(
                folder,
                "this is not a release: it has no manifest.json",
                "Give the folder that publish wrote.",
            )
        self.text = self.storage.read_text(f"{folder}/manifest.json")
        try:
            self.manifest = json.loads(self.text)
            self.columns, self.groups = self.manifest["columns"], self.manifest["groups"]
            self.is_long, self.ids = self.manifest["shape"] == "long", self.manifest["ids"]
            self.people_limits, self.value_limits = (self.manifest["constraints"][key] for key in ("people", "values"))
            self.files = {file["name"]: file for file in self.manifest["files"]}
            self.kinds = self.manifest["secret_kinds"]
            self.parts = self.columns.get("parts", [])
        except (ValueError, KeyError, TypeError):
            raise refusal(folder, "its manifest is damaged", "Publish again.") from None

    @property
    def hides_one_number(self) -> bool:
        return self.kinds == ["ordered"]

    def exact_labels(self) -> list[str]:
        """Of groups that are a single value, which only l = 1 allows."""
        if self.value_limits[0] > 1:
            return []
        return [group["label"] for group in self.groups if _is_exact(group)]

    def table(self, name: str) -> DataFrame:
        return self.spark.read.parquet(f"{self.folder}/{name}")

    def people(self) -> DataFrame:
        """(id, label, the features as they are called)"""
        columns = [quoted(self.columns["secret"]).alias("label")]
        if self.ids != "drop":
            columns.append(quoted(self.columns["id"]).cast("string").alias("id"))
        features = [quoted(name).alias(f"cell{i}") for i, name in enumerate(self.columns.get("features", []))]
        parts = [quoted(name).alias(f"part{i}") for i, name in enumerate(self.parts)]
        return self.table("people.parquet").select(*columns, *parts, *features)

    def event_columns(self) -> list[str]:
        return [self.columns[role] for role in ("item", "value", "time") if role in self.columns]

    def events(self) -> DataFrame:
        cells = [quoted(name).alias(f"cell{i}") for i, name in enumerate(self.event_columns())]
        return self.table("events.parquet").select(quoted(self.columns["person"]).cast("string").alias("id"), *cells)

    def group_table(self) -> DataFrame:
        """(label, low, high, high_included); an open end is null."""
        rows = [
            (group["label"], _bound(group, "low"), _bound(group, "high"), group["covers"][0]["high_included"])
            for group in self.groups
        ]
        return self.spark.createDataFrame(rows, "label string, low double, high double, high_included boolean")


def _is_exact(group: dict) -> bool:
    if "combinations" in group:
        return len(group["combinations"]) == 1
    return all(_is_one_value(cover) for cover in group["covers"])


def _is_one_value(cover: dict) -> bool:
    if "names" in cover:
        return len(cover["names"]) == 1
    low, high = cover["low"], cover["high"]
    return low is not None and high is not None and float(low) == float(high) and cover["high_included"]


def _covers_value(cover: dict, value: float | str) -> bool:
    if "names" in cover:
        return value in cover["names"]
    low, high = cover["low"], cover["high"]
    return (low is None or value >= float(low)) and (
        high is None or value < float(high) or (cover["high_included"] and value == float(high))
    )


class _LabelOf:
    """The labels of the groups that hold a secret of several cells, or a name: one, if all is well."""

    def __init__(self, release: _Release) -> None:
        self.kinds, self.groups = release.kinds, release.groups
        self.by_secret: dict[tuple, list[str]] = {}
        for group in self.groups:
            listed = group.get("combinations")
            if listed is None and self.kinds == ["categorical"]:
                listed = [[name] for name in group["covers"][0]["names"]]
            for texts in listed or []:
                self.by_secret.setdefault(self._secret(texts), []).append(group["label"])
        self.boxes = [group for group in self.groups if "combinations" not in group and self.kinds != ["categorical"]]

    def _secret(self, texts: list[str]) -> tuple:
        return tuple(float(text) if kind == "ordered" else text for kind, text in zip(self.kinds, texts))

    def of(self, key: str) -> list[str]:
        secret = self._secret(json.loads(key))
        boxes = (group["label"] for group in self.boxes if all(map(_covers_value, group["covers"], secret)))
        return [*self.by_secret.get(secret, []), *boxes]

    def overlaps(self) -> list[str]:
        twice = {label for labels in self.by_secret.values() if len(labels) > 1 for label in labels}
        for number, group in enumerate(self.boxes):
            for other in self.boxes[number + 1 :]:
                if all(map(_overlap, group["covers"], other["covers"])):
                    twice |= {group["label"], other["label"]}
        return [f"{label} holds secrets of another group" for label in sorted(twice)]


def _overlap(one: dict, other: dict) -> bool:
    if "names" in one or "names" in other:
        return bool(set(one.get("names", [])) & set(other.get("names", [])))
    first, second = sorted((one, other), key=lambda cover: float("-inf") if cover["low"] is None else cover["low"])
    if first["high"] is None or second["low"] is None:
        return True
    return second["low"] < first["high"] or (second["low"] == first["high"] and first["high_included"])


# Every key that publish writes for numbers and categories.
_KEYS = set(
    [
        "kind",
        "format",
        "program",
        "version",
        "method",
        "objective",
        "distance_name",
        "shape",
        "ids",
        "order",
        "rows",
        "composed",
        "file_format",
        "draw",
        "seeded",
        "warning",
        "columns",
        "files",
        "constraints",
        "secret_kinds",
        "secret_whole_numbers",
        "groups",
        "leakage_bits",
        "leakage_groups_bits",
        "leakage_added_bits",
        "distance",
        "second_draw",
        "accepted_leakage",
        "seal",
    ]
)


def _has_one_coarse_digit(figure: float) -> bool:
    digits = repr(float(figure)).split("e")[0].replace(".", "").strip("0")
    return digits in ("1", "2", "5")


def _false_figures(manifest: dict) -> list[str]:
    """What the people of the groups give."""
    people = sum(group["people"] for group in manifest["groups"])
    entropy = sum(
        group["people"] / people * math.log2(people / group["people"])
        for group in manifest["groups"]
        if group["people"]
    )
    whole, groups, added = (manifest.get(key) for key in ("leakage_bits", "leakage_groups_bits", "leakage_added_bits"))
    wrong = []
    if groups is None or abs(groups - entropy) > 1.1e-4 or abs(groups * 1e4 - round(groups * 1e4)) > 1e-7:
        wrong.append("leakage_groups_bits is not the entropy of the groups to four decimals")
    if whole is not None and abs(whole - (groups or 0) - (added or 0)) > 1e-9:
        wrong.append("leakage_bits is not the sum of its two parts")
    return wrong


def _fine_figures(manifest: dict) -> list[str]:
    """An attacker who knows all secrets but one computes every figure for each value of the last, and compares."""
    people = sum(group["people"] for group in manifest["groups"])
    least = max(0.001, 10 * math.log2(max(people, 2)) / max(people, 2))
    added, distance = manifest.get("leakage_added_bits"), manifest.get("distance")
    wrong = []
    if added is not None and (added < least or not _has_one_coarse_digit(added)):
        wrong.append("leakage_added_bits is too fine")
    if distance and not _has_one_coarse_digit(distance):
        wrong.append("distance is too fine")
    together = manifest.get("second_draw", {}).get("leakage_together_bits")
    if together is not None and (together < least or not _has_one_coarse_digit(together)):
        wrong.append("leakage_together_bits is too fine")
    composed = set(manifest.get("composed", {})) - {"kin", "owners", "largest_share", "together"}
    if (
        set(manifest) - _KEYS
        or composed
        or any(set(group) - {"label", "people", "covers", "combinations"} for group in manifest["groups"])
    ):
        wrong.append("the manifest says more than publish writes")
    return wrong


def _bound(group: dict, end: str) -> float | None:
    bound = group["covers"][0][end]
    return None if bound is None else float(bound)


# --- the release alone


def _check_alone(release: _Release, findings: Verification) -> bool:
    """Whether the tables could be read, so that they can be compared with the original."""
    _check_manifest(release, findings)
    _check_groups(release, findings)
    if not _check_files(release, findings) or not _check_columns(release, findings):
        return False
    people = release.people()
    _check_labels(release, people, findings)
    if release.ids != "drop":
        rows, ids = people.agg(F.count("*"), F.countDistinct("id")).first()
        findings.add_count("ids-unique", rows - ids, "rows have no id, or one that occurs before", "one row per person")
    if release.is_long:
        _check_events(release, people, findings)
    return True


def _check_manifest(release: _Release, findings: Verification) -> None:
    compact = re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda found: found[1] or "", release.text)
    unsealed = re.sub(r',"seal":"[0-9a-f]*"|"seal":"[0-9a-f]*",', "", compact)
    sealed = hashlib.sha256(unsealed.encode()).hexdigest() == release.manifest.get("seal")
    findings.add(
        "manifest-seal",
        [] if sealed else ["it was edited: its seal does not fit"],
        "its seal fits",
    )
    trial = ["trial release, drawn from a seed: must not be published"] if release.manifest["seeded"] else []
    findings.add("secret-key", trial, "not from a seed")
    weak = ["it did, and the publisher accepted the leakage"] if release.manifest.get("accepted_leakage") else []
    findings.add("not-weak", weak, "as the manifest says")


def _check_signature(release: _Release, signed_by: str | os.PathLike | None, findings: Verification) -> None:
    file = f"{release.folder}/{kernels.SIGNATURE_FILE}"
    try:
        signature = release.storage.read_text(file) if release.storage.exists(file) else None
    except ValueError:  # bytes that are no text
        signature = ""
    key = None if signed_by is None else os.fspath(signed_by)
    found = kernels.check_signature(release.text, signature, key)
    if found is not None:
        findings.checks.append(Check(*found))


def _check_groups(release: _Release, findings: Verification) -> None:
    count = f"{len(release.groups)} groups"
    wrong = [] if release.hides_one_number else _LabelOf(release).overlaps()
    for group, above in zip(release.groups, release.groups[1:]) if release.hides_one_number else []:
        high, low = _bound(group, "high"), _bound(above, "low")
        apart = high is not None and low is not None
        apart = apart and (low > high if group["covers"][0]["high_included"] else low >= high)
        if not apart:
            wrong.append(f"{group['label']} and {above['label']} overlap or are not in order")
    if len({group["label"] for group in release.groups}) < len(release.groups):
        wrong.append("a label occurs twice")
    findings.add("groups-in-order" if release.hides_one_number else "groups-apart", wrong, count)
    findings.add(
        "no-single-value",
        [
            f"{group['label']} holds one value: it publishes the exact secret"
            for group in release.groups
            if _is_exact(group)
        ],
        "every group has room for two",
    )
    findings.add("group-figures", _false_figures(release.manifest), "H(G) and sums")
    findings.add(
        "coarse-figures",
        _fine_figures(release.manifest),
        "rounded up to 1, 2 or 5 times a power of ten",
    )


def _check_files(release: _Release, findings: Verification) -> bool:
    """Whether all files are there; changed ones can still be looked into."""
    tables = ["people.parquet"] + ["events.parquet"] * release.is_long
    expected = [*tables, *_BESIDE]
    there = release.storage.names(release.folder)
    known = ["manifest.json", kernels.SIGNATURE_FILE, *expected]
    findings.add(
        "no-other-files",
        [f"{name} does not belong to the release" for name in there if name not in known],
        f"{len(expected) + 1} files",
    )
    missing = [f"{name} is missing" for name in expected if name not in there or name not in release.files]
    findings.add("files-there", missing, f"{len(expected)} beside the manifest")
    if missing:
        return False
    texts = {name: release.storage.read_text(f"{release.folder}/{name}") for name in _BESIDE}
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    hashes |= {name: _hash_of_parts(release, name) for name in tables}
    changed = [name for name in expected if hashes[name] != release.files[name]["sha256"]]
    findings.add("files-unchanged", [f"{name} was edited" for name in changed], "SHA-256 of each")
    _check_beside(release, texts, findings)
    for name in tables:
        rows, declared = release.table(name).count(), release.files[name]["rows"]
        findings.add(
            "rows",
            [] if rows == declared else [f"{rows} rows, {declared} declared"],
            f"{rows} rows",
            subject=name,
        )
    return True


def _check_beside(release: _Release, texts: dict[str, str], findings: Verification) -> None:
    """What lies beside the tables follows from the manifest, byte by byte."""
    try:
        wanted = kernels.dictionary(release.text)
    except ValueError:  # a manifest that nothing follows from
        wanted = {}
    for name, key in _BESIDE.items():
        same = texts[name] == wanted.get(name)
        findings.add(key, [] if same else ["it is not what the manifest gives when it is written"], "byte by byte")


def _hash_of_parts(release: _Release, name: str) -> str:
    parts = release.spark.read.format("binaryFile").load(f"{release.folder}/{name}/*.parquet")
    hashes = parts.select("path", F.sha2("content", 256).alias("hash")).collect()
    return hashlib.sha256("".join(row["hash"] for row in sorted(hashes)).encode()).hexdigest()


def _check_columns(release: _Release, findings: Verification) -> bool:
    columns = release.columns
    declared = {
        "people.parquet": [columns[role] for role in ("id", "secret") if role in columns]
        + release.parts
        + columns.get("features", [])
    }
    if release.is_long:
        declared["events.parquet"] = [columns["person"], *release.event_columns()]
    same = True
    for name, wanted in declared.items():
        found = release.table(name).columns
        wrong = f"{name} has {len(found)} columns, and not just {', '.join(wanted)}"
        findings.add(
            "columns",
            [] if found == wanted else [wrong],
            f"{len(wanted)} columns",
            subject=name,
        )
        same = same and found == wanted
    return same


def _check_labels(release: _Release, people: DataFrame, findings: Verification) -> None:
    sizes = {row["label"]: row["count"] for row in people.groupBy("label").count().collect()}
    labels = [group["label"] for group in release.groups]
    findings.add_count(
        "labels-declared",
        sum(size for label, size in sizes.items() if label not in labels),
        "people have a label that is none",
        "all people",
    )
    least, most = release.people_limits
    outside, different = [], []
    for group in release.groups:
        size = sizes.get(group["label"], 0)
        if not least <= size <= most:
            outside.append(f"{group['label']} has {size} people")
        if size != group["people"]:
            different.append(f"{group['label']} has {size} people, {group['people']} declared")
    findings.add("people-within", outside, f"{least} to {most}")
    findings.add("people-declared", different, f"{len(labels)} groups")
    if release.parts:
        _check_parts(release, people, findings)
    if not release.hides_one_number:
        return
    exact = release.exact_labels()
    numbers = people.filter(number_in("label").isNotNull() & ~F.col("label").isin(exact)).count()
    findings.add_count("no-plain-numbers", numbers, "people have a number there", "labels only")


def _check_parts(release: _Release, people: DataFrame, findings: Verification) -> None:
    names = [f"part{axis}" for axis in range(len(release.parts))]
    rows = [(group["label"], *(cover["label"] for cover in group["covers"])) for group in release.groups]
    declared = release.spark.createDataFrame(rows, ", ".join(f"{name} string" for name in ("label", *names)))
    findings.add_count(
        "secret-parts",
        people.join(F.broadcast(declared), ["label", *names], "left_anti").count(),
        "people have another text there",
        f"{len(names)} columns",
    )


def _check_events(release: _Release, people: DataFrame, findings: Verification) -> None:
    events = release.events()
    findings.add_count(
        "events-of-people",
        events.join(people, "id", "left_anti").count(),
        "events do not",
        "all events",
    )
    findings.add_count(
        "people-have-events",
        people.join(events, "id", "left_anti").count(),
        "people have none",
        "all people",
    )
    incomplete = F.col("cell0").isNull()
    if "value" in release.columns:
        value = number_in("cell1")
        incomplete = incomplete | value.isNull() | ~is_finite(value)
    findings.add_count(
        "events-complete",
        events.filter(incomplete).count(),
        "events lack their item, or a number as value",
        "all events",
    )


# --- against the original


class _Original:
    def __init__(self, release: _Release, people: Table, events: Table | None, spec: kernels.Spec, work: Work) -> None:
        if kinds_of(spec) != release.kinds:
            raise refusal(
                "spec",
                "the release hides another secret than the spec describes",
                "Give the spec that the release was made from.",
            )
        if spec.is_long != release.is_long:
            raise refusal(
                "spec",
                f"the release is {release.manifest['shape']}, and the spec describes other data",
                "Give the spec that the release was made from.",
            )
        self.release, self.people, self.events, self.spec = release, people, events, spec
        self.work = work
        kept = read_ids(people, events, spec, work)
        secrets = people.frame.select(people.text(spec.id).alias("id"), *secret_of(people, spec))
        found = kept.join(secrets.select("id", "secret"), "id")
        labelled = self._by_number(found) if release.hides_one_number else self._by_key(found)
        self.true = work.store("true-groups", labelled.select("id", "secret", "label"))

    def _by_number(self, found: DataFrame) -> DataFrame:
        groups = F.broadcast(self.release.group_table())
        secret, low, high = F.col("secret"), F.col("low"), F.col("high")
        covered = (low.isNull() | (secret >= low)) & (
            high.isNull() | (secret < high) | (F.col("high_included") & (secret == high))
        )
        return found.join(groups, covered, "left")

    def _by_key(self, found: DataFrame) -> DataFrame:
        """The distinct secrets are few, and come to the driver."""
        label_of = _LabelOf(self.release)
        self.exact = [row["secret"] for row in found.select("secret").distinct().collect()]
        rows = [(key, label) for key in self.exact for label in label_of.of(key)]
        groups = self.work.spark.createDataFrame(rows, "secret string, label string")
        return found.join(F.broadcast(groups), "secret", "left")

    def check(self, findings: Verification) -> None:
        self.work.step("comparing with the original")
        published = self.release.people()
        self._check_people(published, findings)
        self._check_labels(published, findings)
        self._recount(findings)
        self._check_nothing_exact(published, findings)
        self._check_donors(published, findings)

    def _check_people(self, published: DataFrame, findings: Verification) -> None:
        true, there = self.true.select("id").distinct().count(), published.count()
        findings.add(
            "people-count",
            [] if true == there else [f"{there} published, {true} in the original"],
            f"{true} people",
        )
        if self.release.ids == "drop":
            return
        known = published.join(self.true, "id", "left_semi").count()
        if self.release.ids == "keep":
            findings.add_count(
                "same-people",
                there - known,
                "people are not",
                "by their ids",
            )
        else:
            findings.add_count("no-original-id", known, "ids of the original are", "all ids are new")

    def _check_labels(self, published: DataFrame, findings: Verification) -> None:
        in_groups = self.true.groupBy("id").agg(F.count("label").alias("groups"))
        findings.add_count(
            "true-groups",
            in_groups.filter("groups <> 1").count(),
            "people are in none or two",
            "all people",
        )
        if self.release.ids == "keep":
            findings.add_count(
                "true-labels",
                published.join(self.true, ["id", "label"], "left_anti").count(),
                "people have another label",
                "all people",
            )
            return
        sizes = [dict(table.groupBy("label").count().collect()) for table in (published, self.true)]
        findings.add(
            "true-sizes",
            [] if sizes[0] == sizes[1] else ["some are not"],
            f"{len(sizes[1])} groups; ids are not kept, so people cannot be compared one by one",
        )

    def _recount(self, findings: Verification) -> None:
        counted = self.true.groupBy("label").agg(F.count("*"), F.countDistinct("secret")).collect()
        found = {label: (people, values) for label, people, values in counted}
        few_or_many, outside, different = [], [], []
        for group in self.release.groups:
            people, values = found.get(group["label"], (0, 0))
            if not self.release.people_limits[0] <= people <= self.release.people_limits[1]:
                few_or_many.append(f"{group['label']} has {people} people")
            if not self.release.value_limits[0] <= values <= self.release.value_limits[1]:
                outside.append(f"{group['label']} has {values} values")
            if people != group["people"]:
                different.append(f"{group['label']} holds {people} people and {values} values")
        findings.add(
            "true-k",
            few_or_many,
            "{} to {}".format(*self.release.people_limits),
        )
        findings.add("true-l", outside, "{} to {}".format(*self.release.value_limits))
        findings.add("true-counts", different, f"{len(self.release.groups)} groups")

    def _check_nothing_exact(self, published: DataFrame, findings: Verification) -> None:
        exact = self.release.exact_labels()
        labels = published.select("label").distinct().filter(~F.col("label").isin(exact))
        findings.add_count(
            "no-exact-secret",
            self._exact_among(labels),
            "labels are exact values",
            "labels are no values of the original",
        )
        if self.release.is_long:
            return
        counts = self._people_with_another_cell()
        findings.add(
            "no-secret-column",
            [
                f"column {name} holds the secret of all people"
                for name, differ in zip(self.spec.features, counts)
                if differ == 0
            ],
            f"{len(self.spec.features)} columns",
            subject="feature",
        )

    def _exact_among(self, labels: DataFrame) -> int:
        if not self.release.hides_one_number:
            secrets = {", ".join(json.loads(key)) for key in self.exact}
            return sum(row["label"] in secrets for row in labels.collect())
        numbers = labels.select(number_in("label").alias("secret")).filter(F.col("secret").isNotNull())
        return numbers.join(self.true, "secret", "left_semi").count()

    def _people_with_another_cell(self) -> list[int]:
        """By feature: how many people have another cell there than in the column of the secret."""
        people, spec = self.people, self.spec
        cells = [people.cell(name).cast("string").alias(f"cell{i}") for i, name in enumerate(spec.features)]
        secret = people.cell(spec.secrets[0]).cast("string").alias("exact")
        table = people.frame.select(people.text(spec.id).alias("id"), secret, *cells)
        same = [
            (F.col(f"cell{i}") == F.col("exact")) | (number_in(f"cell{i}") == number_in("exact"))
            for i in range(len(cells))
        ]
        others = [F.count(F.when(~F.coalesce(each, F.lit(False)), True)) for each in same]
        return list(table.join(self.true.select("id"), "id", "left_semi").agg(*others).first())

    def _check_donors(self, published: DataFrame, findings: Verification) -> None:
        """Complete rows are compared, by their hashes."""
        mine, theirs = (self._long_rows if self.release.is_long else self._wide_rows)(published)
        findings.add_count(
            "donor-rows",
            mine.join(theirs, "row", "left_anti").count(),
            "people have features that no person has",
            "complete rows compared",
        )
        findings.add_count(
            "donor-groups",
            mine.join(theirs, ["row", "label"], "left_anti").count(),
            "people have features that no person in their group has",
            "complete rows compared",
        )

    def _wide_rows(self, published: DataFrame) -> tuple[DataFrame, DataFrame]:
        people, count = self.people, len(self.spec.features)
        cells = [people.cell(name).alias(f"cell{i}") for i, name in enumerate(self.spec.features)]
        original = people.frame.select(people.text(self.spec.id).alias("id"), *cells).join(self.true, "id")
        return tuple(table.select("label", F.sha2(_packed(count), 256).alias("row")) for table in (published, original))

    def _long_rows(self, published: DataFrame) -> tuple[DataFrame, DataFrame]:
        spec, events = self.spec, self.events
        names = [name for name in (spec.item, spec.value, spec.time) if name]
        used = events.cell(spec.item).isNotNull()
        if spec.value:
            used = used & events.cell(spec.value).isNotNull()
        cells = [events.cell(name).alias(f"cell{i}") for i, name in enumerate(names)]
        original = events.frame.filter(used).select(events.text(spec.person).alias("id"), *cells)
        return (
            _rows_of_events(self.release.events(), len(names)).join(published.select("id", "label"), "id"),
            _rows_of_events(original, len(names)).join(self.true, "id"),
        )


def _packed(count: int) -> Column:
    """Cells as one text that no other cells give."""
    return F.to_json(F.struct(*(F.col(f"cell{i}") for i in range(count))), {"ignoreNullFields": "false"})


def _rows_of_events(events: DataFrame, count: int) -> DataFrame:
    every = F.sort_array(F.collect_list(_packed(count)))
    return events.groupBy("id").agg(F.sha2(F.concat_ws(";", every), 256).alias("row"))

"""Inputs of every kind, spoilt in many ways: the program says yes or no to each, and never anything else.

    python3 tests/mutated_inputs.py            all of them
    python3 tests/mutated_inputs.py 7          every seventh (a prime, so that each way and each file has its turn)
    python3 tests/mutated_inputs.py 1 spec     one kind

Ends with a table and, where anything is wrong, exit code 1; the spoilt files of what went wrong are kept. The same numbers
spoil the same way (mutations.py).

What must hold: the program ends by itself within LIMIT seconds, with exit code 0, 2 or 3; a refusal is one message without a
cell or a control character, and writes nothing; a mechanism that was published is true (mechanism_truth.py) and its release
passes `verify --against`; one that says the same in other words is published; a release that was changed at all fails.
"""

import collections
import concurrent.futures
import csv
import dataclasses
import functools
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import mechanism_truth
from bad_input import MARK, sealed
from mutations import BYTES, CELLS, LINES, SETTINGS, change_an_entry

from conftest import BINARY, run

LIMIT = 60  # seconds; each takes a tenth of one on an idle machine
COUNTS = {  # at least; how many there are of each kind
    "spec": 240,
    "data": 340,
    "mechanism": 480,
    "release": 230,
    "census": 120,
    "other": 180,
}
USABLE = (0, 3)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


# --- what is spoilt

LONG_SPEC = """[people]
file = "people.csv"
id = "id"
secret = "age"
{keep}
[events]
file = "events.csv"
person = "person"
item = "item"
value = "rating"
[groups]
count = 3
people = [4, 30]
values = [2, 30]
[channel]
clusters = 3
budget_share = 0.7
[method]
name = "{method}"
seed = 1
[audit]
releases = 1
attackers = ["forest"]
"""


def read_table(file):
    with open(file, newline="") as opened:
        return list(csv.reader(opened))


def write_table(file, rows):
    with open(file, "w", newline="") as opened:
        csv.writer(opened, lineterminator="\n").writerows(rows)


def good(*command, **options):
    done = run(*command, **options)
    assert done.usable, (command, done.err)
    return done


def make_bases(folder):
    """Small data by `hyobscure synth`, and what the program makes of it. Ids, items and words hold MARK."""
    long = folder / "long"
    good("synth", "--people", 40, "--items", 20, "--entries", 6, "--dependence", 0.8, "-o", long)
    people = read_table(long / "people.csv")
    write_table(long / "people.csv", [people[0]] + [[f"{MARK}-{row[0]}", *row[1:]] for row in people[1:]])
    events = read_table(long / "events.csv")
    marked = [[f"{MARK}-{row[0]}", f"{MARK}{row[1]}", *row[2:]] for row in events[1:]]
    write_table(long / "events.csv", [events[0]] + marked)
    (long / "spec.toml").write_text(LONG_SPEC.format(keep="", method="hyobscure"))

    kept = shutil.copytree(long, folder / "kept")
    people = read_table(kept / "people.csv")
    teams = [[*row, "red" if n % 3 else "blue"] for n, row in enumerate(people[1:])]
    write_table(kept / "people.csv", [[*people[0], "team"]] + teams)
    (kept / "spec.toml").write_text(LONG_SPEC.format(keep='keep = ["team"]', method="random"))

    wide = folder / "wide"
    good("synth", "--kind", "tabular", "--people", 40, "--dependence", 0.8, "-o", wide)
    spec = (wide / "spec.toml").read_text()
    (wide / "spec.toml").write_text(spec + "seed = 1\n")
    people = read_table(wide / "people.csv")
    write_table(wide / "people.csv", [people[0]] + [[f"{MARK}-{row[0]}", *row[1:]] for row in people[1:]])

    for kind, name in (("ratings", "long-parquet"), ("tabular", "wide-parquet")):
        good("synth", "--kind", kind, "--people", 40, "--format", "parquet", "-o", folder / name)
        with open(folder / name / "spec.toml", "a") as spec:
            spec.write("seed = 1\n")

    jobs = shutil.copytree(long, folder / "jobs")
    names = [f"{MARK}job{n}" for n in range(6)]
    people = read_table(jobs / "people.csv")
    write_table(jobs / "people.csv", [["id", "job"]] + [[row[0], names[n % 6]] for n, row in enumerate(people[1:])])
    write_table(
        jobs / "jobs.csv", [["job", "field", "all"]] + [[name, f"f{n % 2}", "all"] for n, name in enumerate(names)]
    )
    secret = '[secret]\nkind = "categorical"\nhierarchy = "jobs.csv"\n'
    spec = LONG_SPEC.format(keep="", method="hyobscure").replace('"age"', '"job"') + secret
    (jobs / "spec.toml").write_text(spec)

    for name in ("fine", "hyobscure"):
        good("fit", long / "spec.toml", "--method", name, "-o", long / f"{name}.json")
    good("fit", kept / "spec.toml", "-o", kept / "random.json")
    good("fit", long / "spec.toml", "--save-census", long / "census", "-o", long / "again.json")
    (long / "again.json").unlink()
    for base, name in ((long, "fine"), (kept, "random")):
        flags = ["--accept-leakage", "-o", base / "release"]
        good("publish", base / "spec.toml", "-m", base / f"{name}.json", *flags)
    compare = ["compare", long / "spec.toml", "--methods", "hyobscure,random", "--points", 2]
    good(*compare, "-o", long / "comparison")
    (long / "unseeded.toml").write_text((long / "spec.toml").read_text().replace("seed = 1\n", ""))
    for name in ("first", "second"):
        good("fit", long / "unseeded.toml", "-o", long / f"{name}.json")
    good("publish", long / "unseeded.toml", "-m", long / "first.json", "--accept-leakage", "-o", folder / "first")
    return folder


# --- one case


@dataclasses.dataclass
class Case:
    """A copy of a base in which one file is other, and what the program is then asked."""

    kind: str
    name: str
    base: str
    file: str  # inside the base
    content: bytes
    command: list  # words; those that name a file of the base are "@file"
    follow: object = None  # (case, folder, done) -> what is wrong after all, or None
    also: dict = dataclasses.field(default_factory=dict)  # further files


@dataclasses.dataclass
class Outcome:
    case: Case
    verdict: str  # accepted, refused, our fault, signal, hang
    wrong: str = ""


def words_of(case, folder):
    return [
        str(folder / word[1:]) if isinstance(word, str) and word.startswith("@") else str(word) for word in case.command
    ]


def say_no_well(done, machine):
    """What is wrong with a refusal."""
    if not done.stderr.startswith(b"hyobscure: ") or not done.stderr.endswith(b"\n"):
        return "the message does not begin or end as one"
    said = done.stderr.decode("utf-8", "replace")
    if "\ufffd" in said or CONTROL.search(said):
        return "a control character reaches the terminal"
    if machine:
        error = json.loads(done.stdout)["error"]
        if error["exit_code"] != 2 or not error["message"]:
            return "the JSON of the error is not that of a refusal"
    elif done.stdout:
        return "a refusal prints an answer"
    if MARK in said or MARK in done.stdout.decode("utf-8", "replace"):
        return "a cell is quoted"
    return ""


def try_case(case, bases, scratch, machine):
    folder = pathlib.Path(tempfile.mkdtemp(dir=scratch)) / "data"
    shutil.copytree(bases / case.base, folder, symlinks=True)
    for name, content in {case.file: case.content, **case.also}.items():
        (folder / name).write_bytes(content)
    command = [str(BINARY), *words_of(case, folder), "--threads", "1", *(["--json"] if machine else [])]
    try:
        done = subprocess.run(command, cwd=folder.parent, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return Outcome(case, "hang", f"no answer in {LIMIT} s: {folder}")
    if done.returncode < 0 or done.returncode > 128:
        outcome = Outcome(case, "signal", f"{done.returncode}")
    elif done.returncode in USABLE:
        outcome = Outcome(case, "accepted", case.follow(case, folder, done) or "" if case.follow else "")
    elif done.returncode == 2:
        # A release that fails its check is a finding, not a refusal: it is printed as one.
        found = case.command[0] == "verify" and done.stdout and not done.stderr
        outcome = Outcome(case, "refused", "" if found else say_no_well(done, machine))
        if (folder / "out").exists():
            outcome.wrong = "a refusal has written something"
    else:
        outcome = Outcome(case, "our fault", f"exit code {done.returncode}")
    if outcome.wrong:
        outcome.wrong += f": {' '.join(command)}\n      {done.stderr[:400]!r}"
    else:
        shutil.rmtree(folder.parent)
    return outcome


# --- the kinds: each an endless list of cases, of which the first are taken


def spoilers(ways):
    """Each way in turn, with a generator of its own."""
    for number in range(10**6):
        yield number, ways[number % len(ways)], random.Random(number)


def spec_cases(bases):
    names = [("long", "spec.toml"), ("wide", "spec.toml"), ("jobs", "spec.toml"), ("kept", "spec.toml")]
    for number, way, chance in spoilers(SETTINGS * 2 + LINES + BYTES):
        base, file = names[number // 3 % len(names)]
        content = way(chance, (bases / base / file).read_bytes())
        yield Case("spec", f"{base} {way.__name__} {number}", base, file, content, ["fit", f"@{file}", "-o", "@out"])


def data_cases(bases):
    csvs = [("long", "people.csv"), ("long", "events.csv"), ("wide", "people.csv"), ("kept", "people.csv")]
    parquets = [
        ("long-parquet", "people.parquet"),
        ("long-parquet", "events.parquet"),
        ("wide-parquet", "people.parquet"),
    ]
    for number, _, chance in spoilers([None]):
        if number % 3 == 2:
            base, file = parquets[number // 3 % 3]
            way = BYTES[number // 9 % len(BYTES)]
        else:
            base, file = csvs[number // 2 % 4]
            ways = CELLS * 2 + LINES + BYTES
            way = ways[number // 5 % len(ways)]
        content = way(chance, (bases / base / file).read_bytes())
        command = ["fit", "@spec.toml", "-o", "@out"]
        if number % 4 == 3:
            command = ["inspect", "@spec.toml"]
        yield Case("data", f"{base}/{file} {way.__name__} {number}", base, file, content, command)


def same_in_other_words(chance, text):
    """The same mechanism: other keys of the draws, other spelling, another order of entries."""
    mechanism = json.loads(text)
    what = chance.randrange(6)
    if what == 0:
        mechanism["key"] = chance.randbytes(32).hex()
    elif what == 1:
        mechanism = dict(chance.sample(sorted(mechanism.items()), len(mechanism)))
    elif what == 2:
        mechanism["version"], mechanism["note"] = "0.0.0", "another note"
    elif what == 3:
        mechanism["history"] = []
    elif what == 4:
        return sealed(mechanism).replace(": ", ":  ").replace(", ", ",\n"), False  # the seal does not fit any more
    else:
        mechanism["limits"]["people"] = [
            x - 1 if not at else x + 1 for at, x in enumerate(mechanism["limits"]["people"])
        ]
    return sealed(mechanism), True


def move_probability(chance, mechanism):
    """Some people draw a donor more often, and another less."""
    for channel in chance.sample(mechanism["channels"], len(mechanism["channels"])):
        for row in channel["rows"] if channel["draw"] == "cells" else []:
            if len(row) > 1:
                a, b = chance.sample(range(len(row)), 2)
                part = row[a][1] * chance.choice([0.01, 0.5, 1])
                row[a][1] -= part
                row[b][1] += part
                return
    channel = chance.choice(mechanism["channels"])
    channel["retain"] = chance.choice([0.001, 0.5, 1])


def state_less(chance, mechanism):
    promise = mechanism["promise"]
    name = chance.choice(["leakage_bits", "leakage_features_bits", "own_rows", "distance", "secret_entropy_bits"])
    promise[name] *= chance.choice([0, 0.5, 0.99, 1.01, 2])


def move_a_value(chance, mechanism):
    """A secret goes to the neighbouring group, with or without its people."""
    groups = mechanism["groups"]
    g = chance.randrange(len(groups) - 1)
    groups[g + 1]["members"].insert(0, groups[g]["members"].pop())
    if chance.random() < 0.5:
        groups[g]["values"] -= 1
        groups[g + 1]["values"] += 1


def move_an_end(chance, mechanism):
    g = chance.randrange(len(mechanism["groups"]) - 1)
    end = mechanism["groups"][g]["covers"][0]
    step = chance.choice([-2, 3])
    end["high"] += step
    if chance.random() < 0.5:
        mechanism["groups"][g + 1]["covers"][0]["low"] += step


def tighten_limits(chance, mechanism):
    least = min(group["people"] for group in mechanism["groups"])
    mechanism["limits"]["people"] = [least + 1, mechanism["limits"]["people"][1]]
    if "smallest_pool" in mechanism:
        mechanism["limits"]["for"] = chance.choice(["pools", "groups"])
        mechanism["smallest_pool"] = least + 1


def exchange_channels(chance, mechanism):
    channels = mechanism["channels"]
    a, b = chance.sample(range(len(channels)), 2)
    channels[a], channels[b] = channels[b], channels[a]


def shift_packed_rows(chance, mechanism):
    channels = [channel for channel in mechanism["channels"] if isinstance(channel.get("rows"), str)]
    if not channels:
        return move_probability(chance, mechanism)
    channel = chance.choice(channels)
    letters = list(channel["rows"])
    for _ in range(chance.randint(1, 3)):
        letters[chance.randrange(len(letters))] = chance.choice("ABCabc019+/=")
    channel["rows"] = "".join(letters)


def claim_another_method(chance, mechanism):
    """Such as one with differential privacy; the manifest says it on."""
    methods = ["dp", "fine", "hyobscure", "random", "exact", "privcheck", "best of all"]
    mechanism["method"] = chance.choice([name for name in methods if name != mechanism["method"]])


EDITS = [
    claim_another_method,
    move_probability,
    state_less,
    move_a_value,
    move_an_end,
    tighten_limits,
    exchange_channels,
    shift_packed_rows,
]


# What `publish` leaves to `verify`: a mechanism may have been fitted with flags, and so to other limits than the spec's.
SEEN_BY_VERIFY = {"spec-limits"}


def published_is_true(bases, case, folder, done):
    """A mechanism that was published keeps its word, and its release passes, or verify says that it is another spec's."""
    people = mechanism_truth.People(bases / case.base)
    original = (bases / case.base / case.file).read_text()
    wrong = mechanism_truth.lies((folder / case.file).read_text(), people, original)
    if wrong:
        return f"a false mechanism was published: {', '.join(wrong)}"
    verified = run("verify", folder / "out", "--against", folder / "spec.toml", "--threads", 1, "--json")
    failed = {check["key"] for check in verified.json["checks"] if not check["passed"] and not check.get("warning")}
    return "" if failed <= SEEN_BY_VERIFY else f"a release that was published fails verify: {', '.join(failed)}"


def mechanism_cases(bases):
    files = [("long", "fine.json"), ("long", "hyobscure.json"), ("kept", "random.json")]
    follow = functools.partial(published_is_true, bases)
    for number, _, chance in spoilers([None]):
        base, file = files[number % 3]
        text = (bases / base / file).read_text()
        turn = number // 3 % 8
        if turn < 2:
            way = (BYTES + LINES)[number // 24 % 13 - turn]
            content, name = way(chance, text.encode()), way.__name__
        elif turn == 2:
            changed, fits = same_in_other_words(chance, text)
            content, name = changed.encode(), f"same in other words, {'sealed' if fits else 'its seal does not fit'}"
        elif turn < 6:
            edit = EDITS[number // 3 // 8 * 3 % len(EDITS) - turn]
            mechanism = json.loads(text)
            edit(chance, mechanism)
            content, name = sealed(mechanism).encode(), edit.__name__
        else:
            mechanism, path = change_an_entry(chance, json.loads(text))
            content, name = sealed(mechanism).encode(), "/".join(map(str, path))
        flags = ["--accept-leakage", "--release.ledger", "none"]
        title = f"{base}/{file} {name} {number}"
        if number // 24 % 5 == 4:  # an audit looks at a mechanism, too; what it says goes nowhere
            command = ["audit", "@spec.toml", "@release", "-m", f"@{file}"]
            yield Case("mechanism", f"{title} audited", base, file, content, command)
        else:
            command = ["publish", "@spec.toml", "-m", f"@{file}", *flags, "-o", "@out"]
            yield Case("mechanism", title, base, file, content, command, follow)


def means_the_same(a, b):
    """As JSON, doubled keys seen."""

    def pairs(entries):
        return ("object", sorted(entries, key=lambda entry: entry[0]))

    try:
        return json.loads(a, object_pairs_hook=pairs) == json.loads(b, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False


def release_is_as_it_was(bases, case, folder, done):
    original = (bases / case.base / case.file).read_bytes()
    same = case.content == original or (case.file.endswith(".json") and means_the_same(case.content, original))
    return "" if same else "a changed release passes"


def release_cases(bases):
    ways = BYTES + LINES
    for number, way, chance in spoilers(ways):
        name = ["manifest.json", "manifest.json", "people.csv", "events.csv"][number // 2 % 4]
        file = f"release/{name}"
        original = (bases / "long" / file).read_bytes()
        follow = functools.partial(release_is_as_it_was, bases)
        if name == "manifest.json" and number % 3 == 0:
            manifest, path = change_an_entry(chance, json.loads(original))
            title = "/".join(map(str, path))
            if number % 2:  # with a seal that fits: no more than an answer is expected of `verify` alone
                manifest.pop("seal", None)
                manifest["seal"] = seal_of_manifest(manifest)
                follow, title = None, title + " sealed"
            content = json.dumps(manifest, indent=2).encode()
        else:
            content, title = way(chance, original), way.__name__
        against = ["--against", "@spec.toml"] if number % 2 else []
        yield Case(
            "release", f"{name} {title} {number}", "long", file, content, ["verify", "@release", *against], follow
        )


def seal_of_manifest(manifest):
    """As the program writes it; where Python spells a number otherwise, the seal does not fit, which is a case, too."""
    text = json.dumps(manifest, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def same_mechanism(bases, case, folder, done):
    """What comes of a census that was accepted is what came of it before."""
    whole = json.loads((bases / "long" / "hyobscure.json").read_text())
    found = json.loads((folder / "out").read_text())
    return "" if found["promise"] == whole["promise"] else "a changed census gave other figures"


def census_cases(bases):
    census = bases / "long" / "census"
    for number, way, chance in spoilers(BYTES):
        name = ["census.json", "people.bin", "items.bin", "values.bin"][number % 4]
        content = (census / name).read_bytes()
        also, title = {}, way.__name__
        if name == "census.json" and number % 8:
            description, path = change_an_entry(chance, json.loads(content))
            content, title = json.dumps(description).encode(), "/".join(map(str, path))
        else:
            content = way(chance, content)
            if name != "census.json" and number % 3:  # with a hash that fits
                description = json.loads((census / "census.json").read_text())
                description["sha256"][name] = hashlib.sha256(content).hexdigest()
                also, title = {"census/census.json": json.dumps(description).encode()}, title + " hashed"
        command = ["fit", "@spec.toml", "--census", "@census", "-o", "@out"]
        follow = None if also else functools.partial(same_mechanism, bases)
        yield Case("census", f"{name} {title} {number}", "long", f"census/{name}", content, command, follow, also)


def other_cases(bases):
    """The comparison of a report, the ledger and the hierarchy of names."""
    ledger = "hyobscure-ledger.json"
    for number, way, chance in spoilers(BYTES + LINES):
        turn = number % 3
        base, file = [("long", "comparison/comparison.json"), ("long", ledger), ("jobs", "jobs.csv")][turn]
        content, title = (bases / base / file).read_bytes(), way.__name__
        if turn < 2 and number % 2:
            changed, path = change_an_entry(chance, json.loads(content))
            content, title = json.dumps(changed).encode(), "/".join(map(str, path))
        else:
            if turn == 2 and number % 2:
                way = CELLS[number // 6 % len(CELLS)]
            content = way(chance, content)
        command = [
            ["audit", "@spec.toml", "@release", "-m", "@fine.json", "--comparison", "@comparison", "--report", "@out"],
            ["publish", "@unseeded.toml", "-m", "@second.json", "--accept-leakage", "-o", "@out"],
            ["fit", "@spec.toml", "-o", "@out"],
        ][turn]
        yield Case("other", f"{file} {title} {number}", base, file, content, command)


CASES = {
    "spec": spec_cases,
    "data": data_cases,
    "mechanism": mechanism_cases,
    "release": release_cases,
    "census": census_cases,
    "other": other_cases,
}


# --- all of them


def try_all(kind, bases, scratch, every):
    """Outcomes of each `every`-th case of a kind, two at a time."""
    cases = (case for number, case in zip(range(COUNTS[kind]), CASES[kind](bases)) if number % every == 0)
    with concurrent.futures.ThreadPoolExecutor(2) as two:
        yield from two.map(lambda at: try_case(at[1], bases, scratch, at[0] % 2 == 1), enumerate(cases))


def wrong_about(case, outcome):
    """What the outcome of a case with a known answer should have been."""
    must = case.command[0] == "publish" and "same in other words, sealed" in case.name
    if must and outcome.verdict != "accepted":
        return "a true mechanism was refused"
    return outcome.wrong


VERDICTS = ["accepted", "refused", "our fault", "signal", "hang"]


def try_kinds(kinds, every, scratch, bases, tell=print):
    """A table as text, and sentences about what is wrong."""
    faults, lines = [], [f"{'kind':<12}{'tried':>8}" + "".join(f"{verdict:>11}" for verdict in VERDICTS)]
    for kind in kinds:
        count = collections.Counter()
        for outcome in try_all(kind, bases, scratch, every):
            count[outcome.verdict] += 1
            if wrong := wrong_about(outcome.case, outcome):
                faults.append(f"{kind}: {outcome.case.name}: {outcome.verdict}: {wrong}")
                tell(faults[-1])
        lines.append(f"{kind:<12}{sum(count.values()):>8}" + "".join(f"{count[verdict]:>11}" for verdict in VERDICTS))
    return "\n".join(lines), faults


def main(words):
    every = int(words[0]) if words else 1
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="hyobscure-mutated-"))
    (scratch / "bases").mkdir()
    table, faults = try_kinds(words[1:] or CASES, every, scratch, make_bases(scratch / "bases"))
    print(table)
    if faults:
        sys.exit(f"{len(faults)} are wrong; their files are in {scratch}")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main(sys.argv[1:])

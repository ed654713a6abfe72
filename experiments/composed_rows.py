"""Donors' rows and composed rows at equal leakage: what each costs, and who finds whose row.

    python3 experiments/composed_rows.py spec.toml ... [--bits 0.02] [--kin 2 5 10] [--method fine] [--targets 400]

For every spec (examples/*.toml beside their data) and every kind of rows the budget is searched at which the features
leak `--bits`. Then somebody who knows m random entries of a person
looks for the published row that has most of them: how often a person's own true row is the only one that fits, and how
many of the other entries of the best row are true of the person, beside those of a random row of the group. Prints a
table in Markdown. `hyobscure audit` with the same flags measures the tasks. Of wide data an entry is the cell of a column.
"""

import argparse
import csv
import json
import math
import random
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "build" / "hyobscure"
KNOWN = (4, 8)
HALVINGS = 9


def ask(*arguments, usable=(0, 3)):
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json"], capture_output=True, text=True)
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    return answer if done.returncode in usable else None


def fit_at(spec, bits, flags, folder):
    """The largest leakage of features that is not above `bits`: more budget never leaks more."""
    low, high, best = 0.0, 1.0, None
    for step in range(HALVINGS):
        share = (low + high) / 2
        mechanism = folder / f"{step}.json"
        answer = ask("fit", spec, "-o", mechanism, "--force", *flags, "--channel.budget_share", share)
        if answer and answer["leakage_features_bits"] <= bits:
            high, best = share, (answer, mechanism, share)
        else:
            low = share
    return best


def published_entries(release):
    """Entries by published person, and the group of each."""
    manifest = json.loads((release / "manifest.json").read_text())
    columns = manifest["columns"]
    with open(release / "people.csv", newline="") as lines:
        people = list(csv.DictReader(lines))
    groups = {row[columns["id"]]: row[columns["secret"]] for row in people}
    if manifest["shape"] == "wide":
        return {row[columns["id"]]: {(c, row[c]) for c in columns["features"]} for row in people}, groups
    entries = defaultdict(set)
    cells = [columns[role] for role in ("item", "value") if role in columns]
    with open(release / "events.csv", newline="") as lines:
        for row in csv.DictReader(lines):
            entries[row[columns["person"]]].add(tuple(row[cell] for cell in cells))
    return entries, groups


def true_entries(spec, folder):
    """Everybody's own row, in the form of a release: of a mechanism that retains nearly all rows."""
    release = folder / "true"
    flags = ["--method.name", "random", "--method.parameter", 0, "--release.ids", "keep", "--release.ledger", "none"]
    flags += ["--release.rows", "donor", "--release.format", "csv", "--method.seed", 1]
    assert ask("fit", spec, "-o", folder / "true.json", *flags) is not None
    done = ask("publish", spec, "-m", folder / "true.json", "-o", release, *flags, "--accept-leakage")
    assert done["people_unchanged"] == done["people"]
    return published_entries(release)


def attack(true, published, groups, known, targets, rng):
    """(share whose own row is the only one that fits, precision of the rest, that of a random row of the group)"""
    people = sorted(person for person in true if len(true[person]) > known)
    owners = defaultdict(set)
    for who, row in published.items():
        for entry in row:
            owners[entry].add(who)
    by_group = defaultdict(list)
    for who, group in groups.items():
        by_group[group].append(who)
    found = rest = control = 0
    chosen = rng.sample(people, min(targets, len(people)))
    for target in chosen:
        seen = set(rng.sample(sorted(true[target]), known))
        fits = defaultdict(int)
        for entry in seen:
            for who in owners[entry]:
                fits[who] += 1
        most = max(fits.values(), default=0)
        best = [who for who, count in fits.items() if count == most] or list(published)
        row = published[rng.choice(sorted(best))]
        found += most == known and len(best) == 1 and row == true[target]
        rest += len((row - seen) & true[target]) / max(1, len(row - seen))
        other = published[rng.choice(by_group[groups[target]])]
        control += len((other - seen) & true[target]) / max(1, len(other - seen))
    return [x / len(chosen) for x in (found, rest, control)]


def interval(share, count):
    return 1.96 * math.sqrt(max(share * (1 - share), 1e-9) / count)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="+")
    parser.add_argument("--bits", type=float, default=0.02)
    parser.add_argument("--kin", type=int, nargs="+", default=[5])
    parser.add_argument("--method", default="fine")
    parser.add_argument("--targets", type=int, default=400)
    given = parser.parse_args()
    known = [f"m = {m}: own row, rest true (control)" for m in KNOWN]
    print("| data | rows | features' bits | distance | dropped |", " | ".join(known), "|")
    print("|", "--- |" * (5 + len(KNOWN)))
    for spec in given.specs:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            true, groups = true_entries(spec, folder)
            kinds = {"donor": ["--release.rows", "donor"]}
            for kin in given.kin:
                kinds[f"composed, kin {kin}"] = ["--release.rows", "composed", "--release.kin", kin]
            for kind, rows in kinds.items():
                flags = [*rows, "--method.name", given.method, "--release.ids", "keep", "--release.format", "csv"]
                flags += ["--release.ledger", "none", "--method.seed", 1]
                best = fit_at(spec, given.bits, flags, folder)
                if best is None:
                    print(f"| {spec} | {kind} | out of reach |")
                    continue
                answer, mechanism, share = best
                release = folder / kind.replace(" ", "-").replace(",", "")
                flags += ["--channel.budget_share", share]
                assert ask("publish", spec, "-m", mechanism, "-o", release, *flags, "--accept-leakage")
                published, _ = published_entries(release)
                cells = []
                for m in KNOWN:
                    own, rest, control = attack(true, published, groups, m, given.targets, random.Random(m))
                    cells.append(f"{own:.2f} ± {interval(own, given.targets):.2f}, {rest:.2f} ({control:.2f})")
                dropped = answer.get("composed_dropped")
                print(
                    f"| {spec} | {kind} | {answer['leakage_features_bits']:.4f} | {answer['distance']:.4f} |",
                    "—" if dropped is None else f"{dropped:.3f}",
                    "|",
                    " | ".join(cells),
                    "|",
                    flush=True,
                )


if __name__ == "__main__":
    main()

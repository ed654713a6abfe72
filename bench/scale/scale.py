#!/usr/bin/env python3
"""Whole runs, synth to verify, at growing sizes, next to the floor: the table engine alone on the same files.

usage: scale.py path/to/hyobscure [--sizes 1e4,1e5] [--formats csv,parquet] [--method exact] [--memory 2GB] [--fine-most 2e4]
                [--floor path/to/floor] [--folder DIR] [--keep] [--json FILE]

Every stage is a process of its own, measured from outside: wall seconds, CPU seconds and peak memory of wait4, and the files it
reads and writes. The floor runs in the same run, on the same files, with the engine and the file format of the release:
  copy   DuckDB reads people and events and writes them back
  join   and gives every person the events of a donor on the way
  sort   and puts them in order, as a release does
Prints Markdown tables, the last with the targets: met or missed beside each. CSV ends at 1e6 people. Answers are checked before they count: verify must pass, leakage must be finite.
"""

import argparse
import json
import math
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from measured import identity, measured

CSV_MOST = 1_000_000
MEGABYTE = 1e6

# What a million people may cost, in times the copy; what 100,000 may take for fit and publish, in seconds.
MOST_TIMES_COPY = {
    "fit": {"csv": 1.7, "parquet": 2.0},
    "publish": {"csv": 2.0, "parquet": 2.0},
    "publish of census": {"csv": 2.0, "parquet": 2.0},
    "verify": {"csv": 2.0, "parquet": 2.0},
}
MOST_SECONDS = {"csv": 8.0, "parquet": 5.0}
MOST_VERIFY_MB = 2000
MOST_GROWTH = 2.1


def megabytes(*paths):
    files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path])]
    return sum(file.stat().st_size for file in files) / MEGABYTE


class Run:
    """One size in one format, in a folder of its own."""

    def __init__(self, options, people, file_format, method, folder):
        self.options, self.people, self.format, self.method = options, people, file_format, method
        self.data, self.mechanism, self.release = folder / "data", folder / "mechanism.json", folder / "release"
        self.folder, self.stages = folder, {}

    def stage(self, name, command, reads, writes):
        taken = measured(*command)
        text = taken.pop("output")
        if taken.pop("code") != 0:
            sys.exit(f"failed: {' '.join(map(str, command))}\n{text}")
        if identity(self.options.program) != self.options.identity:
            sys.exit(f"{self.options.program} was built again during the run: run again, or measure a copy")
        taken["read_mb"], taken["written_mb"] = megabytes(*reads), megabytes(*writes)
        self.stages[name] = taken
        return text

    def program(self, *words):
        memory = ["--memory", self.options.memory] if self.options.memory else []
        return [self.options.program, *words, "-q", *memory]

    def check(self, verified):
        if not json.loads(verified)["passed"]:
            sys.exit(f"{self.people} people: the release does not verify")
        leakage = json.loads((self.release / "manifest.json").read_text())["leakage_bits"]
        if not math.isfinite(leakage):
            sys.exit(f"{self.people} people: leakage is {leakage}")

    def whole(self):
        spec, ours = self.data / "spec.toml", ["--method", self.method, "--release.ledger", "none"]
        self.stage(
            "synth",
            self.program("synth", "--people", self.people, "--format", self.format, "-o", self.data),
            [],
            [self.data],
        )
        self.stage("inspect", self.program("inspect", spec, *ours), [self.data], [])
        self.stage("fit", self.program("fit", spec, *ours, "-o", self.mechanism), [self.data], [self.mechanism])
        self.stage(
            "publish",
            self.program("publish", spec, *ours, "-m", self.mechanism, "-o", self.release),
            [self.data, self.mechanism],
            [self.release],
        )
        self.check(self.stage("verify", self.program("verify", self.release, "--json"), [self.release], []))
        self.publish_from_census(spec, ours)

    def publish_from_census(self, spec, ours):
        """The same release from people and rows that fit has kept, instead of from the files of the events."""
        census, mechanism = self.folder / "census", self.folder / "census.json"
        of_census, of_files = self.folder / "of-census", self.folder / "of-files"
        ours = [*ours, "--seed", 1]
        fit = self.program("fit", spec, *ours, "-o", mechanism, "--save-census", census)
        self.stage("fit, census saved", fit, [self.data], [mechanism, census])
        publish = ["publish", spec, *ours, "-m", mechanism]
        kept = self.program(*publish, "--census", census, "-o", of_census)
        self.stage("publish of census", kept, [census, mechanism], [of_census])
        self.stage("publish of files", self.program(*publish, "-o", of_files), [self.data, mechanism], [of_files])
        if any(file.read_bytes() != (of_files / file.name).read_bytes() for file in of_census.iterdir()):
            sys.exit(f"{self.people} people: the release of a census is not that of the files")

    def floors(self):
        memory = [self.options.memory] if self.options.memory else []
        for kind in ("copy", "join", "sort"):
            output = self.folder / f"floor-{kind}"
            self.stage(f"floor: {kind}", [self.options.floor, kind, self.data, output, *memory], [self.data], [output])

    def wall(self, *stages):
        return sum(self.stages[stage]["wall"] for stage in stages)

    def ours(self):
        return self.wall("fit", "publish")


def growth(run, smaller):
    """Times the wall time of fit + publish for twice the people."""
    return (run.ours() / smaller.ours()) ** (math.log(2) / math.log(run.people / smaller.people))


def run_all(options, method, formats, sizes, floors, root):
    runs = []
    for file_format in formats:
        for people in sizes:
            if file_format == "csv" and people > CSV_MOST:
                continue
            folder = root / f"{method}-{file_format}-{people}"
            folder.mkdir(parents=True, exist_ok=True)
            run = Run(options, people, file_format, method, folder)
            run.whole()
            if floors:
                run.floors()
            runs.append(run)
            print(f"{people:,} people, {file_format}, {method}: done", file=sys.stderr, flush=True)
            if not options.keep:
                shutil.rmtree(folder)
    return runs


def print_stages(runs):
    print("| people | format | stage | wall s | CPU s | peak MB | read MB | written MB |")
    print("| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for run in runs:
        for name, took in run.stages.items():
            print(
                f"| {run.people:,} | {run.format} | {name} | {took['wall']:.2f} | {took['cpu']:.2f} | {took['peak_mb']:,.0f} | "
                f"{took['read_mb']:,.1f} | {took['written_mb']:,.1f} |"
            )


def print_ratios(runs):
    print(
        "\n| people | format | fit + publish s | floor s | times the floor | times join | times join and sort | twice the people |"
    )
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for before, run in zip([None, *runs], runs):
        ratios = " | ".join(f"{run.ours() / run.wall(f'floor: {kind}'):.1f}" for kind in ("copy", "join", "sort"))
        print(
            f"| {run.people:,} | {run.format} | {run.ours():.2f} | {run.wall('floor: copy'):.2f} | {ratios} | {growth_cell(before, run)} |"
        )


def targets(run, before):
    """What is asked of this run: what, the figure found, its limit, and the same by CPU seconds where that has a meaning."""
    copy = run.stages["floor: copy"]
    found = []
    if run.people == 1_000_000:
        for stage, most in MOST_TIMES_COPY.items():
            took = run.stages[stage]
            found.append(
                (f"{stage}, times the copy", took["wall"] / copy["wall"], most[run.format], took["cpu"] / copy["cpu"])
            )
        found.append(("verify, peak MB", run.stages["verify"]["peak_mb"], MOST_VERIFY_MB, None))
    if run.people == 100_000:
        found.append(("fit + publish, s", run.ours(), MOST_SECONDS[run.format], None))
    if before and before.format == run.format:
        found.append(("twice the people, times the time", growth(run, before), MOST_GROWTH, None))
    return found


def print_targets(runs):
    print("\n| people | format | target | at most | found, by the clock | by CPU seconds | |")
    print("| ---: | --- | --- | ---: | ---: | ---: | --- |")
    for before, run in zip([None, *runs], runs):
        for what, value, most, by_cpu in targets(run, before):
            cpu = "" if by_cpu is None else f"{by_cpu:.2f}"
            print(
                f"| {run.people:,} | {run.format} | {what} | {most:g} | {value:,.2f} | {cpu} | "
                f"{'met' if value <= most else '**missed**'} |"
            )


def print_fine(runs):
    print(
        "\n| people | format | fine: fit s | publish s | fit peak MB | twice the people |\n| ---: | --- | ---: | ---: | ---: | ---: |"
    )
    for before, run in zip([None, *runs], runs):
        print(
            f"| {run.people:,} | {run.format} | {run.wall('fit'):.2f} | {run.wall('publish'):.2f} | "
            f"{run.stages['fit']['peak_mb']:,.0f} | {growth_cell(before, run)} |"
        )


def growth_cell(before, run):
    return f"{growth(run, before):.2f}" if before and before.format == run.format else ""


def sizes_up_to(most):
    """Doubling, ending at the most."""
    sizes = [int(most)]
    while sizes[0] >= 10_000:
        sizes.insert(0, sizes[0] // 2)
    return sizes


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument(
        "--sizes", default="1e4,1e5", type=lambda text: sorted(int(float(size)) for size in text.split(","))
    )
    parser.add_argument("--formats", default="csv,parquet", type=lambda text: text.split(","))
    parser.add_argument("--method", default="exact")
    parser.add_argument("--memory", default="", help="what every command may use for tables, such as 2GB")
    parser.add_argument(
        "--fine-most", default=2e4, type=float, help="people up to whom the fine method runs too; 0: not at all"
    )
    parser.add_argument(
        "--floor", type=pathlib.Path, help="the floor program; bench/floor beside the program otherwise"
    )
    parser.add_argument("--folder", type=pathlib.Path, help="where the files go; a temporary folder otherwise")
    parser.add_argument("--keep", action="store_true", help="leave the files in the folder")
    parser.add_argument("--json", type=pathlib.Path, help="also write every number here")
    options = parser.parse_args()
    options.program = options.program.resolve()
    options.identity = identity(options.program)
    options.floor = (options.floor or options.program.parent / "bench" / "floor").resolve()
    if options.keep and not options.folder:
        parser.error("--keep needs --folder")
    return options


def main():
    options = read_options()
    with tempfile.TemporaryDirectory() as scratch:
        root = options.folder or pathlib.Path(scratch)
        runs = run_all(options, options.method, options.formats, options.sizes, True, root)
        print_stages(runs)
        print_ratios(runs)
        print_targets(runs)
        sys.stdout.flush()
        fine = (
            run_all(options, "fine", options.formats[:1], sizes_up_to(options.fine_most), False, root)
            if options.fine_most
            else []
        )
    if fine:
        print_fine(fine)
    if options.json:
        options.json.write_text(
            json.dumps(
                [
                    {"people": run.people, "format": run.format, "method": run.method, "stages": run.stages}
                    for run in runs + fine
                ],
                indent=1,
            )
        )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A whole run on a standalone Spark cluster on loopback: census, fit, publish, verify, by step.

usage: spark.py path/to/hyobscure [--people 1e6] [--entries 20] [--method exact] [--executors 1,2] [--memory 2g]
                [--folder DIR] [--json FILE]

Needs the Python package with pyspark and pyarrow. Every number of executors is a cluster of its own, a core
each. CPU seconds are those of driver, executors and their Python, workers and master; a small job before the first
call keeps the start of executors out of them, but not the compiling of Java. Figures by step come from Spark's own
REST API: seconds by the clock, seconds of tasks (all executors, Python included), bytes read, shuffled and written.
The command line runs the same three steps on as many cores. Answers are checked before they count: the mechanism must
be the command line's byte for byte, and the release must verify with the command line. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from datetime import datetime

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python" / "tests" / "spark"))
from cluster import Cluster, children  # noqa: E402

import hyobscure.spark as hs  # noqa: E402

MEGABYTE = 1e6
BYTES = {"read": "inputBytes", "shuffled": "shuffleWriteBytes", "written": "outputBytes"}
SETTINGS = {"spark.ui.enabled": "true", "spark.sql.shuffle.partitions": 16, "spark.driver.memory": "3g"}


def program(options: argparse.Namespace, *words: object) -> str:
    done = subprocess.run([options.program, *map(str, words), "-q"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def make_data(options: argparse.Namespace, folder: pathlib.Path) -> pathlib.Path:
    data = folder / "data"
    if not data.exists():
        program(
            options,
            "synth",
            "--people",
            options.people,
            "--entries",
            options.entries,
            "--seed",
            1,
            "--format",
            "parquet",
            "-o",
            data,
        )
    lines = (data / "spec.toml").read_text().replace('name = "fine"', f'name = "{options.method}"\nseed = 1')
    spec = data / f"spark-{options.method}.toml"
    spec.write_text(lines)
    return spec


def cpu_seconds(process: int) -> float:
    """Of a process and all that it has started."""
    try:
        words = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended meanwhile
        return 0.0
    mine = sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")  # with children that have ended
    return mine + sum(map(cpu_seconds, children(process)))


class Watch:
    """Times calls; Spark's REST API tells what the steps of each took."""

    def __init__(self, spark, label: str) -> None:
        self.cpu: dict[str, float] = {}
        context = spark.sparkContext
        self.address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}"
        self.label, self.calls, self.steps = label, {}, {}
        self.next_job = 0

    def timed(self, name: str, call: Callable):
        begin, cpu = time.monotonic(), cpu_seconds(os.getpid())
        result = call()
        self.calls[name], self.cpu[name] = time.monotonic() - begin, cpu_seconds(os.getpid()) - cpu
        print(f"{self.label}: {name} {self.calls[name]:.1f} s, CPU {self.cpu[name]:.1f} s", file=sys.stderr, flush=True)
        self._add_steps(name)
        return result

    def _list(self, what: str) -> list[dict]:
        with urllib.request.urlopen(f"{self.address}/{what}") as answer:
            return json.load(answer)

    def _add_steps(self, call: str) -> None:
        time.sleep(2)  # Spark writes its books a little later
        stages = {stage["stageId"]: stage for stage in self._list("stages") if stage["status"] == "COMPLETE"}
        jobs = [job for job in self._list("jobs") if job["jobId"] >= self.next_job]
        for job in sorted(jobs, key=lambda job: job["jobId"]):
            name = job.get("description", "").removeprefix("hyobscure: ")
            step = self.steps.setdefault(f"{call}: {name}", dict.fromkeys(["wall", "tasks", *BYTES], 0.0))
            step["wall"] += seconds_of(job)
            self.next_job = job["jobId"] + 1
            for stage in (stages.pop(number) for number in job["stageIds"] if number in stages):
                step["tasks"] += stage["executorRunTime"] / 1000
                for what, key in BYTES.items():
                    step[what] += stage[key] / MEGABYTE


def seconds_of(job: dict) -> float:
    begin, end = (
        datetime.strptime(job[key], "%Y-%m-%dT%H:%M:%S.%fGMT") for key in ("submissionTime", "completionTime")
    )
    return (end - begin).total_seconds()


def run(options: argparse.Namespace, executors: int, spec: pathlib.Path, folder: pathlib.Path) -> dict:
    """Wall seconds of the four calls, and what every step of them took."""
    here = folder / f"executors-{executors}"
    here.mkdir()
    cluster = Cluster(here, workers=executors, memory=options.memory)
    spark = cluster.session(**{**SETTINGS, "spark.executor.memory": options.memory})
    spark.sparkContext.setLogLevel("ERROR")
    try:
        people, events = (spark.read.parquet(str(spec.parent / f"{name}.parquet")) for name in ("people", "events"))
        where = {"spec": spec, "work": str(here / "tables")}
        watch = Watch(spark, f"{executors} executors")
        watch.timed("start", lambda: hs.check(spark))
        census = watch.timed("census", lambda: hs.census(people, events, **where))
        mechanism = watch.timed("fit", lambda: hs.fit(census, people, events, work=where["work"]))
        release = watch.timed("publish", lambda: hs.publish(people, events, mechanism, here / "release", **where))
        found = watch.timed("verify", lambda: hs.verify(release.folder))
        if not found.passed:
            sys.exit(f"the release does not verify: {[check for check in found.checks if not check.passed]}")
    finally:
        spark.stop()
        cluster.stop()
    check_by_command_line(options, spec, mechanism.text, here)
    sums = sum(map(len, census.payloads)) / MEGABYTE
    return {
        "executors": executors,
        "calls": watch.calls,
        "cpu": watch.cpu,
        "command_line": by_command_line(options, spec, here),
        "steps": watch.steps,
        "sums_mb": sums,
        "events": release.events,
    }


def by_command_line(options: argparse.Namespace, spec: pathlib.Path, folder: pathlib.Path) -> dict:
    """Wall and CPU seconds of the same steps."""
    found = {}
    release = folder / "release-of-command-line"
    for name, words in {
        "fit": ["fit", spec, "-o", folder / "mechanism.json"],
        "publish": ["publish", spec, "-m", folder / "mechanism.json", "-o", release],
        "verify": ["verify", release],
    }.items():
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        program(options, *words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found[name] = (time.monotonic() - begin, cpu)
    return found


def check_by_command_line(options: argparse.Namespace, spec: pathlib.Path, text: str, folder: pathlib.Path) -> None:
    theirs = spec.parent / f"mechanism-{options.method}.json"
    if not theirs.exists():
        begin = time.monotonic()
        program(options, "fit", spec, "-o", theirs)
        print(f"command line: fit {time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)
    if theirs.read_text() != text:
        sys.exit("the mechanism is not the command line's")
    if not json.loads(program(options, "verify", folder / "release", "--json"))["passed"]:
        sys.exit("the release does not verify with the command line")


def print_runs(options: argparse.Namespace, runs: list[dict]) -> None:
    print(
        f"{options.method}: {options.people:,} people, about {options.entries} events each; {runs[0]['sums_mb']:.0f} MB of "
        f"sums on the driver; release of {runs[0]['events']:,} events\n"
    )
    print("| | start | census | fit | publish | verify | in all, without start |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for each in runs:
        for what, seconds in (("wall s", each["calls"]), ("CPU s", each["cpu"])):
            cells = [f"{second:.1f}" for second in seconds.values()]
            total = sum(seconds.values()) - seconds["start"]
            print(f"| {each['executors']} executors, {what} | " + " | ".join([*cells, f"{total:.1f}"]) + " |")
        for place, what in enumerate(("wall s", "CPU s")):
            found = {name: both[place] for name, both in each["command_line"].items()}
            cells = ["", "", *(f"{second:.1f}" for second in found.values()), f"{sum(found.values()):.1f}"]
            print(f"| command line beside it, {what} | " + " | ".join(cells) + " |")
            ours = sum((each["calls"], each["cpu"])[place].values()) - (each["calls"], each["cpu"])[place]["start"]
            print(f"| times the command line, {what} | | | | | | {ours / sum(found.values()):.1f} |")
    print("\n| step | executors | wall s | task s | read MB | shuffled MB | written MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in runs[0]["steps"]:
        for each in runs:
            step = each["steps"].get(name)
            if step:
                cells = " | ".join(f"{number:,.1f}" for number in step.values())
                print(f"| {name} | {each['executors']} | {cells} |")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--people", default=1_000_000, type=lambda text: int(float(text)))
    parser.add_argument("--entries", default=20, type=int, help="mean number of events a person")
    parser.add_argument("--method", default="exact", help="fine: by wards beyond 20,000 people")
    parser.add_argument("--executors", default="1,2", type=lambda text: [int(each) for each in text.split(",")])
    parser.add_argument("--memory", default="2g", help="of an executor")
    parser.add_argument("--folder", type=pathlib.Path, help="where the files go; a temporary folder otherwise")
    parser.add_argument("--json", type=pathlib.Path, help="also write every number here")
    return parser.parse_args()


def main() -> None:
    options = read_options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        spec = make_data(options, folder)
        runs = []
        for executors in options.executors:
            runs.append(run(options, executors, spec, folder))
            if options.json:
                options.json.write_text(json.dumps(runs, indent=1))
    print_runs(options, runs)


if __name__ == "__main__":
    main()

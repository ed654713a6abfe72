#!/usr/bin/env python3
"""How long a changed file takes to a passing test of its folder, in the release build.

    bench/build/edit_to_test.py [--build build]

Each case adds a line to one file, builds the tests of its folder, runs them, and puts the file back. The line is new every
time and no comment, so that no object comes from the compiler cache. Targets: 30 s for a source, 120 s for a header.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE, HEADER = 30, 120  # seconds
CASES = [
    ("data/spec/spec.cpp", "data", SOURCE),
    ("census/kmeans.cpp", "census", SOURCE),
    ("solve/person/person_bound.cpp", "solve", SOURCE),
    ("obscure/methods/fine.cpp", "obscure", SOURCE),
    ("release/publish.cpp", "release", SOURCE),
    ("report/summary.cpp", "report", SOURCE),
    ("solve/person/person_channel.h", "solve", HEADER),
    ("obscure/methods/method.h", "obscure", HEADER),
]


def seconds_of(command: list[str]) -> float:
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.monotonic() - began


def measure(build: pathlib.Path, changed: pathlib.Path, folder: str) -> tuple[float, float]:
    """Seconds to build and to test, with the file changed and put back."""
    before = changed.read_bytes()
    try:
        changed.write_bytes(before + f"static_assert({time.time_ns()} != 0);\n".encode())
        building = seconds_of(["cmake", "--build", str(build), "--target", f"{folder}_tests"])
        tests = ["ctest", "--test-dir", str(build), "-R", f"^{folder}_[0-9]$", "-j", str(os.cpu_count())]
        return building, seconds_of(tests)
    finally:
        changed.write_bytes(before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    for _, folder, _ in CASES:
        seconds_of(["cmake", "--build", str(options.build), "--target", f"{folder}_tests"])
    print(f"{'changed file':32} {'build s':>8} {'tests s':>8} {'in all':>8} {'target':>7}")
    for name, folder, target in CASES:
        building, testing = measure(options.build, ROOT / "src" / "hyobscure" / name, folder)
        verdict = "met" if building + testing <= target else "missed"
        print(f"{name:32} {building:8.1f} {testing:8.1f} {building + testing:8.1f} {target:7d} {verdict}", flush=True)


if __name__ == "__main__":
    main()

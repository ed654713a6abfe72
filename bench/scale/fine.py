"""The default method from files to mechanism, at growing sizes: seconds, memory and what is proven.

    python3 bench/scale/fine.py build/hyobscure [--sizes 1e3,5e3,2e4,1e5]

People of `synth` with about 110 events each, four groups, the spec as `synth` writes it. Each fit is a process of its own.
"""

import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measured import measured

TARGETS = {1_000: 2, 5_000: 6, 20_000: 20, 100_000: 60, 1_000_000: 600}  # wall seconds on two otherwise idle cores
MOST_GROWTH = 2.1  # times the time for twice the people
MOST_GAP = 1e-3  # bits


def fit(program, people, folder):
    """Makes the people and fits them; what it took, and what the mechanism says of itself."""
    data, mechanism = folder / "people", folder / "mechanism.json"
    measured(program, "synth", "--people", people, "--format", "parquet", "-q", "-o", data)
    run = measured(program, "fit", data / "spec.toml", "-q", "-o", mechanism)
    if run["code"] not in (0, 3):
        sys.exit(run["output"])
    with open(mechanism) as file:  # one entry per line: the figures without the many probabilities
        promise = next(line for line in file if line.startswith(' "promise"'))
    return run, json.loads("{" + promise.rstrip().rstrip(",") + "}")["promise"], mechanism.stat().st_size


def verdict(met):
    return "met" if met else "**missed**"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sizes", default="1e3,5e3,2e4,1e5")
    arguments = parser.parse_args()
    print(
        "| people | wall s (CPU s) | target | twice the people | gap, bits | leakage of features | memory | mechanism |"
    )
    print("| ---: | ---: | --- | --- | --- | ---: | ---: | ---: |")
    before = None
    for people in (int(float(size)) for size in arguments.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            run, promise, size = fit(arguments.program, people, Path(folder))
        growth = ""
        if before:
            # CPU seconds, of which other work on the machine takes nothing
            times = (run["cpu"] / before[1]) ** (1 / math.log2(people / before[0]))
            growth = f"{times:.2f} {verdict(times <= MOST_GROWTH)}"
        before = (people, run["cpu"])
        target = TARGETS.get(people)
        told = f"{target} s {verdict(run['wall'] <= target)}" if target else ""
        gap = promise["gap_bits"]
        print(
            f"| {people:,} | {run['wall']:.1f} ({run['cpu']:.1f}) | {told} | {growth} | {gap:.1e} {verdict(gap <= MOST_GAP)} "
            f"| {promise['leakage_features_bits']:.4f} | {run['peak_mb'] / 1e3:.2f} GB | {size / people:.0f} B per person |",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""What `inspect` says that commands take, beside what they take: fit, publish and audit by the default method.

    python3 bench/scale/costs.py build/hyobscure [--sizes 1e4,1e5,1e6] [--releases 2]

People of `synth` with about 110 events each. A figure is met when it is within a factor of 1.5 by the clock and of the peak
memory; each command is a process of its own, on a machine with nothing else to do.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measured import measured

MOST_OFF = 1.5


def checked(run):
    if run["code"] not in (0, 3):
        sys.exit(run["output"])
    return run


def verdict(said, found):
    ratio = said / found
    return f"{ratio:.2f} {'met' if 1 / MOST_OFF <= ratio <= MOST_OFF else '**missed**'}"


def compare(program, people, releases, folder):
    """Rows (command, what was said, what was measured)."""
    checked(measured(program, "synth", "--people", people, "--format", "parquet", "-q", "-o", folder / "people"))
    spec, mechanism, release = folder / "people" / "spec.toml", folder / "m.json", folder / "release"
    repeat = ["--audit.releases", releases]
    told = json.loads(checked(measured(program, "inspect", spec, "--json", *repeat))["output"])["estimate"]
    commands = {
        "fit": ["fit", spec, "-o", mechanism],
        "publish": ["publish", spec, "-m", mechanism, "-o", release, "--release.ledger", "none", "--accept-leakage"],
        "audit": ["audit", spec, release, "-m", mechanism, *repeat],
    }
    for name, command in commands.items():
        yield name, told, checked(measured(program, *command, "-q"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sizes", default="1e4,1e5")
    parser.add_argument("--releases", default=2, type=int, help="repetitions of the audit")
    arguments = parser.parse_args()
    print("| people | command | said | took, wall (CPU) | ratio | said | peak memory | ratio |")
    print("| ---: | --- | ---: | ---: | --- | ---: | ---: | --- |")
    for people in (int(float(size)) for size in arguments.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            for name, told, run in compare(arguments.program, people, arguments.releases, Path(folder)):
                seconds, memory = told[f"{name}_seconds"], told[f"{name}_memory_bytes"] / 1e9
                print(
                    f"| {people:,} | {name} | {seconds:.1f} s | {run['wall']:.1f} s ({run['cpu']:.1f}) "
                    f"| {verdict(seconds, run['wall'])} | {memory:.2f} GB | {run['peak_mb'] / 1e3:.2f} GB "
                    f"| {verdict(memory, run['peak_mb'] / 1e3)} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()

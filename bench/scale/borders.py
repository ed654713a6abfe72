"""What the borders of wards cost: the leakage of the features at one budget, by the most people in a ward.

    python3 bench/scale/borders.py build/hyobscure [--people 20000] [--movielens FOLDER]

Channels against the informed attacker, so that the leakage is the objective and its gap is proven. The first row of each table
has pools whole; the others have its budget, and what they leak more is what borders cost, up to the two gaps. MovieLens-1M is
taken where its folder is given (HYOBSCURE_DATA of the tests has it).
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measured import measured

SETTINGS = ["--method.threat", "informed", "--method.gap", "1e-3", "-q", "--force"]


def fitted(program, spec, folder, ward, budget):
    """What the mechanism says of itself, and the CPU seconds of the fit."""
    mechanism = folder / "mechanism.json"
    run = measured(program, "fit", spec, *SETTINGS, "--method.ward", ward, *budget, "-o", mechanism)
    if run["code"] not in (0, 3):
        sys.exit(run["output"])
    with open(mechanism) as file:  # one entry per line
        promise = next(line for line in file if line.startswith(' "promise"'))
    return json.loads("{" + promise.rstrip().rstrip(",") + "}")["promise"], run["cpu"]


def print_table(program, spec, folder, name, wards, share):
    print(f"\n{name}\n")
    print("| most people in a ward | leakage of features, bits | more than whole pools | gap | distance | CPU s |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    budget, whole = ["--channel.budget_share", share], None
    for ward in wards:
        promise, cpu = fitted(program, spec, folder, ward, budget)
        leakage = promise["leakage_features_bits"]
        whole = leakage if whole is None else whole
        budget = ["--channel.budget", promise["budget"]]
        label = "pools whole" if ward == wards[0] else f"{ward:,}"
        print(
            f"| {label} | {leakage:.4f} | {leakage - whole:+.4f} | {promise['gap_bits']:.0e} | {promise['distance']:.4f} | {cpu:.0f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--people", default=20_000, type=float)
    parser.add_argument("--share", default="0.5", help="budget_share of the table")
    parser.add_argument("--movielens", type=Path, help="folder with users.dat and ratings.dat")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        people = int(arguments.people)
        measured(arguments.program, "synth", "--people", people, "--format", "parquet", "-q", "-o", folder / "people")
        print_table(
            arguments.program,
            folder / "people" / "spec.toml",
            folder,
            f"{people:,} people of synth, budget_share {arguments.share}",
            [people, 4096, 2000, 1000, 500, 250],
            arguments.share,
        )
        if arguments.movielens:
            for file in arguments.movielens.iterdir():
                (folder / file.name).symlink_to(file.resolve())
            spec = Path(__file__).resolve().parents[2] / "examples" / "movielens-1m.toml"
            shutil.copy(spec, folder / "spec.toml")
            print_table(
                arguments.program,
                folder / "spec.toml",
                folder,
                f"MovieLens-1M, 6,040 people, budget_share {arguments.share}",
                [10_000, 2000, 1000, 500, 250],
                arguments.share,
            )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""CPU seconds of a whole run on MovieLens-100K, where it is at hand, each command as a user starts it.

usage: whole_run.py path/to/hyobscure

CPU time, not wall time, so that a busy machine disturbs less. Growth with people: scale.py.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("HYOBSCURE_DATA", SOURCE.parent / "shared" / "data")) / "movielens-100k"
AUTHORS_CPU_SECONDS = 175  # one run of the authors' program at its defaults, on two busy cores (reference/results.md)


def cpu_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def whole_run(program, spec, folder):
    """Reads twice: fit and publish are two commands."""
    mechanism, release = folder / "mechanism.json", folder / "release"
    fit = cpu_seconds(program, "fit", spec, "--method", "hyobscure", "-o", mechanism, "--force")
    publish = cpu_seconds(program, "publish", spec, "-m", mechanism, "-o", release, "--force")
    subprocess.run([program, "verify", release], check=True, stdout=subprocess.DEVNULL)  # a wrong release has no speed
    return fit, publish


def median_run(program, spec, folder, times=5):
    return sorted((whole_run(program, spec, folder) for _ in range(times)), key=sum)[times // 2]


def movielens(program, folder):
    if not (DATA / "u.data").exists():
        print(f"MovieLens-100K: not measured, it is not in {DATA} (HYOBSCURE_DATA)")
        return
    for name in ("u.user", "u.data"):
        (folder / name).symlink_to(DATA / name)
    spec = folder / "movielens.toml"
    spec.write_text((SOURCE / "examples" / "movielens.toml").read_text())
    fit, publish = median_run(program, spec, folder)
    print(
        f"MovieLens-100K: fit {fit:.2f} + publish {publish:.2f} = {fit + publish:.2f} CPU s, "
        f"{AUTHORS_CPU_SECONDS / (fit + publish):.0f} times less than the authors' {AUTHORS_CPU_SECONDS} s"
    )


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        movielens(program, pathlib.Path(folder))


if __name__ == "__main__":
    main()

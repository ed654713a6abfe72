"""Writes NAME.txt from NAME.in: every package that pip would install for it, of one version, with the fingerprint of its
file. `./run` installs with --require-hashes, so that what a registry hands out later is what was looked at now. The
files are those for the machine that this runs on (Debian 12, x86-64), like the rest of what `./run` fetches.

Usage: lock.py NAME.in...
"""

import json
import pathlib
import subprocess
import sys
import tempfile


def resolved(wanted):
    """What pip would install in an empty environment: (name, version, sha256)."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run(
            [*command, "--dry-run", "--ignore-installed", "--report", report, "-r", wanted],
            check=True,
        )
        installed = json.loads(report.read_text())["install"]
    for package in installed:
        metadata = package["metadata"]
        yield metadata["name"], metadata["version"], package["download_info"]["archive_info"]["hashes"]["sha256"]


def lock(wanted):
    lines = [f"# Written by `./run lock` from {wanted.name}: change that file, not this one."]
    for name, version, sha256 in sorted(resolved(wanted), key=lambda package: package[0].lower()):
        lines.append(f"{name}=={version} --hash=sha256:{sha256}")
    wanted.with_suffix(".txt").write_text("\n".join(lines) + "\n")


for name in sys.argv[1:]:
    lock(pathlib.Path(name))

"""The bill of materials lists what the program loads, what was compiled into it and what its report brings along."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from conftest import BINARY, SOURCE


@pytest.fixture(scope="module")
def bill():
    script = SOURCE / "cmake" / "bill_of_materials.py"
    done = subprocess.run([sys.executable, script, BINARY], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_everything_that_is_loaded_is_listed(bill):
    listed = {
        name for package in bill["packages"] for name in package.get("summary", "").removeprefix("loaded: ").split(", ")
    }
    shown = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=True).stdout
    loaded = {pathlib.Path(path).name for path in re.findall(r"(/\S+) \(0x", shown)}
    needed = set(re.findall(r"^\s*(\S+) =>", shown, re.M))
    assert {"libduckdb.so", "libsodium.so.23"} <= loaded and needed <= loaded
    assert loaded <= listed, loaded - listed


def source_packages(names):
    """Of Debian's packages: what they were built from."""
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package}\n", *names], capture_output=True, text=True)
    return set(shown.stdout.split())


def test_what_is_compiled_in_is_listed(bill):
    """Whose headers the compiler read for the program, as the build has noted."""
    shown = subprocess.run(
        ["ninja", "-C", os.environ.get("HYOBSCURE_BUILD", SOURCE / "build"), "-t", "deps"],
        capture_output=True,
        text=True,
    )
    headers, of_others = set(), False
    for line in shown.stdout.splitlines():
        if line[:1].strip():
            built = line.split(":")[0]
            of_others = "tests" in built or built.startswith("python/")  # the module of Python is another program
        elif line.startswith("    /usr/") and not of_others:
            headers.add(line.strip())
    assert any("eigen3" in header for header in headers), shown.stderr
    owners = subprocess.run(["dpkg-query", "-S", *headers], capture_output=True, text=True).stdout
    read = {line.split(":")[0] for line in owners.splitlines()}
    listed = [package["name"] for package in bill["packages"]]
    assert source_packages(read) - source_packages(listed) <= {"linux"}, "headers of the kernel are no code"


def test_what_the_pages_bring_along_is_listed(bill):
    versions = {package["name"]: package["versionInfo"] for package in bill["packages"]}
    locked = json.loads((SOURCE / "web" / "package-lock.json").read_text())["packages"]
    for name in ("echarts", "zrender", "tslib", "preact"):
        assert versions[name] == locked[f"node_modules/{name}"]["version"]


def test_nothing_is_of_unknown_origin_and_all_is_related(bill):
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0"
    identifiers = [package["SPDXID"] for package in bill["packages"]]
    assert len(identifiers) == len(set(identifiers))
    related = {relation["relatedSpdxElement"] for relation in bill["relationships"]}
    assert related == set(identifiers)
    for package in bill["packages"]:
        assert package["versionInfo"] != "unknown", package["name"]
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"])
        for key in ("name", "versionInfo", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"):
            assert package[key]

"""What a built program consists of, as SPDX 2.3 JSON: what it loads, what is linked into it, and what is bundled in its pages.

usage: bill_of_materials.py PROGRAM > hyobscure.spdx.json
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import re
import subprocess
import sys
from datetime import datetime, timezone

SOURCE = pathlib.Path(__file__).resolve().parent.parent

# Not loaded, so no loader tells them: compiled in from headers, or linked statically (libcrypto).
COMPILED_IN = [
    "libeigen3-dev",
    "libcli11-dev",
    "nlohmann-json3-dev",
    "libssl-dev",
    "libfmt-dev",
    "libtbb-dev",
    "libtomlplusplus-dev",
    "libboost1.81-dev",
]


def output(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def identifier(text: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def package(name: str, version: str, origin: str, **more: object) -> dict:
    return {
        "SPDXID": identifier(f"{name}-{version}"),
        "name": name,
        "versionInfo": version,
        "supplier": "NOASSERTION",
        "downloadLocation": origin,
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        **more,
    }


def sha256(file: pathlib.Path) -> list[dict]:
    return [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(file.read_bytes()).hexdigest()}]


def loaded_libraries(program: pathlib.Path) -> list[pathlib.Path]:
    """All that the loader would map, whoever asks for it."""
    return sorted(pathlib.Path(path) for path in set(re.findall(r"(/\S+) \(0x", output("ldd", program))))


def debian_package_of(file: pathlib.Path) -> str | None:
    """Debian knows a file by one of its names: /lib is a link to /usr/lib by now."""
    real = file.resolve()
    for name in (real, file, pathlib.Path(str(real).removeprefix("/usr")), pathlib.Path("/usr" + str(real))):
        found = subprocess.run(["dpkg-query", "-S", str(name)], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(":")[0]
    return None


def debian(name: str, **more: object) -> dict:
    version, architecture = (
        output("dpkg-query", "-W", "-f", "${Version} ${Architecture}\n", name).split("\n")[0].split()
    )
    purl = f"pkg:deb/debian/{name}@{version}?arch={architecture}"
    reference = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
    return package(name, version, "https://deb.debian.org/debian", externalRefs=[reference], **more)


def unpacked_duckdb(library: pathlib.Path) -> dict:
    """From its npm package, whose version and fingerprint `run` has."""
    run = (SOURCE / "run").read_text()
    version = re.search(r"^readonly duckdb_version=(\S+)", run, re.M)[1]
    npm_name, npm_version = re.search(r'duckdb_library_package="(@[^@]+)@([^"]+)"', run).groups()
    comment = (
        f"libduckdb.so of the npm package {npm_name} {npm_version}, which ./run compares with a SHA-512 of its own"
    )
    return package(
        "duckdb", version, f"https://registry.npmjs.org/{npm_name}", comment=comment, checksums=sha256(library)
    )


def library_package(library: pathlib.Path) -> dict:
    owner = debian_package_of(library)
    if owner is not None:
        return debian(owner)
    if library.name.startswith("libduckdb."):
        return unpacked_duckdb(library)
    return package(library.name, "unknown", "NOASSERTION", checksums=sha256(library))


def loaded_packages(program: pathlib.Path) -> list[dict]:
    """One package may hold several of the libraries."""
    parts, names = {}, {}
    for library in loaded_libraries(program):
        part = library_package(library)
        parts[part["SPDXID"]] = part
        names.setdefault(part["SPDXID"], []).append(library.name)
    return [part | {"summary": f"loaded: {', '.join(names[key])}"} for key, part in parts.items()]


def bundled_packages() -> list[dict]:
    """Of the pages of report and studio: ECharts, Preact and what they bring along."""
    locked = json.loads((SOURCE / "web" / "package-lock.json").read_text())["packages"]
    wanted, bundled = ["echarts", "preact"], {}
    while wanted:
        name = wanted.pop()
        entry = bundled[name] = locked[f"node_modules/{name}"]
        wanted += [each for each in entry.get("dependencies", {}) if each not in bundled]
    return [
        package(
            name,
            entry["version"],
            f"https://registry.npmjs.org/{name}/-/{name}-{entry['version']}.tgz",
            licenseDeclared=entry["license"],
            comment=entry["integrity"],
        )
        for name, entry in sorted(bundled.items())
    ]


def bill(program: pathlib.Path) -> dict:
    version = re.search(r"project\(hyobscure VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    ours = package(
        "hyobscure",
        version,
        "NOASSERTION",
        licenseDeclared="Apache-2.0",
        checksums=sha256(program),
        primaryPackagePurpose="APPLICATION",
    )
    parts = [
        *((part, "DYNAMIC_LINK") for part in loaded_packages(program)),
        *((debian(name), "STATIC_LINK") for name in COMPILED_IN),
        *((part, "CONTAINS") for part in bundled_packages()),
    ]
    digest = ours["checksums"][0]["checksumValue"]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"hyobscure-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/hyobscure-{version}-{digest}",
        "creationInfo": {"created": built_at(program), "creators": ["Tool: cmake/bill_of_materials.py"]},
        "packages": [ours, *(part for part, _ in parts)],
        "relationships": [
            {
                "spdxElementId": "SPDXRef-DOCUMENT",
                "relationshipType": "DESCRIBES",
                "relatedSpdxElement": ours["SPDXID"],
            },
            *(
                {"spdxElementId": ours["SPDXID"], "relationshipType": kind, "relatedSpdxElement": part["SPDXID"]}
                for part, kind in parts
            ),
        ],
    }


def built_at(program: pathlib.Path) -> str:
    """The same program has the same bill."""
    return datetime.fromtimestamp(int(program.stat().st_mtime), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    print(json.dumps(bill(pathlib.Path(sys.argv[1]).resolve()), indent=2))

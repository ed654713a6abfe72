"""A release of as many groups as one likes, for the time that verify takes: two people in each, wide data, new ids."""

import hashlib
import math
import sys
from pathlib import Path

import forging


def release_of(folder, count, kind="ordered"):
    """Groups of one number, of names, or of two secrets as boxes."""
    folder.mkdir()
    two = kind == "boxes"
    side = math.isqrt(count)
    groups, rows = [], []
    for n in range(count):
        if kind == "categorical":
            covers = [{"label": f"group {n}", "names": [f"a{n}", f"b{n}"]}]
        elif two:
            covers = [range_of(n // side), range_of(n % side)]
        else:
            covers = [range_of(n)]
        label = ", ".join(cover["label"] for cover in covers)
        groups.append({"label": label, "people": 2, "covers": covers})
        parts = [cover["label"] for cover in covers] if two else []
        rows += [[hashlib.sha256(f"{n} {person}".encode()).hexdigest()[:16], label, *parts, "1"] for person in range(2)]
    columns = ["id", "group", "x", "y", "n"] if two else ["id", "age", "n"]
    (folder / "people.csv").write_text(forging.as_csv([columns, *sorted(rows)]))
    bits = math.ceil(math.log2(count) * 1e4 - 1e-6) / 1e4
    manifest = {
        "kind": "hyobscure release", "format": 6, "program": "hyobscure", "version": "0.1.0", "method": "fine",
        "objective": "total", "distance_name": "jensen-shannon", "shape": "wide", "ids": "replace", "order": "sorted",
        "rows": "donor", "file_format": "csv", "draw": "0" * 64, "seeded": False,
        "columns": {"id": "id", "secret": "group", "parts": ["x", "y"], "features": ["n"]} if two
        else {"id": "id", "secret": "age", "features": ["n"]},
        "files": [{"name": "people.csv", "rows": len(rows), "sha256": forging.hash_of(folder / "people.csv")}],
        "constraints": {"people": [2.0, 2.0], "values": [2.0, 4.0]},
        "secret_kinds": ["ordered", "ordered"] if two else [kind],
        "secret_whole_numbers": kind == "ordered",
        "groups": groups,
        "leakage_bits": round(bits + 5, 4), "leakage_groups_bits": bits, "leakage_added_bits": 5.0, "distance": 0.5,
    }  # fmt: skip
    for name, text, lines in (
        ("groups.csv", forging.groups_csv(manifest), count),
        ("README.txt", forging.readme(manifest), None),
    ):
        (folder / name).write_bytes(text.encode())
        rows_of_file = text.count("\n") if lines is None else lines
        manifest["files"].append({"name": name, "rows": rows_of_file, "sha256": forging.hash_of(folder / name)})
    (folder / "manifest.json").write_text(forging.sealed(manifest))


def range_of(n):
    return {"label": f"{2 * n}-{2 * n + 1}", "low": 2.0 * n, "high": 2.0 * n + 1, "high_included": True}


if __name__ == "__main__":
    release_of(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])

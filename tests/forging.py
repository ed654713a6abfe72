"""A forger's tools: takes a release apart, and puts it together again with hashes, counts and seal that fit."""

import csv
import hashlib
import io
import json
import os
import shutil


def sealed(manifest):
    """The text that publish would write for this content."""
    content = {key: value for key, value in manifest.items() if key != "seal"}
    compact = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    content["seal"] = hashlib.sha256(compact.encode()).hexdigest()
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def cell(text):
    return '"' + text.replace('"', '""') + '"' if any(letter in ',"\n\r#' for letter in text) else text


def as_csv(rows):
    return "".join(",".join(map(cell, row)) + "\n" for row in rows)


def text_of(file):
    """With its line ends as they are."""
    return file.read_bytes().decode()


def rows_of(file):
    return list(csv.reader(io.StringIO(text_of(file), newline="")))


def number(x):
    return str(int(x)) if float(x).is_integer() else repr(x)


def covered(cover):
    """The values that a group covers of one secret, as groups.csv has them."""
    escaped = [name.replace("\\", "\\\\").replace("|", "\\|") for name in cover.get("names", [])]
    cells = [f"{row}:{column}" for row, column in cover.get("cells", [])]
    if escaped or cells:
        return " | ".join(cells + escaped)
    low, high, below = cover["low"], cover["high"], "" if cover["high_included"] else "below "
    if low is None and high is None:
        return "all"
    if high is None:
        return f"{number(low)} and above"
    if low is None:
        return f"{below or 'up to '}{number(high)}"
    return number(low) if low == high and not below else f"{number(low)} to {below}{number(high)}"


def groups_csv(manifest):
    parts = manifest["columns"].get("parts", [])
    lists = any("combinations" in group for group in manifest["groups"])
    header = ["group", *([f"covers of {part}" for part in parts] or ["covers"]), *["only these"] * lists, "people"]
    rows = []
    for group in manifest["groups"]:
        listed = " | ".join(", ".join(each) for each in group.get("combinations", []))
        rows.append([group["label"], *map(covered, group["covers"]), *[listed] * lists, str(group["people"])])
    return as_csv([header, *rows])


def is_composed(manifest):
    return manifest["rows"] == "composed"


def introduction(manifest):
    if is_composed(manifest):
        return [
            "Each person stands here with a group in place of the exact value, and with features composed of those of",
            "several people of the same group, who are alike. Read a row as what people of its group do, not as what",
            "this or any other person did: averages and models of groups hold, histories of single people do not.",
        ]
    return [
        "Each person stands here with a group in place of the exact value, and with the features of a donor, a",
        "person drawn at random from the same group. Read a row as what people of its group do, not as what this",
        "person did: averages and models of groups hold, histories of single people do not.",
    ]


def readme(manifest):
    owner = "somebody of the group" if is_composed(manifest) else "the donor"
    columns, kept_ids = manifest["columns"], manifest["ids"] == "keep"
    form, long = manifest["file_format"], manifest["shape"] == "long"
    lines = [f"Data about {sum(group['people'] for group in manifest['groups'])} people, protected by HyObscure", ""]
    if manifest["seeded"]:
        lines += ["A trial: the draws come from a seed. These files must not be published.", ""]
    lines += [
        *introduction(manifest),
        "",
        f"people.{form}: one row per person",
    ]
    if "id" in columns:
        new = "a new id, which stands for the person in this release only"
        lines.append(f"  {columns['id']}: {'the id of the original data' if kept_ids else new}")
    lines.append(f"  {columns['secret']}: the group of the person, in place of what they keep private: see groups.csv")
    lines += [f"  {part}: what the group covers of it, not the person's own" for part in columns.get("parts", [])]
    lines += [f"  {kept}: the person's own" for kept in columns.get("keep", [])]
    features = columns.get("features", [])
    if len(features) > 20:
        lines.append(f"  {len(features)} further columns: features of {owner}")
    else:
        lines += [f"  {feature}: of {owner}" for feature in features]
    lines.append("")
    if long:
        lines += [f"events.{form}: one row per event", f"  {columns['person']}: an id of people.{form}"]
        roles = [columns[role] for role in ("item", "value", "time") if role in columns]
        lines += [*(f"  {name}: of an event of {owner}" for name in roles), ""]
    lines += [
        "groups.csv: one row per group",
        "  the label, the values that it covers, and how many people have it",
        "",
    ]
    if "spatial" in manifest["secret_kinds"]:
        lines += [
            "areas.geojson: the outlines of the groups on a map",
            "  cells in groups.csv are row:column; rows count northwards, columns eastwards",
            "",
        ]
    lines += [
        "manifest.json: how the release was made, what it leaks at most, and the SHA-256 of every file",
        "  `hyobscure verify FOLDER` checks all of it from these files alone",
    ]
    return "\n".join(lines) + "\n"


def hash_of(table):
    if table.is_dir():
        parts = sorted(part for part in table.iterdir() if part.is_file())
        return hashlib.sha256("".join(hash_of(part) for part in parts).encode()).hexdigest()
    return hashlib.sha256(table.read_bytes()).hexdigest()


class Forgery:
    """A copy of a release that may be changed; `data` is the folder of the original."""

    def __init__(self, release, data, folder):
        self.folder, self.data = shutil.copytree(release, folder), data
        self.manifest = json.loads(self.file("manifest.json").read_text())

    def file(self, name):
        return self.folder / name

    def table(self, name):
        """Header and rows of a table of the release."""
        header, *rows = rows_of(self.file(f"{name}.csv"))
        return header, rows

    def original(self, name):
        header, *rows = rows_of(self.data / f"{name}.csv")
        return header, rows

    def write(self, name, header, rows):
        self.file(f"{name}.csv").write_text(as_csv([header, *rows]), newline="")

    def seal(self, beside=True):
        """Everything that a careful forger can make fit, fits: what lies beside the tables, too, where asked for."""
        for name, text in (("groups.csv", groups_csv), ("README.txt", readme)) if beside else ():
            self.file(name).write_bytes(text(self.manifest).encode())
        for entry in self.manifest["files"]:
            table = self.file(entry["name"])
            if table.exists() and not table.is_fifo():
                entry["sha256"] = hash_of(table)
            if table.suffix == ".csv" and table.is_file():
                entry["rows"] = len(rows_of(table)) - 1
            if entry["name"] == "README.txt":
                entry["rows"] = len(table.read_text().splitlines())
        self.file("manifest.json").write_text(sealed(self.manifest))


# --- Parquet, byte by byte


def footer_of(content):
    length = int.from_bytes(content[-8:-4], "little")
    return content[: -8 - length], content[-8 - length : -8]


def with_footer(body, footer):
    return body + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def with_metadata(content, key, value):
    """Field 5 of the footer, a list of one pair, in front of field 6, the writer's name."""
    body, footer = footer_of(content)
    at = max(footer.rfind(b"\x28" + bytes([len(name)]) + name) for name in writers_in(footer))
    pair = b"\x19\x1c\x18" + bytes([len(key)]) + key + b"\x18" + bytes([len(value)]) + value + b"\x00"
    return with_footer(body, footer[:at] + pair + b"\x18" + footer[at + 1 :])


def writers_in(footer):
    """The name of the program that wrote the file stands behind its length."""
    for word in (b"DuckDB version", b"hyobscure version"):
        at = footer.find(word)
        if at >= 0:
            yield footer[at : at + footer[at - 1]]


def with_other_writer(content, name):
    body, footer = footer_of(content)
    (found,) = writers_in(footer)
    at = footer.find(found)
    return with_footer(body, footer[: at - 1] + bytes([len(name)]) + name + footer[at + len(found) :])


def with_unreferenced_bytes(content, junk):
    body, footer = footer_of(content)
    return with_footer(body + junk, footer)


def into_parts(forgery, name, parts):
    """The table as a folder of part files, as several machines write it: all in one of these names."""
    table = forgery.file(f"{name}.parquet")
    content = table.read_bytes()
    table.unlink()
    table.mkdir()
    for part in parts:
        (table / part).write_bytes(content)


def make_pipe(path):
    path.unlink()
    os.mkfifo(path)

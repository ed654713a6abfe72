"""Releases that were edited, and data that every command refuses alike."""

import json
import shutil

import pytest
from bad_input import MARK, NOISE, as_csv, refused


# --- releases ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def copied(release, tmp_path):
    return shutil.copytree(release, tmp_path / "release")


def not_verified(hyobscure, folder, *words):
    plain, machine = (hyobscure("verify", folder, *flag) for flag in ([], ["--json"]))
    said = plain.out + plain.err
    assert plain.code == 2, said
    for word in words:
        assert word in said, said
    assert machine.code == 2
    answer = machine.json
    assert "error" in answer or answer["passed"] is False
    for word in words:
        assert word in machine.out
    assert MARK not in said + machine.out + machine.err
    return said


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_verify_names_the_file_that_was_edited(hyobscure, copied, file):
    content = (copied / file).read_text()
    for edited in (
        content + "\n",
        content[:-1],
        content.replace("1", "2", 1),
        content.replace("\n", "\r\n"),
        content[: len(content) // 2],
    ):
        (copied / file).write_text(edited, newline="")
        not_verified(hyobscure, copied, file)


def leaves(node, path=()):
    """The paths to all numbers, texts and flags of a JSON document."""
    if isinstance(node, (dict, list)):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from leaves(value, (*path, key))
    else:
        yield path


def edited(value):
    return (not value) if isinstance(value, bool) else value + "x" if isinstance(value, str) else (value or 0) + 1


def test_verify_notices_every_edit_of_the_manifest(hyobscure, copied):
    text = (copied / "manifest.json").read_text()
    for path in leaves(json.loads(text)):
        manifest = json.loads(text)
        node = manifest
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = edited(node[path[-1]])
        (copied / "manifest.json").write_text(json.dumps(manifest, indent=2))
        asked = hyobscure("verify", copied)
        assert asked.code == 2 and "manifest" in asked.out + asked.err, (path, asked.out, asked.err)
    for cut in (text[: len(text) // 2], text[1:], text.rstrip()[:-1]):
        (copied / "manifest.json").write_text(cut)
        not_verified(hyobscure, copied, "manifest.json")


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_verify_names_the_file_and_quotes_no_cell(hyobscure, copied, file):
    lines = (copied / file).read_text().splitlines()
    for column in range(lines[3].count(",") + 1):
        cells = lines[3].split(",")
        cells[column] = MARK
        (copied / file).write_text("\n".join(lines[:3] + [",".join(cells)] + lines[4:]) + "\n")
        not_verified(hyobscure, copied, file)


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
@pytest.mark.parametrize(
    "content", [b"", NOISE, b"a,b\n1,2\n", MARK.encode() + b"\n"], ids=["empty", "noise", "other", "word"]
)
def test_verify_names_a_file_that_was_replaced(hyobscure, copied, file, content):
    (copied / file).write_bytes(content)
    not_verified(hyobscure, copied, file)


@pytest.mark.parametrize("file", ["people.csv", "events.csv", "manifest.json"])
def test_verify_names_a_file_that_was_removed(hyobscure, copied, file):
    (copied / file).unlink()
    not_verified(hyobscure, copied, file)


def test_verify_names_a_file_that_was_added(hyobscure, copied):
    (copied / "notes.txt").write_text(MARK)
    not_verified(hyobscure, copied, "notes.txt")


def test_verify_names_a_folder_and_a_hidden_file_that_were_added(hyobscure, copied):
    (copied / "more").mkdir()
    not_verified(hyobscure, copied, "more")
    (copied / "more").rmdir()
    (copied / ".hidden").write_text("x")
    not_verified(hyobscure, copied, ".hidden")


def test_verify_notices_an_edit_that_was_given_a_new_hash(hyobscure, copied):
    """A person was moved to another group and the new hash is in the manifest: the seal shows it."""
    import hashlib

    manifest = json.loads((copied / "manifest.json").read_text())
    labels = [group["label"] for group in manifest["groups"]]
    text = (copied / "people.csv").read_text()
    text = text.replace(labels[0], labels[1], 1)
    (copied / "people.csv").write_text(text)
    manifest["files"][0]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (copied / "manifest.json").write_text(json.dumps(manifest, indent=2))
    not_verified(hyobscure, copied, "manifest")


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"null", b"not JSON", NOISE, b"[" * 100_000])
def test_verify_refuses_a_manifest_that_is_none(hyobscure, copied, content):
    (copied / "manifest.json").write_bytes(content)
    both = [hyobscure("verify", copied, *flag) for flag in ([], ["--json"])]
    refused(*both, "manifest.json", "publish")


@pytest.mark.parametrize("key", ["kind", "format", "shape", "columns", "files", "constraints", "groups", "seal"])
@pytest.mark.parametrize("spoil", ["absent", None, []])
def test_verify_refuses_a_manifest_with_a_spoilt_part(hyobscure, copied, key, spoil):
    spoilt = {**json.loads((copied / "manifest.json").read_text()), key: spoil}
    if spoil == "absent":
        del spoilt[key]
    (copied / "manifest.json").write_text(json.dumps(spoilt))
    not_verified(hyobscure, copied, "manifest")


@pytest.mark.parametrize("name", ["../people.csv", "/etc/passwd", "manifest.json", "x/../people.csv"])
def test_verify_reads_no_file_outside_the_release(hyobscure, copied, name):
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["files"][0]["name"] = name
    shutil.copy(copied / "people.csv", copied.parent / "people.csv")
    (copied / "manifest.json").write_text(json.dumps(manifest))
    not_verified(hyobscure, copied, "manifest")


@pytest.mark.parametrize("what", ["missing", "empty", "file", "data"])
def test_verify_refuses_what_is_not_a_release(hyobscure, people, tmp_path, what):
    folder = tmp_path / "folder"
    if what == "empty":
        folder.mkdir()
    elif what == "file":
        folder.write_text("x")
    elif what == "data":
        folder = people
    both = [hyobscure("verify", folder, *flag) for flag in ([], ["--json"])]
    refused(*both, folder.name, "publish")


def test_verify_against_other_people_fails(hyobscure, release, tmp_path):
    others = tmp_path / "others"
    assert hyobscure("synth", "--people", 400, "--items", 200, "--entries", 30, "--seed", 2, "-o", others).code == 0
    failed = hyobscure("verify", release, "--against", others / "spec.toml")
    assert failed.code == 2
    assert "FAIL" in failed.out


# --- the other commands --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["cell", "duplicate", "missing", "utf8"])
def test_every_command_that_reads_data_refuses_it_alike(long, people, mechanism, release, fault):
    if fault == "cell":
        long.people[9][1] = MARK
    elif fault == "duplicate":
        long.people[9] = long.people[4]
    elif fault == "missing":
        long.files["people.csv"] = None
    else:
        long.files["people.csv"] = as_csv(long.people).replace(b"zebra", b"\xff", 1)
    spec = long.write().folder / "spec.toml"
    commands = [
        ["inspect", spec],
        ["fit", spec, "-o", long.out / "m.json"],
        ["publish", spec, "-m", mechanism, "-o", long.out / "r"],
        ["verify", release, "--against", spec],
    ]
    said = {
        refused(long.hyobscure(*one, cwd=long.out), long.hyobscure(*one, "--json", cwd=long.out), "people.csv")
        for one in commands
    }
    assert len(said) == 1, said
    assert list(long.out.iterdir()) == []

"""Mechanisms that do not fit, and outputs that exist."""

import json
import shutil

import pytest
from bad_input import NOISE, refused, sealed


# --- mechanisms --------------------------------------------------------------------------------------------------------------


def publish(hyobscure, spec, mechanism, folder, *words):
    """publish says no; nothing is written."""
    before = sorted(folder.iterdir())
    both = [hyobscure("publish", spec, "-m", mechanism, "-o", folder / "r", *flag) for flag in ([], ["--json"])]
    text = refused(*both, *words)
    assert sorted(folder.iterdir()) == before
    return text


@pytest.mark.parametrize("version", [0, 1, 99, "2", None])
def test_a_mechanism_of_another_format_is_refused(hyobscure, people, mechanism, tmp_path, version):
    other = json.loads(mechanism.read_text())
    other["format"] = version
    (tmp_path / "m.json").write_text(sealed(other))
    publish(hyobscure, people / "spec.toml", tmp_path / "m.json", tmp_path, "m.json", "format", "fit again")


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"null", b"not JSON", b'{"kind": "hyobscure mechanism"}', NOISE, b"[" * 100_000]
)
def test_a_mechanism_that_is_none_is_refused(hyobscure, people, tmp_path, content):
    (tmp_path / "m.json").write_bytes(content)
    publish(hyobscure, people / "spec.toml", tmp_path / "m.json", tmp_path, "m.json", "not a mechanism")


def test_a_manifest_is_not_a_mechanism(hyobscure, people, release, tmp_path):
    publish(hyobscure, people / "spec.toml", release / "manifest.json", tmp_path, "manifest.json", "not a mechanism")


def test_a_mechanism_that_is_cut_off_is_refused(hyobscure, people, mechanism, tmp_path):
    whole = mechanism.read_bytes()
    for end in (1, len(whole) // 3, len(whole) - 3):
        (tmp_path / "m.json").write_bytes(whole[:end])
        publish(hyobscure, people / "spec.toml", tmp_path / "m.json", tmp_path, "m.json", "damaged")


@pytest.mark.parametrize("key", ["method", "distance", "data_fingerprint", "key", "limits", "groups", "channels"])
@pytest.mark.parametrize("spoil", ["absent", None, [], -1])
def test_a_mechanism_without_one_of_its_parts_is_refused(hyobscure, people, mechanism, tmp_path, key, spoil):
    spoilt = {**json.loads(mechanism.read_text()), key: spoil}
    if spoil == "absent":
        del spoilt[key]
    (tmp_path / "m.json").write_text(sealed(spoilt))
    asked = hyobscure("publish", people / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r")
    assert asked.code == 2, asked.err
    assert "mechanism" in asked.err and "fit" in asked.err
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


@pytest.mark.parametrize("spoil", ["probability", "cluster", "size", "order"])
def test_a_mechanism_whose_numbers_do_not_fit_is_refused(hyobscure, people, mechanism, tmp_path, spoil):
    other = json.loads(mechanism.read_text())
    first = other["channels"][0]
    if spoil == "probability":
        first["rows"][0][0][1] = 1.7
    elif spoil == "cluster":
        first["rows"][0][0][0] = 9999
    elif spoil == "size":
        other["groups"][0]["people"] += 1
    else:
        other["groups"].reverse()
    (tmp_path / "m.json").write_text(sealed(other))
    publish(hyobscure, people / "spec.toml", tmp_path / "m.json", tmp_path, "mechanism")


def test_a_mechanism_made_for_other_people_is_refused(hyobscure, mechanism, tmp_path):
    others = tmp_path / "others"
    assert (
        hyobscure(
            "synth", "--people", 400, "--items", 200, "--entries", 30, "--dependence", 0.8, "--seed", 2, "-o", others
        ).code
        == 0
    )
    publish(hyobscure, others / "spec.toml", mechanism, tmp_path, str(mechanism), "made for other data", "fit again")


@pytest.mark.parametrize("change", ["secret", "value", "id", "order"])
def test_a_mechanism_notices_that_one_cell_changed(hyobscure, people, mechanism, tmp_path, change):
    shutil.copytree(people, tmp_path / "d")
    file = tmp_path / "d" / ("events.csv" if change == "value" else "people.csv")
    lines = file.read_text().splitlines()
    if change == "order":  # the order of rows is no difference
        file.write_text("\n".join(lines[:1] + lines[:0:-1]) + "\n")
        assert hyobscure("publish", tmp_path / "d" / "spec.toml", "-m", mechanism, "-o", tmp_path / "r").code == 0
        return
    cells = lines[5].split(",")
    if change == "id":
        events = tmp_path / "d" / "events.csv"
        events.write_text(events.read_text().replace(cells[0] + ",", cells[0] + "x,"))
        cells[0] += "x"
    else:
        cells[-1] = str(int(cells[-1]) % 5 + 1) if change == "value" else str(int(cells[-1]) + 1)
    lines[5] = ",".join(cells)
    file.write_text("\n".join(lines) + "\n")
    publish(hyobscure, tmp_path / "d" / "spec.toml", mechanism, tmp_path, "made for other data")


# --- outputs that exist ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["fit", "publish", "synth", "demo"])
@pytest.mark.parametrize("existing", ["file", "folder", "empty-folder"])
def test_an_existing_output_is_kept_without_force(hyobscure, people, mechanism, tmp_path, command, existing):
    taken = tmp_path / "taken"
    if existing == "file":
        taken.write_text("precious")
    else:
        taken.mkdir()
        if existing == "folder":
            (taken / "diary.txt").write_text("precious")
    before = sorted((path, path.read_text() if path.is_file() else "") for path in tmp_path.rglob("*"))
    arguments = {
        "fit": [people / "spec.toml"],
        "publish": [people / "spec.toml", "-m", mechanism],
        "synth": ["--people", 100],
        "demo": ["--people", 200],
    }[command]
    both = [hyobscure(command, *arguments, "-o", taken, *flag) for flag in ([], ["--json"])]
    words = ["this is a folder"] if command == "fit" and existing != "file" else ["exists already", "--force"]
    refused(*both, "taken", *words)
    assert sorted((path, path.read_text() if path.is_file() else "") for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("command", ["fit", "publish", "synth", "demo"])
def test_force_does_not_delete_a_folder_that_is_not_ours(hyobscure, people, mechanism, tmp_path, command):
    taken = tmp_path / "home"
    taken.mkdir()
    (taken / "diary.txt").write_text("precious")
    arguments = {
        "fit": [people / "spec.toml"],
        "publish": [people / "spec.toml", "-m", mechanism],
        "synth": ["--people", 100],
        "demo": ["--people", 200],
    }[command]
    both = [hyobscure(command, *arguments, "-o", taken, "--force", *flag) for flag in ([], ["--json"])]
    assert (taken / "diary.txt").exists()
    refused(*both, "home")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_force_replaces_what_the_same_command_wrote(hyobscure, people, mechanism, tmp_path):
    for _ in range(2):
        assert hyobscure("fit", people / "spec.toml", "-o", tmp_path / "m", "--force").code == 0
        assert hyobscure("publish", people / "spec.toml", "-m", mechanism, "-o", tmp_path / "r", "--force").code == 0
        assert hyobscure("synth", "--people", 100, "-o", tmp_path / "d", "--force").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "m", "r"]

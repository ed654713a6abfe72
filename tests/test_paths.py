"""Folders and files with names that mean something to the table engine, or that are no files at all."""

import os
import shutil

import pytest

from conftest import quick

# A name that is a pattern, and a neighbour that the pattern means.
NAMES = {"rel[x]": "relx", "a*b": "a-decoy-b", "q?": "qq"}


def spoil(release):
    """Exact ages instead of labels."""
    people = release / "people.csv"
    header, *rows = people.read_text().splitlines()
    people.write_text("\n".join([header, *(f"{row.split(',')[0]},{n % 50}" for n, row in enumerate(rows))]) + "\n")


@pytest.mark.parametrize("name", NAMES)
def test_verify_reads_the_files_that_it_hashes(hyobscure, release, tmp_path, name):
    shutil.copytree(release, tmp_path / name)
    shutil.copytree(release, tmp_path / NAMES[name])
    assert hyobscure("verify", tmp_path / name).code == 0
    spoil(tmp_path / NAMES[name])
    beside = hyobscure("verify", tmp_path / name)
    assert beside.code == 0, beside.out + beside.err
    shutil.rmtree(tmp_path / NAMES[name])
    shutil.copytree(release, tmp_path / NAMES[name])
    spoil(tmp_path / name)
    spoilt = hyobscure("verify", tmp_path / name)
    assert spoilt.code == 2 and "every label is a declared group" in [line[8:].split(":")[0] for line in spoilt.out.splitlines() if "FAIL" in line.upper()], spoilt.out


@pytest.mark.parametrize("name", NAMES)
def test_data_and_releases_in_such_folders_are_their_own(hyobscure, people, mechanism, release, tmp_path, name):
    shutil.copytree(people, tmp_path / name)
    decoy = tmp_path / NAMES[name]
    assert hyobscure("synth", "--people", 300, "--items", 50, "--entries", 20, "-o", decoy).code == 0
    quick(decoy)
    spec = tmp_path / name / "spec.toml"
    inspected = hyobscure("inspect", spec, "--json")
    assert inspected.json["people"] == 400, inspected.out + inspected.err
    published = hyobscure("publish", spec, "-m", mechanism, "-o", tmp_path / name / name)
    assert published.code == 0, published.err
    assert (tmp_path / name / name / "people.csv").read_bytes() == (release / "people.csv").read_bytes()
    assert hyobscure("verify", tmp_path / name / name, "--against", spec).code == 0


def test_the_last_part_of_a_source_may_be_a_pattern_and_no_other(hyobscure, people, tmp_path):
    folder = tmp_path / "data[1]"
    shutil.copytree(people, folder)
    header, *rows = (folder / "people.csv").read_text().splitlines(keepends=True)
    (folder / "part-1.csv").write_text(header + "".join(rows[:200]))
    (folder / "part-2.csv").write_text(header + "".join(rows[200:]))
    (folder / "one[1].csv").write_text(header + "".join(rows))
    (folder / "one1.csv").write_text(header + "".join(rows[:100]))
    for source in ("part-*.csv", "one[1].csv"):
        assert hyobscure("inspect", folder / "spec.toml", "--people.file", source, "--json").json["people"] == 400
    refused = hyobscure("inspect", tmp_path / "data[1]" / "spec.toml", "--people.file", "../data*/people.csv")
    assert refused.code == 2 and "last part" in refused.err, refused.err


@pytest.mark.parametrize("name", ["manifest.json", "people.csv", "events.csv"])
@pytest.mark.parametrize("kind", ["pipe", "endless", "link", "folder of pipes"])
def test_verify_opens_nothing_but_regular_files(hyobscure, release, tmp_path, name, kind):
    folder = tmp_path / "received"
    shutil.copytree(release, folder)
    (folder / name).unlink()
    if kind == "pipe":
        os.mkfifo(folder / name)
    elif kind == "endless":
        (folder / name).symlink_to("/dev/zero")
    elif kind == "link":
        (folder / name).symlink_to(release / name)
    else:
        (folder / name).mkdir()
        os.mkfifo(folder / name / "part-00000.csv")
    refused = hyobscure("verify", folder, timeout=10)
    assert refused.code == 2 and "regular file" in refused.out + refused.err, refused.out + refused.err


def test_a_table_in_parts_holds_nothing_but_parts(hyobscure, release, tmp_path):
    folder = tmp_path / "received"
    shutil.copytree(release, folder)
    whole = (folder / "people.csv").read_text()
    (folder / "people.csv").unlink()
    (folder / "people.csv").mkdir()
    (folder / "people.csv" / "part-00000.csv").write_text(whole)
    assert "1 other file in people.csv" not in hyobscure("verify", folder).out
    (folder / "people.csv" / "exact-ages.csv").write_text("id,age\n1,33\n")
    refused = hyobscure("verify", folder)
    assert refused.code == 2 and "1 other file in people.csv" in refused.out, refused.out

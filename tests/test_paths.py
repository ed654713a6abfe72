"""Folders and files with names that mean something to the table engine, that are no files at all, or that belong to somebody else."""

import os
import shutil
import subprocess
import time

import pytest

from conftest import BINARY, quick

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
    assert spoilt.code == 2 and "every label is a declared group" in [
        line[8:].split(":")[0] for line in spoilt.out.splitlines() if "FAIL" in line.upper()
    ], spoilt.out


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


def test_force_does_not_replace_a_folder_with_somebody_elses_manifest(hyobscure, people, mechanism, tmp_path):
    page = tmp_path / "page"
    page.mkdir()
    (page / "manifest.json").write_text('{"name": "my web page", "kind": "app"}')
    refused = hyobscure("publish", people / "spec.toml", "-m", mechanism, "-o", page, "--force")
    assert refused.code == 2 and "nothing that this command wrote" in refused.err, refused.err
    assert (page / "manifest.json").read_text().startswith('{"name": "my web page"')


@pytest.mark.parametrize("command", ["publish", "synth", "fit", "compare"])
def test_force_does_not_replace_a_folder_with_files_of_others(hyobscure, people, mechanism, tmp_path, command):
    out = tmp_path / "out"
    arguments = {
        "publish": ["publish", people / "spec.toml", "-m", mechanism, "-o", out],
        "synth": ["synth", "--people", 30, "-o", out],
        "fit": ["fit", people / "spec.toml", "-o", tmp_path / "m.json", "--save-census", out],
        "compare": ["compare", people / "spec.toml", "--methods", "random", "--budgets", "0.4", "-o", out],
    }[command]
    assert hyobscure(*arguments).code == 0
    assert hyobscure(*arguments, "--force").code == 0
    (out / "thesis.tex").write_text("years of work")
    (out / "figures").mkdir()
    (out / "figures" / "people.csv").write_text("mine")
    refused = hyobscure(*arguments, "--force")
    assert refused.code == 2 and "holds 2 files" in refused.err, refused.err
    assert (out / "thesis.tex").read_text() == "years of work"
    assert not [name for name in os.listdir(tmp_path) if "partial" in name]


def test_a_folder_that_appears_while_publishing_stays(people, mechanism, tmp_path):
    for attempt in range(10):
        out = tmp_path / f"out{attempt}"
        process = subprocess.Popen(
            [BINARY, "publish", people / "spec.toml", "-m", mechanism, "-o", out],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        while process.poll() is None and not list(tmp_path.glob(f".out{attempt}.partial-*")):
            time.sleep(0.001)
        try:
            out.mkdir()
            (out / "thesis.tex").write_text("years of work")
        except OSError:
            process.communicate()
            continue  # it was faster
        _, message = process.communicate(timeout=60)
        assert process.returncode == 2 and b"appeared" in message, message
        assert (out / "thesis.tex").read_text() == "years of work"
        return
    pytest.fail("publishing was always faster")

"""What large data asks for, on data small enough for a test: bounded memory, many threads, saved censuses and kills change
nothing of the answer and leave nothing behind. How fast it is stands in docs/benchmarks.md."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import uuid

import pytest

from conftest import BINARY, run

PEOPLE = 16_000
ENTRIES = 110
TIGHT = "400MB"  # rows may take a sixteenth of it, less than the 16 bytes of each of 1.6 million events


def make(folder, form):
    made = run(
        "synth",
        "--people",
        PEOPLE,
        "--items",
        300,
        "--entries",
        ENTRIES,
        "--dependence",
        0.8,
        "--format",
        form,
        "-o",
        folder,
    )
    assert made.code == 0, made.err
    spec = folder / "spec.toml"
    text = (
        spec.read_text()
        .replace('name = "fine"', 'name = "exact"\nseed = 5')
        .replace("values = [4, 20]", "values = [4, 30]")
    )
    spec.write_text(text + '\n[release]\nledger = "none"\n')
    return spec


@pytest.fixture(scope="module", params=["csv", "parquet"])
def whole(request, tmp_path_factory):
    """A spec with its mechanism and release, made with all threads and all memory."""
    folder = tmp_path_factory.mktemp(request.param)
    spec = make(folder / "data", request.param)
    for arguments in (
        ["fit", spec, "-o", folder / "m.json"],
        ["publish", spec, "-m", folder / "m.json", "-o", folder / "release"],
    ):
        done = run(*arguments)
        assert done.code == 0, done.err
    return folder


def content(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def fit_and_publish(folder, to, *flags):
    spec = folder / "data" / "spec.toml"
    for arguments in (["fit", spec, "-o", to / "m.json"], ["publish", spec, "-m", to / "m.json", "-o", to / "release"]):
        done = run(*arguments, *flags)
        assert done.code == 0, done.err


@pytest.mark.parametrize(
    "flags", [["--memory", TIGHT], ["--threads", "1"], ["--threads", "3", "--memory", TIGHT]], ids=" ".join
)
def test_memory_and_threads_change_no_bit(whole, tmp_path, flags):
    fit_and_publish(whole, tmp_path, *flags)
    assert (tmp_path / "m.json").read_bytes() == (whole / "m.json").read_bytes()
    assert content(tmp_path / "release") == content(whole / "release")


def test_tight_memory_sends_rows_to_files(whole, tmp_path):
    """Or the test above would compare a thing with itself: watches the names of open files without a name."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [BINARY, "fit", whole / "data" / "spec.toml", "-o", tmp_path / "m.json", "--memory", TIGHT],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    seen = set()
    while process.poll() is None:
        try:
            for entry in os.scandir(f"/proc/{process.pid}/fd"):
                seen.add(os.readlink(entry.path))
        except OSError:
            pass  # it closed one, or ended
    assert process.returncode == 0, process.stderr.read()
    assert any(name.startswith(str(tmp_path / "hyobscure-")) and name.endswith("(deleted)") for name in seen)
    assert [file.name for file in tmp_path.iterdir()] == ["m.json"]


def test_a_saved_census_gives_what_a_fresh_one_gives(whole, tmp_path):
    spec, census = whole / "data" / "spec.toml", tmp_path / "census"
    first = run("fit", spec, "-o", tmp_path / "first.json", "--save-census", census)
    assert first.code == 0 and "private" in first.out, first.err
    assert (tmp_path / "first.json").read_bytes() == (whole / "m.json").read_bytes()
    published = run("publish", spec, "-m", whole / "m.json", "--census", census, "-o", tmp_path / "release")
    assert published.code == 0, published.err
    assert content(tmp_path / "release") == content(whole / "release")
    for method, share in (("exact", 0.2), ("xobf", 0.6), ("hyobscure", 0.5)):
        flags = ["--method", method, "--channel.budget_share", share]
        fresh = run("fit", spec, "-o", tmp_path / "fresh.json", "--force", *flags)
        again = run("fit", spec, "-o", tmp_path / "again.json", "--force", "--census", census, *flags)
        assert fresh.code == again.code == 0, fresh.err + again.err
        assert (tmp_path / "again.json").read_bytes() == (tmp_path / "fresh.json").read_bytes()
    other = run("fit", spec, "-o", tmp_path / "other.json", "--census", census, "--clusters", 7)
    assert other.code == 2 and "channel.clusters" in other.err
    assert run("fit", spec, "-o", tmp_path / "x.json", "--census", census, "--save-census", tmp_path / "y").code == 2


def test_a_saved_census_is_refused_for_other_data(people, tmp_path):
    shutil.copytree(people, tmp_path / "data")
    spec = tmp_path / "data" / "spec.toml"
    assert run("fit", spec, "-o", tmp_path / "m.json", "--save-census", tmp_path / "census").code == 0
    with open(tmp_path / "data" / "events.csv", "a") as events:
        events.write("p0001,film00001,3\n")
    refused = run("fit", spec, "-o", tmp_path / "m.json", "--force", "--census", tmp_path / "census")
    assert refused.code == 2 and "events.csv has changed" in refused.err


def test_shuffled_rows_are_the_same_rows(whole, tmp_path):
    spec = whole / "data" / "spec.toml"
    kept = ["publish", spec, "-m", whole / "m.json", "--release.ids", "keep"]  # new ids are in a random order anyway
    for order in ("sorted", "shuffled"):
        done = run(*kept, "-o", tmp_path / order, "--release.order", order)
        assert done.code == 0, done.err
    verified = run("verify", tmp_path / "shuffled", "--against", spec)
    assert verified.code == 0, verified.out
    if (tmp_path / "shuffled" / "events.csv").exists():
        for name in ("people.csv", "events.csv"):
            sorted_rows, rows = (
                (folder / name).read_text().splitlines() for folder in (tmp_path / "sorted", tmp_path / "shuffled")
            )
            assert rows != sorted_rows and sorted(rows) == sorted(sorted_rows)


@pytest.mark.parametrize("command", ["fit", "publish"])
def test_a_kill_leaves_nothing(whole, tmp_path, command):
    spec, temporary, out = whole / "data" / "spec.toml", tmp_path / "tmp", tmp_path / "out"
    temporary.mkdir()
    out.mkdir()
    arguments = {
        "fit": ["fit", spec, "-o", out / "m.json", "--save-census", out / "census"],
        "publish": ["publish", spec, "-m", whole / "m.json", "-o", out / "release"],
    }[command]
    environment = {**os.environ, "TMPDIR": str(temporary)}

    def start():
        return subprocess.Popen(
            [BINARY, *map(str, arguments), "--memory", TIGHT],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )

    begun = time.monotonic()
    assert start().wait(timeout=120) == 0
    seconds = time.monotonic() - begun
    something = False
    for share in (0.2, 0.5, 0.7, 0.8, 0.9, 0.95):
        shutil.rmtree(out)
        out.mkdir()
        process = start()
        time.sleep(share * seconds)
        something = something or any(temporary.iterdir()) or any(out.iterdir())
        process.send_signal(signal.SIGKILL)
        killed = process.wait(timeout=60) == -signal.SIGKILL
        end = time.monotonic() + 20
        while time.monotonic() < end and (
            any(temporary.iterdir()) or any(name.name.startswith(".") for name in out.iterdir())
        ):
            time.sleep(0.02)  # the guard needs a moment
        assert list(temporary.iterdir()) == []
        if killed:  # what came about before the kill is whole
            marks = {"census": "census/census.json", "release": "release/manifest.json", "m.json": "m.json"}
            for file in out.iterdir():
                assert (out / marks[file.name]).exists()
    assert something  # there was something to leave


def skewed_tables(folder, id_of):
    """240 people; one has a million events, all together have 100,000 items, and five have none."""
    draw = random.Random(1)
    ages = [20 + number % 8 for number in range(240)]
    with open(folder / "people.csv", "w") as people:
        people.write("id,age\n")
        people.writelines(f"{id_of(number)},{age}\n" for number, age in enumerate(ages))
    with open(folder / "events.csv", "w") as events:
        events.write("person,item\n")
        events.writelines(f"{id_of(7)},item{number % 100_000}\n" for number in range(1_000_000))
        for number, age in enumerate(ages[:-5]):
            events.writelines(f"{id_of(number)},item{int(draw.gauss(50 * age, 150)) % 2000}\n" for _ in range(30))
    spec = folder / "spec.toml"
    spec.write_text(
        '[people]\nfile = "people.csv"\nid = "id"\nsecret = "age"\nwithout_events = "leave-out"\n'
        '[events]\nfile = "events.csv"\nperson = "person"\nitem = "item"\n'
        "[groups]\ncount = 2\npeople = [40, 200]\nvalues = [2, 6]\n"
        "[channel]\nclusters = 4\nbudget_share = 0.6\n"
        '[method]\nname = "exact"\nseed = 5\n[release]\nledger = "none"\n'
    )
    return spec


@pytest.mark.parametrize(
    "id_of",
    [
        lambda number: 1000 - number,
        lambda number: f"p{number}",
        lambda number: uuid.uuid5(uuid.NAMESPACE_OID, str(number)),
    ],
    ids=["numbers", "texts", "uuids"],
)
def test_skewed_people_many_items_and_any_ids(id_of, tmp_path):
    """One person's million of events, alone in its task or file, changes nothing for any memory or threads."""
    spec = skewed_tables(tmp_path, id_of)
    made = {}
    for name, flags in {"all": [], "tight": ["--memory", TIGHT, "--threads", "1"]}.items():
        mechanism, release = tmp_path / f"{name}.json", tmp_path / name
        fitted = run("fit", spec, "-o", mechanism, "--json", *flags)
        assert fitted.usable, fitted.err
        published = run("publish", spec, "-m", mechanism, "-o", release, "--accept-leakage", *flags)
        assert published.code == 0, published.err
        made[name] = mechanism.read_bytes(), content(release)
    assert made["all"] == made["tight"]
    verified = run("verify", tmp_path / "all", "--against", spec, "--json")
    assert verified.code == 0, verified.out
    assert json.loads(fitted.out)["people"] == 235

"""Secrets on a map, by name and several at once: every command, as a new user would run it."""

import csv
import json
import random

import pytest

from conftest import run


def write_table(file, header, rows):
    with open(file, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(header)
        writer.writerows(rows)


COMMON = """
[channel]
clusters = 4
distance = "squared-euclidean"
budget_share = 0.5

[method]
name = "{method}"
seed = 1

[release]
ledger = "none"

[audit]
releases = 2
attackers = ["forest"]
"""


@pytest.fixture(scope="session")
def places(tmp_path_factory):
    """People of a made city, with the spec that synth writes."""
    folder = tmp_path_factory.mktemp("places") / "city"
    made = run("synth", "--kind", "check-ins", "--people", 300, "--entries", 20, "--dependence", 0.8, "-o", folder)
    assert made.code == 0, made.err
    spec = folder / "spec.toml"
    text = spec.read_text()
    assert 'name = "fine"' in text
    spec.write_text(
        text.replace('name = "fine"', 'name = "exact"\nseed = 1')
        + '\n[release]\nledger = "none"\n\n[audit]\nreleases = 2\nattackers = ["forest"]\n'
    )
    return spec


def workers(count):
    """Job, age and sex of people whose habits depend on them."""
    draw = random.Random(1)
    jobs = ["nurse", "doctor", "surgeon", "clerk", "teller", "auditor", "welder", "fitter", "smith"]
    for number in range(count):
        job, age, sex = draw.randrange(9), draw.randrange(20, 40), draw.choice("FM")
        habits = [draw.gauss(job // 3 + (age - 30) / 10, 1), draw.gauss(job % 3 + (sex == "F"), 1), draw.random()]
        yield [number, jobs[job], age, sex, *(round(habit, 3) for habit in habits)]


@pytest.fixture(scope="session")
def trades(tmp_path_factory):
    """A categorical secret with a hierarchy."""
    folder = tmp_path_factory.mktemp("trades")
    write_table(folder / "people.csv", ["id", "job", "age", "sex", "x", "y", "z"], workers(360))
    write_table(
        folder / "jobs.csv",
        ["job", "field", "sector"],
        [
            ["nurse", "care", "services"],
            ["doctor", "care", "services"],
            ["surgeon", "care", "services"],
            ["clerk", "money", "services"],
            ["teller", "money", "services"],
            ["auditor", "money", "services"],
            ["welder", "metal", "industry"],
            ["fitter", "metal", "industry"],
            ["smith", "metal", "industry"],
        ],
    )
    (folder / "spec.toml").write_text(
        """[people]
file = "people.csv"
id = "id"
secret = "job"
features = ["x", "y", "z"]

[secret]
kind = "categorical"
hierarchy = "jobs.csv"

[groups]
people = [60, 200]
values = [2, 4]
"""
        + COMMON.format(method="exact")
    )
    return folder / "spec.toml"


@pytest.fixture(scope="session")
def two(trades, tmp_path_factory):
    """Age and sex together."""
    folder = tmp_path_factory.mktemp("two")
    (folder / "people.csv").write_text((trades.parent / "people.csv").read_text())
    (folder / "spec.toml").write_text(
        """[people]
file = "people.csv"
id = "id"
secret = ["age", "sex"]
features = ["x", "y", "z"]

[secret]
kind = ["ordered", "categorical"]

[groups]
count = 4
people = [50, 150]
values = [4, 20]
"""
        + COMMON.format(method="exact")
    )
    return folder / "spec.toml"


@pytest.fixture(scope="session", params=["places", "trades", "two"])
def secret(request):
    return request.param, request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def fitted(secret, tmp_path_factory):
    name, spec = secret
    folder = tmp_path_factory.mktemp(f"fitted-{name}")
    mechanism = folder / "mechanism.json"
    assert (done := run("fit", spec, "-o", mechanism, "--json")).code == 0, done.err
    assert (published := run("publish", spec, "-m", mechanism, "-o", folder / "release")).code == 0, published.err
    return name, spec, mechanism, folder / "release", done.json


def test_inspect_shows_what_groups_can_be(secret):
    name, spec = secret
    shown = run("inspect", spec)
    assert shown.code == 0, shown.err
    assert "What groups can be" in shown.out and "With the first groups of your spec" in shown.out
    expected = {"places": " cells", "trades": "care", "two": "F"}[name]
    assert expected in shown.out


def test_a_release_is_verified_alone_and_against_the_original(fitted):
    _, spec, _, release, _ = fitted
    alone = run("verify", release)
    assert alone.code == 0, alone.out
    against = run("verify", release, "--against", spec)
    assert against.code == 0, against.out


def test_groups_are_of_their_kind(fitted):
    name, _, _, release, facts = fitted
    manifest = json.loads((release / "manifest.json").read_text())
    covers = [group["covers"] for group in manifest["groups"]]
    assert [group["label"] for group in facts["groups"]] == [group["label"] for group in manifest["groups"]]
    if name == "places":
        cells = [tuple(cell) for (cover,) in covers for cell in cover["cells"]]
        assert len(cells) == len(set(cells)) == sum(group["values"] for group in facts["groups"])
        drawn = json.loads((release / "areas.geojson").read_text())
        assert [area["properties"]["label"] for area in drawn["features"]] == [
            group["label"] for group in manifest["groups"]
        ]
    elif name == "trades":
        fields = [{"nurse", "doctor", "surgeon"}, {"clerk", "teller", "auditor"}, {"welder", "fitter", "smith"}]
        assert all(any(set(cover["names"]) <= field for field in fields) for (cover,) in covers)
        assert facts["joint_gap_bits"] <= 2e-8  # along a hierarchy the optimum is proven
    else:
        header = (release / "people.csv").read_text().splitlines()[0]
        assert header.split(",")[:4] == ["id", "group", "age", "sex"]
        assert not any("combinations" in group for group in manifest["groups"])  # boxes


def test_nothing_exact_is_published(fitted):
    name, spec, _, release, _ = fitted
    published = list(csv.DictReader(open(release / "people.csv")))
    labels = {group["label"] for group in json.loads((release / "manifest.json").read_text())["groups"]}
    column = {"places": "home", "trades": "job", "two": "group"}[name]
    assert {row[column] for row in published} == labels
    if name == "trades":
        assert not labels & {row["job"] for row in csv.DictReader(open(spec.parent / "people.csv"))}
    if name == "places":
        assert "latitude" not in published[0] and "longitude" not in published[0]


def test_a_moved_cell_is_noticed(fitted, tmp_path):
    name, _, _, release, _ = fitted
    if name != "places":
        pytest.skip("areas only")
    damaged = tmp_path / "release"
    damaged.mkdir()
    for file in release.iterdir():
        (damaged / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((damaged / "manifest.json").read_text())
    first, last = manifest["groups"][0]["covers"][0]["cells"], manifest["groups"][-1]["covers"][0]["cells"]
    last.append(first.pop())
    (damaged / "manifest.json").write_text(json.dumps(manifest))
    verified = run("verify", damaged)
    assert verified.code == 2 and "seal" in verified.out


def test_the_audit_names_the_right_error_and_the_report_opens(fitted, tmp_path):
    name, spec, mechanism, release, _ = fitted
    audited = run("audit", spec, release, "-m", mechanism, "--report", tmp_path / "report.html", timeout=600)
    assert audited.code == 0, audited.err
    assert "share of wrong guesses" in audited.out
    assert ("km" in audited.out) == (name == "places")
    assert (tmp_path / "report.html").stat().st_size > 100_000


def test_every_method_fits_and_ours_leaks_least_of_those_on_cells(secret, tmp_path):
    _, spec = secret
    found = {}
    for method in ("exact", "hyobscure", "xobf", "ygen", "privcheck", "random", "fine"):
        done = run("fit", spec, "--method", method, "-o", tmp_path / f"{method}.json", "--json", timeout=600)
        assert done.code in (0, 3), f"{method}: {done.err}"
        found[method] = done.json
    for method in ("hyobscure", "xobf"):
        assert found["exact"]["leakage_bits"] <= found[method]["leakage_bits"] + 1e-6


def test_the_same_seed_gives_the_same_release_with_any_number_of_threads(fitted, tmp_path):
    _, spec, _, release, _ = fitted
    assert run("fit", spec, "-o", tmp_path / "m.json", "--threads", 1).code == 0
    assert run("publish", spec, "-m", tmp_path / "m.json", "-o", tmp_path / "r", "--threads", 1).code == 0
    for file in release.iterdir():
        assert (tmp_path / "r" / file.name).read_bytes() == file.read_bytes(), file.name


def test_compare_covers_all_kinds(secret, tmp_path):
    _, spec = secret
    compared = run(
        "compare", spec, "-o", tmp_path / "c", "--points", 2, "--methods", "exact,hyobscure,random", timeout=600
    )
    assert compared.code == 0, compared.err
    assert "exact" in compared.out


def test_limits_that_no_areas_meet_are_refused_with_some_that_do(places, tmp_path):
    refused = run("fit", places, "--groups.count", 3, "--groups.people", "10,20", "-o", tmp_path / "m.json")
    assert refused.code == 2
    assert "no areas within the limits were found" in refused.err
    assert not (tmp_path / "m.json").exists()

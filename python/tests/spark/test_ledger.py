"""One draw a person, ever: also where two drivers race, or one dies in between."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import threading
import time

import pytest
from cluster import wait_until
from made import LONG_SPEC, long_tables, program, rows_of, write

import hyobscure.spark as hs
from hyobscure._errors import InputError
from hyobscure.spark.ledger import Ledger
from hyobscure.spark.publish import _Publisher

REAL_SPEC = LONG_SPEC.replace("seed = 7\n", "").replace('ids = "keep"', 'ids = "keep"\nledger = "LEDGER"')


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "private" / "ledger"


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Mechanisms with secret keys: of 120 people, another of them, and one of 60 people of whom 30 are among them."""
    folder = tmp_path_factory.mktemp("real")
    tables = long_tables(120, seed=12)
    people = tables["people"].sort_by("user")
    shifted = people.set_column(0, "user", [[user + 3 * 60 for user in people["user"].to_pylist()]]).slice(0, 90)
    events = tables["events"]
    moved = events.set_column(0, "user", [[user + 3 * 60 for user in events["user"].to_pylist()]])
    unknown = REAL_SPEC.replace("[events]", '[events]\nunknown_people = "leave-out"').replace("LEDGER", "none")
    found = {
        "one": write(folder / "one", unknown, **tables),
        "other": write(folder / "other", unknown, **tables),
        "partly": write(folder / "partly", unknown, people=shifted, events=moved),
    }
    for made in found.values():
        made.fitted()
    return found


def publish(spark, made, ledger, folder, work, **given):
    spec = made.spec.read_text().replace('ledger = "none"', f'ledger = "{ledger}"')
    mechanism = hs.Mechanism.load(made.fitted())
    return hs.publish(*made.frames(spark), mechanism, folder, spec=spec, work=work, accept_leakage=True, **given)


def refused(spark, made, ledger, folder, work, **given):
    with pytest.raises(InputError) as error:
        publish(spark, made, ledger, folder, work, **given)
    assert not folder.exists() and not list(folder.parent.glob(f"{folder.name}.*"))
    return str(error.value)


def test_a_second_draw_is_refused_and_the_same_draw_is_not(spark, real, ledger, tmp_path, work):
    publish(spark, real["one"], ledger, tmp_path / "first", work)
    text = refused(spark, real["other"], ledger, tmp_path / "second", work)
    assert f"100 % of the people in {tmp_path / 'first'} (published 20" in text and "a second time" in text
    assert str(real["one"].fitted()) in text
    text = refused(spark, real["partly"], ledger, tmp_path / "third", work)
    assert "% of the people" in text and "100 %" not in text
    publish(spark, real["one"], ledger, tmp_path / "again", work)
    assert rows_of(tmp_path / "again" / "events.parquet") == rows_of(tmp_path / "first" / "events.parquet")
    assert [path.name for path in sorted((ledger / "draws").iterdir())] == ["00000001.json", "00000001.published"]
    publish(spark, real["other"], ledger, tmp_path / "all-the-same", work, second_draw=True)
    told = json.loads((tmp_path / "all-the-same" / "manifest.json").read_text())["second_draw"]
    assert told["earlier_draws"] == 1 and told["leakage_together_bits"] > 0
    assert json.loads(program("verify", tmp_path / "all-the-same", "--json"))["passed"]
    assert {mode(path) for path in [ledger, ledger / "people", ledger / "draws"]} == {0o700}
    assert mode(ledger / "draws" / "00000001.json") == 0o600
    assert {mode(path) for path in (ledger / "people").glob("*/*.parquet")} == {0o600}


def test_a_failed_publication_withdraws_its_claim(spark, real, ledger, tmp_path, work, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(_Publisher, "_manifest", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            publish(spark, real["one"], ledger, tmp_path / "first", work)
    assert not (tmp_path / "first").exists()
    publish(spark, real["other"], ledger, tmp_path / "second", work)
    names = sorted(path.name for path in (ledger / "draws").iterdir())
    assert names == ["00000001.json", "00000001.withdrawn", "00000002.json", "00000002.published"]


DRIVER = """
import os, pathlib, sys, time
sys.path[:0] = [sys.argv[1]]
from pyspark.sql import SparkSession
from made import Made
import hyobscure.spark as hs
from hyobscure.spark.ledger import Ledger
from test_ledger import publish
made, ledger, folder, work, meet, how = (pathlib.Path(word) for word in sys.argv[2:])
take = Ledger._take
def meeting(self, *given):
    (meet / "driver").touch()
    while not (meet / "test").exists():
        time.sleep(0.01)
    taken = take(self, *given)
    if str(how) == "dies":
        os._exit(7)
    return taken
Ledger._take = meeting
settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": 2, "spark.driver.memory": "600m"}
builder = SparkSession.builder.master("local[1]")
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
try:
    publish(spark, Made(made), ledger, folder, str(work))
    print("published")
except hs.errors.InputError as error:
    print("refused", error)
"""


def another_driver(made, ledger, folder, tmp_path, how):
    meet = tmp_path / "meet"
    meet.mkdir()
    words = [made.folder, ledger, folder, tmp_path / "work-of-other", meet, how]
    here = pathlib.Path(__file__).parent
    running = subprocess.Popen(
        [sys.executable, "-c", DRIVER, here, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return running, meet


def test_of_two_drivers_that_race_for_the_same_people_exactly_one_wins(
    spark, real, ledger, tmp_path, work, monkeypatch
):
    """Both have seen an empty ledger when they take a number."""
    other, meet = another_driver(real["other"], ledger, tmp_path / "theirs", tmp_path, "lives")
    take = Ledger._take

    def meeting(self, *given):
        (meet / "test").touch()
        wait_until((meet / "driver").exists, 120, "the other driver did not come so far")
        return take(self, *given)

    monkeypatch.setattr(Ledger, "_take", meeting)
    try:
        publish(spark, real["one"], ledger, tmp_path / "mine", work)
        mine = "published"
    except InputError as error:
        mine = f"refused {error}"
    theirs, _ = other.communicate(timeout=240)
    answers = sorted([mine, theirs.strip()])
    assert answers[0] == "published" and answers[1].startswith("refused") and "a second time" in answers[1]
    assert (tmp_path / "mine").exists() != (tmp_path / "theirs").exists()
    assert (tmp_path / "mine").exists() == (mine == "published")


def test_a_driver_that_dies_leaves_a_claim_that_is_explained(spark, real, ledger, tmp_path, work):
    other, meet = another_driver(real["one"], ledger, tmp_path / "theirs", tmp_path, "dies")
    (meet / "test").touch()
    assert other.wait(240) == 7
    text = refused(spark, real["other"], ledger, tmp_path / "mine", work)
    assert "has not ended: it is still running, or its driver died" in text and f"process {other.pid}" in text
    assert f"publish {real['one'].fitted()} again" in text and "draws/00000001.withdrawn" in text
    theirs = tmp_path / "theirs"
    text = refused_only(spark, real["one"], ledger, theirs, work)
    assert f"process {other.pid}" in text and f"delete {theirs}.publishing" in text
    pathlib.Path(f"{theirs}.publishing").unlink()
    publish(spark, real["one"], ledger, theirs, work)
    assert "a second time" in refused(spark, real["other"], ledger, tmp_path / "mine", work)


def refused_only(spark, made, ledger, folder, work):
    with pytest.raises(InputError) as error:
        publish(spark, made, ledger, folder, work)
    return str(error.value)


def test_of_two_publications_into_one_folder_exactly_one_succeeds(spark, real, tmp_path, work):
    made, found = real["one"], []

    def run():
        try:
            publish(spark, made, "none", tmp_path / "release", work)
            found.append("published")
        except InputError as error:
            found.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for each in threads:
        each.start()
        time.sleep(0.2)
    for each in threads:
        each.join()
    assert sorted(text == "published" for text in found) == [False, True], found
    assert any("another publication is about to make it" in text or "exists already" in text for text in found)
    assert sorted(path.name for path in (tmp_path / "release").iterdir()) == [
        "README.txt",
        "events.parquet",
        "groups.csv",
        "manifest.json",
        "people.parquet",
    ]


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("ledger.json", "does not depend on where they run"),
        ("s3a://bucket/ledger", "cannot create a file for one of two drivers only"),
        ("FILE", "is a file, the ledger of the command line perhaps"),
    ],
)
def test_ledgers_that_would_not_hold(spark, real, tmp_path, work, place, problem):
    if place == "FILE":
        place = tmp_path / "hyobscure-ledger.json"
        place.write_text("{}")
    assert problem in refused(spark, real["one"], place, tmp_path / "release", work)


def test_a_damaged_ledger_is_not_taken_for_an_empty_one(spark, real, ledger, tmp_path, work, monkeypatch):
    monkeypatch.setattr("hyobscure.spark.ledger._PATIENCE", 0.5)
    (ledger / "draws").mkdir(parents=True)
    (ledger / "draws" / "00000001.json").write_text("")
    assert "draws/00000001.json" in refused(spark, real["one"], ledger, tmp_path / "release", work)

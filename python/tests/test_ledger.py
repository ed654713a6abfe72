"""Each person gets one draw, wherever Python runs and whatever its tables come from."""

import json
import os
import stat

import pytest
from conftest import QUICK

from hyobscure import HyObscure, InputError, synth

UNSEEDED = {**QUICK, "random_state": None, "settings": {"channel.budget_share": 0.4}}


def users_ledger(tmp_path):
    return tmp_path / "data-of-the-user" / "hyobscure" / "hyobscure-ledger.json"


def second_draw(publish):
    with pytest.raises(InputError) as refused:
        publish()
    assert "second time" in str(refused.value)
    return str(refused.value)


def test_the_ledger_of_people_in_memory_does_not_depend_on_the_working_directory(wide, tmp_path, monkeypatch):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "one")
    HyObscure(id="who", **UNSEEDED).fit(wide, "age").publish("release")
    monkeypatch.chdir(tmp_path / "other")
    again = HyObscure(id="who", **UNSEEDED).fit(wide, "age")
    second_draw(lambda: again.publish("release"))
    assert os.listdir(tmp_path / "one") == ["release"] and os.listdir(tmp_path / "other") == []
    ledger = users_ledger(tmp_path)
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    assert stat.S_IMODE(ledger.parent.stat().st_mode) == 0o700
    assert [draw["release"] for draw in json.loads(ledger.read_text())["draws"]] == [str(tmp_path / "one" / "release")]


def test_the_ledger_of_a_spec_lies_beside_it(tmp_path, monkeypatch):
    synth(tmp_path / "data", people=240, items=60, entries=12)
    monkeypatch.chdir(tmp_path)
    arguments = dict(method="hyobscure", people=(10, 200), values=(3, 40))
    model = HyObscure.from_spec("data/spec.toml", **arguments).fit()
    model.publish("release", accept_leakage=True)
    assert (tmp_path / "data" / "hyobscure-ledger.json").exists() and not users_ledger(tmp_path).exists()
    monkeypatch.chdir(tmp_path / "data")
    again = HyObscure.from_spec("spec.toml", **arguments).fit()
    second_draw(lambda: again.publish("release", accept_leakage=True))


def test_a_release_that_does_not_stay_is_remembered_without_names_that_never_were(wide, tmp_path):
    model = HyObscure(id="who", **UNSEEDED).fit(wide, "age")
    model.publish()
    draw = json.loads(users_ledger(tmp_path).read_text())["draws"][0]
    assert draw["release"] == "" and draw["mechanism"] == ""
    again = HyObscure(id="who", **UNSEEDED).fit(wide, "age")
    text = second_draw(lambda: again.publish())
    assert "in a release without a folder" in text and "second_draw=True" in text
    model.publish(tmp_path / "same")  # the same draw
    assert len(json.loads(users_ledger(tmp_path).read_text())["draws"]) == 1


def test_ids_that_are_numbers_here_and_text_there_are_the_same_people(wide, tmp_path):
    numbered = wide.assign(who=range(1, len(wide) + 1))
    HyObscure(id="who", **UNSEEDED).fit(numbered, "age").publish(tmp_path / "whole")
    for name, ids in {
        "texts": [f"{n:05d}" for n in numbered["who"]],
        "halves": numbered["who"].astype(float),
        "spaces": [f" {n}" for n in numbered["who"]],
    }.items():
        other = HyObscure(id="who", **UNSEEDED).fit(numbered.assign(who=ids), "age")
        second_draw(lambda: other.publish(tmp_path / name))


def test_numbers_of_rows_look_like_the_same_people_which_is_said(numbers, tmp_path):
    X, y = numbers
    HyObscure(**UNSEEDED).fit(X, y).publish()
    others = HyObscure(**UNSEEDED).fit(X[:150], y[:150])
    assert "numbers of rows" in second_draw(lambda: others.publish())
    own = {**UNSEEDED["settings"], "release.ledger": str(tmp_path / "of-others.json")}
    HyObscure(**{**UNSEEDED, "settings": own}).fit(X[:150], y[:150]).publish()


def test_other_people_with_the_same_numbers_of_rows_are_published_where_the_rows_agree(numbers):
    X, y = numbers
    HyObscure(**UNSEEDED).fit(X, y).publish()
    others = HyObscure(**UNSEEDED).fit(X[::-1], y[::-1])
    assert "other_people=True" in second_draw(lambda: others.publish())
    assert others.publish(other_people=True).verify().passed
    again = HyObscure(**UNSEEDED).fit(X, y)
    with pytest.raises(InputError, match="same people"):
        again.publish(other_people=True)


def test_a_trial_and_no_ledger_make_no_folder(wide, tmp_path):
    HyObscure(id="who", budget=0.15, **QUICK).fit(wide, "age").publish()
    settings = {**UNSEEDED["settings"], "release.ledger": "none"}
    HyObscure(id="who", **{**UNSEEDED, "settings": settings}).fit(wide, "age").publish()
    assert not users_ledger(tmp_path).parent.exists()

"""Columns that identify people: shown by `inspect`, refused by everything that would publish them."""

import random

import pytest

SPEC = """
[people]
file = "people.csv"
id = "id"
secret = "age"
features = [{features}]
missing = "category"
[groups]
people = [20, 200]
values = [3, 40]
[channel]
clusters = 3
budget_share = 0.4
[method]
name = "exact"
seed = 1
[release]
ledger = "none"
"""
HARMLESS = ["visits", "town"]
IDENTIFYING = {
    "email": "its cells are e-mail addresses",
    "full_name": "by what it is called, its cells are names of persons",
    "birth_date": "its cells are dates or years of birth",
    "note": "cells occur once",
    "age_code": 'people with the same cell have the same secret "age"',
}


@pytest.fixture
def folder(tmp_path):
    """200 people, two of them with an impossible age."""
    draw = random.Random(5)
    lines = ["id,age,visits,town,postcode,email,full_name,birth_date,note,age_code"]
    for person in range(200):
        age = 999 if person == 17 else -5 if person == 60 else draw.randrange(20, 60)
        town = draw.choice(["north", "south", ""])
        date = f"{2024 - min(max(age, 20), 60)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}"
        lines.append(
            f"p{person},{age},{draw.randrange(9)},{town},{draw.randrange(10000, 10050)},"
            f"user{person}@example.org,Ann Lee {person % 50},{date},wrote line {person},c{age}"
        )
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def write_spec(folder, *features):
    names = ", ".join(f'"{name}"' for name in (*HARMLESS, *features))
    (folder / "spec.toml").write_text(SPEC.format(features=names))
    return folder / "spec.toml"


def test_inspect_shows_every_column_and_says_what_would_be_refused(hyobscure, folder):
    shown = hyobscure("inspect", write_spec(folder, "postcode", *IDENTIFYING))
    assert shown.code == 0, shown.err
    for name, reason in IDENTIFYING.items():
        assert f'refused: "{name}", because ' in shown.out and reason in shown.prose
    assert 'refused: "postcode"' not in shown.out and "people.allow_identifying" in shown.out
    assert "2 people have an implausible" in shown.out and "an age below 0 or above 120" in shown.prose
    for cell in ("example.org", "Ann Lee", "wrote line", "north"):
        assert cell not in shown.out + shown.err


def test_inspect_has_the_columns_as_json(hyobscure, folder):
    facts = hyobscure("inspect", write_spec(folder, "postcode", "email"), "--json").json
    columns = {column["name"]: column for column in facts["columns"]}
    assert [column["role"] for column in facts["columns"]] == ["feature"] * 4 + ["secret"]
    assert columns["visits"]["smallest"] == 0 and columns["visits"]["largest"] == 8
    assert columns["email"]["smallest"] is None and columns["email"]["unique_share"] == 1
    assert columns["email"]["refused"] and not columns["postcode"]["refused"]
    assert 0.2 < columns["town"]["empty_share"] < 0.5 and columns["town"]["distinct"] == 2
    assert columns["age"]["leakage_bits"] is None and columns["age"]["largest"] == 999
    # A random column leaks no more than chance: four deviations.
    town = columns["town"]
    assert abs(town["leakage_bits"] - town["leakage_null_bits"]) < 4 * town["leakage_null_deviation_bits"]
    assert facts["implausible_secrets"] == [{"secret": "age", "people": 2, "because": "an age below 0 or above 120"}]
    assert facts["items"] < 60  # the rest is without the refused column


@pytest.mark.parametrize("column", IDENTIFYING)
def test_fit_refuses_each_until_it_is_allowed_by_name(hyobscure, folder, column):
    spec = write_spec(folder, column)
    refused = hyobscure("fit", spec, "-o", folder / "m.json")
    assert refused.code == 2 and not (folder / "m.json").exists()
    assert f'column "{column}": may not be published' in refused.err and IDENTIFYING[column] in refused.err
    assert f'people.allow_identifying = ["{column}"]' in refused.err and "people.features" in refused.err
    further = ("--people.categorical", column) if column == "birth_date" else ()
    allowed = hyobscure("fit", spec, "-o", folder / "m.json", "--people.allow_identifying", column, *further)
    assert allowed.code == 0, allowed.err


def test_publish_and_verify_refuse_too(hyobscure, folder):
    spec = write_spec(folder, "email")
    allow = ("--people.allow_identifying", "email")
    assert hyobscure("fit", spec, "-o", folder / "m.json", *allow).code == 0
    assert hyobscure("publish", spec, "-m", folder / "m.json", "-o", folder / "r").code == 2
    assert hyobscure("publish", spec, "-m", folder / "m.json", "-o", folder / "r", *allow).code == 0
    assert hyobscure("verify", folder / "r", "--against", spec).code == 2
    spec.write_text(spec.read_text().replace('secret = "age"', 'secret = "age"\nallow_identifying = ["email"]'))
    assert hyobscure("verify", folder / "r", "--against", spec).code == 0


def test_where_nothing_else_is_left_inspect_refuses(hyobscure, folder):
    spec = write_spec(folder)
    refused = hyobscure("inspect", spec, "--people.features", "email,note")
    assert refused.code == 2 and 'nor may "note"' in refused.err


def test_what_is_not_published_cannot_be_allowed(hyobscure, folder):
    refused = hyobscure("fit", write_spec(folder), "-o", folder / "m.json", "--people.allow_identifying", "emial")
    assert refused.code == 2 and 'column "emial": is in people.allow_identifying, and is not published' in refused.err


def test_long_data_shows_kept_columns_secret_and_events(hyobscure, people):
    facts = hyobscure("inspect", people / "spec.toml", "--json").json
    assert [(column["name"], column["role"]) for column in facts["columns"]] == [
        ("age", "secret"),
        ("item", "item"),
        ("rating", "value"),
    ]
    assert facts["columns"][2]["smallest"] >= 1 and facts["columns"][1]["distinct"] == facts["items"]

"""Specs, flags and queries with a fault."""

import json

import pytest
from bad_input import NOISE


# --- the spec --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('id = "id"', "id = ", ["spec.toml, line 3", "TOML"]),
        ("[people]", "[people", ["spec.toml, line 1", "TOML"]),
        ('id = "id"', 'id = "id"\nid = "id"', ["spec.toml, line 4", "TOML"]),
        (
            'secret = "age"',
            'secrets = "age"',
            ["spec.toml, line 4", '"people.secrets"', 'Did you mean "people.secret"?'],
        ),
        ("[channel]", "[chanel]", ["spec.toml, line 14", '"chanel"', "channel"]),
        (
            "clusters = 3",
            'clusters = "three"',
            ["spec.toml, line 15", 'channel.clusters: expected "auto" or whole number from 1 to 1000'],
        ),
        ("clusters = 3", "clusters = 0", ["line 15", "channel.clusters", "from 1 to 1000"]),
        ("clusters = 3", "clusters = 2.5", ["line 15", "channel.clusters"]),
        ("budget_share = 0.5", "budget = -1", ["line 17", "channel.budget", "at least 0"]),
        ("budget_share = 0.5", "budget = nan", ["line 17", "channel.budget"]),
        ("budget_share = 0.5", "budget_share = 1.5", ["line 17", "channel.budget_share", "from 0 to 1"]),
        ('"jensen-shannon"', '"manhattan"', ["line 16", "channel.distance", '"jensen-shannon"']),
        ("people = [5, 55]", "people = [55, 5]", ["line 12", "groups.people", "from low to high"]),
        ("people = [5, 55]", "people = 5", ["line 12", "groups.people", "from low to high"]),
        ("people = [5, 55]", "people = [0, 5]", ["line 12", "groups.people", "at least 1"]),
        ('id = "id"', "id = 7", ["line 3", "people.id", "text"]),
        ('file = "people.csv"', 'file = "people.csv"\nheader = "no"', ["line 3", "people.header", "true or false"]),
        ('file = "people.csv"\n', "", ["[people] names neither a file nor a query"]),
        ('id = "id"\n', "", ["people.id is not given"]),
        ('person = "who"\n', "", ["[events] needs person and item"]),
        # contradictions
        (
            'file = "people.csv"',
            'file = "people.csv"\nquery = "SELECT 1"',
            ["[people] has both a file and a query", "Keep one"],
        ),
        (
            "budget_share = 0.5",
            "budget_share = 0.5\nbudget = 0.4",
            ["channel.budget", "channel.budget_share", "Keep one"],
        ),
        ('secret = "age"', 'secret = "age"\nfeatures = ["x"]', ["people.features and [events]", "Keep one"]),
        ('secret = "age"', 'secret = "id"', ['column "id"', "one role"]),
        (
            "count = 2",
            "count = 2\nfixed = [[20, 22], [23, 25], [26, 29]]",
            ["groups.count differs", "Leave groups.count out"],
        ),
        ("count = 2", "count = 2\nfixed = [[20, 25], [23, 29]]", ["groups.fixed overlap"]),
    ],
)
def test_a_faulty_spec_is_refused_at_the_key(long, old, new, words):
    long.replace(old, new)
    long.refused("spec.toml", *words)


@pytest.mark.parametrize("content", [NOISE, b"\xff\xfe[people]\n", b"just a sentence\n", b"", b"\0" * 100])
def test_a_spec_that_is_not_a_spec_is_refused(long, content):
    long.files["spec.toml"] = content
    long.refused("spec.toml")


@pytest.mark.parametrize(
    "flags, words",
    [
        (["--channel.clusters", "three"], ["channel.clusters"]),
        (["--groups.people", "55,5"], ["groups.people"]),
        (["--method", "magic"], ["--method", "hyobscure"]),
        (["--budget", "cheap"], ["--budget"]),
        (["--method.seed", "-4"], ["method.seed"]),
    ],
)
def test_a_faulty_flag_is_named_as_the_user_wrote_it(long, flags, words):
    long.refused(*words, flags=flags)


@pytest.mark.parametrize("flags", [["--no-such-flag"], ["--channel.bugdet", "3"], ["--threads", "many"]])
def test_wrong_usage_is_one_json_object_too(long, flags):
    done = long.fit("--json", *flags)
    assert done.code == 2
    assert done.json["error"]["problem"] and done.json["error"]["remedy"]


# --- queries ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query, words",
    [
        ("DROP TABLE people", []),
        ("CREATE TABLE t AS SELECT 1 AS id, 2 AS age", ["not a SELECT"]),
        ("COPY (SELECT 1 AS id) TO 'stolen.csv'", ["not a SELECT"]),
        ("ATTACH 'stolen.duckdb' AS s", ["not a SELECT"]),
        ("SET threads = 1", ["not a SELECT"]),
        ("SELECT 1 AS id, 2 AS age; COPY (SELECT 1) TO 'stolen.csv'", ["more than one statement"]),
        ("", ["people"]),
        (";", []),
        ("SELEC id FROM 'people.csv'", ["syntax error"]),
        ("SELECT id, age FROM 'people.csv' WHERE", ["syntax error"]),
        ("SELECT id, aged AS age FROM 'people.csv'", ["aged"]),
        ("SELECT nonesuch(id) AS id, age FROM 'people.csv'", ["nonesuch"]),
        ("SELECT * FROM nonesuch", ["nonesuch"]),
        ("SELECT * FROM 'nobody.csv'", ["nobody.csv"]),
        ("SELECT CAST(id AS INTEGER) AS id, age FROM 'people.csv'", []),
        ("SELECT error(id) AS id, age FROM 'people.csv'", []),
        ("SELECT id, strptime(id, '%Y') AS age FROM 'people.csv'", []),
        ("SELECT id, (SELECT id FROM 'people.csv')::INTEGER AS age FROM 'people.csv'", []),
        ("SELECT * FROM read_csv('people.csv', types = {'id': 'INTEGER'})", []),
        ("SELECT id, age, age + 1 AS age FROM 'people.csv'", ['column "age"', "two columns"]),
        ("SELECT * FROM read_csv('https://localhost:1/people.csv')", []),
    ],
)
def test_a_query_that_cannot_be_used_is_refused(long, query, words):
    long.replace('file = "people.csv"', f"query = {json.dumps(query)}")
    long.refused("people", *words)
    assert not list(long.folder.parent.rglob("stolen*"))


def test_the_query_of_events_is_named_as_such(long):
    long.replace(
        'file = "events.csv"', "query = \"SELECT who, what, CAST(what AS INTEGER) AS stars FROM 'events.csv'\""
    )
    long.refused("events.query")

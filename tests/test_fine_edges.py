"""The person-level method at its edges: every case has a stated treatment or a clear error."""

import csv
import json
import random

import pytest


@pytest.fixture
def table(hyobscure, tmp_path):
    """Fits wide people given as (age, features...) rows and publishes them."""

    def work(rows, people, values, *flags, budget=("--channel.budget_share", 0.7)):
        folder = tmp_path / "data"
        folder.mkdir(exist_ok=True)
        names = [f"f{i}" for i in range(len(rows[0]) - 1)]
        with open(folder / "people.csv", "w", newline="") as file:
            csv.writer(file).writerows([["id", "age", *names], *([f"p{i}", *row] for i, row in enumerate(rows))])
        (folder / "spec.toml").write_text(
            f'[people]\nfile = "people.csv"\nid = "id"\nsecret = "age"\nfeatures = {json.dumps(names)}\nscale = "none"\n'
            f'[groups]\npeople = {people}\nvalues = {values}\n[channel]\nclusters = 2\ndistance = "squared-euclidean"\n'
            '[method]\nname = "fine"\n'
        )
        fitted = hyobscure("fit", folder / "spec.toml", *budget, *flags, "-o", tmp_path / "m.json", "--json")
        if fitted.code == 0:
            assert (
                hyobscure("publish", folder / "spec.toml", *flags, "-m", tmp_path / "m.json", "-o", tmp_path / "r").code
                == 0
            )
            verified = hyobscure("verify", tmp_path / "r", "--against", folder / "spec.toml", *flags)
            assert verified.code == 0, verified.out
        return fitted

    return work


def test_a_model_that_learns_nothing_does_not_publish_the_original(hyobscure, tmp_path):
    """What a new user met: a kept column, small categories, no signal. fit had printed 100 % leakage with exit 0."""
    rng = random.Random(1)
    rows = [["id", "age", "a", "b", "c", "kept"]]
    rows += [
        [f"p{i}", rng.randint(22, 56), rng.choice("wxyz"), rng.choice("mn"), rng.choice("st"), rng.randint(0, 1)]
        for i in range(100)
    ]
    with open(tmp_path / "people.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    (tmp_path / "spec.toml").write_text(
        '[people]\nfile = "people.csv"\nid = "id"\nsecret = "age"\nfeatures = ["a", "b", "c"]\nkeep = ["kept"]\n'
        "[groups]\npeople = [10, 66]\nvalues = [5, 25]\n[channel]\nbudget_share = 0.7\n"
    )
    fitted = hyobscure("fit", tmp_path / "spec.toml", "-o", tmp_path / "m.json", "--json")
    assert fitted.code == 0, fitted.out + fitted.err
    assert fitted.json["leakage_features_bits"] < 0.1 * fitted.json["leakage_unprotected_bits"]
    assert fitted.json["own_rows"] < 0.3 and fitted.json["distance"] > 0.99 * fitted.json["budget"]


def people(count, ages):
    return [(20 + i % ages, i % 7, (i * i) % 5, i % 3) for i in range(count)]


def test_groups_of_two_people_swap_or_stay_and_are_no_success(table):
    rows = [(21, 0, 1, 0), (22, 0, 0, 1), *((23 + i % 2, 1, i % 3, 1) for i in range(6))]
    fitted = table(rows, [1, 6], [1, 3], "--groups.fixed", "[[21,22],[23,24]]", "--method.self_donor", "never")
    assert fitted.code == 3, fitted.err  # a person who must take the other's row is known by it
    assert [group["people"] for group in fitted.json["groups"]] == [2, 6]


def test_a_lone_person_is_refused(table):
    rows = [(20, 1, 0, 0), *((21 + i % 2, 1, i % 3, 1) for i in range(6))]
    for donors in ("never", "allowed"):
        fitted = table(rows, [1, 6], [1, 3], "--groups.fixed", "[[20,20],[21,22]]", "--method.self_donor", donors)
        assert fitted.code == 2 and "1 people" in fitted.err, fitted.err


def test_identical_rows_tell_nothing(table):
    fitted = table([(20 + i % 6, 3, 1, 4) for i in range(60)], [20, 40], [2, 4], "--channel.clusters", 1)
    assert fitted.code == 0, fitted.err
    assert fitted.json["leakage_features_bits"] < 1e-6 and fitted.json["distance"] == 0


def test_an_empty_row_is_a_row_like_any_other(table):
    rows = people(60, 6)
    rows[10] = (rows[10][0], 0, 0, 0)
    fitted = table(rows, [20, 40], [2, 4])
    assert fitted.code == 0, fitted.err


def test_one_value_leaves_nothing_to_infer(table):
    fitted = table([(30, i % 7, i % 5, 1) for i in range(40)], [10, 40], [1, 1])
    assert fitted.code == 2 and "nothing to infer" in fitted.err


def test_thousands_of_values_in_one_group_are_joined_into_atoms(table):
    rows = [(1000 + 3 * i, i % 7, (i * i) % 5, i % 3) for i in range(1200)]
    fitted = table(
        rows,
        [1000, 1200],
        [500, 1200],
        "--groups.count",
        1,
        "--secret.atoms",
        40,
        budget=("--channel.budget_share", 0.2),
    )
    assert fitted.code == 0, fitted.err
    assert fitted.json["groups"][0]["values"] == 1200


def test_a_budget_of_zero_leaves_own_rows_and_is_no_success_and_a_large_one_tells_nothing(table, hyobscure, tmp_path):
    fitted = table(people(60, 6), [20, 40], [2, 4], budget=("--channel.budget", 0))
    assert fitted.code == 3, fitted.err
    assert fitted.json["distance"] == 0 and fitted.json["own_rows"] > 0.3
    assert any("their own row" in reason for reason in fitted.json["shortfalls"])
    refused = hyobscure("publish", tmp_path / "data" / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r")
    assert refused.code == 2 and "--accept-leakage" in refused.err and not (tmp_path / "r").exists()
    spec = tmp_path / "data" / "spec.toml"
    free = hyobscure("fit", spec, "--channel.budget", 1e6, "-o", tmp_path / "far.json", "--json")
    assert free.code == 0 and free.json["leakage_features_bits"] < 1e-3
    for budget in ("-1", "nan"):
        assert hyobscure("fit", spec, "--channel.budget", budget, "-o", tmp_path / "bad.json").code == 2


def test_a_budget_below_what_donors_allow_names_the_smallest(table):
    fitted = table(people(60, 6), [20, 40], [2, 4], "--method.self_donor", "never", budget=("--channel.budget", 1e-6))
    assert fitted.code == 2 and "smallest expected distance" in fitted.err

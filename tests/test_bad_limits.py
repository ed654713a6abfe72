"""Limits of groups and budgets that cannot be met: the message has settings that work."""

import re

import pytest
from bad_input import refused


# --- constraints -----------------------------------------------------------------------------------------------------------


def limit_flags(count, people, values):
    return ["--groups.count", count, "--groups.people", people, "--groups.values", values]


def proposals(text):
    """The settings of a message, as flags."""
    found = re.findall(r"count = (\d+), people = \[([\d., ]+)\], values = \[([\d., ]+)\]", text)
    assert found, text
    return [limit_flags(*one) for one in found]


@pytest.mark.parametrize(
    "count, people, values",
    [
        (2, "61,99", "1,10"),  # k > people
        (2, "31,60", "1,10"),  # two groups of 31 are more than there are
        (4, "5,10", "1,10"),  # alpha too small for the number of groups
        (2, "1,60", "1,4"),  # beta too small
        (2, "1,60", "6,10"),  # l too large
        (3, "19,21", "1,10"),  # steps of six people a value
        (40, "1,60", "1,10"),  # more groups than values
        (2, "1,60", "11,20"),  # more values than there are
    ],
)
def test_constraints_that_no_grouping_meets_come_with_settings_that_work(long, count, people, values):
    text = long.refused(
        "spec.toml, [groups]", "no grouping meets the limits", "that work", flags=limit_flags(count, people, values)
    )
    for flags in proposals(text):
        fitted = long.works(*flags)
        low, high = (float(x) for x in flags[3].split(","))
        assert all(low <= group["people"] <= high for group in fitted["groups"]), flags
        assert len(fitted["groups"]) == int(flags[1])


def test_limits_without_a_count_come_with_settings_that_work(long):
    long.replace("count = 2\n", "")
    text = long.refused("[groups]", flags=["--groups.people", "19,21", "--groups.values", "1,10"])
    for flags in proposals(text):
        long.works(*flags)


def test_infeasible_limits_of_synthetic_people_come_with_settings_that_work(hyobscure, people, tmp_path):
    asked = limit_flags(4, "95,100", "4,8")
    both = [
        hyobscure("fit", people / "spec.toml", "-o", tmp_path / "m.json", *asked, *flag) for flag in ([], ["--json"])
    ]
    for flags in proposals(refused(*both, "no grouping meets the limits")):
        fitted = hyobscure("fit", people / "spec.toml", "-o", tmp_path / "m.json", *flags, "--force")
        assert fitted.code == 0, fitted.err


def test_a_value_with_more_people_than_alpha_is_named(long):
    for row in long.people[1:]:
        row[1] = 23 if row[1] in (23, 24, 25, 26) else row[1]
    text = long.refused("no grouping", flags=limit_flags(3, "5,20", "1,10"))
    assert re.search(r"\b23\b", text) and re.search(r"\b24 people\b", text), text
    for flags in proposals(text):
        long.works(*flags)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_values_that_fit_into_no_group_are_named(long, count):
    """21 has 5 people, too few alone and too many with either neighbour."""
    for row, age in zip(long.people[1:], [20] * 28 + [21] * 5 + [22] * 27):
        row[1] = age
    text = long.refused("no grouping", flags=limit_flags(count, "10,31", "1,10"))
    if count == 2:
        assert re.search(r"\b2[0-2]\b", text.split("that work")[0].split("[groups]")[1]), text
    for flags in proposals(text):
        long.works(*flags)


@pytest.mark.parametrize(
    "fixed", ["[[20, 24], [27, 29]]", "[[20, 22], [23, 26]]", "[[20, 20], [21, 29]]", "[[0, 9], [20, 29]]"]
)
def test_given_groups_that_miss_people_or_limits_are_refused(long, fixed):
    long.refused("groups.fixed", "Correct the ranges", flags=["--groups.fixed", fixed])


def test_missing_limits_are_named(long):
    long.replace("people = [5, 55]\n", "")
    long.refused("spec.toml", "groups.people", "hyobscure inspect")


def test_a_missing_budget_is_named(long):
    long.replace("budget_share = 0.5\n", "")
    long.refused("spec.toml", "channel.budget is not given", "hyobscure inspect")


@pytest.mark.parametrize("method", ["xobf", "hyobscure"])
def test_a_budget_below_the_reachable_minimum_says_the_minimum(long, method):
    long.replace("budget_share = 0.5", "budget = 0.001")
    text = long.refused("channel.budget", "0.001 is below", "Raise the budget", flags=["--method", method])
    smallest = float(re.search(r"0\.001 is below ([0-9.e-]+)[, ]", text)[1])
    assert long.works("--method", method, "--budget", f"{smallest + 1e-6:.9f}")["distance"] <= smallest + 1.001e-6
    long.works("--method", method, "--budget", smallest)  # the very number that the message says
    assert long.fit("--method", method, "--budget", f"{smallest - 2e-6:.9f}").code == 2


def test_a_zero_budget_says_the_minimum_of_synthetic_people(hyobscure, people, tmp_path):
    spec = (people / "spec.toml").read_text().replace("budget_share = 0.7", "budget = 0")
    for table in ("people.csv", "events.csv"):
        spec = spec.replace(f'"{table}"', f'"{people / table}"')
    (tmp_path / "spec.toml").write_text(spec)
    asked = hyobscure("fit", tmp_path / "spec.toml", "-o", tmp_path / "m.json")
    assert asked.code == 2
    smallest = float(re.search(r"is below ([0-9.e-]+)[, ]", asked.err)[1])
    fitted = hyobscure(
        "fit", tmp_path / "spec.toml", "-o", tmp_path / "m.json", "--method", "xobf", "--budget", smallest + 1e-6
    )
    assert fitted.usable, fitted.err


def test_a_budget_given_as_a_flag_takes_the_place_of_a_share_in_the_spec(long):
    """`hyobscure fit --help` shows --budget as its example, and synth writes budget_share."""
    assert long.works("--budget", 5)["budget"] == 5

"""channel.max_lift and channel.min_lift: kept, or refused with what works."""

import re

import pytest
from conftest import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("lifts")
    made = run("synth", "--people", 400, "--items", 80, "--entries", 20, "--seed", 4, "-o", path / "d")
    assert made.code == 0, made.err
    return path / "d"


def fit(hyobscure, folder, *flags):
    return hyobscure("fit", "spec.toml", "-o", "m.json", "--force", "--method.seed", 1, "--json", *flags, cwd=folder)


@pytest.mark.parametrize("method", ["xobf", "hyobscure", "exact"])
def test_limits_are_kept_and_cost_leakage(hyobscure, folder, method):
    flags = ["--method.name", method, "--channel.budget_share", 0.6]
    free = fit(hyobscure, folder, *flags).json
    assert free["max_lift"] > 1.5 and free["min_lift"] < 0.6, "nothing to limit"
    done = fit(hyobscure, folder, *flags, "--channel.max_lift", 1.5, "--channel.min_lift", 0.6)
    if done.code == 2:  # a budget that is too small names one that is not
        smallest = re.search(r"below ([0-9.]+), the smallest expected distance", done.err + done.out).group(1)
        flags = ["--method.name", method, "--channel.budget", float(smallest) * 1.01]
        free = fit(hyobscure, folder, *flags).json
        done = fit(hyobscure, folder, *flags, "--channel.max_lift", 1.5, "--channel.min_lift", 0.6)
    limited = done.json
    assert 0.6 - 1e-6 <= limited["min_lift"] and limited["max_lift"] <= 1.5 + 1e-6
    if method != "hyobscure":  # its search may end at better groups by chance
        assert limited["leakage_bits"] >= free["leakage_bits"] - 1e-5
    assert limited["distance"] <= limited["budget"] * (1 + 1e-9)
    assert limited["gap_bits"] < 2e-6


def test_a_limit_of_one_reveals_nothing(hyobscure, folder):
    limited = fit(hyobscure, folder, "--method.name", "xobf", "--channel.budget_share", 1, "--channel.max_lift", 1).json
    assert limited["leakage_features_bits"] < 1e-6 and limited["max_lift"] <= 1 + 2e-6


def test_the_default_method_keeps_limits_and_publishes_within_them(hyobscure, folder):
    flags = ["--channel.budget_share", 0.7]
    free = fit(hyobscure, folder, *flags).json
    assert free["method"] == "fine" and free["max_lift"] > 1.7, "nothing to limit"
    limited = fit(hyobscure, folder, *flags, "--channel.max_lift", 1.7).json
    assert limited["max_lift"] <= 1.7 and limited["distance"] <= limited["budget"] * (1 + 1e-9)
    assert hyobscure("publish", "spec.toml", "-m", "m.json", "-o", "release", "--force", cwd=folder).code == 0
    assert hyobscure("verify", "release", "--against", "spec.toml", "-m", "m.json", cwd=folder).code == 0
    refused = fit(hyobscure, folder, "--channel.budget", 0.01, "--channel.max_lift", 1.7)
    assert refused.code == 2
    nearest = re.search(r"below ([0-9.]+), the smallest expected distance", refused.err + refused.out).group(1)
    assert fit(hyobscure, folder, "--channel.budget", nearest, "--channel.max_lift", 1.7).json["max_lift"] <= 1.7


def test_where_nobody_publishes_their_own_row_limits_are_refused(hyobscure, folder):
    refused = fit(hyobscure, folder, "--method.self_donor", "never", "--channel.max_lift", 2)
    assert refused.code == 2 and "method.self_donor" in refused.out + refused.err


@pytest.mark.parametrize("method", ["dp", "random", "privcheck", "ygen", "simp", "frapp"])
def test_methods_that_cannot_keep_limits_say_so(hyobscure, folder, method):
    refused = hyobscure(
        "fit", "spec.toml", "-o", "n.json", "--method.name", method, "--channel.max_lift", 1.5, cwd=folder
    )
    assert refused.code == 2
    error = " ".join(refused.err.split())
    assert "channel.max_lift" in error and f"{method} cannot keep lifts within limits" in error
    assert "fine, exact, hyobscure" in error


def test_rows_that_are_retained_and_comparisons_with_others_are_refused(hyobscure, folder):
    flags = ["--channel.max_lift", 1.5]
    retained = fit(hyobscure, folder, "--method.name", "xobf", "--method.retain", 0.1, *flags)
    assert retained.code == 2 and "method.retain" in retained.out + retained.err
    compared = hyobscure("compare", "spec.toml", "-o", "c", *flags, cwd=folder)
    assert compared.code == 2 and "--methods fine,exact,hyobscure,xobf" in " ".join(compared.err.split())

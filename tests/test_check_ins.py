"""The paper's second data set, where it is at hand (HYOBSCURE_DATA); no licence is stated, so it stays out of the repository."""

import os
import pathlib

import pytest

from conftest import SOURCE

DATA = pathlib.Path(os.environ.get("HYOBSCURE_DATA", SOURCE.parent / "shared" / "data"))
SETS = {
    "check-ins": ("checkins-authors/check_in_data_3users.csv", 692),
    "foursquare": ("foursquare-nyc/checkins_nyc_venues10.csv.gz", 691),
}


@pytest.fixture(params=SETS)
def example(request, tmp_path):
    file, people = SETS[request.param]
    if not (DATA / file).exists():
        pytest.skip(f"{file} is not in {DATA} (HYOBSCURE_DATA)")
    (tmp_path / pathlib.Path(file).name).symlink_to(DATA / file)
    spec = tmp_path / "spec.toml"
    spec.write_text((SOURCE / "examples" / f"{request.param}.toml").read_text() + '\n[release]\nledger = "none"\n')
    return spec, people


def test_the_example_becomes_a_verified_release_of_areas(hyobscure, example, tmp_path):
    spec, people = example
    fitted = hyobscure("fit", spec, "--method", "exact", "-o", tmp_path / "m.json", "--json")
    assert fitted.usable, fitted.err
    assert sum(group["people"] for group in fitted.json["groups"]) == people
    assert (
        sum(group["values"] for group in fitted.json["groups"]) == 68
    )  # cells with three people or more, in both sets
    assert hyobscure("publish", spec, "-m", tmp_path / "m.json", "-o", tmp_path / "r", "--accept-leakage").code == 0
    verified = hyobscure("verify", tmp_path / "r", "--against", spec, "-v")
    assert verified.code == 0 and "every group is connected" in verified.prose


def test_our_search_is_at_or_below_the_papers(hyobscure, example, tmp_path):
    spec, _ = example
    for seed in (1, 2):
        for share in (0.2, 0.8):
            fits = {}
            for method in ("hyobscure", "exact"):
                fitted = hyobscure(
                    "fit",
                    spec,
                    "--method",
                    method,
                    "--method.seed",
                    seed,
                    "--groups.first",
                    "paper",
                    "--channel.budget_share",
                    share,
                    "-o",
                    tmp_path / "m.json",
                    "--force",
                    "--json",
                )
                assert fitted.usable, fitted.err
                fits[method] = fitted.json
            assert fits["exact"]["budget"] == fits["hyobscure"]["budget"]
            assert fits["exact"]["leakage_bits"] <= fits["hyobscure"]["leakage_bits"] + 1e-6


def test_the_papers_own_limits_are_refused_with_settings_that_work(hyobscure, example, tmp_path):
    spec, _ = example
    refused = hyobscure("fit", spec, "--groups.people", "100,150", "--groups.values", "5,15", "-o", tmp_path / "m.json")
    assert refused.code == 2
    assert "4 groups of at most 150 people hold at most 600" in refused.err
    assert "Settings near yours that work" in refused.err

"""Every command as a new user runs it."""

import csv
import json
import math
import os
import re
import pty
import signal
import stat
import subprocess
import time

import pytest

from conftest import BINARY


def widest(text):
    return max(map(len, text.splitlines()))


COMMANDS = ["demo", "inspect", "fit", "publish", "verify", "synth", "settings"]
STABLE_KEYS = {
    "leakage_bits",
    "leakage_groups_bits",
    "leakage_features_bits",
    "leakage_null_bits",
    "secret_entropy_bits",
    "fano_error_bound",
    "distance",
    "budget",
    "gap_bits",
    "groups",
    "method",
    "seconds",
}


def rows(file):
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))


def test_help_names_all_commands_and_each_shows_an_example(hyobscure):
    top = hyobscure("--help")
    assert top.code == 0
    for command in COMMANDS:
        assert command in top.out
        one = hyobscure(command, "--help")
        assert one.code == 0
        assert "Example: hyobscure " + command in one.out
        assert widest(one.out) <= 100


def test_the_whole_path_from_people_to_a_verified_release(hyobscure, tmp_path):
    data, mechanism, release = tmp_path / "data", tmp_path / "mechanism.json", tmp_path / "release"
    assert hyobscure("synth", "--people", 300, "--seed", 4, "-o", data).code == 0
    assert "H(Y)" in hyobscure("inspect", data / "spec.toml").out
    fitted = hyobscure("fit", data / "spec.toml", "-o", mechanism)
    assert fitted.code == 0, fitted.err
    assert "in all" in fitted.out and "Next: hyobscure publish" in fitted.out
    assert stat.S_IMODE(os.stat(mechanism).st_mode) == 0o600
    assert hyobscure("publish", data / "spec.toml", "-m", mechanism, "-o", release).code == 0
    alone = hyobscure("verify", release)
    assert alone.code == 0 and "Verified: all" in alone.out, alone.out
    against = hyobscure("verify", release, "--against", data / "spec.toml")
    assert against.code == 0 and "FAIL" not in against.out, against.out


def test_a_release_has_the_shape_of_the_input_and_labels_for_ages(people, release):
    before, after = rows(people / "people.csv"), rows(release / "people.csv")
    assert list(before[0]) == list(after[0])
    assert len(after) == len(before) and not {row["id"] for row in before} & {row["id"] for row in after}  # ids are new
    labels = {group["label"] for group in json.loads((release / "manifest.json").read_text())["groups"]}
    assert {row["age"] for row in after} == labels
    assert list(rows(people / "events.csv")[0]) == list(rows(release / "events.csv")[0])


def test_publishing_again_gives_the_same_bytes_with_any_number_of_threads(
    hyobscure, people, mechanism, release, tmp_path
):
    for threads in (1, 2):
        again = tmp_path / str(threads)
        assert hyobscure("publish", people / "spec.toml", "-m", mechanism, "-o", again, "--threads", threads).code == 0
        for file in release.iterdir():
            assert (again / file.name).read_bytes() == file.read_bytes(), file.name


def test_a_seeded_fit_is_the_same_with_one_and_with_two_threads(hyobscure, people, tmp_path):
    for threads in (1, 2):
        assert (
            hyobscure(
                "fit", people / "spec.toml", "--seed", 9, "-o", tmp_path / f"{threads}.json", "--threads", threads
            ).code
            == 0
        )
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()


def test_a_seeded_release_says_that_it_must_not_be_published(hyobscure, people, tmp_path):
    assert hyobscure("fit", people / "spec.toml", "--seed", 9, "-o", tmp_path / "m.json").code == 0
    published = hyobscure("publish", people / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r")
    assert "must not be published" in published.out
    assert "must not be published" in (tmp_path / "r" / "manifest.json").read_text()
    assert "must not be published" in hyobscure("verify", tmp_path / "r").out


def test_two_fits_draw_differently_though_they_find_the_same_mechanism(hyobscure, people, tmp_path):
    for name in ("a", "b"):
        assert hyobscure("fit", people / "spec.toml", "-o", tmp_path / f"{name}.json").code == 0
    a, b = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("a", "b"))
    assert a.pop("key") != b.pop("key")
    assert a.pop("seal") != b.pop("seal")  # of all of the file, the key included
    assert a == b


@pytest.mark.parametrize("kind", ["ratings", "tabular"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_every_shape_and_format_goes_through(hyobscure, tmp_path, kind, form):
    data = tmp_path / "data"
    assert hyobscure("synth", "--people", 200, "--kind", kind, "--format", form, "-o", data).code == 0
    fitted = hyobscure("fit", data / "spec.toml", "-o", tmp_path / "m.json")
    assert fitted.code == 0, fitted.err
    for ids in ("keep", "replace", "drop"):
        release = tmp_path / ids
        published = hyobscure(
            "publish", data / "spec.toml", "-m", tmp_path / "m.json", "-o", release, "--release.ids", ids
        )
        assert ("pseudonymous: published under the original ids" in published.out) == (ids == "keep")
        if ids == "drop" and kind == "ratings":
            assert published.code == 2 and "replace" in published.err
            continue
        assert published.code == 0, published.err
        assert (release / f"people.{form}").exists()
        verified = hyobscure("verify", release, "--against", data / "spec.toml")
        assert verified.code == 0, verified.out + verified.err


def test_json_is_one_object_with_the_stable_keys(hyobscure, people, mechanism, tmp_path):
    fitted = hyobscure("fit", people / "spec.toml", "-o", tmp_path / "m.json", "--json").json
    assert STABLE_KEYS <= set(fitted)
    assert {"label", "people", "values"} <= set(fitted["groups"][0])
    assert fitted["leakage_bits"] == pytest.approx(fitted["leakage_groups_bits"] + fitted["leakage_features_bits"])
    inspected = hyobscure("inspect", people / "spec.toml", "--json").json
    assert inspected["smallest_budget"] < inspected["largest_budget"]
    published = hyobscure("publish", people / "spec.toml", "-m", mechanism, "-o", tmp_path / "r", "--json").json
    assert published["people"] == 400
    assert hyobscure("verify", tmp_path / "r", "--json").json["passed"] is True


def test_an_error_is_json_too(hyobscure, tmp_path):
    failed = hyobscure("inspect", tmp_path / "none.toml", "--json")
    assert failed.code == 2
    assert failed.json["error"]["remedy"]


def test_every_key_is_a_flag(hyobscure, people, tmp_path):
    fitted = hyobscure(
        "fit",
        people / "spec.toml",
        "--groups.count",
        3,
        "--groups.people",
        "40,300",
        "--groups.values",
        "4,30",
        "--channel.clusters",
        5,
        "--method.name",
        "xobf",
        "-o",
        tmp_path / "m.json",
        "--json",
    ).json
    assert len(fitted["groups"]) == 3
    assert fitted["method"] == "xobf"


def test_exact_proves_its_optimum_and_traces_the_whole_curve(hyobscure, people, tmp_path):
    fitted = hyobscure("fit", people / "spec.toml", "--method", "exact", "--frontier", 5, "-o", tmp_path / "m.json")
    assert fitted.code == 0, fitted.err
    assert "proven joint gap" in fitted.out and "Trade-off of exact" in fitted.out
    curve = json.loads((tmp_path / "m.frontier.json").read_text())
    leakages = [point["leakage_bits"] for point in curve["points"]]
    assert len(leakages) == 5 and curve["complete"]
    assert all(later <= earlier + 1e-7 for earlier, later in zip(leakages, leakages[1:]))
    assert [float(row["leakage_bits"]) for row in rows(tmp_path / "m.frontier.csv")] == leakages
    assert hyobscure("publish", people / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r").code == 0
    assert hyobscure("verify", tmp_path / "r", "--against", people / "spec.toml").code == 0


METHODS = ["fine", "exact", "hyobscure", "xobf", "ygen", "privcheck", "dp", "simp", "frapp", "random"]
WORSE_THAN_RANDOM = [
    "ygen",
    "privcheck",
    "frapp",
]  # on these people: baselines, blind to groups or to the sizes of pools


@pytest.mark.parametrize("method", METHODS)
def test_every_method_goes_from_fit_to_a_verified_release(hyobscure, people, tmp_path, method):
    fitted = hyobscure("fit", people / "spec.toml", "--method", method, "-o", tmp_path / "m.json")
    assert f"Mechanism ({method}, " in fitted.out
    publish = ["publish", people / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r"]
    if method in WORSE_THAN_RANDOM:
        assert fitted.code == 3 and "random donors at the same distance" in fitted.prose
        refused = hyobscure(*publish)
        assert refused.code == 2 and "random donors" in refused.err and not (tmp_path / "r").exists()
        publish.append("--accept-leakage")
    else:
        assert fitted.code == 0, fitted.out + fitted.err
    assert hyobscure(*publish).code == 0
    assert json.loads((tmp_path / "r" / "manifest.json").read_text()).get("accepted_leakage", False) == (
        method in WORSE_THAN_RANDOM
    )
    verified = hyobscure("verify", tmp_path / "r", "--against", people / "spec.toml")
    assert verified.code == 0, verified.out


@pytest.mark.parametrize("method", ["fine", "exact", "hyobscure", "privcheck", "dp", "random"])
def test_kept_columns_join_the_cell_for_every_method(hyobscure, tmp_path, method):
    data = tmp_path / "data"
    assert hyobscure("synth", "--people", 300, "--kind", "tabular", "-o", data).code == 0
    spec = data / "spec.toml"
    text = spec.read_text().replace('"region", ', "").replace('secret = "age"', 'secret = "age"\nkeep = ["region"]')
    spec.write_text(text)
    fitted = hyobscure(
        "fit",
        spec,
        "--method",
        method,
        "--channel.clusters",
        4,
        "--channel.budget_share",
        0.8,
        "--groups.limits_for",
        "groups",
        "-o",
        tmp_path / "m.json",
        "--json",
    )
    assert fitted.code == 0, fitted.err
    mechanism = json.loads((tmp_path / "m.json").read_text())
    assert len(mechanism["channels"]) > len(mechanism["groups"])
    assert sum(channel["people"] for channel in mechanism["channels"]) == 300
    share = [group["people"] / 300 for group in mechanism["groups"]]
    by_groups_alone = -sum(p * math.log2(p) for p in share)
    assert fitted.json["leakage_groups_bits"] > by_groups_alone + 1e-3  # the leakage of the kept column is counted
    assert fitted.json["joint_gap_bits"] is None
    assert hyobscure("publish", spec, "-m", tmp_path / "m.json", "-o", tmp_path / "r").code == 0
    assert "FAIL  the limits are those of the spec" in hyobscure("verify", tmp_path / "r", "--against", spec).out
    verified = hyobscure("verify", tmp_path / "r", "--against", spec, "--groups.limits_for", "groups", "-v")
    assert verified.code == 0, verified.out
    assert "has the same kept values" in verified.out
    assert "the limits are declared for groups; the smallest pool has" in verified.prose
    assert "region" in rows(tmp_path / "r" / "people.csv")[0]


def test_limits_hold_for_pools_of_kept_cells_unless_told_otherwise(hyobscure, tmp_path):
    data = tmp_path / "data"
    assert hyobscure("synth", "--people", 300, "--kind", "tabular", "-o", data).code == 0
    spec, kept = data / "spec.toml", ["--channel.clusters", 4, "--method", "exact"]
    spec.write_text(
        spec.read_text().replace('"region", ', "").replace('secret = "age"', 'secret = "age"\nkeep = ["region"]')
    )
    refused = hyobscure("fit", spec, *kept, "-o", tmp_path / "m.json")
    assert refused.code == 2 and "kept columns (region) make pools" in refused.err
    people, values = re.search(r"that work:\n  people = (\[.*?\]), values = (\[.*?\])", refused.err).groups()
    limits = [
        "--groups.people",
        people.strip("[]").replace(" ", ""),
        "--groups.values",
        values.strip("[]").replace(" ", ""),
    ]
    fitted = hyobscure("fit", spec, *kept, *limits, "-o", tmp_path / "m.json")
    assert fitted.code == 0, fitted.err
    smallest = int(re.search(r"smallest pool: (\d+) people", fitted.out)[1])
    assert smallest >= float(people.strip("[]").split(",")[0])
    assert hyobscure("publish", spec, "-m", tmp_path / "m.json", "-o", tmp_path / "r").code == 0
    assert json.loads((tmp_path / "r" / "manifest.json").read_text())["constraints"]["for"] == "pools"
    verified = hyobscure("verify", tmp_path / "r", "--against", spec, *limits, "-v")
    assert verified.code == 0 and "people per pool (same group and kept values) are at least k" in verified.prose, (
        verified.out
    )
    assert "people cannot be compared one by one" in verified.prose  # ids are new


def test_the_manifest_says_less_than_fit_does(hyobscure, people, mechanism, release):
    promise, manifest = (json.loads(file.read_text()) for file in (mechanism, release / "manifest.json"))
    promise = promise["promise"]
    assert manifest["leakage_bits"] >= promise["leakage_bits"]
    assert not {"secret_entropy_bits", "fano_error_bound", "leakage_null_bits", "budget", "gap_bits"} & set(manifest)
    assert not any("values" in group for group in manifest["groups"])
    digits = {str(value) for value in promise.values() if isinstance(value, float) and len(str(value)) > 8}
    assert not any(each in (release / "manifest.json").read_text() for each in digits)


def test_donors_from_all_groups_are_for_comparison_only(hyobscure, people, tmp_path):
    fitted = hyobscure(
        "fit", people / "spec.toml", "--method", "random", "--method.within_groups", "false", "-o", tmp_path / "m.json"
    )
    assert fitted.code == 0 and "for comparisons only" in fitted.out
    refused = hyobscure("publish", people / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r")
    assert refused.code == 2 and "within_groups" in refused.err and not (tmp_path / "r").exists()


def test_compare_puts_all_methods_side_by_side(hyobscure, people, tmp_path):
    compared = hyobscure("compare", people / "spec.toml", "--points", 4, "-o", tmp_path / "c")
    assert compared.code == 0, compared.err
    table = rows(tmp_path / "c" / "comparison.csv")
    assert {row["method"] for row in table} == {*METHODS, "fine-free", "fine-informed", "fine-learned"}
    assert all(method in compared.out for method in METHODS)
    assert widest(compared.out.split("Wrote")[0]) <= 100
    whole = json.loads((tmp_path / "c" / "comparison.json").read_text())
    assert len(whole["budgets"]) == 4 and whole["complete"]
    free = {row["budget"]: float(row["leakage_bits"]) for row in table if row["method"] == "fine-free"}
    exact = {row["budget"]: float(row["leakage_bits"]) for row in table if row["method"] == "exact"}
    for row in table:
        assert float(row["distance"]) <= float(row["budget"]) * (1 + 1e-9)
        assert float(row["leakage_clusters_bits"]) <= float(row["leakage_features_bits"]) + 1e-9
        assert free[row["budget"]] <= float(row["leakage_bits"]) + 2e-5, row
        if row["method"] in ("hyobscure", "xobf", "ygen", "privcheck"):
            assert exact[row["budget"]] <= float(row["leakage_bits"]) + 2e-8, row
    assert hyobscure("compare", people / "spec.toml", "--points", 4, "-o", tmp_path / "c").code == 2  # exists
    again = hyobscure(
        "compare",
        people / "spec.toml",
        "--methods",
        "xobf,random",
        "--budgets",
        "0.3,0.45",
        "-o",
        tmp_path / "c",
        "--force",
        "--json",
    )
    assert again.code == 0 and [m["method"] for m in again.json["methods"]] == ["xobf", "random"]
    for wrong in (["--methods", "magic"], ["--budgets", "-1"], ["--points", "1"]):
        assert hyobscure("compare", people / "spec.toml", *wrong, "-o", tmp_path / "d").code == 2, wrong
    assert not (tmp_path / "d").exists()


def test_an_existing_frontier_is_not_overwritten(hyobscure, people, tmp_path):
    (tmp_path / "m.frontier.csv").write_text("mine")
    refused = hyobscure("fit", people / "spec.toml", "--frontier", 3, "-o", tmp_path / "m.json")
    assert refused.code == 2 and "m.frontier.csv" in refused.err
    assert (tmp_path / "m.frontier.csv").read_text() == "mine" and not (tmp_path / "m.json").exists()


def test_nothing_private_is_in_a_release(people, mechanism, release):
    private = json.loads(mechanism.read_text())
    text = "".join(file.read_text() for file in release.iterdir())
    for secret in (private["key"], private["data_fingerprint"], str(people), str(mechanism)):
        assert secret not in text


def test_wrong_usage_exits_with_two(hyobscure):
    for arguments in ([], ["nonsense"], ["fit"], ["fit", "--no-such-flag"], ["synth", "--people", "0", "-o", "x"]):
        assert hyobscure(*arguments).code == 2, arguments


def wait_until(condition, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def test_control_c_leaves_nothing_behind(tmp_path):
    """Whenever it comes: the folder is there whole, or not at all."""
    for delay in (0.05, 0.3, 1.0):
        process = subprocess.Popen(
            [BINARY, "synth", "--people", "200000", "-o", tmp_path / "d"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT), err
        assert list(tmp_path.iterdir()) == []


def test_progress_is_shown_on_a_terminal_only(people, tmp_path, hyobscure):
    assert hyobscure("inspect", people / "spec.toml").err == ""
    controller, terminal = pty.openpty()
    process = subprocess.Popen([BINARY, "inspect", people / "spec.toml"], stdout=subprocess.DEVNULL, stderr=terminal)
    assert process.wait(timeout=60) == 0
    os.close(terminal)
    shown = os.read(controller, 100_000).decode()
    assert "reading people" in shown
    assert shown.endswith("\r\x1b[K")  # the line is wiped at the end

"""Every experiment of the paper in its quick size; killed ones go on; changed ones are refused."""

import csv
import math
import shutil
import signal
import subprocess
import time

import pytest

from conftest import BINARY, SOURCE

EXPERIMENTS = sorted(file.stem for file in (SOURCE / "experiments").glob("*.toml"))


def table(file):
    lines = file.read_text().splitlines()
    assert lines[0].startswith("# hyobscure experiment ")
    return list(csv.DictReader(lines[1:]))


def without_seconds(rows):
    """Times differ from run to run; all else may not."""
    return [{key: cell for key, cell in row.items() if "seconds" not in key and "megabytes" not in key} for row in rows]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


def test_the_list_names_every_experiment(hyobscure):
    assert hyobscure("experiment", "list", "--quiet").out.split() == EXPERIMENTS


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_quick_size_runs_and_its_figures_make_sense(hyobscure, results, name):
    done = hyobscure("experiment", name, "--quick", "-o", results, "--json")
    assert done.code == 0, done.err
    rows = table(results / f"{name}.csv")
    assert len(rows) >= 2
    good = [row for row in rows if not row["reason"]]
    assert good, "nothing but reasons"
    for row in good:
        for key, cell in row.items():
            assert cell != "nan"
            if key.endswith(("_bits", "_error", "_seconds", "distance")) and cell:
                assert math.isfinite(float(cell)) and float(cell) > -1e-9, key
        assert float(row["leakage_bits"]) > 0
        # The paper's methods keep the expected distance within the budget.
        assert float(row["distance"]) <= float(row["budget"]) + 1e-6
        if "forest_I_error" in row:
            assert float(row["forest_I_low"]) <= float(row["forest_I_error"]) <= float(row["forest_I_high"])
            groups, features = float(row["leakage_groups_bits"]), float(row["leakage_features_bits"])
            assert float(row["leakage_bits"]) == pytest.approx(groups + features, abs=1e-4)
            assert float(row["informed_error"]) <= float(row["informed_group_only"]) + 1e-9
    again = hyobscure("experiment", name, "--quick", "-o", results, "--json").json
    assert again["computed"] == 0 and again["kept"] > 0


def test_what_cannot_be_is_a_row_with_its_reason(results):
    reasons = [row["reason"] for row in table(results / "groups.csv") if row["groups.count"] == "40"]
    assert len(reasons) == 1 and "no grouping" in reasons[0]


def test_the_cross_iteration_never_raises_the_leakage(results):
    rounds = {}
    for row in table(results / "convergence.csv"):
        rounds.setdefault((row["method.seed"], row["budget"]), []).append(float(row["leakage_bits"]))
    assert len(rounds) >= 4
    for leakages in rounds.values():
        assert all(later <= earlier + 1e-9 for earlier, later in zip(leakages, leakages[1:]))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_was_ended_goes_on_to_the_same_results(hyobscure, results, tmp_path, how):
    name = "cross-iteration"
    running = subprocess.Popen(
        [BINARY, "experiment", name, "--quick", "-o", tmp_path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    file = tmp_path / f"{name}.csv"
    patience = time.monotonic() + 120
    while not file.exists():
        assert time.monotonic() < patience and running.poll() is None
        time.sleep(0.02)
    running.send_signal(how)
    code = running.wait(timeout=120)
    assert code == (-9 if how == signal.SIGKILL else 130)
    there = len(table(file))
    assert 1 <= there < len(table(results / f"{name}.csv"))
    rest = hyobscure("experiment", name, "--quick", "-o", tmp_path, "--json").json
    assert rest["kept"] == there and rest["complete"]
    assert without_seconds(table(file)) == without_seconds(table(results / f"{name}.csv"))


def test_results_of_other_settings_are_refused(hyobscure, results, tmp_path):
    own = tmp_path / "convergence.toml"
    shutil.copy(SOURCE / "experiments" / "convergence.toml", own)
    shutil.copy(results / "convergence.csv", tmp_path)
    assert hyobscure("experiment", own, "--quick", "-o", tmp_path, "--json").json["computed"] == 0
    own.write_text(own.read_text().replace("people = 300", "people = 250"))
    before = (tmp_path / "convergence.csv").read_bytes()
    refused = hyobscure("experiment", own, "--quick", "-o", tmp_path)
    assert refused.code == 2 and "other settings" in refused.err
    assert (tmp_path / "convergence.csv").read_bytes() == before


def test_mistakes_are_explained(hyobscure, tmp_path, monkeypatch):
    assert "Did you mean trade-off?" in hyobscure("experiment", "tradeoff").err
    monkeypatch.delenv("HYOBSCURE_DATA", raising=False)
    absent = hyobscure("experiment", "trade-off", "-o", tmp_path)
    assert absent.code == 2 and "movielens-100k" in absent.err and "--quick" in absent.err
    own = tmp_path / "own.toml"
    own.write_text((SOURCE / "experiments" / "groups.toml").read_text().replace("shares", "share"))
    wrong = hyobscure("experiment", own, "--quick", "-o", tmp_path)
    assert wrong.code == 2 and "quick.share" in wrong.err


def test_committed_results_belong_to_the_experiments():
    """Aggregates only: no column of people or ids."""
    for file in (SOURCE / "experiments" / "results").glob("*.csv"):
        assert file.stem in EXPERIMENTS
        rows = table(file)
        assert rows and not {"id", "person", "age"} & set(rows[0])

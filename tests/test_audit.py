"""audit: attacks beside their controls, uses, and the report; what cannot be audited is said clearly."""

import csv
import json
import re
import signal
import subprocess
import time

import pytest

from conftest import BINARY


QUICK = ["--audit.releases", 2, "--audit.attackers", "boosting"]


def test_it_shows_attacks_their_controls_and_uses(hyobscure, people, mechanism, release):
    shown = hyobscure("audit", people / "spec.toml", release, "-m", mechanism, *QUICK)
    assert shown.code == 0, shown.err
    for part in (
        "boosted trees",
        "group alone",
        "on true features",
        "not which row is the target's",
        "So publish once",
        "rating prediction",
        "recommendation",
    ):
        assert part in shown.prose, part
    assert "nan" not in shown.out.lower()


def test_json_has_every_figure_with_its_interval(hyobscure, people, mechanism, release):
    found = hyobscure("audit", people / "spec.toml", release, "-m", mechanism, *QUICK, "--json").json
    assert [attack["scenario"] for attack in found["attacks"]] == [
        "I",
        "II",
        "II (10 % known)",
        "II (90 % known)",
    ]
    for attack in found["attacks"]:
        for figure in ("published", "unobscured", "group_only", "nothing", "advantage"):
            assert attack[figure]["low"] <= attack[figure]["mean"] <= attack[figure]["high"]
        assert attack["group_only"]["mean"] < attack["nothing"]["mean"]
    assert found["informed"]["error"] <= found["informed"]["group_only"]
    assert [repeated["releases"] for repeated in found["informed"]["repeated"]] == [1, 2, 5, 10]


def test_true_features_of_dependent_people_are_found_out_and_the_release_less(hyobscure, people, mechanism, release):
    attack = hyobscure(
        "audit", people / "spec.toml", release, "-m", mechanism, *QUICK, "--audit.scenarios", "I", "--json"
    ).json["attacks"][0]
    assert attack["unobscured"]["mean"] < attack["published"]["mean"]


def test_the_files_alone_can_be_audited_where_ids_were_kept(hyobscure, people, mechanism, release, tmp_path):
    refused = hyobscure("audit", people / "spec.toml", release, *QUICK, "--audit.scenarios", "I")
    assert refused.code == 2 and "ids are not kept" in refused.err and "-m" in refused.err
    assert (
        hyobscure("publish", people / "spec.toml", "-m", mechanism, "-o", tmp_path / "r", "--release.ids", "keep").code
        == 0
    )
    shown = hyobscure("audit", people / "spec.toml", tmp_path / "r", *QUICK, "--audit.scenarios", "I")
    assert shown.code == 0, shown.err
    assert "other split" in shown.prose and "Informed attacker" not in shown.out


def test_a_release_of_other_data_is_refused(hyobscure, people, mechanism, release, tmp_path):
    assert hyobscure("synth", "--people", 300, "--seed", 9, "-o", tmp_path / "d").code == 0
    other = hyobscure("audit", tmp_path / "d" / "spec.toml", release, "-m", mechanism, *QUICK)
    assert other.code == 2 and "other data" in other.err


def test_a_mechanism_of_another_release_is_refused(hyobscure, people, release, tmp_path):
    given = ["fit", people / "spec.toml", "-o", tmp_path / "m.json"]
    assert hyobscure(*given).code == 0  # finds the same groups and channels, with another key
    refused = hyobscure("audit", people / "spec.toml", release, "-m", tmp_path / "m.json", *QUICK)
    assert refused.code == 2 and "not made by this mechanism" in refused.err


def test_a_task_that_is_not_kept_is_refused(hyobscure, people, mechanism, release):
    refused = hyobscure("audit", people / "spec.toml", release, "-m", mechanism, *QUICK, "--audit.task", "colour")
    assert refused.code == 2 and "audit.task" in refused.err and "people.keep" in refused.err


def test_a_kept_column_can_be_the_task(hyobscure, tmp_path):
    data = tmp_path / "data"
    assert hyobscure("synth", "--people", 300, "--kind", "tabular", "-o", data).code == 0
    spec = data / "spec.toml"
    spec.write_text(
        spec.read_text().replace('"region", ', "").replace('secret = "age"', 'secret = "age"\nkeep = ["region"]')
    )
    assert hyobscure(
        "fit",
        spec,
        "--method",
        "random",
        "--channel.budget_share",
        0.5,
        "--groups.limits_for",
        "groups",
        "-o",
        tmp_path / "m.json",
    ).usable
    assert hyobscure("publish", spec, "-m", tmp_path / "m.json", "-o", tmp_path / "r", "--accept-leakage").code == 0
    found = hyobscure(
        "audit", spec, tmp_path / "r", "-m", tmp_path / "m.json", *QUICK, "--audit.task", "region", "--json"
    )
    assert found.code == 0, found.err
    task = found.json["utilities"][0]
    assert "region" in task["name"] and task["measure"] in ("AUC", "accuracy", "area under the ROC curve")


def test_too_few_people_are_refused(hyobscure, tmp_path):
    rows = [f"p{i},{20 + i % 4},{i % 3},{i % 2}" for i in range(16)]
    (tmp_path / "people.csv").write_text("id,age,a,b\n" + "\n".join(rows) + "\n")
    (tmp_path / "spec.toml").write_text(
        '[people]\nfile = "people.csv"\nid = "id"\nsecret = "age"\nfeatures = ["a", "b"]\nscale = "none"\n'
        '[groups]\npeople = [2, 16]\nvalues = [1, 4]\n[channel]\nclusters = 2\ndistance = "euclidean"\nbudget_share = 0.5\n'
        '[method]\nname = "random"\n'
    )
    assert hyobscure("fit", tmp_path / "spec.toml", "-o", tmp_path / "m.json").code == 0
    assert hyobscure("publish", tmp_path / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r").code == 0
    refused = hyobscure("audit", tmp_path / "spec.toml", tmp_path / "r", "-m", tmp_path / "m.json")
    assert refused.code == 2 and "20" in refused.err, refused.err


def test_compare_audits_every_method_and_the_report_takes_its_curves(hyobscure, people, mechanism, release, tmp_path):
    compared = hyobscure(
        "compare",
        people / "spec.toml",
        "--methods",
        "exact,random",
        "--points",
        2,
        "--audit",
        *QUICK,
        "--audit.scenarios",
        "I",
        "-o",
        tmp_path / "c",
    )
    assert compared.code == 0, compared.err
    assert "strongest" in compared.out and "loss of recommendation" in compared.prose
    rows = list(csv.DictReader((tmp_path / "c" / "audits.csv").open()))
    assert {row["method"] for row in rows} == {"exact", "random"} and {row["kind"] for row in rows} == {"attack", "use"}
    assert all(row["mean"] != "nan" for row in rows)
    page = tmp_path / "report.html"
    audited = hyobscure(
        "audit",
        people / "spec.toml",
        release,
        "-m",
        mechanism,
        *QUICK,
        "--report",
        page,
        "--comparison",
        tmp_path / "c",
    )
    assert audited.code == 0, audited.err
    facts = facts_of(page)
    for section in (
        "data",
        "release",
        "checks",
        "groups",
        "histogram",
        "leakage",
        "channel",
        "frontier",
        "tradeoff",
        "audit",
        "settings",
        "limits",
    ):
        assert facts[section], section
    again = hyobscure("audit", people / "spec.toml", release, "-m", mechanism, *QUICK, "--report", page)
    assert again.code == 2 and "report.html" in again.err


def facts_of(page):
    text = page.read_text()
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.S)
    return json.loads(found.group(1))


def test_a_damaged_comparison_is_refused_and_one_without_a_report_too(hyobscure, people, mechanism, release, tmp_path):
    (tmp_path / "comparison.json").write_text("{}")
    given = [
        "audit",
        people / "spec.toml",
        release,
        "-m",
        mechanism,
        *QUICK,
        "--audit.scenarios",
        "I",
        "--comparison",
        tmp_path,
    ]
    damaged = hyobscure(*given, "--report", tmp_path / "report.html")
    assert damaged.code == 2 and "damaged" in damaged.err and not (tmp_path / "report.html").exists()
    assert hyobscure(*given).code == 2


def test_a_comparison_of_other_people_is_refused(hyobscure, people, mechanism, release, tmp_path):
    assert hyobscure("synth", "--people", 300, "--seed", 9, "-o", tmp_path / "d").code == 0
    assert (
        hyobscure(
            "compare", tmp_path / "d" / "spec.toml", "--methods", "random", "--points", 2, "-o", tmp_path / "c"
        ).code
        == 0
    )
    refused = hyobscure(
        "audit",
        people / "spec.toml",
        release,
        "-m",
        mechanism,
        *QUICK,
        "--audit.scenarios",
        "I",
        "--report",
        tmp_path / "report.html",
        "--comparison",
        tmp_path / "c",
    )
    assert refused.code == 2 and "other people" in refused.err


def without_seconds(found):
    return {key: value for key, value in found.json.items() if key != "seconds"}


def test_an_audit_that_was_stopped_goes_on_to_the_same_answer(hyobscure, people, mechanism, release, tmp_path):
    given = ["audit", people / "spec.toml", release, "-m", mechanism, "--audit.releases", 12, "--json"]
    kept = tmp_path / "kept"
    stopped = subprocess.Popen(
        [BINARY, *map(str, given), "--resume", kept], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while stopped.poll() is None and not (kept.exists() and kept.stat().st_size > 20_000):
        time.sleep(0.01)
    stopped.send_signal(signal.SIGINT)
    out, err = stopped.communicate(timeout=120)
    assert stopped.returncode == 130, (out, err)
    assert str(kept) in err and "goes on from there" in err
    size = kept.stat().st_size
    resumed = hyobscure(*given, "--resume", kept)
    assert resumed.code == 0, resumed.err
    assert kept.stat().st_size > size  # what it computed lies beside what was there
    assert without_seconds(resumed) == without_seconds(hyobscure(*given))


def test_beside_a_report_it_is_kept_until_the_report_is_written(hyobscure, people, mechanism, release, tmp_path):
    page, kept = tmp_path / "page.html", tmp_path / "page.unfinished-audit"
    given = ["audit", people / "spec.toml", release, "-m", mechanism, "--report", page, "--audit.releases"]
    stopped = subprocess.Popen([BINARY, *map(str, given), "200"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while stopped.poll() is None and not (kept.exists() and kept.stat().st_size > 20_000):
        time.sleep(0.01)
    stopped.send_signal(signal.SIGINT)
    assert stopped.wait(timeout=120) == 130
    assert kept.exists() and not page.exists() and kept.stat().st_mode & 0o077 == 0
    assert hyobscure(*given, 2).code == 0
    assert page.exists() and not kept.exists()


def test_outcomes_of_another_audit_are_refused(hyobscure, people, mechanism, release, tmp_path):
    given = ["audit", people / "spec.toml", release, "-m", mechanism, *QUICK, "--resume", tmp_path / "kept"]
    assert hyobscure(*given).code == 0
    before = (tmp_path / "kept").read_bytes()
    refused = hyobscure(*given, "--audit.known", 0.3)
    assert refused.code == 2 and "another audit" in refused.err
    assert (tmp_path / "kept").read_bytes() == before


def test_a_log_file_learns_how_long_it_will_take(people, mechanism, release):
    """Not a terminal: a line at once where it will take long."""
    long = subprocess.Popen(
        [BINARY, "audit", people / "spec.toml", release, "-m", mechanism, "--audit.releases", "2000"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = long.stderr.readline()
    long.send_signal(signal.SIGINT)
    long.communicate(timeout=120)
    assert re.search(r"hyobscure: .*about [0-9].* left", line), line
    assert "\r" not in line and "\x1b" not in line


def test_every_attack_without_a_gain_states_its_power(hyobscure, people, mechanism, release):
    found = hyobscure("audit", people / "spec.toml", release, "-m", mechanism, *QUICK, "--json").json
    shown = hyobscure("audit", people / "spec.toml", release, "-m", mechanism, *QUICK)
    for attack in found["attacks"]:
        assert attack["power"] is None or attack["power"] > 0
    for attack in found["attacks"]:
        gain = attack["advantage"]
        if gain["low"] <= 0 < attack["unobscured_advantage"]["low"] and attack["power"] is not None:
            assert f"no measurable gain (power {attack['power']:.3f})" in shown.prose

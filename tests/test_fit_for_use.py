"""Budget by task: `fit` keeps what channel.budget promises, and says so."""

import json

import pytest

QUICK = ["--method", "random", "--audit.releases", 4]


def promised(hyobscure, spec, text, tmp_path, *flags, method=QUICK):
    return hyobscure("fit", spec, "--budget", text, *method, "-o", tmp_path / "m.json", "--force", *flags)


def test_the_promise_is_kept_and_told_with_its_interval(hyobscure, people, tmp_path):
    fitted = promised(hyobscure, people / "spec.toml", "at most 3% of map", tmp_path, "--json")
    assert fitted.usable, fitted.err
    kept = fitted.json["promise"]
    assert (kept["text"], kept["percent"], kept["measure"]) == ("at most 3 % of mAP", 3, "mAP")
    assert kept["loss_percent"]["low"] <= kept["loss_percent"]["mean"] <= kept["loss_percent"]["high"] <= 3
    assert kept["limit"] == pytest.approx(0.03 * kept["utility"]["unobscured"]["mean"])
    assert kept["utility"]["loss"]["high"] <= kept["limit"]
    budgets = [tried["budget"] for tried in kept["tried"]]
    assert budgets == sorted(budgets) and len(budgets) == 9
    assert fitted.json["budget"] == max(tried["budget"] for tried in kept["tried"] if tried["kept"])
    assert any(not tried["kept"] and tried["budget"] > fitted.json["budget"] for tried in kept["tried"])


def test_the_text_shows_what_was_tried_and_publish_and_audit_go_on_from_there(hyobscure, people, tmp_path):
    spec = tmp_path / "spec.toml"
    text = (people / "spec.toml").read_text().replace('file   = "', f'file   = "{people}/')
    spec.write_text(text.replace("budget_share = 0.7", 'budget = "at most 3 % of mAP"'))
    fitted = hyobscure("fit", spec, *QUICK, "-o", tmp_path / "m.json")
    assert fitted.usable, fitted.err
    assert "Budgets tried" in fitted.out and "met, chosen" in fitted.out and "missed" in fitted.out
    assert (
        "Target: at most 3 % of mAP. Met: mean average precision " in fitted.prose
        and "with true features" in fitted.prose
    )
    assert (
        hyobscure("publish", spec, *QUICK, "-m", tmp_path / "m.json", "-o", tmp_path / "r", "--accept-leakage").code
        == 0
    )
    # The audit of the mechanism draws what the search drew: the same figures.
    flags = [*QUICK, "--audit.scenarios", "[]", "-m", tmp_path / "m.json", "--json"]
    audited = hyobscure("audit", spec, tmp_path / "r", *flags)
    assert audited.code == 0, audited.err
    use = next(use for use in audited.json["utilities"] if use["measure"] == "mean average precision")
    assert f"mean average precision {use['published']['mean']:.4f}," in fitted.prose
    # inspect needs no budget, compare has its own.
    assert hyobscure("inspect", spec).code == 0
    assert hyobscure("compare", spec, "--methods", "xobf,random", "--points", 2, "-o", tmp_path / "c").code == 0


def test_a_distance_needs_no_audit(hyobscure, people, tmp_path):
    fitted = promised(hyobscure, people / "spec.toml", "at most 50 % of distance", tmp_path, "--json")
    assert fitted.usable, fitted.err
    assert fitted.json["distance"] <= fitted.json["promise"]["limit"] * (1 + 1e-9)
    assert fitted.json["promise"]["loss_percent"]["high"] == pytest.approx(50, abs=0.1)
    assert "utility" not in fitted.json["promise"]
    said = promised(hyobscure, people / "spec.toml", "at most 50 % of distance", tmp_path)
    assert "of the distance of any donor of the group" in said.prose


def test_a_task_is_a_kept_column(hyobscure, tmp_path):
    data = tmp_path / "data"
    assert hyobscure("synth", "--people", 200, "--kind", "tabular", "-o", data).code == 0
    spec = data / "spec.toml"
    text = spec.read_text().replace('"region", ', "").replace('secret = "age"', 'secret = "age"\nkeep = ["region"]')
    text = text.replace("[groups]\n", '[groups]\nlimits_for = "groups"\n')
    spec.write_text(text + '\n[audit]\ntask = "region"\n')
    fitted = promised(hyobscure, spec, "at most 60 % of task", tmp_path, "--json")
    assert fitted.usable, fitted.err
    assert fitted.json["promise"]["utility"]["name"]
    missing = promised(hyobscure, spec, "at most 60 % of task", tmp_path, "--audit.task", "hours")
    assert missing.code == 2 and "people.keep" in missing.err


@pytest.mark.parametrize(
    "text, words",
    [
        ("cheap", "at most 2 % of rating RMSE"),
        ("at most 2 % of happiness", "rating RMSE, mAP, task, distance"),
        ("at most 2 % of task", "audit.task"),
    ],
)
def test_what_is_not_understood_names_what_is(hyobscure, people, tmp_path, text, words):
    refused = promised(hyobscure, people / "spec.toml", text, tmp_path)
    assert refused.code == 2 and words in refused.err, refused.err
    assert not (tmp_path / "m.json").exists()


def test_a_promise_that_cannot_be_kept_says_the_smallest_loss(hyobscure, people, tmp_path):
    refused = promised(
        hyobscure, people / "spec.toml", "at most 0 % of mAP", tmp_path, "--json", method=["--method", "xobf"]
    )
    assert refused.code == 2
    assert "the smallest loss of xobf" in refused.json["error"]["problem"]
    assert not (tmp_path / "m.json").exists()


def test_the_same_seed_gives_the_same_mechanism(hyobscure, people, tmp_path):
    files = []
    for threads in (1, 2):
        fitted = promised(
            hyobscure, people / "spec.toml", "at most 3 % of mAP", tmp_path, "--seed", 9, "--threads", threads
        )
        assert fitted.usable, fitted.err
        files.append(json.loads((tmp_path / "m.json").read_text()))
    assert files[0] == files[1]

"""A release: its files, its check, and what is shown of it."""

import hashlib
import json

import matplotlib
import pytest
from conftest import QUICK

import hyobscure
from hyobscure import HyObscure, InputError

matplotlib.use("Agg")


def test_the_files_are_those_of_the_manifest(model, tmp_path):
    release = model.publish(tmp_path / "release")
    for file in release.manifest["files"]:
        assert hashlib.sha256((tmp_path / "release" / file["name"]).read_bytes()).hexdigest() == file["sha256"]
    checked, alone = release.verify(), hyobscure.verify(tmp_path / "release")
    assert checked and checked.passed and alone.passed
    compared = {check.name for check in checked.checks} - {check.name for check in alone.checks}
    assert "groups are as large as in the original" in compared  # only the owner of the original can check this
    assert json.loads((tmp_path / "release" / "manifest.json").read_text()) == release.manifest


def test_lifts_of_people_are_within_the_largest_of_all(model):
    lifts = model.lifts()
    people = model.facts_["people"]
    assert {name: column.shape for name, column in lifts.items()} == dict.fromkeys(lifts, (people,))
    assert (lifts["expected"] <= lifts["largest"] + 1e-12).all()
    assert lifts["largest"].max() == pytest.approx(model.max_lift_) == pytest.approx(model.facts_["own_lift_largest"])
    assert lifts["expected"].mean() >= 1 - 1e-12  # a mean of squares over the square of a mean
    assert (lifts["expected"] * lifts["by_group"]).max() == pytest.approx(model.facts_["own_lift_of_population"])


def test_a_release_in_memory_leaves_nothing_behind(model):
    release = model.publish()
    folder = release.folder
    assert folder.exists() and release.verify().passed
    del release
    assert not folder.exists()


def test_verify_finds_an_exact_secret(model, tmp_path):
    release = model.publish(tmp_path / "release")
    people = tmp_path / "release" / "people.csv"
    lines = people.read_text().splitlines()
    cells = lines[1].split(",")
    cells[1] = "33"
    people.write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]) + "\n")
    found = release.verify()
    assert not found and [check for check in found.checks if not check.passed]
    assert "FAILED" in found._repr_html_()


def test_a_signed_release_is_known_by_its_key(model, program, tmp_path):
    for name in ("ours", "theirs"):
        program("keygen", "-o", tmp_path / name)
    release = model.publish(tmp_path / "release", sign=tmp_path / "ours")
    assert release.verify(signed_by=tmp_path / "ours.pub").passed
    assert hyobscure.verify(tmp_path / "release", signed_by=tmp_path / "ours.pub").passed
    assert not hyobscure.verify(tmp_path / "release", signed_by=tmp_path / "theirs.pub").passed
    with pytest.raises(InputError, match="this is a public key"):
        model.publish(tmp_path / "none", sign=tmp_path / "ours.pub")
    assert not (tmp_path / "none").exists()


def test_publishing_again_gives_the_same_release(model, tmp_path):
    model.publish(tmp_path / "a")
    model.publish(tmp_path / "b")
    assert (tmp_path / "a" / "people.csv").read_bytes() == (tmp_path / "b" / "people.csv").read_bytes()
    with pytest.raises(InputError, match="exists"):
        model.publish(tmp_path / "a")
    model.publish(tmp_path / "a", force=True)


def test_a_mechanism_goes_through_its_file(model, numbers, tmp_path):
    X, y = numbers
    model.save(tmp_path / "mechanism.json")
    loaded = hyobscure.load(tmp_path / "mechanism.json")
    assert loaded.groups_ == model.groups_ and loaded.leakage_ == model.leakage_
    assert (loaded.transform(X, y) == model.transform(X)).all()
    with pytest.raises(InputError, match="does not know its people"):
        loaded.publish()
    assert (loaded.publish(X=X, y=y).X == model.publish().X).all()
    with pytest.raises(InputError, match="has no census"):
        loaded.frontier()


def test_replaced_ids_tell_nothing(numbers):
    X, y = numbers
    release = HyObscure(settings={"channel.budget_share": 0.4}, **QUICK).fit(X, y).publish()
    ids = release.people["id"]
    assert len(set(ids)) == len(y) and all(len(text) == 16 for text in ids)


def test_people_can_be_published_under_their_own_ids(numbers):
    X, y = numbers
    release = HyObscure(settings={"channel.budget_share": 0.4, "release.ids": "keep"}, **QUICK).fit(X, y).publish()
    assert sorted(release.people["id"]) == list(range(len(y)))
    assert "every label covers the true secret" in {check.name for check in release.verify().checks}


def test_plots_draw_what_was_found(model):
    axes = hyobscure.plot_groups(model)
    assert [bar.get_height() for bar in axes.patches] == [group["people"] for group in model.groups_]
    axes = hyobscure.plot_channel(model, 0)
    assert (axes.images[0].get_array() == model.channels_[0]["probabilities"]).all()
    frontier = model.frontier(points=3)
    axes = hyobscure.plot_frontier(frontier)
    assert list(axes.lines[0].get_ydata()) == list(frontier["leakage_bits"])
    matplotlib.pyplot.close("all")


def test_the_channel_of_people_is_plotted(numbers):
    model = HyObscure(budget=0.15, **{**QUICK, "method": "fine"}).fit(*numbers)
    axes = hyobscure.plot_channel(model, 0)
    assert len(axes.collections[0].get_offsets()) == model.channels_[0]["probabilities"].nnz
    matplotlib.pyplot.close("all")


def test_notebooks_show_figures_and_escape_names(model):
    page = model._repr_html_()
    assert f"{model.leakage_:.4f}" in page and all(group["label"] in page for group in model.groups_)
    assert HyObscure(method="<b>")._repr_html_().count("<b>") == 0
    assert "sha256" in model.publish()._repr_html_()

"""A release: its files, its check, and what is shown of it."""

import hashlib
import json
import pickle
import warnings

import matplotlib
import numpy as np
import pandas
import pytest
from conftest import LONG, QUICK, groups_of_labels

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


def test_a_table_in_the_place_of_a_folder_is_refused(model, numbers, wide, tmp_path):
    X, y = numbers
    for slip in (X, wide, [1, 2]):
        with pytest.raises(InputError, match="X=") as refused:
            model.publish(slip)
        assert refused.value.place.source == "folder"
    with pytest.raises(TypeError):
        model.publish(tmp_path / "release", X, y)
    for call in (model.save, hyobscure.load, hyobscure.verify, hyobscure.synth):
        with pytest.raises(InputError, match="expected a path"):
            call(X)


def test_a_release_closes(model):
    with model.publish() as release:
        folder, X = release.folder, release.X
        assert folder.exists()
    assert not folder.exists() and (release.X == X).all()
    with pytest.raises(InputError, match="closed"):
        release.verify()
    with pytest.raises(InputError, match="closed"):
        release.people
    release.close()


def test_closing_leaves_a_folder_that_was_asked_for(model, tmp_path):
    with model.publish(tmp_path / "release") as release:
        pass
    assert (tmp_path / "release" / "manifest.json").exists() and release.verify().passed


@pytest.mark.parametrize("where", ["memory", "folder"])
def test_a_pickle_holds_what_is_published_and_nothing_else(model, numbers, where, tmp_path):
    release = model.publish(tmp_path / "release" if where == "folder" else None)
    content = pickle.dumps(release)
    other = pickle.loads(content)
    assert (other.X == release.X).all() and list(other.y) == list(release.y)
    assert other.manifest == release.manifest and other.verify().passed
    for name in release.people:
        assert list(other.people[name]) == list(release.people[name])
    assert other.facts is None and "realised_distance" not in str(vars(other))
    key = json.loads(_mechanism_text(model, tmp_path))["key"]
    assert key.encode() not in content and bytes.fromhex(key) not in content
    with pytest.raises(InputError, match="pickle"):
        other.report(tmp_path / "report.html")
    with pytest.raises(InputError, match="rows"):
        other.aligned()
    if where == "memory":
        release.close()
        assert other.verify().passed  # its own files
        folder = other.folder
        other.close()
        assert not folder.exists()


def _mechanism_text(model, tmp_path):
    model.save(tmp_path / "mechanism.json")
    return (tmp_path / "mechanism.json").read_text()


def test_a_pickle_of_events_holds_them(long):
    people, events = long
    settings = {**LONG, "channel.budget_share": 0.5}
    release = (
        HyObscure(id="user", settings=settings, **QUICK).fit(people, "age", events=events).publish(accept_leakage=True)
    )
    other = pickle.loads(pickle.dumps(release))
    pandas.testing.assert_frame_equal(other.events, release.events)
    pandas.testing.assert_frame_equal(other.people, release.people)
    with pytest.raises(InputError, match="release.ids"):
        release.aligned()


def test_rows_can_be_aligned_with_the_original(numbers, model):
    """Against the release of the same mechanism that keeps ids, which are numbers of rows."""
    X, y = numbers
    features, labels = model.publish().aligned()
    assert groups_of_labels(labels, y)
    assert np.array_equal(features, model.transform(X))
    settings = {"release.ids": "keep"}
    kept = HyObscure(0.15, settings=settings, **QUICK).fit(X, y).publish()
    order = np.argsort(kept.people["id"])
    assert np.array_equal(kept.X[order], features) and list(kept.y[order]) == list(labels)


def test_a_frame_is_aligned_in_its_type(wide):
    settings = {"channel.budget_share": 0.5, "people.allow_identifying": ["height"]}
    model = HyObscure(id="who", keep=["gender"], settings=settings, **{**QUICK, "people": (20, 200)}).fit(wide, "age")
    features, labels = model.publish().aligned()
    assert list(features.columns) == ["visits", "height", "town"] and (features.index == wide.index).all()
    assert groups_of_labels(labels, wide["age"])


def test_a_release_can_be_drawn_again(model, tmp_path):
    release = model.publish(tmp_path / "release")
    checked = release.verify(redraw=True)
    assert checked.passed
    more = {check.name for check in checked.checks} - {check.name for check in release.verify().checks}
    assert any("again" in name for name in more), more
    frame = checked.to_frame()
    assert list(frame["passed"]) == [check.passed for check in checked.checks]
    with pytest.raises(InputError, match="spec"):
        hyobscure.verify(tmp_path / "release", mechanism=tmp_path / "mechanism.json")


def test_files_of_a_spec_are_drawn_again(tmp_path):
    hyobscure.synth(tmp_path / "data", people=240, items=60, entries=12)
    spec = tmp_path / "data" / "spec.toml"
    model = HyObscure.from_spec(spec, method="exact", random_state=1).fit()
    model.save(tmp_path / "mechanism.json")
    model.publish(tmp_path / "release")
    found = hyobscure.verify(
        tmp_path / "release", spec, mechanism=tmp_path / "mechanism.json", method__name="exact", method__seed=1
    )
    assert found.passed and len(found.checks) > len(
        hyobscure.verify(tmp_path / "release", spec, method__name="exact").checks
    )


def test_a_seed_is_warned_of_where_files_stay(model, tmp_path):
    with pytest.warns(hyobscure.SeededWarning, match="random_state") as caught:
        model.publish(tmp_path / "release")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.publish()


def test_own_rows_are_warned_of(numbers):
    X, y = numbers
    settings = {"channel.budget_share": 0, "channel.most_own_rows": 0.01}
    with pytest.warns(hyobscure.OwnRowsWarning, match="own row") as caught:
        HyObscure(settings=settings, **{**QUICK, "method": "fine"}).fit(X, y)
    assert all(each.filename == __file__ for each in caught)
    assert issubclass(hyobscure.OwnRowsWarning, hyobscure.LeakageWarning)


def test_frontiers_are_frames(model):
    frontier = model.frontier(points=3)
    frame = frontier.to_frame()
    assert list(frame["leakage_bits"]) == list(frontier["leakage_bits"]) and list(frame.columns[:2]) == [
        "budget",
        "distance",
    ]

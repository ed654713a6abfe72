"""One draw per person, ever: a second draw of the same people is refused, with the leakage of both releases together."""

import json
import re
import stat
import subprocess

import pytest

from conftest import BINARY, quick


@pytest.fixture
def data(hyobscure, tmp_path):
    """A spec that remembers whom it published, as one does by default."""
    folder = tmp_path / "data"
    assert (
        hyobscure("synth", "--people", 300, "--items", 100, "--entries", 20, "--dependence", 0.8, "-o", folder).code
        == 0
    )
    quick(folder)
    spec = folder / "spec.toml"
    spec.write_text(spec.read_text().replace('ledger = "none"\n', ""))
    return folder


def fit(hyobscure, data, file, *flags):
    assert hyobscure("fit", data / "spec.toml", "-o", file, *flags).code == 0
    return file


def publish(hyobscure, data, mechanism, folder, *flags):
    return hyobscure("publish", data / "spec.toml", "-m", mechanism, "-o", folder, *flags)


def test_a_second_draw_is_refused_and_says_what_both_would_tell(hyobscure, data, tmp_path):
    first, second = (fit(hyobscure, data, tmp_path / name) for name in ("first.json", "second.json"))
    assert publish(hyobscure, data, first, tmp_path / "r1").code == 0
    refused = publish(hyobscure, data, second, tmp_path / "r2")
    assert refused.code == 2 and not (tmp_path / "r2").exists()
    assert "100 % of the people" in refused.err and "--second-draw" in refused.err and str(first) in refused.err
    together, entropy, alone = map(
        float,
        re.search(r"learns ([\d.]+) of ([\d.]+) bits, where this release alone leaks ([\d.]+\d)", refused.err).groups(),
    )
    assert alone < together < entropy

    forced = publish(hyobscure, data, second, tmp_path / "r2", "--second-draw")
    assert forced.code == 0 and "Second draw: with 1 earlier release" in forced.prose
    manifest = json.loads((tmp_path / "r2" / "manifest.json").read_text())
    assert manifest["second_draw"]["earlier_draws"] == 1
    stated = manifest["second_draw"]["leakage_together_bits"]
    assert together <= stated and stated in (2, 5, 10)  # rounded up, as every figure of a release
    assert f"{together:.4f}" in forced.out
    assert hyobscure("verify", tmp_path / "r2", "--against", data / "spec.toml").code == 0
    third = publish(hyobscure, data, fit(hyobscure, data, tmp_path / "third.json"), tmp_path / "r3")
    assert third.code == 2 and "all 3 releases" in third.err


def test_the_same_mechanism_publishes_again(hyobscure, data, tmp_path):
    mechanism = fit(hyobscure, data, tmp_path / "m.json")
    for name in ("r1", "r2"):
        assert publish(hyobscure, data, mechanism, tmp_path / name).code == 0
    assert (tmp_path / "r1" / "manifest.json").read_bytes() == (tmp_path / "r2" / "manifest.json").read_bytes()


def test_without_the_earlier_mechanism_everything_may_be_told(hyobscure, data, tmp_path):
    first, second = (fit(hyobscure, data, tmp_path / name) for name in ("first.json", "second.json"))
    assert publish(hyobscure, data, first, tmp_path / "r1").code == 0
    first.unlink()
    refused = publish(hyobscure, data, second, tmp_path / "r2")
    together, entropy = re.search(r"learns up to ([\d.]+) of ([\d.]+) bits", refused.err).groups()
    assert refused.code == 2 and together == entropy


def test_some_of_the_same_people_are_enough(hyobscure, data, tmp_path):
    assert publish(hyobscure, data, fit(hyobscure, data, tmp_path / "first.json"), tmp_path / "r1").code == 0
    people = data / "people.csv"
    lines = people.read_text().splitlines(keepends=True)
    people.write_text("".join(lines[:200]))
    second = fit(hyobscure, data, tmp_path / "second.json", "--events.unknown_people", "leave-out")
    refused = publish(hyobscure, data, second, tmp_path / "r2", "--events.unknown_people", "leave-out")
    assert refused.code == 2 and re.search(r"6[67] % of the people", refused.err), refused.err


def test_trials_are_not_remembered(hyobscure, data, tmp_path):
    for seed in (1, 2):
        assert (
            publish(
                hyobscure,
                data,
                fit(hyobscure, data, tmp_path / f"{seed}.json", "--method.seed", seed),
                tmp_path / f"r{seed}",
            ).code
            == 0
        )
    for name in ("a", "b"):
        mechanism = fit(hyobscure, data, tmp_path / f"{name}.json")
        assert publish(hyobscure, data, mechanism, tmp_path / name, "--release.ledger", "none").code == 0
    assert not (data / "hyobscure-ledger.json").exists()


def test_the_ledger_is_private_and_quotes_nobody(hyobscure, data, tmp_path):
    mechanism = fit(hyobscure, data, tmp_path / "m.json")
    assert publish(hyobscure, data, mechanism, tmp_path / "r").code == 0
    ledger = data / "hyobscure-ledger.json"
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    assert json.loads(mechanism.read_text())["key"] not in ledger.read_text()


def test_a_damaged_ledger_is_refused_before_anything_is_written(hyobscure, data, tmp_path):
    (data / "hyobscure-ledger.json").write_text("{}")
    refused = publish(hyobscure, data, fit(hyobscure, data, tmp_path / "m.json"), tmp_path / "r")
    assert refused.code == 2 and "damaged" in refused.err and not (tmp_path / "r").exists()


def test_a_ledger_in_no_folder_is_refused(hyobscure, data, tmp_path):
    refused = publish(
        hyobscure,
        data,
        fit(hyobscure, data, tmp_path / "m.json"),
        tmp_path / "r",
        "--release.ledger",
        "nowhere/ledger.json",
    )
    assert refused.code == 2 and "release.ledger" in refused.err and not (tmp_path / "r").exists()


def test_bits_are_not_computed_from_a_file_that_was_overwritten(hyobscure, data, tmp_path):
    first, second = (fit(hyobscure, data, tmp_path / name) for name in ("first.json", "second.json"))
    assert publish(hyobscure, data, first, tmp_path / "r1").code == 0
    fit(hyobscure, data, first, "--force")  # another key in the file that the ledger names
    refused = publish(hyobscure, data, second, tmp_path / "r2")
    assert refused.code == 2 and "cannot be computed" in refused.err and "another key" in refused.err, refused.err
    together, entropy = re.search(r"learns up to ([\d.]+) of ([\d.]+) bits", refused.err).groups()
    assert together == entropy


def test_of_two_publications_at_once_one_is_refused(hyobscure, data, tmp_path):
    mechanisms = [fit(hyobscure, data, tmp_path / f"{n}.json") for n in range(3)]
    started = [
        subprocess.Popen(
            [BINARY, "publish", data / "spec.toml", "-m", mechanism, "-o", tmp_path / mechanism.stem],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for mechanism in mechanisms
    ]
    messages = [process.communicate(timeout=60)[1].decode() for process in started]
    assert sorted(process.returncode for process in started) == [0, 2, 2], messages
    assert len(json.loads((data / "hyobscure-ledger.json").read_text())["draws"]) == 1
    assert sum((tmp_path / mechanism.stem).exists() for mechanism in mechanisms) == 1
    assert not list(data.glob("*.lock"))


def test_a_ledger_that_is_a_link_stays_one(hyobscure, data, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    (data / "hyobscure-ledger.json").symlink_to(shared / "ledger.json")
    assert publish(hyobscure, data, fit(hyobscure, data, tmp_path / "first.json"), tmp_path / "r1").code == 0
    assert (data / "hyobscure-ledger.json").is_symlink() and (shared / "ledger.json").is_file()
    assert publish(hyobscure, data, fit(hyobscure, data, tmp_path / "second.json"), tmp_path / "r2").code == 2

"""Who published a release: keys, signatures and what verify says of them."""

import re
import shutil
import stat

import pytest


@pytest.fixture
def keys(hyobscure, tmp_path):
    """Two pairs: of the publisher, and of somebody else."""
    for name in ("ours", "theirs"):
        assert hyobscure("keygen", "-o", tmp_path / name).code == 0
    return tmp_path / "ours", tmp_path / "theirs"


@pytest.fixture
def signed(hyobscure, people, mechanism, keys, tmp_path):
    folder = tmp_path / "release"
    done = hyobscure("publish", people / "spec.toml", "-m", mechanism, "-o", folder, "--sign", keys[0])
    assert done.code == 0, done.err
    assert fingerprint(done.prose)
    return folder


def fingerprint(text):
    return re.search(r"(?:[0-9a-f]{4} ){7}[0-9a-f]{4}", text)[0]


def public(key):
    return key.with_name(key.name + ".pub")


def test_a_pair_of_keys_is_private_and_stays(hyobscure, tmp_path):
    key = tmp_path / "key"
    made = hyobscure("keygen", "-o", key, "--json").json
    assert made["signing_key"] == str(key) and made["public_key"] == str(public(key))
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    before = key.read_bytes()
    secret = key.read_text().splitlines()[1]
    again = hyobscure("keygen", "-o", key)
    assert again.code == 2 and "keys are never replaced" in again.err and key.read_bytes() == before
    assert secret not in again.err + again.out + public(key).read_text()


def test_verify_knows_the_publisher(hyobscure, signed, people, keys):
    ours, theirs = keys
    for against in ([], ["--against", people / "spec.toml"]):
        good = hyobscure("verify", signed, *against, "--signed-by", public(ours))
        assert good.code == 0, good.out
        assert "signed by the key that was asked for: fingerprint" in good.prose
        other = hyobscure("verify", signed, *against, "--signed-by", public(theirs))
        assert other.code == 2 and "signed with another key" in other.prose
        assert fingerprint(other.prose) == fingerprint(good.prose), "the key that it is signed with"
    unasked = hyobscure("verify", signed)
    assert unasked.code == 0 and "note" in unasked.out and "was not compared with any" in unasked.prose


def test_a_release_without_a_signature_is_not_the_publishers(hyobscure, signed, keys):
    (signed / "manifest.sig").unlink()
    assert hyobscure("verify", signed).code == 0
    asked = hyobscure("verify", signed, "--signed-by", public(keys[0]))
    assert asked.code == 2 and "there is no manifest.sig" in asked.prose


def test_signatures_do_not_travel(hyobscure, signed, people, keys, tmp_path):
    """Of another release, by the same key: the manifests differ in the draw."""
    other = tmp_path / "other.json"
    assert hyobscure("fit", people / "spec.toml", "-o", other).usable
    folder = tmp_path / "second"
    assert (
        hyobscure(
            "publish", people / "spec.toml", "-m", other, "-o", folder, "--sign", keys[0], "--accept-leakage"
        ).code
        == 0
    )
    shutil.copy(folder / "manifest.sig", signed / "manifest.sig")
    for flags in (["--signed-by", public(keys[0])], []):
        swapped = hyobscure("verify", signed, *flags)
        assert swapped.code == 2 and "do not belong together" in swapped.prose


@pytest.mark.parametrize("damage", [lambda text: text[:-20], lambda text: text + "and more\n", lambda text: ""])
def test_a_damaged_signature_is_none(hyobscure, signed, keys, damage):
    file = signed / "manifest.sig"
    file.write_text(damage(file.read_text()))
    for flags in (["--signed-by", public(keys[0])], []):
        found = hyobscure("verify", signed, *flags)
        assert found.code == 2 and "is no signature, or is damaged" in found.prose


def test_keys_that_cannot_serve_are_refused_before_any_work(hyobscure, people, mechanism, keys, signed, tmp_path):
    ours, _ = keys
    secret = ours.read_text().splitlines()[1]

    def refused(command, *words):
        done = hyobscure(*command, *words)
        assert done.code == 2 and secret not in done.err + done.out
        return done.err

    publish = ["publish", people / "spec.toml", "-m", mechanism, "-o", tmp_path / "none", "--sign"]
    assert "this is a public key" in refused(publish, public(ours))
    assert "this is a signing key" in refused(["verify", signed, "--signed-by"], ours)
    assert "no such file" in refused(publish, tmp_path / "missing")
    ours.chmod(0o640)
    assert "others than its owner" in refused(publish, ours)
    ours.chmod(0o600)
    ours.write_text(ours.read_text()[:-9])
    assert "damaged" in refused(publish, ours)
    assert not (tmp_path / "none").exists()


def test_a_signed_release_can_be_replaced(hyobscure, signed, people, mechanism):
    command = ["publish", people / "spec.toml", "-m", mechanism, "-o", signed, "--force"]
    assert hyobscure(*command).code == 0
    assert not (signed / "manifest.sig").exists(), "a signature of another time does not stay"


def test_the_report_names_the_signer(hyobscure, signed, people, mechanism, keys, tmp_path):
    page = tmp_path / "report.html"
    done = hyobscure(
        "audit",
        people / "spec.toml",
        signed,
        "-m",
        mechanism,
        "--report",
        page,
        "--signed-by",
        public(keys[0]),
        "--audit.attackers",
        "forest",
        "--audit.releases",
        2,
    )
    assert done.code == 0, done.err
    known = fingerprint(hyobscure("verify", signed, "--signed-by", public(keys[0])).prose)
    assert "signed by the key that was asked for" in page.read_text() and known in page.read_text()

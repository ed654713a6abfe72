"""A release on shared storage is signed and checked like one of the command line."""

import pytest

import hyobscure.spark as hs
from hyobscure import InputError
from made import program


def test_a_signed_release(spark, long, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for key in (ours, theirs):
        program("keygen", "-o", key)
    frames = long.frames(spark)
    settings = dict(spec=long.spec, work=str(tmp_path / "work"), accept_leakage=True)
    mechanism = hs.Mechanism.load(long.fitted())
    with pytest.raises(InputError, match="this is a public key"):
        hs.publish(*frames, mechanism, tmp_path / "none", sign=f"{ours}.pub", **settings)
    hs.publish(*frames, mechanism, tmp_path / "release", sign=ours, **settings)

    assert hs.verify(tmp_path / "release", signed_by=f"{ours}.pub").passed
    assert "Verified" in program("verify", tmp_path / "release", "--signed-by", f"{ours}.pub")
    other = hs.verify(tmp_path / "release", signed_by=f"{theirs}.pub")
    assert "signed with another key" in " ".join(check.detail for check in other.checks if not check.passed)
    (tmp_path / "release" / "manifest.sig").write_bytes(b"\xff no text")
    damaged = hs.verify(tmp_path / "release")
    assert [check.name for check in damaged.checks if not check.passed and not check.warning] == [
        "the signature fits the manifest"
    ]

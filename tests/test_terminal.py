"""Nothing that stands in a file steers the terminal: control characters are shown, not obeyed."""

import json
import random
import shutil

import pytest

ESCAPE = "\x1b[2J"
FORGED = "\n  ok    whatever the sender likes"


def is_harmless(text):
    return not [letter for letter in text if (ord(letter) < 32 and letter not in "\n\t") or 127 <= ord(letter) < 160]


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    """A categorical secret with names that would clear the screen."""
    folder = tmp_path_factory.mktemp("towns")
    dice = random.Random(1)
    rows = "".join(f"p{n},town {n % 8}{ESCAPE},{dice.randint(1, 9)},{dice.randint(1, 9)}\n" for n in range(200))
    (folder / "people.csv").write_text("id,town,a,b\n" + rows)
    (folder / "spec.toml").write_text(
        '[people]\nfile = "people.csv"\nid = "id"\nsecret = "town"\nfeatures = ["a", "b"]\n[secret]\nkind = "categorical"\n'
        '[groups]\ncount = 2\npeople = [20, 180]\nvalues = [2, 7]\n[channel]\ndistance = "squared-euclidean"\nclusters = 3\nbudget_share = 0.5\n[method]\nname = "hyobscure"\n[release]\nledger = "none"\n'
    )
    return folder


def test_labels_of_groups(hyobscure, towns, tmp_path):
    fitted = hyobscure("fit", towns / "spec.toml", "-o", tmp_path / "m.json")
    assert fitted.code in (0, 3), fitted.err
    assert "\\u001b[2J" in fitted.out and is_harmless(fitted.out + fitted.err)
    published = hyobscure("publish", towns / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r")
    assert published.code == 0 and is_harmless(published.out + published.err)
    verified = hyobscure("verify", tmp_path / "r", "--against", towns / "spec.toml", "-v")
    assert verified.code == 0, verified.out
    assert is_harmless(verified.out + verified.err)


def test_names_of_files(hyobscure, release, tmp_path):
    for arguments in (["inspect", tmp_path / f"spec{ESCAPE}.toml"], ["verify", tmp_path / f"r{ESCAPE}\x9b31m"]):
        refused = hyobscure(*arguments)
        assert refused.code == 2 and "\\u001b[2J" in refused.err and is_harmless(refused.err)
    folder = tmp_path / "release"
    shutil.copytree(release, folder)
    (folder / f"more{ESCAPE}{FORGED}").write_text("")
    verified = hyobscure("verify", folder)
    assert verified.code == 2 and is_harmless(verified.out) and FORGED not in verified.out, verified.out


def test_what_a_manifest_says(hyobscure, release, tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(release, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["groups"][0]["label"] += ESCAPE + "\x9b1A" + FORGED
    (folder / "manifest.json").write_text(json.dumps(manifest))
    verified = hyobscure("verify", folder)
    assert verified.code == 2 and "\\u001b[2J" in verified.out and is_harmless(verified.out), verified.out
    assert FORGED not in verified.out
    as_json = hyobscure("verify", folder, "--json")
    assert is_harmless(as_json.out) and any(ESCAPE in check["detail"] for check in as_json.json["checks"])

"""The program as its users meet it: run it, read what it says."""

import json
import os
import pathlib
import subprocess

import pytest

from bad_input import Data

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("HYOBSCURE_BINARY", SOURCE / "build" / "hyobscure")).resolve()


class Outcome:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def usable(self):
        """There is an answer, be it weaker than asked (exit code 3): for tests that are not about its strength."""
        return self.code in (0, 3)

    @property
    def prose(self):
        """Without the breaks of lines, for sentences that may be wrapped."""
        return " ".join(self.out.split())

    @property
    def json(self):
        lines = self.out.strip().splitlines()
        assert len(lines) == 1, f"expected one JSON object, got: {self.out!r}"
        return json.loads(lines[0])


def run(*arguments, cwd=None, timeout=300, **options):
    command = [str(BINARY), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, timeout=timeout, capture_output=True, text=True, errors="replace", **options
    )
    return Outcome(done)


def quick(folder):
    """Turns a synthetic spec to the paper's method, which is fast, where the method does not matter, and forgets whom
    it published, since many tests publish the same people."""
    spec = folder / "spec.toml"
    text = spec.read_text().replace('name = "fine"', 'name = "hyobscure"')
    assert "hyobscure" in text
    spec.write_text(text + '\n[release]\nledger = "none"\n')


@pytest.fixture
def hyobscure():
    return run


@pytest.fixture(scope="session")
def people(tmp_path_factory):
    """400 synthetic people with a spec; tests must not change the folder."""
    folder = tmp_path_factory.mktemp("people") / "data"
    made = run("synth", "--people", 400, "--items", 200, "--entries", 30, "--dependence", 0.8, "-o", folder)
    assert made.code == 0, made.err
    quick(folder)
    return folder


@pytest.fixture(scope="session")
def mechanism(people, tmp_path_factory):
    file = tmp_path_factory.mktemp("mechanism") / "mechanism.json"
    fitted = run("fit", people / "spec.toml", "-o", file)
    assert fitted.code == 0, fitted.err
    return file


@pytest.fixture(scope="session")
def release(people, mechanism, tmp_path_factory):
    """A good release; tests must not change it."""
    folder = tmp_path_factory.mktemp("release") / "release"
    published = run("publish", people / "spec.toml", "-m", mechanism, "-o", folder)
    assert published.code == 0, published.err
    return folder


@pytest.fixture
def long(tmp_path, hyobscure):
    return Data(tmp_path, hyobscure, wide=False)


@pytest.fixture
def wide(tmp_path, hyobscure):
    return Data(tmp_path, hyobscure, wide=True)


@pytest.fixture(params=["long", "wide"])
def data(request, tmp_path, hyobscure):
    return Data(tmp_path, hyobscure, wide=request.param == "wide")

"""What a type checker says about programs of users: mypy reads the package as it is installed."""

import subprocess
import sys

import pytest
from conftest import SOURCE

PROGRAM = '''
"""What a user writes."""
from pathlib import Path

import numpy as np

import hyobscure
from hyobscure import HyObscure

ages: np.ndarray = np.arange(200) % 40 + 20
X = np.ones((200, 4))
found: hyobscure.Inspection = hyobscure.inspect(X, ages)
start: hyobscure.Start = hyobscure.init("people.csv", secret="age", care="careful")
spec: Path = start.save("spec.toml")
comparison: hyobscure.Comparison = hyobscure.compare(X, ages, methods=["exact"], points=3)
model: HyObscure = HyObscure(0.2, people=(40, 160), values=(5, 30), random_state=1, n_jobs=-1).fit(X, ages)
leakage: float = model.leakage_
labels: list[str] = [group["label"] for group in model.groups_]
with model.publish(Path("release")) as release:
    passed: bool = release.verify(redraw=True).passed
    manifest: dict[str, object] = release.manifest
score: float = model.score(X, ages)
gain = hyobscure.audit(model, attacker="forest", scenario="I").gain
share: float = gain.mean if gain is not None else 0.0
frontier: hyobscure.Frontier = model.frontier(points=3)
column: np.ndarray = frontier["leakage_bits"]
names: list[str] = [setting.name for setting in hyobscure.settings()]
checks: list[hyobscure.Check] = hyobscure.verify("release", "spec.toml", mechanism="mechanism.json").checks
try:
    hyobscure.load("mechanism.json", id="who").transform(X, ages)
except hyobscure.InputError as error:
    row: int = error.place.row
'''


def said(arguments, folder):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(folder / "cache"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("typed")


def test_a_program_of_a_user_has_the_types_that_it_says(folder):
    (folder / "program.py").write_text(PROGRAM)
    assert "no issues found" in said(["--strict", "program.py"], folder)


MISTAKES = {
    'hyobscure.HyObscure(people="many")': "arg-type",
    "hyobscure.HyObscure(n_job=1)": "call-arg",
    'hyobscure.init("people.csv", care="much")': "arg-type",
    "x: int = hyobscure.settings()": "assignment",
    "y: str = hyobscure.HyObscure(0.2).leakage_": "assignment",
    'hyobscure.HyObscure(0.2).publish("release", [[1.0]], [1])': "call-arg",
    "hyobscure.inspected": "attr-defined",
}


def test_mistakes_of_a_user_are_found(folder):
    (folder / "mistakes.py").write_text("import hyobscure\n" + "\n".join(MISTAKES) + "\n")
    lines = said(["mistakes.py"], folder).splitlines()
    for number, code in enumerate(MISTAKES.values(), start=2):
        assert any(line.startswith(f"mistakes.py:{number}: error") and line.endswith(f"[{code}]") for line in lines), (
            lines
        )


def test_the_package_itself_passes(folder):
    """Its sources; the compiled part by the stub that is installed."""
    flags = ["--disallow-untyped-defs", "--ignore-missing-imports", "--exclude", "spark"]
    assert "no issues found" in said([*flags, SOURCE / "python" / "hyobscure"], folder)

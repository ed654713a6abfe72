"""The demo, which takes longest of all commands: run once, as a new user runs it."""

import json
import re
import shutil
import stat
import subprocess

import pytest

from conftest import SOURCE, run

README = (SOURCE / "README.md").read_text()
GUIDE = (SOURCE / "docs" / "guide.md").read_text()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Where it ran, and what it printed; everybody may read what it does not keep private itself."""
    folder = tmp_path_factory.mktemp("demo")
    shown = run("demo", cwd=folder, umask=0)
    assert shown.code == 0, shown.err
    return folder, shown


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def alike(shown, real):
    """The same words; numbers may differ as the arithmetic of another processor does."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", real):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(real))
    numbers = [(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs]
    return all(abs(a - b) <= max(1e-4, 0.002 * abs(a)) for a, b in numbers)


def test_the_output_of_the_demo_in_readme_and_guide_is_the_real_one(demo):
    real = demo[1].out.splitlines()
    for name, page in (("README", README), ("guide", GUIDE)):
        block = re.search(r"ends like this.*?```\n(.*?)```", page, re.S).group(1)
        for line in block.splitlines():
            assert any(alike(line, other) for other in real), f"{name}: the demo does not print {line!r}"


def test_it_ends_with_a_verified_release_and_where_to_look(demo):
    folder, shown = demo
    for part in (
        "$ hyobscure synth",
        "$ hyobscure inspect",
        "$ hyobscure fit",
        "$ hyobscure publish",
        "$ hyobscure verify",
        "Verified: all",
        "Look at",
    ):
        assert part in shown.out
    assert max(map(len, shown.out.splitlines())) <= 100
    assert (folder / "hyobscure-demo" / "release" / "manifest.json").exists()


def test_its_mechanism_is_private(demo):
    assert stat.S_IMODE((demo[0] / "hyobscure-demo" / "mechanism.json").stat().st_mode) == 0o600


@pytest.mark.skipif(
    not shutil.which("chromium") or not (SOURCE / "web" / "node_modules").exists(),
    reason="there is no Chromium, or web/node_modules: ./run test installs both",
)
def test_its_report_opens_in_a_browser(demo):
    opened = subprocess.run(
        ["node", SOURCE / "web" / "tests" / "open_report.mjs", demo[0] / "hyobscure-demo" / "report.html"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert opened.returncode == 0, opened.stdout + opened.stderr
    assert json.loads(opened.stdout)["charts"] >= 8


def test_its_folder_is_replaced_with_force_only(demo):
    folder, _ = demo
    before = (folder / "hyobscure-demo" / "mechanism.json").read_bytes()
    assert run("demo", "--people", 200, cwd=folder).code == 2
    assert (folder / "hyobscure-demo" / "mechanism.json").read_bytes() == before
    assert run("demo", "--people", 200, "--force", cwd=folder).code == 0
    assert (folder / "hyobscure-demo" / "mechanism.json").read_bytes() != before

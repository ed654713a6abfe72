"""What the documents promise is tried: commands run, outputs are the real ones, links lead somewhere."""

import re

from conftest import SOURCE

README = (SOURCE / "README.md").read_text()
GUIDE = (SOURCE / "docs" / "guide.md").read_text()


def test_the_settings_page_is_the_generated_one(hyobscure):
    assert (SOURCE / "docs" / "settings.md").read_text() == hyobscure("settings").out, (
        "run: build/hyobscure settings > docs/settings.md"
    )


def test_the_page_of_checks_is_the_generated_one(hyobscure):
    assert (SOURCE / "docs" / "verify.md").read_text() == hyobscure("verify", "--list-checks").out, (
        "run: build/hyobscure verify --list-checks > docs/verify.md"
    )


def test_links_lead_to_files():
    for page in [SOURCE / "README.md", SOURCE / "SECURITY.md", *sorted((SOURCE / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_commands_of_trust_are_there():
    page = (SOURCE / "docs" / "trust.md").read_text()
    run = (SOURCE / "run").read_text()
    for command in re.findall(r"`\./run (\w+)", page):
        assert f"run_{command}()" in run, command
    listed = (SOURCE / "tests" / "CMakeLists.txt").read_text()
    rooms = " ".join(path.read_text() for path in (SOURCE / "src" / "hyobscure").glob("*/CMakeLists.txt"))
    for pattern in re.findall(r"-R '\^\(?([^)$']+)", page):
        for name in pattern.replace("\\", "").split("|"):
            known = (
                f"hyobscure_library({name[:-1]}" in rooms if name.endswith("_") else re.search(rf"\b{name}\b", listed)
            )
            assert known, name
    sources = "".join(path.read_text() for path in (SOURCE / "src" / "hyobscure").rglob("*_test.cpp"))
    for suite in re.findall(r"--gtest_filter='(\w+)\.\*'", page):
        assert re.search(rf"^TEST[_FP]*\({suite},", sources, re.M), suite


def test_the_readme_is_short_and_fits_a_terminal():
    lines = README.splitlines()
    assert len(lines) <= 125
    for number, line in enumerate(lines, 1):
        assert len(line) <= 100, f"README.md:{number} has {len(line)} columns"


def test_the_commands_and_the_spec_of_the_readme_run(hyobscure, tmp_path):
    toml = re.search(r"```toml\n(.*?)```", README, re.S).group(1)
    commands = re.search(r"```sh\n(.*?)```", README, re.S).group(1)
    assert hyobscure("synth", "--people", 1500, "--items", 300, "--entries", 30, "-o", tmp_path / "d").code == 0
    folder = tmp_path / "d"
    (folder / "by-hand.toml").write_text(toml)
    smallest = hyobscure("inspect", "by-hand.toml", "--json", cwd=folder).json["smallest_budget"]
    assert smallest < 0.49, "the budget of the README's spec is out of reach for synthetic people"
    (folder / "spec.toml").unlink()  # of synth: a stranger has none
    for line in commands.strip().splitlines():
        words = line.split("#")[0].split()
        assert words[0] == "build/hyobscure"
        done = hyobscure(*words[1:], cwd=folder)
        assert done.code == 0, line + done.err


def test_the_guide_and_readme_name_keys_that_exist(hyobscure):
    known = set(re.findall(r"## \[(\w+)\]|^\| `(\w+)`", hyobscure("settings").out, re.M))
    sections = {section for section, _ in known if section}
    keys = {key for _, key in known if key}
    for page in (README, GUIDE, (SOURCE / "docs" / "method.md").read_text()):
        for section, key in re.findall(r"`(\w+)\.(\w+)[`\s=]", page):
            if section in sections and key not in ("csv", "parquet"):
                assert key in keys, f"{section}.{key}"


def test_the_license_and_the_ci_entry_are_there():
    assert "Apache License" in (SOURCE / "LICENSE").read_text()
    assert "./run test" in (SOURCE / ".ci" / "run").read_text()

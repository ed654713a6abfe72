"""An installed copy is found and used by somebody else's project, and the installed program runs by itself."""

import os
import shutil
import subprocess

import pytest

from conftest import SOURCE

@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", os.environ["HYOBSCURE_BUILD"], "--prefix", prefix], check=True, capture_output=True)
    return prefix


def test_a_ten_line_project_finds_and_uses_the_library(prefix, tmp_path):
    shutil.copytree(SOURCE / "examples" / "use_the_library", tmp_path, dirs_exist_ok=True)
    for command in (["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"], ["cmake", "--build", "build"], ["build/channel"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "above the optimum" in done.stdout


def test_every_part_of_the_library_links(prefix, tmp_path):
    """One function from each end of the pipeline, so that no dependency is missing from the package."""
    (tmp_path / "CMakeLists.txt").write_text((SOURCE / "examples" / "use_the_library" / "CMakeLists.txt").read_text())
    (tmp_path / "main.cpp").write_text(
        "#include <hyobscure/census/learned_secret.h>\n#include <hyobscure/data/spec.h>\n#include <hyobscure/data/synth.h>\n#include <hyobscure/report/summary.h>\n"
        "int main(int, char** argv) {\n"
        "  hyobscure::data::synthesise({.people = 30}, argv[1], true);\n"
        "  if (hyobscure::census::learn_secret({}, {}, 2, {}, {}, hyobscure::Key::from_seed(1)).models != 0) return 1;\n"
        "  return hyobscure::report::settings_page().empty() || hyobscure::data::settings().empty();\n}\n")
    for command in (["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"], ["cmake", "--build", "build"], ["build/channel", tmp_path / "d"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_program_needs_nothing_of_the_source_tree(prefix, tmp_path):
    moved = tmp_path / "elsewhere"
    shutil.copytree(prefix, moved, symlinks=True)
    done = subprocess.run([moved / "bin" / "hyobscure", "synth", "--people", "20", "-o", tmp_path / "d"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    linked = subprocess.run(["ldd", moved / "bin" / "hyobscure"], capture_output=True, text=True).stdout
    assert str(SOURCE) not in linked, linked

"""An installed copy is found and used by somebody else's project, and the installed program runs by itself."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import BINARY, SOURCE


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(
        ["cmake", "--install", os.environ["HYOBSCURE_BUILD"], "--prefix", prefix], check=True, capture_output=True
    )
    return prefix


def test_a_ten_line_project_finds_and_uses_the_library(prefix, tmp_path):
    shutil.copytree(SOURCE / "examples" / "use_the_library", tmp_path, dirs_exist_ok=True)
    for command in (
        ["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", "build"],
        ["build/channel"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "above the optimum" in done.stdout


def test_every_part_of_the_library_links(prefix, tmp_path):
    """One function from each end of the pipeline, so that no dependency is missing from the package."""
    (tmp_path / "CMakeLists.txt").write_text((SOURCE / "examples" / "use_the_library" / "CMakeLists.txt").read_text())
    (tmp_path / "main.cpp").write_text(
        "#include <hyobscure/learn/learned_secret.h>\n#include <hyobscure/data/spec/spec.h>\n#include <hyobscure/data/synth/synth.h>\n#include <hyobscure/report/summary.h>\n"
        "int main(int, char** argv) {\n"
        "  hyobscure::data::synthesise({.people = 30}, argv[1], true);\n"
        "  if (hyobscure::learn::learn_secret({}, {}, 2, {}, {}, hyobscure::Key::from_seed(1)).models != 0) return 1;\n"
        "  return hyobscure::report::settings_page().empty() || hyobscure::data::settings().empty();\n}\n"
    )
    for command in (
        ["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", "build"],
        ["build/channel", tmp_path / "d"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_program_needs_nothing_of_the_source_tree(prefix, tmp_path):
    moved = tmp_path / "elsewhere"
    shutil.copytree(prefix, moved, symlinks=True)
    done = subprocess.run(
        [moved / "bin" / "hyobscure", "synth", "--people", "20", "-o", tmp_path / "d"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    linked = subprocess.run(["ldd", moved / "bin" / "hyobscure"], capture_output=True, text=True).stdout
    assert str(SOURCE) not in linked, linked


def runtime_paths(file):
    """Where the loader looks for the libraries of a program: the entries of its RUNPATH and RPATH."""
    shown = subprocess.run(["readelf", "-d", "-W", file], capture_output=True, text=True, check=True).stdout
    return [entry for found in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", shown) for entry in found.split(":")]


def programs_in(*folders):
    files = (file for folder in folders for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return [
        file
        for file in files
        if os.access(file, os.X_OK) or ".so" in file.suffixes
        if file.read_bytes()[:4] == b"\x7fELF"
    ]


def test_programs_are_hardened(prefix):
    """Position-independent, no memory both writable and executable, read-only tables of functions, checked stacks and copies."""
    program = pathlib.Path(os.environ["HYOBSCURE_BUILD"]) / "hyobscure"
    for file in (program, prefix / "bin" / "hyobscure"):
        shown = subprocess.run(
            ["readelf", "-W", "-h", "-l", "-d", "--dyn-syms", file], capture_output=True, text=True, check=True
        ).stdout
        assert "DYN (Position-Independent Executable file)" in shown and "GNU_RELRO" in shown
        assert re.search(r"FLAGS.*\bNOW\b", shown), "bindings are not made at the start"
        stack = re.search(r"GNU_STACK.*", shown)[0]
        assert " RW " in stack and "RWE" not in shown, stack
        assert "__stack_chk_fail" in shown and re.search(r"__\w+_chk@", shown)


def test_no_program_looks_for_libraries_in_the_current_folder(prefix):
    """The loader takes an empty entry, and one that is not absolute, for a folder that the sender of a release may fill."""
    build = pathlib.Path(os.environ["HYOBSCURE_BUILD"])
    built = [
        build / "hyobscure",
        *programs_in(*(build / part for part in ("src", "tests", "bench", "lib") if (build / part).is_dir())),
    ]
    installed = programs_in(prefix)
    assert prefix / "bin" / "hyobscure" in installed
    assert any(runtime_paths(file) for file in built), "the paths of these programs cannot be read"
    for file in (*built, *installed):
        for entry in runtime_paths(file):
            assert entry.startswith(("/", "$ORIGIN")), f"{file}: {entry!r}"
    assert not [entry for file in installed for entry in runtime_paths(file) if entry.startswith("/")]


def test_the_program_does_not_say_where_it_was_built(prefix):
    """Or two builds of the same sources would differ by their folders: ./run reproduce compares them whole."""
    for program in (BINARY, prefix / "bin" / "hyobscure"):
        assert str(SOURCE).encode() not in program.read_bytes()


@pytest.mark.parametrize("place", ["build", "installed"])
def test_a_library_in_the_current_folder_is_not_loaded(place, prefix, tmp_path):
    program = BINARY if place == "build" else prefix / "bin" / "hyobscure"
    for library in ("libsodium.so.23", "libduckdb.so", "libfmt.so.9"):
        (tmp_path / library).write_text("what a received release may hold")
    done = subprocess.run([program, "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def pins(text):
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE))


@pytest.mark.parametrize(
    "wanted", sorted([*SOURCE.glob("python/**/*.in"), *SOURCE.glob("bench/*.in")]), ids=lambda path: path.stem
)
def test_what_run_fetches_from_pypi_is_pinned_with_fingerprints(wanted):
    text = wanted.with_suffix(".txt").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines and all(re.fullmatch(r"\S+==\S+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)
    locked = {name.lower().replace("_", "-"): version for name, version in pins(text).items()}
    for name, version in pins(wanted.read_text()).items():
        assert locked[name.lower().replace("_", "-")] == version, f"{name}: ./run lock"


def test_the_wheel_is_built_with_what_its_project_file_says():
    project = (SOURCE / "pyproject.toml").read_text()
    assert pins((SOURCE / "python" / "builder.in").read_text()) == dict(
        requirement.split("==")
        for requirement in re.search(r"^requires = \[(.*)\]", project, re.M)[1].replace('"', "").split(", ")
    )

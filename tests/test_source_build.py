"""Building from sources: what is missing is named at once, and a source distribution brings the report's page along."""

import re
import shutil
import subprocess

import pytest
from conftest import SOURCE

PARTS = ("CMakeLists.txt", "cmake", "web/build.mjs", "web/package-lock.json", "web/report", "web/studio")


def copy(folder):
    """As much of the sources as is looked at before a compiler is."""
    for part in PARTS:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        if (SOURCE / part).is_dir():
            shutil.copytree(SOURCE / part, folder / part)
        else:
            shutil.copy(SOURCE / part, folder / part)
    return folder


def configure(folder, *flags):
    command = ["cmake", "-S", folder, "-B", folder / "out", "-G", "Unix Makefiles", "-DCMAKE_MAKE_PROGRAM=/bin/true"]
    return subprocess.run([*map(str, command), *flags], capture_output=True, text=True, timeout=120)


def test_all_packages_that_are_missing_are_named_at_once(tmp_path):
    nowhere = ("-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF")
    done = configure(copy(tmp_path), *nowhere)
    assert done.returncode != 0
    named = re.search(r"apt-get install ([^\n]*)", done.stderr).group(1).split()
    listed = re.search(r"readonly build_packages=\((.*?)\)", (SOURCE / "run").read_text(), re.S).group(1).split()
    # cmake runs already, pip brings ninja, and the compiler cache is not needed.
    assert set(named) == {*listed, "npm"} - {"cmake", "ninja-build", "ccache"}
    assert "enable_language" not in done.stderr and "No CMAKE_CXX_COMPILER" not in done.stderr


def test_nothing_is_missing_here(tmp_path):
    """The check before the build knows where Debian has its headers."""
    done = configure(copy(tmp_path))
    assert "packages are missing" not in done.stderr, done.stderr


@pytest.mark.skipif(
    not (SOURCE / "web" / "node_modules").exists(), reason="needs the packages of web/package-lock.json"
)
def test_a_source_distribution_brings_the_page(tmp_path):
    folder = copy(tmp_path)
    (folder / "web" / "node_modules").symlink_to(SOURCE / "web" / "node_modules")
    done = configure(folder, "-DSKBUILD_STATE=sdist")
    assert done.returncode == 0, done.stderr
    page = (folder / "web" / "page" / "html_page.cpp").read_text()
    assert "kPageScript" in (folder / "web" / "page" / "studio_page.cpp").read_text()
    assert "kHtmlPage" in page and "echarts" in page.lower()
    assert "CMAKE_CXX_COMPILER:" not in (folder / "out" / "CMakeCache.txt").read_text()  # no compiler was looked for
    # What is unpacked elsewhere needs neither Node.js nor its packages for it.
    (folder / "web" / "node_modules").unlink()
    shutil.rmtree(folder / "out")
    (folder / "PKG-INFO").write_text("Name: hyobscure\n")
    said = configure(folder, "-DCMAKE_PROGRAM_PATH=/nonexistent").stderr
    assert "node_modules" not in said and "packages are missing" not in said


def test_the_list_of_what_a_source_distribution_holds_names_the_page():
    settings = (SOURCE / "pyproject.toml").read_text()
    assert 'sdist.include = ["web/page"]' in settings and "sdist.cmake = true" in settings
    assert "/web/page/" in (SOURCE / ".gitignore").read_text()

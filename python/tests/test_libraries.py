"""Where the compiled part looks for its libraries: in the package, never in the folder that the user happens to be in."""

import pathlib
import shutil
import subprocess

import pytest

import hyobscure


def entries(library):
    shown = subprocess.run(["readelf", "-d", "-W", library], capture_output=True, text=True, check=True).stdout
    paths = [
        line.split("[", 1)[1].rsplit("]", 1)[0]
        for line in shown.splitlines()
        if "(RPATH)" in line or "(RUNPATH)" in line
    ]
    return [entry for path in paths for entry in path.split(":")]


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
def test_no_library_is_looked_for_in_the_current_folder():
    package = pathlib.Path(hyobscure.__file__).parent
    modules = list(package.glob("_core*.so"))
    assert modules and entries(modules[0]) == ["$ORIGIN/libraries"]
    for library in (package / "libraries").iterdir():
        assert all(entry.startswith(("/", "$ORIGIN")) for entry in entries(library)), library.name

"""Includes point upstream only, also through others. The linker says the same: see hyobscure_library in cmake/."""

import functools
import re

import pytest

from conftest import SOURCE

ROOT = SOURCE / "src" / "hyobscure"

# A folder, or a room of it, and what it may know. Rooms of a folder stand in the order in which they know each other.
UPSTREAM = {
    "base": set(),
    "data": {"base"},
    "census": {"base", "data"},
    "learn": {"base", "data", "census"},
    "solve": {"base"},  # a 2x2 matrix is enough to test it
    "published": {"base", "data"},
    "obscure": {"base", "data", "census", "learn", "solve", "published"},
    "release": {"base", "data", "census", "learn", "solve", "published", "obscure"},
    "verify": {"base", "data", "published"},  # it must not share a mistake with what wrote the release
    # Against the mechanism: the release is drawn again.
    "verify/mechanism": {"base", "data", "census", "learn", "solve", "published", "obscure", "release"},
    "audit/attack": {"base", "data", "census", "learn"},  # an attack must not share a mistake with the defence
    "audit/utility": {"base", "data", "census", "learn"},
    "audit/mechanism": {"base", "data", "census", "learn", "solve", "published", "obscure", "release", "verify"},
    "report": {"base", "data", "census", "learn", "solve", "published", "obscure", "release", "verify", "audit"},
    "workflow": {
        "base",
        "data",
        "census",
        "learn",
        "solve",
        "published",
        "obscure",
        "release",
        "verify",
        "audit",
        "report",
    },
    "studio": {
        "base",
        "data",
        "census",
        "learn",
        "solve",
        "published",
        "obscure",
        "release",
        "verify",
        "audit",
        "report",
        "workflow",
    },
    "experiment": {"base", "data", "census", "learn", "solve", "published", "obscure", "release", "verify", "audit"},
}
ROOMS = {
    "data": ["secret", "spec", "engine", "people", "read", "guess", "synth"],
    "solve": ["channel", "groups", "areas", "person"],
    "obscure": ["groups", "mechanism", "neighbours", "leakage", "methods", "fit"],
    "verify": ["", "mechanism"],
    "audit": ["attack", "utility", "mechanism"],
}


def place_of(header):
    """("solve", "person") of hyobscure/solve/person/person_channel.h, ("base", "") of hyobscure/base/error.h."""
    folder, *room = header.split("/")[1:-1]
    return folder, "/".join(room)


def included(file):
    return re.findall(r'#include "(hyobscure/[\w/]+\.h)"', file.read_text())


@functools.cache
def reached(header):
    """Every header of ours that comes with this one."""
    return frozenset({header}.union(*(reached(other) for other in included(SOURCE / "src" / header))))


def is_test(file):
    return file.stem.endswith("_test") or file.stem.startswith("test_")


def sources():
    files = [file for file in sorted(ROOT.rglob("*")) if file.suffix in (".h", ".cpp") and not is_test(file)]
    assert len(files) > 200
    return files


def may_know(folder, room):
    return UPSTREAM[f"{folder}/{room}" if f"{folder}/{room}" in UPSTREAM else folder]


def wrong_includes(file):
    folder, room = place_of(str(file.relative_to(SOURCE / "src")))
    for header in frozenset().union(*(reached(header) for header in included(file))):
        other, other_room = place_of(header)
        if other != folder:
            if other not in may_know(folder, room):
                yield header
        elif folder in ROOMS and ROOMS[folder].index(other_room) > ROOMS[folder].index(room):
            yield header


def test_every_folder_and_room_has_its_place_in_the_order():
    places = {place_of(str(file.relative_to(SOURCE / "src"))) for file in sources()}
    assert {folder for folder, _ in places} == {name.split("/")[0] for name in UPSTREAM}
    for folder in {folder for folder, _ in places}:
        assert {room for other, room in places if other == folder} == set(ROOMS.get(folder, [""]))


def test_includes_point_upstream_only():
    wrong = [f"{file.relative_to(SOURCE)} includes {header}" for file in sources() for header in wrong_includes(file)]
    assert not wrong, "\n".join(wrong)


def test_what_comes_through_others_is_found(tmp_path):
    """The check of this file can fail: data/read/read.h brings the engine, which solve must not see."""
    assert "hyobscure/data/engine/engine.h" in reached("hyobscure/data/read/read.h")
    assert "data" not in may_know("solve", "channel")


def test_solve_never_sees_a_table_not_even_in_tests():
    for file in (ROOT / "solve").rglob("*.[ch]*"):
        if file.suffix in (".h", ".cpp"):
            assert {place_of(header)[0] for header in included(file)} <= {"base", "solve"}, file


def test_names_of_files_exist_once():
    """A search for "exact" or "channel" finds one answer."""
    seen = {}
    for file in sources():
        if file.suffix == ".h":
            assert file.stem not in seen, f"{file} and {seen[file.stem]}"
            seen[file.stem] = file


def folders():
    return [folder for folder in sorted((SOURCE / "src").rglob("*")) if folder.is_dir()]


def files_of(folder):
    return [file for file in folder.iterdir() if file.is_file() and file.name != "README.md"]


def test_a_large_folder_has_a_short_readme():
    for folder in folders():
        if len(files_of(folder)) > 10:
            assert (folder / "README.md").exists(), f"{folder} has more than ten files and no README.md"
    for readme in (SOURCE / "src").rglob("README.md"):
        assert len(readme.read_text().splitlines()) <= 25, readme


def test_readmes_of_folders_name_files_that_exist():
    for readme in (SOURCE / "src").rglob("README.md"):
        for name in re.findall(r"`([\w/]+\.(?:h|cpp|md|py))`", readme.read_text()):
            assert any((start / name).exists() for start in (readme.parent, ROOT, SOURCE)), f"{readme}: {name}"


def test_a_source_without_a_header_is_explained_by_the_readme_of_its_folder():
    for folder in folders():
        for file in files_of(folder):
            if file.suffix == ".cpp" and not is_test(file) and not file.with_suffix(".h").exists():
                assert f"`{file.name}`" in (folder / "README.md").read_text(), f"{folder}/README.md: {file.name}"


@pytest.mark.parametrize("word", [r"std::(?:cout|cerr|exit|abort)\b", r"\bprintf\(", r"\bfmt::print\("])
def test_the_library_does_not_print_or_exit(word):
    for file in sources():
        text = re.sub(r'"(\\.|[^"\\])*"', '""', file.read_text())
        assert not re.search(word, text), file

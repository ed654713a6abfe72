"""Includes point upstream only: data -> census -> solve -> obscure -> release -> study -> report, cli last; audit stands beside."""

import re

from conftest import SOURCE

UPSTREAM = {
    "base": set(),
    "data": {"base"},
    "census": {"base", "data"},
    "solve": {"base"},  # a 2x2 matrix is enough to test it
    "obscure": {"base", "data", "census", "solve"},
    "release": {"base", "data", "census", "solve", "obscure"},
    "audit": {"base", "data", "census"},  # an attack must not share a mistake with the defence
    "study": {"base", "data", "census", "solve", "obscure", "release", "audit"},
    "report": {"base", "data", "census", "solve", "obscure", "release", "audit", "study"},
}
# The check of a release must not share a mistake with what wrote it.
INDEPENDENT = {"release/verify": {"obscure", "solve", "census"}}


def includes(file):
    return re.findall(r'#include "(?:hyobscure/)?(\w+)/([\w]+)\.h"', file.read_text())


def sources():
    for file in (SOURCE / "src" / "hyobscure").rglob("*.[ch]*"):
        if file.suffix in (".h", ".cpp"):
            yield file


def test_every_folder_has_its_place_in_the_order():
    folders = {file.parent.name for file in sources()}
    assert folders == set(UPSTREAM)


def test_includes_point_upstream_only():
    wrong = []
    for file in sources():
        folder = file.parent.name
        for other, name in includes(file):
            if other != folder and other not in UPSTREAM[folder]:
                # Tests may make data: they are downstream of everything.
                if not file.stem.endswith("_test"):
                    wrong.append(f"{file.relative_to(SOURCE)} includes {other}/{name}.h")
    assert not wrong, "\n".join(wrong)


def test_solve_never_sees_a_table_not_even_in_tests():
    for file in (SOURCE / "src" / "hyobscure" / "solve").iterdir():
        if file.suffix in (".h", ".cpp"):
            assert {other for other, _ in includes(file)} <= {"base", "solve"}, file


def test_verify_shares_nothing_with_publish():
    for stem, forbidden in INDEPENDENT.items():
        folder, name = stem.split("/")
        files = [f for f in (SOURCE / "src" / "hyobscure" / folder).glob(name + "*.[ch]*") if not f.stem.endswith("_test")]
        assert files
        for file in files:
            used = includes(file)
            assert not {other for other, _ in used} & forbidden, file
            assert not {n for o, n in used if o == folder} & {"areas", "draw", "outline", "publish"}, file


def test_the_library_does_not_print_or_exit():
    for file in sources():
        if not file.stem.endswith("_test"):
            text = re.sub(r'"(\\.|[^"\\])*"', '""', file.read_text())
            assert not re.search(r"\bstd::(cout|cerr|exit|abort)\b|\bprintf\(|fmt::print\(", text), file

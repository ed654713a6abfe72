"""Command line = Python: the same mechanism files, and releases with the same bytes."""

import json
import re
import warnings

import pytest
from conftest import LONG, QUICK

import hyobscure
from hyobscure import HyObscure

WIDE_SPEC = """
[people]
file = "people.{format}"
id = "who"
secret = "age"
keep = ["gender"]
features = ["visits", "height", "town"]
"""
LONG_SPEC = """
[people]
file = "people.{format}"
id = "user"
secret = "age"
[events]
file = "events.{format}"
person = "user"
item = "film"
value = "stars"
"""
COMMON = """
[groups]
people = [40, 200]
values = [3, 30]
[channel]
clusters = 5
budget_share = 1
[method]
name = "{method}"
seed = 7
"""


def write(frame, file):
    frame.to_parquet(file, index=False) if file.suffix == ".parquet" else frame.to_csv(file, index=False)


def content(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(params=["wide-csv", "wide-parquet", "long-csv", "long-parquet"])
def case(request, tmp_path, wide, long):
    """A spec with its files, and the tables that they were written from."""
    shape, format = request.param.split("-")
    tables = {"people": wide} if shape == "wide" else {"people": long[0], "events": long[1]}
    for name, frame in tables.items():
        write(frame, tmp_path / f"{name}.{format}")
    spec = (WIDE_SPEC if shape == "wide" else LONG_SPEC) + COMMON
    (tmp_path / "spec.toml").write_text(spec.format(format=format, method="exact"))
    return tmp_path, shape, format, tables


def test_a_spec_gives_the_same_files_from_both(case, program):
    folder, _, _, _ = case
    program("fit", "spec.toml", "-o", "cli.json", cwd=folder)
    program("publish", "spec.toml", "-m", "cli.json", "-o", "cli", cwd=folder)
    model = HyObscure.from_spec(folder / "spec.toml").fit()
    model.save(folder / "python.json")
    model.publish(folder / "python")
    assert (folder / "python.json").read_bytes() == (folder / "cli.json").read_bytes()
    assert content(folder / "python") == content(folder / "cli")
    assert (folder / "python.json").stat().st_mode & 0o077 == 0


def test_tables_in_memory_give_the_files_that_their_parquet_gives(case, program):
    folder, shape, format, tables = case
    program("fit", "spec.toml", "-o", "cli.json", cwd=folder)
    further = {"channel.budget_share": 1, "release.format": "parquet"}
    if shape == "wide":
        model = HyObscure(id="who", keep=["gender"], settings=further, **QUICK).fit(tables["people"], "age")
    else:
        model = HyObscure(id="user", settings={**LONG, **further}, **QUICK).fit(
            tables["people"], "age", events=tables["events"]
        )
    model.save(folder / "python.json")
    assert (folder / "python.json").read_bytes() == (folder / "cli.json").read_bytes()
    if format == "parquet":  # a CSV file has no types: its release is text
        program("publish", "spec.toml", "-m", "python.json", "-o", "cli", cwd=folder)
        model.publish(folder / "python")
        assert content(folder / "python") == content(folder / "cli")


def test_each_applies_what_the_other_fitted(case, program):
    folder, _, _, _ = case
    program("fit", "spec.toml", "-o", "cli.json", cwd=folder)
    loaded = hyobscure.load(folder / "cli.json", spec=folder / "spec.toml")
    loaded.publish(folder / "python")
    program("publish", "spec.toml", "-m", "cli.json", "-o", "cli", cwd=folder)
    assert content(folder / "python") == content(folder / "cli")
    verification = json.loads(program("verify", folder / "python", "--against", folder / "spec.toml", "--json"))
    assert verification["passed"]
    assert hyobscure.verify(folder / "cli", folder / "spec.toml").passed


def test_the_default_method_is_the_same_too(tmp_path, wide, program):
    write(wide, tmp_path / "people.parquet")
    (tmp_path / "spec.toml").write_text((WIDE_SPEC + COMMON).format(format="parquet", method="fine"))
    program("fit", "spec.toml", "-o", "cli.json", cwd=tmp_path)
    quick = {key: value for key, value in QUICK.items() if key != "method"}
    model = HyObscure(id="who", keep=["gender"], settings={"channel.budget_share": 1}, **quick).fit(wide, "age")
    model.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()


def test_the_settings_are_those_of_the_program(program):
    page = program("settings")
    for setting in hyobscure.settings():
        section, key = setting.name.split(".")
        assert f"`{key}`" in page, setting.name


def test_the_methods_are_those_of_the_program(program, wide):
    """One list in C++ (method_list.cpp) feeds both; src/cli/new_method_test.cpp adds one to it."""
    shown = re.search(r"--method TEXT\s+(.*?)\s+\(method\.name\)", program("fit", "--help"), re.S).group(1)
    methods = re.split(r",\s+", shown)
    assert len(methods) >= 10
    [setting] = [setting for setting in hyobscure.settings() if setting.name == "method.name"]
    assert list(setting.choices) == methods
    for method in methods:
        model = HyObscure(id="who", settings={"channel.budget_share": 0.8}, **{**QUICK, "method": method})
        with warnings.catch_warnings():  # some leak more than they should, which is not the question here
            warnings.simplefilter("ignore", hyobscure.LeakageWarning)
            model.fit(wide.drop(columns="gender"), "age")
        assert model.facts_["method"] == method
    with pytest.raises(hyobscure.InputError, match=methods[-1]):
        HyObscure(id="who", **{**QUICK, "method": "nonesuch"}).fit(wide, "age")

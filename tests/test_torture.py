"""The n-th call of a kind fails, or the process is killed in its place: whatever was asked for is there whole or not at
all, what was there before stays, and a second run works. HYOBSCURE_TORTURE=all tries each call instead of a spread."""

import json
import os
import pathlib
import shutil
import signal

import pytest

from conftest import run

SHIM = os.environ.get("HYOBSCURE_FAILING_CALLS", "")
EACH = os.environ.get("HYOBSCURE_TORTURE") == "all"
KINDS = ["open", "read", "write", "resize", "sync", "folder", "rename", "memory", "map", "thread"]
COMMANDS = ["fit", "fine", "census", "publish", "verify", "against"]
WRITERS = ["fit", "census", "publish"]

pytestmark = pytest.mark.skipif(not SHIM, reason="HYOBSCURE_FAILING_CALLS is not set: run it by ctest")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """60 people, a mechanism drawn without a seed (so that its draws are remembered) and a release."""
    folder = tmp_path_factory.mktemp("torture")
    assert run("synth", "--people", 60, "--items", 30, "--entries", 8, "-o", folder / "data").code == 0
    spec = folder / "data" / "spec.toml"
    paper = ["--method", "hyobscure", "--clusters", 4, "--groups", 3]
    assert run("fit", spec, *paper, "-o", folder / "m.json").usable
    assert run("publish", spec, "-m", folder / "m.json", "--accept-leakage", "-o", folder / "release").usable
    (folder / "data" / "hyobscure-ledger.json").unlink()
    return folder


def arguments(name, made, out):
    spec = made / "data" / "spec.toml"
    small = ["--groups", 3, "--clusters", 4, "--seed", 3]
    return {
        "fit": ["fit", spec, "--method", "hyobscure", *small, "-o", out / "m.json"],
        "fine": ["fit", spec, "--method", "fine", *small, "-o", out / "m.json"],
        "census": ["fit", spec, "--method", "hyobscure", *small, "--save-census", out / "census", "-o", out / "m.json"],
        "publish": [
            *["publish", spec, "-m", made / "m.json", "--accept-leakage"],
            *["--release.ledger", out / "ledger.json", "-o", out / "release"],
        ],
        "verify": ["verify", made / "release"],
        "against": ["verify", made / "release", "--against", spec],
    }[name]


def run_with(plan, *command, count=None, log=None, out):
    """Temporary files go to a folder of their own, which must be empty afterwards."""
    scratch = out.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    environment = {**os.environ, "LD_PRELOAD": SHIM, "TMPDIR": str(scratch)}
    for name, value in (("HYOBSCURE_FAIL", plan), ("HYOBSCURE_FAIL_COUNT", count), ("HYOBSCURE_FAIL_LOG", log)):
        if value:
            environment[name] = str(value)
    return run(*command, "--threads", 2, env=environment, timeout=120)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def fresh(out):
    for folder in (out, out.parent / "scratch"):
        shutil.rmtree(folder, ignore_errors=True)
    out.mkdir()


def spread(calls, most):
    """Call numbers from 1 to `calls`: all of them, or `most` that lie closest at the beginning and the end."""
    if EACH or calls <= most:
        return list(range(1, calls + 1))
    half = most // 2
    near = [round(calls ** (i / half)) for i in range(half)]
    return sorted({*near, *(calls + 1 - n for n in near), calls})


@pytest.fixture(scope="module")
def calls(made, tmp_path_factory):
    """How many calls of each kind a whole run of a command makes, and what it writes."""
    known = {}

    def of(name):
        if name not in known:
            folder = tmp_path_factory.mktemp("whole")
            out, count = folder / "out", folder / "count"
            out.mkdir()
            done = run_with(None, *arguments(name, made, out), count=count, out=out)
            assert done.usable, done.err
            counted = {kind: int(number) for kind, number in map(str.split, count.read_text().splitlines())}
            assert set(counted) == set(KINDS)
            known[name] = (counted, contents(out), done.code)
        return known[name]

    return of


def is_whole(name, out, whole, made):
    """All that a whole run leaves, with its bytes; a ledger has random parts and may be there alone: it is written
    first, so that no release goes unremembered."""
    left = contents(out)
    if name != "publish":
        return left == whole
    left.pop("ledger.json", None)
    return left == {file: content for file, content in whole.items() if file != "ledger.json"}


def is_nothing(name, out, whole):
    left = contents(out)
    if name == "publish":
        left.pop("ledger.json", None)
    if name == "census":  # the census is whole or nothing on its own, before the mechanism
        census = {file: content for file, content in left.items() if file.startswith("census/")}
        if census and census == {file: content for file, content in whole.items() if file.startswith("census/")}:
            left = {file: content for file, content in left.items() if file not in census}
    return left == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_call_that_fails_leaves_all_or_nothing(name, made, calls, tmp_path):
    counted, whole, code = calls(name)
    assert counted["open"] > 3 and counted["read"] > 0
    if name in WRITERS:
        assert counted["write"] > 0 and counted["sync"] > 0 and counted["rename"] > 0
    out = tmp_path / "out"
    for kind in KINDS:
        for number in spread(counted[kind], 6):
            for plan in [f"{kind}:{number}:fail", f"{kind}:{number}:fail:onwards"]:
                fresh(out)
                done = run_with(plan, *arguments(name, made, out), out=out)
                what = (plan, done.code, done.err)
                assert done.code in (0, 2, 3), what
                if done.code == 2:
                    assert done.err.startswith("hyobscure: ") and len(done.err) > 30, what
                    assert is_nothing(name, out, whole) or is_whole(name, out, whole, made), (
                        what,
                        contents(out).keys(),
                    )
                else:  # it did without
                    assert done.code == code, what
                    assert is_whole(name, out, whole, made), (what, contents(out).keys())
                assert not [p for p in out.rglob("*") if ".partial-" in p.name], what
                assert not any((out.parent / "scratch").rglob("*")), what


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_mapped_file_that_is_shortened_is_told_and_is_no_signal(made, tmp_path, flags):
    spec, census, out = made / "data" / "spec.toml", tmp_path / "census", tmp_path / "out"
    out.mkdir()
    saved = ["--method", "hyobscure", "--groups", 3, "--clusters", 4, "--seed", 3]
    assert run("fit", spec, *saved, "--save-census", census, "-o", tmp_path / "m.json").usable
    shutil.copytree(census, tmp_path / "copy")
    met = 0
    for number in range(1, 4):  # its files of features
        shutil.rmtree(census)
        shutil.copytree(tmp_path / "copy", census)
        fit = ["fit", spec, *saved, "--census", census, "-o", out / "m.json", *flags]
        done = run_with(f"map:{number}:shorten", *fit, out=out)
        assert done.code in (0, 2, 3), (number, done.code, done.err)
        if done.code == 2:
            met += 1
            assert "was shortened" in done.err, done.err
            assert list(out.iterdir()) == []
            assert not flags or '"exit_code":2' in done.out, done.out
        (out / "m.json").unlink(missing_ok=True)
    assert met > 0


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("kind", ["write", "sync", "rename", "folder", "resize"])
def test_a_kill_at_each_step_leaves_old_or_new_and_a_second_run_works(name, kind, made, calls, tmp_path):
    counted, whole, _ = calls(name)
    if counted[kind] == 0:
        assert kind in ("folder", "resize") or not whole
        return
    out = tmp_path / "out"
    for number in spread(counted[kind], 6):
        fresh(out)
        done = run_with(f"{kind}:{number}:kill", *arguments(name, made, out), out=out)
        assert done.code == -signal.SIGKILL, (kind, number, done.code, done.err)
        left = {path.name for path in out.iterdir() if ".partial-" not in path.name}
        assert left <= {"m.json", "census", "release", "ledger.json", "ledger.json.lock"}
        if "release" in left:
            assert "ledger.json" in left, (kind, number)  # nobody is published without being remembered
            assert run("verify", out / "release").code == 0
        if "m.json" in left:
            assert (out / "m.json").read_bytes() == whole["m.json"]
        again = run_with(None, *arguments(name, made, out), "--force", out=out)
        assert again.usable, (kind, number, again.err)
        assert is_whole(name, out, whole, made), (kind, number)


@pytest.mark.parametrize("how", ["fail", "kill"])
@pytest.mark.parametrize("kind", ["open", "read", "write", "sync", "rename", "resize"])
def test_a_ledger_never_forgets_whom_it_knew(kind, how, made, calls, tmp_path):
    """Whatever step of a publication fails, or is the last before a kill."""
    counted, _, _ = calls("publish")
    out = tmp_path / "out"
    known = {"draw": "a" * 64, "published": "2026-01-01 00:00:00", "release": "/r", "mechanism": "/m", "people": 1}
    ledger = {
        "kind": "hyobscure ledger",
        "format": 2,
        "salt": "12" * 32,
        "draws": [{**known, "hashes": "AAAAAAAAAAA="}],
    }
    for number in spread(counted[kind] + 2, 8):  # reading a ledger that is there takes calls of its own
        fresh(out)
        (out / "ledger.json").write_text(json.dumps(ledger))
        done = run_with(f"{kind}:{number}:{how}", *arguments("publish", made, out), out=out)
        left = json.loads((out / "ledger.json").read_text())["draws"]
        assert left[0] == ledger["draws"][0] and len(left) <= 2, (number, done.err)
        if (out / "release").exists():
            assert len(left) == 2, (number, done.err)


@pytest.mark.parametrize("name", WRITERS)
def test_bytes_are_on_the_disk_before_their_name_is(name, made, tmp_path):
    """What a power cut leaves: a name that is on the disk must not stand for bytes that are not."""
    out, log = tmp_path / "out", tmp_path / "log"
    out.mkdir()
    done = run_with(None, *arguments(name, made, out), log=log, out=out)
    assert done.usable, done.err
    steps = [line.split("\t") for line in log.read_text().splitlines()]
    renames = [(at, step[1], step[2]) for at, step in enumerate(steps) if step[0] == "rename"]
    assert {pathlib.Path(to).name for _, _, to in renames} >= {
        "fit": {"m.json"},
        "census": {"census", "m.json"},
        "publish": {"release", "ledger.json"},
    }[name]
    for at, source, target in renames:
        source = str(pathlib.Path(source).absolute())
        written = {
            step[1]
            for step in steps[:at]
            if step[0] == "write" and (step[1] == source or step[1].startswith(source + "/"))
        }
        assert written, target
        for file in written:
            last_write = max(i for i, step in enumerate(steps[:at]) if step[0] == "write" and step[1] == file)
            assert ["fsync", file, ""] in steps[last_write:at], (target, file)
        if pathlib.Path(target).is_dir():
            assert ["fsync", source, ""] in steps[:at], target
        parent = str(pathlib.Path(target).absolute().parent)
        assert ["fsync", parent, ""] in steps[at:], target
    if name == "publish":
        order = [pathlib.Path(target).name for _, _, target in renames]
        assert order.index("ledger.json") < order.index("release")

"""Full disks, stops and crashes: a file is there whole or not at all."""

import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import time

import pytest

from conftest import BINARY, quick, run

COMMANDS = ["fit", "publish", "synth"]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """20,000 people with a mechanism: long enough to be interrupted."""
    folder = tmp_path_factory.mktemp("many")
    made = run("synth", "--people", 20_000, "--items", 400, "--entries", 25, "-o", folder / "data")
    assert made.code == 0, made.err
    quick(folder / "data")
    fitted = run("fit", folder / "data" / "spec.toml", "-o", folder / "m.json")
    assert fitted.code == 0, fitted.err
    return folder


def command(name, data, mechanism, output):
    spec = data / "spec.toml"
    return {
        "fit": ["fit", spec, "-o", output],
        "publish": ["publish", spec, "-m", mechanism, "-o", output],
        "synth": ["synth", "--people", 2000, "-o", output],
        "demo": ["demo", "--people", 200, "-o", output],
    }[name]


# --- disks ---------------------------------------------------------------------------------------------------------------


def mount(*arguments):
    done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"no mounts here: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path):
    """Mounts a small disk."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = []

    def make(size):
        mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
        mounted.append(folder)
        return folder

    yield make
    for one in mounted:
        subprocess.run(["umount", str(one)], check=True)


def says_that_it_cannot_write(done, output):
    assert done.code == 2, (done.code, done.out, done.err)
    assert str(output) in done.err, done.err
    assert ".partial-" not in done.err, done.err


@pytest.mark.parametrize(
    "name, size",
    [
        ("fit", "4k"),
        ("publish", "64k"),
        ("publish", "4k"),
        ("synth", "64k"),
        ("synth", "4k"),
        ("demo", "64k"),
        ("demo", "1200k"),
    ],
)
def test_a_full_disk_is_named_and_nothing_stays(disk, people, mechanism, name, size):
    folder = disk(size)
    if name == "fit":
        (folder / "filler").write_bytes(b"x" * 4096)
    before = names(folder)
    output = folder / "out"
    done = run(*command(name, people, mechanism, output))
    assert names(folder) == before
    says_that_it_cannot_write(done, output)
    assert "Make room on the disk" in done.err, done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_told_as_json_too(disk, people, mechanism, name):
    folder = disk("4k")
    (folder / "filler").write_bytes(b"x" * 4096)
    done = run(*command(name, people, mechanism, folder / "out"), "--json")
    assert done.code == 2, done.err
    assert done.json["error"]["problem"] and "Make room" in done.json["error"]["remedy"]
    assert names(folder) == ["filler"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("size", [1 << 10, 1 << 13])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_limit_on_the_size_of_files_is_like_a_full_disk(people, mechanism, tmp_path, name, size, form):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    if name == "fit" and form == "parquet":
        pytest.skip("a mechanism has one format")
    flag = {"fit": [], "publish": ["--release.format", form], "synth": ["--format", form]}[name]
    done = run(*command(name, people, mechanism, tmp_path / "out"), *flag, preexec_fn=limit)
    says_that_it_cannot_write(done, tmp_path / "out")
    assert "Make room" in done.err, done.err
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", [*COMMANDS, "demo"])
def test_a_read_only_disk_is_named_and_nothing_stays(disk, people, mechanism, name):
    folder = disk("8m")
    mount("-o", "remount,ro", folder)
    done = run(*command(name, people, mechanism, folder / "out"), cwd=folder)
    says_that_it_cannot_write(done, folder / "out")
    assert "Read-only file system" in done.err and "Write to a folder that you may change" in done.err, done.err
    assert names(folder) == []


def test_data_on_a_read_only_disk_can_be_used(disk, people, tmp_path):
    folder = disk("32m")
    shutil.copytree(people, folder / "data")
    mount("-o", "remount,ro", folder)
    fitted = run("fit", folder / "data" / "spec.toml", "-o", tmp_path / "m.json", cwd=folder)
    assert fitted.code == 0, fitted.err
    published = run(
        "publish", folder / "data" / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r", cwd=folder
    )
    assert published.code == 0, published.err


def test_an_existing_release_survives_a_full_disk(disk, people, mechanism, release):
    size = sum(file.stat().st_size for file in release.iterdir())
    folder = disk(f"{size * 3 // 2 // 1024}k")
    shutil.copytree(release, folder / "release")
    done = run("publish", people / "spec.toml", "-m", mechanism, "-o", folder / "release", "--force")
    says_that_it_cannot_write(done, folder / "release")
    assert names(folder) == ["release"]
    for file in release.iterdir():
        assert (folder / "release" / file.name).read_bytes() == file.read_bytes()
    assert run("verify", folder / "release").code == 0


def test_an_existing_mechanism_survives_a_full_disk(disk, people, mechanism):
    folder = disk("512k")
    shutil.copy(mechanism, folder / "m.json")
    room = shutil.disk_usage(folder).free
    (folder / "filler").write_bytes(b"x" * room)
    done = run("fit", people / "spec.toml", "-o", folder / "m.json", "--force")
    says_that_it_cannot_write(done, folder / "m.json")
    assert names(folder) == ["filler", "m.json"]
    assert (folder / "m.json").read_bytes() == mechanism.read_bytes()


def test_an_existing_release_survives_bad_input_with_force(people, release, tmp_path):
    folder = shutil.copytree(release, tmp_path / "release")
    (tmp_path / "m.json").write_text("{}")
    assert run("publish", people / "spec.toml", "-m", tmp_path / "m.json", "-o", folder, "--force").code == 2
    assert run("verify", folder).code == 0


def test_an_output_that_cannot_be_printed_is_not_called_a_success(people):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [BINARY, "inspect", people / "spec.toml"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode != 0


# --- stops ---------------------------------------------------------------------------------------------------------------


def start(*arguments, **options):
    return subprocess.Popen(
        [str(BINARY), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def stop_after(process, seconds, number=signal.SIGINT):
    """Sends the signal, unless the program was quicker; gives code, text and the seconds until it ended."""
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        pass
    process.send_signal(number)
    sent = time.monotonic()
    try:
        out, err = process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "it hangs", "", 15.0
    return process.returncode, out + err, time.monotonic() - sent


def time_of(*arguments):
    begun = time.monotonic()
    assert run(*arguments).code == 0
    return time.monotonic() - begun


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_stop_at_any_moment_leaves_all_or_nothing_and_a_second_run_works(many, tmp_path, name, number):
    arguments = command(name, many / "data", many / "m.json", tmp_path / "out")
    if name == "synth":
        arguments = ["synth", "--people", 20_000, "--items", 400, "--entries", 25, "-o", tmp_path / "out"]
    whole = time_of(*arguments)
    for share in (0.05, 0.2, 0.4, 0.6, 0.8, 0.95):
        if (tmp_path / "out").is_dir():
            shutil.rmtree(tmp_path / "out")
        else:
            (tmp_path / "out").unlink(missing_ok=True)
        code, text, _ = stop_after(start(*arguments), share * whole, number)
        if code in (0, 3):  # too late, or a usable answer
            assert names(tmp_path) == ["out"]
            if name == "fit":
                published = run("publish", many / "data" / "spec.toml", "-m", tmp_path / "out", "-o", tmp_path / "r")
                assert published.code == 0, published.err
                shutil.rmtree(tmp_path / "r")
        else:
            assert code in (130, -number), (share, code, text)  # the latter when it comes before the program listens
            assert names(tmp_path) == [], (share, names(tmp_path))
            assert code == -number or "nothing was written" in text, text
            assert code == 130 or share < 0.1, share
    if not (tmp_path / "out").exists():
        assert run(*arguments).code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_stop_is_answered_soon(many, tmp_path, name):
    arguments = command(name, many / "data", many / "m.json", tmp_path / "out")
    if name == "synth":
        arguments = ["synth", "--people", 20_000, "--items", 400, "--entries", 25, "-o", tmp_path / "out"]
    _, _, seconds = stop_after(start(*arguments), 0.3)
    assert seconds < 3


@pytest.mark.parametrize("name", ["inspect", "fit", "publish"])
def test_a_stop_while_the_data_is_read_is_no_crash(many, tmp_path, name):
    """Again and again in the first moments, when several threads read."""
    spec = many / "data" / "spec.toml"
    arguments = (
        ["inspect", spec] if name == "inspect" else command(name, many / "data", many / "m.json", tmp_path / "out")
    )
    codes = [stop_after(start(*arguments), 0.03 + 0.015 * moment)[0] for moment in range(8)]
    assert set(codes) <= {130, -signal.SIGINT}, codes
    assert names(tmp_path) == []


def test_a_stop_is_told_as_json_too(many, tmp_path):
    code, text, _ = stop_after(
        start(*command("publish", many / "data", many / "m.json", tmp_path / "out"), "--json"), 0.3
    )
    assert code == 130
    assert text.count('"error"') == 1 and '"exit_code":130' in text.replace(" ", ""), text


def test_an_existing_release_survives_a_stop(many, tmp_path):
    arguments = [*command("publish", many / "data", many / "m.json", tmp_path / "out"), "--force"]
    whole = time_of(*arguments)
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    for share in (0.3, 0.7, 0.9):
        code, text, _ = stop_after(start(*arguments), share * whole)
        assert code in (0, 130), text
        assert names(tmp_path) == ["out"]
        assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == before


def test_a_kill_leaves_a_whole_release_or_none(many, tmp_path):
    """A kill may come between the rename and the end of the process: what then stands under the final name is whole."""
    arguments = command("publish", many / "data", many / "m.json", tmp_path / "out")
    whole = time_of(*arguments)
    shutil.rmtree(tmp_path / "out")
    killed = 0
    for share in (0.1, 0.3, 0.5, 0.7, 0.85):
        code, _, _ = stop_after(start(*arguments), share * whole, signal.SIGKILL)
        if code == 0:
            break  # it was quicker
        assert code == -signal.SIGKILL
        killed += 1
        if (tmp_path / "out").exists():
            assert run("verify", tmp_path / "out").code == 0
            shutil.rmtree(tmp_path / "out")
    assert killed
    again = run(*arguments, *(["--force"] if (tmp_path / "out").exists() else []))
    assert again.code == 0, again.err  # what a killed run left does not stand in the way
    assert run("verify", tmp_path / "out").code == 0


def test_what_a_killed_publish_leaves_is_for_the_owner_only(many, tmp_path):
    arguments = command("publish", many / "data", many / "m.json", tmp_path / "out")
    process = start(*arguments)
    end = time.monotonic() + 60
    while not names(tmp_path) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.001)
    process.kill()
    process.communicate()
    for left in tmp_path.iterdir():
        try:
            mode = left.stat().st_mode
        except FileNotFoundError:  # what looks after a killed process has just deleted it
            continue
        if left.name != "out":
            assert stat.S_IMODE(mode) & 0o077 == 0


# --- several at once ---------------------------------------------------------------------------------------------------------


def test_two_runs_at_the_same_time_do_not_disturb_each_other(people, mechanism, release, tmp_path):
    both = [start(*command("publish", people, mechanism, tmp_path / name)) for name in ("a", "b")]
    both += [start(*command("fit", people, mechanism, tmp_path / name)) for name in ("a.json", "b.json")]
    for process in both:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, out + err
    assert names(tmp_path) == ["a", "a.json", "b", "b.json"]
    for file in release.iterdir():
        assert (
            (tmp_path / "a" / file.name).read_bytes() == file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
        )


def test_two_runs_into_the_same_output_leave_one_whole_release(people, mechanism, tmp_path):
    both = [start(*command("publish", people, mechanism, tmp_path / "r")) for _ in range(2)]
    codes = []
    for process in both:
        out, err = process.communicate(timeout=60)
        codes.append(process.returncode)
        assert process.returncode in (0, 2), out + err
    assert 0 in codes
    assert names(tmp_path) == ["r"]
    assert run("verify", tmp_path / "r").code == 0


# --- who may read ------------------------------------------------------------------------------------------------------------


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_mechanism_is_for_its_owner_and_a_release_follows_the_umask(people, tmp_path, mask):
    file, folder = tmp_path / "m.json", tmp_path / "r"
    assert run("fit", people / "spec.toml", "-o", file, umask=mask).code == 0
    assert mode(file) == 0o600
    assert run("publish", people / "spec.toml", "-m", file, "-o", folder, umask=mask).code == 0
    assert mode(folder) == 0o777 & ~mask
    for released in folder.iterdir():
        assert mode(released) == 0o666 & ~mask, released.name


def test_replacing_an_open_mechanism_makes_it_private(people, tmp_path):
    file = tmp_path / "m.json"
    file.write_text("{}")
    file.chmod(0o644)
    assert run("fit", people / "spec.toml", "-o", file, "--force", umask=0).code == 0
    assert mode(file) == 0o600


def test_a_mechanism_is_never_readable_by_others_while_it_is_written(many, tmp_path):
    process = start(*command("fit", many / "data", many / "m.json", tmp_path / "m.json"), umask=0)
    while process.poll() is None:
        for entry in tmp_path.iterdir():
            try:
                assert mode(entry) & 0o077 == 0, entry
            except FileNotFoundError:
                pass
        time.sleep(0.001)
    process.communicate()
    assert process.returncode == 0


# --- memory --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["nonsense", "-2GB", "2 potatoes", "GB", "'; DROP TABLE x; --"])
@pytest.mark.parametrize("name", [*COMMANDS, "demo"])
def test_nonsense_for_memory_is_refused(people, mechanism, tmp_path, name, memory):
    done = run(*command(name, people, mechanism, tmp_path / "out"), "--memory", memory)
    assert done.code == 2, (done.code, done.err)
    assert "memory" in done.err
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_little_memory_is_enough_for_small_data(people, mechanism, tmp_path, name):
    done = run(*command(name, people, mechanism, tmp_path / "out"), "--memory", "200MB", cwd=tmp_path)
    assert done.code == 0, done.err
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("name", ["fit", "publish"])
def test_too_little_memory_is_refused_and_nothing_stays(many, tmp_path, name):
    done = run(
        *command(name, many / "data", many / "m.json", tmp_path / "out"), "--memory", "1MB", "--json", cwd=tmp_path
    )
    assert done.code in (0, 2), done.err
    if done.code == 2:
        assert "memory" in done.err
        assert done.json["error"]["problem"] and done.json["error"]["remedy"]
        assert names(tmp_path) == []
    else:
        assert names(tmp_path) == ["out"]


def test_nothing_stays_in_the_current_folder_or_the_folder_of_the_data(many, tmp_path):
    data = pathlib.Path(many / "data")
    before = names(data)
    (tmp_path / "cwd").mkdir()
    done = run(*command("publish", data, many / "m.json", tmp_path / "r"), "--memory", "60MB", cwd=tmp_path / "cwd")
    assert done.code in (0, 2), done.err
    assert names(tmp_path / "cwd") == []
    assert names(data) == before


@pytest.mark.parametrize("megabytes", [95, 105, 150, 250, 400])
@pytest.mark.parametrize("name", [*COMMANDS, "demo"])
def test_a_machine_with_little_memory_is_no_fault_of_ours(people, mechanism, tmp_path, name, megabytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    done = run(*command(name, people, mechanism, tmp_path / "out"), "--threads", 2, preexec_fn=limit)
    if done.code == 0:
        assert names(tmp_path) == ["out"]
    elif done.code == 127:  # not even the libraries could be loaded: the system says so itself
        assert "shared" in done.err, done.err
    else:
        assert done.code == 2, (done.code, done.err)
        assert "memory" in done.err or "threads" in done.err, done.err
        assert names(tmp_path) == []


def test_a_crash_would_leave_no_core_file_with_people_in_it(many, tmp_path):
    process = start(*command("fit", many / "data", many / "m.json", tmp_path / "m.json"))
    limits = pathlib.Path(f"/proc/{process.pid}/limits")
    end = time.monotonic() + 20
    seen = ""
    while process.poll() is None and time.monotonic() < end and seen != ["0", "0"]:
        seen = next((line.split()[4:6] for line in limits.read_text().splitlines() if "core file" in line), "")
        time.sleep(0.002)
    process.kill()
    process.communicate()
    assert seen == ["0", "0"]


# --- names and places ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*COMMANDS, "demo"])
def test_a_missing_folder_for_temporary_files_is_named(people, mechanism, tmp_path, name):
    missing = tmp_path / "no-such"
    done = run(
        *command(name, people, mechanism, tmp_path / "out"),
        *([] if name in ("synth", "demo") else ["--memory", "60MB"]),
        env={**os.environ, "TMPDIR": str(missing)},
    )
    if name == "synth" and done.code == 0:
        return  # it needs none
    assert done.code == 2, (done.code, done.err)
    assert str(missing) in done.err and "TMPDIR" in done.err, done.err
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", [*COMMANDS, "demo"])
def test_a_name_that_is_too_long_is_refused(people, mechanism, tmp_path, name):
    done = run(*command(name, people, mechanism, tmp_path / ("x" * 300)))
    assert done.code == 2, (done.code, done.err)
    assert "too long" in done.err, done.err
    assert names(tmp_path) == []


# --- files that are nested without end ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [100, 100_000, 3_000_000])
def test_a_file_that_is_nested_without_end_is_damaged(people, mechanism, release, tmp_path, depth):
    (tmp_path / "m.json").write_text("[" * depth + "]" * depth)
    done = run("publish", people / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r")
    assert done.code == 2 and str(tmp_path / "m.json") in done.err, (done.code, done.err)
    shutil.copytree(release, tmp_path / "release")
    (tmp_path / "release" / "manifest.json").write_text('{"a":' * depth + "1" + "}" * depth)
    done = run("verify", tmp_path / "release")
    assert done.code == 2 and "manifest.json" in done.err, (done.code, done.err)

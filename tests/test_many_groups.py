"""As many groups as people may have: the time that verify takes, and how soon it stops."""

import resource
import signal
import subprocess
import time

import pytest
from conftest import BINARY, run
from many_groups import release_of

KINDS = ["ordered", "categorical", "boxes"]


def seconds_of(folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = run("verify", folder, "--threads", 1)
    assert done.code == 0, done.out
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@pytest.mark.parametrize("kind", KINDS)
def test_time_grows_about_as_the_number_of_groups(tmp_path, kind):
    """Eight times the groups: all pairs of groups would take 64 times as long."""
    few, many = tmp_path / "few", tmp_path / "many"
    release_of(few, 5_000, kind)
    release_of(many, 40_000, kind)
    assert seconds_of(many) < 20 * max(seconds_of(few), 0.05)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wanted", [signal.SIGTERM, signal.SIGINT], ids=["terminate", "interrupt"])
def test_it_stops_when_it_is_told_to(tmp_path, kind, wanted):
    """At any moment of its work: within a second, and three are allowed to a machine that does other things."""
    release_of(tmp_path / "release", 60_000, kind)
    stopped = 0
    for delay in (0.05, 0.2, 0.4, 0.7, 1.0):
        command = [BINARY, "verify", tmp_path / "release", "--threads", "1", "-q"]
        asked = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(delay)
        asked.send_signal(wanted)
        begin = time.monotonic()
        _, said = asked.communicate(timeout=60)
        assert time.monotonic() - begin < 3
        # Before the program has set itself up, the signal ends it as it ends any program.
        assert asked.returncode in (0, 130, -wanted), said
        stopped += asked.returncode == 130
    assert stopped > 0

"""As many groups as people may have: the time that verify takes, and how soon it stops."""

import os
import resource
import signal
import subprocess
import time
from pathlib import Path

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


def cpu_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wanted", [signal.SIGTERM, signal.SIGINT], ids=["terminate", "interrupt"])
def test_it_stops_when_it_is_told_to(tmp_path, kind, wanted):
    """At any moment of its work: within a second of its own, whatever else the machine does."""
    release_of(tmp_path / "release", 60_000, kind)
    stopped = 0
    for delay in (0.05, 0.2, 0.4, 0.7, 1.0):
        command = [BINARY, "verify", tmp_path / "release", "--threads", "1", "-q"]
        asked = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        worked = cpu_seconds(asked)
        os.kill(asked.pid, wanted)  # not send_signal, which would collect a program that has ended
        _, status, usage = os.wait4(asked.pid, 0)
        asked.returncode = os.waitstatus_to_exitcode(status)
        assert usage.ru_utime + usage.ru_stime - worked < 1
        # Before the program has set itself up, the signal ends it as it ends any program.
        assert asked.returncode in (0, 130, -wanted)
        stopped += asked.returncode == 130
    assert stopped > 0

"""What a command takes, seen from outside. As a program: measured.py COMMAND... prints one JSON object as its last line.

A process starts its count of peak memory with the memory of its caller: a caller that is large itself (scikit-learn)
starts this small program in between.
"""

import json
import os
import subprocess
import sys
import tempfile
import time


def measured(*command):
    """Wall and CPU seconds, peak megabytes, exit code and output (with what went wrong) of a command and its children."""
    with tempfile.TemporaryFile("w+") as output:
        begin = time.monotonic()
        child = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    return {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss * 1024 / 1e6,
        "code": child.returncode,
        "output": text,
    }


def identity(program):
    """Changes when somebody builds the program again: a table must not mix two of them."""
    state = os.stat(program)
    return state.st_ino, state.st_size, state.st_mtime_ns


if __name__ == "__main__":
    print(json.dumps(measured(*sys.argv[1:])))

"""What `kgen verify --run-with` leaves among temporary files when a signal ends it: nothing, or after SIGKILL nothing once it runs again.

  interrupted.py KGEN WORK_FOLDER
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import numpy

from verifier import require

SPEC = """library: little
targets: [x86-64-v2]
graphs:
  - name: twice
    inputs: {x: "f32[4]"}
    nodes:
      - {name: y, op: Add, inputs: [x, x]}
    outputs: [y]
"""


def started(kgen, work, runner):
    """Returns a process that waits in the program which `runner` stands for."""
    began = work / "began"
    began.unlink(missing_ok=True)
    environment = {**os.environ, "TMPDIR": str(work / "temporary"), "BEGAN": str(began)}
    process = subprocess.Popen([kgen, "verify", work / "little.yaml", "--against", work / "arrays.npz", "--run-with", str(runner), "--cc", "cc"],
                               env=environment, start_new_session=True)
    end = time.monotonic() + 60
    while not began.exists():
        require(process.poll() is None, "it ended before it ran anything")
        require(time.monotonic() < end, "nothing ran within a minute")
        time.sleep(0.01)
    return process


def main(kgen, work):
    work = pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    temporary = work / "temporary"
    temporary.mkdir(parents=True)
    (work / "little.yaml").write_text(SPEC)
    numpy.savez(work / "arrays.npz", x=numpy.ones(4, "f4"), y=numpy.full(4, 2, "f4"))
    runner = work / "runner.sh"
    runner.write_text('#!/bin/sh\n: >"$BEGAN"\nexec sleep 60\n')
    runner.chmod(0o755)
    foreign = temporary / "kgen-foreign-1-of-process-1"  # a process that lives
    foreign.mkdir()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGTERM):
        process = started(kgen, work, runner)
        folders = [one for one in temporary.iterdir() if one != foreign]
        require(len(folders) == 1 and str(process.pid) in folders[0].name, f"one folder of process {process.pid} was expected: {folders}")
        process.send_signal(number)
        require(process.wait(30) == -number, f"{number.name} did not end it: {process.returncode}")
        os.killpg(process.pid, signal.SIGKILL)  # what it ran
        left = [one.name for one in temporary.iterdir() if one != foreign]
        require(len(left) == (number == signal.SIGKILL), f"{number.name} left {left}")
    require(foreign.exists(), "a folder of a process that lives was removed")


if __name__ == "__main__":
    main(*sys.argv[1:])

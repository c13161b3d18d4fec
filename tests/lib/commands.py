"""Runs programs that a test needs."""
import subprocess
import sys


def run(*command):
    """The program's output; if it fails, the test ends with what it printed."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout

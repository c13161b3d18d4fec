"""cmake/release.sh, killed, ended and failing at each program that it runs: faults_release.py WORK

The programs are stand-ins: cmake, cpack and git make the files that the real ones would make, those of the system do their work. Afterwards the folder is
empty, or has a whole release; after the next run that works it has one, and nothing else is left. A share of the faults by day, all in the long tests."""
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import share

WORK, SOURCE = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parents[2]
FOLDER = WORK / "release"
STUB = """#!/bin/sh
read -r number <"$FAULT_COUNT"
number=$((number + 1))
echo $number >"$FAULT_COUNT"
if [ "$number" = "$FAULT_AT" ]; then
  [ "$FAULT" != fail ] || exit 1
  kill -"$FAULT" 0
fi
"""
MADE = {"cmake": ":", "dpkg-query": 'printf "install ok installed"', "cpack": 'mkdir "$4/_CPack_Packages" && printf "%s\\n" package | tee "$4/kgen_1_amd64.deb"',
        "git": '[ "$3" != archive ] || printf sources >"$6"'}
problems = []


def prepare():
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "bin").mkdir(parents=True)
    (WORK / "build/bin").mkdir(parents=True)
    (WORK / "build/CMakeCache.txt").touch()
    programs = {**MADE, **{name: f'exec {shutil.which(name)} "$@"' for name in ("mkdir", "rm", "mv", "sync", "sha256sum", "ls", "cut", "tee")}}
    for name, does in programs.items():
        (WORK / "bin" / name).write_text(STUB + does + "\n")
        (WORK / "bin" / name).chmod(0o755)
    (WORK / "build/bin/kgen").write_text("#!/bin/sh\necho kgen 1.0\n")
    (WORK / "build/bin/kgen").chmod(0o755)


def run(at=0, fault=""):
    """(exit code, output, number of programs)"""
    count = WORK / "count"
    count.write_text("0\n")
    environment = {**os.environ, "PATH": f"{WORK}/bin:{os.environ['PATH']}", "KGEN_NO_INSTALL": "1", "KGEN_BUILD_DIR": f"{WORK}/build", "FAULT_AT": str(at),
                   "FAULT": fault, "FAULT_COUNT": str(count)}
    done = subprocess.run(["sh", SOURCE / "cmake/release.sh", FOLDER], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True)
    return done.returncode, done.stdout, int(count.read_text() or at)


def state():
    """None for no release, True for a whole one, False for less than that."""
    files = {path.name: path for path in FOLDER.iterdir()} if FOLDER.exists() else {}
    if not files:
        return None
    listed = dict(reversed(line.split()) for line in files["SHA256SUMS"].read_text().splitlines()) if "SHA256SUMS" in files else {}
    return set(files) == {"SHA256SUMS", "kgen_1_amd64.deb", "kgen-1.0.tar.gz"} and listed == {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items() if name != "SHA256SUMS"}


def others():
    return sorted(path.name for path in WORK.iterdir() if path.name not in ("bin", "build", "release", "count"))


def main():
    prepare()
    code, text, count = run()
    assert code == 0 and state() and count >= 10, (code, count, text)
    faults = [(at, fault) for at in range(1, count + 1) for fault in ("KILL", "TERM", "fail")]
    faults = share.today(12, faults)
    for at, fault in faults:
        shutil.rmtree(FOLDER)
        code, text, _ = run(at, fault)
        what = f"program {at}, {fault}"
        found = state()
        if found is False or (code == 0) != bool(found) and fault == "fail" and at < count:
            problems.append(f"{what}: exit code {code} with {sorted(path.name for path in FOLDER.iterdir())}: {text}")
        if fault != "KILL" and others():
            problems.append(f"{what}: leaves {others()}")
        if found:
            continue
        code, text, _ = run()
        if code or not state() or others():
            problems.append(f"{what}: the next run ends with {code} and leaves {others()}: {text}")
    print(f"{len(faults)} faults")
    sys.exit("\n".join(problems) if problems else 0)


main()

"""C and C++ are formatted as clang-format 14.0.6 does, by .clang-format: format.py SOURCE-FOLDER [CLANG-FORMAT]

Other versions break lines at other places, so it is this one or none: without it the test is skipped (exit code 77).
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

VERSION, SKIPPED = "14.0.6", 77
FOLDERS, ENDINGS = ("generator", "runtime", "tests", "demo"), {".h", ".cpp", ".c"}
AT_ONCE = 40  # files of a call


def differing(program, files):
    """Those of the files that the program would change."""
    done = subprocess.run([program, "--dry-run", "--Werror", *files], capture_output=True, text=True)
    return sorted({line.partition(":")[0] for line in done.stderr.splitlines() if "-Wclang-format-violations" in line})


def main():
    source = pathlib.Path(sys.argv[1])
    program = sys.argv[2] if len(sys.argv) > 2 else shutil.which("clang-format-14") or shutil.which("clang-format")
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout if program else ""
    if VERSION not in version:
        print(f"clang-format {VERSION} is not there: {version.strip() or 'none'}")
        return SKIPPED
    files = [str(path) for folder in FOLDERS for path in sorted((source / folder).rglob("*")) if path.suffix in ENDINGS]
    groups = [files[first:first + AT_ONCE] for first in range(0, len(files), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [path for found in pool.map(lambda group: differing(program, group), groups) for path in found]
    for path in wrong:
        print(f"{path}: clang-format-14 -i {os.path.relpath(path, source)}")
    print(f"{len(files)} files, {len(wrong)} are formatted in another way")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())

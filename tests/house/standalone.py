"""Each source of the generator compiles without the precompiled header, which hides missing includes: only the syntax is checked.

  standalone.py BUILD_FOLDER COMPILER [SOURCE...]    all of generator/ without sources; options come from the build's own commands
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77


def options(build):
    """Folders of includes and macros of all of the generator's libraries, and the language."""
    commands = json.loads(subprocess.run(["ninja", "-C", build, "-t", "compdb"], capture_output=True, text=True, check=True).stdout)
    found = {}
    for entry in commands:
        if f"{os.sep}generator{os.sep}" not in entry["file"] and not entry["file"].startswith("generator/"):
            continue
        words = iter(shlex.split(entry["command"]))
        for word in words:
            if word in ("-isystem", "-I"):
                found[word, next(words)] = None
            elif word.startswith(("-I", "-D", "-std=")):
                found[(word,)] = None
    return [word for group in found for word in group]


def check(compiler, flags, source):
    done = subprocess.run([compiler, "-fsyntax-only", *flags, str(source)], cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{source.relative_to(ROOT)} does not compile by itself:\n{done.stderr[:2000]}"


def main():
    build, compiler, *names = sys.argv[1:]
    flags = options(build)
    if not flags:
        print("this build folder has no commands of Ninja")
        return SKIPPED
    sources = [pathlib.Path(name).resolve() for name in names] or sorted((ROOT / "generator").rglob("*.cpp"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(filter(None, pool.map(lambda source: check(compiler, flags, source), sources)))
    print("\n".join(wrong) or f"{len(sources)} sources compile by themselves")
    return 1 if wrong else 0


sys.exit(main())

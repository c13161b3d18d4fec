"""Libraries of specs and models, generated, compiled and loaded in this process."""
import importlib.util
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lib"))
import share


def run(*command):
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        raise AssertionError(f"{result.returncode} of {command}:\n{result.stdout}")
    return result.stdout


def module_of_text(kgen, work, text, name, *options):
    """The Python module of a spec's text, whose library is called `sized`, loaded."""
    spec = work / f"{name}.yaml"
    spec.write_text(text)
    return module_of(kgen, spec, work / name, "sized", *options)


def module_of(kgen, spec, folder, library, *options):
    """The Python module of the library that a spec with `python: true` is."""
    run(kgen, "generate", spec, "-o", folder / "folder", "--quiet", *options)
    files, build = folder / "folder", folder / "build"
    build.mkdir(exist_ok=True)
    run(os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", build / f"lib{library}.so", files / f"{library}.c", *files.glob("objects/*.o"))
    shutil.copy(files / f"{library}.py", build)
    found = importlib.util.spec_from_file_location(library, build / f"{library}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def variants(module):
    """The names of a library's variants that this CPU runs."""
    return [name for name, isSupported in dict(module.load().variants).items() if isSupported]


class Turns(unittest.TestLoader):
    """Every second test of a class, the others on the next day; all of them in the long tests."""

    def getTestCaseNames(self, case):
        names = super().getTestCaseNames(case)
        return names if share.FULL or len(names) < 2 else names[share.DAY % 2::2]


def main():
    print(f"every second test, KGEN_TEST_DAY={share.DAY}" if not share.FULL else "all tests", flush=True)
    unittest.main(argv=sys.argv[:1], verbosity=1, testLoader=Turns())

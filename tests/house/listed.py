"""Every input below tests/ is read by some test, and tests of passes are called after passes: listed.py TESTS-FOLDER GENERATOR-FOLDER

An input (.mlir, .test, .yaml) is named by another file of the tests, or stands in a folder that a test reads as a whole; each .mlir and .test file
of a folder with kgen_lit_tests() is a test. The name of a test in tests/passes begins with the name of a pass.
"""
import re
import sys
from collections import Counter
from pathlib import Path

LIT = {".mlir", ".test"}
INPUTS = {*LIT, ".yaml"}
# Folders that are read as a whole, and what reads them.
WHOLE = {
    "errors": "unit/spec/ErrorFilesTest.cpp",
    "errors/models": "package/bad-specs.sh",
    "errors/operators": "package/bad-specs.sh",
    "fuzz/mlir": "fuzz/CMakeLists.txt",
    "fuzz/templates": "fuzz/CMakeLists.txt",
    "numerics/graphs": "oracle/oracle.py",
    "numerics/ops": "oracle/oracle.py",
}


# Of no pass: the upstream pass that the pipeline calls by this name, a model of bufferization, what all passes say without a target.
OTHER_SUBJECTS = {"forall-to-parallel", "transfer-write-bufferization", "target-missing"}
TEXTS = INPUTS | {".txt", ".py", ".sh", ".cpp", ".cmake"}
PASS = re.compile(r'Pass<\s*"kgen-([\w-]+)"')


def names_in(text):
    """What could be names of files in a text."""
    return {word.strip(".") for word in re.findall(r"[\w.-]+", text)}


def unread(tests):
    paths = [path for path in sorted(tests.rglob("*"))
             if path.is_file() and path.suffix in TEXTS and "__pycache__" not in path.parts
             and str(path.parent.relative_to(tests)) not in WHOLE]
    texts = {path: path.read_text(errors="replace") for path in paths}
    named = Counter(name for text in texts.values() for name in names_in(text))
    own = {path: names_in(text) for path, text in texts.items() if path.suffix in INPUTS}
    problems = []
    for folder, reader in WHOLE.items():
        text = texts.get(tests / reader, "")
        if (tests / folder).exists() and not re.search(rf"{folder.split('/')[-1]}[\"/]", text):
            problems.append(f"{folder}: {reader} does not read it")
    lit = {path.parent for path, text in texts.items() if path.name == "CMakeLists.txt" and "kgen_lit_tests()" in text}
    for path in own:
        if path.parent in lit and path.suffix in LIT:
            continue
        # A .yaml may be named without its suffix. What it says of itself does not count.
        names = {path.name, path.stem} if path.suffix == ".yaml" else {path.name}
        if not any(named[name] > (name in own[path]) for name in names):
            problems.append(f"{path.relative_to(tests)}: no test reads it")
    return problems


def passes(generator):
    return {name for path in generator.rglob("*.td") for name in PASS.findall(path.read_text())}


def misnamed(tests, names):
    """Tests of passes that are called after no pass. A name goes to the end of a word: `vectorize-rows` begins with `vectorize`."""
    subjects = names | OTHER_SUBJECTS
    return [f"passes/{path.name}: begins with the name of no pass" for path in sorted((tests / "passes").glob("*"))
            if path.suffix in (".mlir", ".test")
            and not any(path.stem == name or path.stem.startswith(name + "-") for name in subjects)]


def untested(tests, names):
    """Passes without a test of their name."""
    stems = [path.stem for path in (tests / "passes").glob("*") if path.suffix in (".mlir", ".test")]
    return [f"kgen-{name}: tests/passes has no {name}.mlir" for name in sorted(names)
            if not any(stem == name or stem.startswith(name + "-") for stem in stems)]


if __name__ == "__main__":
    tests, names = Path(sys.argv[1]), passes(Path(sys.argv[2]))
    found = unread(tests) + misnamed(tests, names) + untested(tests, names)
    print("\n".join(found))
    sys.exit(bool(found) or len(names) < 30)

#!/usr/bin/env python3
"""Writes first inputs of the fuzzers whose input is no file of the tests: corpora.py FOLDER makes FOLDER/scripts, schedules, pb, linked, original."""
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "fuzz" / "readers"))
import names
import scripts
import seeds

CALL = '''#include <stdexcept>
extern "C" int mine(const float *x, float *y, void *, unsigned long n) {
  try { if (n == 7) throw std::runtime_error("a"); y[0] = x[0]; } catch (...) { return 1; }
  return 0;
}'''
THREAD = "static _Thread_local int n; extern double sin(double); int mine(const float *x, float *y) { y[0] = sin(x[0]); return n++; }"
TABLE = '''extern int stuff[]; int common;
int mine(const float *x, float *y) {
  switch ((int)x[0]) { case 1: return 3; case 2: return 7; case 3: return stuff[2]; case 4: return common; case 5: return 9; }
  y[0] = *x;
  return 0;
}'''
OBJECTS = [("c", seeds.EXTERN_C, "cc -O1 -fPIC"), ("c", seeds.EXTERN_C, "cc -O0 -g1"), ("cpp", CALL, "c++ -O1"), ("c", THREAD, "cc -O2 -fPIC"),
           ("c", TABLE, "cc -O2 -fPIC"), ("c", TABLE, "cc -O2 -mcmodel=large"), ("c", TABLE, "cc -O2 -ffunction-sections -fcommon"),
           ("c", TABLE, "cc -O2 -fno-pic")]
NAMES = ["x", "Läyer/1:0", 'a"b', "a\\", "\n\r", '?"?/', "\u202eabc", "*/", "%s%n", "'''", "\0", "name with spaces and a very long one " * 4]


def texts_of(reader, suffix, count):
    """Files of cases of the grammar that `readers.py` takes."""
    grammar = scripts.readers()[reader]
    files = [file for number in range(count) for file in grammar(random.Random(number), number).files.items()]
    return [text for name, text in files if name.endswith(suffix)]


def objects():
    with tempfile.TemporaryDirectory() as folder:
        for suffix, text, command in OBJECTS:
            path = Path(folder) / f"a.{suffix}"
            path.write_text(text)
            subprocess.run([*command.split(), "-c", path, "-o", path.with_suffix(".o")], check=True)
            yield path.with_suffix(".o").read_bytes()


def tensors():
    """Small tensors of the standard's tests, where they are installed."""
    small = sorted(path for path in Path("/usr/share/libonnx-testdata").rglob("*.pb") if path.stat().st_size < 600)
    return [path.read_bytes() for path in random.Random(1).sample(small, min(300, len(small)))] + [seeds.tensor_pb()]


def main():
    folder = Path(sys.argv[1])
    documented = re.findall(r"```mlir\n(.*?)```", (TESTS.parent / "docs" / "Schedules.md").read_text(), re.S)
    corpora = {
        "scripts": texts_of("script", ".mlir", 60) + documented,
        "schedules": texts_of("schedule", ".yaml", 80),
        "pb": tensors(),
        "linked": objects(),
        "original": NAMES + [names.word(random.Random(number)) for number in range(60)],
    }
    for name, inputs in corpora.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(inputs):
            (folder / name / f"first{number}").write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))


if __name__ == "__main__":
    main()

"""The standard's own runner, onnx.backend.test.BackendTest, on python/kgen_onnx.py: the same tests pass as through `kgen import`.

    backend_test.py KGEN SOURCE WORK [--every N] [--only TEST] [--jobs N]

Without numpy or onnx it is skipped (77). What docs/ONNX-Conformance.md says is refused has to be refused here, all else has to pass.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import sys
import unittest
from pathlib import Path

try:
    import numpy as np
    import onnx.backend.test
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-onnx)")
    sys.exit(77)

# The runner of onnx 1.12 asks for this name, which numpy 1.24 no longer has.
if "object" not in np.__dict__:
    np.object = object

SUITES = {"Node": "node", "PyTorchOperator": "pytorch-operator", "PyTorchConverted": "pytorch-converted", "Simple": "simple"}


def refused_tests(page):
    return {name for name in re.findall(r"`([^`\s]+)`", page.read_text()) if "/test_" in name}


def tests(backend):
    """{"node/test_relu": test}, those for the CPU in the order of the suites' folders."""
    found = {}
    cases = onnx.backend.test.BackendTest(backend, __name__).test_cases
    for word, suite in SUITES.items():
        for test in unittest.defaultTestLoader.loadTestsFromTestCase(cases[f"OnnxBackend{word}ModelTest"]):
            if test.id().endswith("_cpu"):
                found[f"{suite}/{test.id().split('.')[-1][:-len('_cpu')]}"] = test
    return found


def outcome(test):
    """passed, skipped, refused, or what went wrong."""
    result = unittest.TestResult()
    test.run(result)
    if result.skipped:
        return "refused"
    problems = result.errors + result.failures
    if not problems:
        return "passed"
    # Arrays of another type than the model declares are refused by the module.
    return "refused" if re.search(r"^(kgen_onnx\.Refused|\w+Error: model\.run): ", problems[0][1], re.MULTILINE) else problems[0][1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgen")
    parser.add_argument("source", type=Path)
    parser.add_argument("work")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    os.environ["KGEN"], os.environ["KGEN_ONNX_CACHE"] = arguments.kgen, arguments.work
    sys.path.insert(0, str(arguments.source / "python"))
    import kgen_onnx
    refused = refused_tests(arguments.source / "docs/ONNX-Conformance.md")
    chosen = {name: test for i, (name, test) in enumerate(sorted(tests(kgen_onnx.KgenBackend).items()))
              if (name.endswith("/" + arguments.only) if arguments.only else i % arguments.every == 0)}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:  # they wait for kgen and cc
        outcomes = dict(zip(chosen, pool.map(outcome, chosen.values())))
    wrong = 0
    for name, what in outcomes.items():
        if what != ("refused" if name in refused else "passed"):
            wrong += 1
            print(f"{name}: {what}; the page says that it {'is refused' if name in refused else 'passes'}")
    counts = collections.Counter((name.split("/")[0], what if what in ("passed", "refused") else "wrong") for name, what in outcomes.items())
    for suite in SUITES.values():
        print(f"{suite:<18} {counts[suite, 'passed']:4} passed, {counts[suite, 'refused']:4} refused, {counts[suite, 'wrong']:3} wrong")
    return 1 if wrong or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())

"""What oracle.py says about wrong cases and names, and that --only checks what it names."""
import pathlib
import subprocess
import sys

import numpy as np

import cases
import oracle

FOLDER = pathlib.Path(__file__).resolve().parent


def exits_with(text, function, *arguments):
    try:
        function(*arguments)
    except SystemExit as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error with: {text}")


one = np.array([1], dtype=np.float32)
for bad in (np.inf, np.nan):
    case = cases.Case("broken", [one], [one], bounds=[np.array([bad], dtype=np.longdouble)])
    exits_with("case broken: an error bound is infinite or NaN", oracle.case_text, case, oracle.Numbers())
exits_with("no cases of Sofmax (did you mean Softmax?)", oracle.check_names, ["Sofmax"])
assert oracle.is_wanted("Softmax", ["softmax"]) and oracle.is_wanted("Softmax", ["Softmax"]) and not oracle.is_wanted("Softmax", ["Conv"])
subprocess.run([sys.executable, "-B", FOLDER / "oracle.py", "--check", "--only", "Softmax"], check=True)

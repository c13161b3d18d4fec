"""Runs the RUN lines of one file as lit does, in this process: lit_file.py LIT FILE. lit itself starts a pool of processes, three times the work."""
import os
import sys
from pathlib import Path

package = Path(sys.argv[1]).resolve().parent.parent / "utils/lit"
if not package.is_dir():  # another layout than that of LLVM's packages
    os.execv(sys.executable, [sys.executable, sys.argv[1], "--skip-test-time-recording", "-v", sys.argv[2]])
sys.path.insert(1, str(package))

import lit.discovery
import lit.LitConfig
import lit.worker

config = lit.LitConfig.LitConfig(progname="lit", path=[], diagnostic_level="note", useValgrind=False, valgrindLeakCheck=False, valgrindArgs=[],
                                 noExecute=False, debug=False, isWindows=False, order="lexical", params={})
tests = lit.discovery.find_tests_for_inputs(config, [sys.argv[2]])
if len(tests) != 1 or config.numErrors:
    sys.exit(f"lit_file.py: {len(tests)} tests in '{sys.argv[2]}', expected 1")
result = lit.worker._execute(tests[0], config)
print(f"{result.code.name}: {tests[0].getFullName()}")
if result.code.isFailure:
    print(result.output)
    sys.exit(1)

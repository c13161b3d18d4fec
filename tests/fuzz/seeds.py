"""What the fuzzers of kgen's command have in common: seeds one after the other, each in a folder of its own."""
import os
import shutil
import sys
import tempfile


def main(run, name):
    """Calls run(kgen, seed, arguments) for the seeds of the command line; run works in the current folder and says whether
    the seed is right. Keeps the folders of wrong seeds and exits 1 if there are any."""
    kgen, first, count, arguments = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    wrong = []
    for seed in range(first, first + count):
        folder = tempfile.mkdtemp(prefix=f"kgen-test-{name}-{seed}-")
        os.chdir(folder)
        if run(kgen, seed, arguments):
            shutil.rmtree(folder)
        else:
            wrong.append(folder)
    print(f"{count - len(wrong)} of {count} seeds right" + "".join(f"\n  kept: {f}" for f in wrong))
    sys.exit(1 if wrong else 0)

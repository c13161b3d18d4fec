"""Golden hashes: proof that a change of form leaves the generated code as it was, to the bit.

  golden.py KGEN CASE_COMPILER WORK_FOLDER             compare a sample (every run of the tests)
  golden.py KGEN CASE_COMPILER WORK_FOLDER --full      compare everything
  golden.py KGEN CASE_COMPILER WORK_FOLDER --renew     write the hashes of everything anew
  golden.py KGEN CASE_COMPILER WORK_FOLDER --compare-stages OTHER_KGEN OTHER_CASE_COMPILER
                                                       two builds against each other, dumps of stages included

One line for each file: SHA-256, two spaces, a path that begins with the suite:
  specs/<spec>/objects/<graph>.<target>.o     an object of a library of specs/graphs
  specs/<spec>/objects/weights.<n>.o          its weights
  specs/<spec>/<library>.c                    its dispatcher
  specs/networks/...                          the same of all graphs of tests/networks
  cases/<suite>.<table>/<target>/<case>.o     objects of the tables in tests/numerics
  stages/<spec>/<graph>.<target>/<stage>.mlir the code between two stages, without weights; only locates a difference
The hashes hold for one version of LLVM, which the first line names; with another one the test is skipped (exit code 77).
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HASHES = HERE / "hashes.sha256"
SKIPPED = 77
RENEW = "--renew"
# Targets of x86-64, of which each has a hash; machines have no code of their own.
ALL_TARGETS = sorted(path.stem for path in (ROOT / "specs" / "targets").glob("*.yaml") if "\ntriple: x86_64-" in path.read_text())

# Tables of tests/numerics/ops: one operator for each way of lowering.
OPERATOR_TABLES = ["attention", "cast", "conv", "conv-transpose", "dequantize-linear", "exp", "gemm", "grid-sample", "gru",
                   "layer-normalization", "matmul-nbits", "max-pool", "pad", "qlinear-matmul", "reduce-sum", "softmax", "top-k",
                   "transpose"]
# The short form: small libraries for all targets (weights are shared among them), and small tables for a level with 16 and one
# with 32 registers.
SHORT_SPECS, SHORT_TABLES = ["digits", "quantized", "attention"], ["graphs.layers", "graphs.images", "ops.softmax"]
SHORT_TARGETS = ["x86-64-v3", "zen5"]
# Networks of tests/networks: for all of these when everything is compared.
NETWORK_TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4-vnni", "x86-64-v4-bf16"]


# The mark of a dispatcher's contexts follows from the spec's hash, which is no code.
MARK = re.compile(rb"kgenrt_mark = UINT64_C\(0x[0-9a-f]+\)")


def sha256(path):
    return hashlib.sha256(MARK.sub(b"", path.read_bytes())).hexdigest()


def call(command, what):
    # The long tests compile each case in all of its ways; the hashes are of one.
    environment = {name: value for name, value in os.environ.items() if name != "KGEN_LONG_TESTS"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"{what}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def networks(kgen, work, stages):
    """The library of all graphs of tests/networks: as library() returns it."""
    work.mkdir(parents=True, exist_ok=True)
    path = work / "networks.yaml"
    call([sys.executable, "-B", ROOT / "tests" / "networks" / "write.py", path], "networks")
    return library(kgen, work, path, NETWORK_TARGETS, stages)


def library(kgen, work, path, targets, stages):
    """The library of a spec: the beginnings of its paths, and hashes by path."""
    spec = path.stem
    folder = work / "specs" / spec
    shutil.rmtree(folder, ignore_errors=True)
    dump = folder / "stages"
    command = [kgen, "generate", path, "-o", folder / "library", "--quiet", "-j", "1"]
    for target in targets:
        command += ["--target", target]
    if stages:
        command += ["--dump-stages", dump, "--no-dump-weights"]
    call(command, spec)
    files = sorted((folder / "library" / "objects").glob("*.o")) + sorted((folder / "library").glob("*.c"))
    hashes = {f"specs/{spec}/{path.relative_to(folder / 'library')}": sha256(path) for path in files}
    for path in sorted(path for path in dump.rglob("*.mlir") if not path.is_symlink()):
        hashes[f"stages/{spec}/{path.relative_to(dump)}"] = sha256(path)
    shutil.rmtree(folder)
    return [f"specs/{spec}/", f"stages/{spec}/"], hashes


def table(case_compiler, work, name, target):
    """The objects of a table's cases, each case in one of its ways: as library() returns them."""
    suite, stem = name.split(".")
    folder = work / "cases" / name / target
    shutil.rmtree(folder, ignore_errors=True)
    # `true` in place of a C compiler: the objects are wanted, not the program.
    call([case_compiler, "--target", target, "--once", "1", "--task-work", "1024", "--without-by-hand", "--cc", "true", "--runner", ROOT / "none.c",
          "--output", folder, ROOT / "tests" / "numerics" / suite / f"{stem}.yaml"], f"{name} for {target}")
    hashes = {f"cases/{name}/{target}/{path.name}": sha256(path) for path in sorted(folder.glob("*.o"))}
    shutil.rmtree(folder)
    return [f"cases/{name}/{target}/"], hashes


def work_list(kgen, case_compiler, work, full, stages):
    if full:
        # All but the decoder, whose weights take half a gigabyte for each target.
        specs = sorted(path.stem for path in (ROOT / "specs" / "graphs").glob("*.yaml") if path.stem != "gpt")
        tables = ["graphs." + path.stem for path in sorted((ROOT / "tests" / "numerics" / "graphs").glob("*.yaml"))]
        tables += ["ops." + stem for stem in OPERATOR_TABLES]
        targets = targets_compared()
    else:
        specs, tables, targets = SHORT_SPECS, SHORT_TABLES, SHORT_TARGETS
    graphs = ROOT / "specs" / "graphs"
    jobs = [(library, kgen, work, graphs / f"{spec}.yaml", targets_compared(), stages or spec in SHORT_SPECS) for spec in specs]
    if full:
        jobs.insert(0, (networks, kgen, work, stages))  # the longest
    return jobs + [(table, case_compiler, work, name, target) for name in tables for target in targets]


def hashes_of(jobs):
    """Runs the jobs, and says after each how many are done: all of them take hours."""
    prefixes, hashes = [], {}
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for count, done in enumerate(concurrent.futures.as_completed([pool.submit(*job) for job in jobs]), 1):
            prefixes += done.result()[0]
            hashes.update(done.result()[1])
            print(f"{count} of {len(jobs)}, {time.monotonic() - begin:.0f} s: {done.result()[0][0]} {len(done.result()[1])} files", file=sys.stderr, flush=True)
    return prefixes, hashes


def targets_compared():
    """Those with golden hashes: a new target needs none before the next --renew, which takes all of them."""
    golden = {pathlib.PurePath(path).parts[2] for path in read()[1] if path.startswith("cases/")}
    return ALL_TARGETS if RENEW in sys.argv else sorted(golden)


def llvm_of(kgen):
    text = subprocess.run([kgen, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"LLVM (\S+?)[,;)\s]", text + " ").group(1)


def read():
    lines = HASHES.read_text().splitlines()
    return lines[0].split()[-1], {path: digest for digest, path in (line.split("  ", 1) for line in lines[1:])}


def write(llvm, hashes):
    lines = [f"# SHA-256 of what kgen generates; made by golden.py --renew with LLVM {llvm}"]
    HASHES.write_text("\n".join(lines + [f"{hashes[path]}  {path}" for path in sorted(hashes)]) + "\n")


def locate(path, got, expected):
    """The first stage whose code differs, of a graph and target."""
    spec, file = pathlib.PurePath(path).parts[1], pathlib.PurePath(path).stem
    prefix = f"stages/{spec}/{file}/"
    stages = sorted(name for name in got if name.startswith(prefix))
    if not stages:
        return ""
    first = next((name for name in stages if got[name] != expected.get(name)), None)
    return f"; the first stage that differs: {first}" if first else "; all stages are the same: code generation differs"


def report(prefixes, got, expected):
    """Prints what differs; whether nothing does. Stages count only as places of a difference."""
    wrong = []
    for path in sorted(set(got) | {path for path in expected if path.startswith(tuple(prefixes))}):
        if path.startswith("stages/") or got.get(path) == expected.get(path):
            continue
        what = "not generated" if path not in got else "no golden hash" if path not in expected else "differs"
        wrong.append(f"{path}: {what}{locate(path, got, expected) if what == 'differs' else ''}")
    print("\n".join(wrong[:50]))
    compared = sum(not path.startswith("stages/") for path in got)
    print(f"{compared} files compared, {len(wrong)} differ")
    if wrong:
        print("Where that is meant: tests/golden/golden.py --renew, in a commit that says why.")
    stale = sum(path.startswith("stages/") and got[path] != expected.get(path) for path in got)
    if stale and not wrong:
        print(f"{stale} dumps of stages have another text than the golden ones, with the same code behind them")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen", type=pathlib.Path)
    parser.add_argument("case_compiler", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--compare-stages", nargs=2, type=pathlib.Path, metavar=("KGEN", "CASE_COMPILER"))
    arguments = parser.parse_args()
    full = arguments.full or arguments.renew or bool(os.environ.get("KGEN_LONG_TESTS"))
    llvm = llvm_of(arguments.kgen)
    if not arguments.renew and not arguments.compare_stages and read()[0] != llvm:
        print(f"the golden hashes are of LLVM {read()[0]}, this kgen has {llvm}")
        return SKIPPED
    stages = bool(arguments.compare_stages)
    prefixes, got = hashes_of(work_list(arguments.kgen, arguments.case_compiler, arguments.work, full, stages))
    if arguments.renew:
        write(llvm, got)
        print(f"{len(got)} hashes written")
        return 0
    expected = hashes_of(work_list(*arguments.compare_stages, arguments.work, full, stages))[1] if stages else read()[1]
    return 0 if report(prefixes, got, expected) else 1


if __name__ == "__main__":
    sys.exit(main())

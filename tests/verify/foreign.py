"""kgen verify --run-with and bench --check: what a C compiler links and a command runs.

  foreign.py KGEN SCENARIO WORK_FOLDER

`errors` has this machine's compiler and commands that fail, `wasm` and `riscv` compile for these; the others compile for AArch64
and run under an emulator.
"""
import json
import os
import pathlib
import shutil
import sys

import numpy

from verifier import SPEC, TYPES, Verifier, changed, require, types_spec, variants

AARCH64 = ["--run-with", "qemu-aarch64 -cpu max", "--cc", "aarch64-linux-gnu-gcc"]
WASM = ["--run-with", f"node --no-warnings {pathlib.Path(__file__).resolve().parent}/wasi.mjs",
        "--cc", "clang-22 -Wno-deprecated --target=wasm32-wasi --sysroot=/usr"]
RISCV = ["--run-with", "qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,vlen=256", "--cc", "riscv64-linux-gnu-gcc"]
TARGETS = "targets: [aarch64, armv8.2-dotprod-fp16, armv8.6-i8mm-bf16]"
OPEN = """library: open
dims: {rows: {max: 9}}
TARGETS
versions: {rows: [4]}
graphs:
  - name: mixed
    inputs: {x: "f32[rows, 40]", h: "f16[rows, 40]", b: "bf16[rows, 40]"}
    weights:
      w: {type: "f32[40, 33]", random: {seed: 1}}
      v: {type: "bf16[40, 33]", random: {seed: 2}}
    nodes:
      - {name: y, op: MatMul, inputs: [x, w]}
      - {name: z, op: MatMul, inputs: [b, v]}
      - {name: g, op: Add, inputs: [h, h]}
    outputs: [y, z, g]
  - name: bytes
    inputs: {a: "i8[rows, 64]", c: "u8[rows, 64]"}
    weights:
      w: {type: "i8[64, 24]", random: {seed: 3}}
    nodes:
      - {name: d, op: MatMulInteger, inputs: [a, w]}
      - {name: e, op: MatMulInteger, inputs: [c, w]}
    outputs: [d, e]
"""
LARGE = """library: large
targets: [aarch64]
graphs:
  - name: tasks
    inputs: {x: "f32[96, 128]"}
    weights:
      w: {type: "f32[128, 256]", random: {seed: 1}}
    nodes:
      - {name: product, op: MatMul, inputs: [x, w]}
      - {name: y, op: Softmax, inputs: [product]}
    outputs: [y]
"""
PACKED = """library: packed
targets: [armv8.6-i8mm-bf16]
schedules:
  rows: {tasks: {m: 13, n: 330}}
  matrices: {tasks: {m: 33, n: 200}}
graphs:
  - name: bytes
    inputs: {x: "u8[13, 2080]"}
    weights: {w: {type: "i8[2080, 330]", random: {seed: 1}}}
    nodes: [{name: y, op: MatMulInteger, inputs: [x, w], schedule: rows}]
    outputs: [y]
  - name: floats
    inputs: {x: "bf16[3, 33, 64]"}
    weights: {w: {type: "bf16[3, 64, 200]", random: {seed: 2}}}
    nodes:
      - {name: y, op: MatMul, inputs: [x, w], schedule: matrices}
      - {name: z, op: Relu, inputs: [y]}
    outputs: [z]
"""
EXTERN = """library: outside
targets: [TARGET]
graphs:
  - name: g
    inputs: {x: "f32[4]"}
    nodes:
      - {name: n, op: extern, symbol: twice, inputs: [x], outputs: {t: "f32[4]"}}
      - {name: y, op: Neg, inputs: [t]}
    outputs: [y]
"""
TWICE = """#include "outside.h"

int twice(const float *x, float *t, void *workspace, size_t workspace_size) {
  (void)workspace, (void)workspace_size;
  for (int i = 0; i < 4; ++i)
    t[i] = 2 * x[i];
  return STATUS;
}
"""


def for_aarch64(v, targets=TARGETS):
    text = SPEC.replace("targets: [x86-64-v2, x86-64-v3]", targets)
    require(targets in text, "the targets of the spec")
    (v.folder / "small.yaml").write_text(text)


def temporary_folder(v):
    """Where kgen makes its own; nothing may be left there."""
    folder = v.folder / "temporary"
    folder.mkdir()
    os.environ["TMPDIR"] = str(folder)
    return folder


def nothing_left(folder):
    left = [str(path) for path in folder.rglob("*")]
    require(not left, f"nothing is left over: {left}")


def script(v, name, text):
    path = v.folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def aarch64(v):
    for_aarch64(v)
    left = temporary_folder(v)
    report = v.report(0, "--against", v.save("good.npz"), *AARCH64)
    require(variants(report) == ["reference", "armv8.6-i8mm-bf16", "armv8.2-dotprod-fp16", "aarch64"], "plain loops and all variants")
    x = changed(v.arrays["x"], (1, 5), numpy.nan)
    x[2, 7] = numpy.inf
    total = x @ numpy.load(v.folder / "w.npy") + numpy.load(v.folder / "b.npy")
    nan = {"x": x, "y": numpy.where(numpy.isnan(total), total, numpy.maximum(total, 0)), "z": total * numpy.float32(3)}
    v.expect(0, "--against", v.save("nan.npz", **nan), *AARCH64, texts=["all results agree"])
    v.expect(4, "--against", v.save("bad.npz", z=changed(v.arrays["z"], (3, 17), 9)), *AARCH64, "--target", "aarch64", texts=["[3, 17]", "results differ"])
    v.expect(0, "--against", "good.npz", *AARCH64, "--all-nodes", "--target", "aarch64", texts=["none differs", "all results agree"])
    old = ["--run-with", "qemu-aarch64 -cpu cortex-a72", *AARCH64[2:]]
    text = v.expect(0, "--against", "good.npz", *old, texts=["armv8.6-i8mm-bf16: the CPU of 'qemu-aarch64 -cpu cortex-a72' lacks fullfp16, dotprod, i8mm, bf16"])
    require("note: armv8.2-dotprod-fp16: " in text and "note: aarch64" not in text, "only what the CPU lacks is left out")
    v.expect(1, "--against", "good.npz", *old, "--target", "armv8.2-dotprod-fp16",
             texts=["small.yaml: error: the CPU of 'qemu-aarch64 -cpu cortex-a72' supports none of the library's targets", "lacks fullfp16, dotprod"])
    v.expect(1, "--against", "good.npz", texts=["small.yaml: error: this CPU supports none of the library's targets", "aarch64: it is for another architecture, aarch64",
                                                "--run-with COMMAND and --cc COMPILER run code for other CPUs"])
    v.expect(1, "--against", "good.npz", *AARCH64, "--target", "x86-64-v2", texts=["the library has no target for aarch64: 'x86-64-v2' is for x86_64"])
    nothing_left(left)


def types(v):
    """Each type as bytes go to the program and come back, also a scalar and nothing."""
    (v.folder / "moved.yaml").write_text(types_spec().replace("targets: [x86-64-v2]", TARGETS))
    arrays = {"scalar": numpy.float32(2), "negative": numpy.float32(-2), "nothing": numpy.zeros((0, 3), numpy.float32), "empty": numpy.zeros((0, 3), numpy.float32)}
    for name, dtype in TYPES.items():
        x = (numpy.arange(12).reshape(3, 4) % 2 if name == "bool" else numpy.arange(12).reshape(3, 4)).astype(dtype)
        arrays[f"x_{name}"], arrays[f"y_{name}"] = x, x.T.copy()
    numpy.savez(v.folder / "moved.npz", **arrays)
    v.expect(0, "--against", "moved.npz", *AARCH64, "--target", "aarch64", spec="moved.yaml", texts=["all results agree"])
    numpy.savez(v.folder / "moved.npz", **{**arrays, "y_f16": changed(arrays["y_f16"], (1, 1), 7)})
    v.expect(4, "--against", "moved.npz", *AARCH64, "--target", "aarch64", spec="moved.yaml", texts=["y_f16 of aarch64: the largest difference is 2"])


def folders(v):
    """A folder of one architecture, and one of two with objects as text; the machine's is taken."""
    for_aarch64(v)
    left = temporary_folder(v)
    v.save("good.npz")
    v.expect(0, "-o", "one", command="generate")
    report = v.report(0, "--against", "good.npz", *AARCH64, spec="one")
    require(variants(report) == ["armv8.6-i8mm-bf16", "armv8.2-dotprod-fp16", "aarch64"], "all variants of the folder")
    v.expect(1, "--against", "good.npz", spec="one", texts=["one: error: this CPU supports none of the library's variants", "--run-with COMMAND and --cc COMPILER"])
    v.expect(0, "-o", "two", "--emit", "asm", "--target", "aarch64", "--target", "x86-64-v2", command="generate")
    report = v.report(0, "--against", "good.npz", *AARCH64, spec="two")
    require(variants(report) == ["aarch64"], "those of the compiler's architecture")
    v.expect(0, "--against", "good.npz", *AARCH64, spec="two", texts=["of its architectures, aarch64 is taken"])
    nothing_left(left)


def sizes(v):
    """Graphs that are given sizes, one with a version, in verify and bench."""
    (v.folder / "open.yaml").write_text(OPEN.replace("TARGETS", "targets: [aarch64, armv8.6-i8mm-bf16]"))
    left = temporary_folder(v)
    v.expect(0, "--graph", "bytes", "--size", "rows=7", "--threads", "1", "--check", *AARCH64, command="bench", spec="open.yaml",
             texts=["all results agree", "at rows=7"])
    ones = {"x": numpy.ones((7, 40), numpy.float32), "h": numpy.ones((7, 40), numpy.float16), "b": numpy.ones((7, 40), numpy.float32)}
    numpy.savez(v.folder / "none.npz", **ones, y=numpy.zeros((7, 33), numpy.float32), z=numpy.zeros((7, 33), numpy.float32), g=numpy.full((7, 40), 2, numpy.float16))
    report = v.report(4, "--against", "none.npz", "--graph", "mixed", *AARCH64, spec="open.yaml")
    require(all(run["outputs"][2]["wrong"] == 0 and run["outputs"][0]["wrong"] == 231 for run in report["runs"]), "f16 is right, the zeros are not")
    answer = json.loads(v.expect(0, "--size", "rows=4,9", "--threads", "3", "--check", "--json", "-", *AARCH64, command="bench", spec="open.yaml"))
    require(len(answer["checked"]) == 8 and all(one["right"] for one in answer["checked"]), "two graphs, sizes, variants")
    require(answer["cpu"] == "qemu-aarch64 -cpu max" and answer["results"] == [] and answer["wrong_results"] == [], "nothing is measured")
    nothing_left(left)


def threads(v):
    """Tasks run on the program's threads, and give the same bits."""
    (v.folder / "large.yaml").write_text(LARGE)
    text = v.expect(0, "--check", "--threads", "1,2,5", *AARCH64, command="bench", spec="large.yaml", texts=["1, 2, 5", "as plain loops", "all results agree"])
    require("GFLOPS" not in text, "nothing is measured")
    # An emulator that changes a result of five threads.
    wrong = script(v, "wrong", 'qemu-aarch64 -cpu max "$@" || exit\nif [ "${4-}" = 5 ]; then printf abcd | dd of="$6" conv=notrunc status=none; fi\n')
    v.expect(4, "--check", "--threads", "1,5", "--run-with", wrong, *AARCH64[2:], command="bench", spec="large.yaml",
             texts=["wrong result: tasks in aarch64, inputs in [-1, 1), the bits with 5 threads are not those with one", "wrong", "results differ"])


def packed(v):
    """Matrix products whose A is packed: odd rows at the end, several blocks of k, epilogues, batches."""
    (v.folder / "packed.yaml").write_text(PACKED)
    text = v.expect(0, command="explain", spec="packed.yaml")
    require(all(name in text for name in ("uk_brgemm_u8xi8_i32_6x16x", "uk_brgemm_bf16_4x16x", "uk_gemm_bf16_")), "packed and in place")
    v.expect(0, "--check", "--threads", "1,2", *AARCH64, command="bench", spec="packed.yaml", texts=["all results agree"])


def externs(v):
    (v.folder / "outside.yaml").write_text(EXTERN.replace("TARGET", "aarch64"))
    (v.folder / "twice.c").write_text(TWICE.replace("STATUS", "0"))
    (v.folder / "failing.c").write_text(TWICE.replace("STATUS", "7"))
    x = numpy.arange(4, dtype=numpy.float32)
    numpy.savez(v.folder / "outside.npz", x=x, y=-2 * x)
    v.expect(0, "--against", "outside.npz", "--link", "twice.c", *AARCH64, spec="outside.yaml", texts=["all results agree"])
    v.expect(1, "--against", "outside.npz", "--link", "failing.c", *AARCH64, spec="outside.yaml", texts=["the function returned OUTSIDE_EXTERN_FAILED"])
    v.expect(1, "--against", "outside.npz", *AARCH64, spec="outside.yaml", texts=["without the extern function 'twice'", "--link FILE"])
    v.expect(1, "--against", "outside.npz", "--link", "twice.so", *AARCH64, spec="outside.yaml", texts=["with --run-with, expected a .c or .o file, found 'twice.so'"])
    v.expect(0, "-o", "made", command="generate", spec="outside.yaml")
    v.expect(0, "--against", "outside.npz", "--link", "twice.c", *AARCH64, spec="made", texts=["all results agree"])
    v.expect(1, "--against", "outside.npz", *AARCH64, spec="made", texts=["graph 'g' calls the extern function 'twice'"])


def elsewhere(v, tools, targets, wanted):
    """NaN, each type, sizes and tasks on an architecture besides."""
    for_aarch64(v, f"targets: [{targets}]")
    left = temporary_folder(v)
    report = v.report(0, "--against", v.save("good.npz"), *tools)
    require(variants(report) == ["reference", *wanted], "plain loops and all variants")
    x = changed(v.arrays["x"], (1, 5), numpy.nan)
    total = x @ numpy.load(v.folder / "w.npy") + numpy.load(v.folder / "b.npy")
    nan = {"x": x, "y": numpy.where(numpy.isnan(total), total, numpy.maximum(total, 0)), "z": total * numpy.float32(3)}
    v.expect(0, "--against", v.save("nan.npz", **nan), *tools, texts=["all results agree"])
    v.expect(4, "--against", v.save("bad.npz", z=changed(v.arrays["z"], (3, 17), 9)), *tools, texts=["[3, 17]", "results differ"])
    (v.folder / "open.yaml").write_text(OPEN.replace("TARGETS", f"targets: [{targets}]"))
    v.expect(0, "--size", "rows=7", "--threads", "1,2", "--check", *tools, command="bench", spec="open.yaml", texts=["all results agree"])
    (v.folder / "large.yaml").write_text(LARGE.replace("aarch64", targets))
    v.expect(0, "--threads", "1,3", "--check", *tools, command="bench", spec="large.yaml", texts=["all results agree"])
    nothing_left(left)


def wasm(v):
    elsewhere(v, WASM, "wasm32-simd128", ["wasm32-simd128"])
    elsewhere(Verifier(sys.argv[1], v.folder / "relaxed"), WASM, "wasm32-relaxed-simd", ["wasm32-relaxed-simd"])


def riscv(v):
    elsewhere(v, RISCV, "rv64gc, rv64gcv, rv64gcv-zvl256b", ["rv64gcv-zvl256b", "rv64gcv", "rv64gc"])
    short = ["--run-with", RISCV[1].replace("256", "128"), *RISCV[2:]]
    v.expect(0, "--against", "good.npz", *short, texts=["rv64gcv-zvl256b: the CPU of 'qemu-riscv64", "lacks zvl256b"])


def errors(v):
    """Commands and compilers that fail, each in one way. With five arguments besides it a program is a call of a function."""
    left = temporary_folder(v)
    v.save("good.npz")

    def fails(runner, compiler, *texts, code=1):
        v.expect(code, "--against", "good.npz", "--target", "x86-64-v2", "--run-with", runner, "--cc", compiler, texts=texts)
        v.expect(code, "--check", "--target", "x86-64-v2", "--threads", "1", "--run-with", runner, "--cc", compiler, command="bench", texts=texts)
        nothing_left(left)

    report = v.report(0, "--against", "good.npz", "--target", "x86-64-v2", "--run-with", "env", "--cc", "cc -g0")
    require(variants(report) == ["reference", "x86-64-v2"], "this machine's compiler and CPU")
    fails("env", "no-such-cc", "--cc no-such-cc: error: there is no program 'no-such-cc'", "--cc takes a C compiler")
    fails("no-such-emulator -x", "cc", "--run-with no-such-emulator -x: error: there is no program 'no-such-emulator'", "--run-with takes a command")
    fails(" ", "cc", "there is no program ''")
    fails("env", script(v, "stuck", "echo something is missing >&2\nexit 9\n"), "exited with code 9:\nsomething is missing")
    fails("env", script(v, "silent", "exit 0\n"), "compiles for none of kgen's architectures: ")
    broken = script(v, "broken", 'case "$*" in *kgen_runner*) echo no room >&2; exit 1;; esac\nexec cc "$@"\n')
    fails("env", broken, "small.yaml: error: the C compiler '", "exited with code 1:\nno room")
    calls = 'if [ $# != 6 ]; then exec "$@"; fi\n'
    fails(script(v, "killed", calls + "kill -SEGV $$\n"), "cc", "small.yaml: error: the program that '", "was ended by a signal: Segmentation fault")
    fails(script(v, "refuses", calls + "echo no such CPU\nexit 5\n"), "cc", "exited with code 5:\nno such CPU")
    fails(script(v, "empty", calls + "exit 0\n"), "cc", "left no bytes of results, not the 1480 of graph 'layer'")
    fails(script(v, "short", calls + '"$@" && truncate -s 1000 "$6"\n'), "cc", "left 1000 bytes of results, not the 1480 of graph 'layer'")
    fails(script(v, "starved", calls + 'truncate -s 9 "$5"\nexec "$@"\n'), "cc", "exited with code 3:\nthe request is truncated")
    fails(script(v, "lost", "echo no CPU >&2\nexit 2\n"), "cc", "small.yaml: error: the program that '", "exited with code 2:\nno CPU")
    wrong = script(v, "wrong", calls + '"$@" && printf abcdefgh | dd of="$6" conv=notrunc status=none\n')
    v.expect(4, "--against", "good.npz", "--target", "x86-64-v2", "--run-with", wrong, "--cc", "cc", texts=["results differ"])
    v.expect(2, "--against", "good.npz", "--run-with", "env", texts=["--run-with requires --cc"])
    v.expect(2, "--against", "good.npz", "--cc", "cc", texts=["--cc requires --run-with"])
    v.expect(2, "--run-with", "env", "--cc", "cc", command="bench", texts=["--run-with requires --check"])
    for measuring in (["--time", "1"], ["--hot"], ["--cold"], ["--steps"], ["--latency"], ["--plot", "a.svg"], ["--against", "a.json"]):
        v.expect(2, "--check", *measuring, command="bench", texts=[f"{measuring[0]} excludes --check"])
    text = v.expect(0, "--check", "--threads", "1,2", command="bench", texts=["small on ", "x86-64-v2", "1, 2", "as plain loops", "all results agree"])
    require("GFLOPS" not in text, "nothing is measured in this process, either")


SCENARIOS = {"aarch64": aarch64, "types": types, "folders": folders, "sizes": sizes, "threads": threads, "packed": packed, "externs": externs, "errors": errors,
             "wasm": wasm, "riscv": riscv}
TOOLS = {"errors": [], "wasm": ["node", "clang-22"], "riscv": ["qemu-riscv64", "riscv64-linux-gnu-gcc"]}

if __name__ == "__main__":
    numpy.seterr(all="ignore")
    missing = [tool for tool in TOOLS.get(sys.argv[2], ["qemu-aarch64", "aarch64-linux-gnu-gcc"]) if not shutil.which(tool)]
    if sys.argv[2] == "wasm" and not pathlib.Path("/usr/include/wasm32-wasi/stdio.h").exists():
        missing.append("wasi-libc")
    if missing:
        print("skipped: no " + " and no ".join(missing))
        sys.exit(77)
    SCENARIOS[sys.argv[2]](Verifier(sys.argv[1], pathlib.Path(sys.argv[3])))

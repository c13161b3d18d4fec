"""kgen verify and bench on graphics cards, next to what NumPy computes.

  commands.py KGEN SCENARIO WORK_FOLDER [CUDA_DRIVER CUDA_CODE CLANG]

`vulkan` runs on Mesa's driver for CPUs, `cuda` on the tests' own, `errors` on none.
"""
import json
import os
import pathlib
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "verify"))
from verifier import SPEC, Verifier, require, variants

LAYER = SPEC.replace("library: small", "library: cards").replace("x86-64-v3]", "TARGET]")
MIXED = """  - name: mixed # of other types, without dimensions, without elements
    inputs: {a: "f32[4, 6]", c: "f32[4, 6]", i: "i64[3]", h: "f16[7, 5]", n: "f32[0, 3]", s: "f32[]", k: "i32[4, 6]", m: "bool[4, 6]"}
    nodes:
      - {name: less, op: Less, inputs: [a, c]}
      - {name: both, op: And, inputs: [less, m]}
      - {name: chosen, op: Where, inputs: [both, a, c]}
      - {name: rows, op: Gather, inputs: [a, i], attributes: {axis: 0}}
      - {name: half, op: Tanh, inputs: [h]}
      - {name: none, op: Neg, inputs: [n]}
      - {name: negative, op: Neg, inputs: [s]}
      - {name: twice, op: Add, inputs: [k, k]}
    outputs: [less, both, chosen, rows, half, none, negative, twice]
"""
RECURRENT = """  - name: recurrent
    inputs: {x: "f32[6, 1, 8]", u: "f32[1, 12, 8]", r: "f32[1, 12, 4]"}
    nodes:
      - {op: GRU, name: g, inputs: [x, u, r], attributes: {hidden_size: 4}, outputs: ["", last]}
    outputs: [last]
"""


CALLED = """  - name: called # by the CPU, in the middle
    inputs: {x: "f32[3, 4]"}
    nodes:
      - {op: Exp, name: e, inputs: [x]}
      - {op: extern, symbol: twice, name: t, inputs: [e], outputs: {t: "f32[3, 4]"}, run_on: cpu}
      - {op: Neg, name: y, inputs: [t]}
    outputs: [y]
"""
TWICE = "int twice(const float *e, float *t, void *workspace, unsigned long size) {\n  for (int i = 0; i < 12; ++i)\n    t[i] = 2 * e[i];\n  return 0;\n}\n"


def mixed_arrays():
    draw = numpy.random.RandomState(3)
    a, c = (draw.standard_normal((4, 6)).astype(numpy.float32) for _ in range(2))
    i, n, s = numpy.array([3, 0, 3]), numpy.zeros((0, 3), numpy.float32), numpy.float32(2.5)
    h, k = draw.standard_normal((7, 5)).astype(numpy.float16), draw.randint(-9, 9, (4, 6)).astype(numpy.int32)
    m = draw.randint(0, 2, (4, 6)).astype(bool)
    both = (a < c) & m
    return {"a": a, "c": c, "i": i, "h": h, "n": n, "s": s, "k": k, "m": m, "less": a < c, "both": both, "chosen": numpy.where(both, a, c), "rows": a[i],
            "half": numpy.tanh(h.astype(numpy.float64)).astype(numpy.float16), "none": n, "negative": -s, "twice": k + k}


class Cards(Verifier):
    """The library with other graphs: cards.yaml has both, layer.yaml and mixed.yaml one each."""

    def __init__(self, kgen, folder, target, cuda=None):
        super().__init__(kgen, folder)
        self.target, self.cuda = target, cuda
        layer = LAYER.replace("TARGET", target)
        head = layer[:layer.index("  - name")]
        for name, text in (("cards", layer + MIXED), ("layer", layer), ("mixed", head + MIXED), ("recurrent", head + RECURRENT), ("called", head + CALLED)):
            (folder / f"{name}.yaml").write_text(text)
        numpy.savez(folder / "mixed.npz", **mixed_arrays())
        self.save("layer.npz")

    def prepare(self, spec):
        """Code for the tests' driver of CUDA, for which PTX is none."""
        if not self.cuda:
            return
        stages = self.folder / f"stages-{spec}"
        subprocess.run([self.kgen, "generate", f"{spec}.yaml", "-o", f"library-{spec}", "--quiet", "--dump-stages", stages, "--no-dump-weights"],
                       cwd=self.folder, check=True)
        self.compile(stages / f"kernels.{self.target}")

    def compile(self, kernels):
        driver, code, clang = self.cuda
        subprocess.run([sys.executable, "-B", code, kernels / "kernels.ll", kernels / "kernels.ptx", self.folder, "--clang", clang], check=True)
        os.environ |= {"CARDS_CUDA": driver, "KGEN_TEST_CUDA_CODE": str(self.folder)}


def on_card(v):
    target = ["--target", v.target]
    for spec in ("layer", "mixed"):
        v.prepare(spec)
        report = v.report(0, "--against", f"{spec}.npz", *target, spec=f"{spec}.yaml")
        require(variants(report) == ["reference", v.target], "plain loops and the card")
        require(report["runs"][1]["device"] and "device" not in report["runs"][0], "the card's name, and none of the CPU")
        require(len(report["runs"][1]["outputs"]) == {"layer": 2, "mixed": 8}[spec], "all outputs")
        v.expect(0, "--against", f"{spec}.npz", *target, spec=f"{spec}.yaml",
                 texts=[f"{v.target} ran on {report['runs'][1]['device']}", "all results agree"])
    report = v.report(0, "--against", "layer.npz", spec="layer.yaml")
    require(variants(report) == ["reference", "x86-64-v2", v.target], "all of the spec's targets")
    z = v.arrays["z"].copy()
    z[3, 17] += 0.5
    report = v.report(4, "--against", v.save("bad.npz", z=z), *target, spec="layer.yaml")
    require([run["first_wrong"] for run in report["runs"]] == ["z", "z"] and report["runs"][1]["outputs"][1]["worst"]["index"] == [3, 17], "what differs")
    times(v, target)
    externs(v, target)
    if v.cuda:
        wrong_code(v, target)
    else:  # other graphs, of which the tests' driver has no code
        folder(v, target)


def externs(v, target):
    """Functions of --link, which the program that runs the card's code needs."""
    v.prepare("called")
    x = numpy.linspace(-2, 2, 12, dtype=numpy.float32).reshape(3, 4)
    numpy.savez(v.folder / "called.npz", x=x, y=-2 * numpy.exp(x))
    (v.folder / "twice.c").write_text(TWICE)
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-c", "twice.c", "-o", "twice.o"], cwd=v.folder, check=True)
    subprocess.run([compiler, "-shared", "-fPIC", "twice.c", "-o", "libtwice.so"], cwd=v.folder, check=True)
    for file in ("twice.c", "twice.o", "libtwice.so"):
        report = v.report(0, "--against", "called.npz", "--link", file, *target, spec="called.yaml")
        require(variants(report) == ["reference", v.target], f"plain loops and the card, with {file}")
    v.expect(0, "--check", "--link", "twice.o", *target, command="bench", spec="called.yaml", texts=["all results agree"])
    v.expect(0, "-o", "library-link", "--quiet", command="generate", spec="called.yaml")
    report = v.report(0, "--against", "called.npz", "--link", "twice.c", *target, spec="library-link")
    require(variants(report) == [v.target], "of a folder")
    v.expect(1, "--against", "called.npz", *target, spec="called.yaml", texts=["the code cannot run without the extern function 'twice'"])


def wrong_code(v, target):
    """A driver that subtracts where kernels add."""
    kernels = v.folder / "stages-layer" / f"kernels.{v.target}"
    text = (kernels / "kernels.ll").read_text()
    require(" fadd " in text, "the kernels add")
    (kernels / "kernels.ll").write_text(text.replace(" fadd ", " fsub "))
    v.compile(kernels)
    report = v.report(4, "--against", "layer.npz", *target, spec="layer.yaml")
    require([run["first_wrong"] for run in report["runs"]] == [None, "y"], "what the card computes is compared")
    v.expect(4, "--check", *target, command="bench", spec="layer.yaml", texts=[f"wrong result: layer in {v.target}, inputs in", "results differ"])
    v.expect(4, *target, "--time", "0.02", command="bench", spec="layer.yaml", texts=["wrong result, not measured"])


def folder(v, target):
    v.expect(0, "--against", "mixed.npz", "--graph", "mixed", *target, spec="cards.yaml", texts=["all results agree"])
    report = v.report(0, "--against", "layer.npz", "--all-nodes", *target, spec="layer.yaml")
    require([run["variant"] for run in report["nodes"]] == ["reference", v.target] and len(report["nodes"][1]["results"]) == 4, "all nodes on the card")
    v.expect(0, "-o", "library", "--quiet", command="generate", spec="cards.yaml")
    report = v.report(0, "--against", "layer.npz", "--graph", "layer", spec="library")
    require(variants(report) == ["x86-64-v2", v.target] and report["runs"][1]["device"], "the variants of a folder")
    report = v.report(0, "--against", "mixed.npz", "--graph", "mixed", *target, spec="library")
    require(variants(report) == [v.target], "one of them")
    frames = {name: numpy.stack([array, 2 * array]).astype(numpy.float32) for name, array in v.arrays.items() if name in ("x", "scale")}
    report = v.report(0, "--against", v.save("frames.npz", **frames, y=None, z=None), "--frames", *target, spec="layer.yaml")
    require(report["frames"] == 2 and [output["wrong"] for output in report["runs"][1]["outputs"]] == [0, 0], "calls one after another")


def times(v, target):
    text = v.expect(0, *target, "--time", "0.02", command="bench", spec="layer.yaml", texts=["copied", f"{v.target} on "])
    require(("on device" in text) == bool(v.cuda) and "bandwidth" not in text, "with CUDA times without copies, too; nothing of the CPU")
    report = json.loads(v.expect(0, *target, "--time", "0.02", "--latency", "--json", "-", command="bench", spec="layer.yaml"))
    lines = report["results"]
    require([line["caches"] for line in lines] == (["copied", "on device"] if v.cuda else ["copied"]), "a line for each way")
    for line in lines:
        require(line["variant"] == v.target and line["device"] and line["seconds"]["readings"] >= 3 and line["seconds"]["median"] > 0, "times")
        require(line["flops"] >= 2 * 5 * 48 * 37 and line["latency"]["calls"] == line["seconds"]["readings"], "work and single calls")
        require(line["bytes"] == 4 * (5 * 48 + 1 + 48 * 37 + 37 + 2 * 5 * 37), "tensors and weights")
    v.expect(0, "--check", *target, command="bench", spec="layer.yaml", texts=["as plain loops", "all results agree"])
    v.expect(1, *target, "--steps", command="bench", spec="layer.yaml", texts=["--steps"])


def errors(v):
    against, vulkan = ["--against", "layer.npz"], ["--target", "vulkan"]
    os.environ["CARDS_VULKAN"] = "/no/such/driver.so"
    for command, arguments in (("verify", against), ("bench", ["--check"])):
        v.expect(1, *arguments, *vulkan, command=command, spec="layer.yaml", texts=["no graphics card of this machine runs the code: vulkan: /no/such/driver.so"])
        text = v.expect(0, *arguments, command=command, spec="layer.yaml", texts=["vulkan: /no/such/driver.so: cannot open", "x86-64-v2"])
        require("all results agree" in text, "others are compared")
    (v.folder / "broken.c").write_text("#include <stdlib.h>\n__attribute__((constructor)) static void broken(void) { abort(); }\n")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", v.folder / "broken.so", v.folder / "broken.c"], check=True)
    os.environ["CARDS_VULKAN"] = str(v.folder / "broken.so")
    v.expect(1, *against, *vulkan, spec="layer.yaml", texts=["vulkan: the program for graphics cards was ended by a signal"])
    del os.environ["CARDS_VULKAN"]
    v.expect(1, *against, "--target", "gpu", spec="layer.yaml", texts=["unknown target 'gpu'"])
    v.expect(1, *against, *vulkan, *vulkan, spec="layer.yaml", texts=["target 'vulkan' is listed twice"])
    v.expect(1, *against, *vulkan, "--run-with", "env", "--cc", "cc", spec="layer.yaml", texts=["--run-with runs code for CPUs only"])
    v.expect(1, "--check", *vulkan, command="bench", spec="recurrent.yaml", texts=["recurrent.yaml:7:14: error: node 'g'", "no form for graphics cards"])
    v.expect(0, "-o", "library", "--quiet", command="generate", spec="layer.yaml")
    v.expect(1, *against, "--target", "nvidia-sm_80", spec="library", texts=["no variant 'nvidia-sm_80'", "it has x86-64-v2, vulkan"])
    os.environ["CC"] = "no-such-compiler"
    v.expect(1, *against, *vulkan, spec="layer.yaml", texts=["there is no C compiler 'no-such-compiler'"])
    v.expect(0, *against, spec="layer.yaml", texts=["vulkan: there is no C compiler"])


if __name__ == "__main__":
    kgen, scenario, work = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    if scenario == "errors":
        errors(Cards(kgen, work, "vulkan"))
    else:
        on_card(Cards(kgen, work, "nvidia-sm_80" if scenario == "cuda" else "vulkan", sys.argv[4:]))

"""WebAssembly next to onnxruntime-web from npm: the same engine (Node's), the same model, one thread each.

  web.py KGEN WORK_FOLDER [--only NAME] [--json FILE]

Digits, an MLP of three layers of 1024 for 16 rows, and MobileNet-v2. Results are within 1e-4 of the largest magnitude, or nothing is printed. What
counts is the least time of a call; both take turns. Wants clang with WebAssembly and wasm-ld.

Not part of any test run: npm brings the peer.
"""
import argparse
import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys

import numpy
import onnx

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "onnx"))
import spec_to_onnx  # noqa: E402

PEER = "onnxruntime-web@1.30.0"
TARGETS = ["wasm32-simd128", "wasm32-relaxed-simd"]
NETWORKS = [("digits", "classify", 1), ("mlp-3x1024", "forward", 16), ("mobilenet-v2", "classify", 1)]
PROGRAM = """#include "net.h"
#define EXPORTED(name) __attribute__((export_name(#name)))
static float x[INPUTS], y[OUTPUTS];
static unsigned char workspace[NET_RUN_WORKSPACE_SIZE + 1];
static net_context context;
EXPORTED(input) float *input(void) { return x; }
EXPORTED(output) float *output(void) { return y; }
EXPORTED(init) int init(void) { return net_init(&context, NULL); }
EXPORTED(run) int run(void) { return net_run(&context, x, y, workspace, sizeof workspace); }
"""


def call(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def shape_of(value):
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def model_of(spec, graph, rows):
    """The model of the graph for so many rows."""
    _, model = spec_to_onnx.model_of(str(ROOT / f"specs/graphs/{spec}.yaml"), graph)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = rows
    return model


def elements(folder, kind):
    """How many the library's only input or output has."""
    text = json.loads((folder / "net.manifest.json").read_text())["graphs"][0][kind][0]["type"]
    return numpy.prod([int(size) for size in re.findall(r"\d+", text.split("[")[1])])


def module(options, work, name, target):
    """The module of the library, which exports a function without arguments."""
    folder = work / f"{name}.{target}"
    call(options.kgen, "generate", work / f"{name}.onnx", "--library", "net", "--target", target, "-o", folder, "--quiet", "--always")
    stack = int(re.search(r"NET_STACK_SIZE (\d+)", (folder / "net.h").read_text()).group(1))
    program, result = work / "program.c", work / f"{name}.{target}.wasm"
    program.write_text(PROGRAM)
    compiler = shutil.which("clang-22") or shutil.which("clang") or sys.exit("there is no clang")
    sizes = [f"-D{kind.upper()}={elements(folder, kind)}" for kind in ("inputs", "outputs")]
    call(compiler, "--target=wasm32", "-ffreestanding", "-nostdlib", f"-fuse-ld={shutil.which('wasm-ld')}", "-O2", "-mbulk-memory", "-I", folder, *sizes, program,
         folder / "net.c", *sorted((folder / "objects").glob("*.o")), "-Wl,--no-entry", f"-Wl,-z,stack-size={stack + 65536}", "-o", result)
    return str(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "node_modules/onnxruntime-web").exists():
        (work / "package.json").write_text("{}")
        call("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", PEER, cwd=work)
    plan = []
    for name, graph, rows in NETWORKS:
        if options.only and options.only not in name:
            continue
        model = model_of(name, graph, rows)
        onnx.save(model, work / f"{name}.onnx")
        shape = shape_of(model.graph.input[0])
        numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32).tofile(work / f"{name}.x")
        plan.append({"name": name, "model": str(work / f"{name}.onnx"), "input": str(work / f"{name}.x"), "shape": shape,
                     "modules": {target: module(options, work, name, target) for target in TARGETS}})
    (work / "plan.json").write_text(json.dumps(plan))
    report = json.loads(call("node", HERE / "web.mjs", work, work / "plan.json", capture_output=True, text=True).stdout)
    for network in report["networks"]:
        peer, *mine = network["contestants"]
        for one in mine:
            if not one["difference"] <= 1e-4:
                sys.exit(f"{network['name']}, {one['target']}: results differ by {one['difference']:.2e}")
            size = pathlib.Path(work / f"{network['name']}.{one['target']}.wasm").stat().st_size
            print(f"| {network['name']} | {one['target']} | {size / 1e3:.1f} kB | {one['us']:.2f} us | {peer['us']:.2f} us | {peer['us'] / one['us']:.2f} |")
    print(f"{PEER.split('@')[0]} {report['version']}, Node {report['node']}, {datetime.date.today()}")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()

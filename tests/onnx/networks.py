"""Networks of specs/graphs as ONNX models: `kgen import` makes the code that the spec makes, quickly and in little memory.

networks.py KGEN SPECS [--target NAME] [--only GRAPH] [--bench] [--limits]

Each is written as a model with the same weights, imported, and generated; its object files must be those of the spec. Where the
graphs differ (what is an attribute in a spec may be an input in the standard), the code's size is compared, and with --bench the
speed. --limits: the import of BERT takes at most 5 s and 1.2 GB, from one file and from external data; its library for three
targets is generated within 1.2 GB, whether from the model or from the spec, and linked within 10 s."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import onnx

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spec_to_onnx

NETWORKS = [("resnet50", "classify"), ("mobilenet-v2", "classify"), ("bert-base", "encoder"), ("whisper-tiny", "encoder"),
            ("unet", "level"), ("unet", "residual")]
# How often the modules are used that `kgen import` finds.
MODULES = {("resnet50", "classify"): [2, 3, 3, 5], ("mobilenet-v2", "classify"): [2, 2, 3, 4], ("bert-base", "encoder"): [12],
           ("whisper-tiny", "encoder"): [4], ("unet", "level"): [2], ("unet", "residual"): []}
MAX_SECONDS, MAX_BYTES = 5.0, 1.2e9  # processor time and memory of the import of 340 MB
MAX_LINK_SECONDS = 10.0


# Runs a command and prints its processor time and memory: in a process of its own, since a child begins with the memory of its
# parent, and this one holds a model.
MEASURE = """import os, resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print("\\n", usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
sys.exit(code)"""


def run(command):
    """(output, seconds of processor time, bytes at most)"""
    done = subprocess.run([sys.executable, "-c", MEASURE] + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    text, _, usage = done.stdout.rstrip().rpartition("\n")
    return text, float(usage.split()[0]), int(usage.split()[1])


def spec_of(path, graph, folder):
    """The library file with this graph alone, called `run` as that of a model."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, _, graphs = text.partition("\ngraphs:\n")
    block = next(part for part in re.split(r"(?m)^(?=  - name: )", graphs) if part.startswith(f"  - name: {graph}\n"))
    folders = os.path.abspath(os.path.dirname(path))
    head = re.sub(r"include: \[(.*)\]", lambda found: f"include: [{folders}/{found[1]}]", head)
    result = os.path.join(folder, "spec.yaml")
    with open(result, "w", encoding="utf-8") as file:
        file.write(head + "\ngraphs:\n" + block.replace(f"  - name: {graph}\n", "  - name: run\n", 1))
    return result


def graph_of(kgen, spec):
    """The graph as text, without the last line, which has the spec's name."""
    return run([kgen, "check", spec, "--print-graph"])[0].rpartition("  outputs ")[0]


def files_of(folder):
    contents = {}
    for name in sorted(os.listdir(os.path.join(folder, "objects"))):
        with open(os.path.join(folder, "objects", name), "rb") as file:
            contents[name] = file.read()
    return contents


def code_bytes(folder, name):
    """The bytes of the sections of code."""
    text = subprocess.run(["objdump", "-h", os.path.join(folder, "objects", name)], check=True, capture_output=True, text=True).stdout
    return sum(int(size, 16) for size in re.findall(r" \.text\S*\s+([0-9a-f]+)", text))


def speed(kgen, spec, target):
    """Milliseconds of a call on one thread, hot."""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "bench.json")
        run([kgen, "bench", spec, "--target", target, "--threads", "1", "--time", "1", "--hot", "--json", table])
        with open(table, encoding="utf-8") as file:
            return float(re.search(r'"(?:median|seconds)[^"]*": ([\d.e-]+)', file.read())[1])


def compare(options, name, graph, folder):
    spec = spec_of(os.path.join(options.specs, name + ".yaml"), graph, folder)
    library, model = spec_to_onnx.model_of(os.path.join(options.specs, name + ".yaml"), graph)
    path = os.path.join(folder, "model.onnx")
    onnx.save(model, path)
    _, seconds, memory = run([options.kgen, "import", path, "--library", library, "-o", os.path.join(folder, "imported")])
    imported = os.path.join(folder, "imported", library + ".yaml")
    problems = []
    modules = json.loads(run([options.kgen, "import", path, "--library", library, "-o", os.path.join(folder, "again"), "--json"])[0])["modules"]
    if sorted(modules.values()) != MODULES[name, graph]:
        problems.append(f"its modules are {modules}, expected {MODULES[name, graph]} uses")
    if options.limits and (seconds > MAX_SECONDS or memory > MAX_BYTES):
        problems.append(f"import took {seconds:.1f} s and {memory / 1e6:.0f} MB")
    same = graph_of(options.kgen, spec) == graph_of(options.kgen, imported)
    outputs = []
    for each, source in (("a", spec), ("b", imported)):
        outputs.append(os.path.join(folder, each))
        _, generate_seconds, generate_memory = run(
            [options.kgen, "generate", source, "-o", outputs[-1]] + [word for target in options.target for word in ("--target", target)])
    a, b = (files_of(output) for output in outputs)
    equal = sorted(name for name in a if b.get(name) == a[name])
    sizes = [sum(code_bytes(output, name) for name in files if name.startswith("run.")) for output, files in zip(outputs, (a, b))]
    print(f"{name}/{graph}: {os.path.getsize(path) / 1e6:.0f} MB, import {seconds:.2f} s, {memory / 1e6:.0f} MB; graphs "
          f"{'are equal' if same else 'differ'}; {len(equal)} of {len(a)} object files are equal; code {sizes[0]} and {sizes[1]} bytes; "
          f"generate {generate_seconds:.1f} s, {generate_memory / 1e6:.0f} MB", flush=True)
    if same and a != b:
        problems.append("the graphs are equal, and the object files differ")
    if not same and abs(sizes[1] - sizes[0]) > 0.02 * sizes[0]:
        problems.append("the code differs in size by more than 2 %")
    if options.bench and a != b:
        before, after = speed(options.kgen, spec, options.target[0]), speed(options.kgen, imported, options.target[0])
        print(f"  time of the model by that of the spec: {after / before:.3f}")
    if options.limits and name == "bert-base":
        problems += external(options, model, library, folder)
        del model
        problems += three_targets(options, path, library, imported, folder)
    return [f"{name}/{graph}: {problem}" for problem in problems]


def external(options, model, library, folder):
    """The same with the weights in a file of their own."""
    path = os.path.join(folder, "external", "model.onnx")
    os.makedirs(os.path.dirname(path))
    onnx.save(model, path, save_as_external_data=True, all_tensors_to_one_file=True, location="weights.bin", size_threshold=64)
    _, seconds, memory = run([options.kgen, "import", path, "--library", library, "-o", os.path.join(folder, "imported2")])
    print(f"  external data: import {seconds:.2f} s, {memory / 1e6:.0f} MB")
    problems = [] if seconds <= MAX_SECONDS and memory <= MAX_BYTES else [f"import took {seconds:.1f} s and {memory / 1e6:.0f} MB"]
    for name in os.listdir(os.path.join(folder, "imported")):
        contents = [open(os.path.join(folder, each, name), "rb").read() for each in ("imported", "imported2")]
        if contents[0] != contents[1]:
            problems.append(f"{name} differs with external data")
    return problems


def three_targets(options, model, library, spec, folder):
    """The whole library, in the memory that a small machine has, linked into a program."""
    problems, outputs = [], []
    targets = [word for target in ("x86-64-v3", "x86-64-v4", "zen4") for word in ("--target", target)]
    for source, name in ((model, ["--library", library]), (spec, [])):
        for jobs in ("1", "2", "3"):
            output = os.path.join(folder, f"three{len(outputs)}")
            _, seconds, memory = run([options.kgen, "generate", source, "-o", output, "-j", jobs] + name + targets)
            outputs.append(output)
            print(f"  three targets of {os.path.basename(source)}, {jobs} at a time: {seconds:.1f} s, {memory / 1e6:.0f} MB", flush=True)
            if memory > MAX_BYTES:
                problems.append(f"generating three targets took {memory / 1e6:.0f} MB")
            if files_of(output) != files_of(outputs[0]):
                problems.append(f"{source} with -j{jobs} gives other objects")
    program = os.path.join(folder, "main.c")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#include "{library}.h"\nint main(void) {{ {library}_context context; return {library}_init(&context, 0) != 0; }}\n')
    objects = [os.path.join(outputs[0], "objects", name) for name in sorted(os.listdir(os.path.join(outputs[0], "objects")))]
    start = time.monotonic()
    run(["cc", "-I", outputs[0], program, os.path.join(outputs[0], library + ".c")] + objects + ["-o", os.path.join(folder, "program")])
    seconds = time.monotonic() - start
    print(f"  linked in {seconds:.1f} s", flush=True)
    return problems if seconds <= MAX_LINK_SECONDS else problems + [f"linking took {seconds:.1f} s"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgen", type=os.path.abspath)
    parser.add_argument("specs")
    parser.add_argument("--target", action="append")
    parser.add_argument("--only")
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--limits", action="store_true")
    options = parser.parse_args()
    options.target = options.target or ["x86-64-v3"]
    problems = []
    for name, graph in NETWORKS:
        if options.only in (None, name):
            with tempfile.TemporaryDirectory(prefix="kgen-networks-") as folder:
                problems += compare(options, name, graph, folder)
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()

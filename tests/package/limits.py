"""Inputs that ask for too much, or are no files, each of which once crashed, hung or was taken: limits.py KGEN WORK

Each is refused with one located error that names the limit or the key, or is taken, within 20 s of CPU and 4 GB."""
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
from pathlib import Path

KGEN, WORK, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(__file__).resolve().parents[2]
SECONDS, MEMORY = 20, 4 << 30
problems = []


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 2))
    if not os.environ.get("KGEN_SANITIZED"):  # their shadow memory is larger than that
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(name, files, command, code, *expected, seconds=SECONDS):
    """`files`: name -> text or bytes, or a function that makes the file; `expected`: regular expressions of lines that the output has."""
    folder = WORK / re.sub(r"\W+", "-", name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(folder / path)
        else:
            (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = cpu()
    try:
        done = subprocess.run([KGEN, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, preexec_fn=limited,
                              env={**os.environ, "KGEN_NO_SYNC": "1"})
        status, text = done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        status, text = 124, "it waits"
    took = cpu() - before
    missing = [one for one in expected if not re.search(one, text, re.M)]
    good = status == code and not missing and took < seconds
    if code == 1 and not re.search(r"^[^\s:][^:\n]*(:\d+:\d+)?: (node '.*': )?error: ", text, re.M):
        good = False
    if code != 0 and (folder / "out").exists():
        problems.append(f"{name}: a folder is left behind")
    print(f"{name}: exit code {status}, {took:.1f} s{'' if good else ', WRONG'}", flush=True)
    if not good:
        problems.append(f"{name}: exit code {status} in {took:.1f} s of CPU, expected {code} in {seconds} s, and {missing} in: {text[:2000]}")
    return text


def spec(node="op: Relu, inputs: [x]", inputs='{x: "f32[2, 4]"}', before="", graph="", targets="x86-64-v2", outputs="[y]"):
    return f"library: a\ntargets: [{targets}]\n{before}graphs:\n  - name: f\n{graph}    inputs: {inputs}\n    nodes: [{{name: y, {node}}}]\n    outputs: {outputs}\n"


def product(schedule, size, op="MatMul"):
    return spec(f"op: {op}, inputs: [x, w], schedule: s", f'{{x: "f32[{size}, {size}]", w: "f32[{size}, {size}]"}}', f"schedules:\n  s: {schedule}\n")


def onnx(name=b"x", opsets=b"B\x04\n\0\x10\x11", rows=2, weight=False):
    """y = Relu(x) of f32[rows, 4], with these bytes for its opset_import; x is a weight or an input."""
    varint = lambda number: bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)
    part = lambda tag, data: bytes([tag]) + varint(len(data)) + data
    value = lambda of: part(0x0a, of) + b"\x12\x0e\n\x0c\x08\x01\x12\x08\n\x02\x08" + bytes([rows]) + b"\n\x02\x08\x04"
    node = part(0x0a, part(0x0a, name) + b"\x12\x01y" + b'"\x04Relu')
    x = part(0x2a, b"\x08" + bytes([rows]) + b"\x08\x04\x10\x01" + part(0x42, name) + part(0x4a, b"\0\0\x80?" * 4 * rows)) if weight else part(0x5a, value(name))
    return b"\x08\x08" + part(0x3a, node + b"\x12\x01g" + x + part(0x62, value(b"y"))) + opsets


def large_texts():
    doubles = ", ".join(["v0: aaaaaaaaaa", *(f'v{i}: "$v{i - 1}$v{i - 1}"' for i in range(1, 41))])
    run("texts of with that double", {"s.yaml": spec(graph=f"    with: {{{doubles}}}\n")}, ["check", "s.yaml"], 1, r"\As.yaml:5:\d+: error: .*more than 65536 characters\n.*\n?\Z")
    run("a thousand unknown keys", {"s.yaml": spec() + "".join(f"unknown{i}: 1\n" for i in range(1000))}, ["check", "s.yaml"], 1, r"^s.yaml:\d+:1: error: unknown key", r"900 more")
    run("a hundred thousand unknown keys", {"s.yaml": spec() + "".join(f"unknown{i}: 1\n" for i in range(100000))}, ["check", "s.yaml"], 1, r"9\d* more")
    names = ", ".join(f'dead{i}: "f32[4]"' for i in range(20000))
    run("twenty thousand dead inputs", {"s.yaml": spec(inputs=f'{{x: "f32[2, 4]", {names}}}')}, ["check", "s.yaml"], 1, r"and \d+ more errors$")
    text = run("a name of 100 kB", {"s.yaml": spec().replace("library: a", "library: " + "a" * 100000)}, ["check", "s.yaml"], 1, r"^s.yaml:1:10: error: ")
    if len(text) > 2000:
        problems.append(f"a name of 100 kB: {len(text)} characters of messages")
    chain = "".join(f"      - {{name: n{i}, op: Neg, inputs: [{f'n{i - 1}' if i else 'x'}]}}\n" for i in range(4000))
    run("4,000 outputs", {"s.yaml": f'library: a\ntargets: [x86-64-v2]\ngraphs:\n  - name: f\n    inputs: {{x: "f32[4]"}}\n    nodes:\n{chain}    outputs: [{", ".join(f"n{i}" for i in range(4000))}]\n'},
        ["check", "s.yaml"], 0, r"ok")
    run("one output 10,000 times", {"s.yaml": spec(outputs="[" + "y, " * 9999 + "y]")}, ["check", "s.yaml"], 0, r"ok")
    entries = ", ".join(f'"t{i}": {{"dtype": "F32", "shape": [1], "data_offsets": [{4 * i}, {4 * i + 4}]}}' for i in range(100000))
    header = ("{" + entries + "}").encode()
    file = struct.pack("<Q", len(header)) + header + bytes(400000)
    with_weight = spec("op: Add, inputs: [x, t7]", '{x: "f32[1]"}', graph='    weights: {t7: {type: "f32[1]", file: w.safetensors}}\n')
    run("100,000 tensors in a file", {"s.yaml": with_weight, "w.safetensors": file}, ["check", "s.yaml"], 0, r"ok")


def schedules_and_targets():
    run("registers that do not fit", {"s.yaml": product("{registers: {m: 64, n: 64}}", 64)}, ["generate", "s.yaml", "-o", "out"], 1, r"^s.yaml:4:\d+: error: .*registers")
    run("tasks that are too many", {"s.yaml": product("{tasks: {m: 1, n: 1}}", 4096)}, ["generate", "s.yaml", "-o", "out"], 1, r"^s.yaml:8:\d+: error: .*panels of 32 columns",
        r"schedule 's' \(s.yaml:4:\d+\) asks for it")
    run("unroll all of 512 x 512", {"s.yaml": product("{unroll: all}", 512, "Add")}, ["generate", "s.yaml", "-o", "out"], 1, r"^s.yaml:8:\d+: error: .*schedule 's': .*'unroll: all'.* at most 512")
    target = re.sub(r"caches: \{", "caches: {line: 1, ", (ROOT / "specs/targets/x86-64-v3.yaml").read_text()).replace("name: x86-64-v3", "name: t")
    run("cache lines of one byte", {"s.yaml": spec("op: Transpose, inputs: [x]", '{x: "f32[640, 1000]"}', targets="./t.yaml"), "t.yaml": target}, ["generate", "s.yaml", "-o", "out"], 1,
        r"^(\./)?t.yaml:\d+:\d+: error: .*line")
    names = re.findall(r"^KGEN_HEURISTIC\(\w+, (\w+)", (ROOT / "generator/target/Heuristics.def").read_text(), re.M)
    least = (ROOT / "specs/targets/x86-64-v4-amx.yaml").read_text().replace("name: x86-64-v4-amx", "name: t") + f"heuristics: {{{', '.join(f'{name}: 1' for name in names)}}}\n"
    graphs = spec("op: MatMul, inputs: [x, w]", '{x: "bf16[64, 512]"}', targets="./t.yaml", graph='    weights: {w: {type: "bf16[512, 64]", random: {seed: 1}}}\n')
    graphs += '  - {name: g, inputs: {x: "f32[40, 1000]"}, nodes: [{name: s, op: Softmax, inputs: [x]}, {name: y, op: Transpose, inputs: [s]}], outputs: [y]}\n'
    run("a target whose heuristics are all 1", {"s.yaml": graphs, "t.yaml": least}, ["generate", "s.yaml", "-o", "lib", "-q"], 0)
    rewrite = "\n".join(["module attributes {transform.with_named_sequence} {", "  transform.named_sequence @__kgen_schedule_s(%f: !transform.any_op) {",
                         '    %a = transform.structured.match ops{["linalg.generic"]} in %f : (!transform.any_op) -> !transform.any_op',
                         "    %b = transform.structured.rewrite_in_destination_passing_style %a : (!transform.any_op) -> !transform.any_op", "    transform.yield", "  }", "}"])
    run("a script that corrupts memory", {"s.yaml": product("{script: s.mlir}", 64), "s.mlir": rewrite}, ["generate", "s.yaml", "-o", "out"], 1,
        r"s.mlir:4:10: error: kgen does not run 'transform.structured.rewrite_in_destination_passing_style'")
    calls = ["template.func {S : any_shape}", "@my.t(%x : tensor<Sxf32>) -> tensor<Sxf32> {", "  %0 = template.call @c<N = 30>(%x) : (tensor<Sxf32>) -> tensor<Sxf32>", "  return %0 : tensor<Sxf32>", "}",
             "template.func {S : any_shape, N : index}", "@c(%x : tensor<Sxf32>) -> tensor<Sxf32> {", "  %r = template.const_if N == 0 -> tensor<Sxf32> {", "    %q = math.tanh %x : tensor<Sxf32>",
             "    template.yield %q : tensor<Sxf32>", "  } else {", "    %i0 = template.call @c<N = N - 1>(%x) : (tensor<Sxf32>) -> tensor<Sxf32>",
             "    %i1 = template.call @c<N = N - 1>(%i0) : (tensor<Sxf32>) -> tensor<Sxf32>", "    template.yield %i1 : tensor<Sxf32>", "  }", "  return %r : tensor<Sxf32>", "}"]
    if "without templates" not in subprocess.run([KGEN, "--version"], capture_output=True, text=True).stdout:
        run("templates that call themselves twice", {"s.yaml": spec("op: my.t, inputs: [x]", before="templates: [t.mlir]\n", targets="x86-64-v3"), "t.mlir": "\n".join(calls) + "\n"},
            ["generate", "s.yaml", "-o", "out"], 1, r"^t.mlir:12:11: error: .*max-operations")


def operators():
    for size, start, end in ((0, 5, -9), (4, 5, -5), (4, -1, -(1 << 63))):
        run(f"a slice backwards of {size} rows from {start} to {end}", {"s.yaml": spec(f"op: Slice, inputs: [x], attributes: {{starts: [{start}], ends: [{end}], axes: [0], steps: [{-(1 << 63)}]}}", f'{{x: "f32[{size}, 4]"}}')},
            ["generate", "s.yaml", "-o", "lib", "-q"], 0)


def models():
    for name, opsets, text in (("an opset to come", b"B\x04\n\0\x10c", "99"), ("a negative opset", b"B\r\n\0\x10\xfd" + b"\xff" * 8 + b"\x01", "-3"), ("no opset", b"", "opset"),
                               ("two opsets", b"B\x04\n\0\x10\x11B\x04\n\0\x10\x05", "second opset")):
        run(name, {"net.onnx": onnx(opsets=opsets)}, ["check", "net.onnx"], 1, rf"^net.onnx: error: .*({text})")
    for command in (["generate", "net.onnx", "-o", "lib"], ["import", "net.onnx", "-o", "spec"], ["check", "net.onnx"], ["explain", "net.onnx", "--html", "page.html"],
                    ["generate", "net.onnx", "-o", "lib", "--json"]):
        run(f"a name that is not UTF-8: {' '.join(command[::len(command) - 1])}", {"net.onnx": onnx(name=b"\xff")}, command, 0)


def no_files():
    """Each reader refuses devices and pipes without waiting for them."""
    weight = spec("op: Add, inputs: [x, w]", '{x: "f32[1]"}', graph='    weights: {w: {type: "f32[1]", file: FILE}}\n')
    extern = spec("op: extern, symbol: mine, inputs: [x], outputs: {y: \"f32[2, 4]\"}")
    extern = extern.replace("name: y, op: extern", "name: n, op: extern")
    script, folder = product("{script: FILE}", 64), {"s.yaml": spec()}
    readers = [("p.yaml", {}, ["check", "FILE"]), ("p.onnx", {}, ["check", "FILE"]), ("p.mlir", {}, ["check", "FILE"]),
               ("i.yaml", {"s.yaml": "include: [FILE]\n" + spec()}, ["check", "s.yaml"]), ("t.yaml", {"s.yaml": spec(targets="./FILE")}, ["check", "s.yaml"]),
               ("t.mlir", {"s.yaml": spec(before="templates: [FILE]\n")}, ["check", "s.yaml"]), ("s.mlir", {"s.yaml": script}, ["check", "s.yaml"]),
               ("w.npy", {"s.yaml": weight}, ["check", "s.yaml"]), ("w.safetensors", {"s.yaml": weight}, ["check", "s.yaml"]),
               ("v.npy", {"net.onnx": onnx()}, ["check", "net.onnx", "--value", "x=FILE"]), ("v.pb", {"net.onnx": onnx()}, ["check", "net.onnx", "--value", "x=FILE"]),
               ("g.mlir", {"s.yaml": "library: a\ntargets: [x86-64-v2]\ngraphs:\n  - {name: f, mlir: FILE}\n"}, ["check", "s.yaml"]),
               *((f"l{end}", {"s.yaml": extern}, ["check", "s.yaml", "--link", "FILE"]) for end in (".c", ".o", ".so")),
               ("a.npz", folder, ["verify", "s.yaml", "--against", "FILE"]), ("b.json", folder, ["bench", "s.yaml", "--against", "FILE", "--time", "0.001"]),
               ("a.manifest.json", folder, ["bench", ".", "--time", "0.001"])]
    for name, files, command in readers:
        given = {path: text.replace("FILE", name) if isinstance(text, str) else text for path, text in files.items()}
        command = [word.replace("FILE", name) for word in command]
        for kind, make in (("pipe", os.mkfifo), ("device", lambda path: path.symlink_to("/dev/zero"))):
            run(f"{kind} {name}", {**given, name: make}, command, 1, seconds=5)
    # What `import` writes takes the place of anything, unread.
    net = onnx(rows=100, weight=True)
    run("an import with weights", {"net.onnx": net}, ["import", "net.onnx", "-o", "spec"], 0)
    for path in (WORK / "an-import-with-weights/spec").iterdir():
        for kind, make in (("pipe", os.mkfifo), ("device", lambda path: path.symlink_to("/dev/zero"))):
            run(f"{kind} {path.name}", {"net.onnx": net, f"spec/{path.name}": make}, ["import", "net.onnx", "-o", "spec", "--force"], 0, seconds=5)
            if (WORK / f"{kind}-{re.sub(r'[^a-z0-9]', '-', path.name)}" / "spec" / path.name).read_bytes() != path.read_bytes():
                problems.append(f"{kind} {path.name}: it is not the file that import writes")


large_texts()
schedules_and_targets()
operators()
models()
no_files()
sys.exit("\n".join(problems) if problems else 0)

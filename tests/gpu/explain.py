"""What `kgen explain` says of launches, without a card: explain.py KGEN FOLDER [--cuda-driver FILE]

Figures that can be worked out by hand: bytes of tensors, operations, threads, blocks that a core has room for. Registers are those of a program `ptxas` on PATH, here one
that this test makes. With the tests' CUDA driver: the bytes that move are those that it counts, block by block, for each form of kernel.
"""
import argparse
import ctypes
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

SECTOR = 32  # bytes
SPEC = """library: shown
targets: [x86-64-v3, nvidia-sm_80, vulkan]
graphs:
  - name: product # one tile in each direction, of which rows and terms are not full
    inputs: {x: "f32[50, 72]", r: "f32[50, 64]"}
    weights:
      w: {type: "f32[72, 64]", random: {seed: 1}}
      b: {type: "f32[64]", random: {seed: 2}}
    nodes:
      - {op: MatMul, name: m, inputs: [x, w]}
      - {op: Add, name: s, inputs: [m, b]}
      - {op: Relu, name: a, inputs: [s]}
      - {op: Add, name: y, inputs: [a, r]}
    outputs: [y]
  - name: image
    inputs: {x: "f32[1, 7, 15, 13]"}
    weights:
      f: {type: "f32[20, 7, 3, 3]", random: {seed: 3}}
    nodes:
      - {op: Conv, name: y, inputs: [x, f], attributes: {kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1]}}
    outputs: [y]
  - name: padded # windows whose channels are vectors, with padding around the image
    inputs: {x: "f32[1, 8, 9, 6]"}
    weights:
      f: {type: "f32[12, 8, 3, 3]", random: {seed: 4}}
    nodes:
      - {op: Conv, name: y, inputs: [x, f], attributes: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
    outputs: [y]
  - name: softmax
    inputs: {x: "f32[7, 1000]"}
    nodes:
      - {op: Softmax, name: y, inputs: [x]}
    outputs: [y]
  - name: stretched # more than registers hold: read for its maximum, its sum and its results
    inputs: {x: "f32[2, 17000]"}
    nodes:
      - {op: Softmax, name: y, inputs: [x]}
    outputs: [y]
  - name: normal
    inputs: {x: "f32[16, 100]"}
    weights:
      scale: {type: "f32[100]", random: {seed: 6}}
      bias: {type: "f32[100]", random: {seed: 7}}
    nodes:
      - {op: LayerNormalization, name: y, inputs: [x, scale, bias]}
    outputs: [y]
  - name: elements
    inputs: {x: "f32[9, 130]", z: "f32[9, 130]"}
    nodes:
      - {op: Mul, name: p, inputs: [x, z]}
      - {op: Tanh, name: y, inputs: [p]}
    outputs: [y]
  - name: turned
    inputs: {x: "f32[30, 40]"}
    nodes:
      - {op: Transpose, name: y, inputs: [x], attributes: {perm: [1, 0]}}
    outputs: [y]
  - name: pixels
    inputs: {x: "f32[12, 64, 3]"}
    nodes:
      - {op: Transpose, name: y, inputs: [x], attributes: {perm: [2, 0, 1]}}
    outputs: [y]
  - name: part
    inputs: {x: "f32[10, 64]"}
    nodes:
      - {op: Slice, name: y, inputs: [x], attributes: {starts: [2], ends: [6], axes: [0]}}
    outputs: [y]
"""
# By graph: the form, operations of floats, bytes of tensors (each once), and shapes of arguments for a call.
FORMS = {
    "product": ("product", 50 * 64 * (2 * 72 + 2), 4 * (50 * 72 + 72 * 64 + 64 + 2 * 50 * 64), [(50, 72), (50, 64), (50, 64)]),
    "image": ("product", 8 * 7 * 20 * 2 * 63, 4 * (7 * 15 * 13 + 20 * 63 + 20 * 8 * 7), [(7, 15, 13), (20, 8, 7)]),
    "padded": ("product", 9 * 6 * 12 * 2 * 72, 4 * (8 * 9 * 6 + 12 * 72 + 12 * 9 * 6), [(8, 9, 6), (12, 9, 6)]),
    "softmax": ("rows", None, 4 * 2 * 7000, [(7, 1000), (7, 1000)]),
    "stretched": ("rows", None, 4 * 2 * 34000, [(2, 17000), (2, 17000)]),
    "normal": ("rows", None, 4 * (2 * 1600 + 200), [(16, 100), (16, 100)]),
    "elements": ("points", None, 4 * 3 * 1170, [(9, 130), (9, 130), (9, 130)]),
    "turned": ("transposition", 0, 4 * 2 * 1200, [(30, 40), (40, 30)]),
    "pixels": ("transposition", 0, 4 * 2 * 2304, [(12, 64, 3), (3, 12, 64)]),
    "part": ("copy", 0, 4 * 2 * 256, [(10, 64), (4, 64)]),
}
POINTERS = "reset fail_call fail_function pretend calls created living failed report count_block counts"
COUNTS = "shared_accesses shared_cycles shared_least global_accesses global_bytes sectors_read sectors_written"
KEYS = """kernel form blocks threads_of_block threads shared_bytes registers registers_by spilled_bytes blocks_of_core occupancy occupancy_limit
read_bytes written_bytes least_bytes flops cycles limit""".split()
wrong = []


def check(condition, text):
    if not condition:
        wrong.append(text)
        print(f"WRONG: {text}")


class Faults(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in POINTERS.split()]


class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_long) for name in COUNTS.split()]


def explain(options, path, *arguments):
    """The parts by graph and target, and what was printed beside."""
    done = subprocess.run([options.kgen, "explain", options.folder / "shown.yaml", "--json", *arguments], env={**os.environ, "PATH": str(path)}, capture_output=True, text=True, check=True)
    return {(part["graph"], part["target"]): part for part in json.loads(done.stdout)["parts"]}, done.stderr


def program(folder, name, text):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return folder


def launch_of(part):
    """The only launch; of images that of the product, between two that move its channels."""
    launches = [step["launch"] for step in part["steps"]]
    wanted = ["transposition", "product", "transposition"] if part["graph"] in ("image", "padded") else [FORMS[part["graph"]][0]]
    check([launch["form"] for launch in launches] == wanted, f"{part['graph']} on {part['target']}: {[launch['form'] for launch in launches]}")
    return launches[len(launches) // 2]


def room(facts, launch):
    """Blocks of a core, from the target's figures."""
    threads = 1
    for size in launch["threads_of_block"]:
        threads *= size
    threads = -(-threads // facts["subgroup"]) * facts["subgroup"]
    limits = {"threads": facts["threads_of_core"] // threads, "blocks": facts["blocks_of_core"]}
    if launch["shared_bytes"]:
        limits["shared memory"] = facts["shared_bytes_of_core"] // launch["shared_bytes"]
    if launch["registers"]:
        limits["registers"] = facts["registers_of_core"] // (threads * launch["registers"])
    blocks = min(limits.values())
    return blocks, {name for name, count in limits.items() if count == blocks}, blocks * threads / facts["threads_of_core"]


def facts_of(options, name):
    targets = json.loads(subprocess.run([options.kgen, "targets", "--json"], capture_output=True, text=True, check=True).stdout)
    return next(card for card in targets["gpus"] if card["name"] == name)


def check_figures(options, parts):
    check(set(parts) == {(graph, target) for graph in FORMS for target in ("x86-64-v3", "nvidia-sm_80", "vulkan")}, f"parts {sorted(parts)}")
    for (graph, target), part in parts.items():
        if target == "x86-64-v3":
            check("card" not in part, f"{graph} on a CPU has launches")
            continue
        launch, (form, flops, least, _) = launch_of(part), FORMS[graph]
        what = f"{graph} on {target}"
        check(part["card"]["launches"] == part["card"]["kernels"] == len(part["steps"]), f"{what}: {part['card']}")
        check(all(key in launch for key in KEYS), f"{what} lacks {[key for key in KEYS if key not in launch]}")
        check(launch["form"] == form, f"{what} is {launch['form']}")
        check(flops is None and launch["flops"] > 0 or launch["flops"] == flops, f"{what}: {launch['flops']} operations")
        check(launch["least_bytes"] == least, f"{what}: {launch['least_bytes']} bytes at least, not {least}")
        check(launch["read_bytes"] + launch["written_bytes"] >= least * 0.99, f"{what} moves less than its tensors")
        check(launch["read_bytes"] % SECTOR == 0 and launch["written_bytes"] % SECTOR == 0, f"{what} moves parts of sectors")
        blocks, limits, share = room(facts_of(options, target), launch)
        check((launch["blocks_of_core"], launch["occupancy"]) == (blocks, share) and launch["occupancy_limit"] in limits, f"{what}: occupancy {launch['blocks_of_core']}, {launch['occupancy_limit']}")
        product = launch.get("product")
        check((product is not None) == (form == "product"), f"{what} has the product {product}")
        if product:
            rows, columns, terms, _, _ = launch["tile"]
            grid = [-(-product[2] // columns), -(-product[1] // rows), product[0]]
            check(launch["blocks"] == grid, f"{what}: {launch['blocks']} blocks, not {grid}")
            check(launch["shared_bytes"] == 4 * terms * (rows + 4 + columns + 4), f"{what}: {launch['shared_bytes']} bytes of shared memory")
            cycles = {tuple(offer["sizes"]): offer["cycles"] for offer in launch["offers"] if "cycles" in offer}
            check(cycles[tuple(launch["tile"])] == min(cycles.values()) == launch["cycles"], f"{what}: another tile takes fewer cycles")
    long = launch_of(parts["stretched", "vulkan"])
    check(2.9 * 4 * 34000 <= long["read_bytes"] < 3.3 * 4 * 34000 and long["written_bytes"] < 1.1 * 4 * 34000, f"long rows move {long['read_bytes']} and {long['written_bytes']}")
    nodes = {node["name"]: node for node in parts["product", "vulkan"]["nodes"]}
    check([nodes[name]["fate"] for name in "msay"] == ["contraction", "epilogue", "epilogue", "epilogue"], f"fates {nodes}")
    check(parts["product", "vulkan"]["card"]["weight_bytes"] == 4 * (72 * 64 + 64), "weights of the product")
    # Each element once, in whole rows of sectors.
    elements = launch_of(parts["elements", "vulkan"])
    sectors = -(-1170 * 4 // SECTOR)
    check((elements["read_bytes"], elements["written_bytes"]) == (2 * sectors * SECTOR, sectors * SECTOR), f"elements move {elements}")
    check((elements["blocks"], elements["threads_of_block"], elements["threads"]) == ([5, 1, 1], [256, 1, 1], 1280), "the grid of elements")
    # 256 threads: 2048 / 256 blocks on an A100.
    check((launch_of(parts["elements", "nvidia-sm_80"])["blocks_of_core"], launch_of(parts["elements", "nvidia-sm_80"])["occupancy"]) == (8, 1), "occupancy of elements")


def check_registers(options, without):
    nothing, fake = options.folder / "nothing", options.folder / "fake"
    names = {key: launch_of(part)["kernel"] for key, part in without.items() if key[1] == "nvidia-sm_80"}
    lines = "".join(f"ptxas info    : Compiling entry function '{name}' for 'sm_80'\nptxas info    : Function properties for {name}\n"
                    f"    8 bytes stack frame, {4 * i} bytes spill stores, 4 bytes spill loads\nptxas info    : Used {40 + 40 * i} registers, 384 bytes cmem[0]\n" for i, name in enumerate(names.values()))
    program(fake, "ptxas", f"""case "$*" in "-v -arch=sm_80 "*.ptx" -o "*) ;; *) exit 3;; esac
read -r first < "$3" && test -n "$first" || exit 4
cat >&2 <<'END'
{lines}END
""")
    parts, _ = explain(options, f"{fake}:/usr/bin:/bin", "--target", "nvidia-sm_80")
    for i, key in enumerate(names):
        launch = launch_of(parts[key])
        check((launch["registers"], launch["registers_by"], launch["spilled_bytes"]) == (40 + 40 * i, "ptxas", 4 * i + 4), f"{key}: {launch['registers']} registers, {launch['spilled_bytes']} spilled")
        blocks, limits, _ = room(facts_of(options, key[1]), launch)
        check(launch["blocks_of_core"] == blocks and launch["occupancy_limit"] in limits, f"{key}: occupancy by registers")
    check(any(launch_of(part)["occupancy_limit"] == "registers" for part in parts.values()), "no kernel is limited by its registers")
    for key, part in without.items():
        if key[1] != "x86-64-v3":
            launch = launch_of(part)
            check((launch["registers_by"] == "estimate") == (launch["form"] == "product") and (launch["registers"] is None) == (launch["registers_by"] is None), f"{key}: registers of nobody")
    program(fake, "ptxas", "echo 'ptxas fatal: unsupported version' >&2; exit 255\n")
    parts, told = explain(options, f"{fake}:/usr/bin:/bin", "--target", "nvidia-sm_80")
    check("unsupported version" in told and launch_of(parts["product", "nvidia-sm_80"])["registers_by"] == "estimate", f"a program that fails: {told}")
    return nothing


def check_counts(options, parts):
    """Bytes that move, by the tests' driver, next to those that are explained."""
    library, stages = options.folder / "shown", options.folder / "stages"
    subprocess.run([options.kgen, "generate", options.folder / "shown.yaml", "--target", "x86-64-v3", "--target", "nvidia-sm_80", "-o", library, "--always", "--dump-stages", stages, "-q"], check=True)
    code = Path(__file__).resolve().parent.parent / "lib" / "gpu" / "cuda_code.py"
    kernels = next(stages.glob("kernels.*"))
    subprocess.run([sys.executable, "-B", code, kernels / "kernels.ll", kernels / "kernels.ptx", options.folder, "--clang", options.clang], check=True)
    os.environ.update(SHOWN_CUDA=str(options.cuda_driver), KGEN_TEST_CUDA_CODE=str(options.folder))
    subprocess.run([options.cc, "-O1", "-shared", "-fPIC", "-I", library, library / "shown.c", library / "shown_gpu.c", *(library / "objects").glob("*.o"), "-ldl", "-o", options.folder / "shown.so"], check=True)
    made, driver = ctypes.CDLL(options.folder / "shown.so"), ctypes.CDLL(options.cuda_driver)
    faults = Faults.in_dll(driver, "kgen_cuda_faults")
    gpu = (ctypes.c_uint64 * 4096)()
    if made.shown_gpu_init(None, gpu):
        sys.exit("init failed")
    for graph, (_, _, _, shapes) in FORMS.items():
        launches = [step["launch"] for step in parts[graph, "nvidia-sm_80"]["steps"]]
        sizes = [math.prod(shape) for shape in shapes]
        arrays = [(ctypes.c_float * size)(*(0.25 * (i % 9) for i in range(size))) for size in sizes]
        ctypes.CFUNCTYPE(None)(faults.reset)()
        blocks = max(launch["blocks"][0] * launch["blocks"][1] * launch["blocks"][2] for launch in launches)
        for block in range(blocks):
            ctypes.CFUNCTYPE(None, ctypes.c_long)(faults.count_block)(block)
            if getattr(made, f"shown_{graph}_gpu_run")(gpu, *arrays):
                sys.exit(f"{graph} failed")
        counts = ctypes.CFUNCTYPE(ctypes.POINTER(Counts))(faults.counts)()[0]
        counted = SECTOR * counts.sectors_read, SECTOR * counts.sectors_written
        told = tuple(sum(launch[key] for launch in launches) for key in ("read_bytes", "written_bytes"))
        print(f"{graph}: {blocks} blocks, reads and writes {told}, counted {counted}, at least {sum(launch['least_bytes'] for launch in launches)}")
        check(told == counted, f"{graph}: bytes that move are not those that the driver counts")
        if FORMS[graph][0] == "transposition":
            # Of tiles of 16 a subgroup has two runs, which share some banks.
            check(0 < counts.shared_least <= counts.shared_cycles <= (2 if graph == "turned" else 1) * counts.shared_least, f"{graph}: {counts.shared_cycles} cycles of shared memory, at least {counts.shared_least}")


def check_page(options):
    """The example of docs/GPU.md."""
    page = (Path(__file__).resolve().parent.parent.parent / "docs" / "GPU.md").read_text()
    (options.folder / "mlp.yaml").write_text(re.search(r"(?s)```yaml mlp\.yaml\n(.*?)```", page)[1])
    command, shown = re.search(r"(?s)```\n\$ (kgen explain mlp\.yaml[^\n]*)\n(.*?)```", page).groups()
    path = f"{options.kgen.resolve().parent}:/usr/bin:/bin"
    printed = subprocess.run(command, shell=True, cwd=options.folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True).stdout
    check(printed == shown, f"docs/GPU.md has not what is printed:\n{printed}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("kgen", "folder"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--cuda-driver", type=Path)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "shown.yaml").write_text(SPEC)
    nothing = options.folder / "nothing"
    nothing.mkdir(exist_ok=True)
    parts, _ = explain(options, nothing)
    check_figures(options, parts)
    check_registers(options, parts)
    if options.cuda_driver:
        check_counts(options, parts)
    text = subprocess.run([options.kgen, "explain", options.folder / "shown.yaml", "--target", "vulkan"], env={**os.environ, "PATH": str(nothing)}, capture_output=True, text=True, check=True).stdout
    for wanted in (r"(?m)^product on vulkan$", r"1 launch of 1 kernel; ", r"(?m)^Work of launches$", r"product 50 x 64 x 72", r"(?m)^Tiles of products$"):
        check(re.search(wanted, text), f"the text has no '{wanted}'")
    check("x86-64-v3" not in text, "a CPU that was not asked for")
    page = options.folder / "page.html"
    subprocess.run([options.kgen, "explain", options.folder / "shown.yaml", "--target", "vulkan", "--html", page], check=True)
    drawn = page.read_text()
    check(drawn.count('<svg class="graph"') == len(FORMS) and "50 x 64 x 72" in drawn and "Work of launches" in drawn, "the page")
    check_page(options)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

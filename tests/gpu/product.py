"""The kernel of large products, without a card: product.py KGEN TARGET.yaml FOLDER --cuda-driver FILE

The kernel of a product of 4096 x 4096 x 4096 in PTX: of the instructions of its loop over k but for copies, at least 0.80 are multiply-adds. One block of
the same tile over all of K, on the tests' CUDA driver, which counts: sectors of memory that move are at most 1.10 of the tile's rows and columns, and no
access of shared memory meets another in its bank. Where ptxas is found: no register is spilled.
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

COPIES = ("ld.global", "st.shared", "ld.shared")
SECTOR = 32  # bytes
M, N, K = 128, 128, 512  # of the block that is counted: the tile of the large kernel
POINTERS = "reset fail_call fail_function pretend calls created living failed report count_block counts"
COUNTS = "shared_accesses shared_cycles shared_least global_accesses global_bytes sectors_read sectors_written"


class Faults(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in POINTERS.split()]


class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_long) for name in COUNTS.split()]


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE)


def spec(folder, name, target, sizes):
    m, n, k = sizes
    path = folder / f"{name}.yaml"
    path.write_text(f"""library: {name}
targets: [x86-64-v3, {target}]
graphs:
  - name: product
    inputs: {{a: "f32[{m}, {k}]", b: "f32[{k}, {n}]"}}
    nodes:
      - {{op: MatMul, name: y, inputs: [a, b]}}
    outputs: [y]
""")
    return path


def generate(options, name, target, sizes):
    stages = options.folder / f"{name}-stages"
    run(options.kgen, "generate", spec(options.folder, name, target, sizes), "-o", options.folder / name, "--always", "--dump-stages", stages, "-q")
    return next(stages.glob("kernels.*"))


def loop_instructions(ptx):
    """Those of the longest loop: between a label and a branch back to it."""
    labels = {found[1]: found.end() for found in re.finditer(r"(\$L__BB\d+_\d+):", ptx)}
    loops = [ptx[labels[found[1]]:found.start()] for found in re.finditer(r"bra(?:\.uni)?\s+(\$L__BB\d+_\d+)", ptx) if labels.get(found[1], len(ptx)) < found.start()]
    lines = max(loops, key=len).splitlines()
    return [re.sub(r"^@!?%p\d+\s+", "", line.strip()) for line in lines if re.match(r"\s+(@!?%p\d+\s+)?[a-z]", line)]


def ratio_of_multiply_adds(ptx):
    kept = [line for line in loop_instructions(ptx) if not line.startswith(COPIES)]
    return sum(line.startswith("fma.") for line in kept) / len(kept)


def counts_of_block(options):
    card = options.folder / "onecore.yaml"
    card.write_text(re.sub(r"(?m)^cores: .*", "cores: 1", re.sub(r"(?m)^name: .*", "name: onecore", options.target.read_text())))
    kernels = generate(options, "block", "onecore", (M, N, K))
    code = Path(__file__).resolve().parent.parent / "lib" / "gpu" / "cuda_code.py"
    run(sys.executable, "-B", code, kernels / "kernels.ll", kernels / "kernels.ptx", options.folder, "--clang", options.clang)
    os.environ.update(BLOCK_CUDA=str(options.cuda_driver), KGEN_TEST_CUDA_CODE=str(options.folder))
    library = options.folder / "block"
    run(options.cc, "-O1", "-shared", "-fPIC", "-I", library, library / "block.c", library / "block_gpu.c", *(library / "objects").glob("*.o"), "-ldl", "-o", options.folder / "block.so")
    code, driver = ctypes.CDLL(options.folder / "block.so"), ctypes.CDLL(options.cuda_driver)
    faults = Faults.in_dll(driver, "kgen_cuda_faults")
    gpu = (ctypes.c_uint64 * 4096)()
    if code.block_gpu_init(None, gpu):
        sys.exit("init failed")
    ctypes.CFUNCTYPE(None, ctypes.c_long)(faults.count_block)(0)
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((M, K), (K, N)))
    y = np.zeros((M, N), np.float32)
    if code.block_product_gpu_run(gpu, *(x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, y))):
        sys.exit("the run failed")
    worst = float(np.max(np.abs(y - a.astype(np.float64) @ b)))
    return ctypes.CFUNCTYPE(ctypes.POINTER(Counts))(faults.counts)()[0], worst


def main():
    parser = argparse.ArgumentParser()
    for name in ("kgen", "target", "folder"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--cuda-driver", type=Path, required=True)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--ptxas", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    kernels = generate(options, "large", options.target.stem, (4096, 4096, 4096))
    ratio = ratio_of_multiply_adds((kernels / "kernels.ptx").read_text())
    counts, worst = counts_of_block(options)
    traffic = SECTOR * (counts.sectors_read + counts.sectors_written) / (4 * (M * K + K * N + M * N))
    conflicts = counts.shared_cycles - counts.shared_least
    print(f"multiply-adds {ratio:.3f} of the loop's instructions but copies; bytes {traffic:.3f} of the tile's; {conflicts} conflicts of banks; {worst:.1e} off")
    wrong = [ratio < 0.80, traffic > 1.10, conflicts != 0, counts.shared_least == 0, not worst < 1e-3]
    if options.ptxas:
        told = subprocess.run([options.ptxas, "-v", "-arch=sm_80", kernels / "kernels.ptx", "-o", options.folder / "kernels.cubin"], capture_output=True, text=True, check=True).stderr
        print(re.sub(r"(?s).*?(Used \d+ registers).*", r"ptxas: \1", told))
        wrong.append("0 bytes spill stores" not in told)
    sys.exit(any(wrong))


if __name__ == "__main__":
    main()
